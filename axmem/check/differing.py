"""Whether a register of a kernel is uniform in every execution, asked of the solver.

What goes in: a test, one of its kernels, a register in SSA form. What comes out: whether converged lanes of a wave have
different values of it in some execution under a model, and which lanes. Invariant: the question is a test itself, in
which every lane compares its value with that of the first converged lane of its wave, and notes a difference in a
register; so it is answered for executions up to the bound, and undef differs from nothing.
"""

from __future__ import annotations

from collections.abc import Set
from functools import reduce

from axmem.check.decide import decide
from axmem.check.selection import AnyModel
from axmem.convergence.controlled import regions
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.function import Place
from axmem.convergence.kernels import controls, function_of
from axmem.encoder.values import UNDEF
from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.launch import lanes
from axmem.litmus.registers import assigned
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import (
    I1,
    I32,
    Assign,
    Call,
    Comparison,
    Condition,
    Either,
    Expr,
    Kernel,
    Label,
    LitmusTest,
    Load,
    Number,
    Operation,
    Quantifier,
    Register,
    RegisterOf,
    Statement,
    Type,
)

FIRST, DIFFERS, LOADED = "first of wave", "differs from it", "as loaded"
"""The registers of the question, which no text can name."""


def differing(
    test: LitmusTest, kernel: Kernel, register: str, model: AnyModel, *, committed: Set[str] = frozenset()
) -> tuple[str, ...] | None:
    """Return the lanes that differ from another in some execution, () if none does; None if a limit was reached.

    The loads into the registers of `committed` are one load of each wave's converged lanes: what LLVM calls uniform it
    may load once, whatever else other lanes could have read. None, too, where tokens leave no place for the question.
    """
    try:
        asked = question(test, kernel, register, committed)
    except NotAskable:
        return None
    names = [f"{lane.name}:{DIFFERS}" for lane in lanes(kernel)]
    found = decide(asked, model, columns=names)
    for row in found.outcomes:
        pairs = zip(lanes(kernel), row, strict=True)
        if differ := tuple(lane.name for lane, value in pairs if value[0] is not UNDEF and value[0]):
            return differ
    return () if found.complete else None


def askable(kernel: Kernel) -> dict[str, Type]:
    """Return the registers that can be asked about: integers, in SSA form."""
    flow = single_assignment(kernel)
    types = {n: t for b in flow.blocks for s in (*b.phis, *b.statements) for n, t in assigned(s)}
    return {name: type_ for name, type_ in types.items() if not (type_.lanes or type_.pointer or type_.pair)}


def question(test: LitmusTest, kernel: Kernel, register: str, committed: Set[str] = frozenset()) -> LitmusTest:
    """Return the test that notes where lanes differ in a register; its condition is that one does."""
    changed = replace(kernel, body=_Asking(kernel, register).body(committed))
    atoms: list[Condition] = [Comparison("=", RegisterOf(lane.name, DIFFERS), Number(1, I1)) for lane in lanes(kernel)]
    return replace(
        test,
        kernels=tuple(changed if k is kernel else k for k in test.kernels),
        observe=tuple(RegisterOf(lane.name, DIFFERS) for lane in lanes(kernel)),
        quantifier=Quantifier.EXISTS,
        condition=reduce(Either, atoms),
        expectations=(),
        outcome_sets=(),
    )


class _Asking:
    """Puts the question about one register into the body of its kernel."""

    def __init__(self, kernel: Kernel, register: str) -> None:
        self.flow: ControlFlow = single_assignment(kernel)
        self.register = register
        self.type = askable(kernel)[register]
        self.token = token_of_class(kernel, register)

    def body(self, committed: Set[str]) -> tuple[Statement, ...]:
        """Return the body that compares the register wherever it is assigned."""
        body: list[Statement] = []
        for block in self.flow.blocks:
            body.append(Label(block.name))
            body += block.phis
            if any(phi.register == self.register for phi in block.phis):
                body += self._comparison()
            for statement in block.statements:
                if isinstance(statement, Load) and statement.register in committed - {self.register}:
                    body.append(replace(statement, register=LOADED))
                    loaded = Register(LOADED, statement.type)
                    body.append(replace(_first(loaded), register=statement.register, type=statement.type))
                else:
                    body.append(statement)
                if any(name == self.register for name, _ in assigned(statement)):
                    body += self._comparison()
            body.append(block.terminator)
        return tuple(body)

    def _comparison(self) -> list[Statement]:
        wide = self.type if self.type.bits >= I32.bits else I32
        own = Register(self.register, self.type)
        value = own if wide == self.type else Operation("zext", (own,), wide)
        differs = Operation("ne", (value, Register(FIRST, wide)), I1)
        return [
            replace(_first(value), register=FIRST, type=wide, token=self.token),
            Assign(DIFFERS, Operation("or", (Register(DIFFERS, I1), differs), I1)),
        ]


def _first(value: Expr) -> Call:
    """Return what gives lanes the value of the first of them; it does not count where tokens and others do not mix."""
    return Call("readfirstlane", (value,), convergent=False)


def token_of_class(kernel: Kernel, register: str) -> str:
    """Return the token by which executions that assign a register are converged, `""` if there is none.

    Raises NotAskable if the block begins in a region that ends before it, or if it could not take the token there.
    """
    if controls(kernel) is None:
        return ""
    function = function_of(kernel)
    (place,) = (place for place, i in function.instructions() if i.register == register)
    within = regions(function)
    here = within[place]
    if not set(within[Place(place.block, 0)]) <= {*here}:
        raise NotAskable
    if not here:
        return ""
    (home,) = (each.block for each, i in function.instructions() if i.register == here[-1])
    if any(home not in cycle.blocks for cycle in llvm_hierarchy(function.graph).around[place.block]):
        raise NotAskable
    return here[-1]


class NotAskable(Exception):
    """Executions that are converged cannot be told where a register is assigned."""
