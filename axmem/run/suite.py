"""Tests, judged.

What goes in: a `Job`, which is text and plain data. What comes out: its `Report`, also plain data. Invariant: whatever
goes wrong with a job is in its report.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

from axmem.check import conditions
from axmem.check.deadline import DeadlinePassed, deadline
from axmem.check.decide import decide
from axmem.check.expectations import Check, checks, status
from axmem.check.results import Result, Work, result_of
from axmem.check.robustness import Neighbour, neighbours
from axmem.check.selection import parse_choice, runs
from axmem.encoder.events import EventGraph
from axmem.encoder.limits import MEMORY_LIMIT, TIME_LIMIT, Limit, Reason, solver_stopped
from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.solve import UNLIMITED, Limits, Solved, solve
from axmem.encoder.solver import Session
from axmem.encoder.unroll import event_graph
from axmem.front.source import Diagnostic, InputError
from axmem.litmus import syntax as ast
from axmem.litmus.parser import parse
from axmem.model.terms import Model
from axmem.run.fingerprint import model_digest, neighbourhood_digest
from axmem.run.pool import ran_out_of_memory

_KEPT = threading.local()
"""What a worker keeps from job to job: its solver session."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was worked out about a test under one model: the result, and the neighbours where they were asked for."""

    result: Result
    neighbours: tuple[Neighbour, ...] | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One test to judge. `name` is what messages show; `models` and `variants` are as on the command line.

    Without `models` those that the test mentions are taken. `robust` asks for the neighbours of every model, `oracle`
    for the brute-force engine instead of the solver, `columns` for the verdict and no more of the outcomes than those
    columns. `known` is empty, or has what is known already, or None, for each model in the order in which they are run.
    `unreadable` says why there is no text.
    """

    name: str
    text: str
    models: tuple[str, ...] = ()
    variants: tuple[tuple[str, str], ...] = ()
    limits: Limits = UNLIMITED
    robust: bool = False
    oracle: bool = False
    columns: tuple[str, ...] | None = None
    known: tuple[Finding | None, ...] = ()
    unreadable: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a test under one model, what the test expects of it, and how the two agree.

    `status` is ok, mismatch, unknown or unchecked. `satisfying` tells of each outcome whether the condition may hold
    of it, None where the outcome does not show all that the condition speaks of. `neighbours` is None where they were
    not asked for. `digest` is that of the model, for a job that comes with what is known.
    """

    result: Result
    checks: tuple[Check, ...]
    status: str
    satisfying: tuple[bool | None, ...] = ()
    neighbours: tuple[Neighbour, ...] | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one job. `test` is None where the text could not be read; `lost` says why no answer came back."""

    name: str
    test: ast.LitmusTest | None = None
    answers: tuple[Answer, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    lost: str = ""


def report_of(job: Job) -> Report:
    """Judge one test, here and now; whatever goes wrong is in the report."""
    try:
        return _judged(job)
    except InputError as error:
        return Report(job.name, diagnostics=error.diagnostics)
    except Exception as error:
        _forget_session()
        told = str(MEMORY_LIMIT) if ran_out_of_memory(error) else f"internal error: {type(error).__name__}: {error}"
        return Report(job.name, lost=told)


def _judged(job: Job) -> Report:
    if job.unreadable:
        return Report(job.name, diagnostics=job.unreadable)
    test = parse(job.text, job.name)
    answers: list[Answer] = []
    diagnostics: list[Diagnostic] = []
    try:
        models = runs(test, tuple(parse_choice(m) for m in job.models), dict(job.variants))
    except InputError as error:
        return Report(job.name, test, (), error.diagnostics)
    for (reference, model), known in zip(models, job.known or (None,) * len(models), strict=True):
        try:
            answers.append(_answer(job, test, reference, model, known))
        except InputError as error:
            diagnostics += error.diagnostics
    return Report(job.name, test, tuple(answers), tuple(dict.fromkeys(diagnostics)))


def _answer(job: Job, test: ast.LitmusTest, reference: str, model: Model, known: Finding | None) -> Answer:
    finding = known or _finding(job, test, reference, model)
    result = finding.result
    found = checks(test, model, result, job.columns)
    digest = answer_digest(job, reference, model) if job.known else ""
    return Answer(result, found, status(result, found), _satisfying(test, model, result), finding.neighbours, digest)


def _finding(job: Job, test: ast.LitmusTest, reference: str, model: Model) -> Finding:
    result = _result(job, test, model)
    if not job.robust:
        return Finding(result)
    return Finding(result, neighbours(reference, model, result, lambda changed: _result(job, test, changed)))


def answer_digest(job: Job, reference: str, model: Model) -> str:
    """Return the digest of the models on which a job's answer under one model depends."""
    return neighbourhood_digest(reference, model) if job.robust else model_digest(model)


def _result(job: Job, test: ast.LitmusTest, model: Model) -> Result:
    """Return the result under one model; where memory ran out with a session in use, try again with a new one."""
    fresh = not hasattr(_KEPT, "session")
    result = _within_limits(job, test, model)
    if _out_of_memory(result):
        _forget_session()
        if not fresh:
            result = _within_limits(job, test, model)
    return replace(result, incomplete=(MEMORY_LIMIT,)) if _out_of_memory(result) else result


def _out_of_memory(result: Result) -> bool:
    return any(reason.limit is Limit.MEMORY for reason in result.incomplete)


def _within_limits(job: Job, test: ast.LitmusTest, model: Model) -> Result:
    started = time.perf_counter()
    try:
        if job.columns is not None:
            return decide(test, model, columns=job.columns, limits=job.limits, session=_session())
        with deadline(job.limits.seconds):
            graph = event_graph(test, undef_memory=not model.undefs)
            solved = _by_oracle(graph, model) if job.oracle else None
        # The solver keeps time itself; an exception out of the blue could be lost in its callbacks.
        solved = solved or solve(graph, model, job.limits, _session())
        return result_of(test, model, graph, solved, time.perf_counter() - started)
    except DeadlinePassed:
        reason = TIME_LIMIT
    except Exception as error:
        if ran_out_of_memory(error):
            reason = MEMORY_LIMIT
        elif type(error).__module__.startswith("z3"):
            reason = solver_stopped(error)
        else:
            raise
    _forget_session()
    return _unanswered(test, model, reason, time.perf_counter() - started)


def _by_oracle(graph: EventGraph, model: Model) -> Solved:
    """Return what brute force finds, in the form of what the solver finds."""
    found = enumerate_outcomes(graph, model)
    return Solved(found.outcomes, found.flags, found.undefined, found.incomplete)


def _unanswered(test: ast.LitmusTest, model: Model, reason: Reason, seconds: float) -> Result:
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


def _satisfying(test: ast.LitmusTest, model: Model, result: Result) -> tuple[bool | None, ...]:
    """Tell of each outcome whether the condition may hold of it, None where it does not show enough."""
    if not _observed(test.condition) <= {c.name for c in result.columns}:
        return (None,) * len(result.outcomes)
    types = {c.name: c.type for c in result.columns}
    undef = model.choice.get("undef.exists", "wild")
    found = []
    for row in result.outcomes:
        values = {c.name: lanes for c, lanes in zip(result.columns, row, strict=True)}
        valuation = conditions.Valuation(values, types, result.locations)
        found.append(conditions.holds(test.condition, valuation, undef).may)
    return tuple(found)


def _observed(condition: ast.Condition) -> set[str]:
    """Return the columns of which a condition speaks."""
    match condition:
        case ast.Not(inner):
            return _observed(inner)
        case ast.Both(left, right) | ast.Either(left, right):
            return _observed(left) | _observed(right)
        case ast.Comparison(_, left, right):
            return {conditions.name_of(s) for s in (left, right) if isinstance(s, ast.RegisterOf | ast.FinalValue)}
        case ast.Truth():
            return set()


def _session() -> Session:
    if not hasattr(_KEPT, "session"):
        _KEPT.session = Session()
    return _KEPT.session  # type: ignore[no-any-return]


def _forget_session() -> None:
    if hasattr(_KEPT, "session"):
        del _KEPT.session
