"""The concurrent skeleton of a module as a test, with what it leaves out in comments at its head.

What goes in: an `Extraction`. What comes out: the text of a test. Invariant: everything that was left out or guessed is
named, with what that can do to the outcomes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.formats.ir.extraction import Extraction, Guessed, LeftOut
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
    yield f"Extracted from {name} by axmem extract: {', '.join(f'@{each}' for each in extraction.threads)}."
    yield f"Of these threads alone, what was left out and guessed: {effect(extraction).value}."
    for function in dict.fromkeys((*extraction.threads, *(each.function for each in extraction.left_out))):
        yield from _left_out(function, [each for each in extraction.left_out if each.function == function])
        yield from _guessed(function, [each for each in extraction.guessed if each.function == function])
        promised = ", ".join(f"%{parameter}" for name, parameter in extraction.promised if name == function)
        if promised:
            yield f"Not judged of @{function}: that {promised} is noalias: {SliceEffect.LOSES.value}"
        for name, launch in extraction.launches:
            if name == function:
                yield f"Launched by a guess: @{function} with {counted_launch(launch)}: {SliceEffect.BOTH.value}"


def _left_out(function: str, found: list[LeftOut]) -> Iterator[str]:
    """Yield what is left out of a function, by the reason."""
    if found:
        yield f"Left out of @{function}:"
    for reason in dict.fromkeys(each.reason for each in found):
        same = [each for each in found if each.reason is reason]
        words = ", ".join(dict.fromkeys(each.word for each in same))
        yield f"  {words} ({_lines(each.line for each in same)}): {reason.text}: {reason.effect.value}"


def _guessed(function: str, found: list[Guessed]) -> Iterator[str]:
    """Yield what is guessed in a function, by the guess."""
    if found:
        yield f"Guessed in @{function}:"
    for guess in dict.fromkeys(each.guess for each in found):
        names = ", ".join(f"%{each.value}" for each in found if each.guess is guess)
        yield f"  {names}: {guess.text}: {guess.effect.value}"


def _lines(numbers: Iterable[int]) -> str:
    """Return lines as text: `line 3`, `lines 3, 5`."""
    found = list(dict.fromkeys(numbers))
    return f"line{'s' * (len(found) > 1)} {', '.join(map(str, found))}"
