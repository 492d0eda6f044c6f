"""The statements of a thread as C.

What goes in: statements of a checked test. What comes out: lines of C; through `lost` whatever C has no words for.
Integers are declared as signed ones, and what depends on the sign casts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from axmem.formats.herd.c_calls import FLAGS, ORDERS, SCOPES
from axmem.front.records import replace
from axmem.front.source import Span
from axmem.litmus import walk
from axmem.litmus.floats import FLOAT_CASTS, FLOAT_COMPARISONS, FLOATING
from axmem.litmus.layout import location_of
from axmem.litmus.syntax import (
    AccessMode,
    Address,
    AddressOf,
    Assign,
    AtomicRmw,
    Barrier,
    CmpXchg,
    Element,
    Expr,
    Fence,
    If,
    IntegerOperation,
    LitmusTest,
    Load,
    Number,
    Ordering,
    Register,
    Statement,
    Store,
    Type,
)
from axmem.litmus.words import AS_PREFIX, Level, Scope

_ORDER_WORDS = {order: f"memory_order_{word}" for word, order in ORDERS.items()}
_SCOPE_WORDS: dict[Level, str] = {
    scope: f"memory_scope_{word}" for word, scope in SCOPES.items() if word != "all_devices"
}
_RMW = {"add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "min": "min", "max": "max"}
_UNSIGNED_RMW = {"umin": "min", "umax": "max"}
_INFIX = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "shl": "<<", "eq": "==", "ne": "!="}
_COMPARED = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_SHIFTS = frozenset({"lshr", "ashr"})
_BARE_BARRIER = "only a barrier between a release and an acquire fence of the memory that it orders has a function in C"


class Lost(Protocol):
    """Records what C cannot say."""

    def __call__(self, span: Span, message: str, *, whole: bool = False) -> None:
        """Record it."""


def c_type(type_: Type, *, unsigned: bool = False, atomic: bool = False) -> str:
    """Return the name of a scalar type."""
    if type_.pointer is not None:
        return "int*"
    bits = 8 if type_.bits == 1 else type_.bits
    if bits == 32 and not unsigned:
        return "atomic_int" if atomic else "int"
    return f"{'_Atomic ' * atomic}{'u' * unsigned}int{bits}_t"


def bare(text: str) -> str:
    """Return an expression without parentheses around the whole of it."""
    depth = 0
    for place, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if not depth:
            return text[1:-1] if char == ")" and place == len(text) - 1 else text
    return text


def held(register: str, index: int) -> str:
    """Return the variable that holds the old value (0) or the success (1) of a compare-exchange's pair."""
    return register if index == 0 else f"{register}_ok"


class CPrinter:
    """Prints one thread; `locations` are those that it names, `plain` those that it also accesses without atomics."""

    def __init__(self, test: LitmusTest, lost: Lost, *, opencl: bool) -> None:
        self.test = test
        self.lost = lost
        self.opencl = opencl
        self.locations: set[str] = set()
        self.plain: set[str] = set()
        self.declared: dict[str, None] = {}
        self.types = {location.name: location.type for location in test.locations}
        self.span = Span(1, 1)

    def function(self, body: tuple[Statement, ...]) -> list[str]:
        """Return the lines of a thread: its variables, then its statements."""
        lines = list(self.block(body, "  "))
        return [*(f"  {declaration};" for declaration in self.declared), *lines]

    def block(self, body: tuple[Statement, ...], indent: str) -> Iterator[str]:
        """Yield the lines of a block."""
        skip = 0
        for index, statement in enumerate(body):
            self.span = statement.span
            if skip:
                skip -= 1
            elif barrier := self.barrier(body[index : index + 3]):
                skip = 2
                yield f"{indent}{barrier};"
            elif isinstance(statement, If):
                yield f"{indent}if ({bare(self.value(statement.condition))}) {{"
                yield from self.block(statement.then, indent + "  ")
                if statement.otherwise:
                    yield f"{indent}}} else {{"
                    yield from self.block(statement.otherwise, indent + "  ")
                yield f"{indent}}}"
            else:
                yield from (f"{indent}{line};" for line in self.statement(statement))

    def statement(self, statement: Statement) -> list[str]:
        """Return the lines of a statement without arms."""
        mode = getattr(statement, "mode", None)
        flags = self.flags(statement.mode) if isinstance(statement, Fence) else ""
        if mode is not None:
            self.check(replace(mode, tags=frozenset()) if flags else mode)
        match statement:
            case Load(register=register, type=type_, address=address) if type_ is not None:
                return [f"{self.variable(register, type_)} = {self.read(address, type_, statement.mode)}"]
            case Store(value=value, type=type_, address=address) if type_ is not None:
                return [self.store(address, type_, bare(self.value(value)), statement.mode)]
            case AtomicRmw(type=type_) if type_ is not None:
                return [self.rmw(statement, type_)]
            case CmpXchg(type=type_) if type_ is not None:
                return self.compare_exchange(statement, type_)
            case Fence(mode=mode):
                order = f"{_ORDER_WORDS[mode.ordering]}{self.scope(mode)}"
                return [f"atomic_work_item_fence({flags}, {order})" if flags else f"atomic_thread_fence({order})"]
            case Barrier():
                self.lost(statement.span, _BARE_BARRIER, whole=True)
                return []
            case Assign(register=register, value=value) if value.type is not None:
                return [f"{self.variable(register, value.type)} = {bare(self.value(value))}"]
        word = re.sub(r"(?<!^)(?=[A-Z])", " ", type(statement).__name__).lower()
        self.lost(statement.span, f"a statement of this kind ({word}) has no words in C", whole=True)
        return []

    def barrier(self, statements: tuple[Statement, ...]) -> str:
        """Return what a release fence, a barrier and an acquire fence are in OpenCL; empty for other statements."""
        match statements:
            case (
                Fence(mode=AccessMode(ordering=Ordering.RELEASE) as mode, label=""),
                Barrier(name="", label=""),
                Fence(mode=AccessMode(ordering=Ordering.ACQUIRE) as other, label=""),
            ) if replace(other, ordering=mode.ordering) == mode and (flags := self.flags(mode)):
                self.check(replace(mode, tags=frozenset()))
                one = mode.scope.level is Scope.WORKGROUP
                return f"barrier({flags})" if one else f"work_group_barrier({flags}{self.scope(mode)})"
        return ""

    def flags(self, mode: AccessMode) -> str:
        """Return the kinds of memory that a fence of OpenCL orders, if that is all that its tags say."""
        found = [flag for flag, space in FLAGS.items() if (AS_PREFIX, space) in mode.tags]
        return " | ".join(found) if self.opencl and len(found) == len(mode.tags) else ""

    # ------------------------------------------------ accesses

    def check(self, mode: AccessMode) -> None:
        """Record what C has no words for in a mode."""
        if mode.ordering is Ordering.UNORDERED:
            self.lost(self.span, "C has no unordered atomics", whole=True)
        if mode.av:
            self.lost(self.span, "C has no av intrinsics", whole=True)
        for tag in sorted(mode.tags):
            self.lost(self.span, f"the tag {':'.join(tag)} is left out")
        for word in ("elementwise", "nontemporal"):
            if getattr(mode, word):
                self.lost(self.span, f"{word} is left out")
        if mode.promises is not None:
            self.lost(self.span, "the promise of parallel accesses is left out")
        if mode.scope.one_as:
            self.lost(self.span, "that only one address space is synchronized is left out")
        if mode.scope.level not in _SCOPE_WORDS:
            self.lost(self.span, f"OpenCL has no scope {mode.scope.level.word}", whole=True)

    def scope(self, mode: AccessMode) -> str:
        """Return the last argument of an atomic."""
        return f", {_SCOPE_WORDS.get(mode.scope.level, _SCOPE_WORDS[Scope.SYSTEM])}" if self.opencl else ""

    def tail(self, mode: AccessMode) -> str:
        """Return the order and the scope of an atomic as arguments."""
        return f", {_ORDER_WORDS.get(mode.ordering, _ORDER_WORDS[Ordering.SEQ_CST])}{self.scope(mode)}"

    def read(self, address: Address, type_: Type, mode: AccessMode) -> str:
        """Return what reads memory."""
        if mode.ordering is Ordering.NOT_ATOMIC:
            return f"*{self.pointer(address, type_, plain=True, volatile=mode.volatile)}"
        return f"atomic_load_explicit({self.pointer(address, type_, volatile=mode.volatile)}{self.tail(mode)})"

    def store(self, address: Address, type_: Type, value: str, mode: AccessMode) -> str:
        """Return what writes memory."""
        if mode.ordering is Ordering.NOT_ATOMIC:
            return f"*{self.pointer(address, type_, plain=True, volatile=mode.volatile)} = {value}"
        target = self.pointer(address, type_, volatile=mode.volatile)
        return f"atomic_store_explicit({target}, {value}{self.tail(mode)})"

    def pointer(
        self, address: Address, type_: Type, *, plain: bool = False, volatile: bool = False, unsigned: bool = False
    ) -> str:
        """Return the address of an access, cast if the memory there has another type."""
        if type_.lanes:
            self.lost(self.span, "C has no vectors in memory", whole=True)
        name = location_of(address)
        base = self.value(address.base)
        if plain and name is not None:
            self.plain.add(name)
        declared = self.types.get(name) if name is not None else None
        same = declared is not None and declared.element == type_ and isinstance(address.base, AddressOf)
        if not same or volatile or unsigned:
            words = f"{'volatile ' * volatile}{c_type(type_, unsigned=unsigned, atomic=not plain)}*"
            base = f"({words})({base})"
        if address.index is None:
            return base
        return f"({base} + {self.value(address.index)})"

    def rmw(self, statement: AtomicRmw, type_: Type) -> str:
        """Return an atomic read-modify-write."""
        unsigned = statement.operation in _UNSIGNED_RMW
        word = "exchange" if statement.operation == "xchg" else ""
        if not word:
            operation = _RMW.get(statement.operation) or _UNSIGNED_RMW.get(statement.operation)
            if operation is None:
                self.lost(self.span, f"C has no atomic {statement.operation}", whole=True)
            word = f"fetch_{operation}"
        target = self.pointer(statement.address, type_, volatile=statement.mode.volatile, unsigned=unsigned)
        call = f"atomic_{word}_explicit({target}, {bare(self.value(statement.value))}{self.tail(statement.mode)})"
        return f"{self.variable(statement.register, type_)} = {call}" if statement.register else call

    def compare_exchange(self, statement: CmpXchg, type_: Type) -> list[str]:
        """Return a compare-exchange, whose variable holds what is expected and then what was read."""
        old = statement.register or "_old"
        ok = statement.ok_register or held(old, 1)
        before = []
        desired = bare(self.value(statement.desired))
        if any(isinstance(part, Register) and part.name == old for part in walk.parts(statement.desired)):
            before = [f"{self.variable('_new', type_)} = {desired}"]
            desired = "_new"
        expected = bare(self.value(statement.expected))
        name = self.variable(old, type_)
        target = self.pointer(statement.address, type_, volatile=statement.mode.volatile)
        word = "weak" if statement.weak else "strong"
        orders = f"{_ORDER_WORDS[statement.mode.ordering]}, {_ORDER_WORDS[statement.failure]}"
        arguments = f"{target}, &{name}, {desired}, {orders}{self.scope(statement.mode)}"
        call = f"{self.variable(ok, Type(1))} = atomic_compare_exchange_{word}_explicit({arguments})"
        return [*before, *([f"{name} = {expected}"] if expected != name else []), call]

    # ------------------------------------------------ values

    def variable(self, name: str, type_: Type) -> str:
        """Return a variable, which is declared at the head of the function."""
        if type_.lanes or type_.bits > 64:
            self.lost(self.span, "C has no variables of this type", whole=True)
        shown = re.sub(r"\W", "_", name if not name[:1].isdigit() else f"r{name}")
        if shown != name:
            self.lost(self.span, f"register {name} is called {shown} there")
        self.declared[f"{c_type(type_.element)} {shown}"] = None
        return shown

    def value(self, expr: Expr) -> str:
        """Return an expression, in parentheses if it has operators."""
        match expr:
            case Number(value=value):
                return str(value) if value >= 0 else f"({value})"
            case Register(name=name):
                return re.sub(r"\W", "_", name if not name[:1].isdigit() else f"r{name}")
            case AddressOf(location=location):
                self.locations.add(location)
                return location
            case Element(value=Register(name=name), index=index):
                return held(name, index)
            case IntegerOperation():
                return f"({self.operation(expr)})"
        self.lost(self.span, "a value of this kind has no words in C", whole=True)
        return "0"

    def operation(self, expr: IntegerOperation) -> str:
        """Return an operation without the parentheses around it."""
        own = expr.operands[0].type
        values = [self.value(operand) for operand in expr.operands]
        name, type_ = expr.name, expr.type
        assert own is not None and type_ is not None
        if own.pointer is not None and name == "add":
            return f"(int*)((char*){values[0]} + {values[1]})"
        if name == "select":
            return f"{values[0]} ? {values[1]} : {values[2]}"
        if name == "not":
            return f"!{values[0]}" if own.bits == 1 else f"~{values[0]}"
        if name in ("zext", "sext", "trunc"):
            inner = c_type(own, unsigned=name == "zext")
            return f"({c_type(type_)})({inner}){values[0]}"
        if name in _INFIX:
            text = f"{values[0]} {_INFIX[name]} {values[1]}"
            narrow = name not in ("eq", "ne") and type_.bits < 32 and type_.bits > 1
            return f"({c_type(type_)})({text})" if narrow else text
        if name in FLOATING or name in FLOAT_COMPARISONS or name in FLOAT_CASTS:
            self.lost(expr.span, f"'{name}' has no words in C for the bits of numbers of floating point", whole=True)
            return "0"
        if name in _SHIFTS:
            return f"({c_type(own, unsigned=name == 'lshr')}){values[0]} >> {values[1]}"
        cast = c_type(own, unsigned=name[0] == "u")
        return f"({cast}){values[0]} {_COMPARED[name[1:]]} ({cast}){values[1]}"
