"""Where the pointers that functions are given lead: all layouts of memory that make a difference to the functions.

What goes in: a function, or one before and after a change, whose other parameters are chosen, and the variables of the
module. What comes out: `Layout`s, the plainest first. A pointer leads to memory of its own, or into that of another
pointer or a variable: at each distance at which accesses through both may meet, one of which is a write, or at which
addresses that are compared are the same. Or it leads nowhere, and is any number. Two layouts in which the same
accesses meet and the same addresses are equal are one. Invariant: where distances are not known, `Layouts.all` says
that these are not all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from axmem.formats.ir.flow import FunctionFlow, Root, address, effect, exposing, may_end, wide
from axmem.formats.ir.memory import constant_offset
from axmem.formats.ir.syntax import ConstantExpression, Function, Global, Instruction, Value
from axmem.formats.ir.transfers import aligned, is_transfer, transferred, transferred_bytes
from axmem.formats.ir.types import IRType, alignment, size
from axmem.litmus.syntax import Number, Register

_SOMEWHERE = ("dereferenceable", "byval", "byref", "sret")
"""Attributes of pointers that lead to memory."""
_STEPS = ("getelementptr", "bitcast", "addrspacecast")
"""What makes an address of an address, at a distance that may be constant."""
_WIDEST = 64
"""Of wider accesses not every distance is tried at which they meet."""


class Layout(NamedTuple):
    """To which memory each pointer leads, by its position, and how many bytes into it; the others lead nowhere."""

    memory: Mapping[int, str]
    offsets: Mapping[int, int]


class Access(NamedTuple):
    """An access of so many bytes, `offset` bytes behind its root, if that is known."""

    root: Root
    offset: int | None
    size: int
    align: int
    writes: bool


def offset_of_root(flow: FunctionFlow, value: Value) -> tuple[Root, int] | None:
    """Return the root of an address and how many bytes it is behind that, if both are constant."""
    found = {*_places(flow, value)}
    root, offset = found.pop() if len(found) == 1 else (None, None)
    return None if root is None or offset is None else (root, offset)


class _Uses:
    """What functions do with the memory behind roots: accesses, comparisons, and whose addresses they give away."""

    def __init__(self, flows: Iterable[FunctionFlow]) -> None:
        self.accesses: list[Access] = []
        self.compared: set[tuple[Root, int | None, Root, int | None]] = set()
        self.called: set[Root] = set()
        self.exposed: set[Root] = set()
        self.asked: set[Root] = set()
        for flow in flows:
            self.exposed |= flow.exposed
            for each in flow.instructions:
                self._access(flow, each)
                if each.operation == "icmp" and each.operands[0].type.kind == "ptr":
                    one, other = (list(_places(flow, o.value)) for o in each.operands)
                    self.compared |= {(*a, *b) for a in one for b in other}
                    self.asked |= {root for root, _ in (*one, *other)}
                if each.callee and address(each) is None:
                    self.called |= {root for value in exposing(each) for root in flow.roots(value)}
        self.accessed = {each.root for each in self.accesses}
        self.known = self.accessed | self.exposed | self.asked

    def _access(self, flow: FunctionFlow, each: Instruction) -> None:
        if is_transfer(each.callee):
            target, source = transferred(each)
            length = transferred_bytes(each)
            known = isinstance(each.operands[2].value, Number) and length is not None
            for k, at in enumerate((target,) if source is None else (target, source)):
                for root, offset in _places(flow, at):
                    self.accesses.append(Access(root, offset if known else None, length or 1, aligned(each, k), k == 0))
        elif (place := address(each)) is not None:
            for root, offset in _places(flow, place):
                self.accesses.append(Access(root, offset, *extent(each), effect(each) != "r"))

    def distances(self, one: Root, other: Root) -> tuple[set[int], bool]:
        """Return how far the other root may lie behind one if that makes a difference, and whether nowhere else."""
        found, sure = set[int](), True
        for a in (each for each in self.accesses if each.root == one):
            for b in (each for each in self.accesses if each.root == other and each.writes | a.writes):
                known = a.offset is not None and b.offset is not None and a.size + b.size <= _WIDEST
                found |= {*_meeting(a, b)} if known else {0}
                sure &= known
        for a_root, a_offset, b_root, b_offset in self.compared:
            if {a_root, b_root} == {one, other}:
                known = a_offset is not None and b_offset is not None
                between = (a_offset or 0) - (b_offset or 0) if known else 0
                found.add(between if a_root == one else -between)
                sure &= known
        if any(a in self.called and b in self.accessed for a, b in ((one, other), (other, one))):
            found.add(0)
        return found, sure

    def conflict(self, one: Root, other: Root, distance: int) -> bool:
        """Whether accesses may conflict, of one root and of another that lies so far behind it."""
        return any(
            a.offset is None or b.offset is None or -b.size < distance + b.offset - a.offset < a.size
            for a in self.accesses
            if a.root == one
            for b in self.accesses
            if b.root == other and a.writes | b.writes
        )


def _places(
    flow: FunctionFlow, at: Value, offset: int | None = 0, seen: frozenset[str] = frozenset()
) -> Iterator[tuple[Root, int | None]]:
    """Yield of which roots an address is that is so far behind a value, and how far behind them if that is known."""
    made = flow.results.get(at.name) if isinstance(at, Register) else at
    if isinstance(at, Register) and at.name in seen:
        yield from ((root, None) for root in flow.roots(at))
    elif isinstance(made, Instruction | ConstantExpression) and made.operation in _STEPS:
        further = _distance(made)
        offset = None if offset is None or further is None else offset + further
        yield from _places(flow, made.operands[0].value, offset, seen)
    elif isinstance(made, Instruction) and (sources := flow.sources(made)):
        for each in sources:
            yield from _places(flow, each, offset, seen | {made.result})
    else:
        yield from ((root, offset) for root in flow.roots(at))


def _distance(step: Instruction | ConstantExpression) -> int | None:
    """Return how far an address is behind the one that it is made of, if that is constant."""
    numbers = [o.value.value for o in step.operands[1:] if isinstance(o.value, Number)]
    if len(numbers) != len(step.operands) - 1 or step.type is None:
        return None
    return constant_offset(step.type, numbers) if numbers else 0


def extent(each: Instruction) -> tuple[int, int]:
    """Return how many bytes an access is of, and to how many it is aligned."""
    if by_call := wide(each):
        return by_call[1], each.mode.align or by_call[1]
    value = {"store": 0, "atomicrmw": 1, "cmpxchg": 1}.get(each.operation)
    type_: IRType = each.type if value is None else each.operands[value].type
    return (size(type_), each.mode.align or alignment(type_)) if type_.sized else (1, 1)


def _meeting(a: Access, b: Access) -> Iterator[int]:
    """Yield how far the root of one access lies behind the other's if both share a byte."""
    assert a.offset is not None and b.offset is not None
    step, between = min(a.align, b.align), a.offset - b.offset
    yield from (between + d for d in range(1 - b.size, a.size) if d % step == 0)


# ---------------------------------------------------------------- layouts


class Layouts:
    """Where the pointers among the parameters of functions may lead.

    `all` says that there are no layouts but those that come out of `found`.
    """

    def __init__(
        self, functions: Sequence[Function], variables: Mapping[str, Global], names: Mapping[int, str]
    ) -> None:
        """`names` are those of memory of the pointers' own, by the positions of the parameters."""
        self.parameters, self.variables, self.names = functions[0].parameters, variables, names
        self.flows, self.all = [*map(FunctionFlow, functions)], True
        self.uses, self.before = _Uses(self.flows), _Uses(self.flows[:1])
        self.roots = {i: Root(self.parameters[i].name) for i in names}
        self.sure = [*_surely_accessed(self.flows[0])]
        self.least = {i: self._least(root) for i, root in self.roots.items()}
        self.nowhere = {i for i in names if self._may_lead_nowhere(i)}
        self.somewhere = {i for i in names if i not in self.nowhere or self._needs_memory(i)}
        self.near = {(a, b): self._near(a, b) for a, b in combinations(sorted(self.somewhere), 2)}
        self.inside = {(i, name): self._inside(i, name) for i in self.somewhere for name in variables}

    def found(self) -> Iterator[Layout]:
        """Yield the layouts, that in which each pointer has memory of its own first."""
        for places in self._placed([*self.names], {}):
            begin = {name: min(o for n, o in places.values() if n == name) for name, _ in places.values()}
            memory = {i: name for i, (name, _) in places.items()}
            shifted = {i: o - min(0, begin[name]) for i, (name, o) in places.items()}
            yield Layout(memory, {i: o for i, o in shifted.items() if o})

    def _placed(
        self, ahead: Sequence[int], placed: Mapping[int, tuple[str, int]]
    ) -> Iterator[dict[int, tuple[str, int]]]:
        """Yield where pointers may lead if some lead where they do: to memory by its name, and an offset."""
        if not ahead:
            yield {**placed}
            return
        index, rest = ahead[0], ahead[1:]
        if index in self.somewhere:
            places = [(self.names[index], 0)]
            for j, (name, offset) in placed.items():
                places += [(name, offset + d) for d in self.near[j, index]]
            places += [(name, d) for name in self.variables for d in self.inside[index, name]]
            for place in dict.fromkeys(places):
                if self._fits(index, place, placed):
                    yield from self._placed(rest, {**placed, index: place})
        if index in self.nowhere:
            yield from self._placed(rest, placed)

    def _fits(self, index: int, place: tuple[str, int], placed: Mapping[int, tuple[str, int]]) -> bool:
        """Whether a pointer may lead to a place, where others lead where they do."""
        name, offset = place
        if name in self.variables and not self._may_be(index, name, offset):
            return False
        return all(self._may_be_near(j, index, offset - o) for j, (n, o) in placed.items() if n == name)

    def _near(self, one: int, other: int) -> list[int]:
        distances, sure = self.uses.distances(self.roots[one], self.roots[other])
        found = [d for d in sorted(distances, key=lambda n: (abs(n), n)) if self._may_be_near(one, other, d)]
        self.all &= sure or not found
        return found

    def _may_be_near(self, one: int, other: int, distance: int) -> bool:
        """Say whether pointers may lead into the same memory: `noalias` is about memory that is accessed and modified.

        [LangRef] "Parameter Attributes".
        """
        both = self.parameters[one], self.parameters[other]
        alone = any("noalias" in each.attributes for each in both)
        if alone and self.before.conflict(self.roots[one], self.roots[other], distance):
            return False
        return _one_space(*(each.type.space for each in both))

    def _inside(self, index: int, name: str) -> list[int]:
        variable = self.variables[name]
        distances, sure = self.uses.distances(Root(name, variable=True), self.roots[index])
        found = [d for d in sorted(distances) if self._may_be(index, name, d)]
        if found and not sure:  # At any offset at which what is accessed at least is inside.
            self.all &= bytes_of(variable) <= max(self.least[index], 1)
        outside = any(d < 0 and self._may_be_at(index, name, d) for d in distances)
        self.all &= not outside or self._leads_to_memory(index) or self._stays_inside(index)
        return found

    def _may_be(self, index: int, name: str, offset: int) -> bool:
        """Say whether a pointer may lead into a variable, to where what is accessed at once is inside it."""
        fits = offset >= 0 and offset + self.least[index] <= bytes_of(self.variables[name])
        return fits and self._may_be_at(index, name, offset)

    def _may_be_at(self, index: int, name: str, offset: int) -> bool:
        """Say whether a pointer may be so far behind a variable; nothing is written through one to a constant."""
        parameter, variable, root = self.parameters[index], self.variables[name], self.roots[index]
        there = Root(name, variable=True)
        alone = "noalias" in parameter.attributes and self.before.conflict(there, root, offset)
        written = any(each.root == root and each.writes for each in self.before.accesses)
        apart = alone or (variable.constant and written) or "thread_local" in variable.words
        return not apart and _one_space(parameter.type.space, variable.space)

    def _stays_inside(self, index: int) -> bool:
        """Whether the addresses that are made of a pointer are in the memory that it leads to, or poison."""
        root = self.roots[index]
        return all(
            "inbounds" in each.words
            for flow in self.flows
            for each in flow.instructions
            if each.operation == "getelementptr" and root in flow.roots(each.operands[0].value)
        )

    def _needs_memory(self, index: int) -> bool:
        """Whether it makes a difference that a pointer leads to memory: else it is a number like any other."""
        return self.roots[index] in self.uses.accessed | self.uses.exposed

    def _leads_to_memory(self, index: int) -> bool:
        """Whether it is promised of a pointer that it is the address of memory."""
        return any(word in self.parameters[index].attributes for word in _SOMEWHERE)

    def _may_lead_nowhere(self, index: int) -> bool:
        """Whether a pointer may lead nowhere, and the function before need not access what it leads to."""
        root = self.roots[index]
        accessed = any(self.flows[0].accessed(each) == {root} for each in self.sure)
        return root in self.uses.known and not accessed and not self._leads_to_memory(index)

    def _least(self, root: Root) -> int:
        """Return how many bytes a pointer points to at least, since they are accessed at once."""
        places = ((offset_of_root(self.flows[0], at), each) for each in self.sure if (at := address(each)) is not None)
        ends = (place[1] + extent(each)[0] for place, each in places if place is not None and place[0] == root)
        return max((0, *ends))


def _surely_accessed(flow: FunctionFlow) -> Iterator[Instruction]:
    """Yield the accesses that a function makes whenever it is called."""
    for each in flow.function.blocks[0].instructions:
        if address(each) is not None:
            yield each
        if may_end(each):
            return


def _one_space(*spaces: int) -> bool:
    """Say whether there is an address space of which pointers in some spaces may be."""
    some = {*spaces} - {0}
    return len(some) < 2 or some == {1, 4}


def bytes_of(variable: Global) -> int:
    """Return how many bytes a variable has; more than any access if that is not known."""
    return size(variable.type) if variable.type.sized else 1 << 30
