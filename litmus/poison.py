"""Flags of LLVM's arithmetic, such as `nsw`, as expressions: undef where the flag is broken, else the value.

What goes in: an operation and its flags. What comes out: `broken ? undef : value`, where `broken` says when LLVM makes
the result poison ([LangRef], under each instruction); or, of such an expression, the operation and its flags.
Invariant: `unflagged` reads what `guarded` has built, with types or without, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from axmem.litmus.syntax import Expr, IntegerOperation, Number, Register, Type, UndefValue
from axmem.litmus.walk import replaced

Broken = Callable[[Expr, Sequence[Expr], Type], Expr | None]
"""When a flag makes poison, of the wrapped result, the operands and their type; None: never, or that is not said."""


def guarded(operation: str, flags: Sequence[str], value: Expr, operands: Sequence[Expr], type_: Type) -> Expr:
    """Return the value of an operation, or undef where one of its flags is broken; flags without a rule do nothing.

    `value` is the wrapped result, `type_` the type of the first operand.
    """
    found = [each for flag in flags if (each := _broken(operation, flag, value, operands, type_)) is not None]
    if not found:
        return value
    condition = found[0]
    for each in found[1:]:
        condition = IntegerOperation("or", (condition, each))
    return IntegerOperation("select", (condition, UndefValue(poison=True), value), span=value.span)


def divides(operation: str, operands: Sequence[Expr], type_: Type) -> Expr | None:
    """Return what is true where a division is one, else undef, so that `assume` of it is undefined behaviour as the
    division is in LLVM; None where it always is one.
    """
    by = operands[1]
    least, ones = 1 << type_.bits - 1, (1 << type_.bits) - 1
    known = by.value & ones if isinstance(by, Number) else None
    wrong = []
    if not known:
        wrong.append(IntegerOperation("eq", (by, Number(0, type_))))
    if operation.startswith("s") and known in (None, ones):
        at = ((operands[0], least), (by, ones))
        both = tuple(IntegerOperation("eq", (each, Number(number, type_))) for each, number in at)
        wrong.append(IntegerOperation("and", both))
    if not wrong:
        return None
    condition = wrong[0] if len(wrong) == 1 else IntegerOperation("or", tuple(wrong))
    return IntegerOperation("select", (condition, UndefValue(poison=True), Number(1, Type(1))))


def true_where(condition: Expr) -> Expr:
    """Return what is true where a condition is, else undef, so that `assume` of it is undefined behaviour as LLVM's
    `llvm.assume` of the condition is.
    """
    operands = (condition, Number(1, Type(1)), UndefValue(poison=True))
    return IntegerOperation("select", operands, span=condition.span)


def supposed(assumed: Expr) -> tuple[Expr, bool] | None:
    """Return the condition, and what it is to be, of an `assume` that is undefined behaviour where it is not; None of
    others, in which executions are left out."""
    match assumed:
        case IntegerOperation(name="select", operands=(wrong, UndefValue(poison=True), Number(value=1))):
            return wrong, False
        case IntegerOperation(name="select", operands=(right, Number(value=1), UndefValue(poison=True))):
            return right, True
    return None


def undefined_where(assumed: Expr) -> str:
    """Return why behaviour is undefined where what is assumed is undef; `divides` or `holds` has built it, or not."""
    match assumed:
        case IntegerOperation(name="select", operands=(_, Number(value=1), UndefValue(poison=True))):
            return "an assumption that does not hold"
        case IntegerOperation(name="select", operands=(_, UndefValue(), Number(value=1))):
            return "a division by zero, or of the least number by -1"
    return "`assume` of undef"


def unguarded(expr: Expr) -> Expr:
    """Return an expression without the guards around it: what it is wherever it is not undef.

    Undef may be any value and a branch on it is undefined behaviour, so what holds of the value alone may be used.
    """
    while isinstance(expr, IntegerOperation) and expr.name == "select" and isinstance(expr.operands[1], UndefValue):
        expr = expr.operands[2]
    return expr


def unflagged(expr: Expr) -> tuple[IntegerOperation, tuple[str, ...]] | None:
    """Return the operation and the flags of an expression that `guarded` has built; None of anything else."""
    if not isinstance(expr, IntegerOperation) or expr.name != "select" or not isinstance(expr.operands[1], UndefValue):
        return None
    value = expr.operands[2]
    if not isinstance(value, IntegerOperation):
        return None
    type_ = value.operands[0].type or Type(32)
    built = [(f, _broken(value.name, f, value, value.operands, type_)) for n, f in _BROKEN if n in ("", value.name)]
    flags = {_bare(condition): flag for flag, condition in built if condition is not None}
    said = [_bare(each) for each in _alternatives(expr.operands[0])]
    return (value, tuple(flags[each] for each in said)) if all(each in flags for each in said) else None


def ruled(operation: str, flag: str, bits: int) -> bool:
    """Return whether there is a rule when a flag makes poison of an operation on numbers of so many bits."""
    known = (operation, flag) in _BROKEN or ("", flag) in _BROKEN
    return known and (operation != "mul" or bits in _DOUBLED)


def flags_of(expr: Expr) -> tuple[str, ...]:
    """Return the flags of an operation that `guarded` has built; of anything else there are none."""
    found = unflagged(expr)
    return () if found is None else found[1]


def _alternatives(condition: Expr) -> Iterator[Expr]:
    if isinstance(condition, IntegerOperation) and condition.name == "or":
        for each in condition.operands:
            yield from _alternatives(each)
    else:
        yield condition


def _bare(expr: Expr) -> Expr:
    """Return an expression without the types that its surroundings imply; conversions keep theirs."""

    def changed(part: Expr) -> Expr:
        match part:
            case Number(value=value):
                return Number(value)
            case Register(name=name):
                return Register(name)
            case IntegerOperation(name=name, operands=operands) if name not in ("zext", "sext", "trunc"):
                return IntegerOperation(name, operands)
        return part

    return replaced(expr, changed)


# ---------------------------------------------------------------- the rules


def _broken(operation: str, flag: str, value: Expr, operands: Sequence[Expr], type_: Type) -> Expr | None:
    rule = _BROKEN.get((operation, flag)) or _BROKEN.get(("", flag))
    return None if rule is None else rule(value, operands, type_)


def _negative(value: Expr, type_: Type) -> Expr:
    return IntegerOperation("slt", (value, Number(0, type_)))


def _differs(back: Broken) -> Broken:
    """Return the rule that an operation is undone by another."""

    def broken(value: Expr, operands: Sequence[Expr], type_: Type) -> Expr | None:
        found = back(value, operands, type_)
        return None if found is None else IntegerOperation("ne", (found, operands[0]))

    return broken


def _signed_overflow(value: Expr, first: Expr, second: Expr, type_: Type) -> Expr:
    """Say whether a sum differs in sign from both of its parts."""
    both = IntegerOperation("and", (IntegerOperation("xor", (value, first)), IntegerOperation("xor", (value, second))))
    return _negative(both, type_)


_DOUBLED = (8, 16, 32, 64)
"""The bits of numbers whose products have a type, too."""


def _product(word: str) -> Broken:
    def broken(value: Expr, operands: Sequence[Expr], type_: Type) -> Expr | None:
        if type_.bits not in _DOUBLED:
            return None
        wide = Type(type_.bits * 2)
        whole = IntegerOperation("mul", tuple(IntegerOperation(word, (operand,), wide) for operand in operands))
        return IntegerOperation("ne", (whole, IntegerOperation(word, (value,), wide)))

    return broken


_BROKEN: dict[tuple[str, str], Broken] = {
    ("add", "nuw"): lambda v, o, t: IntegerOperation("ult", (v, o[0])),
    ("add", "nsw"): lambda v, o, t: _signed_overflow(v, o[0], o[1], t),
    ("sub", "nuw"): lambda v, o, t: IntegerOperation("ult", (o[0], o[1])),
    ("sub", "nsw"): lambda v, o, t: _signed_overflow(o[0], v, o[1], t),
    ("mul", "nuw"): _product("zext"),
    ("mul", "nsw"): _product("sext"),
    ("shl", "nuw"): _differs(lambda v, o, t: IntegerOperation("lshr", (v, o[1]))),
    ("shl", "nsw"): _differs(lambda v, o, t: IntegerOperation("ashr", (v, o[1]))),
    ("lshr", "exact"): _differs(lambda v, o, t: IntegerOperation("shl", (v, o[1]))),
    ("ashr", "exact"): _differs(lambda v, o, t: IntegerOperation("shl", (v, o[1]))),
    ("udiv", "exact"): _differs(lambda v, o, t: IntegerOperation("mul", (v, o[1]))),
    ("sdiv", "exact"): _differs(lambda v, o, t: IntegerOperation("mul", (v, o[1]))),
    ("or", "disjoint"): lambda v, o, t: IntegerOperation("ne", (IntegerOperation("and", (o[0], o[1])), Number(0, t))),
    ("trunc", "nuw"): _differs(lambda v, o, t: IntegerOperation("zext", (v,), t)),
    ("trunc", "nsw"): _differs(lambda v, o, t: IntegerOperation("sext", (v,), t)),
    ("", "nneg"): lambda v, o, t: _negative(o[0], t) if len(o) == 1 else None,
    ("", "samesign"): lambda v, o, t: _negative(IntegerOperation("xor", (o[0], o[1])), t) if len(o) == 2 else None,
}
"""When a flag makes the result poison, by the operation (`""`: whichever has the flag)."""

POISONING = frozenset(flag for _, flag in _BROKEN)
"""The flags that make poison."""
