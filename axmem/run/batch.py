"""Suites: many tests, judged one after another or by workers.

What goes in: jobs, any number of them. What comes out: a report for each, in the order of the jobs, as soon as those
before it are there. Jobs and reports are plain data, so that any `concurrent.futures` executor can do the work.
Invariants: one job's failure, were it the death of its worker, is the report of that job alone; of a long suite only a
short stretch is in memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from queue import SimpleQueue
from typing import Protocol

from axmem.run.suite import Job, Report, report_of

WORKER_DIED = "the worker died"
AHEAD = 64
"""How many jobs are at the workers or done but waiting for one before them, for each worker."""


class Unreachable(BrokenExecutor):
    """An executor that its workers, or their scheduler, have left; the message says which."""


class Store(Protocol):
    """Where answers are kept from run to run."""

    def recalled(self, job: Job) -> Job:
        """Return a job with what is known of it already."""

    def keep(self, job: Job, report: Report) -> None:
        """Keep what a report has that was not known."""


def run_suite(
    jobs: Iterable[Job],
    executor: Executor | None = None,
    renew: Callable[[int], Executor] | None = None,
    workers: int = 1,
    store: Store | None = None,
) -> Iterator[Report]:
    """Yield the report of each job, in order; without an executor the work is done here.

    Jobs are taken from the iterable as the workers get to them. `renew(n)` makes an executor of n workers, for when a
    worker dies and takes its executor with it; the jobs it may have been at are then tried alone. Without `renew`
    every job that was not done is reported as lost. The store gets an answer as soon as it is there, whether or not
    those before it are.
    """
    if executor is None:
        for job in jobs:
            begun = store.recalled(job) if store else job
            report = report_of(begun)
            if store:
                store.keep(begun, report)
            yield report
        return
    batch = _Batch(executor, renew, workers, store)
    try:
        yield from batch.reports(jobs)
    finally:
        batch.cancel()


class _Task:
    """A job that was begun, where it is done, and its report once that is here."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.future: Future[Report] | None = None
        self.report: Report | None = None


class _Batch:
    """The stretch of a suite that was begun and not yet reported."""

    def __init__(
        self, executor: Executor, renew: Callable[[int], Executor] | None, workers: int, store: Store | None
    ) -> None:
        self.executor = executor
        self.renew = renew
        self.workers = workers
        self.store = store
        self.tasks: deque[_Task] = deque()
        self.done: SimpleQueue[tuple[_Task, Future[Report]]] = SimpleQueue()

    def reports(self, jobs: Iterable[Job]) -> Iterator[Report]:
        """Yield the reports in order; begin a job only when few enough are begun."""
        for job in jobs:
            self._begin(job)
            while not self.done.empty():
                self._settle(*self.done.get())
            while self.tasks and (self.tasks[0].report is not None or len(self.tasks) >= AHEAD * self.workers):
                yield self._first()
        while self.tasks:
            yield self._first()

    def cancel(self) -> None:
        """Let nothing begin that has not begun."""
        for task in self.tasks:
            if task.future is not None:
                task.future.cancel()

    def _begin(self, job: Job) -> None:
        """Give a job to the workers, unless its answers are known: then they are judged here."""
        task = _Task(self.store.recalled(job) if self.store else job)
        self.tasks.append(task)
        if task.job.known and None not in task.job.known:
            task.report = report_of(task.job)
        else:
            self._submit(task, self.executor)

    def _submit(self, task: _Task, executor: Executor) -> None:
        self._await(task, _submitted(executor, task.job))

    def _await(self, task: _Task, future: Future[Report]) -> None:
        task.future = future
        future.add_done_callback(lambda done: self.done.put((task, done)))

    def _first(self) -> Report:
        """Wait for the report of the first task, and see to the others that are done meanwhile."""
        while (report := self.tasks[0].report) is None:
            self._settle(*self.done.get())
        self.tasks.popleft()
        return report

    def _settle(self, task: _Task, future: Future[Report]) -> None:
        """Take a report. When the executor is broken, find out by whom and let a new one do the rest."""
        if future is not task.future:
            return  # It broke with its executor, and the job has been submitted again.
        try:
            report = future.result()
        except BrokenExecutor as error:
            if self.renew is not None:
                self._restart(self.renew)
                return
            report = Report(task.job.name, lost=str(error) if isinstance(error, Unreachable) else WORKER_DIED)
        except CancelledError:
            report = Report(task.job.name, lost=WORKER_DIED)
        except Exception as error:
            report = Report(task.job.name, lost=f"{WORKER_DIED}: {type(error).__name__}: {error}")
        task.report = report
        if self.store:
            self.store.keep(task.job, report)

    def _restart(self, renew: Callable[[int], Executor]) -> None:
        """Try the first jobs that were not done, one of which broke the executor, alone; submit the others again."""
        begun = [(task, task.future) for task in self.tasks if task.future is not None and task.report is None]
        wait([future for _, future in begun])
        undone = [task for task, future in begun if isinstance(future.exception(), BrokenExecutor)]
        for task in undone[: self.workers]:
            self._await(task, _alone(task.job, renew))
        self.executor = renew(self.workers)
        for task in undone[self.workers :]:
            self._submit(task, self.executor)


def _alone(job: Job, renew: Callable[[int], Executor]) -> Future[Report]:
    """Run a job in an executor of its own."""
    done: Future[Report] = Future()
    with renew(1) as executor:
        try:
            done.set_result(_submitted(executor, job).result())
        except BrokenExecutor:
            done.set_result(Report(job.name, lost=WORKER_DIED))
    return done


def _submitted(executor: Executor, job: Job) -> Future[Report]:
    """Submit a job; an executor that is broken already gives a future that says so."""
    try:
        return executor.submit(report_of, job)
    except BrokenExecutor as error:
        broken: Future[Report] = Future()
        broken.set_exception(error)
        return broken
