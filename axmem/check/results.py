"""Results of checking a test: plain data that prints well and pickles.

What goes in: a litmus test and a model. What comes out: a `Result`: the outcomes, the verdict on the condition, flags,
and whether anything was cut. No solver object is in it.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from itertools import chain, count
from operator import itemgetter

from axmem.check import conditions
from axmem.check.limits import limited
from axmem.check.selection import AnyModel, read_both
from axmem.encoder.engines import AnySession, Engine
from axmem.encoder.limits import NO_EXECUTION, TIME_LIMIT, Reason
from axmem.encoder.solve import UNLIMITED, Deadline, Limits, Row, Solved, solve
from axmem.encoder.symmetry import classes
from axmem.events.conventions import undef_in_conditions
from axmem.events.graph import ADDRESS_SHIFT, EventGraph, location_at
from axmem.events.unroll import events_under
from axmem.events.values import ABSENT, Value
from axmem.front.clock import OutOfTime
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.memo import memo
from axmem.litmus.undef import order_of, text_of
from axmem.litmus.walk import observables
from axmem.model.model import Model


@dataclass(frozen=True, slots=True)
class Column:
    """One observed value: its name (`P1:r0`, `x`, `x[1]`) and type."""

    name: str
    type: ast.Type


@dataclass(frozen=True, slots=True)
class Work:
    """What an answer cost, in machine-independent figures and in seconds; and whether truth tables gave it, not Z3."""

    variables: int
    clauses: int
    checks: int
    seconds: float
    by_tables: bool = False


@dataclass(frozen=True)
class Result:
    """The outcomes of a test under a model and what they say of its condition.

    `outcomes` are rows of lanes in the order of `columns`, sorted, undef after numbers. `positive` and `negative` count
    the outcomes of which the condition may hold and may fail. `flags` are names of the model's flags that some
    execution raises; `undefined` are reasons of undefined behaviour; `incomplete` says what cut the enumeration (empty
    if nothing did).
    """

    test: str
    model: str
    variants: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...]
    locations: tuple[str, ...]
    outcomes: tuple[Row, ...]
    verdict: str
    positive: int
    negative: int
    flags: tuple[str, ...]
    undefined: tuple[str, ...]
    incomplete: tuple[Reason, ...]
    work: Work

    @property
    def label(self) -> str:
        """The model with the variants that are not at their defaults, `amdgpu[vis.instance=literal]`."""
        return ast.ModelChoice(self.model, self.variants).label

    @property
    def complete(self) -> bool:
        """Whether the outcomes are all there are."""
        return not self.incomplete

    @property
    def consistent(self) -> bool:
        """Whether the model permits some execution, or it is not known that it permits none."""
        return NO_EXECUTION not in self.incomplete

    @cached_property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The outcomes as text, column by column."""
        return tuple(
            tuple(format_lanes(lanes, c.type, self.locations) for c, lanes in zip(self.columns, row, strict=True))
            for row in self.outcomes
        )

    def states(self) -> tuple[str, ...]:
        """Return the outcomes as lines, `P1:r0=1  P1:r1=undef`."""
        return tuple(
            "  ".join(f"{c.name}={text}" for c, text in zip(self.columns, row, strict=True)) for row in self.texts
        )


def outcomes(
    test: str | ast.LitmusTest,
    model: AnyModel,
    *,
    limits: Limits = UNLIMITED,
    session: AnySession = None,
    promises: bool = False,
    engine: Engine = Engine.AUTO,
) -> Result:
    """Return every outcome of a test under a model, and the verdict on its condition.

    With `promises` a broken promise of parallel accesses is undefined behaviour. `engine` is what answers.
    Raises InputError for what is wrong with the test, the model or a variant.
    """
    test, model = read_both(test, model)
    events = partial(events_under, test, model, promises=promises)
    return outcomes_of(test, model, events, limits=limits, session=session, engine=engine)


def outcomes_of(
    test: ast.LitmusTest,
    model: Model,
    events: Callable[[], EventGraph],
    *,
    limits: Limits = UNLIMITED,
    session: AnySession = None,
    engine: Engine = Engine.AUTO,
) -> Result:
    """Return every outcome of a test whose events a function makes."""
    started, deadline = time.perf_counter(), Deadline(limits.seconds, worked=limits.worked)
    try:
        with limited(deadline):
            graph = events()
            left = replace(limits, seconds=deadline.left())
            solved = solve(graph, model, left, session, engine, alike=classes(graph))
            return result_of(test, model, graph, solved, time.perf_counter() - started)
    except OutOfTime:
        return unanswered(test, model, TIME_LIMIT, time.perf_counter() - started)


def result_of(test: ast.LitmusTest, model: Model, graph: EventGraph, solved: Solved, seconds: float) -> Result:
    """Turn what an engine found into a result: filter, sort, judge."""
    columns = tuple(Column(o.name, o.type) for o in graph.observed)
    undef = undef_in_conditions(model)
    rows: Sequence[Row] = solved.rows
    if test.filter is not None:
        kept = truths(test.filter, rows, columns, graph.locations, undef)
        rows = [row for row, truth in zip(rows, kept, strict=True) if truth.may]
    found = truths(test.condition, rows, columns, graph.locations, undef)
    undefined = tuple(sorted(solved.undefined))
    verdict = "undefined" if undefined else judge(found, complete=not solved.incomplete)
    return Result(
        test=test.name,
        model=model.name,
        variants=model.changed,
        columns=columns,
        locations=graph.locations,
        outcomes=in_order(rows),
        verdict=verdict,
        positive=sum(t.may for t in found),
        negative=sum(not t.must for t in found),
        flags=tuple(sorted(solved.flags)),
        undefined=undefined,
        incomplete=solved.incomplete,
        work=Work(solved.variables, solved.clauses, solved.checks, seconds, solved.by_tables),
    )


def unanswered(test: ast.LitmusTest, model: Model, reason: Reason, seconds: float) -> Result:
    """Return the result of a test of which nothing is known."""
    return Result(
        test=test.name,
        model=model.name,
        variants=model.changed,
        columns=(),
        locations=tuple(location.name for location in test.locations),
        outcomes=(),
        verdict="unknown",
        positive=0,
        negative=0,
        flags=(),
        undefined=(),
        incomplete=(reason,),
        work=Work(0, 0, 0, seconds),
    )


def projected_result(
    test: ast.LitmusTest, model: Model, graph: EventGraph, solved: Solved, columns: tuple[Column, ...], work: Work
) -> Result:
    """Turn the answers to "may the condition hold?" and "may it fail?" into a result.

    Its outcomes are projected to `columns`, and it counts at most one outcome for each answer.
    """
    holds, fails = solved.possible or (False, False)
    some = [conditions.YES] * holds + [conditions.NO] * fails
    undefined = tuple(sorted(solved.undefined))
    return Result(
        test=test.name,
        model=model.name,
        variants=model.changed,
        columns=columns,
        locations=graph.locations,
        outcomes=in_order(solved.rows),
        verdict="undefined" if undefined else judge(some, complete=solved.decided),
        positive=int(holds),
        negative=int(fails),
        flags=tuple(sorted(solved.flags)),
        undefined=undefined,
        incomplete=solved.incomplete,
        work=work,
    )


def judge(truths: list[conditions.ConditionTruth], *, complete: bool) -> str:
    """Return the verdict: never, sometimes or always; unknown where outcomes not found could change it."""
    some = any(t.may for t in truths)
    every = all(t.must for t in truths)
    if some and not every:
        return "sometimes"
    if not complete:
        return "unknown"
    return "always" if every and some else "never"


def truths(
    condition: ast.Condition, rows: Sequence[Row], columns: tuple[Column, ...], locations: tuple[str, ...], undef: str
) -> list[conditions.ConditionTruth]:
    """Return whether a condition may hold of each outcome and whether it must."""
    judged = _Judged(rows, columns, locations, undef)
    may, must = (f"{bits:0{len(rows) + 1}b}"[1:] for bits in judged.of(condition))
    return [_TRUTHS[pair] for pair in zip(may, must, strict=True)]


_TRUTHS = {("1", "1"): conditions.YES, ("0", "0"): conditions.NO, ("1", "0"): conditions.MAYBE}


_MANY = 16
"""The most values of what a condition speaks of for which its truth is kept for other tests."""


class _Judged:
    """A condition of many outcomes at once: what may hold and what must are integers with a bit for each."""

    def __init__(
        self, rows: Sequence[Row], columns: tuple[Column, ...], locations: tuple[str, ...], undef: str
    ) -> None:
        self.rows = rows
        self.columns = columns
        self.types = {c.name: c.type for c in columns}
        self.locations = locations
        self.undef = undef
        self.all = (1 << len(rows)) - 1
        self.known = memo(("truths", undef, columns, locations))

    def of(self, condition: ast.Condition) -> tuple[int, int]:
        """Return of which outcomes a condition may hold, and of which it must; the first row is the highest bit."""
        if self.undef == "freeze":  # One number stands for an undef wherever it is named.
            return self._alone(condition, range(len(self.columns)))
        match condition:
            case ast.Not(inner):
                may, must = self.of(inner)
                return self.all ^ must, self.all ^ may
            case ast.Both(left, right):
                (may, must), (also_may, also_must) = self.of(left), self.of(right)
                return may & also_may, must & also_must
            case ast.Either(left, right):
                (may, must), (or_may, or_must) = self.of(left), self.of(right)
                return may | or_may, must | or_must
            case _:
                named = {conditions.name_of(o) for o in observables(condition)}
                return self._alone(condition, [k for k, c in enumerate(self.columns) if c.name in named])

    def _alone(self, condition: ast.Condition, asked: Sequence[int]) -> tuple[int, int]:
        """Ask a condition of outcomes, once of those that have the same in the columns that it speaks of."""
        if not asked:
            truth = self._truth(condition, (), ())
            return self.all * truth.may, self.all * truth.must
        number: defaultdict[Row, int] = defaultdict(count().__next__)
        numbers = [*map(number.__getitem__, zip(*[map(itemgetter(k), self.rows) for k in asked], strict=True))]
        known: dict[Row, conditions.ConditionTruth] = self.known.of(condition, lambda _: {})
        for part in number.keys() - known.keys():
            known[part] = self._truth(condition, asked, part)
        may = ["01"[known[part].may] for part in number]
        must = ["01"[known[part].must] for part in number]
        if len(known) > _MANY:
            known.clear()
        return _bits(map(may.__getitem__, numbers)), _bits(map(must.__getitem__, numbers))

    def _truth(self, condition: ast.Condition, asked: Sequence[int], part: Row) -> conditions.ConditionTruth:
        values = {self.columns[k].name: lanes for k, lanes in zip(asked, part, strict=True)}
        return conditions.holds(condition, conditions.Valuation(values, self.types, self.locations), self.undef)


def _bits(digits: Iterable[str]) -> int:
    return int("0" + "".join(digits), 2)


def in_order(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return outcomes sorted by their values, column by column, what has undef bits after numbers."""
    rows = tuple(rows)
    known = sorted(set(chain.from_iterable(rows)), key=_sort_key)
    rank = {lanes: number for number, lanes in enumerate(known)}.__getitem__
    short = bytes if len(known) <= 256 else list

    def key(row: Row) -> bytes | list[int]:
        return short(map(rank, row))

    if len(rows) < _SORTED:
        return tuple(sorted(rows, key=key))
    alike: defaultdict[Row, list[Row]] = defaultdict(list)
    for row in rows:
        alike[row[:2]].append(row)
    return tuple(chain.from_iterable(sorted(alike.pop(first), key=key) for first in sorted(alike, key=key)))


_SORTED = 1 << 17
"""Outcomes that are sorted at once; of more those with the same first columns, as the keys of all take much memory."""


def _sort_key(lanes: tuple[Value, ...]) -> list[tuple[int, int, int]]:
    return [*map(order_of, lanes)]


def format_lanes(lanes: tuple[Value, ...], type_: ast.Type, locations: tuple[str, ...]) -> str:
    """Return a value as outcomes show it: `1`, `undef`, `0xuu01`, `{1,undef,1,1}`, `&x`, `&x+4`."""
    texts = [_format(v, type_, locations) for v in lanes]
    return "{" + ",".join(texts) + "}" if len(texts) > 1 or type_.lanes else texts[0]


def _format(value: Value, type_: ast.Type, locations: tuple[str, ...]) -> str:
    if not isinstance(value, int):
        return text_of(value)
    if value == ABSENT:
        return "none"
    if type_.pointer is not None and value >> ADDRESS_SHIFT:
        index, offset = location_at(value)
        if 0 <= index < len(locations):
            return f"&{locations[index]}" + (f"+{offset}" if offset else "")
    return str(value)
