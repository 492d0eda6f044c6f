"""Tests under models, many of them.

What goes in: questions. What comes out: their reports, in order. What is known of earlier runs is in a memory
(`axmem.check.run.known_results`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.check.judging import Question, Report, report_of
from axmem.check.run.jobs import HERE, AnswerMemory, Job, Workers, answers


def reports(
    questions: Iterable[Question], workers: Workers = HERE, memory: AnswerMemory[Question, Report] | None = None
) -> Iterator[Report]:
    """Yield the report of each question, in order, as soon as it and those before it are there."""
    for done in answers((Job(q.name, q, report_of) for q in questions), workers, memory):
        if done.answer is not None:
            yield done.answer
        else:
            yield Report(
                done.name, diagnostics=done.diagnostics, lost=done.lost, not_run=done.not_run, fault=done.fault
            )
