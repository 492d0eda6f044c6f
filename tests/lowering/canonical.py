"""One form for what the tables say and for what LLVM makes.

What goes in: instructions of the lowering. What comes out: a tuple of words: `wait loadcnt storecnt` for waits that
follow each other, in which order does not matter; `global_load sc1` for an access with its bits; other instructions as
they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from axmem.codegen.instructions import EmittedInstruction, InstructionKind

Sequence = tuple[str, ...]
_ACCESS = re.compile(r"(global|flat|buffer|scratch|ds|s)_([a-z0-9]+)")
_WORDS = {"read": "load", "write": "store"}


def access_name(mnemonic: str) -> str:
    """Return what an access is without its size: `global_load`, `ds_atomic`."""
    match = _ACCESS.match(mnemonic)
    assert match, mnemonic
    word = _WORDS.get(match[2], match[2])
    return f"{match[1]}_{word if word in ('load', 'store') else 'atomic'}"


def canonical(instructions: Iterable[EmittedInstruction], name: Callable[[str], str] = access_name) -> Sequence:
    """Return a lowering in the form that is compared; `name` says how accesses are named, `str` with their size."""
    found: list[str | frozenset[str]] = []
    for instruction in instructions:
        if instruction.kind is InstructionKind.WAIT:
            found.append(frozenset(part.name for part in instruction.parts))
        elif instruction.kind is InstructionKind.ACCESS:
            found.append(" ".join([name(instruction.mnemonic), *(part.text for part in instruction.parts)]))
        else:
            found.append(instruction.text)
    return joined(found)


def joined(found: Iterable[str | frozenset[str]]) -> Sequence:
    """Return the words, with counters that are waited for one after the other in one."""
    words: list[str] = []
    waiting: set[str] = set()
    for item in [*found, ""]:
        if isinstance(item, frozenset):
            waiting |= item
            continue
        if waiting:
            words.append(" ".join(["wait", *sorted(waiting)]))
            waiting = set()
        if item:
            words.append(item)
    return tuple(words)
