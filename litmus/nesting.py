"""Threads with branches as threads with `if`s.

What goes in: a kernel of one lane, which is how a thread with labels and branches is read. What comes out: the same
thread with an `if` in the place of each branch, or the reason why there is none: a loop, a block that two branches
share which are not nested, what only kernels have. Invariant: every statement stands once, in the order in which it is
executed, and after the same branches; a phi is an assignment at the end of each arm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.front.records import replace
from axmem.front.source import Span
from axmem.litmus.blocks import ControlFlow, KernelBlock, control_flow
from axmem.litmus.kernels import Branch, Call, Phi, Switch, Terminator, Unreachable, successors
from axmem.litmus.syntax import (
    Assign,
    Barrier,
    Expr,
    If,
    IntegerOperation,
    Kernel,
    Number,
    Register,
    Statement,
    Thread,
    UndefValue,
)
from axmem.litmus.walk import parts, statements

END = ""
"""The name of what follows a thread's last block."""
BARRIER = "s.barrier"
"""The call that is a statement of threads."""
DEEPEST = 40
"""Tests nest no deeper (`axmem.litmus.cursor`), expressions included."""


class _Unnested(Exception):
    """A branch is no `if`; the argument says why."""


def nested(kernel: Kernel) -> Thread | str:
    """Return a kernel of one lane as a thread, or, as what is said of its name, why it is none."""
    try:
        return _nested(kernel)
    except _Unnested as reason:
        return str(reason)


def _nested(kernel: Kernel) -> Thread:
    if not kernel.lane_of_thread:
        raise _Unnested("is a kernel")
    flow = control_flow(kernel)
    joins = _joins(flow)
    for statement in statements(kernel.body):
        if isinstance(statement, Call) and statement.operation != BARRIER:
            raise _Unnested(f"calls '{statement.operation}' between its branches")
        if isinstance(statement, Branch) and statement.loop is not None:
            raise _Unnested("has metadata of loops and no loop")
    body = _Nesting(flow, joins).sequence(flow.entry.name, END)
    return Thread(kernel.name, kernel.placement, tuple(body), kernel.span, kernel.arguments)


class _Nesting:
    """A graph on its way; `done` are the blocks that stand somewhere, `depth` how many `if`s are around this place."""

    def __init__(self, flow: ControlFlow, joins: dict[str, str]) -> None:
        self.flow = flow
        self.joins = joins
        self.done: set[str] = set()
        self.depth = 0

    def sequence(self, name: str, stop: str) -> list[Statement]:
        """Return what is executed from the start of a block on until another begins."""
        found: list[Statement] = []
        while name != stop:
            if name in self.done:
                raise _Unnested(f"has branches that are not nested: several lead to '{name}'")
            self.done.add(name)
            block = self.flow.block[name]
            found += [Barrier(label=s.label, span=s.span) if isinstance(s, Call) else s for s in block.statements]
            terminator, join = block.terminator, self.joins[name]
            if isinstance(terminator, Branch) and terminator.condition is None:
                found += self.moves(block, join)
            elif isinstance(terminator, Branch | Switch):
                found += self.chosen(block, _choices(terminator), join, terminator.label)
            name = join
        return found

    def chosen(
        self, block: KernelBlock, choices: Sequence[tuple[Expr | None, str, Span]], join: str, label: str = ""
    ) -> list[Statement]:
        """Return the branch at the end of a block, with its label: the first target whose condition holds is taken."""
        (condition, target, span), *rest = choices
        self.depth += 1
        if self.depth > DEEPEST:
            raise _Unnested(f"has more than {DEEPEST} branches inside one another")
        arm = [*self.moves(block, target), *self.sequence(target, join)]
        otherwise = [] if condition is None else self.chosen(block, rest, join)
        self.depth -= 1
        if condition is None:
            return arm
        return [If(condition, tuple(arm), tuple(otherwise), label=label, span=span)]

    def moves(self, block: KernelBlock, target: str) -> Iterator[Statement]:
        """Yield what the phis of a target are assigned where a block goes there."""
        phis = self.flow.block[target].phis if target != END else ()
        assigned = {phi.register for phi in phis}
        for phi in phis:
            value = next((each.value for each in phi.incoming if each.block == block.name), None)
            if value is None:
                raise _Unnested(f"has a phi in '{target}' without a value from '{block.name}'")
            if len(phis) > 1 and any(isinstance(part, Register) and part.name in assigned for part in parts(value)):
                raise _Unnested(f"has phis in '{target}' that read one another")
            yield Assign(phi.register, _typed(value, phi), span=phi.span)


def _choices(terminator: Terminator) -> list[tuple[Expr | None, str, Span]]:
    """Return the targets of a branch, each with the condition under which it is taken if none before it is."""
    if isinstance(terminator, Branch):
        first, second = terminator.targets
        return [(terminator.condition, first, terminator.span), (None, second, terminator.span)]
    assert isinstance(terminator, Switch)
    found: list[tuple[Expr | None, str, Span]] = []
    for target in dict.fromkeys(case.block for case in terminator.cases if case.block != terminator.default):
        cases = [case for case in terminator.cases if case.block == target]
        tests: list[Expr] = [IntegerOperation("eq", (terminator.value, case.value), None, case.span) for case in cases]
        condition = tests[0]
        for other in tests[1:]:
            condition = IntegerOperation("or", (condition, other), None, terminator.span)
        found.append((condition, target, terminator.span))
    return [*found, (None, terminator.default, terminator.span)]


def _typed(value: Expr, phi: Phi) -> Expr:
    """Return what a phi takes; a number has the phi's type."""
    if isinstance(value, Number | UndefValue) and value.type is None:
        return replace(value, type=phi.type)
    return value


def _joins(flow: ControlFlow) -> dict[str, str]:
    """Return for each block where all paths from it meet first: a block, or the end."""
    ahead: dict[str, tuple[str, ...]] = {}
    waiting, open_ = [flow.entry.name], set[str]()
    while waiting:
        name = waiting[-1]
        if isinstance(flow.block[name].terminator, Unreachable):
            raise _Unnested(f"has an 'unreachable' in '{name}'")
        targets = successors(flow.block[name].terminator)
        for target in targets:
            if target not in flow.block:
                raise _Unnested(f"names no block '{target}'")
            if target in open_ and target not in ahead:
                raise _Unnested(f"has a loop at '{target}'")
        open_.add(name)
        new = [target for target in dict.fromkeys(targets) if target not in ahead]
        waiting += new
        if not new:
            waiting.pop()
            if name not in ahead:
                ahead[name] = (name, *_common([ahead[target] for target in targets]))
    return {name: chain[1] for name, chain in ahead.items()}


def _common(chains: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the longest common end of some chains of blocks, which all end with the end; so does that of none."""
    if not chains:
        return (END,)
    found = chains[0]
    for chain in chains[1:]:
        same = min(len(found), len(chain))
        while found[-same:] != chain[-same:]:
            same -= 1
        found = found[-same:]
    return found
