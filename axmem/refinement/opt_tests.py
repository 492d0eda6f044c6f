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

from axmem.formats.ir.pairs import FunctionPair, Side, instructions
from axmem.formats.ir.syntax import Function
from axmem.front.clock import OutOfTime, within
from axmem.front.exits import fault
from axmem.front.files import content
from axmem.front.progress import Show, unseen
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError, Source, mistake
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.functions import judged_pair
from axmem.refinement.inclusion import UNKNOWN
from axmem.refinement.judging import Question
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
                    changed.setdefault((each.name, _left(each.pair)), []).append(each)
        except OptFailed as reason:
            yield Unread(name, "", str(reason))
        for alike in changed.values():
            show(f"{number}/{len(named)} {name} {alike[0].name}")
            yield from _answers(alike, asked, store)


def _left(pair: FunctionPair | None) -> object:
    """Return what tells apart the ways in which runs leave a function."""
    return None if pair is None else pair.same or (pair.after.function.blocks, pair.after.function.parameters)


def _answers(alike: list[Changed], asked: Asked, store: Store | None) -> Iterator[Answer]:
    """Yield what is known of a function that some runs leave alike."""
    first = alike[0]
    about = Answer(first.file, first.line, first.name, tuple(each.run.shown for each in alike), UNCHANGED)
    if first.pair is None or first.pair.same:
        yield replace(about, verdict=GONE if first.pair is None else UNCHANGED)
        return
    for model in asked.models:
        found = _kept(first.pair, model, asked, store)
        yield replace(found, file=about.file, line=about.line, function=about.function, runs=about.runs)
        if found.verdict == REFUSED:
            return


def _judged(pair: FunctionPair, model: ModelChoice, asked: Asked) -> Answer:
    """Return what is known of a pair of functions, for all choices of their parameters together."""
    begun = time.monotonic()
    verdict, reasons = UNKNOWN, ("",)
    try:
        with within(asked.seconds):
            one = judged_pair(pair, model, Question(asked.context, asked.seconds))
        found = one.judgement
        choice = one.reading.words if one.reading is not None else ""
        spent = time.monotonic() - begun
        return Answer("", 0, "", (), found.verdict, model.label, found.context, choice, found.reasons, found.assumed,
                      round(spent, 2))  # fmt: skip
    except OutOfTime:
        reasons = (f"the time is over: {asked.seconds:g} s",)
    except InputError as error:
        verdict, reasons = REFUSED, (error.diagnostics[0].message,)
    except Exception as error:
        # What is interrupted when the time is over may fail in a way of its own.
        late = asked.seconds is not None and time.monotonic() - begun >= asked.seconds
        reasons = (f"the time is over: {asked.seconds:g} s" if late else fault(error),)
    return Answer("", 0, "", (), verdict, "" if verdict == REFUSED else model.label, reasons=reasons,
                  seconds=round(time.monotonic() - begun, 2))  # fmt: skip


# ---------------------------------------------------------------- from run to run


def _kept(pair: FunctionPair, model: ModelChoice, asked: Asked, store: Store | None) -> Answer:
    """Return what is known of a pair, now or from an earlier run."""
    if store is None:
        return _judged(pair, model, asked)
    key = _key(pair, model, asked)
    known = store.recalled(key, _answer_of, {"seconds": asked.seconds})
    if known is None:
        known = _judged(pair, model, asked)
        store.keep(key, asdict(known), {"seconds": asked.seconds} if known.verdict == UNKNOWN else None)
    return known


def _key(pair: FunctionPair, model: ModelChoice, asked: Asked) -> str:
    """Return the digest of all that an answer depends on."""
    said = [program_digest("axmem.families", "axmem.refinement"), model.label, str(asked.context)]
    for side in (pair.before, pair.after):
        said += [repr(each) for each in (side.module.globals, side.module.metadata, *_called(side))]
    return digest_of("\n".join(said))


def _called(side: Side) -> Iterator[Function]:
    """Yield a function and those of its module that it calls."""
    ahead, seen = [side.function], {side.function.name}
    while ahead:
        function = ahead.pop()
        yield function
        callees = {each.callee for each in instructions(function) if each.callee in side.module.functions} - seen
        seen |= callees
        ahead += [side.module.functions[name] for name in sorted(callees)]


def _answer_of(record: Any) -> Answer:
    lists = {name: tuple(record[name]) for name in ("runs", "reasons", "assumed")}
    return Answer(**{**record, **lists})
