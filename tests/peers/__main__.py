"""`python -m tests.peers FOLDER`: the tests of Dartagnan, herd and Khronos, in place, under their models and ours.

What goes in: a folder with checkouts called `Dat3M`, `herdtools7`, `Vulkan-MemoryModel`. What comes out: a table, and
each difference from what a suite expects that the list `explained.txt` has no entry for, and each entry without a
difference; then exit code 1, and 2 if no suite is there. Answers are kept in `build/peers`: a run that is interrupted
goes on from there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from axmem.check.run.fingerprint import digest_of, model_digest, program_digest
from axmem.check.run.jobs import Job, answers
from axmem.check.run.store import AnswerStore
from axmem.check.run.workers import workers
from axmem.front.records import replace
from axmem.front.source import InputError
from axmem.model.library import load
from tests.paths import RESULTS, ROOT
from tests.peers.explained import FILE, Entry, entries
from tests.peers.judging import DIFFERENT, UNKNOWN, Asking, Found, judged
from tests.peers.suites import Asked, Case, suites
from tests.peers.table import page, table
from tests.spread import Known, ended

KEPT = ROOT / "build" / "peers"
RESULT = RESULTS / "peers.md"
SECONDS = 20.0


def main(arguments: list[str] | None = None) -> int:
    """Judge the suites; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.peers", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the checkouts are")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth test (default 1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose key has this text")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"for each test (default {SECONDS:.0f})")
    parser.add_argument("--results", action="store_true", help="write results/peers.md")
    options = parser.parse_args(arguments)
    cases, missing = suites(options.folder)
    for name in missing:
        print(f"{name}: not in the folder, skipped")
    if not cases:
        print(f"no suite is in {options.folder}", file=sys.stderr)
        return 2
    whole = not options.only and options.every == 1 and not missing
    files = set(sorted({case.file for case in cases if options.only in case.key})[:: options.every])
    chosen = [case for case in cases if options.only in case.key and case.file in files]
    found = dict(zip(chosen, answered(chosen, options.seconds, options.jobs), strict=True))
    print(table(found, entries(FILE)))
    if options.results and whole:
        RESULT.write_text(page(found, entries(FILE)), encoding="utf-8")
    failures = list(unexplained(found, entries(FILE), whole=whole))
    for line in failures:
        print(line)
    print(f"{len(chosen)} cases, {len(failures)} failures")
    return 1 if failures else 0


def answered(cases: list[Case], seconds: float, jobs: int) -> Iterator[Found]:
    """Yield what comes of each case, in order."""
    memory = Answers(AnswerStore(str(KEPT)))
    with memory.store.locked(), workers(jobs) as at_work:
        todo = (Job(case.key, Asking(case, seconds), judged) for case in cases)
        for number, done in enumerate(answers(map(memory.recalled, todo), at_work, memory), 1):
            if number % 100 == 0:
                print(f"\r{number} of {len(cases)}", end="", file=sys.stderr, flush=True)
            yield done.answer or Found(UNKNOWN, done.lost or str(done.diagnostics))


class Answers:
    """What is known of cases from earlier runs."""

    def __init__(self, store: AnswerStore) -> None:
        self.store = store

    def recalled(self, job: Job[Asking, Found]) -> Job[Asking, Found]:
        """Return a job with its answer, if that is known."""
        known = self.store.recalled(key_of(job.question), lambda record: Found(*record), _bounds(job.question))
        return job if known is None else replace(job, function=Known(known), known=True)

    def keep(self, job: Job[Asking, Found], answer: Found) -> None:
        """Keep an answer."""
        if not isinstance(job.function, Known):
            cut = _bounds(job.question) if answer.status == UNKNOWN else None
            self.store.keep(key_of(job.question), [answer.status, answer.said, answer.seconds], cut)


def _bounds(asking: Asking) -> dict[str, float | None]:
    return {"seconds": asking.seconds}


@cache
def _model(reference: str) -> str:
    """Return the digest of a model, or of why it does not load."""
    try:
        return model_digest(load(reference.partition("[")[0])) if reference else ""
    except InputError as error:
        return digest_of(str(error))


def key_of(asking: Asking) -> str:
    """Return the digest of all that an answer depends on."""
    case = asking.case
    read = (_text(case.path), _text(case.expected) if case.asked is Asked.STATES else case.expected)
    asked = [case.key, case.asked.value, case.model, _model(case.model), *read]
    return digest_of("\n".join([program_digest(), _own(), *asked]))


def _text(path: str) -> str:
    """Return what a file says, nothing if it is not there."""
    return Path(path).read_text(encoding="utf-8", errors="replace") if Path(path).is_file() else ""


@cache
def _own() -> str:
    return digest_of(Path(__file__).with_name("judging.py").read_text(encoding="utf-8"))


def unexplained(found: Mapping[Case, Found], known: tuple[Entry, ...], *, whole: bool) -> Iterator[str]:
    """Yield a line for each difference that no entry explains, and, of a whole run, for each entry of none."""
    used: set[Entry | None] = set()
    for case, one in found.items():
        if one.status == DIFFERENT:
            entry = next((e for e in known if e.explains(case)), None)
            used.add(entry)
            if entry is None:
                yield f"{case.key}: {one.said}"
    for entry in known if whole else ():
        if entry not in used:
            yield f"{FILE.name}:{entry.line}: explains no difference: {entry.pattern}"


if __name__ == "__main__":
    sys.exit(ended(main, "; what was answered is kept in build/peers"))
