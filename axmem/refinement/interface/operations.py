"""Threads as rows of operations, with what they compute as shared expressions over what is read.

What goes in: a thread of a test. What comes out: its `Row`: loads, stores, read-modify-writes and fences in order, and
what its registers hold at last. Invariant: what a row cannot say is refused by name (`Refused`), never left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axmem.front.records import dataclass
from axmem.litmus import syntax as ast
from axmem.litmus.words import Level, Ordering, Scope

LOAD, STORE, RMW, FENCE = "load", "store", "read-modify-write", "fence"
READ = "read"
"""The node of what an operation reads."""
MOST = 60
"""Rows of more operations are refused: what is proved is proved in milliseconds."""


class Refused(Exception):
    """What a row cannot say."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The bytes that an access accesses."""

    location: str
    offset: int
    size: int

    def overlaps(self, other: Cell) -> bool:
        """Whether two cells have a byte in common."""
        apart = self.offset + self.size <= other.offset or other.offset + other.size <= self.offset
        return self.location == other.location and not apart


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; `key` names it among those of both sides.

    `value` numbers the expression that it writes; `detail` is what else must be the same for two operations to do the
    same: its type, how it is aligned.
    """

    key: int
    kind: str
    ordering: Ordering
    level: Level = Scope.SYSTEM
    cell: Cell | None = None
    value: int = -1
    detail: tuple[object, ...] = ()
    volatile: bool = False
    register: str = ""

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
    results: Mapping[str, int]


Node = tuple[object, ...]


class Values:
    """Expressions over reads, each once: equal numbers are equal expressions. Operands of a node are numbers."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.operands: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[Node, tuple[int, ...]], int] = {}

    def number(self, node: Node, operands: tuple[int, ...] = ()) -> int:
        """Return the number of an expression."""
        found = self._numbers.setdefault((node, operands), len(self.nodes))
        if found == len(self.nodes):
            self.nodes.append(node)
            self.operands.append(operands)
        return found

    def read(self, key: int) -> int:
        """Return the number of what an operation reads."""
        return self.number((READ, key))

    def within(self, roots: Iterator[int]) -> set[int]:
        """Return the keys of the operations on whose reads some expressions depend."""
        seen: set[int] = set()
        todo = list(roots)
        while todo:
            if (at := todo.pop()) not in seen:
                seen.add(at)
                todo += self.operands[at]
        return {key for at in seen if self.nodes[at][0] == READ and isinstance(key := self.nodes[at][1], int)}

    def mapped(self, root: int, reads: Mapping[int, int]) -> int:
        """Return an expression with others in place of reads, by the keys of the operations that read."""
        done: dict[int, int] = {}
        todo = [root]
        while todo:
            at = todo[-1]
            missing = [each for each in self.operands[at] if each not in done]
            if missing:
                todo += missing
                continue
            todo.pop()
            kind, *rest = self.nodes[at]
            if kind == READ and isinstance(rest[0], int):
                done[at] = reads.get(rest[0], at)
            else:
                done[at] = self.number(self.nodes[at], tuple(done[each] for each in self.operands[at]))
        return done[root]


class Reader:
    """Reads statements of a thread as operations, and keeps what its registers hold."""

    def __init__(self, values: Values, first: int) -> None:
        self.values = values
        self.key = first
        self.registers: dict[str, int] = {}

    def operation(self, statement: ast.Statement) -> Operation | None:
        """Return the operation that a statement is, or None if it only computes; raise Refused."""
        match statement:
            case ast.Assign(register=register, value=value):
                self.registers[register] = self.value(value)
                return None
            case ast.Fence(mode=mode):
                return self._made(FENCE, mode, ())
            case ast.Load(register=register, type=type_, address=address, mode=mode):
                found = self._made(LOAD, mode, (type_,), _cell(address, type_), register=register)
                self.registers[register] = self.values.read(self.key)
                return found
            case ast.Store(value=value, type=type_, address=address, mode=mode):
                return self._made(STORE, mode, (type_,), _cell(address, type_), self.value(value))
            case ast.AtomicRmw(register=register, type=type_, address=address, mode=mode):
                operand, read = self.value(statement.value), self.values.read(self.key)
                exchange = statement.operation == "xchg"
                written = operand if exchange else self.values.number((statement.operation, type_), (read, operand))
                found = self._made(RMW, mode, (type_,), _cell(address, type_), written, register)
                if register:
                    self.registers[register] = read
                return found
        word = getattr(statement, "WORD", "") or type(statement).__name__.lower()
        raise Refused(f"'{word}' is no operation of a row")

    def _made(
        self,
        kind: str,
        mode: ast.AccessMode,
        detail: tuple[object, ...],
        cell: Cell | None = None,
        value: int = -1,
        register: str = "",
    ) -> Operation:
        lacking = {
            "tags": bool(mode.tags),
            "one-as scopes": mode.scope.one_as,
            "av intrinsics": mode.av,
            "element-wise atomics": mode.elementwise,
            "parallel accesses": mode.promises is not None,
            "seq_cst read-modify-writes": kind == RMW and mode.ordering is Ordering.SEQ_CST,
        }
        for what, there in lacking.items():
            if there:
                raise Refused(f"nothing is argued of {what}")
        same = (*detail, mode.nontemporal, mode.align)
        return Operation(self.key, kind, mode.ordering, mode.scope.level, cell, value, same, mode.volatile, register)

    def value(self, value: ast.Expr) -> int:
        """Return the number of an expression; the deep ones of no row are followed by their operands."""
        match value:
            case ast.Number(value=number, type=type_):
                bits = type_.bits if type_ else 64
                return self.values.number(("number", number % (1 << bits), type_))
            case ast.UndefValue(type=type_, poison=poison):
                return self.values.number(("undef", type_, poison))
            case ast.Given(index=index, type=type_):
                return self.values.number(("parameter", index, type_))
            case ast.AddressOf(location=location, type=type_):
                return self.values.number(("address", location, type_))
            case ast.Register(name=name):
                if name not in self.registers:
                    raise Refused(f"nothing is known of the register {name}")
                return self.registers[name]
            case ast.IntegerOperation(name=name, operands=operands, type=type_):
                types = tuple(each.type for each in operands)
                return self.values.number((name, type_, *types), tuple(map(self.value, operands)))
        raise Refused("vectors and pairs are no values of a row")


def _cell(address: ast.Address, type_: ast.Type | None) -> Cell:
    """Return where an access goes, if that is fixed."""
    base, index = address.base, address.index
    if not isinstance(base, ast.AddressOf) or not (index is None or isinstance(index, ast.Number)):
        raise Refused("an address that is computed")
    if type_ is None or type_.lanes or type_.pair:
        raise Refused("an access of a vector")
    return Cell(base.location, index.value * type_.size if isinstance(index, ast.Number) else 0, type_.size)
