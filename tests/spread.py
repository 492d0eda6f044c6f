"""Work of the long runs, spread over processes as the commands' is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from axmem.run.jobs import Job, answers
from axmem.run.workers import workers

Q = TypeVar("Q")
A = TypeVar("A")


def spread(function: Callable[[Q], A], questions: Iterable[Q], processes: int) -> Iterator[A]:
    """Yield what a function returns for each question, in order. Raises RuntimeError if there is no answer to one."""
    with workers(processes) as at_work:
        for done in answers((Job(f"{k}", q, function) for k, q in enumerate(questions)), at_work):
            if why := done.lost or done.fault or done.not_run or done.diagnostics:
                raise RuntimeError(f"question {done.name}: {why}")
            yield done.answer  # type: ignore[misc]
