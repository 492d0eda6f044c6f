"""What branches tell of scalar registers: the comparison that decides a branch, and what contradicts what.

What goes in: the lines of a function and its blocks. What comes out: for each block that ends with a branch on a
comparison of scalar registers, what holds on each way out; and which lines make such facts old. So a path that is taken
only if a counter is 0 is not followed where an earlier branch has found that it is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from axmem.codegen.assembly.operands import named
from axmem.codegen.assembly.registers import Touched
from axmem.codegen.assembly.text import AssemblyLine


class Fact(NamedTuple):
    """A comparison of two operands, `eq`, `lt` or `le`, and whether it holds."""

    relation: str
    operands: tuple[str, str]
    holds: bool


Facts: TypeAlias = frozenset[Fact]
_COMPARED = re.compile(r"s_cmpk?_(eq|lg|lt|le|gt|ge)_([iu])(?:32|64)$")
_BRANCH = re.compile(r"s_cbranch_scc([01])$")
_KEEPS = re.compile(r"(?!s_)|s_(mov|cselect|cmov|nop|wait|load|buffer_load|setprio|barrier|sleep|mul_i32|delay|clause"
                    r"|sext)")  # fmt: skip
"""Instructions that leave the condition as it was."""
_NEGATED = {"lg": "eq", "ge": "lt", "gt": "le"}


class Branches:
    """The branches of a function: of the last line of a block the facts if it goes to its target, and if not."""

    def __init__(
        self, lines: Sequence[AssemblyLine], touched: Mapping[int, Touched], ends: Mapping[int, int], starts: set[int]
    ) -> None:
        self.told: dict[int, tuple[Fact, Fact]] = {}
        for start in starts:
            fact = _condition(lines, touched, start, ends[start] - 1)
            if fact is not None:
                self.told[ends[start] - 1] = fact, fact._replace(holds=not fact.holds)
        about = {each: set(registers_of(each)) for pair in self.told.values() for each in pair}
        every = frozenset().union(*about.values())
        self.old: dict[int, Facts] = {}
        for index, each in touched.items():
            if not every.isdisjoint(each.written):
                self.old[index] = frozenset(fact for fact, on in about.items() if on & each.written)


def registers_of(fact: Fact) -> tuple[str, ...]:
    """Return the registers that a fact is about."""
    return named(fact.operands[0]) + named(fact.operands[1])


def contradicts(facts: Facts, fact: Fact) -> bool:
    """Say whether a fact cannot hold where others do."""
    if not facts:
        return False
    relation, operands, holds = fact
    if (relation, operands, not holds) in facts:
        return True
    if relation != "eq" or not holds or not operands[1].isdecimal():
        return False
    return any(
        each.relation == "eq" and each.holds and each.operands[0] == operands[0] and each.operands[1] != operands[1]
        and each.operands[1].isdecimal() for each in facts
    )  # fmt: skip


def _condition(lines: Sequence[AssemblyLine], touched: Mapping[int, Touched], start: int, end: int) -> Fact | None:
    """Return what holds if the branch at the end of a block is taken, as far as a comparison in the block says it."""
    branch = _BRANCH.match(lines[end].mnemonic)
    if not branch:
        return None
    written: set[str] = set()
    for index in range(end - 1, start - 1, -1):
        line = lines[index]
        found = _COMPARED.match(line.mnemonic)
        if found and len(line.operands) == 2:
            relation = _NEGATED.get(found[1], found[1])
            signed = "" if relation == "eq" else found[2]
            fact = Fact(relation + signed, (_plain(line.operands[0]), _plain(line.operands[1])), holds=True)
            taken = (branch[1] == "1") == (found[1] not in _NEGATED)
            return None if written & set(registers_of(fact)) else fact._replace(holds=taken)
        if not _KEEPS.match(line.mnemonic):
            return None
        written |= touched[index].written
    return None


def _plain(operand: str) -> str:
    """Return an operand, a number as a decimal one."""
    try:
        return str(int(operand, 0))
    except ValueError:
        return operand
