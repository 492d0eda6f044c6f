"""Many tests, judged one after another or by workers.

What goes in: `Job`s, which are text and plain data. What comes out: a `Report` for each, in the order of the jobs,
as soon as those before it are there; also plain data, so that any `concurrent.futures` executor can do the work.
Invariant: one job's failure, were it the death of its worker, is the report of that job alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, replace

from axmem import conditions
from axmem.deadline import DeadlinePassed, deadline
from axmem.encoder.events import EventGraph
from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.solve import TIME_LIMIT, UNLIMITED, Limits, Solved, solve
from axmem.encoder.solver import Session
from axmem.encoder.unroll import event_graph
from axmem.expectations import Check, checks, status
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest
from axmem.model.terms import Model
from axmem.pool import ran_out_of_memory
from axmem.results import Result, Work, result_of
from axmem.robustness import Neighbour, neighbours
from axmem.selection import parse_choice, runs
from axmem.source import Diagnostic, InputError

MEMORY_LIMIT = "the memory limit was reached"
WORKER_DIED = "the worker died"

_KEPT = threading.local()
"""What a worker keeps from job to job: its solver session."""


@dataclass(frozen=True, slots=True)
class Job:
    """One test to judge. `name` is what messages show; `models` and `variants` are as on the command line.

    Without `models` those that the test mentions are taken. `robust` asks for the neighbours of every model, `oracle`
    for the brute-force engine instead of the solver.
    """

    name: str
    text: str
    models: tuple[str, ...] = ()
    variants: tuple[tuple[str, str], ...] = ()
    limits: Limits = UNLIMITED
    robust: bool = False
    oracle: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a test under one model, what the test expects of it, and how the two agree.

    `status` is ok, mismatch, unknown or unchecked. `satisfying` tells of each outcome whether the condition may hold
    of it. `neighbours` is None where they were not asked for.
    """

    result: Result
    checks: tuple[Check, ...]
    status: str
    satisfying: tuple[bool, ...] = ()
    neighbours: tuple[Neighbour, ...] | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one job. `test` is None where the text could not be read; `lost` says why no answer came back."""

    name: str
    test: LitmusTest | None = None
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
        told = MEMORY_LIMIT if ran_out_of_memory(error) else f"internal error: {type(error).__name__}: {error}"
        return Report(job.name, lost=told)


def run_suite(
    jobs: Sequence[Job],
    executor: Executor | None = None,
    renew: Callable[[int], Executor] | None = None,
    workers: int = 1,
) -> Iterator[Report]:
    """Yield the report of each job, in order; without an executor the work is done here.

    `renew(n)` makes an executor of n workers, for when a worker dies and takes its executor with it; the jobs it may
    have been at are then tried alone. Without `renew` every job that was not done is reported as lost.
    """
    if executor is None:
        for job in jobs:
            yield report_of(job)
        return
    batch = _Batch(jobs, executor, renew, workers)
    try:
        for index in range(len(jobs)):
            yield batch.report(index)
    finally:
        batch.cancel()


class _Batch:
    """The jobs of a suite at the workers."""

    def __init__(
        self, jobs: Sequence[Job], executor: Executor, renew: Callable[[int], Executor] | None, workers: int
    ) -> None:
        self.jobs = jobs
        self.renew = renew
        self.workers = workers
        self.futures = [_submitted(executor, job) for job in jobs]

    def report(self, index: int) -> Report:
        """Wait for a report. When the executor is broken, find out by whom and let a new one do the rest."""
        while True:
            try:
                return self.futures[index].result()
            except BrokenExecutor:
                if self.renew is None:
                    return Report(self.jobs[index].name, lost=WORKER_DIED)
                self._restart(self.renew)

    def _restart(self, renew: Callable[[int], Executor]) -> None:
        """Try the first jobs that were not done, one of which broke the executor, alone; submit the others again."""
        wait(self.futures)
        undone = [i for i, future in enumerate(self.futures) if isinstance(future.exception(), BrokenExecutor)]
        for index in undone[: self.workers]:
            self.futures[index] = self._alone(index, renew)
        executor = renew(self.workers)
        for index in undone[self.workers :]:
            self.futures[index] = _submitted(executor, self.jobs[index])

    def _alone(self, index: int, renew: Callable[[int], Executor]) -> Future[Report]:
        """Run a job in an executor of its own."""
        done: Future[Report] = Future()
        with renew(1) as executor:
            try:
                done.set_result(_submitted(executor, self.jobs[index]).result())
            except BrokenExecutor:
                done.set_result(Report(self.jobs[index].name, lost=WORKER_DIED))
        return done

    def cancel(self) -> None:
        for future in self.futures:
            future.cancel()


def _submitted(executor: Executor, job: Job) -> Future[Report]:
    """Submit a job; an executor that is broken already gives a future that says so."""
    try:
        return executor.submit(report_of, job)
    except BrokenExecutor as error:
        broken: Future[Report] = Future()
        broken.set_exception(error)
        return broken


def _judged(job: Job) -> Report:
    test = parse(job.text, job.name)
    answers: list[Answer] = []
    diagnostics: list[Diagnostic] = []
    try:
        models = runs(test, tuple(parse_choice(m) for m in job.models), dict(job.variants))
    except InputError as error:
        return Report(job.name, test, (), error.diagnostics)
    for reference, model in models:
        try:
            answers.append(_answer(job, test, reference, model))
        except InputError as error:
            diagnostics += error.diagnostics
    return Report(job.name, test, tuple(answers), tuple(dict.fromkeys(diagnostics)))


def _answer(job: Job, test: LitmusTest, reference: str, model: Model) -> Answer:
    result = _result(job, test, model)
    found = checks(test, model, result)
    around = None
    if job.robust:
        around = neighbours(reference, model, result, lambda changed: _result(job, test, changed))
    return Answer(result, found, status(result, found), _satisfying(test, model, result), around)


def _result(job: Job, test: LitmusTest, model: Model) -> Result:
    """Return the result under one model; where memory ran out with a session in use, try again with a new one."""
    fresh = not hasattr(_KEPT, "session")
    result = _within_limits(job, test, model)
    if _out_of_memory(result):
        _forget_session()
        if not fresh:
            result = _within_limits(job, test, model)
    return replace(result, incomplete=(MEMORY_LIMIT,)) if _out_of_memory(result) else result


def _out_of_memory(result: Result) -> bool:
    return any("memory" in reason for reason in result.incomplete)


def _within_limits(job: Job, test: LitmusTest, model: Model) -> Result:
    started = time.perf_counter()
    try:
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
            reason = f"the solver stopped: {error}"
        else:
            raise
    _forget_session()
    return _unanswered(test, model, reason, time.perf_counter() - started)


def _by_oracle(graph: EventGraph, model: Model) -> Solved:
    """Return what brute force finds, in the form of what the solver finds."""
    found = enumerate_outcomes(graph, model)
    return Solved(found.outcomes, found.flags, found.undefined, found.incomplete)


def _unanswered(test: LitmusTest, model: Model, reason: str, seconds: float) -> Result:
    """Return the result of a test of which nothing is known."""
    defaults = {v.name: v.default for v in model.variants}
    return Result(
        test=test.name,
        model=model.name,
        variants=tuple((n, v) for n, v in model.chosen if defaults.get(n) != v),
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


def _satisfying(test: LitmusTest, model: Model, result: Result) -> tuple[bool, ...]:
    """Tell of each outcome whether the condition may hold of it."""
    types = {c.name: c.type for c in result.columns}
    undef = model.choice.get("undef.exists", "wild")
    found = []
    for row in result.outcomes:
        values = {c.name: lanes for c, lanes in zip(result.columns, row, strict=True)}
        valuation = conditions.Valuation(values, types, result.locations)
        found.append(conditions.holds(test.condition, valuation, undef).may)
    return tuple(found)


def _session() -> Session:
    if not hasattr(_KEPT, "session"):
        _KEPT.session = Session()
    return _KEPT.session  # type: ignore[no-any-return]


def _forget_session() -> None:
    if hasattr(_KEPT, "session"):
        del _KEPT.session
