"""Whether a register of a kernel is uniform in every execution, asked of the solver.

What goes in: a test, one of its kernels, a register in SSA form. What comes out: whether converged lanes of a wave have
different values of it in some execution under a model, and which lanes. Invariant: the question is a test itself, in
which every lane compares its value with that of the first converged lane of its wave, and notes a difference in a
register; so it is answered for executions up to the bound, and undef differs from nothing.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from functools import reduce

from axmem.check.decide import decide
from axmem.check.selection import AnyModel
from axmem.encoder.values import UNDEF
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
    may load once, whatever else other lanes could have read.
    """
    asked = question(test, kernel, register, committed)
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
    changed = replace(kernel, body=_asking(single_assignment(kernel), (register, askable(kernel)[register]), committed))
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


def _asking(flow: ControlFlow, what: tuple[str, Type], committed: Set[str]) -> tuple[Statement, ...]:
    """Return the body of a kernel that compares a register wherever it is assigned."""
    register, type_ = what
    body: list[Statement] = []
    for block in flow.blocks:
        body.append(Label(block.name))
        body += block.phis
        if any(phi.register == register for phi in block.phis):
            body += _comparison(register, type_)
        for statement in block.statements:
            if isinstance(statement, Load) and statement.register in committed - {register}:
                body.append(replace(statement, register=LOADED))
                body.append(
                    Call("readfirstlane", (Register(LOADED, statement.type),), statement.register, statement.type)
                )
            else:
                body.append(statement)
            if any(name == register for name, _ in assigned(statement)):
                body += _comparison(register, type_)
        body.append(block.terminator)
    return tuple(body)


def _comparison(register: str, type_: Type) -> list[Statement]:
    wide = type_ if type_.bits >= I32.bits else I32
    own = Register(register, type_)
    value = own if wide == type_ else Operation("zext", (own,), wide)
    differs = Operation("ne", (value, Register(FIRST, wide)), I1)
    return [
        Call("readfirstlane", (value,), FIRST, wide),
        Assign(DIFFERS, Operation("or", (Register(DIFFERS, I1), differs), I1)),
    ]
