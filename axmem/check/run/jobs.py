"""Many jobs, answered one after another or by workers.

What goes in: jobs, any number of them. What comes out: what came of each, in their order, as soon as those before it
are there. Questions and answers are plain data, so that any `concurrent.futures` executor can do the work. Invariants:
one job's failure, were it the death of its worker, is that of this job alone; of a long run only a short stretch is in
memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.check.run.work import HERE as HERE
from axmem.check.run.work import A, Done, Q, attempt, keep
from axmem.check.run.work import AnswerMemory as AnswerMemory
from axmem.check.run.work import Job as Job
from axmem.check.run.work import Workers as Workers
from axmem.check.run.work import faultless as faultless


def answers(
    jobs: Iterable[Job[Q, A]], workers: Workers = HERE, memory: AnswerMemory[Q, A] | None = None
) -> Iterator[Done[A]]:
    """Yield what comes of each job, in order; the jobs are taken from the iterable as the workers get to them.

    The memory gets an answer as soon as it is there, whether or not those before it are.
    """
    if workers.executor is None:
        for job in jobs:
            begun = memory.recalled(job) if memory else job
            done = attempt(begun)
            keep(begun, done, memory)
            yield done
        return
    from axmem.check.run.batch import RunBatch  # noqa: PLC0415 -- heavy, and one process does most work

    batch = RunBatch(workers, workers.executor, memory)
    try:
        yield from batch.done_in_order(jobs)
    finally:
        batch.cancel()
