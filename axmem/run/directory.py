"""A directory in which a run finds again what it has answered before.

What goes in: jobs, and the reports on them. What comes out: the jobs with what the directory knows of them. Each answer
is one file, named by the digest of all that it depends on: the text of the test, the model with its variants, what was
asked, and the program. Invariants: a file is a whole answer or none, whenever and however a run ends and however many
run at the same time; one that is damaged counts as absent.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from axmem.check.selection import parse_choice, runs
from axmem.encoder.limits import Limit
from axmem.encoder.solve import Limits
from axmem.front.inputs import about_file
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.run.entries import MalformedEntry, entry_text, finding_of
from axmem.run.fingerprint import digest_of, program_digest
from axmem.run.suite import Finding, Job, Report, answer_digest

ENTRIES = "answers"
RESULTS = "results.jsonl"
PARTS = "parts"
LOCK = "lock"


@contextmanager
def run_directory(
    path: str, megabytes: int | None = None, note: Callable[[str], object] = lambda _: None
) -> Iterator[RunDirectory]:
    """Provide a directory, which is made if it is not there, for the length of a run.

    `megabytes` is the memory limit of a worker; `note` is told of files that are damaged.
    """
    with _explained(Path(path)):
        for folder in (PARTS, *(f"{ENTRIES}/{shard:02x}" for shard in range(256))):
            (Path(path) / folder).mkdir(parents=True, exist_ok=True)
        lock = os.open(Path(path) / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _clean(Path(path) / PARTS, lock)
        yield RunDirectory(Path(path), megabytes, note)
    finally:
        os.close(lock)


class RunDirectory:
    """The answers of earlier runs; `reused` counts those that were of use again."""

    def __init__(self, path: Path, megabytes: int | None, note: Callable[[str], object]) -> None:
        self.path = path
        self.megabytes = megabytes
        self.note = note
        self.reused = 0

    def recalled(self, job: Job) -> Job:
        """Return a job with what the directory knows of it under each of its models."""
        if job.unreadable:
            return job
        try:
            test = parse(job.text, job.name)
            models = runs(test, tuple(parse_choice(m) for m in job.models), dict(job.variants))
        except (InputError, RecursionError):
            return job
        found = tuple(
            self._found(job, self._file(job, answer_digest(job, reference, model))) for reference, model in models
        )
        self.reused += sum(f is not None for f in found)
        return replace(job, known=found)

    def keep(self, job: Job, report: Report) -> None:
        """Keep the answers of a report that were not known."""
        for answer in report.answers:
            finding = Finding(answer.result, answer.neighbours)
            if answer.digest and finding not in job.known and self._lasting(finding):
                file = self._file(job, answer.digest)
                self._write(file, entry_text(file.stem, finding, job.limits, self.megabytes))

    @contextmanager
    def results(self) -> Iterator[Callable[[Report], object]]:
        """Provide a function that takes every report; the file of results appears when the block ends."""
        from axmem.report.json import lines

        with self._part(self.path / RESULTS) as write:
            yield lambda report: write("".join(f"{line}\n" for line in lines(report)))

    def _lasting(self, finding: Finding) -> bool:
        """Tell whether a finding would be the same again, under the same limits."""
        limits = {reason.limit for reason in finding.result.incomplete}
        return Limit.SOLVER not in limits and (Limit.MEMORY not in limits or self.megabytes is not None)

    def _file(self, job: Job, digest: str) -> Path:
        asked = [program_digest(), digest_of(job.text), digest, job.robust, job.oracle, job.columns]
        key = digest_of(json.dumps(asked))
        return self.path / ENTRIES / key[:2] / f"{key}.json"

    def _found(self, job: Job, file: Path) -> Finding | None:
        """Return an earlier answer, unless a limit cut it that is higher now."""
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self.note(f"{file}: cannot read this answer: {error.strerror or error}; its test is run again")
            return None
        try:
            finding, limits, megabytes = finding_of(content, file.stem)
        except MalformedEntry:
            self.note(f"{file}: this answer is damaged; its test is run again")
            return None
        if _uncut(finding) or not _raised(job.limits, limits, self.megabytes, megabytes):
            return finding
        return None

    def _write(self, file: Path, text: str) -> None:
        with self._part(file) as write:
            write(text)

    @contextmanager
    def _part(self, file: Path) -> Iterator[Callable[[str], object]]:
        """Provide a function that writes to a file, which appears as a whole when the block ends."""
        part = self.path / PARTS / f"{file.name}.{os.getpid()}.{secrets.token_hex(4)}"

        def write(text: str) -> None:
            with _explained(self.path):
                stream.write(text)

        try:
            with _explained(self.path):
                stream = open(part, "x", encoding="utf-8", errors="backslashreplace", newline="\n")  # noqa: SIM115
            with stream:
                yield write
                with _explained(self.path):
                    stream.flush()
            with _explained(self.path):
                os.replace(part, file)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what the file system refuses into an input error."""
    try:
        yield
    except OSError as error:
        message = f"cannot keep results here: {error.strerror or error}"
        raise InputError([about_file(str(path), message)]) from None


def _clean(parts: Path, lock: int) -> None:
    """Remove what killed runs left unfinished, unless another run is at work; hold the lock together with others."""
    with contextlib.suppress(OSError):  # Some file systems have no locks; what is left there does no harm.
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for part in parts.iterdir():
                part.unlink()
        finally:
            fcntl.flock(lock, fcntl.LOCK_SH)


def _uncut(finding: Finding) -> bool:
    """Tell whether no limit had a part in a finding."""
    return finding.result.complete and all(n.verdict != "unknown" for n in finding.neighbours or ())


def _raised(now: Limits, then: Limits, megabytes: int | None, megabytes_then: int | None) -> bool:
    """Tell whether some limit is higher than it was."""
    pairs = ((now.seconds, then.seconds), (now.outcomes, then.outcomes), (megabytes, megabytes_then))
    return any(before is not None and (limit is None or limit > before) for limit, before in pairs)
