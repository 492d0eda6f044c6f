"""A directory of what is known from earlier runs.

What goes in: answers as plain data, under keys, which are digests of all that they depend on. What comes out: the
same answers in later runs. An entry is one file with an answer, or one to which answers are added as they come (a
`AnswerStream`). Invariants: an entry is whole or absent, whenever and however a run ends and however many run at the
same time; one that is damaged counts as absent, and so does one that a limit cut which is higher now.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from axmem.front.source import mistake

A = TypeVar("A")
Bounds = Mapping[str, float | None]
"""Limits by their names; None is no limit."""

ENTRIES = "answers"
PARTS = "parts"
LOCK = "lock"
RESULTS = "results.jsonl"
"""The file of a run's directory that appears when the run is complete."""
REFUSED = "cannot keep results here"


class MalformedEntry(Exception):
    """The text is not an entry under this key, whole and unchanged."""


class AnswerStore:
    """The entries of a directory. `note` is told of files that are damaged, `refused` begins what an error says."""

    def __init__(self, path: str, note: Callable[[str], object] = lambda _: None, *, refused: str = REFUSED) -> None:
        self.path = Path(path)
        self.note = note
        self.refused = refused

    def make(self) -> AnswerStore:
        """Make the directory and its folders, unless they are there. Raises InputError if that cannot be done."""
        with self._explained():
            if self._foreign():
                hint = "name a directory that is new, or one of an earlier run"
                raise mistake(str(self.path), f"{self.refused}: there are files of something else", hint)
            for folder in (*(f"{ENTRIES}/{shard:02x}" for shard in range(256)), PARTS):
                (self.path / folder).mkdir(parents=True, exist_ok=True)
        return self

    def _foreign(self) -> bool:
        """Tell whether the directory has something that an entry, or what is unfinished, would be taken for."""
        present = set(os.listdir(self.path)) if self.path.is_dir() else set()
        if ENTRIES in present:
            folders = os.listdir(self.path / ENTRIES)
            return bool(folders) and f"{0:02x}" not in folders
        return not present.isdisjoint((PARTS, LOCK, RESULTS))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Make the directory, and remove what killed runs left unfinished, unless another run is at work in it."""
        self.make()
        with self._explained():
            lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _clean(self.path / PARTS, lock)
            yield
        finally:
            os.close(lock)

    def recalled(self, key: str, read: Callable[[Any], A], bounds: Bounds | None = None) -> A | None:
        """Return the answer under a key, as `read` makes it of plain data; None if there is none that is of use."""
        file = self.path / _file(key, "json")
        try:
            found, cut_by = entry_of(file.read_bytes(), key)
            answer = read(found)
        except FileNotFoundError:
            return None
        except OSError as error:
            self.note(f"{file}: cannot read this answer: {error.strerror or error}; its test is run again")
            return None
        except (MalformedEntry, ValueError, KeyError, TypeError, AttributeError):
            self.note(f"{file}: this answer is damaged; its test is run again")
            return None
        return None if cut_by is not None and _raised(bounds or {}, cut_by) else answer

    def keep(self, key: str, answer: object, cut_by: Bounds | None = None) -> None:
        """Keep an answer, which is plain data; `cut_by` are the limits under which it was cut, if one cut it."""
        with self.whole(_file(key, "json")) as write:
            write(entry_text(key, answer, cut_by))

    def stream(self, key: str) -> AnswerStream:
        """Return the entry under a key to which answers are added."""
        return AnswerStream(self.path / _file(key, "jsonl"), self._explained)

    @contextmanager
    def whole(self, file: str | Path) -> Iterator[Callable[[str], object]]:
        """Provide a function that writes to a file, a path in the directory; it appears whole when the block ends."""
        target = self.path / file
        part = self.path / PARTS / f"{target.name}.{os.getpid()}.{secrets.token_hex(4)}"

        def write(text: str) -> None:
            with self._explained():
                stream.write(text)

        try:
            with self._explained():
                stream = open(part, "x", encoding="utf-8", errors="backslashreplace", newline="\n")  # noqa: SIM115
            yield write
            with self._explained():
                stream.close()
                os.replace(part, target)
        except BaseException:
            with contextlib.suppress(OSError, UnboundLocalError):
                stream.close()
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the file system refuses into an input error."""
        try:
            yield
        except OSError as error:
            message = f"{self.refused}: {error.strerror or error}"
            raise mistake(str(self.path), message) from None


class AnswerStream:
    """A file to which answers are added, a line each with its checksum; a line that is not whole counts for nothing."""

    def __init__(self, path: Path, explained: Callable[[], AbstractContextManager[None]]) -> None:
        self.path = path
        self.explained = explained

    def answers(self) -> Iterator[Any]:
        """Yield the answers so far, as plain data."""
        try:
            lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            return
        for line in lines:
            checksum, _, text = line.partition(" ")
            if text and checksum == _checksum(text):
                yield json.loads(text)

    def add(self, answer: object) -> None:
        """Add an answer, which is plain data."""
        text = json.dumps(answer)
        with self.explained(), self.path.open("a", encoding="utf-8") as file:
            # A line that an earlier run left unfinished ends here.
            file.write(f"\n{_checksum(text)} {text}\n")


def entry_text(key: str, answer: object, cut_by: Bounds | None = None) -> str:
    """Return an entry as text, with its checksum."""
    body = {"key": key, "cut_by": cut_by, "answer": answer}
    return json.dumps({"sum": _sum(body), "entry": body}, ensure_ascii=False) + "\n"


def entry_of(content: bytes, key: str) -> tuple[Any, Bounds | None]:
    """Return the answer of an entry, and the limits under which it was cut. Raises MalformedEntry."""
    try:
        entry = json.loads(content)
        body = entry["entry"]
        if entry["sum"] != _sum(body) or body["key"] != key:
            raise MalformedEntry
        return body["answer"], body["cut_by"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise MalformedEntry from None


def _sum(body: object) -> str:
    """Return a digest of an entry's content, whatever its layout."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _file(key: str, suffix: str) -> Path:
    """Return the path of an entry in the directory."""
    return Path(ENTRIES) / key[:2] / f"{key}.{suffix}"


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _raised(now: Bounds, then: Bounds) -> bool:
    """Tell whether some limit is higher than it was."""
    return any(
        before is not None and ((limit := now.get(name)) is None or limit > before) for name, before in then.items()
    )


def _clean(parts: Path, lock: int) -> None:
    """Remove what killed runs left unfinished, unless another run is at work; hold the lock together with others.

    Where the system or the file system has no such locks, what is left stays, and does no harm.
    """
    try:
        import fcntl  # noqa: PLC0415
    except ImportError:
        return
    with contextlib.suppress(OSError):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for part in parts.iterdir():
                part.unlink()
        finally:
            fcntl.flock(lock, fcntl.LOCK_SH)
