"""Changes, each asked once: whether it is sound in every context up to a size.

What goes in: a change, a model, a size of contexts, a time. What comes out: what is known of it. It is kept under the
digest of all that it depends on; what is unknown is asked again with more time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from axmem.check.run import jobs as run
from axmem.check.run.fingerprint import digest_of, program_digest
from axmem.check.run.jobs import HERE, Job, Workers
from axmem.check.run.store import AnswerStore, Bounds
from axmem.check.run.stored import Stored
from axmem.formats.ir.pairs import FunctionPair, sides
from axmem.front.records import dataclass
from axmem.front.source import InputError, Source
from axmem.front.typing import override
from axmem.litmus.syntax import ModelChoice
from axmem.passes.changes import NAME, FunctionChange
from axmem.refinement.bounded_check import Counterexample
from axmem.refinement.inclusion import UNKNOWN
from axmem.refinement.timed import REFUSED, Timed, timed


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A change, under a model by its label, in contexts of up to so many operations, for so many seconds."""

    change: FunctionChange
    triple: str
    model: str
    context: int
    seconds: float | None


def answers(
    asked: Iterable[Inquiry], workers: Workers = HERE, store: AnswerStore | None = None
) -> Iterator[tuple[Inquiry, Timed]]:
    """Yield what is known of each change, in their order."""
    begun: list[Inquiry] = []

    def jobs() -> Iterator[Job[Inquiry, Timed]]:
        for each in asked:
            begun.append(each)
            yield Job(each.change.before, each, judged)

    for done in run.answers(jobs(), workers, None if store is None else _Stored(store)):
        known = done.answer or Timed(UNKNOWN, reasons=(done.lost or done.fault or done.not_run,))
        yield begun.pop(0), known


def judged(inquiry: Inquiry) -> Timed:
    """Return what is known of a change.

    Functions have `noalias` so that passes know of separate memory; what is said should not rest on more than that.
    """
    head = f'target triple = "{inquiry.triple}"\n' if inquiry.triple else ""
    texts = (inquiry.change.before, inquiry.change.after)
    try:
        pair = FunctionPair(*(_side(name, head + text) for name, text in zip(("before", "after"), texts, strict=True)))
    except InputError as error:
        return Timed(REFUSED, reasons=(error.diagnostics[0].message,))
    return timed(pair, ModelChoice(inquiry.model), inquiry.context, inquiry.seconds, shared=True, noalias=False)


def _side(name: str, text: str) -> Any:
    return sides(Source(f"{name}.ll", text))[NAME]


class _Stored(Stored[Inquiry, Timed]):
    """The answers of earlier runs; what is unknown is asked again with more time."""

    @override
    def key(self, question: Inquiry) -> str:
        change = question.change
        said = (change.before, change.after, question.triple, question.model, str(question.context))
        return digest_of("\n".join((program_digest("axmem.refinement"), *said)))

    @override
    def bounds(self, question: Inquiry) -> Bounds:
        return {"seconds": question.seconds}

    @override
    def is_cut(self, answer: Timed) -> bool:
        return answer.verdict == UNKNOWN

    @override
    def read(self, record: Any) -> Timed:
        shown = record["counterexample"]
        lists: dict[str, Sequence[str]] = {name: tuple(record[name]) for name in ("reasons", "assumed")}
        return Timed(**{**record, **lists, "counterexample": Counterexample(**shown) if shown else None})
