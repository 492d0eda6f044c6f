"""Results of checking a test: plain data that prints well and pickles.

What goes in: a litmus test and a model. What comes out: a `Result`: the outcomes, the verdict on the condition, flags,
and whether anything was cut. No solver object is in it.
"""

from __future__ import annotations

import time
from functools import cached_property

from axmem.check import conditions
from axmem.check.limits import hard
from axmem.check.selection import AnyModel, loaded
from axmem.encoder.engines import AnySession, Engine
from axmem.encoder.events import ADDRESS_SHIFT, EventGraph, location_at
from axmem.encoder.limits import TIME_LIMIT, Reason
from axmem.encoder.solve import UNLIMITED, Deadline, Limits, Row, Solved, solve
from axmem.encoder.unroll import events_under
from axmem.encoder.values import UNDEF, Value
from axmem.formats.reading import as_test
from axmem.front.clock import OutOfTime, within
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.model.terms import Model

VERDICTS = ("never", "sometimes", "always", "undefined", "unknown")


@dataclass(frozen=True, slots=True)
class Column:
    """One observed value: its name (`P1:r0`, `x`, `x[1]`) and type."""

    name: str
    type: ast.Type


@dataclass(frozen=True, slots=True)
class Work:
    """What an answer cost, in machine-independent figures and in seconds."""

    variables: int
    clauses: int
    checks: int
    seconds: float


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
    started, deadline = time.perf_counter(), Deadline(limits.seconds)
    test, model = as_test(test), loaded(model)
    try:
        with within(hard(deadline)):
            graph = events_under(test, model, promises=promises)
            solved = solve(graph, model, replace(limits, seconds=deadline.left()), session, engine)
            return result_of(test, model, graph, solved, time.perf_counter() - started)
    except OutOfTime:
        return unanswered(test, model, TIME_LIMIT, time.perf_counter() - started)


def result_of(test: ast.LitmusTest, model: Model, graph: EventGraph, solved: Solved, seconds: float) -> Result:
    """Turn what an engine found into a result: filter, sort, judge."""
    columns = tuple(Column(o.name, o.type) for o in graph.observed)
    undef = model.choice.get("undef.exists", "wild")
    rows = [r for r in solved.outcomes if test.filter is None or _truth(test.filter, r, columns, graph, undef).may]
    truths = [_truth(test.condition, r, columns, graph, undef) for r in rows]
    undefined = tuple(sorted(solved.undefined))
    verdict = "undefined" if undefined else judge(truths, complete=not solved.incomplete)
    return Result(
        test=test.name,
        model=model.name,
        variants=model.changed,
        columns=columns,
        locations=graph.locations,
        outcomes=tuple(sorted(rows, key=_sort_key)),
        verdict=verdict,
        positive=sum(t.may for t in truths),
        negative=sum(not t.must for t in truths),
        flags=tuple(sorted(solved.flags)),
        undefined=undefined,
        incomplete=solved.incomplete,
        work=Work(solved.variables, solved.clauses, solved.checks, seconds),
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
        outcomes=tuple(sorted(solved.outcomes, key=_sort_key)),
        verdict="undefined" if undefined else judge(some, complete=solved.decided),
        positive=int(holds),
        negative=int(fails),
        flags=tuple(sorted(solved.flags)),
        undefined=undefined,
        incomplete=solved.incomplete,
        work=work,
    )


def judge(truths: list[conditions.Truth], *, complete: bool) -> str:
    """Return the verdict: never, sometimes or always; unknown where outcomes not found could change it."""
    some = any(t.may for t in truths)
    every = all(t.must for t in truths)
    if some and not every:
        return "sometimes"
    if not complete:
        return "unknown"
    return "always" if every and some else "never"


def _truth(
    condition: ast.Condition, row: Row, columns: tuple[Column, ...], graph: EventGraph, undef: str
) -> conditions.Truth:
    values = {c.name: lanes for c, lanes in zip(columns, row, strict=True)}
    types = {c.name: c.type for c in columns}
    return conditions.holds(condition, conditions.Valuation(values, types, graph.locations), undef)


def _sort_key(row: Row) -> list[tuple[bool, int]]:
    return [(value is UNDEF, 0 if value is UNDEF else value) for lanes in row for value in lanes]


def format_lanes(lanes: tuple[Value, ...], type_: ast.Type, locations: tuple[str, ...]) -> str:
    """Return a value as outcomes show it: `1`, `undef`, `{1,undef,1,1}`, `&x`, `&x+4`."""
    texts = [_format(v, type_, locations) for v in lanes]
    return "{" + ",".join(texts) + "}" if len(texts) > 1 or type_.lanes else texts[0]


def _format(value: Value, type_: ast.Type, locations: tuple[str, ...]) -> str:
    if value is UNDEF:
        return "undef"
    if type_.pointer is not None and value >> ADDRESS_SHIFT:
        index, offset = location_at(value)
        if 0 <= index < len(locations):
            return f"&{locations[index]}" + (f"+{offset}" if offset else "")
    return str(value)
