"""Walks over statements and expressions, and the identity of a statement.

What goes in: parts of a tree. What comes out: their parts in the order of the text. Nothing is computed here; the
passes, the printer, the lint and whoever changes a test share these walks. Which statement is meant is said by its
`Path`, a place in the tree, never by a place in a text: what a program built has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import is_
from typing import TypeAlias, TypeVar

from axmem.front.records import replace
from axmem.litmus.kernels import Branch, Call, Phi, Switch
from axmem.litmus.syntax import (
    AccessMode,
    AccessStatement,
    Address,
    Assign,
    Assume,
    AtomicRmw,
    Barrier,
    Both,
    CmpXchg,
    Condition,
    Either,
    Element,
    Expr,
    Fence,
    FinalValue,
    For,
    If,
    IntegerOperation,
    Kernel,
    LitmusTest,
    Load,
    Location,
    Make,
    Not,
    Observable,
    OfLanes,
    Operand,
    ReadingStatement,
    RegisterOf,
    Statement,
    Store,
    Thread,
    Transfer,
    Truth,
    UndefValue,
    ValueComparison,
    VectorOf,
    While,
    WritingStatement,
)
from axmem.litmus.terms import AddressOf, Number
from axmem.litmus.words import OperationKind, Tag

Path: TypeAlias = tuple[int, ...]
"""Which statement of a test: the thread or kernel (`units`), the index in its block, and within an `If` the arm and an
index again; within a loop the arm is 0.

The paths of a test are in the order of its text.
"""

THEN, ELSE = 0, 1

# Made once: a union of types that is written where it is asked for is made each time.
_LOOPS = (While, For)
_NESTED = (If, *_LOOPS)
_ADDRESSED = (AccessStatement, Make)

Node = TypeVar("Node")
Part = TypeVar("Part")


def place_of(test: LitmusTest, path: Path) -> str:
    """Return which statement of a test a path means, in words: `thread P0, statement 2, else 1`."""
    unit = units(test)[path[0]]
    words = [f"{'kernel' if isinstance(unit, Kernel) else 'thread'} {unit.name}", f"statement {path[1] + 1}"]
    arms_taken = zip(path[2::2], path[3::2], strict=True)
    return ", ".join([*words, *(f"{'else' if arm == ELSE else 'then'} {index + 1}" for arm, index in arms_taken)])


def units(test: LitmusTest) -> tuple[Thread | Kernel, ...]:
    """Return the threads of a test and then its kernels, in the order of the first number of paths."""
    return (*test.threads, *test.kernels)


def locations(test: LitmusTest) -> tuple[Location, ...]:
    """Return the locations of a test, those that its kernels declare after its own."""
    return (*test.locations, *(location for kernel in test.kernels for location in kernel.memory))


def arms(statement: Statement) -> tuple[tuple[int, tuple[Statement, ...]], ...]:
    """Return the arms of an `If`, or the body of a loop, each with its number in a path; of others none."""
    if isinstance(statement, If):
        return (THEN, statement.then), (ELSE, statement.otherwise)
    return ((THEN, statement.body),) if isinstance(statement, _LOOPS) else ()


def with_arms(statement: Statement, bodies: Sequence[tuple[Statement, ...]]) -> Statement:
    """Return a statement with other arms, as many as `arms` gives."""
    if isinstance(statement, If):
        return replace(statement, then=bodies[THEN], otherwise=bodies[ELSE])
    return replace(statement, body=bodies[THEN]) if isinstance(statement, _LOOPS) else statement


def within(body: tuple[Statement, ...], path: Path) -> Iterator[tuple[Path, Statement]]:
    """Yield every statement of the block at a path with its own path, an `If` before those inside it."""
    for index, statement in enumerate(body):
        yield (*path, index), statement
        if isinstance(statement, _NESTED):
            for arm, inner in arms(statement):
                yield from within(inner, (*path, index, arm))


def located(test: LitmusTest) -> Iterator[tuple[Path, Statement]]:
    """Yield every statement of a test with its path."""
    for number, unit in enumerate(units(test)):
        yield from within(unit.body, (number,))


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield every statement of a block, an `If` before those inside it."""
    for statement in body:
        yield statement
        if isinstance(statement, _NESTED):
            for _, inner in arms(statement):
                yield from statements(inner)


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return the direct operands of an expression."""
    if isinstance(expr, IntegerOperation):
        return expr.operands
    if isinstance(expr, VectorOf):
        return expr.elements
    return (expr.value,) if isinstance(expr, Element) else ()


def changed(node: Node, **parts: object) -> Node:
    """Return a node of a tree with other parts; the node itself if these are the parts that it has."""
    for name, part in parts.items():
        if getattr(node, name) is not part:
            return replace(node, **parts)  # type: ignore[type-var]
    return node


def kept(before: tuple[Part, ...], after: list[Part]) -> tuple[Part, ...]:
    """Return the parts that a node has after a change; the tuple that it had if none has changed."""
    return before if len(after) == len(before) and all(map(is_, before, after)) else tuple(after)


def rebuilt(expr: Expr, operands: tuple[Expr, ...]) -> Expr:
    """Return the expression with other operands in place of its own."""
    if isinstance(expr, IntegerOperation):
        return changed(expr, operands=operands)
    if isinstance(expr, VectorOf):
        return changed(expr, elements=operands)
    return changed(expr, value=operands[0]) if isinstance(expr, Element) else expr


def replaced(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Return an expression in which something else stands for each of its parts, the inner ones first."""
    return change(rebuilt(expr, tuple(replaced(child, change) for child in children(expr))))


def parts(expr: Expr) -> Iterator[Expr]:
    """Yield an expression and everything inside it."""
    yield expr
    for child in children(expr):
        yield from parts(child)


def kind_of(statement: Statement) -> OperationKind | None:
    """Return the kind of operation that a statement is; None of a computation."""
    match statement:
        case Load(mode=mode):
            return OperationKind.AV_LOAD if mode.av else OperationKind.LOAD
        case Store(mode=mode):
            return OperationKind.AV_STORE if mode.av else OperationKind.STORE
        case AtomicRmw():
            return OperationKind.RMW
        case CmpXchg():
            return OperationKind.CMPXCHG
        case Fence():
            return OperationKind.FENCE
        case Make(visible=visible):
            return OperationKind.MAKE_VISIBLE if visible else OperationKind.MAKE_AVAILABLE
        case Barrier():
            return OperationKind.BARRIER
    return None


def tags_of(statement: Statement) -> frozenset[Tag]:
    """Return the tags of a statement."""
    if isinstance(statement, Make):
        return statement.tags
    mode: AccessMode | None = getattr(statement, "mode", None)
    return frozenset() if mode is None else mode.tags


def addresses(statement: Statement) -> tuple[Address, ...]:
    """Return the addresses a statement accesses or names."""
    if isinstance(statement, Transfer):
        return (statement.memory, statement.lds)
    address = statement.address if isinstance(statement, _ADDRESSED) else None
    return () if address is None else (address,)


def places_read(statement: Statement) -> tuple[Address, ...]:
    """Return the addresses a statement reads from."""
    if isinstance(statement, Transfer):
        return (statement.memory if statement.to_lds else statement.lds,)
    return addresses(statement) if isinstance(statement, ReadingStatement) else ()


def places_written(statement: Statement) -> tuple[Address, ...]:
    """Return the addresses a statement writes to."""
    if isinstance(statement, Transfer):
        return (statement.lds if statement.to_lds else statement.memory,)
    return addresses(statement) if isinstance(statement, WritingStatement) else ()


def operands(statement: Statement) -> tuple[Expr, ...]:
    """Return the value operands of a statement, its address aside."""
    match statement:
        case Store(value=value) | AtomicRmw(value=value) | Assign(value=value):
            return (value,)
        case CmpXchg(expected=expected, desired=desired):
            return (expected, desired)
        case If(condition=condition) | Assume(condition=condition) | While(condition=condition):
            return (condition,)
        case For(first=first, last=last):
            return (first, last)
        case Phi(incoming=incoming):
            return tuple(each.value for each in incoming)
        case Branch(condition=condition):
            return () if condition is None else (condition,)
        case Switch(value=value):
            return (value,)
        case Call(operands=operands):
            return operands
    return ()


def with_operands(statement: Statement, values: Sequence[Expr]) -> Statement:
    """Return a statement of kernels with other operands, as many as `operands` gives."""
    match statement:
        case While():
            return replace(statement, condition=values[0])
        case For():
            return replace(statement, first=values[0], last=values[1])
        case Phi(incoming=incoming):
            pairs = zip(incoming, values, strict=True)
            return replace(statement, incoming=tuple(replace(each, value=value) for each, value in pairs))
        case Branch():
            return replace(statement, condition=values[0]) if values else statement
        case Switch():
            return replace(statement, value=values[0])
        case Call():
            return replace(statement, operands=tuple(values))
    return statement


def address_taken(test: LitmusTest) -> frozenset[str]:
    """Return the names of the locations whose address is a value in a test: stored, initial, passed, computed with.

    An access that names its location takes no address.
    """
    values: list[Expr | None] = [location.initial for location in locations(test)]
    values += [value for kernel in test.kernels for parameter in kernel.parameters for value in parameter.values]
    for _, statement in located(test):
        values += operands(statement)
        for address in addresses(statement):
            values += [address.index, None if isinstance(address.base, AddressOf) else address.base]
    inner = (part for value in values if value is not None for part in parts(value))
    return frozenset(part.location for part in inner if isinstance(part, AddressOf))


def expressions(statement: Statement) -> tuple[Expr, ...]:
    """Return every expression a statement reads, first those of its address."""
    named = [part for a in addresses(statement) for part in (a.base, a.index) if part is not None]
    return (*named, *operands(statement))


def results(statement: Statement) -> tuple[str, ...]:
    """Return the registers a statement assigns."""
    match statement:
        case (
            Load(register=register) | Assign(register=register) | AtomicRmw(register=register)
            | Phi(register=register) | For(register=register) | Call(register=register)
        ):  # fmt: skip
            return (register,) if register else ()
        case CmpXchg(register=register, ok_register=ok):
            return tuple(name for name in (register, ok) if name)
    return ()


def with_comparisons(condition: Condition, change: Callable[[ValueComparison], Condition]) -> Condition:
    """Return a condition in which something else stands for each of its comparisons."""
    match condition:
        case ValueComparison():
            return change(condition)
        case Not(condition=inner):
            return changed(condition, condition=with_comparisons(inner, change))
        case Both(left=left, right=right) | Either(left=left, right=right):
            return changed(condition, left=with_comparisons(left, change), right=with_comparisons(right, change))
        case Truth():
            return condition


def observables(condition: Condition) -> Iterator[Observable]:
    """Yield the observables that a condition mentions."""
    for atom in comparisons(condition):
        yield from (side for side in (atom.left, atom.right) if isinstance(side, RegisterOf | FinalValue))


def comparisons(condition: Condition) -> Iterator[ValueComparison]:
    """Yield the atoms of a condition that compare something, those asked of several lanes lane by lane."""
    match condition:
        case ValueComparison(members=()):
            yield condition
        case ValueComparison():
            yield from (for_lane(condition, member) for member in condition.members)
        case Not(condition=inner):
            yield from comparisons(inner)
        case Both(left=left, right=right) | Either(left=left, right=right):
            yield from comparisons(left)
            yield from comparisons(right)
        case Truth():
            return


def for_lane(comparison: ValueComparison, lane: str) -> ValueComparison:
    """Return what a comparison of several lanes asks of one of them."""

    def side(operand: Operand) -> Operand:
        named = isinstance(operand, RegisterOf) and f"{lane}.".startswith(f"{operand.thread}.")
        return replace(operand, thread=lane) if isinstance(operand, RegisterOf) and named else operand

    left, right = side(comparison.left), side(comparison.right)
    return replace(comparison, left=left, right=right, lanes=None, members=())


def lane_by_lane(comparison: ValueComparison) -> Condition:
    """Return a comparison of several lanes as a condition on each."""
    node = Both if comparison.lanes is OfLanes.ALL else Either
    parts: list[Condition] = [for_lane(comparison, lane) for lane in comparison.members]
    return reduce(lambda left, right: node(left, right, comparison.span), parts)


def asked_numbers(test: LitmusTest) -> Iterator[int]:
    """Yield the numbers with which a test's condition and filter compare something, negative ones in every width."""
    for condition in (test.filter, test.condition):
        for atom in comparisons(condition) if condition is not None else ():
            for side in (atom.left, atom.right):
                if isinstance(side, Number) and side.value >= 0:
                    yield side.value
                elif isinstance(side, Number):
                    yield from (side.value % (1 << bits) for bits in (8, 16, 32, 64))


def compares_undef(condition: Condition) -> bool:
    """Return whether a condition asks whether something, or a lane of it, is undef."""
    sides = (side for atom in comparisons(condition) for side in (atom.left, atom.right))
    return any(isinstance(part, UndefValue) for side in sides for part in (side, *getattr(side, "elements", ())))


def observed(test: LitmusTest) -> Iterator[Observable]:
    """Yield every observable that the test's condition, filter, observe line and outcomes mention."""
    yield from test.observe
    for condition in (test.filter, test.condition):
        yield from observables(condition) if condition is not None else ()
    for outcomes in test.outcome_sets:
        yield from (observable for row in outcomes.rows for observable, _ in row)
