"""What a test expects, against what was found.

What goes in: a test, a model and the result under it. What comes out: a `ExpectationCheck` for every verdict and
outcome set that the test gives for this model under these variants. Invariant: an unknown answer passes only where
`unknown` is what the test expects, and an outcome set passes only if it is exactly what was found; where the outcomes
were projected to columns that do not include its own, it is not checked, and said so. That no execution is consistent
meets no expectation but an outcome set without rows, and that the condition `true` never holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from axmem.check import conditions
from axmem.check.results import Result, format_lanes
from axmem.check.selection import concerns
from axmem.events.graph import address_of
from axmem.events.values import UNDEF, Value
from axmem.front.output import counted
from axmem.front.records import dataclass
from axmem.litmus import syntax as ast
from axmem.litmus.conditions import POSSIBLE
from axmem.litmus.undef import order_of, partial
from axmem.model.model import Model

PASSED, MISMATCH, UNKNOWN, UNCHECKED = "ok", "mismatch", "unknown", "unchecked"

Lanes = tuple[Value, ...]
Row = tuple[Lanes, ...]


@dataclass(frozen=True, slots=True)
class ExpectationCheck:
    """One expectation. `kind` is `verdict` or `outcomes`; `status` is ok, mismatch, unknown or unchecked.

    `line` is where the expectation stands; `missing` are outcomes that were expected and not found, `unexpected` those
    found and not expected, as lines.
    """

    kind: str
    line: int
    expected: str
    found: str
    status: str
    reason: str = ""
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()


def checks(
    test: ast.LitmusTest, model: Model, result: Result, asked: Sequence[str] | None = None
) -> tuple[ExpectationCheck, ...]:
    """Return what the test expects of this model, checked, in the order of the text.

    `asked` names the columns to which the outcomes of the result are projected; None: they are whole.
    """
    found = [
        _verdict(expectation, result, test.condition)
        for expectation in test.expectations
        if any(concerns(choice, model) for choice in expectation.models)
    ]
    open_ended = any(c.expected == "unknown" and c.status == PASSED for c in found)
    for outcomes in test.outcome_sets:
        if any(concerns(choice, model) for choice in outcomes.models):
            if asked is None or _names(outcomes) <= set(asked):
                found.append(_outcomes(outcomes, result, open_ended))
            else:
                found.append(_left_out(outcomes))
    return tuple(sorted(found, key=lambda c: c.line))


def status(result: Result, found: Iterable[ExpectationCheck]) -> str:
    """Return what the checks of one result come to; an unknown verdict that nobody expects is unknown."""
    found = tuple(found)
    states = {c.status for c in found}
    expected = any(c.status == PASSED and (c.expected == "unknown" or not result.consistent) for c in found)
    if MISMATCH in states:
        return MISMATCH
    if UNKNOWN in states or (result.verdict == "unknown" and not expected):
        return UNKNOWN
    return PASSED if PASSED in states else UNCHECKED


def _verdict(expectation: ast.Expectation, result: Result, condition: ast.Condition) -> ExpectationCheck:
    expected, found = expectation.verdict, result.verdict
    if not result.consistent:
        found = "no execution"
        met = expected == "never" and condition == ast.Truth(True)  # Which asks whether there is any.
    else:
        met = found in ("sometimes", "always") if expected == POSSIBLE else found == expected
    state = PASSED if met else UNKNOWN if found == "unknown" else MISMATCH
    return ExpectationCheck(
        kind="verdict",
        line=expectation.span.line,
        expected=expected,
        found=found,
        status=state,
        reason=expectation.reason,
    )


def _outcomes(outcomes: ast.OutcomeSet, result: Result, open_ended: bool) -> ExpectationCheck:
    """Compare an outcome set; what a limit cut may still hold the missing ones."""
    observables = tuple(observable for observable, _ in outcomes.rows[0]) if outcomes.rows else ()
    if not observables:
        return _no_outcomes(outcomes, result, open_ended)
    if not {conditions.name_of(o) for o in observables} <= {c.name for c in result.columns}:
        return ExpectationCheck("outcomes", outcomes.span.line, _count(len(outcomes.rows)), "none", UNKNOWN)
    types = tuple(_type_of(o, result) for o in observables)
    expected = {_written(row, observables, types, result) for row in outcomes.rows}
    found = {_projected(row, observables, result) for row in result.outcomes}
    missing, unexpected = expected - found, found - expected
    if unexpected or (missing and (result.complete or not result.consistent)):
        state = MISMATCH
    else:
        state = PASSED if result.complete or open_ended else UNKNOWN
    return ExpectationCheck(
        kind="outcomes",
        line=outcomes.span.line,
        expected=_count(len(expected)),
        found=_count(len(found)),
        status=state,
        reason="",
        missing=_lines(missing, observables, types, result),
        unexpected=_lines(unexpected, observables, types, result),
    )


def _names(outcomes: ast.OutcomeSet) -> set[str]:
    """Return the columns of which an outcome set speaks."""
    return {conditions.name_of(observable) for row in outcomes.rows[:1] for observable, _ in row}


def _left_out(outcomes: ast.OutcomeSet) -> ExpectationCheck:
    """Return the check of an outcome set some columns of which were not asked for."""
    reason = "not all of its columns were asked for"
    return ExpectationCheck(
        kind="outcomes",
        line=outcomes.span.line,
        expected=_count(len(outcomes.rows)),
        found="not asked",
        status=UNCHECKED,
        reason=reason,
    )


def _no_outcomes(outcomes: ast.OutcomeSet, result: Result, open_ended: bool) -> ExpectationCheck:
    """Check an outcome set without rows: no execution is consistent, so that the condition neither holds nor fails."""
    some = bool(result.outcomes) or bool(result.positive + result.negative)
    settled = MISMATCH if some else PASSED if result.complete or open_ended or not result.consistent else UNKNOWN
    found = _count(len(result.outcomes)) if result.outcomes or not some else "some outcome"
    return ExpectationCheck(
        kind="outcomes",
        line=outcomes.span.line,
        expected=_count(0),
        found=found,
        status=settled,
        reason="",
        missing=(),
        unexpected=result.states(),
    )


def _count(number: int) -> str:
    return counted(number, "outcome")


def _name(observable: ast.Observable) -> str:
    """Return how a row shows an observable: `P1:r0`, `P1:r0[1]`, `x`, `x[1]`."""
    lane = isinstance(observable, ast.RegisterOf) and observable.index is not None
    return conditions.name_of(observable) + (f"[{observable.index}]" if lane else "")


def _type_of(observable: ast.Observable, result: Result) -> ast.Type:
    type_ = next(c.type for c in result.columns if c.name == conditions.name_of(observable))
    if not isinstance(observable, ast.RegisterOf) or observable.index is None:
        return type_
    return ast.I1 if type_.pair and observable.index == 1 else type_.element


def _projected(row: Row, observables: tuple[ast.Observable, ...], result: Result) -> Row:
    """Return what an outcome has for the observables of an outcome set."""
    values = {c.name: lanes for c, lanes in zip(result.columns, row, strict=True)}

    def lanes_of(observable: ast.Observable) -> Lanes:
        lanes = values[conditions.name_of(observable)]
        if isinstance(observable, ast.RegisterOf) and observable.index is not None:
            return (lanes[observable.index],)
        return lanes

    return tuple(lanes_of(o) for o in observables)


def _written(
    row: tuple[tuple[ast.Observable, ast.Operand], ...],
    observables: tuple[ast.Observable, ...],
    types: tuple[ast.Type, ...],
    result: Result,
) -> Row:
    """Return a row of the text, in the order of the observables."""
    operands = dict(row)
    return tuple(_lanes(operands[o], t, result.locations) for o, t in zip(observables, types, strict=True))


def _lanes(operand: ast.Operand, type_: ast.Type, locations: tuple[str, ...]) -> Lanes:
    """Return a written value as lanes of a type; a scalar stands for every lane."""
    lanes = max(1, type_.lanes, 2 if type_.pair else 1)
    if isinstance(operand, ast.VectorOf):
        return tuple(_value(e, _lane_bits(type_, i), locations) for i, e in enumerate(operand.elements))
    return tuple(_value(operand, _lane_bits(type_, i), locations) for i in range(lanes))


def _lane_bits(type_: ast.Type, lane: int) -> int:
    return 1 if type_.pair and lane == 1 else type_.bits


def _value(operand: ast.Operand | ast.Expr, bits: int, locations: tuple[str, ...]) -> Value:
    match operand:
        case ast.Number(value):
            return value & ((1 << bits) - 1)
        case ast.UndefValue(partly=partly):
            return UNDEF if partly is None else partial(partly.bits, partly.free, bits)
        case ast.AddressOf(location):
            return address_of(locations.index(location))
        case ast.IntegerOperation("add", (ast.AddressOf(location), ast.Number(offset))):
            return address_of(locations.index(location), offset)
    raise AssertionError(f"no value of an outcome: {operand}")


def _lines(
    rows: Iterable[Row], observables: tuple[ast.Observable, ...], types: tuple[ast.Type, ...], result: Result
) -> tuple[str, ...]:
    """Return rows as sorted lines, `P1:r0=1  P1:r1=undef`."""
    ordered = sorted(rows, key=lambda row: [order_of(v) for lanes in row for v in lanes])
    return tuple(
        "  ".join(
            f"{_name(o)}={format_lanes(lanes, t, result.locations)}"
            for o, t, lanes in zip(observables, types, row, strict=True)
        )
        for row in ordered
    )
