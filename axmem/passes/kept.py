"""What opt made of modules, run by run: by workers, and kept from run to run.

What goes in: batches. What comes out: for each, in order, what came of its passes. A run in which something went wrong
is not kept, and made again the next time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from axmem.passes.batches import Batch, Ran, ran
from axmem.passes.changes import Change, Made
from axmem.refinement.opt_runs import version
from axmem.run import jobs as run
from axmem.run.fingerprint import digest_of, program_digest
from axmem.run.jobs import HERE, Job, Workers
from axmem.run.store import Store

Answer = tuple[Ran, ...]


def batches_run(
    batches: Iterable[Batch], workers: Workers = HERE, store: Store | None = None
) -> Iterator[tuple[Batch, Answer]]:
    """Yield what came of the passes of each batch, in their order."""
    begun: list[Batch] = []

    def jobs() -> Iterator[Job[Batch, Answer]]:
        for batch in batches:
            begun.append(batch)
            yield Job(f"module {batch.number}", batch, ran)

    memory = None if store is None else _Kept(store)
    for done in run.answers(jobs(), workers, memory):
        batch = begun.pop(0)
        lost = done.lost or done.fault or done.not_run
        yield batch, done.answer or tuple(Ran(name, failures=(lost,)) for name in batch.passes)


class _Kept:
    """The runs of earlier times."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.versions: dict[str, str] = {}

    def recalled(self, job: Job[Batch, Answer]) -> Job[Any, Answer]:
        """Return a job with what is known of its module."""
        found = self.store.recalled(self._key(job.question), _read)
        return job if found is None else Job(job.name, found, _itself, known=True)

    def keep(self, job: Job[Any, Answer], answer: Answer) -> None:
        """Keep runs in which nothing went wrong."""
        if not job.known and not any(each.failures for each in answer):
            self.store.keep(self._key(job.question), [asdict(each) for each in answer])

    def _key(self, batch: Batch) -> str:
        target = batch.target
        if target.opt not in self.versions:
            self.versions[target.opt] = version(target.opt)
        said = (self.versions[target.opt], target.opt, *target.options, *batch.passes, batch.module())
        return digest_of("\n".join((program_digest("axmem.passes"), *said)))


def _itself(known: Answer) -> Answer:
    return known


def _read(record: Any) -> Answer:
    """Return the runs of a record. Raises KeyError or TypeError if it is none."""
    return tuple(
        Ran(
            each["name"],
            tuple((name, _made(made)) for name, made in each["changed"]),
            each["counts"],
            tuple(each["failures"]),
        )
        for each in record
    )


def _made(record: Any) -> Made:
    return Made(Change(**record["whole"]), Change(**record["core"]), tuple(Change(**each) for each in record["framed"]))
