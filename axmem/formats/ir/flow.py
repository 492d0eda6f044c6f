"""Where the pointers of a function point, and where its branches lead.

What goes in: a function without calls of defined functions. What comes out: the memory that each pointer may be into,
by its roots, and the blocks that are reached first among some. Invariant: a pointer of which nothing is known has
itself as its root, and never none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from axmem.formats.ir.blocks import reached, successors
from axmem.formats.ir.intrinsics import has_no_effect
from axmem.formats.ir.mnemonics import ASSUME
from axmem.formats.ir.syntax import ConstantExpression, Function, Instruction, Value
from axmem.formats.ir.transfers import is_transfer
from axmem.front.records import dataclass
from axmem.litmus.syntax import AddressOf, Register

ADDRESSED = {"load": 0, "store": 1, "atomicrmw": 0, "cmpxchg": 0}
"""Which operand of an access is the address."""
_WIDE = re.compile(r"^llvm\.amdgcn\.av\.(load|store)\.b([0-9]+)\.")
"""Accesses that are calls, with their bits; the first operand is the address."""
PASSING = frozenset({"getelementptr", "bitcast", "addrspacecast", "phi", "select", "freeze"})
"""Instructions that make pointers of pointers."""
EXIT = ""
"""The name of what follows a function's last block."""


@dataclass(frozen=True, slots=True)
class Root:
    """Where memory comes from: a variable of the module, or a value of the function: an alloca, a parameter, …"""

    name: str
    variable: bool = False


def wide(each: Instruction) -> tuple[str, int] | None:
    """Return whether an instruction is a load or a store by a call, and of how many bytes."""
    found = _WIDE.search(each.callee) if each.callee else None
    return (found[1], int(found[2]) // 8) if found else None


def address(each: Instruction) -> Value | None:
    """Return the address that an instruction accesses; None if it is no access."""
    if each.operation in ADDRESSED:
        return each.operands[ADDRESSED[each.operation]].value
    return each.operands[0].value if wide(each) is not None else None


def effect(access: Instruction) -> str:
    """Return whether an access reads memory, writes it, or both: "r", "w", "rw"."""
    by_call = wide(access)
    return {"load": "r", "store": "w"}.get(by_call[0] if by_call else access.operation, "rw")


def may_end(each: Instruction) -> bool:
    """Say whether execution need not go on behind an instruction: a call of which that is not known, or volatile."""
    quiet = has_no_effect(each.callee) or each.callee == ASSUME
    called = each.operation == "call" and address(each) is None and not quiet
    return called or each.mode.volatile


def exposing(each: Instruction) -> Iterator[Value]:
    """Yield what an instruction puts somewhere from where it may come back: into memory, a call, a result, a number."""
    if each.operation in PASSING or each.operation == "icmp" or has_no_effect(each.callee):
        return
    if is_transfer(each.callee):  # It accesses memory there, and tells nobody where.
        return
    for index, operand in enumerate(each.operands):
        if index != ADDRESSED.get(each.operation):
            yield operand.value


class FunctionFlow:
    """The pointers and branches of one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.instructions = [each for block in function.blocks for each in block.instructions]
        self.results = {each.result: each for each in self.instructions if each.result}

    def roots(self, value: Value, seen: frozenset[str] = frozenset()) -> frozenset[Root]:
        """Return the roots of a pointer."""
        if isinstance(value, AddressOf):
            return frozenset({Root(value.location, variable=True)})
        if isinstance(value, ConstantExpression):
            pointers = value.operands[:1] if value.operation == "getelementptr" else value.operands
            return frozenset().union(*(self.roots(each.value, seen) for each in pointers))
        if not isinstance(value, Register) or value.name in seen:
            return frozenset()
        made = self.results.get(value.name)
        sources = () if made is None else self.sources(made)
        if not sources:
            return frozenset({Root(value.name)})
        return frozenset().union(*(self.roots(each, seen | {value.name}) for each in sources))

    def sources(self, made: Instruction) -> tuple[Value, ...]:
        """Return the pointers that an instruction passes on: its operands, or what is stored where it loads from."""
        if made.operation in PASSING:
            first = {"getelementptr": slice(1), "select": slice(1, None)}.get(made.operation, slice(None))
            return tuple(each.value for each in made.operands[first])
        if made.operation != "load":
            return ()
        place = made.operands[0].value
        alloca = self.results.get(place.name) if isinstance(place, Register) else None
        if alloca is None or alloca.operation != "alloca":
            return ()
        stores = (each for each in self.instructions if each.operation == "store")
        return tuple(each.operands[0].value for each in stores if each.operands[1].value == place)

    def accessed(self, access: Instruction) -> frozenset[Root]:
        """Return the roots of the memory that an access is of."""
        place = address(access)
        assert place is not None, access.operation
        return self.roots(place)

    @cached_property
    def private(self) -> frozenset[Root]:
        """The allocas whose address goes nowhere: into no memory, no call, no result."""
        found = {Root(name) for name, each in self.results.items() if each.operation == "alloca"}
        return frozenset(found - self.exposed)

    @cached_property
    def exposed(self) -> frozenset[Root]:
        """The memory whose address goes somewhere, from where another pointer may come."""
        found: set[Root] = set()
        for each in self.instructions:
            for value in exposing(each):
                found |= self.roots(value)
        return frozenset(found)

    @cached_property
    def loose(self) -> bool:
        """Whether there are accesses by pointers that come from memory or calls, and may be into anything exposed."""
        roots = {r for each in self.instructions if each.operation in ADDRESSED for r in self.accessed(each)}
        made = (self.results[r.name] for r in roots if not r.variable and r.name in self.results)
        return any(each.operation != "alloca" for each in made)

    # ------------------------------------------------ control

    @cached_property
    def successors(self) -> Mapping[str, tuple[str, ...]]:
        """The blocks that may follow each block."""
        return {name: targets or (EXIT,) for name, targets in successors(self.function).items()}

    def first(self, name: str, among: Collection[str]) -> frozenset[str]:
        """Return those of some blocks, or the end of the function, that are reached first from the start of a block."""
        found, seen, ahead = set(), {name}, [name]
        while ahead:
            at = ahead.pop()
            if at == EXIT or at in among:
                found.add(at)
                continue
            for after in self.successors[at]:
                if after not in seen:
                    seen.add(after)
                    ahead.append(after)
        return frozenset(found)

    def loops(self, name: str) -> bool:
        """Tell whether a block may be executed again."""
        return name in reached(self.successors, self.successors[name])

    @cached_property
    def endless(self) -> tuple[str, ...]:
        """The first block of each loop that nothing leaves."""
        found: list[str] = []
        for block in self.function.blocks:
            after = self.reached(block.name)
            alike = EXIT not in after and all(block.name in self.reached(each) for each in after)
            if alike and after.isdisjoint(found):
                found.append(block.name)
        return tuple(found)

    def reached(self, name: str) -> frozenset[str]:
        """Return the blocks that may be executed from the start of a block on."""
        return frozenset(reached(self.successors, [name]))

    def near(self, value: str, items: Collection[int], reach: int) -> frozenset[int]:
        """Return those of some instructions, by index, that are up to so many of them away from a value's."""
        after = self._steps()
        before: dict[int, list[int]] = {index: [] for index in after}
        for index, following in after.items():
            for other in following:
                before[other].append(index)
        start = next(index for index, each in enumerate(self.instructions) if each.result == value)
        return frozenset(_within(start, after, items, reach) | _within(start, before, items, reach)) & frozenset(items)

    def _steps(self) -> dict[int, list[int]]:
        """Return which instructions may follow each instruction, by index."""
        places, count = {}, 0
        for block in self.function.blocks:
            places[block.name] = count
            count += len(block.instructions)
        after = {index: [index + 1] for index in range(count)}
        for block in self.function.blocks:
            last = places[block.name] + len(block.instructions) - 1
            after[last] = [places[name] for name in self.successors[block.name] if name != EXIT]
        return after


def _within(start: int, after: Mapping[int, list[int]], items: Collection[int], reach: int) -> set[int]:
    """Return what is reached from an instruction without passing more than so many items."""
    best = {start: 0}
    ahead = [start]
    while ahead:
        index = ahead.pop(0)
        for other in after[index]:
            passed = best[index] + (other in items)
            if passed <= reach and best.get(other, reach + 1) > passed:
                best[other] = passed
                ahead.append(other)
    return set(best)


def places(value: Value) -> Iterator[str]:
    """Yield the names of the variables in a value."""
    if isinstance(value, AddressOf):
        yield value.location
    elif isinstance(value, ConstantExpression):
        for operand in value.operands:
            yield from places(operand.value)


def used(instruction: Instruction) -> Iterator[str]:
    """Yield the names of the values that an instruction uses."""
    for operand in instruction.operands:
        yield from value_names(operand.value)


def value_names(value: Value) -> Iterator[str]:
    """Yield the names of values in a value."""
    if isinstance(value, Register):
        yield value.name
    elif isinstance(value, ConstantExpression):
        for operand in value.operands:
            yield from value_names(operand.value)
