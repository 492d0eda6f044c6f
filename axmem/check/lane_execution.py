"""Kernels executed lane by lane, as far as values come from arguments and the lanes' own numbers.

What goes in: a kernel, a lane, arguments. What comes out: the blocks that it executes and the values that it computes
there. What comes from memory or from other lanes is not known, nor what is computed from it. Invariant: a value that is
given is the lane's in every execution with these arguments; a branch on one that is not known raises `UnknownPath`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TypeAlias

from axmem.convergence.keys import Headers, Key, next_key
from axmem.convergence.unrolling import is_beyond
from axmem.events.expressions import Expressions, Lanes
from axmem.events.values import Constant, Value, without_reads
from axmem.front.records import dataclass
from axmem.litmus.kernels import Branch, Switch, Terminator
from axmem.litmus.launch import Lane
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import Assign, Expr, Kernel, LitmusTest, Register
from axmem.litmus.walk import locations, parts, results

Values: TypeAlias = tuple[Value, ...]
"""The value of a register: one for each element of a vector."""
Arguments: TypeAlias = Mapping[str, Lanes]
"""What the parameters of a kernel are."""


class UnknownPath(Exception):
    """Where a lane goes depends on what is not known."""


@dataclass(frozen=True, slots=True)
class LaneStep:
    """A block that a lane executes, what it assigns there (None: not known), and where the lane goes then.

    `target` is empty where the lane ends, where it goes beyond the bound (`cut`), and where it branches on undef.
    """

    block: str
    values: Mapping[str, Values | None]
    target: str
    cut: bool = False


def _declared(test: LitmusTest) -> Expressions:
    """Return what expressions are where memory of a kernel has one address, that of its declaration, in every lane."""
    return Expressions(test, {location.name: number for number, location in enumerate(locations(test))})


def arguments(kernel: Kernel, test: LitmusTest) -> Iterator[dict[str, Lanes]]:
    """Yield the arguments that a kernel is tried with."""
    expressions = _declared(test)
    values = [[expressions.lanes(v, p.type, {}) for v in p.values] for p in kernel.parameters]
    for chosen in product(*values):
        yield {p.name: value for p, value in zip(kernel.parameters, chosen, strict=True)}


def known(value: Lanes) -> Values:
    """Return the numbers of a value that is known."""
    return tuple(map(without_reads, value))


class LaneRunner:
    """Executes lanes of one kernel; `bound` is how often a header is executed per entry into its cycle."""

    def __init__(self, kernel: Kernel, test: LitmusTest, headers: Headers, bound: int) -> None:
        self._kernel = kernel
        self._flow = single_assignment(kernel)
        self._expressions = _declared(test)
        self._headers = headers
        self._bound = bound

    def steps(self, lane: Lane, given: Arguments) -> Iterator[LaneStep]:
        """Yield what a lane does."""
        here: dict[str, Lanes | None] = dict(given)
        ids: dict[str, Lanes | None] = {n: (Constant(number),) for n, number in lane.ids(self._kernel).items()}
        here |= ids
        ids |= {p.name: given[p.name] for p in self._kernel.parameters if p.divergent}
        block, before = self._flow.entry, ""
        key: Key | None = None
        while True:
            key = next_key(block.name, key, self._headers)
            assigned = {} if before else ids
            for phi in block.phis:
                value = next(each.value for each in phi.incoming if each.block == before)
                assigned[phi.register] = self._value(value, here)
            here |= assigned
            for statement in block.statements:
                for register in results(statement):
                    found = self._value(statement.value, here) if isinstance(statement, Assign) else None
                    here[register] = assigned[register] = found
            target = self._target(block.terminator, here)
            cut = bool(target) and is_beyond(next_key(target, key, self._headers), self._bound)
            values = {register: None if value is None else known(value) for register, value in assigned.items()}
            yield LaneStep(block.name, values, "" if cut else target, cut)
            if cut or not target:
                return
            before, block = block.name, self._flow.block[target]

    def _value(self, expr: Expr, here: Mapping[str, Lanes | None]) -> Lanes | None:
        names = {part.name for part in parts(expr) if isinstance(part, Register) and part.name in here}
        given = {name: value for name in names if (value := here[name]) is not None}
        return self._expressions.lanes(expr, expr.type, given) if len(given) == len(names) else None

    def _target(self, terminator: Terminator, here: Mapping[str, Lanes | None]) -> str:
        """Return where a lane goes; `""` where it ends or branches on undef."""
        match terminator:
            case Branch(targets=(target,)):
                return target
            case Branch(targets=(yes, no), condition=condition) if condition is not None:
                value = self._known(condition, here)
                return "" if not isinstance(value, int) else yes if value else no
            case Switch(value=of, default=default, cases=cases):
                value = self._known(of, here)
                chosen = (c.block for c in cases if self._known(c.value, here) == value)
                return "" if not isinstance(value, int) else next(chosen, default)
        return ""

    def _known(self, expr: Expr, here: Mapping[str, Lanes | None]) -> Value:
        value = self._value(expr, here)
        if value is None:
            raise UnknownPath
        (element,) = value
        return without_reads(element)
