"""Threads as rows of operations, with what they compute as expressions over what is read.

What goes in: a thread of a test. What comes out: its `Row`: loads, stores, read-modify-writes and fences in order, and
what its registers hold at last. Memory that nobody but the thread accesses is no operation: it holds what was stored.
Invariant: what a row cannot say is refused by name (`Refused`), never left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from axmem.events.expressions import Expressions, inside
from axmem.events.graph import location_at
from axmem.events.values import (
    DEPENDING,
    GIVEN,
    POISON,
    UNDEF,
    Apply,
    Constant,
    Expr,
    ReadOf,
    apply,
    fold,
    parts,
    reads_of,
)
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.layout import ADDRESSES
from axmem.litmus.words import Level, Ordering, Scope

LOAD, STORE, RMW, FENCE = "load", "store", "read-modify-write", "fence"
MOST = 60
"""Rows of more operations are refused: what is proved is proved in milliseconds."""
Lanes = tuple[Expr, ...]
NEGATIVE = 1 << 63
"""Offsets from here on are below an address."""


class Refused(Exception):
    """What a row cannot say."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The bytes that an access accesses: of a location, or at an offset of an address that is computed (`base`)."""

    location: str
    offset: int
    size: int
    base: Expr | None = None

    def overlaps(self, other: Cell) -> bool:
        """Whether two cells surely have a byte in common."""
        apart = self.offset + self.size <= other.offset or other.offset + other.size <= self.offset
        return (self.location, self.base) == (other.location, other.base) and not apart

    def meets(self, other: Cell) -> bool:
        """Whether two cells may have a byte in common: those of computed addresses may be any."""
        if self.base != other.base:
            return True
        return self.overlaps(other)


def meet(one: Cell | None, other: Cell | None) -> bool:
    """Whether two operations may access memory in common."""
    return one is not None and other is not None and one.meets(other)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; `key` names it among those of both sides.

    `value` is what it writes; `detail` is what else must be the same for two operations to do the same: how many bits,
    how it is aligned, how a compare-exchange ended.
    """

    key: int
    kind: str
    ordering: Ordering
    level: Level = Scope.SYSTEM
    cell: Cell | None = None
    value: Expr | None = None
    detail: tuple[object, ...] = ()
    volatile: bool = False
    register: str = ""
    compares: bool = False

    @property
    def reads(self) -> bool:
        """Whether it reads memory."""
        return self.kind in (LOAD, RMW)

    @property
    def writes(self) -> bool:
        """Whether it writes memory."""
        return self.kind in (STORE, RMW)

    @property
    def is_fence(self) -> bool:
        """Whether it is a fence."""
        return self.kind == FENCE

    @property
    def strong(self) -> bool:
        """Whether it takes part in a modification order ([LangRef] "Atomic Memory Ordering Constraints")."""
        return not self.is_fence and self.ordering.at_least(Ordering.MONOTONIC)

    @property
    def acquires(self) -> bool:
        """Whether it is at least an acquire: a read or a fence."""
        return self.kind != STORE and self.ordering.acquires

    @property
    def releases(self) -> bool:
        """Whether it is at least a release: a write or a fence."""
        return self.kind != LOAD and self.ordering.releases

    @property
    def in_order(self) -> bool:
        """Whether it stands in the order of seq_cst operations."""
        return self.ordering is Ordering.SEQ_CST

    @property
    def atomicity(self) -> int:
        """How atomic it is: not, unordered, or of the modification order."""
        return 2 if self.strong else int(self.ordering is Ordering.UNORDERED)


@dataclass(frozen=True, slots=True)
class Row:
    """The operations of a thread in order, and the expressions of its registers at last."""

    operations: tuple[Operation, ...]
    results: Mapping[str, Lanes]


def read_by(exprs: Iterable[Expr | None]) -> set[int]:
    """Return the keys of the operations on whose reads some expressions depend."""
    return {key for each in exprs if each is not None for key in reads_of(each)}


def made(expr: Apply, arguments: tuple[Expr, ...]) -> Expr:
    """Return an operation on other arguments; a select whose truth value is known is what it selects."""
    if expr.operation in (GIVEN, POISON):
        return expr
    if expr.operation == "select" and isinstance(arguments[0], Constant) and isinstance(arguments[0].value, int):
        return arguments[1] if arguments[0].value & 1 else arguments[2]
    if expr.operation == "select" and expr.bits == 1 and arguments[1:] == (Constant(1), Constant(0)):
        return arguments[0]
    if expr.operation == "trunc" and isinstance(arguments[0], Apply) and arguments[0].operation == "zext":
        inner = arguments[0].arguments[0]
        if isinstance(inner, Apply) and inner.bits == expr.bits:
            return inner
    if expr.operation == DEPENDING:
        return Apply(expr.operation, expr.bits, arguments, expr.parameters)
    return apply(expr.operation, expr.bits, *arguments, parameters=expr.parameters)


def mapped(root: Expr, reads: Mapping[int, Expr], known: Mapping[Expr, Expr] | None = None) -> Expr:
    """Return an expression with others in place of reads, by the keys of the operations that read, and of what is known
    to be something."""
    done: dict[Expr, Expr] = {}

    def value(expr: Expr) -> Expr:
        if known and expr in known:
            return known[expr]
        match expr:
            case ReadOf(key):
                found = reads.get(key, expr)
            case Apply(_, _, arguments, _):
                found = made(expr, tuple(done[each] for each in arguments))
            case _:
                found = expr
        return known.get(found, found) if known else found

    return fold(root, value, done)


def settled(expr: Expr) -> Expr:
    """Return what an expression is if nothing that it depends on is undef."""
    done: dict[Expr, Expr] = {}

    def value(each: Expr) -> Expr:
        if isinstance(each, Apply) and each.operation == DEPENDING:
            return done[each.arguments[0]]
        return made(each, tuple(done[a] for a in each.arguments)) if isinstance(each, Apply) else each

    return fold(expr, value, done)


class Reader:
    """Reads statements of a thread as operations, and keeps what its registers and its own memory hold."""

    def __init__(self, test: ast.LitmusTest, own: frozenset[str], first: int) -> None:
        self.test = test
        self.own = own
        self.key = first
        self.registers: dict[str, Lanes] = {}
        self.held: dict[Cell, tuple[object, Lanes]] = {}
        """What the thread has stored to its own memory, and of which kind that is."""

    @cached_property
    def expressions(self) -> Expressions:
        """What makes expressions of a text's."""
        return Expressions(self.test)

    def operation(self, statement: ast.Statement) -> Operation | None:
        """Return the operation that a statement is, or None if it only computes; raise Refused."""
        match statement:
            case ast.Assign(register=register, value=value):
                self.registers[register] = self.lanes(value)
                return None
            case ast.Fence(mode=mode):
                return self._made(FENCE, mode, ())
            case ast.Load(register=register, type=type_, address=address, mode=mode):
                cell = self._cell(address, type_)
                if cell.location in self.own:
                    self.registers[register] = self._held(cell, _kind(type_), mode)
                    return None
                found = self._made(LOAD, mode, _kind(type_), cell, register=register)
                self.registers[register] = (ReadOf(self.key),)
                return found
            case ast.Store(value=value, type=type_, address=address, mode=mode):
                cell = self._cell(address, type_)
                if cell.location in self.own:
                    self._hold(cell, _kind(type_), self.lanes(value), mode)
                    return None
                return self._made(STORE, mode, _kind(type_), cell, self.lanes(value)[0])
            case ast.AtomicRmw(register=register, type=type_, address=address, mode=mode):
                cell = self._others(address, type_)
                operand, read = self.lanes(statement.value)[0], ReadOf(self.key)
                exchange, bits = statement.operation == "xchg", type_.bits if type_ else 64
                written = operand if exchange else apply(statement.operation, bits, read, operand)
                found = self._made(RMW, mode, _kind(type_), cell, written, register)
                if register:
                    self.registers[register] = (read,)
                return found
        word = getattr(statement, "WORD", "") or type(statement).__name__.lower()
        raise Refused(f"'{word}' is no operation of a row")

    def compared(self, statement: ast.CmpXchg, *, succeeds: bool) -> tuple[Operation, tuple[Expr, Expr]]:
        """Return the operation that a compare-exchange is that succeeds or fails, with what is compared."""
        cell = self._others(statement.address, statement.type)
        bits = statement.type.bits if statement.type else 64
        read, expected = ReadOf(self.key), self.lanes(statement.expected)[0]
        detail = (*_kind(statement.type), statement.weak)
        if succeeds:
            written = self.lanes(statement.desired)[0]
            found = self._made(RMW, statement.mode, detail, cell, written, statement.register, compares=True)
        else:
            mode = replace(statement.mode, ordering=statement.failure)
            found = self._made(LOAD, mode, detail, cell, None, statement.register, compares=True)
        old = Apply(DEPENDING, bits, (read, expected))
        success = Apply(DEPENDING, 1, (Constant(int(succeeds)), read, expected))
        if statement.ok_register:
            self.registers |= {statement.register: (old,), statement.ok_register: (success,)}
        elif statement.register:
            self.registers[statement.register] = (old, success)
        return found, (read, expected)

    def _made(
        self,
        kind: str,
        mode: ast.AccessMode,
        detail: tuple[object, ...],
        cell: Cell | None = None,
        value: Expr | None = None,
        register: str = "",
        *,
        compares: bool = False,
    ) -> Operation:
        lacking = {
            "tags": bool(mode.tags),
            "one-as scopes": mode.scope.one_as,
            "av intrinsics": mode.av,
            "element-wise atomics": mode.elementwise,
            "parallel accesses": mode.promises is not None,
        }
        for what, there in lacking.items():
            if there:
                raise Refused(f"nothing is argued of {what}")
        same = (*detail, mode.nontemporal, mode.align)
        return Operation(
            self.key, kind, mode.ordering, mode.scope.level, cell, value, same, mode.volatile, register, compares
        )

    def lanes(self, value: ast.Expr) -> Lanes:
        """Return the lanes of an expression."""
        for part in _parts(value):
            if isinstance(part, ast.Register) and part.name not in self.registers:
                raise Refused(f"nothing is known of the register {part.name}")
        found = self.expressions.lanes(
            value, value.type if not isinstance(value, ast.VectorOf) else None, self.registers
        )
        return tuple(mapped(each, {}) for each in found)

    # ------------------------------------------------------------ memory

    def _cell(self, address: ast.Address, type_: ast.Type | None) -> Cell:
        """Return where an access goes."""
        if type_ is None or type_.lanes or type_.pair:
            raise Refused("an access of a vector")
        for part in (*_parts(address.base), *(_parts(address.index) if address.index is not None else ())):
            if isinstance(part, ast.Register) and part.name not in self.registers:
                raise Refused(f"nothing is known of the register {part.name}")
        expr = mapped(self.expressions.address(address, type_, self.registers), {})
        offset = 0
        while isinstance(expr, Apply) and expr.operation == "add":
            one, other = expr.arguments
            if isinstance(one, Constant) and not isinstance(other, Constant):
                one, other = other, one
            if not isinstance(other, Constant) or not isinstance(other.value, int):
                break
            if self._location(other.value) is not None:
                break
            expr, offset = one, (offset + other.value) % ADDRESSES
        if isinstance(expr, Constant):
            whole = (expr.value + offset) % ADDRESSES if isinstance(expr.value, int) else None
            if whole is None or not inside(self.test, whole, type_):
                raise Refused("an access outside of all memory")
            index, offset = location_at(whole)
            return Cell(self.test.locations[index].name, offset, type_.size)
        if any(self._location(each) in self.own for each in _constants(expr)):
            raise Refused("a computed address in memory of its own")
        return Cell("", offset - ADDRESSES if offset >= NEGATIVE else offset, type_.size, expr)

    def _others(self, address: ast.Address, type_: ast.Type | None) -> Cell:
        """Return where an access goes that is none of the thread's own memory."""
        cell = self._cell(address, type_)
        if cell.location in self.own:
            raise Refused("atomic accesses of memory of its own")
        return cell

    def _location(self, address: int) -> str | None:
        """Return the location in which an address is, if it is in one."""
        index, _ = location_at(address)
        return self.test.locations[index].name if 0 <= index < len(self.test.locations) else None

    def _hold(self, cell: Cell, kind: object, value: Lanes, mode: ast.AccessMode) -> None:
        """Keep what is stored to memory of the thread's own."""
        _plain(mode)
        self.held = {at: known for at, known in self.held.items() if not at.overlaps(cell)}
        self.held[cell] = kind, value

    def _held(self, cell: Cell, kind: object, mode: ast.AccessMode) -> Lanes:
        """Return what memory of the thread's own holds."""
        _plain(mode)
        if (found := self.held.get(cell)) is not None and found[0] == kind:
            return found[1]
        (location,) = (each for each in self.test.locations if each.name == cell.location)
        if location.initial is not None or any(at.overlaps(cell) for at in self.held):
            raise Refused("a part of memory of its own")
        return (Constant(UNDEF),)


def _plain(mode: ast.AccessMode) -> None:
    if mode.ordering is not Ordering.NOT_ATOMIC or mode.volatile:
        raise Refused("atomic accesses of memory of its own")


def _kind(type_: ast.Type | None) -> tuple[object, ...]:
    """Return how many bits an access accesses: addresses are numbers."""
    return (type_.bits if type_ else 64,)


def _parts(expr: ast.Expr) -> Iterator[ast.Expr]:
    todo = [expr]
    while todo:
        yield (at := todo.pop())
        match at:
            case ast.IntegerOperation(operands=some):
                todo += some
            case ast.VectorOf(elements=some):
                todo += some
            case ast.Element(value=value):
                todo.append(value)


def _constants(expr: Expr) -> Iterator[int]:
    """Yield the numbers that an expression is made of."""
    return (at.value for at in parts(expr) if isinstance(at, Constant) and isinstance(at.value, int))
