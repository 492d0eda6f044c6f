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

from axmem.check.run.work import A, AnswerMemory, Done, Job, Q, Workers, attempt, attempts, keep, lost_by

WORKER_DIED = "the worker died"
AHEAD = 64
"""How many jobs are at the workers or done but waiting for one before them, for each worker."""
SECONDS = 0.05
"""How long a call goes on to begin jobs."""


class ExecutorLost(BrokenExecutor):
    """An executor that its workers, or their scheduler, have left; the message says which."""


class _Task(Generic[Q, A]):
    """A job that was begun, and what came of it once that is here."""

    def __init__(self, job: Job[Q, A]) -> None:
        self.job = job
        self.done: Done[A] | None = None


class _Call(Generic[Q, A]):
    """Jobs that one worker does, one after another."""

    def __init__(self, tasks: list[_Task[Q, A]], future: Future[list[Done[A]]]) -> None:
        self.tasks = tasks
        self.future = future


class RunBatch(Generic[Q, A]):
    """The stretch of a run that was begun and not yet reported.

    Calls have one job at first, and twice as many after one that took no time, up to `at_once` of the workers.
    """

    def __init__(self, workers: Workers, executor: Executor, memory: AnswerMemory[Q, A] | None) -> None:
        self.workers = workers
        self.executor = executor
        self.memory = memory
        self.tasks: deque[_Task[Q, A]] = deque()
        self.waiting: list[_Task[Q, A]] = []
        self.size = 1
        self.calls: dict[_Call[Q, A], None] = {}
        """The calls that have not been settled, as they were submitted."""
        self.ended: SimpleQueue[_Call[Q, A]] = SimpleQueue()

    def done_in_order(self, jobs: Iterable[Job[Q, A]]) -> Iterator[Done[A]]:
        """Yield what comes of the jobs; begin one only when few enough are begun."""
        for job in jobs:
            self._begin(job)
            while not self.ended.empty():
                self._settle(self.ended.get())
            while self.tasks and (self.tasks[0].done is not None or len(self.tasks) >= AHEAD * self.workers.number):
                yield self._first()
        while self.tasks:
            yield self._first()

    def cancel(self) -> None:
        """Let nothing begin that has not begun."""
        for call in self.calls:
            call.future.cancel()

    def _begin(self, job: Job[Q, A]) -> None:
        """Give a job to the workers, unless its answer is known, with others that wait for a call."""
        task = _Task(self.memory.recalled(job) if self.memory else job)
        self.tasks.append(task)
        if task.job.known:
            task.done = attempt(task.job)
            return
        self.waiting.append(task)
        if len(self.waiting) >= self.size:
            self._submit_waiting()

    def _submit_waiting(self) -> None:
        if self.waiting:
            tasks, self.waiting = self.waiting, []
            self._submit(tasks)

    def _submit(self, tasks: list[_Task[Q, A]]) -> None:
        self._await(tasks, _submitted(self.executor, [task.job for task in tasks]))

    def _await(self, tasks: list[_Task[Q, A]], future: Future[list[Done[A]]]) -> None:
        call = _Call(tasks, future)
        self.calls[call] = None
        future.add_done_callback(lambda _: self.ended.put(call))

    def _first(self) -> Done[A]:
        """Wait for the first task, and see to the others that end meanwhile."""
        while (done := self.tasks[0].done) is None:
            self._submit_waiting()
            self._settle(self.ended.get())
        self.tasks.popleft()
        return done

    def _settle(self, call: _Call[Q, A]) -> None:
        """Take what came of a call. When the executor is broken, find out by whom and let a new one do the rest."""
        if call not in self.calls:
            return  # It broke with its executor, and the jobs have been submitted again.
        try:
            found = call.future.result()
        except BrokenExecutor as error:
            if self.workers.renew is not None:
                self._restart(self.workers.renew)
                return
            if isinstance(error, ExecutorLost):
                self._take(call, [Done(task.job.name, not_run=str(error)) for task in call.tasks])
                return
            lost = WORKER_DIED
        except CancelledError:
            lost = WORKER_DIED
        except Exception as error:
            lost = lost_by(error, WORKER_DIED)
        else:
            self.size = min(2 * self.size, self.workers.at_once) if len(found) == len(call.tasks) else 1
            self._take(call, found)
            return
        # An answer that cannot be sent is one job's failure; the others of its call have theirs by themselves.
        self._take(call, [Done(call.tasks[0].job.name, lost=lost)] if len(call.tasks) == 1 else [])

    def _take(self, call: _Call[Q, A], found: list[Done[A]]) -> None:
        """Take what came of the first jobs of a call; submit the others again, each by itself."""
        del self.calls[call]
        for task, done in zip(call.tasks, found, strict=False):
            task.done = done
            keep(task.job, done, self.memory)
        for task in call.tasks[len(found) :]:
            self._submit([task])

    def _restart(self, renew: Callable[[int], Executor]) -> None:
        """Try the jobs of the first calls, one of which broke the executor, alone; submit the others again."""
        begun = list(self.calls)
        wait([call.future for call in begun])
        undone = [call for call in begun if isinstance(call.future.exception(), BrokenExecutor)]
        for call in undone:
            del self.calls[call]
        for task in (task for call in undone[: self.workers.number] for task in call.tasks):
            self._await([task], _alone(task.job, renew))
        self.executor = renew(self.workers.number)
        for call in undone[self.workers.number :]:
            self._submit(call.tasks)


def _alone(job: Job[Q, A], renew: Callable[[int], Executor]) -> Future[list[Done[A]]]:
    """Run a job in an executor of its own."""
    done: Future[list[Done[A]]] = Future()
    with renew(1) as executor:
        try:
            done.set_result(_submitted(executor, [job]).result())
        except BrokenExecutor:
            done.set_result([Done(job.name, lost=WORKER_DIED)])
    return done


def _submitted(executor: Executor, jobs: list[Job[Q, A]]) -> Future[list[Done[A]]]:
    """Submit jobs; an executor that is broken already gives a future that says so."""
    try:
        return executor.submit(attempts, jobs, SECONDS)
    except BrokenExecutor as error:
        broken: Future[list[Done[A]]] = Future()
        broken.set_exception(error)
        return broken
