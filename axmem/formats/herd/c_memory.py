"""What one thread in C does with memory and its variables.

What goes in: values and places that were read. What comes out: statements, in order, of which those in the arm of a
branch are kept apart. What reads the text of expressions is `c_statements.Body`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

from axmem.formats.herd.c_types import CType, Value, converted, of_register, truth
from axmem.front.records import dataclass, replace
from axmem.front.source import Span
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.syntax import (
    AccessMode,
    Address,
    Assign,
    AtomicRmw,
    CmpXchg,
    Expr,
    If,
    Load,
    Number,
    Ordering,
    Register,
    Statement,
    Store,
    SyncScope,
)
from axmem.litmus.words import Scope


@dataclass(frozen=True, slots=True)
class CallArgument:
    """An argument of a call, not evaluated yet: its tokens, and the word that it is if it is one."""

    start: int
    end: int
    word: str
    span: Span


Arm: TypeAlias = tuple[Value, tuple[Statement, ...]]
"""A value, and the statements that compute it."""


class ThreadVariables(ABC):
    """The statements of one thread so far, and its variables.

    `locals` are the local variables, `parameters` the types of what the parameters point to.
    """

    def __init__(self, cursor: Cursor, parameters: dict[str, CType], locals_: dict[str, CType], scope: Scope) -> None:
        self.cursor = cursor
        self.parameters = parameters
        self.locals = dict(locals_)
        self.scope = SyncScope(scope)
        self.out: list[Statement] = []
        self.count = 0

    @abstractmethod
    def expression(self) -> Value:
        """Read an expression."""

    def fail(self, span: Span, message: str, hint: str = "") -> Unparsable:
        """Record an error and return the exception to raise."""
        return self.cursor.fail(span, message, hint)

    def emit(self, statement: Statement) -> None:
        """Add a statement."""
        self.out.append(statement)

    def fresh(self) -> str:
        """Return a register for a value without a name."""
        while (name := f"_{self.count + 1}") in self.locals:
            self.count += 1
        self.count += 1
        return name

    def number(self, value: int) -> Number:
        """Return a number that takes the type of its place."""
        return Number(value)

    def inside(self, read: Callable[[], Value | None]) -> Arm:
        """Return what is read, and its statements apart from those before."""
        before, self.out = self.out, []
        value = read()
        found, self.out = tuple(self.out), before
        return value or Value(Number(0)), found

    def branch(
        self, condition: Value, then: tuple[Statement, ...], otherwise: tuple[Statement, ...], span: Span
    ) -> None:
        """Add a branch."""
        self.emit(If(truth(condition), then, otherwise, span=span))

    def fitting(self, value: Value, type_: CType, span: Span) -> Expr:
        """Return a value as one of the type of a variable, or fail where C has no such conversion."""
        if (value.type.target is None) != (type_.target is None) and not value.literal:
            kinds = ("a pointer", "a number") if value.type.target is not None else ("a number", "a pointer")
            raise self.fail(span, f"this variable is {kinds[1]}, but gets {kinds[0]}")
        return converted(value, type_)

    def assign(self, name: str, value: Expr, span: Span) -> None:
        """Assign a variable; what memory returned goes there at once."""
        last = self.out[-1] if self.out else None
        if (
            isinstance(value, Register) and value.name.startswith("_") and isinstance(last, Load | AtomicRmw | CmpXchg)
            and last.register == value.name
        ):  # fmt: skip
            self.out[-1] = replace(last, register=name)
        else:
            self.emit(Assign(name, value, span=span))

    def stored(self, address: Address, target: CType, value: Value, span: Span) -> tuple[Statement, ...]:
        """Return what writes a value by an assignment."""
        return (Store(self.fitting(value, target, span), target.type, address, self.mode(target), span=span),)

    def mode(self, target: CType) -> AccessMode:
        """Return how an assignment or an expression accesses memory of a type."""
        if target.atomic:
            return AccessMode(Ordering.SEQ_CST, self.scope, volatile=target.volatile)
        return AccessMode(volatile=target.volatile)

    def access(self, address: Address, target: CType, span: Span) -> Value:
        """Read memory in an expression."""
        name = self.fresh()
        self.emit(Load(name, target.type, address, self.mode(target), span=span))
        return Value(Register(name), of_register(target))

    def valued(self, argument: CallArgument) -> Value:
        """Evaluate an argument."""
        self.cursor.index = argument.start
        value = self.expression()
        if self.cursor.index != argument.end:
            self.cursor.fail_expected("an operator or the end of the argument")
        return value

    def pointed(self, argument: CallArgument) -> tuple[Address, CType]:
        """Evaluate an argument that is an address; return it and the type of the memory there."""
        return self.pointing(self.valued(argument), argument.span)

    def pointing(self, value: Value, span: Span) -> tuple[Address, CType]:
        """Return the memory that a pointer points to."""
        if value.type.target is None:
            raise self.fail(span, "this is no address of memory", "locations are parameters, as in P0 (atomic_int* x)")
        return Address(value.expr, span=span), value.type.target

    def local_at(self, argument: CallArgument) -> Value | None:
        """Return the variable of which an argument is the address, if it is one."""
        words = self.cursor.tokens[argument.start : argument.end]
        if len(words) == 2 and words[0].kind == "&" and words[1].text in self.locals:
            return Value(Register(words[1].text, span=words[1].span), self.locals[words[1].text])
        return None

    @staticmethod
    def name_of(local: Value) -> str:
        """Return the name of a variable."""
        assert isinstance(local.expr, Register)
        return local.expr.name
