"""Transformations of kernels: what one is, and what it says of what it has done.

What goes in: a graph with single assignments, and the arguments of one transformation (`TransformContext`). What
comes out: the graph after (`TransformStep`), with what stands where for the registers before. Invariant: a
transformation that no refusal speaks against leaves what a lane that runs alone does as it is.

Registers before are those of `single_assignment` of the kernel before. The iterations of a loop are numbered from 0 at
each entry: by an expression over registers of the kernel after, in which `iteration(h)` is the number of the iteration
of the loop around with the header h. `axmem.transform.applying` does several in order, from a text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property

from axmem.front.records import dataclass, field
from axmem.front.source import Span
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.loops import ITERATION
from axmem.litmus.syntax import I32, Expr, Kernel, Register, Statement
from axmem.litmus.walk import results
from axmem.transform.constants import folded, operation
from axmem.transform.loops import Loop, around, divergent, induction, loops
from axmem.transform.rewrite import BlockCopy, defined, kernel_of

MOST_COPIES = 128
MOST_STATEMENTS = 10_000
"""Of how many iterations there may be copies, and how many statements these may have, which takes a few seconds."""


def too_many(flow: ControlFlow, loop: Loop, copies: int) -> str:
    """Return why there are not so many copies of the body of a loop, `""` if there may be."""
    if copies > MOST_COPIES:
        return f"there would be {copies} copies of the body; {MOST_COPIES} are the most"
    made = copies * sum(len(flow.block[name].statements) for name in loop.blocks)
    return f"the copies would have {made} statements; {MOST_STATEMENTS} are the most" if made > MOST_STATEMENTS else ""


def iteration(header: str) -> Register:
    """Return what stands for the number of the iteration of a loop, from 0: a register that no text has."""
    return Register(f"{ITERATION}{header}", I32)


def hidden(block: str, number: int, label: str) -> str:
    """Return the label by which a statement without a result is found again: its block, its number, its own label."""
    return f"@{block}@{number}@{label}" if label else f"@{block}@{number}"


def called(statement: Statement) -> tuple[str, ...]:
    """Return what a text may call a statement: its results or its token, and the label that it had."""
    own = (*statement.label.split("@"), "", "", "")[3] if statement.label.startswith("@") else statement.label
    return (*defined(statement), own) if own else defined(statement)


@dataclass(frozen=True, slots=True)
class Held:
    """What stood for a register before, in one iteration of the loops around it (outermost first), is `value` after.

    For a statement without a result its label stands for the register.
    """

    register: str
    iterations: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class HeldInstance:
    """What a register after holds: what `register` held in these iterations of the loops around it, outermost first."""

    register: str
    iterations: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class MadeLoop:
    """Which loop before a loop comes from, and what kind of result it is: unrolled, remainder, outer, fallback …"""

    source: str
    kind: str


@dataclass(frozen=True, slots=True)
class TransformStep:
    """What one transformation gives: the graph after, what is held where, the loops that it has made.

    What `held` does not mention is as before.
    """

    flow: ControlFlow
    held: tuple[Held, ...] = ()
    loops: Mapping[str, MadeLoop] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TransformRefusal:
    """Why a transformation would be wrong; one that is `final` could not be done at all."""

    reason: str
    final: bool = False


@dataclass(frozen=True)
class TransformContext:
    """What a transformation is asked of: a graph of a kernel, and arguments by the names of its parameters."""

    kernel: Kernel
    flow: ControlFlow
    arguments: Mapping[str, str | int]
    reserved: frozenset[str] = frozenset()
    """Names that LoopIDs have elsewhere in the test."""

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """The loops of the graph."""
        return loops(self.flow)

    @property
    def loop(self) -> Loop:
        """The loop that the argument `loop` names."""
        return self.loop_named(str(self.arguments["loop"]))

    def loop_named(self, header: str) -> Loop:
        """Return the loop with a header."""
        return next(loop for loop in self.loops if loop.header == header)

    @cached_property
    def divergent(self) -> frozenset[str]:
        """The headers of the loops that lanes of a wave may leave in different iterations."""
        return divergent(kernel_of(self.flow, self.kernel))

    def with_flow(self, flow: ControlFlow) -> TransformContext:
        """Return the same question of another graph."""
        return TransformContext(self.kernel, flow, self.arguments, self.reserved)


@dataclass(frozen=True, slots=True)
class TransformParameter:
    """A parameter: a `count` of at least `least`, a `word` of `words`, or the name of something.

    A `loop` has that of its header, a `block` its own, a `statement` that of its register or label; a `cut` is a
    statement of the loop, or the number of one.
    """

    name: str
    kind: str
    optional: bool = False
    least: int = 1
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Transformation:
    """A transformation: its name, parameters, when it would be wrong, and what it makes.

    `apply` is asked only where no refusal is final.
    """

    name: str
    parameters: tuple[TransformParameter, ...]
    legality: Callable[[TransformContext], list[TransformRefusal]]
    apply: Callable[[TransformContext], TransformStep]


@dataclass(frozen=True, slots=True)
class Application:
    """A transformation with its arguments, and where they stand."""

    transformation: Transformation
    arguments: Mapping[str, str | int]
    spans: Mapping[str, Span]
    span: Span


# ---------------------------------------------------------------- what is held where


def iteration_number(flow: ControlFlow, loop: Loop) -> Expr:
    """Return the number of the iteration of a loop in its own registers, where one counts by one."""
    for each in induction(flow, loop):
        counter = Register(each.register, each.type)
        if each.step == 1:
            return operation("sub", counter, each.start)
        if each.step == -1:
            return operation("sub", each.start, counter)
    return iteration(loop.header)


def held_by(
    flow: ControlFlow, copy: BlockCopy, blocks: Collection[str], known: Mapping[str, Expr] | None = None
) -> tuple[Held, ...]:
    """Return what a copy of some blocks of a graph holds.

    `known` gives the numbers of iterations, by headers, over registers after; that of any other loop is found from a
    register of it that counts by one, in the copy.
    """
    found = loops(flow)
    out: list[Held] = []
    for name in blocks:
        numbers = []
        for loop in around(found, name):
            if known is not None and loop.header in known:
                numbers.append(known[loop.header])
            else:
                number = iteration_number(flow, loop)
                here = iteration(copy.label(loop.header)) if number == iteration(loop.header) else copy.value(number)
                numbers.append(folded(here))
        for old, new in _names(flow, copy, name):
            out.append(Held(old, tuple(numbers), new))
    return tuple(out)


def _names(flow: ControlFlow, copy: BlockCopy, block: str) -> Iterator[tuple[str, Expr]]:
    """Yield what stands for the registers of a block in a copy, and for the labels of statements without one."""
    for statement in (*flow.block[block].phis, *flow.block[block].statements):
        for name in results(statement) or (statement.label,):
            if name:
                yield name, copy.registers.get(name, Register(name))
