"""What statements read and assign: types of registers, other names for them.

What goes in: typed statements. What comes out: the registers that they assign with their types, or the same statements
in which other expressions stand for registers, or other registers receive the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from axmem.front.records import replace
from axmem.litmus.kernels import IDS
from axmem.litmus.syntax import (
    I1,
    I32,
    Address,
    Assign,
    Assume,
    AtomicRmw,
    Call,
    CmpXchg,
    Expr,
    For,
    If,
    Kernel,
    LitmusTest,
    Load,
    Make,
    Phi,
    Register,
    Statement,
    Store,
    Transfer,
    Type,
)
from axmem.litmus.walk import children, rebuilt, statements, units, with_operands
from axmem.litmus.walk import operands as operands_of


def assigned(statement: Statement) -> Iterator[tuple[str, Type]]:
    """Yield the registers a statement assigns, with their types."""
    match statement:
        case Load(register, type_) | AtomicRmw(register, _, type_) | Phi(register, type_):
            assert type_ is not None
            yield register, type_
        case CmpXchg(register, ok_register, _, type_):
            assert type_ is not None
            if ok_register:
                yield register, type_
                yield ok_register, I1
            else:
                yield register, Type(type_.bits, 0, type_.pointer, pair=True)
        case Assign(register, value):
            yield register, value.type or I32
        case For(register, first):
            yield register, first.type or I32
        case Call(register=register, type=type_) if register:
            yield register, type_ or I32


def register_types(test: LitmusTest) -> dict[tuple[str, str], Type]:
    """Return the type of every register that has a value in a thread or kernel, by its name and that."""
    types: dict[tuple[str, str], Type] = {}
    for unit in units(test):
        if isinstance(unit, Kernel):
            types |= {(unit.name, name): I32 for name in IDS}
            types |= {(unit.name, parameter.name): parameter.type for parameter in unit.parameters}
        for statement in statements(unit.body):
            for register, type_ in assigned(statement):
                types.setdefault((unit.name, register), type_)
    return types


def read(expr: Expr) -> Iterator[Register]:
    """Yield the registers that an expression reads."""
    if isinstance(expr, Register):
        yield expr
    for child in children(expr):
        yield from read(child)


def substituted(expr: Expr, change: Callable[[Register], Expr]) -> Expr:
    """Return an expression in which something else stands for its registers."""
    if isinstance(expr, Register):
        return change(expr)
    return rebuilt(expr, tuple(substituted(child, change) for child in children(expr)))


def with_reads(statement: Statement, change: Callable[[Register], Expr]) -> Statement:
    """Return a statement in whose expressions something else stands for registers."""
    return with_expressions(statement, lambda expr: substituted(expr, change))


def with_expressions(statement: Statement, new: Callable[[Expr], Expr]) -> Statement:
    """Return a statement in which something else stands for each of its own expressions; its arms stay as they are."""

    def at(address: Address) -> Address:
        return replace(address, base=new(address.base), index=None if address.index is None else new(address.index))

    match statement:
        case Load():
            return replace(statement, address=at(statement.address))
        case Store() | AtomicRmw():
            return replace(statement, address=at(statement.address), value=new(statement.value))
        case CmpXchg(address=address, expected=expected, desired=desired):
            return replace(statement, address=at(address), expected=new(expected), desired=new(desired))
        case Make(address=address):
            return statement if address is None else replace(statement, address=at(address))
        case Transfer():
            return replace(statement, memory=at(statement.memory), lds=at(statement.lds))
        case Assign():
            return replace(statement, value=new(statement.value))
        case Assume() | If():
            return replace(statement, condition=new(statement.condition))
    return with_operands(statement, [new(value) for value in operands_of(statement)])


def with_results(statement: Statement, names: Mapping[str, str]) -> Statement:
    """Return a statement whose results go to other registers; those that `names` lacks stay."""
    if isinstance(statement, CmpXchg):
        register, ok = (names.get(name, name) for name in (statement.register, statement.ok_register))
        return replace(statement, register=register, ok_register=ok)
    if isinstance(statement, Load | AtomicRmw | Assign | Phi | Call | For):
        return replace(statement, register=names.get(statement.register, statement.register))
    return statement
