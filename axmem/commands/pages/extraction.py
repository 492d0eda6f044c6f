"""The concurrent skeleton of a module as a test, with what it leaves out in comments at its head.

What goes in: an `Extraction`. What comes out: the text of a test. Invariant: everything that was left out or guessed is
named, with what that can do to the outcomes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.formats.ir.extraction import Extraction, guesses, omissions, promises, unknowns
from axmem.formats.ir.slicing import SliceEffect
from axmem.litmus.launch import counted_launch
from axmem.litmus.printer import print_test


def text(extraction: Extraction, name: str) -> str:
    """Return the test that was extracted from the file `name`."""
    return "".join(f"; {line}".rstrip() + "\n" for line in _head(extraction, name)) + print_test(extraction.test)


def effect(extraction: Extraction) -> SliceEffect:
    """Return what everything that was left out and guessed can do to the outcomes."""
    found = {each.reason.effect for each in extraction.left_out} | {each.guess.effect for each in extraction.guessed}
    found |= {SliceEffect.BOTH for _ in extraction.launches} | {SliceEffect.LOSES for _ in extraction.promised}
    found.discard(SliceEffect.NONE)
    if len(found) < 2:
        return found.pop() if found else SliceEffect.NONE
    return SliceEffect.BOTH


def _head(extraction: Extraction, name: str) -> Iterator[str]:
    yield f"Extracted from {name} by axmem kernel extract: {', '.join(f'@{each}' for each in extraction.threads)}."
    yield f"Of these threads alone, what was left out and guessed: {effect(extraction).value}."
    for function in dict.fromkeys((*extraction.threads, *(each.function for each in extraction.left_out))):
        left_out = omissions(each for each in extraction.left_out if each.function == function)
        yield from _under(f"Left out of @{function}:", left_out)
        yield from _under(f"Guessed in @{function}:", guesses(extraction, function))
        yield from _under(f"Not known in @{function}:", unknowns(extraction, function))
        if promised := promises(extraction, function):
            yield f"Not judged of @{function}: {promised}"
        for name, launch in extraction.launches:
            if name == function:
                yield f"Launched by a guess: @{function} with {counted_launch(launch)}: {SliceEffect.BOTH.value}"


def _under(head: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield lines below a head, which no lines have none of."""
    for number, line in enumerate(lines):
        if not number:
            yield head
        yield f"  {line}"
