"""Answers that are kept whole from run to run, each under the digest of all that it depends on.

What goes in: jobs, and a store. What comes out: jobs that are known already, with their answers. A kind of questions
says its key, and how its answers are written as plain data and read back (`Stored`).
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Generic, TypeVar

from axmem.check.run.jobs import Job
from axmem.check.run.store import AnswerStore, Bounds

Q = TypeVar("Q")
A = TypeVar("A")


class Stored(Generic[Q, A]):
    """The answers of earlier runs to one kind of questions."""

    def __init__(self, store: AnswerStore) -> None:
        self.store = store

    def key(self, question: Q) -> str:
        """Return the digest of all that an answer depends on."""
        raise NotImplementedError

    def read(self, record: Any) -> A:
        """Return the answer of a record. Raises KeyError or TypeError if it is none."""
        raise NotImplementedError

    def plain(self, answer: A) -> object:
        """Return an answer, which is a record, as plain data."""
        return asdict(answer)  # type: ignore[call-overload]

    def bounds(self, question: Q) -> Bounds:
        """Return the limits under which an answer may be cut."""
        return {}

    def is_cut(self, answer: A) -> bool:
        """Tell whether a limit cut an answer, so that it is asked for again with more."""
        return False

    def lasts(self, answer: A) -> bool:
        """Tell whether an answer would be the same again."""
        return True

    def about(self, question: Q, found: A) -> A:
        """Return what was found as the answer to this question, which may be told apart by what is not in the key."""
        return found

    def recalled(self, job: Job[Any, A]) -> Job[Any, A]:
        """Return a job with its answer, if that is known."""
        if job.known:
            return job
        found = self.store.recalled(self.key(job.question), self.read, self.bounds(job.question))
        return job if found is None else Job(job.name, self.about(job.question, found), itself, known=True)

    def keep(self, job: Job[Any, A], answer: A) -> None:
        """Keep an answer that was not known."""
        if not job.known and self.lasts(answer):
            cut_by = self.bounds(job.question) if self.is_cut(answer) else None
            self.store.keep(self.key(job.question), self.plain(answer), cut_by)


def itself(known: A) -> A:
    """Return the answer that a job's question is: it was known before it was asked."""
    return known
