"""What opt made of modules, run by run: by workers, and kept from run to run.

What goes in: batches. What comes out: for each, in order, what came of its passes. A run in which something went wrong
is not kept, and made again the next time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from axmem.check.run import jobs as run
from axmem.check.run.fingerprint import digest_of, program_digest
from axmem.check.run.jobs import HERE, Job, Workers
from axmem.check.run.store import AnswerStore
from axmem.check.run.stored import Stored
from axmem.front.typing import override
from axmem.passes.batches import Batch, Ran, ran
from axmem.passes.changes import FunctionChange, Made
from axmem.refinement.opt_runs import version

Answer = tuple[Ran, ...]


def batches_run(
    batches: Iterable[Batch], workers: Workers = HERE, store: AnswerStore | None = None
) -> Iterator[tuple[Batch, Answer]]:
    """Yield what came of the passes of each batch, in their order."""
    begun: list[Batch] = []

    def jobs() -> Iterator[Job[Batch, Answer]]:
        for batch in batches:
            begun.append(batch)
            yield Job(f"module {batch.number}", batch, ran)

    memory = None if store is None else _Stored(store)
    for done in run.answers(jobs(), workers, memory):
        batch = begun.pop(0)
        lost = done.lost or done.fault or done.not_run
        yield batch, done.answer or tuple(Ran(name, failures=(lost,)) for name in batch.passes)


class _Stored(Stored[Batch, Answer]):
    """The runs of earlier times."""

    def __init__(self, store: AnswerStore) -> None:
        super().__init__(store)
        self.versions: dict[str, str] = {}

    @override
    def key(self, question: Batch) -> str:
        target = question.target
        if target.opt not in self.versions:
            self.versions[target.opt] = version(target.opt)
        said = (self.versions[target.opt], target.opt, *target.options, *question.passes, question.module())
        return digest_of("\n".join((program_digest("axmem.passes"), *said)))

    @override
    def lasts(self, answer: Answer) -> bool:
        return not any(each.failures for each in answer)

    @override
    def plain(self, answer: Answer) -> object:
        return [asdict(each) for each in answer]

    @override
    def read(self, record: Any) -> Answer:
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
    return Made(
        FunctionChange(**record["whole"]),
        tuple(
            (FunctionChange(**piece), tuple(FunctionChange(**each) for each in framed))
            for piece, framed in record["pieces"]
        ),
    )
