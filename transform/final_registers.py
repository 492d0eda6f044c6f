"""Registers that are asked for at the end of a kernel, through transformations.

What goes in: a kernel, and registers of its text that a condition names. What comes out: its graph with single
assignments, in which a mark follows each assignment to such a register; and in the end a graph in which the marks are
assignments again. Invariant: the marks of a register are executed in the order of its assignments, with their values.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, KernelBlock, control_flow
from axmem.litmus.launch import unit_named
from axmem.litmus.registers import assigned, with_results
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import Assign, Expr, Kernel, LitmusTest, Number, Register, RegisterOf, Statement
from axmem.litmus.walk import observed, results
from axmem.transform.rewrite import RegisterNames, reading

MARK = " observed "
"""What stands in the name of a mark between the register and a number; no register of a text has a blank."""


def observed_of(test: LitmusTest, kernel: Kernel) -> frozenset[str]:
    """Return the registers that the questions of a test ask for at the end of a kernel's lanes."""
    asked = (each for each in observed(test) if isinstance(each, RegisterOf))
    return frozenset(each.register for each in asked if unit_named(test, each.thread) == kernel)


def marked(kernel: Kernel, names: Collection[str]) -> ControlFlow:
    """Return the graph of a kernel with a mark after each assignment of what is observed."""
    flow = single_assignment(kernel)
    wanted = set(names)
    if not wanted:
        return flow
    text = control_flow(kernel)
    numbers = count(1)

    def marks(old: Statement, new: Statement) -> list[Statement]:
        pairs = [(name, pair) for name, pair in zip(results(old), assigned(new), strict=True) if name in wanted]
        return [Assign(f"{name}{MARK}{next(numbers)}", Register(*pair)) for name, pair in pairs]

    blocks = []
    for block in flow.blocks:
        before = text.block[block.name]
        body = [mark for old, new in zip(before.phis, block.phis, strict=False) for mark in marks(old, new)]
        for old, new in zip(before.statements, block.statements, strict=True):
            body += [new, *marks(old, new)]
        blocks.append(replace(block, statements=tuple(body), paths=()))
    return ControlFlow(tuple(blocks))


def unmarked(flow: ControlFlow, kernel: Kernel) -> tuple[ControlFlow, dict[str, str]]:
    """Return a graph in which marks are assignments of what they mark, no longer single where there are several.

    Registers that had the name of what is observed are called otherwise, as the second result says.
    """
    values: dict[str, list[Expr]] = {}
    for block in flow.blocks:
        for statement in block.statements:
            if (name := mark_of(statement)) and isinstance(statement, Assign):
                values.setdefault(name, []).append(statement.value)
    if not values:
        return flow, {}
    several = {n for n, marks in values.items() if len(marks) > 1 or not _is(marks[0], n)}
    names = RegisterNames(flow, kernel)
    own = [n for b in flow.blocks for s in (*b.phis, *b.statements) for n in results(s) if n in several]
    other = {name: names.fresh(name) for name in own}

    def renamed(register: Register) -> Expr:
        return replace(register, name=other.get(register.name, register.name))

    def written(old: Statement) -> list[Statement]:
        name = mark_of(old)
        if not name:
            return [with_results(old, other)]
        return [with_results(old, {results(old)[0]: name})] if name in several else []

    def whole(old: KernelBlock) -> KernelBlock:
        new = reading(old, renamed)
        phis = tuple(replace(phi, register=other.get(phi.register, phi.register)) for phi in new.phis)
        return replace(new, phis=phis, statements=tuple(s for each in new.statements for s in written(each)))

    return ControlFlow(tuple(map(whole, flow.blocks))), other


def assigned_somewhere(flow: ControlFlow, kernel: Kernel, names: Collection[str]) -> ControlFlow:
    """Return a graph in which what is observed is assigned: 0, as registers begin, where no assignment is left."""
    before = control_flow(kernel).blocks
    types = dict(pair for block in before for s in (*block.phis, *block.statements) for pair in assigned(s))
    left = {name for block in flow.blocks for s in (*block.phis, *block.statements) for name in results(s)}
    gone = [name for name in sorted(names) if name in types and name not in left]
    zeros = tuple(Assign(name, Number(0, types[name])) for name in gone)
    entry = replace(flow.entry, statements=(*zeros, *flow.entry.statements), paths=())
    return ControlFlow((entry, *flow.blocks[1:])) if zeros else flow


def mark_of(statement: Statement) -> str:
    """Return the register that a statement marks an assignment of; no statement but a mark has one."""
    return statement.register.partition(MARK)[0] if isinstance(statement, Assign) and MARK in statement.register else ""


def _is(value: Expr, name: str) -> bool:
    return isinstance(value, Register) and value.name == name
