"""Conditions evaluated on outcomes.

What goes in: a condition and the values of one outcome. What comes out: whether the condition may hold and whether it
must, which differ only where an undef value is compared. How undef compares is the variant `undef.exists`: `wild` (any
equation that its other bits allow may hold, each occurrence on its own), `literal` (only `= undef` holds), `freeze`
(undef is one number that nobody knows, the same at every occurrence).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice, product

from axmem.events.graph import address_of
from axmem.events.values import Value
from axmem.front.records import dataclass
from axmem.litmus import syntax as ast
from axmem.litmus.undef import Partial, agree, numbers_of
from axmem.litmus.walk import comparisons, lane_by_lane

Lanes = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class ConditionTruth:
    """Whether a condition may hold of an outcome, and whether it must."""

    may: bool
    must: bool

    def __invert__(self) -> ConditionTruth:
        return ConditionTruth(not self.must, not self.may)

    def __and__(self, other: ConditionTruth) -> ConditionTruth:
        return other if self.may and self.must else ConditionTruth(self.may and other.may, self.must and other.must)

    def __or__(self, other: ConditionTruth) -> ConditionTruth:
        return ConditionTruth(self.may or other.may, self.must or other.must)


YES, NO, MAYBE = ConditionTruth(True, True), ConditionTruth(False, False), ConditionTruth(True, False)


@dataclass(frozen=True, slots=True)
class Valuation:
    """The values of one outcome, by observable name; `locations` gives the order of the addresses."""

    values: Mapping[str, Lanes]
    types: Mapping[str, ast.Type]
    locations: tuple[str, ...]


def holds(condition: ast.Condition, outcome: Valuation, undef: str) -> ConditionTruth:
    """Evaluate a condition; `undef` is the value of the variant `undef.exists`."""
    return _frozen(partial(_evaluate, condition), condition, outcome, undef)


def holds_in_lane(comparison: ast.ValueComparison, lane: int, outcome: Valuation, undef: str) -> ConditionTruth:
    """Evaluate a comparison in one lane of vectors; that they are equal is that they are in each."""
    return _frozen(partial(_in_lane, comparison, lane), comparison, outcome, undef)


def _frozen(
    evaluate: Callable[[Valuation, str], ConditionTruth], condition: ast.Condition, outcome: Valuation, undef: str
) -> ConditionTruth:
    """Evaluate a condition, under `freeze` for all numbers that its undef values may be."""
    if undef != "freeze":
        return evaluate(outcome, undef)
    results = [evaluate(frozen, "literal") for frozen in _freezings(condition, outcome)]
    return ConditionTruth(any(r.may for r in results), all(r.must for r in results))


def name_of(observable: ast.Observable) -> str:
    """Return the name under which an outcome holds the value (a register's lanes are held under the register)."""
    if isinstance(observable, ast.RegisterOf):
        return f"{observable.thread}:{observable.register}"
    return observable.location if observable.index is None else f"{observable.location}[{observable.index}]"


def _evaluate(condition: ast.Condition, outcome: Valuation, undef: str) -> ConditionTruth:
    match condition:
        case ast.Truth(value):
            return YES if value else NO
        case ast.Not(inner):
            return ~_evaluate(inner, outcome, undef)
        case ast.Both(left, right):
            first = _evaluate(left, outcome, undef)
            return first & _evaluate(right, outcome, undef) if first.may else NO
        case ast.Either(left, right):
            first = _evaluate(left, outcome, undef)
            return YES if first.must else first | _evaluate(right, outcome, undef)
        case ast.ValueComparison(members=()):
            return _compare(condition, outcome, undef)
        case ast.ValueComparison():
            return _evaluate(lane_by_lane(condition), outcome, undef)


def _compare(comparison: ast.ValueComparison, outcome: Valuation, undef: str) -> ConditionTruth:
    left, right = _lanes(comparison.left, outcome), _lanes(comparison.right, outcome)
    mask = (1 << _bits(comparison, outcome)) - 1
    if comparison.op not in ("=", "!="):
        return _ordered(comparison.op, left[0], right[0], undef, mask)
    width = max(len(left), len(right))
    equal = YES
    for a, b in zip(_spread(left, width), _spread(right, width), strict=True):
        equal &= _equal(a, b, undef, mask)
    return equal if comparison.op == "=" else ~equal


def _in_lane(comparison: ast.ValueComparison, lane: int, outcome: Valuation, undef: str) -> ConditionTruth:
    left, right = (_spread(_lanes(side, outcome), lane + 1)[lane] for side in (comparison.left, comparison.right))
    return _equal(left, right, undef, (1 << _bits(comparison, outcome)) - 1)


@dataclass(frozen=True, slots=True)
class _Written:
    """The type of an undef that stands in the condition: equal to what has undef bits, or these, and nothing else."""

    partly: Partial | None


_Operand = Value | _Written


def _equal(a: _Operand, b: _Operand, undef: str, mask: int) -> ConditionTruth:
    if isinstance(a, _Written) or isinstance(b, _Written):
        pair = [x.partly if isinstance(x, _Written) else x for x in (a, b)]
        return YES if not any(isinstance(x, int) for x in pair) and (None in pair or pair[0] == pair[1]) else NO
    if isinstance(a, int) and isinstance(b, int):
        return YES if a & mask == b & mask else NO
    may = undef == "wild" and agree(*(x & mask if isinstance(x, int) else x for x in (a, b)))
    return MAYBE if may else NO


def _ordered(op: str, a: _Operand, b: _Operand, undef: str, mask: int) -> ConditionTruth:
    if not isinstance(a, int) or not isinstance(b, int):
        return MAYBE if undef == "wild" else NO
    x, y = a & mask, b & mask
    return YES if {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op] else NO


def _spread(lanes: tuple[_Operand, ...], width: int) -> tuple[_Operand, ...]:
    """Let a scalar stand for every lane."""
    return lanes * width if len(lanes) == 1 else lanes


def _lanes(operand: ast.Operand, outcome: Valuation) -> tuple[_Operand, ...]:
    match operand:
        case ast.RegisterOf(index=index):
            lanes = outcome.values[name_of(operand)]
            return lanes if index is None else (lanes[index],)
        case ast.FinalValue():
            return outcome.values[name_of(operand)]
        case ast.Number(value):
            return (value,)
        case ast.UndefValue(partly=partly):
            return (_Written(partly),)
        case ast.AddressOf(location):
            return (address_of(outcome.locations.index(location)),)
        case ast.VectorOf(elements):
            return tuple(_lanes(e, outcome)[0] for e in elements)  # type: ignore[arg-type]
        case ast.IntegerOperation(_, (base, offset)):
            a, b = _lanes(base, outcome)[0], _lanes(offset, outcome)[0]  # type: ignore[arg-type]
            assert isinstance(a, int) and isinstance(b, int)
            return (a + b,)
    raise AssertionError(f"no operand {operand}")


def _bits(comparison: ast.ValueComparison, outcome: Valuation) -> int:
    """Return the width at which the sides are compared: that of the observables (numbers wrap to it)."""
    widths = [
        outcome.types[name_of(side)].bits
        for side in (comparison.left, comparison.right)
        if isinstance(side, ast.RegisterOf | ast.FinalValue)
    ]
    return max(widths, default=128)


def _freezings(condition: ast.Condition, outcome: Valuation) -> Iterator[Valuation]:
    """Yield the outcome with every undef replaced by a number: those of the condition and one that is not in it."""
    numbers = sorted(_numbers(condition, outcome))
    places = [(n, i) for n, lanes in outcome.values.items() for i, v in enumerate(lanes) if not isinstance(v, int)]
    held = [outcome.values[name][lane] for name, lane in places]
    fresh = [list(islice((n for n in numbers_of(v) if n not in numbers), 1)) for v in held]
    for chosen in product(*([*(n for n in numbers if agree(v, n)), *new] for v, new in zip(held, fresh, strict=True))):
        values = {n: list(lanes) for n, lanes in outcome.values.items()}
        for (name, lane), value in zip(places, chosen, strict=True):
            values[name][lane] = value
        yield Valuation({n: tuple(v) for n, v in values.items()}, outcome.types, outcome.locations)


def _numbers(condition: ast.Condition, outcome: Valuation) -> set[int]:
    """Return the numbers that a condition compares, and those of the outcome."""
    atoms = tuple(comparisons(condition))
    sides = (s for atom in atoms for s in (atom.left, atom.right) if not isinstance(s, ast.RegisterOf | ast.FinalValue))
    lanes = [*(_lanes(side, outcome) for side in sides), *(outcome.values.values() if atoms else ())]
    return {v for some in lanes for v in some if isinstance(v, int)}
