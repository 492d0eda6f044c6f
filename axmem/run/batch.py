"""Jobs that others do.

What goes in: jobs, and an executor of `concurrent.futures`. What comes out: what came of each, in their order.
Invariants: the death of a worker is that of the job it was at; of a long run only a short stretch is in memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from queue import SimpleQueue
from typing import Generic

from axmem.run.work import A, Done, Job, Memory, Q, Workers, attempt, keep, lost_by

WORKER_DIED = "the worker died"
AHEAD = 64
"""How many jobs are at the workers or done but waiting for one before them, for each worker."""


class Unreachable(BrokenExecutor):
    """An executor that its workers, or their scheduler, have left; the message says which."""


class _Task(Generic[Q, A]):
    """A job that was begun, where it is done, and what came of it once that is here."""

    def __init__(self, job: Job[Q, A]) -> None:
        self.job = job
        self.future: Future[Done[A]] | None = None
        self.done: Done[A] | None = None


class Batch(Generic[Q, A]):
    """The stretch of a run that was begun and not yet reported."""

    def __init__(self, workers: Workers, executor: Executor, memory: Memory[Q, A] | None) -> None:
        self.workers = workers
        self.executor = executor
        self.memory = memory
        self.tasks: deque[_Task[Q, A]] = deque()
        self.ended: SimpleQueue[tuple[_Task[Q, A], Future[Done[A]]]] = SimpleQueue()

    def done_in_order(self, jobs: Iterable[Job[Q, A]]) -> Iterator[Done[A]]:
        """Yield what comes of the jobs; begin one only when few enough are begun."""
        for job in jobs:
            self._begin(job)
            while not self.ended.empty():
                self._settle(*self.ended.get())
            while self.tasks and (self.tasks[0].done is not None or len(self.tasks) >= AHEAD * self.workers.number):
                yield self._first()
        while self.tasks:
            yield self._first()

    def cancel(self) -> None:
        """Let nothing begin that has not begun."""
        for task in self.tasks:
            if task.future is not None:
                task.future.cancel()

    def _begin(self, job: Job[Q, A]) -> None:
        """Give a job to the workers, unless its answer is known."""
        task = _Task(self.memory.recalled(job) if self.memory else job)
        self.tasks.append(task)
        if task.job.known:
            task.done = attempt(task.job)
        else:
            self._await(task, _submitted(self.executor, task.job))

    def _await(self, task: _Task[Q, A], future: Future[Done[A]]) -> None:
        task.future = future
        future.add_done_callback(lambda done: self.ended.put((task, done)))

    def _first(self) -> Done[A]:
        """Wait for the first task, and see to the others that end meanwhile."""
        while (done := self.tasks[0].done) is None:
            self._settle(*self.ended.get())
        self.tasks.popleft()
        return done

    def _settle(self, task: _Task[Q, A], future: Future[Done[A]]) -> None:
        """Take what came of a task. When the executor is broken, find out by whom and let a new one do the rest."""
        if future is not task.future:
            return  # It broke with its executor, and the job has been submitted again.
        try:
            task.done = future.result()
        except BrokenExecutor as error:
            if self.workers.renew is not None:
                self._restart(self.workers.renew)
                return
            task.done = Done(task.job.name, lost=str(error) if isinstance(error, Unreachable) else WORKER_DIED)
        except CancelledError:
            task.done = Done(task.job.name, lost=WORKER_DIED)
        except Exception as error:
            task.done = Done(task.job.name, lost=lost_by(error, WORKER_DIED))
        keep(task.job, task.done, self.memory)

    def _restart(self, renew: Callable[[int], Executor]) -> None:
        """Try the first jobs that were not done, one of which broke the executor, alone; submit the others again."""
        begun = [(task, task.future) for task in self.tasks if task.future is not None and task.done is None]
        wait([future for _, future in begun])
        undone = [task for task, future in begun if isinstance(future.exception(), BrokenExecutor)]
        for task in undone[: self.workers.number]:
            self._await(task, _alone(task.job, renew))
        self.executor = renew(self.workers.number)
        for task in undone[self.workers.number :]:
            self._await(task, _submitted(self.executor, task.job))


def _alone(job: Job[Q, A], renew: Callable[[int], Executor]) -> Future[Done[A]]:
    """Run a job in an executor of its own."""
    done: Future[Done[A]] = Future()
    with renew(1) as executor:
        try:
            done.set_result(_submitted(executor, job).result())
        except BrokenExecutor:
            done.set_result(Done(job.name, lost=WORKER_DIED))
    return done


def _submitted(executor: Executor, job: Job[Q, A]) -> Future[Done[A]]:
    """Submit a job; an executor that is broken already gives a future that says so."""
    try:
        return executor.submit(attempt, job)
    except BrokenExecutor as error:
        broken: Future[Done[A]] = Future()
        broken.set_exception(error)
        return broken
