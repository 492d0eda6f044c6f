"""Walks over statements and expressions.

What goes in: parts of a tree. What comes out: their parts in the order of the text. Nothing is computed here; the
passes, the printer and the lint share these walks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from axmem.litmus.syntax import (
    Address,
    Assign,
    Assume,
    AtomicRmw,
    Both,
    CmpXchg,
    Comparison,
    Condition,
    Either,
    Element,
    Expr,
    FinalValue,
    If,
    LitmusTest,
    Load,
    Make,
    Not,
    Observable,
    Operation,
    RegisterOf,
    Statement,
    Store,
    Truth,
    VectorOf,
)


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield every statement, an `If` before those inside it."""
    for statement in body:
        yield statement
        if isinstance(statement, If):
            yield from statements(statement.then)
            yield from statements(statement.otherwise)


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return the direct operands of an expression."""
    if isinstance(expr, Operation):
        return expr.operands
    if isinstance(expr, VectorOf):
        return expr.elements
    return (expr.value,) if isinstance(expr, Element) else ()


def rebuilt(expr: Expr, operands: tuple[Expr, ...]) -> Expr:
    """Return the expression with other operands in place of its own."""
    if isinstance(expr, Operation):
        return replace(expr, operands=operands)
    if isinstance(expr, VectorOf):
        return replace(expr, elements=operands)
    return replace(expr, value=operands[0]) if isinstance(expr, Element) else expr


def parts(expr: Expr) -> Iterator[Expr]:
    """Yield an expression and everything inside it."""
    yield expr
    for child in children(expr):
        yield from parts(child)


def address_of(statement: Statement) -> Address | None:
    """Return the address a statement accesses or names, if any."""
    return statement.address if isinstance(statement, Load | Store | AtomicRmw | CmpXchg | Make) else None


def operands(statement: Statement) -> tuple[Expr, ...]:
    """Return the value operands of a statement, its address aside."""
    match statement:
        case Store(value=value) | AtomicRmw(value=value) | Assign(value=value):
            return (value,)
        case CmpXchg(expected=expected, desired=desired):
            return (expected, desired)
        case If(condition=condition) | Assume(condition=condition):
            return (condition,)
    return ()


def expressions(statement: Statement) -> tuple[Expr, ...]:
    """Return every expression a statement reads, first those of its address."""
    address = address_of(statement)
    if address is None:
        return operands(statement)
    index = () if address.index is None else (address.index,)
    return (address.base, *index, *operands(statement))


def results(statement: Statement) -> tuple[str, ...]:
    """Return the registers a statement assigns."""
    match statement:
        case Load(register=register) | Assign(register=register) | AtomicRmw(register=register):
            return (register,) if register else ()
        case CmpXchg(register=register, ok_register=ok):
            return tuple(name for name in (register, ok) if name)
    return ()


def comparisons(condition: Condition) -> Iterator[Comparison]:
    """Yield the atoms of a condition that compare something."""
    match condition:
        case Comparison():
            yield condition
        case Not(condition=inner):
            yield from comparisons(inner)
        case Both(left=left, right=right) | Either(left=left, right=right):
            yield from comparisons(left)
            yield from comparisons(right)
        case Truth():
            return


def observed(test: LitmusTest) -> Iterator[Observable]:
    """Yield every observable that the test's condition, filter, observe line and outcomes mention."""
    yield from test.observe
    for condition in (test.condition, test.filter):
        for atom in comparisons(condition) if condition is not None else ():
            yield from (side for side in (atom.left, atom.right) if isinstance(side, RegisterOf | FinalValue))
    for outcomes in test.outcome_sets:
        yield from (observable for row in outcomes.rows for observable, _ in row)
