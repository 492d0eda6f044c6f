"""Whether a register or branch of a kernel is uniform in every execution, asked of the solver.

What goes in: a test, one of its kernels, a register in SSA form or the branch that ends a block, a set of threads. What
comes out: whether converged lanes of a wave or workgroup have different values of it in some execution under a model,
or go different ways, and which lanes. Invariant: the question is a test itself, in which every lane compares its value
with that of the first converged lane of its set that has one, where the register is assigned or immediately before the
branch, and notes a difference in a register; so it is answered for executions up to the bound, and undef differs from
nothing.
"""

from __future__ import annotations

from collections.abc import Set
from functools import reduce

from axmem.check.decide import decide
from axmem.check.selection import AnyModel
from axmem.convergence.controlled import END, regions
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.function import InstructionPlace
from axmem.convergence.kernels import Threads, controls, function_of
from axmem.events.cross_lane import DIFFERS_IN_WAVE, DIFFERS_IN_WORKGROUP
from axmem.front.records import dataclass, replace
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.kernels import Branch, Switch, Terminator
from axmem.litmus.launch import lanes
from axmem.litmus.registers import assigned
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import (
    I1,
    I32,
    Assign,
    Call,
    Condition,
    Either,
    Expr,
    IntegerOperation,
    Kernel,
    Label,
    LitmusTest,
    Load,
    Number,
    Quantifier,
    Register,
    RegisterOf,
    Statement,
    Type,
    ValueComparison,
)

DIFFERS, DIFFERED, LOADED = "differs here", "differs", "as loaded"
"""The registers of the question, which no text can name."""


@dataclass(frozen=True, slots=True)
class DivergenceQuestion:
    """What is asked about: a register, or the branch that ends a block (`register` empty), across a set of threads."""

    block: str
    register: str = ""
    threads: Threads = Threads.WAVE


def differing(
    test: LitmusTest, kernel: Kernel, asked: DivergenceQuestion, model: AnyModel, *, committed: Set[str] = frozenset()
) -> tuple[str, ...] | None:
    """Return the lanes that differ from another in some execution, () if none does; None if a limit was reached.

    The loads into the registers of `committed` are one load of each wave's converged lanes: what LLVM calls uniform it
    may load once, whatever else other lanes could have read. None, too, where tokens leave no place for the question.
    """
    try:
        asking = lane_difference(test, kernel, asked, committed)
    except NotAskable:
        return None
    names = [f"{lane.name}:{DIFFERED}" for lane in lanes(kernel)]
    found = decide(asking, model, columns=names)
    for row in found.outcomes:
        pairs = zip(lanes(kernel), row, strict=True)
        if differ := tuple(lane.name for lane, value in pairs if isinstance(value[0], int) and value[0]):
            return differ
    return () if found.complete else None


def askable(kernel: Kernel) -> dict[str, Type]:
    """Return the registers that can be asked about: integers, in SSA form."""
    flow = single_assignment(kernel)
    types = {n: t for b in flow.blocks for s in (*b.phis, *b.statements) for n, t in assigned(s)}
    return {name: type_ for name, type_ in types.items() if not (type_.lanes or type_.pointer or type_.pair)}


def lane_difference(
    test: LitmusTest, kernel: Kernel, asked: DivergenceQuestion, committed: Set[str] = frozenset()
) -> LitmusTest:
    """Return the test that notes where lanes differ; its condition is that one does."""
    changed = replace(kernel, body=_Asking(kernel, asked).body(committed))
    atoms: list[Condition] = [
        ValueComparison("=", RegisterOf(lane.name, DIFFERED), Number(1, I1)) for lane in lanes(kernel)
    ]
    return replace(
        test,
        kernels=tuple(changed if k is kernel else k for k in test.kernels),
        observe=tuple(RegisterOf(lane.name, DIFFERED) for lane in lanes(kernel)),
        quantifier=Quantifier.EXISTS,
        condition=reduce(Either, atoms),
        expectations=(),
        outcome_sets=(),
    )


class _Asking:
    """Puts a question into the body of its kernel."""

    def __init__(self, kernel: Kernel, asked: DivergenceQuestion) -> None:
        self.flow: ControlFlow = single_assignment(kernel)
        self.asked = asked
        self.register = asked.register
        self.value = Register(asked.register, askable(kernel)[asked.register]) if asked.register else None
        self.token = token_of_class(kernel, asked)

    def body(self, committed: Set[str]) -> tuple[Statement, ...]:
        """Return the body that compares the register wherever it is assigned, or the ways before the branch."""
        body: list[Statement] = []
        for block in self.flow.blocks:
            body.append(Label(block.name))
            body += block.phis
            if any(phi.register == self.register for phi in block.phis):
                body += self._comparison(self.value)
            for statement in block.statements:
                if isinstance(statement, Load) and statement.register in committed - {self.register}:
                    body.append(replace(statement, register=LOADED))
                    loaded = Register(LOADED, statement.type)
                    once = Call("readfirstlane", (loaded,), statement.register, statement.type, convergent=False)
                    body.append(once)
                else:
                    body.append(statement)
                if any(name == self.register for name, _ in assigned(statement)):
                    body += self._comparison(self.value)
            if not self.register and block.name == self.asked.block:
                body += self._comparison(_way(block.terminator))
            body.append(block.terminator)
        return tuple(body)

    def _comparison(self, value: Expr | None) -> list[Statement]:
        assert value is not None
        # Calls that tokens and others do not mix with are convergent; this one is not.
        operation = DIFFERS_IN_WAVE if self.asked.threads is Threads.WAVE else DIFFERS_IN_WORKGROUP
        compared = Call(operation, (value,), DIFFERS, I1, token=self.token, convergent=False)
        noted = IntegerOperation("or", (Register(DIFFERED, I1), Register(DIFFERS, I1)), I1)
        return [compared, Assign(DIFFERED, noted)]


def _way(terminator: Terminator) -> Expr:
    """Return the number of the way that a lane goes at a branch; equal targets are one way."""
    match terminator:
        case Branch(condition=condition) if condition is not None:
            return condition
        case Switch(value=value, default=default, cases=cases):
            ways = list(dict.fromkeys((default, *(case.block for case in cases))))
            way: Expr = Number(0, I32)
            for case in reversed(cases):
                here = IntegerOperation("eq", (value, case.value), I1)
                way = IntegerOperation("select", (here, Number(ways.index(case.block), I32), way), I32)
            return way
    raise AssertionError(f"no branch: {terminator}")


def token_of_class(kernel: Kernel, asked: DivergenceQuestion) -> str:
    """Return the token by which executions of what is asked about are converged, `""` if there is none.

    Raises NotAskable if the block begins in a region that ends before it, or if it could not take the token there; and
    for a workgroup in a region: an anchor divides each wave, and no text says how waves.
    """
    if controls(kernel) is None:
        return ""
    function = function_of(kernel)
    place = InstructionPlace(asked.block, END)
    if asked.register:
        (place,) = (place for place, i in function.instructions() if i.register == asked.register)
    within = regions(function)
    here = within[place]
    if not set(within.get(InstructionPlace(place.block, 0), here)) <= {*here}:
        raise NotAskable
    if not here:
        return ""
    if asked.threads is Threads.WORKGROUP:
        raise NotAskable
    (home,) = (each.block for each, i in function.instructions() if i.register == here[-1])
    if any(home not in cycle.blocks for cycle in llvm_hierarchy(function.graph).around[place.block]):
        raise NotAskable
    return here[-1]


class NotAskable(Exception):
    """Executions that are converged cannot be told where a register is assigned."""
