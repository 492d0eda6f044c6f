"""What a function does with memory, whatever computes it where.

What goes in: a function. What comes out: its blocks, each as a row of operations on memory, calls, phis and a branch,
in which every operand is written out as an expression over results of such operations. Two functions with one skeleton
differ in arithmetic that is written elsewhere, in flags and in names alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from axmem.formats.ir.mnemonics import ENDING
from axmem.formats.ir.printer import Naming, computed, instruction, local
from axmem.formats.ir.syntax import Function, Instruction
from axmem.front.records import replace
from axmem.litmus.poison import POISONING
from axmem.passes.modules import LABEL, body, label_of, names_of

_KEPT = ENDING | {"load", "store", "atomicrmw", "cmpxchg", "fence", "call", "phi", "alloca", "freeze", "va_arg", LABEL}
_FLAGS = POISONING | {"inbounds", "nusw"}
MOST = 10_000
"""How long an expression may be that is written out."""


def is_anchored(line: Instruction) -> bool:
    """Whether a line does more than to compute: it begins a block, branches, calls or accesses memory."""
    return line.operation in _KEPT


def unflagged(each: Instruction) -> Instruction:
    """Return an instruction without the words that make its result poison, but not another one."""
    if _FLAGS.isdisjoint(each.words):
        return each
    return replace(each, words=tuple(word for word in each.words if word not in _FLAGS))


def skeleton(function: Function) -> tuple[str, ...] | None:
    """Return the lines of the skeleton of a function; None if an expression in it is too long."""
    names = {name: f"parameter{k}" for k, name in enumerate(names_of(function))}
    made: dict[str, Instruction] = {}
    kept: list[Instruction] = []
    for line in body(function):
        if is_anchored(line):
            names[label_of(line) or line.result] = f"line{len(kept)}"
            kept.append(line)
        else:
            made[line.result] = unflagged(line)

    try:
        return tuple(instruction(line, written_out(made, names, MOST)) for line in kept)
    except OverflowError:
        return None


def written_out(made: Mapping[str, Instruction], names: dict[str, str], most: float = inf) -> Naming:
    """Return how names are written: what is `made` as an expression over `names`, to which it is added.

    OverflowError if one is too long.
    """

    def shown(name: str) -> str:
        if name not in names:
            names[name] = f"({computed(made[name], shown)})" if name in made else local(name)
            if len(names[name]) > most:
                raise OverflowError
        return names[name]

    return shown
