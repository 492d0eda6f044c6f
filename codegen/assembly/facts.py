"""What branches tell of scalar registers: the comparison that decides a branch, and what contradicts what.

What goes in: the lines of a function and its blocks. What comes out: for each block that ends with a branch on a
comparison of scalar registers, what holds on each way out; and which lines make such facts old. So a path that is taken
only if a counter is 0 is not followed where an earlier branch has found that it is not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from axmem.codegen.assembly.flow import Node
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


    def asked(self, after: Mapping[Node, Sequence[Node]], ends: Mapping[int, int]) -> dict[Node, Facts]:
        """Return of each node the facts that a branch behind it may contradict, before they are old."""
        alike = defaultdict(set)
        for fact in {each for pair in self.told.values() for each in pair}:
            alike[fact.operands[0]].add(fact)
        told = {line: frozenset(alike[pair[0].operands[0]]) for line, pair in self.told.items()}
        old = {
            start: frozenset().union(*(self.old[k] for k in range(start, ends[start]) if k in self.old))
            for start, _ in after
        }
        before = defaultdict(set)
        for node, later in after.items():
            for each in later:
                before[each].add(node)
        found: dict[Node, Facts] = dict.fromkeys(after, frozenset())
        left = [node for node in after if ends[node[0]] - 1 in told]
        while left:
            node = left.pop()
            behind = frozenset().union(*(found[each] for each in after[node]))
            known = (behind | told.get(ends[node[0]] - 1, frozenset())) - old[node[0]]
            if known != found[node]:
                found[node] = known
                left += before[node]
        return found


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
    if _number(fact) is None:
        return False
    about = [each for each in facts if each.operands[0] == operands[0] and _number(each) is not None]
    if ":" in operands[0]:  # of 64 bits negative numbers have two spellings
        same = [each.operands[1] for each in (*about, fact) if each.relation == "eq" and each.holds]
        return holds and len({number for number in same if number.isdecimal()}) > 1
    return bool(about) and not all(_possible([*about, fact], signed=signed) for signed in (False, True))


def _number(fact: Fact) -> int | None:
    """Return the number that a register is compared with, if it is one."""
    try:
        return int(fact.operands[1])
    except ValueError:
        return None


def _possible(facts: Sequence[Fact], *, signed: bool) -> bool:
    """Say whether some 32 bits satisfy comparisons of one register with numbers: those of one sign, and equalities."""
    low, high, others = (-(1 << 31), (1 << 31) - 1, set()) if signed else (0, (1 << 32) - 1, set())
    for fact in facts:
        bits = (_number(fact) or 0) & (1 << 32) - 1
        number = bits - (1 << 32) if signed and bits >> 31 else bits
        if fact.relation == "eq" and not fact.holds:
            others.add(number)
        elif fact.relation == "eq":
            low, high = max(low, number), min(high, number)
        elif fact.relation.endswith("i") == signed:
            last = number - fact.relation.startswith("lt")
            low, high = (low, min(high, last)) if fact.holds else (max(low, last + 1), high)
    return high - low >= len(others) or any(number not in others for number in range(low, high + 1))


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
            half = line.mnemonic.startswith("s_cmpk_") and found[2] == "i"
            fact = Fact(relation + signed, (_plain(line.operands[0]), _plain(line.operands[1], half=half)), holds=True)
            taken = (branch[1] == "1") == (found[1] not in _NEGATED)
            return None if written & set(registers_of(fact)) else fact._replace(holds=taken)
        if not _KEEPS.match(line.mnemonic):
            return None
        written |= touched[index].written
    return None


def _plain(operand: str, *, half: bool = False) -> str:
    """Return an operand, a number as a decimal one; of a `half` the upper bits are those of its sign."""
    try:
        number = int(operand, 0)
    except ValueError:
        return operand
    return str(number - (1 << 16) if half and number >> 15 == 1 else number)
