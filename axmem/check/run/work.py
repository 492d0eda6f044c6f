"""What a job is, what comes of it, and who does it.

What goes in: a question and a function, as plain data. What comes out: its answer, whatever goes wrong.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from axmem.check.limits import ran_out_of_memory
from axmem.encoder.limits import MEMORY_LIMIT
from axmem.front.exits import InternalError, fault
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError

if TYPE_CHECKING:
    from concurrent.futures import Executor

Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Job(Generic[Q, A]):
    """A question, which is text and plain data, and what answers it, wherever that is; `name` is what messages show.

    A job that is `known` has its answer with it and is not given to a worker.
    """

    name: str
    question: Q
    function: Callable[[Q], A]
    known: bool = False


@dataclass(frozen=True, slots=True)
class Done(Generic[A]):
    """What came of a job: its answer, or what is wrong with the question, or why there is no answer.

    It is `lost` to a limit or with its worker, `not_run` if nobody has begun it, or axmem has a `fault`: an internal
    error, which answers nothing, not even that the answer is unknown.
    """

    name: str
    answer: A | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    lost: str = ""
    not_run: str = ""
    fault: str = ""


class AnswerMemory(Protocol[Q, A]):
    """Where answers are kept from run to run."""

    def recalled(self, job: Job[Q, A]) -> Job[Q, A]:
        """Return a job with what is known of it already."""

    def keep(self, job: Job[Q, A], answer: A) -> None:
        """Keep what of an answer was not known."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Where jobs are done: so many at a time by an executor; here, without one.

    `renew(n)` makes an executor of n workers, for when a worker dies and takes its executor with it; the jobs it may
    have been at are then tried alone. Without `renew` every job that was not done is lost. A worker is given up to
    `at_once` jobs in one call, as long as they take next to no time.
    """

    executor: Executor | None = None
    number: int = 1
    renew: Callable[[int], Executor] | None = None
    at_once: int = 1


HERE = Workers()


def attempt(job: Job[Q, A]) -> Done[A]:
    """Answer a job here and now; whatever goes wrong is in what comes back."""
    try:
        return Done(job.name, job.function(job.question))
    except InputError as error:
        return Done(job.name, diagnostics=error.diagnostics)
    except Exception as error:
        if ran_out_of_memory(error):
            return Done(job.name, lost=str(MEMORY_LIMIT))
        return Done(job.name, fault=fault(error))


def attempts(jobs: list[Job[Q, A]], seconds: float) -> list[Done[A]]:
    """Answer jobs here and now, the first and others for so many seconds; what was not begun is left out."""
    end = time.perf_counter() + seconds
    found = [attempt(jobs[0])]
    for job in jobs[1:]:
        if time.perf_counter() > end:
            break
        found.append(attempt(job))
    return found


def faultless(coming: Iterable[Done[A]]) -> Iterator[Done[A]]:
    """Yield what comes of jobs that are parts of one answer. Raises InternalError where axmem has a fault in one."""
    for done in coming:
        if done.fault:
            raise InternalError(f"{done.name}: {done.fault}")
        yield done


def lost_by(error: Exception, what: str) -> str:
    """Return why there is no answer after an exception, which is `what` happened unless memory ran out."""
    return str(MEMORY_LIMIT) if ran_out_of_memory(error) else f"{what}: {type(error).__name__}: {error}"


def keep(job: Job[Q, A], done: Done[A], memory: AnswerMemory[Q, A] | None) -> None:
    """Give the memory, if there is one, what came of a job."""
    if memory is not None and done.answer is not None:
        memory.keep(job, done.answer)
