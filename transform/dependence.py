"""Which accesses of a loop may meet, and which of them must stay in order when iterations are reordered.

What goes in: a control flow graph with single assignments and one of its loops. What comes out: where each access of
the loop goes, as a linear form over the numbers of the iterations of this loop and those inside it; whether two of them
may access a common byte so many iterations apart; and why one may not be executed before the other
(`axmem.transform.crossing`). Registers that the loop does not assign, parameters too, are unknowns that do not change.
Invariant: where nothing is known of an address, it may be any. That addresses do not wrap is no assumption: who leaves
a location has undefined behaviour, and no counter of 32 bits goes round before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd, inf
from typing import TypeAlias

from axmem.convergence.graph import Dominators, flow_graph
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.loop_rules import listed
from axmem.litmus.loops import LoopID
from axmem.litmus.syntax import (
    I32,
    AddressSpace,
    Assign,
    AtomicRmw,
    CmpXchg,
    Load,
    Ordering,
    Phi,
    Statement,
    Store,
)
from axmem.litmus.walk import addresses
from axmem.transform.crossing import hindrance
from axmem.transform.linear import Iteration, Linear, Start, Unknown, linear
from axmem.transform.loops import Loop, defined_in, induction, loops, trips


@dataclass(frozen=True, slots=True)
class Steps:
    """How many iterations later the second of two accesses is: from `least` to `most`, without a limit if infinite."""

    least: float = -inf
    most: float = inf


SAME, LATER, EARLIER, ANY = Steps(0, 0), Steps(least=1), Steps(most=-1), Steps()


Spot: TypeAlias = tuple[str, Statement]
"""A statement, after the name of its block."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an access goes: the first of `size` bytes. `turns` says of a loop how many of its iterations execute it."""

    address: Linear
    size: int
    space: AddressSpace
    turns: Mapping[str, float]


def may_meet(first: Place | None, second: Place | None, steps: Mapping[str, Steps]) -> bool:
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


def _meets(first: Place, second: Place, steps: Mapping[str, Steps]) -> bool:
    """Decide it by the range of the difference of the addresses, and by its divisors."""
    constant = second.address.constant - first.address.constant
    least, most, divisor = float(constant), float(constant), 0
    headers = {t for place in (first, second) for t in place.address.terms if isinstance(t, Iteration)}
    headers |= {Iteration(header) for header in steps}
    for term in sorted(headers):
        a, b = (place.address.terms.get(term, 0) for place in (first, second))
        turns = [place.turns.get(term.header, inf) for place in (first, second)]
        wanted = steps.get(term.header, ANY)
        low, high = max(wanted.least, -(turns[0] - 1)), min(wanted.most, turns[1] - 1)
        if low > high or min(turns) < 1:
            return False
        # b * (k + d) - a * k = b * d + (b - a) * k, of d iterations between and k before the first
        before = min(turns[0] - 1, turns[1] - 1 - low)
        parts = [_product(b, (low, high)), _product(b - a, (0.0, before))]
        least, most = least + sum(p[0] for p in parts), most + sum(p[1] for p in parts)
        fixed = low == high
        constant += int(b * low) if fixed else 0
        divisor = gcd(divisor, 0 if fixed else b, b - a)
    return _reaches((least, most), (-second.size + 1, first.size - 1), constant, divisor)


def _product(factor: int, interval: tuple[float, float]) -> tuple[float, float]:
    """Return the least and the greatest product of a factor and a number of an interval."""
    ends = sorted(factor * end if factor else 0.0 for end in interval)
    return ends[0], ends[1]


def _reaches(interval: tuple[float, float], window: tuple[int, int], constant: int, divisor: int) -> bool:
    """Whether some number of both intervals is the constant and a multiple of the divisor (0: it alone)."""
    low, high = max(interval[0], window[0]), min(interval[1], window[1])
    if low > high:
        return False
    if not divisor:
        return low <= constant <= high
    return (int(high) - constant) // divisor > (int(low) - 1 - constant) // divisor


class Dependences:
    """What is known of the accesses of one loop."""

    def __init__(self, flow: ControlFlow, loop: Loop) -> None:
        self.flow, self.loop = flow, loop
        self._definitions = defined_in(flow, loop)
        self._inside = tuple(each for each in loops(flow) if each.blocks <= loop.blocks)
        self._forms: dict[str, Linear | None] = {}

    @cached_property
    def statements(self) -> tuple[Spot, ...]:
        """The statements of the loop that are no computations, each with its block, in the order of the text."""
        return tuple(
            (block.name, statement)
            for block in self.flow.blocks
            if block.name in self.loop.blocks
            for statement in block.statements
            if not isinstance(statement, Assign)
        )

    def place(self, statement: Statement, block: str) -> Place | None:
        """Return where an access of a block goes; None if that is not known, or it is no access."""
        if not isinstance(statement, Load | Store | AtomicRmw | CmpXchg):
            return None
        (address,) = addresses(statement)
        form = linear(address.base, self._known)
        size = (statement.type or I32).size
        if address.index is not None:
            index = linear(address.index, self._known)
            form = None if form is None or index is None else form.plus(index, size)
        if form is None:
            return None
        pointer = address.base.type
        space = (pointer.pointer if pointer is not None else None) or AddressSpace.GENERIC
        return Place(form, size, space, self._turns(block))

    def hindrance(self, first: Spot, second: Spot, steps: Mapping[str, Steps]) -> str:
        """Return why the second statement, so many iterations after the first, may not be executed before it.

        Empty if it may.
        """
        one, other = (self.place(statement, block) for block, statement in (first, second))
        meet = may_meet(one, other, steps) and not self._promised(first[1], second[1], steps)
        return hindrance(first[1], second[1], meet=meet)

    def _promised(self, first: Statement, second: Statement, steps: Mapping[str, Steps]) -> bool:
        """Whether metadata promises that two accesses do not meet, being in different iterations of the loop."""
        identity, wanted = self.loop.identity, steps.get(self.loop.header, ANY)
        if identity is None or (wanted.least <= 0 <= wanted.most):
            return False
        return all(is_parallel(statement, identity) for statement in (first, second))

    def _known(self, register: str) -> Linear | None:
        """Return the linear form of a register; one that the loop does not assign is unknown and stays."""
        if register not in self._definitions:
            return Linear(0, {Unknown(register): 1})
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
        return Dominators(flow_graph(self.flow.successors))

    def _turns(self, block: str) -> dict[str, float]:
        """Return how many iterations of each loop around a block execute it at most, where that is constant."""
        found: dict[str, float] = {}
        for loop in self._inside:
            known = trips(self.flow, loop) if block in loop.blocks else None
            if known is not None and known.count is not None:
                found[loop.header] = known.count + (not self._dominators.strictly(known.exit, block))
        return found


def is_parallel(statement: Statement, identity: LoopID) -> bool:
    """Whether an access is promised to be parallel in the loop of a LoopID; the promise is of plain accesses alone."""
    if not isinstance(statement, Load | Store) or statement.mode.ordering is not Ordering.NOT_ATOMIC:
        return False
    return listed(statement.mode.promises, identity)
