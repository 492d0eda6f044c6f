"""Values and the expressions that compute them from what reads return.

A value is an integer, already wrapped to its width, or one with undef bits. Expressions are scalar (a vector register
is a tuple of them) and refer to memory only through `ReadOf` one cell event, so both engines evaluate them alike.

Expressions are graphs: what is used twice is there once, and two operations on the same operands are one object, so
that equality is identity. They may be as deep as a program is long: whoever walks them does it by `fold`, which comes
to each part once and needs no recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar, cast

from axmem.front.records import dataclass
from axmem.front.typing import override
from axmem.litmus.arithmetic import BITWISE as BITWISE
from axmem.litmus.arithmetic import DEPENDING as DEPENDING
from axmem.litmus.arithmetic import DIFFERS
from axmem.litmus.arithmetic import GIVEN as GIVEN
from axmem.litmus.arithmetic import POISON as POISON
from axmem.litmus.arithmetic import STRICT as STRICT
from axmem.litmus.arithmetic import UNDEF as UNDEF
from axmem.litmus.arithmetic import WHOLE as WHOLE
from axmem.litmus.arithmetic import Undef as Undef
from axmem.litmus.arithmetic import Value as Value
from axmem.litmus.arithmetic import apply_operation as apply_operation
from axmem.litmus.arithmetic import signed as signed
from axmem.litmus.floats import FLOAT_COMPARISONS
from axmem.litmus.undef import POISONED, Partial, agree, numbers_of


@dataclass(frozen=True, slots=True)
class Constant:
    """A known value."""

    value: Value


ABSENT = -1
"""What a register shows that was not assigned, where that is compared with nothing: no value of a program."""


@dataclass(frozen=True, slots=True)
class ReadOf:
    """What the read event with this index returns for its cell."""

    event: int


class _Shared:
    """An expression with operands; `reads` are the events on whose values it depends, `choices` what `Pick`s ask for.

    Subclasses name their fields in `__match_args__`. Instances are immutable, and those with equal fields are the same.
    """

    __slots__ = ("choices", "reads")
    __match_args__: tuple[str, ...]
    reads: frozenset[int]
    choices: frozenset[int]

    @classmethod
    def _of(cls, fields: tuple[Any, ...], operands: tuple[Expr, ...], choices: frozenset[int]) -> Any:
        key = (cls, *fields)
        found = _KNOWN.get(key)
        if found is None:
            found = object.__new__(cls)
            for name, value in zip(cls.__match_args__, fields, strict=True):
                object.__setattr__(found, name, value)
            object.__setattr__(found, "reads", _union(map(reads_of, operands)))
            object.__setattr__(found, "choices", _union((choices, *map(choices_of, operands))))
            _KNOWN[key] = found
        return found

    @override
    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)

    @override
    def __repr__(self) -> str:
        """Return the fields, and of operands that have operands that they are there: a whole text may have no end."""
        shown = (f"{type(o).__name__}(…)" if isinstance(o, _Shared) else repr(o) for o in operands(cast("Expr", self)))
        fields = (getattr(self, name) for name in self.__match_args__)
        parts = (f"({', '.join(shown)})" if f is operands(cast("Expr", self)) else repr(f) for f in fields)
        return f"{type(self).__name__}({', '.join(parts)})"


_KNOWN: dict[tuple[Any, ...], Any] = {}
"""The expressions there are, by their fields. No weak references: an interrupt would be lost in their callbacks."""
MANY = 50_000


def forget() -> None:
    """Forget the expressions if there are many, before those of another test are made."""
    if len(_KNOWN) > MANY:
        _KNOWN.clear()


class Apply(_Shared):
    """An operation of `bits` result bits; `parameters` are as `apply_operation` says."""

    __slots__ = ("arguments", "bits", "operation", "parameters")
    __match_args__ = ("operation", "bits", "arguments", "parameters")
    operation: str
    bits: int
    arguments: tuple[Expr, ...]
    parameters: tuple[int, ...]

    def __new__(cls, operation: str, bits: int, arguments: tuple[Expr, ...], parameters: tuple[int, ...] = ()) -> Apply:
        """Return the operation of these fields, made if it is not there."""
        made: Apply = cls._of((operation, bits, arguments, parameters), arguments, frozenset())
        return made


class Pick(_Shared):
    """The value of the arm that a choice takes (a register merged after a branch)."""

    __slots__ = ("arms", "choice")
    __match_args__ = ("choice", "arms")
    choice: int
    arms: tuple[Expr, ...]

    def __new__(cls, choice: int, arms: tuple[Expr, ...]) -> Pick:
        """Return the pick of these fields, made if it is not there."""
        made: Pick = cls._of((choice, arms), arms, frozenset((choice,)))
        return made


Expr: TypeAlias = Constant | ReadOf | Apply | Pick
K = TypeVar("K")
T = TypeVar("T")

ZERO = Constant(0)


def may_be_undef(given: Apply) -> bool:
    """Whether a parameter of which nothing is known may be undef, or poison."""
    return len(given.parameters) > 1


NONE: frozenset[int] = frozenset()


def apply(operation: str, bits: int, *arguments: Expr, parameters: tuple[int, ...] = ()) -> Expr:
    """Return the expression of an operation on `bits`-bit values, folded when every argument is known.

    So is a selection by a known condition, of which nothing depends on what is not selected.
    """
    known = tuple([a.value for a in arguments if isinstance(a, Constant)])
    if len(known) == len(arguments):
        return Constant(apply_operation(operation, bits, parameters, known))
    if operation == "select" and isinstance(arguments[0], Constant) and isinstance(arguments[0].value, int):
        taken, other = arguments[1:] if arguments[0].value else arguments[:0:-1]
        if not reads_of(other) and not choices_of(other):
            return taken
    return Apply(operation, bits, arguments, parameters)


def equal(one: Expr, other: Expr) -> Expr:
    """Return whether two expressions have the same value."""
    return Constant(1) if one == other else apply("eq", 1, one, other)


def operands(expr: Expr) -> tuple[Expr, ...]:
    """Return the expressions that an expression is made of."""
    if isinstance(expr, Apply):
        return expr.arguments
    return expr.arms if isinstance(expr, Pick) else ()


def fold(
    expr: Expr,
    value: Callable[[Expr], T],
    known: dict[Expr, T],
    needs: Callable[[Expr], tuple[Expr, ...]] = operands,
) -> T:
    """Return the value of an expression, computed once for each part; `value` finds those of its needs in `known`.

    `known` is filled: a second expression takes what it shares with the first from there.
    """
    return folded(expr, value, known, needs)


def folded(item: K, value: Callable[[K], T], known: dict[K, T], needs: Callable[[K], tuple[K, ...]]) -> T:
    """Return the value of anything that is made of others, as `fold` does of an expression."""
    stack = [item]
    while stack:
        part = stack[-1]
        missing = [need for need in needs(part) if need not in known]
        if missing:
            stack += missing
        else:
            stack.pop()
            if part not in known:
                known[part] = value(part)
    return known[item]


def evaluate(
    expr: Expr,
    read: Callable[[int], Value],
    arm: Callable[[int], int | None],
    known: dict[Expr, Value] | None = None,
) -> Value:
    """Return the value of an expression, unsigned, from what reads return and which arm each choice takes.

    What depends on an arm that is not known (None) is undef; only what arms that are taken depend on is read. `known`
    has values of parts for the same reads and arms, and is filled.
    """
    if isinstance(expr, Constant):
        return expr.value
    if isinstance(expr, ReadOf):
        return read(expr.event)
    known = {} if known is None else known
    stack: list[Apply | Pick] = [expr]
    while stack:
        part = stack[-1]
        if part in known:
            stack.pop()
            continue
        values: list[Value] = []
        waiting = len(stack)
        for need in _needed(part, arm):
            if isinstance(need, Constant):
                values.append(need.value)
            elif isinstance(need, ReadOf):
                values.append(read(need.event))
            elif need in known:
                values.append(known[need])
            else:
                stack.append(need)
        if len(stack) == waiting:
            stack.pop()
            known[part] = _value(part, values)
    return known[expr]


def without_reads(expr: Expr) -> Value:
    """Return the value of an expression over numbers alone; poison, which is no number, is undef."""
    return expr.value if isinstance(expr, Constant) else evaluate(expr, lambda _: UNDEF, lambda _: None)


def _needed(part: Apply | Pick, arm: Callable[[int], int | None]) -> tuple[Expr, ...]:
    """Return what an expression is computed from where choices take these arms."""
    if isinstance(part, Apply):
        return part.arguments
    taken = arm(part.choice)
    return () if taken is None else (part.arms[taken],)


def _value(part: Apply | Pick, values: list[Value]) -> Value:
    """Return the value of an expression from those of what it is computed from."""
    if isinstance(part, Apply):
        return apply_operation(part.operation, part.bits, part.parameters, tuple(values))
    return values[0] if values else UNDEF


def may_be(expr: Expr, number: int, value: Callable[[Expr], Value]) -> bool:
    """Tell whether an expression can be a number where `value` gives what is known of its parts (undef: not known).

    Looks through what is put together from parts, of which one alone may rule the number out, and through its
    comparison with a number; else what is not known may be anything.
    """
    parts = [(expr, number)]
    while parts:
        part, wanted = parts.pop()
        found = value(part)
        if not agree(found, wanted):
            return False
        if isinstance(found, int):
            continue
        if isinstance(part, Apply) and part.operation in (DEPENDING, WHOLE):
            parts.append((part.arguments[0], wanted))
        elif isinstance(part, Apply) and part.operation == "concat":
            for argument, width in zip(part.arguments, part.parameters, strict=True):
                parts.append((argument, wanted & ((1 << width) - 1)))
                wanted >>= width
        elif isinstance(part, Apply) and part.operation in ("eq", "ne"):
            a, b = part.arguments
            equal = wanted == (part.operation == "eq")
            for other, known in ((a, value(b)), (b, value(a))):
                if isinstance(known, int):
                    left = {known} if equal else (possible_values(other) or frozenset()) - {known}
                    parts += [(other, only) for only in left if len(left) == 1]
    return True


def parts(expr: Expr) -> Iterator[Expr]:
    """Yield an expression and all that it is made of, each once."""
    seen: set[Expr] = set()
    todo = [expr]
    while todo:
        if (at := todo.pop()) not in seen:
            seen.add(at)
            todo += operands(at)
            yield at


def reads_of(expr: Expr) -> frozenset[int]:
    """Return the read events on whose values the expression depends through its operands."""
    if isinstance(expr, _Shared):
        return expr.reads
    return frozenset((expr.event,)) if isinstance(expr, ReadOf) else NONE


def choices_of(expr: Expr) -> frozenset[int]:
    """Return the choices that a `Pick` inside the expression asks for."""
    return expr.choices if isinstance(expr, _Shared) else NONE


def _union(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    """Return the union of sets, one of them where it has all: what is derived from one read shares its set."""
    found = NONE
    for one in sets:
        if not one <= found:
            found = one if found <= one else found | one
    return found


def possible_values(expr: Expr) -> frozenset[int] | None:
    """Return every number the expression can be (undef aside) whatever reads return, or None if that is not known.

    Enough to see through false dependencies (`r ^ r`), masks and comparisons in addresses.
    """
    known: dict[Expr, frozenset[Value] | None] = {}
    found = fold(expr, lambda part: _possible(part, known), known, _bounding)
    return None if found is None else frozenset(value for value in found if isinstance(value, int))


INTEGER_COMPARISONS = frozenset(("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"))
COMPARISONS = INTEGER_COMPARISONS | FLOAT_COMPARISONS | {DIFFERS}


def _bounding(expr: Expr) -> tuple[Expr, ...]:
    """Return the operands whose possible values bound those of the expression."""
    match expr:
        case Apply("depending" | "whole", _, arguments):
            return arguments[:1]
        case Apply("select", _, arguments):
            return arguments[1:]
        case Apply("xor" | "sub", _, (a, b)) if a == b:
            return ()
        case Apply("and" | "mul", _, arguments) if ZERO in arguments:
            return ()
        case Apply(operation) if operation in COMPARISONS:
            return ()
    return operands(expr)


def _possible(expr: Expr, known: Mapping[Expr, frozenset[Value] | None]) -> frozenset[Value] | None:
    sets = [known[part] for part in _bounding(expr)]
    match expr:
        case Constant(value):
            return frozenset((value,))
        case ReadOf():
            return None
        case Pick() | Apply("select"):
            return _union_of(sets)
        case Apply("depending" | "whole"):
            return sets[0]
        case Apply(operation) if operation in COMPARISONS:
            return frozenset((0, 1))
        case Apply("given"):
            return None
        case Apply("poison"):
            return frozenset((POISONED,))
        case Apply(operation, bits, _, parameters):
            return _combine(operation, bits, parameters, sets) if sets else frozenset((0,))


def _union_of(sets: list[frozenset[Value] | None]) -> frozenset[Value] | None:
    known = [s for s in sets if s is not None]
    return frozenset[Value]().union(*known) if len(known) == len(sets) else None


def _combine(
    operation: str, bits: int, parameters: tuple[int, ...], sets: list[frozenset[Value] | None]
) -> frozenset[Value] | None:
    """Apply an operation to sets of values; a mask of few bits bounds even an unknown operand."""
    known = [s for s in sets if s is not None]
    masks = [m for m in known[0] if isinstance(m, int)] if operation == "and" and len(known) == 1 else []
    if masks and len(masks) == len(known[0]) and all(m.bit_count() <= 4 for m in masks):
        return frozenset(sub for m in masks for sub in numbers_of(Partial(0, m)))
    if len(known) != len(sets):
        return None
    tuples: list[tuple[Value, ...]] = [()]
    for s in known:
        tuples = [(*t, v) for t in tuples for v in s]
        if len(tuples) > 256:
            return None
    return frozenset(apply_operation(operation, bits, parameters, t) for t in tuples)
