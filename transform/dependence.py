"""Which accesses of a loop may meet, and which of them must stay in order when iterations are reordered.

What goes in: a control flow graph with single assignments and one of its loops. What comes out: where each access of
the loop goes, as a linear form over the numbers of the iterations of this loop and those inside it; whether two of them
may access a common byte so many iterations apart; and why one may not be executed before the other
(`axmem.transform.crossing`). Registers that the loop does not assign, parameters too, are unknowns that do not change.
Invariant: where nothing is known of an address, it may be any. That addresses do not wrap is no assumption: who leaves
a location has undefined behaviour, and no counter of 32 bits goes round before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from math import gcd, inf
from typing import TypeAlias

from axmem.convergence.graph import Dominators
from axmem.front.records import dataclass, replace
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.loop_rules import listed
from axmem.litmus.loops import LoopID, Promises
from axmem.litmus.syntax import (
    I32,
    AccessStatement,
    AddressSpace,
    Assign,
    Load,
    Ordering,
    Phi,
    Statement,
    Store,
)
from axmem.litmus.walk import addresses
from axmem.transform.crossing import hindrance
from axmem.transform.final_registers import mark_of
from axmem.transform.linear import Iteration, Known, Linear, Start, Unchanging, linear
from axmem.transform.loops import Loop, defined_in, dominators, induction, loops
from axmem.transform.trips import trips

_TRIED = 1024
"""How many combinations of steps are tried one by one."""


@dataclass(frozen=True, slots=True)
class IterationDistance:
    """How many iterations later the second of two accesses is: from `least` to `most`, without a limit if infinite."""

    least: float = -inf
    most: float = inf


SAME, LATER, EARLIER, ANY = (
    IterationDistance(0, 0),
    IterationDistance(least=1),
    IterationDistance(most=-1),
    IterationDistance(),
)


Spot: TypeAlias = tuple[str, Statement]
"""A statement, after the name of its block."""


@dataclass(frozen=True, slots=True)
class AccessPlace:
    """Where an access goes: the first of `size` bytes. `turns` says of a loop how many of its iterations execute it."""

    address: Linear
    size: int
    space: AddressSpace
    turns: Mapping[str, float]


def may_meet(first: AccessPlace | None, second: AccessPlace | None, steps: Mapping[str, IterationDistance]) -> bool:
    """Whether two accesses may access a common byte, the second so many iterations of each loop after the first.

    A loop that `steps` does not name may be in any iteration at both. None is a place of which nothing is known.
    """
    if first is None or second is None:
        return True
    if first.space is not second.space and AddressSpace.GENERIC not in (first.space, second.space):
        return False
    apart = second.address.plus(first.address, -1)
    named = [{t for t in place.address.terms if isinstance(t, Start)} for place in (first, second)]
    if all(named) and named[0] != named[1]:
        return False
    if any(not isinstance(term, Iteration) for term in apart.terms):
        return True
    return _meets(first, second, steps)


def _meets(first: AccessPlace, second: AccessPlace, steps: Mapping[str, IterationDistance]) -> bool:
    """Decide it by the range of the difference of the addresses, and by its divisors.

    Steps of which there are few are tried one by one.
    """
    headers = {t for place in (first, second) for t in place.address.terms if isinstance(t, Iteration)}
    headers |= {Iteration(header) for header in steps}
    ways: list[Sequence[_Part]] = []
    tried = 1
    for term in sorted(headers):
        a, b = (place.address.terms.get(term, 0) for place in (first, second))
        turns = [place.turns.get(term.header, inf) for place in (first, second)]
        wanted = steps.get(term.header, ANY)
        low, high = max(wanted.least, -(turns[0] - 1)), min(wanted.most, turns[1] - 1)
        if low > high or min(turns) < 1:
            return False
        count = high - low + 1
        if tried * count > _TRIED:
            ways.append([_part(a, b, (low, high), turns)])
        else:
            tried *= int(count)
            each = range(int(low), int(high) + 1)
            ways.append([_part(a, b, (d, d), turns) for d in each])
    constant = second.address.constant - first.address.constant
    window = (-second.size + 1, first.size - 1)
    return any(_reaches(parts, constant, window) for parts in product(*ways))


@dataclass(frozen=True, slots=True)
class _Part:
    """What a loop adds to the difference: from `least` to `most`, the `constant` and a multiple of the `divisor`."""

    least: float
    most: float
    constant: int
    divisor: int


def _part(a: int, b: int, steps: tuple[float, float], turns: Sequence[float]) -> _Part:
    """Return what a loop adds of whose number an access has `a` times, the second `b` times.

    With d of `steps` between, and k iterations before the first, that is b (k + d) - a k = b d + (b - a) k.
    """
    low, high = steps
    ends = [_product(b, steps), _product(b - a, (0.0, min(turns[0] - 1, turns[1] - 1 - low)))]
    fixed = low == high
    divisor = gcd(0 if fixed else b, b - a)
    return _Part(sum(e[0] for e in ends), sum(e[1] for e in ends), int(b * low) if fixed else 0, divisor)


def _product(factor: int, interval: tuple[float, float]) -> tuple[float, float]:
    """Return the least and the greatest product of a factor and a number of an interval."""
    ends = sorted(factor * end if factor else 0.0 for end in interval)
    return ends[0], ends[1]


def _reaches(parts: Sequence[_Part], constant: int, window: tuple[int, int]) -> bool:
    """Whether some sum of the parts and a constant lies in a window."""
    low = max(constant + sum(part.least for part in parts), window[0])
    high = min(constant + sum(part.most for part in parts), window[1])
    if low > high:
        return False
    base = constant + sum(part.constant for part in parts)
    divisor = gcd(*(part.divisor for part in parts))
    if not divisor:
        return low <= base <= high
    return (int(high) - base) // divisor > (int(low) - 1 - base) // divisor


class Moment:
    """What is known of the accesses of a block in one execution of it, in which every register has one value."""

    def __init__(self, flow: ControlFlow) -> None:
        self._values = {s.register: s.value for block in flow.blocks for s in block.statements if isinstance(s, Assign)}

    def hindrance(self, first: Statement, second: Statement) -> str:
        """Return why the second statement may not be executed before the first; empty if it may."""
        one, other = (_place(statement, self._known, {}) for statement in (first, second))
        return hindrance(first, second, meet=may_meet(one, other, {}))

    def same(self, first: Statement, second: Statement) -> bool:
        """Whether two accesses go to the same place."""
        one, other = (_place(statement, self._known, {}) for statement in (first, second))
        return one is not None and one == other

    def _known(self, register: str) -> Linear:
        value = self._values.get(register)
        found = None if value is None else linear(value, self._known)
        return Linear(0, {Unchanging(register): 1}) if found is None else found


def _place(statement: Statement, known: Known, turns: Mapping[str, float]) -> AccessPlace | None:
    """Return where an access goes; None if that is not known, or it is no access."""
    if not isinstance(statement, AccessStatement):
        return None
    (address,) = addresses(statement)
    form = linear(address.base, known)
    size = (statement.type or I32).size
    if address.index is not None:
        index = linear(address.index, known)
        form = None if form is None or index is None else form.plus(index, size)
    if form is None:
        return None
    pointer = address.base.type
    space = (pointer.pointer if pointer is not None else None) or AddressSpace.GENERIC
    return AccessPlace(form, size, space, turns)


class Dependences:
    """What is known of the accesses of one loop."""

    def __init__(self, flow: ControlFlow, loop: Loop) -> None:
        self.flow, self.loop = flow, loop
        self._definitions = defined_in(flow, loop)
        self._inside = tuple(each for each in loops(flow) if each.blocks <= loop.blocks)
        self._forms: dict[str, Linear | None] = {}

    @cached_property
    def statements(self) -> tuple[Spot, ...]:
        """What the loop does besides computing, each with its block, in the order of the text.

        What is observed of a register counts as something that is done.
        """
        return tuple(
            (block.name, statement)
            for block in self.flow.blocks
            if block.name in self.loop.blocks
            for statement in block.statements
            if not isinstance(statement, Assign) or mark_of(statement)
        )

    def place(self, statement: Statement, block: str) -> AccessPlace | None:
        """Return where an access of a block goes; None if that is not known, or it is no access."""
        return _place(statement, self._known, self._turns(block))

    def hindrance(
        self, first: Spot, second: Spot, steps: Mapping[str, IterationDistance], *, apart: bool = False
    ) -> str:
        """Return why the second statement, so many iterations after the first, may not be executed before it.

        Empty if it may. With `apart` they are known not to meet.
        """
        if mark_of(first[1]) and mark_of(first[1]) == mark_of(second[1]):
            return "the register is asked for at the end"
        one, other = (self.place(statement, block) for block, statement in (first, second))
        meet = not apart and may_meet(one, other, steps) and not self._promised(first[1], second[1], steps)
        return hindrance(first[1], second[1], meet=meet)

    def _promised(self, first: Statement, second: Statement, steps: Mapping[str, IterationDistance]) -> bool:
        """Whether metadata promises that two accesses do not meet, being in different iterations of the loop."""
        identity, wanted = self.loop.identity, steps.get(self.loop.header, ANY)
        if identity is None or (wanted.least <= 0 <= wanted.most):
            return False
        return all(is_parallel(statement, identity) for statement in (first, second))

    def _known(self, register: str) -> Linear | None:
        """Return the linear form of a register; one that the loop does not assign is unknown and stays."""
        if register not in self._definitions:
            return Linear(0, {Unchanging(register): 1})
        if register not in self._forms:
            self._forms[register] = None
            self._forms[register] = self._form(register)
        return self._forms[register]

    def _form(self, register: str) -> Linear | None:
        block, statement = self._definitions[register]
        if isinstance(statement, Assign):
            return linear(statement.value, self._known)
        if not isinstance(statement, Phi):
            return None
        for loop in self._inside:
            for each in induction(self.flow, loop) if loop.header == block else ():
                if each.register == register and (start := linear(each.start, self._known)) is not None:
                    return start.plus(Linear(0, {Iteration(block): each.step}))
        return None

    @cached_property
    def _dominators(self) -> Dominators:
        return dominators(self.flow)

    def _turns(self, block: str) -> dict[str, float]:
        """Return how many iterations of each loop around a block execute it at most, where that is constant."""
        found: dict[str, float] = {}
        for loop in self._inside:
            known = trips(self.flow, loop) if block in loop.blocks else None
            if known is not None and known.count is not None:
                found[loop.header] = known.count + (not self._dominators.strictly(known.exit, block))
        return found

    def once_more(self, block: str) -> bool:
        """Whether a block of the loop may be executed once more than the latch, standing before the test."""
        known = trips(self.flow, self.loop)
        return known is None or (not known.rotated and not self._dominators.strictly(known.exit, block))


def is_parallel(statement: Statement, identity: LoopID) -> bool:
    """Whether an access is promised to be parallel in the loop of a LoopID; the promise is of plain accesses alone."""
    if not isinstance(statement, Load | Store) or statement.mode.ordering is not Ordering.NOT_ATOMIC:
        return False
    return listed(statement.mode.promises, identity)


def jammed_access(statement: Statement, outer: LoopID | None, inner: LoopID | None) -> Statement:
    """Return an access for a loop that has the inner LoopID and executes iterations of the outer loop together.

    That accesses are parallel in the inner loop was promised of one iteration of the outer loop. Of several it holds
    if they are parallel in the outer loop as well; else the promise is dropped, as metadata may be.
    """
    mode = getattr(statement, "mode", None)
    if inner is None or mode is None or mode.promises is None or not listed(mode.promises, inner):
        return statement
    if outer is not None and listed(mode.promises, outer):
        return statement
    promises = mode.promises
    groups = tuple(name for name in promises.groups if not listed(Promises((name,)), inner))
    names = tuple(name for name in promises.loops if name != inner.name)
    return replace(statement, mode=replace(mode, promises=Promises(groups, names) if groups or names else None))
