"""Are the changes sound that passes make in LLVM's own tests?

What goes in: a directory of LLVM's tests, opt, a size of contexts and a time. What comes out: an `Answer` for each
function that does more with memory than plain loads and stores, and each way in which a run of opt in its file changes
it: refused with the reason, or judged for every choice of its parameters. Invariants: `sound` is said only if every
choice is, and the tests of the pair show all that differs; nothing that goes wrong in one function ends the run.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from axmem.check.run import jobs as run
from axmem.check.run.fingerprint import digest_of, program_digest
from axmem.check.run.jobs import HERE, Job, Workers
from axmem.check.run.store import AnswerStore, Bounds
from axmem.check.run.stored import Stored, itself
from axmem.formats.ir.pairs import FunctionPair, called
from axmem.formats.ir.promises import promises
from axmem.front.files import content
from axmem.front.progress import Show, unseen
from axmem.front.records import dataclass, replace
from axmem.front.source import Source, mistake
from axmem.front.typing import override
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.functions import models_of
from axmem.refinement.inclusion import UNKNOWN
from axmem.refinement.opt_runs import Changed, OptFailed, runs
from axmem.refinement.timed import REFUSED as REFUSED
from axmem.refinement.timed import timed

UNCHANGED, GONE = "unchanged", "gone"
"""What is said of a function that is not judged; one that is gone was removed, or has other parameters."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How far to go: contexts of at most so many operations, seconds of a processor for each function and model.

    Without models a function is judged under those of its module's triple.
    """

    opt: str
    models: tuple[ModelChoice, ...]
    context: int
    seconds: float | None
    every: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a function and of one way in which runs of opt leave it; without a model it was not judged.

    `runs` are the command lines that all leave it so, `choice` what parameters were in what is unsound, and `context`
    the size of contexts up to which it is sound (None: of any size), or in which it is unsound. `seconds` are those
    that a processor worked for the answer.
    """

    file: str
    line: int
    function: str
    runs: tuple[str, ...]
    verdict: str
    model: str = ""
    context: int | None = None
    choice: str = ""
    reasons: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Unread:
    """A file, or a run of opt in it, that gave no module: why."""

    file: str
    run: str
    reason: str


def files(paths: Iterable[str]) -> list[tuple[str, str]]:
    """Return the modules below some directories, or those named, each with what it is called. Raises InputError."""
    found = []
    for path in paths:
        if os.path.isfile(path):
            found.append((path, os.path.basename(path)))
        elif not os.path.isdir(path):
            raise mistake(path, "there is no such directory", "--opt-tests takes llvm/test/Transforms or parts of it")
        for folder, _, names in sorted(os.walk(path)):
            below = [os.path.join(folder, name) for name in sorted(names) if name.endswith(".ll")]
            found += [(each, os.path.relpath(each, path)) for each in below]
    return found


def answers(
    named: Sequence[tuple[str, str]],
    asked: Asked,
    workers: Workers = HERE,
    store: AnswerStore | None = None,
    show: Show = unseen,
) -> Iterator[Answer | Unread]:
    """Yield what is known of every function of some files, in their order.

    The store has an answer as soon as it is there, whether or not those before it are. Raises InputError for a file
    that cannot be read.
    """
    begun: deque[_Inquiry] = deque()

    def jobs() -> Iterator[Job[Any, Answer | Unread]]:
        for inquiry in _inquiries(named, asked):
            begun.append(inquiry)
            show(begun[0].shown)
            known = isinstance(inquiry.about, Unread) or inquiry.model is None
            yield Job(inquiry.shown, inquiry.about if known else inquiry, itself if known else _judged, known)

    refused: object = None
    for done in run.answers(jobs(), workers, None if store is None else _Stored(store)):
        inquiry = begun.popleft()
        show((begun or [inquiry])[0].shown)
        found = done.answer
        if found is None:  # The worker is gone, and took the answer with it.
            reasons = (done.lost or done.fault or done.not_run,)
            label = "" if inquiry.model is None else inquiry.model.label
            found = replace(inquiry.about, verdict=UNKNOWN, model=label, reasons=reasons)
        if isinstance(found, Answer) and found.verdict == REFUSED:
            if refused is inquiry.pair:  # No model reads what another refused.
                continue
            refused = inquiry.pair
        yield found


@dataclass(frozen=True, slots=True)
class _Inquiry:
    """What is asked of one function that runs leave alike: `about` is the answer as far as it is known.

    Without a model there is nothing to ask. `shown` says on a terminal what is waited for.
    """

    shown: str
    about: Any
    pair: FunctionPair | None = None
    model: ModelChoice | None = None
    asked: Asked | None = None


def _inquiries(named: Sequence[tuple[str, str]], asked: Asked) -> Iterator[_Inquiry]:
    """Yield what is asked of every function of some files. Raises InputError for a file that cannot be read."""
    for number, (path, name) in enumerate(named):
        source = Source(name, content(path).decode("utf-8", errors="replace"))
        if "RUN:" not in source.text:
            continue
        where = f"{number}/{len(named)} {name}"
        changed: dict[tuple[str, object], list[Changed]] = {}
        try:
            for line, found in runs(source, asked.opt, every=asked.every):
                if isinstance(found, str):
                    yield _Inquiry(where, Unread(name, line.shown, found))
                    continue
                for each in found:
                    changed.setdefault((each.name, _left(each.pair)), []).append(each)
        except OptFailed as reason:
            yield _Inquiry(where, Unread(name, "", str(reason)))
        for alike in changed.values():
            yield from _of_function(f"{where} {alike[0].name}", alike, asked)


def _left(pair: FunctionPair | None) -> object:
    """Return what tells apart the ways in which runs leave a function."""
    if pair is None or pair.same:
        return pair and True
    after = pair.after
    return after.function.blocks, after.function.parameters, tuple(promises(after.module, after.function))


def _of_function(shown: str, alike: list[Changed], asked: Asked) -> Iterator[_Inquiry]:
    """Yield what is asked of a function that some runs leave alike, under each model."""
    first = alike[0]
    about = Answer(first.file, first.line, first.name, tuple(each.run.shown for each in alike), UNCHANGED)
    if first.pair is None or first.pair.same:
        yield _Inquiry(shown, replace(about, verdict=GONE if first.pair is None else UNCHANGED))
        return
    for model in asked.models or models_of(first.pair):
        yield _Inquiry(f"{shown}  {model.label}", about, first.pair, model, asked)


def _judged(inquiry: _Inquiry) -> Answer:
    """Return what is known of a pair of functions, for all choices of their parameters together."""
    about: Answer = inquiry.about
    pair, model, asked = inquiry.pair, inquiry.model, inquiry.asked
    assert pair is not None and model is not None and asked is not None
    found = timed(pair, model, asked.context, asked.seconds)
    return replace(
        about,
        verdict=found.verdict,
        model="" if found.verdict == REFUSED else model.label,
        context=found.context,
        choice=found.choice,
        reasons=found.reasons,
        assumed=found.assumed,
        seconds=found.seconds,
    )


# ---------------------------------------------------------------- from run to run


class _Stored(Stored[_Inquiry, "Answer | Unread"]):
    """The answers of earlier runs; what is unknown is asked again with more time."""

    @override
    def key(self, question: _Inquiry) -> str:
        pair, model, asked = question.pair, question.model, question.asked
        assert pair is not None and model is not None and asked is not None
        said = [program_digest("axmem.refinement"), model.label, str(asked.context)]
        for side in (pair.before, pair.after):
            said += [repr(each) for each in (side.module.globals, side.module.metadata, *called(side))]
        return digest_of("\n".join(said))

    @override
    def bounds(self, question: _Inquiry) -> Bounds:
        assert question.asked is not None
        return {"seconds": question.asked.seconds}

    @override
    def is_cut(self, answer: Answer | Unread) -> bool:
        return isinstance(answer, Answer) and answer.verdict == UNKNOWN

    @override
    def lasts(self, answer: Answer | Unread) -> bool:
        return isinstance(answer, Answer)

    @override
    def about(self, question: _Inquiry, found: Answer | Unread) -> Answer | Unread:
        assert isinstance(found, Answer)
        about = question.about
        return replace(found, file=about.file, line=about.line, function=about.function, runs=about.runs)

    @override
    def read(self, record: Any) -> Answer | Unread:
        lists = {name: tuple(record[name]) for name in ("runs", "reasons", "assumed")}
        return Answer(**{**record, **lists})
