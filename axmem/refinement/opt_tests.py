"""Are the changes sound that passes make in LLVM's own tests?

What goes in: a directory of LLVM's tests, opt, a size of contexts and a time. What comes out: an `Answer` for each
function that does more with memory than plain loads and stores, and each way in which a run of opt in its file changes
it: refused with the reason, or judged for every choice of its parameters. Invariants: `sound` is said only if every
choice is, and the tests of the pair show all that differs; nothing that goes wrong in one function ends the run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from axmem.formats.ir.standalone import Reading, readings
from axmem.front.clock import OutOfTime, within
from axmem.front.exits import fault
from axmem.front.files import content
from axmem.front.progress import Show, unseen
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError, Source, mistake
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.inclusion import SOUND, UNKNOWN, UNSOUND
from axmem.refinement.judging import Question, judged
from axmem.refinement.opt_runs import Changed, OptFailed, runs
from axmem.run.fingerprint import digest_of, program_digest
from axmem.run.store import Store

REFUSED, UNCHANGED, GONE = "refused", "unchanged", "gone"
"""What is said of a function that is not judged; one that is gone was removed, or has other parameters."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How far to go: contexts of at most so many operations, seconds for each function and model."""

    opt: str
    models: tuple[ModelChoice, ...]
    context: int
    seconds: float | None
    every: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a function and of one way in which runs of opt leave it; without a model it was not judged.

    `runs` are the command lines that all leave it so, `choice` what parameters were in what is unsound, and `context`
    the size of contexts up to which it is sound (None: of any size), or in which it is unsound.
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
    named: Sequence[tuple[str, str]], asked: Asked, store: Store | None = None, show: Show = unseen
) -> Iterator[Answer | Unread]:
    """Yield what is known of every function of some files. Raises InputError for a file that cannot be read."""
    for number, (path, name) in enumerate(named):
        source = Source(name, content(path).decode("utf-8", errors="replace"))
        if "RUN:" not in source.text:
            continue
        show(f"{number}/{len(named)} {name}")
        changed: dict[tuple[str, object], list[Changed]] = {}
        try:
            for run, found in runs(source, asked.opt, every=asked.every):
                if isinstance(found, str):
                    yield Unread(name, run.shown, found)
                    continue
                for each in found:
                    left = (each.after[1].blocks, each.after[1].parameters) if each.after is not None else None
                    changed.setdefault((each.name, None if each.same else left or ()), []).append(each)
        except OptFailed as reason:
            yield Unread(name, "", str(reason))
        for alike in changed.values():
            show(f"{number}/{len(named)} {name} {alike[0].name}")
            yield from _answers(alike, asked, store)


def _answers(alike: list[Changed], asked: Asked, store: Store | None) -> Iterator[Answer]:
    first = alike[0]
    shown = tuple(each.run.shown for each in alike)
    about = (first.file, first.before[1].span.line, first.name, shown)
    if first.same:
        yield Answer(*about, UNCHANGED)
        return
    if first.after is None:
        yield Answer(*about, GONE)
        return
    begun = time.monotonic()
    try:
        for side, function in (first.before, first.after):
            if (wrong := side.refused(function)) is not None:
                raise InputError([wrong])
        with within(asked.seconds):
            found = list(readings([(side.module, function) for side, function in (first.before, first.after)]))
    except InputError as error:
        yield Answer(*about, REFUSED, reasons=(error.diagnostics[0].message,))
        return
    except OutOfTime:
        yield Answer(*about, REFUSED, reasons=("it is too large to be read in time",))
        return
    except Exception as error:
        yield Answer(*about, REFUSED, reasons=(fault(error),))
        return
    for model in asked.models:
        known = _recalled(store, about, found, model, asked)
        if known is None:
            known = _judged(about, found, model, asked)
            _keep(store, known, found, model, asked)
        spent = known.seconds or time.monotonic() - begun
        yield replace(known, file=first.file, line=first.before[1].span.line, function=first.name, runs=shown,
                      seconds=round(spent, 2))  # fmt: skip


_JUDGED = ("verdict", "model", "context", "choice", "reasons", "assumed")


def _judged(
    about: tuple[str, int, str, tuple[str, ...]], found: Sequence[Reading], model: ModelChoice, asked: Asked
) -> Answer:
    """Return what is known of a pair of functions, for all choices of their parameters together."""
    begun = time.monotonic()
    context: int | None = None
    assumed: dict[str, None] = {}
    reasons: list[str] = []
    try:
        with within(asked.seconds):
            for reading in found:
                assumed |= dict.fromkeys(reading.assumed)
                left = None if asked.seconds is None else asked.seconds - (time.monotonic() - begun)
                before, after = reading.tests
                one = judged(before, after, model, Question(asked.context, left))
                if one.verdict == UNSOUND and not reading.doubtful:
                    return Answer(*about, UNSOUND, model.label, one.context, reading.words, one.reasons,
                                  tuple(assumed), time.monotonic() - begun)  # fmt: skip
                context = one.context if context is None else min(context, one.context or context)
                reasons += reading.doubtful if one.verdict == UNSOUND else one.reasons if one.verdict != SOUND else ()
                reasons += reading.undecided
    except OutOfTime:
        reasons.append(f"the time is over: {asked.seconds:g} s")
    except InputError as error:
        reasons.append(error.diagnostics[0].message)
    except Exception as error:
        reasons.append(fault(error))
    verdict = UNKNOWN if reasons else SOUND
    why = tuple(dict.fromkeys(reasons))
    return Answer(*about, verdict, model.label, context, "", why, tuple(assumed), time.monotonic() - begun)


# ---------------------------------------------------------------- from run to run


def _key(found: Sequence[Reading], model: ModelChoice, asked: Asked) -> str:
    """Return the digest of all that an answer depends on."""
    texts = [print_test(test) for reading in found for test in reading.tests]
    said = [repr((reading.undecided, reading.doubtful, reading.assumed, reading.words)) for reading in found]
    program = program_digest("axmem.families", "axmem.refinement")
    return digest_of("\n".join([program, model.label, str(asked.context), *texts, *said]))


def _recalled(
    store: Store | None, about: tuple[Any, ...], found: Sequence[Reading], model: ModelChoice, asked: Asked
) -> Answer | None:
    if store is None:
        return None

    def answer(record: Any) -> Answer:
        judged: Any = {name: record[name] for name in (*_JUDGED, "seconds")}
        lists = {name: tuple(judged[name]) for name in ("reasons", "assumed")}
        return Answer(*about, **{**judged, **lists})

    return store.recalled(_key(found, model, asked), answer, {"seconds": asked.seconds})


def _keep(store: Store | None, known: Answer, found: Sequence[Reading], model: ModelChoice, asked: Asked) -> None:
    if store is not None:
        cut = {"seconds": asked.seconds} if known.verdict == UNKNOWN else None
        store.keep(_key(found, model, asked), asdict(known), cut)
