"""Work of the long runs, spread over processes as the commands' is, and how such a run ends that is interrupted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from axmem.check.run.jobs import AnswerMemory, Job, answers
from axmem.check.run.store import AnswerStore
from axmem.check.run.workers import interruptible, workers
from axmem.front.exits import interrupt_code
from axmem.front.interrupts import heard

Q = TypeVar("Q")
A = TypeVar("A")


def spread(
    function: Callable[[Q], A], questions: Iterable[Q], processes: int, memory: AnswerMemory[Q, A] | None = None
) -> Iterator[A]:
    """Yield what a function returns for each question, in order. Raises RuntimeError if there is no answer to one."""
    with workers(processes) as at_work:
        for done in answers((Job(f"{k}", q, function) for k, q in enumerate(questions)), at_work, memory):
            if why := done.lost or done.fault or done.not_run or done.diagnostics:
                raise RuntimeError(f"question {done.name}: {why}")
            yield done.answer  # type: ignore[misc]


@dataclass(frozen=True)
class Kept(Generic[Q, A]):
    """What is known of questions from earlier runs, in a store.

    `key` returns a digest of all that an answer depends on, `record` makes plain data of an answer, and `read` an
    answer of that.
    """

    store: AnswerStore
    key: Callable[[Q], str]
    record: Callable[[A], object]
    read: Callable[[Any], A]

    def recalled(self, job: Job[Q, A]) -> Job[Q, A]:
        """Return a job with its answer, if that is known."""
        known = self.store.recalled(self.key(job.question), self.read)
        return job if known is None else replace(job, function=Known(known), known=True)

    def keep(self, job: Job[Q, A], answer: A) -> None:
        """Keep an answer."""
        if not isinstance(job.function, Known):
            self.store.keep(self.key(job.question), self.record(answer))


@dataclass(frozen=True)
class Known(Generic[A]):
    """A function that returns what is known."""

    answer: A

    def __call__(self, _question: object) -> A:
        """Return it."""
        return self.answer


def ended(main: Callable[[], int], said: str = "") -> int:
    """Return the exit code of a run. One that is interrupted ends with a line, which goes on with what is `said`."""
    try:
        with heard(), interruptible():
            return main()
    except KeyboardInterrupt as interrupt:
        print(f"\ninterrupted{said}", file=sys.stderr)
        return interrupt_code(interrupt)
