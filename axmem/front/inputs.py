"""The files that a command works on.

What goes in: the paths of a command line: files, directories, `@list` files, `@corpus` and what else comes with axmem,
`-`. What comes out: the texts, in the order given (a directory's sorted by path), and a diagnostic for each path that
could not be read. A file that is named twice is read once. Nothing here raises for what is wrong with a file.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import BinaryIO

from axmem.front.files import content, limited
from axmem.front.records import dataclass
from axmem.front.shipped import find_model, find_shipped, near_shipped
from axmem.front.source import NOWHERE, Diagnostic, Source, Span, nearest
from axmem.front.streams import CLOSED

STDIN = "<stdin>"
SUFFIXES = (".litmus", ".ll", ".test")
"""What the names of files end with that a directory is searched for, where nothing else is said."""
MARKS = {
    ".ll": re.compile(rb"^[ \t]*;[ \t]*axmem:", re.MULTILINE),
    ".test": re.compile(rb"^[ \t]*NEW(WG|SG|QF|THREAD)\b", re.MULTILINE),
}
"""The line by which a file of a directory shows that it is a test, where others end with the same."""


NO_FILES = {
    re.compile(r"\w+://"): "axmem reads files of this machine: save it as one",
    re.compile(r".*[*?]"): "no file has such a name; a directory stands for all tests in it",
    re.compile(r"gfx\w+$"): "a processor is named by an option: --target {}",
    re.compile(r"~"): "the shell puts your home in the place of an unquoted ~",
}
"""What is no name of a file, and what to write instead."""


@dataclass(frozen=True, slots=True)
class InputText:
    """A text that was read; `name` is its path as messages show it."""

    name: str
    text: str


def read_inputs(
    paths: Iterable[str], suffixes: tuple[str, ...] = SUFFIXES, stdin: BinaryIO | None = None
) -> tuple[tuple[InputText, ...], tuple[Diagnostic, ...]]:
    """Read every path; of a directory the files with one of the suffixes, at any depth, those in `MARKS` if marked."""
    reader = _Reader(suffixes, stdin)
    for path in paths:
        reader.path(path, "", ())
    return tuple(reader.texts), tuple(reader.diagnostics)


class Inputs:
    """Texts that are read again when their turn comes, so that they need not all be kept; only names are."""

    def __init__(self, texts: Iterable[InputText]) -> None:
        self._texts = tuple(texts)
        self.names = tuple(text.name for text in self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[tuple[InputText, tuple[Diagnostic, ...]]]:
        """Yield each text, with what is now wrong with its file (then the text is empty)."""
        for kept in self._texts:
            reader = _Reader((), None)
            if kept.name != STDIN:
                reader.file(kept.name)
            yield (reader.texts or [kept])[0], tuple(reader.diagnostics)


def found_inputs(paths: Iterable[str]) -> tuple[Inputs, tuple[Diagnostic, ...]]:
    """Read every path once, to see what is wrong with it; the texts are to be read again."""
    reader = _Reader(SUFFIXES, None, keeps=False)
    for path in paths:
        reader.path(path, "", ())
    return Inputs(reader.texts), tuple(reader.diagnostics)


def about_file(name: str, message: str, hint: str = "") -> Diagnostic:
    """Return an error about a file as a whole."""
    return Diagnostic(Source(name, ""), NOWHERE, message, hint)


def _stdin() -> BinaryIO:
    """Return the standard input; Python has none if it was closed before the process began."""
    if sys.stdin is None:
        raise OSError(CLOSED)
    return sys.stdin.buffer


def is_marked(path: str) -> bool:
    """Say whether a file of a directory is a test: it shows so itself where its name alone does not tell."""
    mark = MARKS.get(os.path.splitext(path)[1])
    if mark is None:
        return True
    try:
        return mark.search(content(path)) is not None
    except OSError:
        return False


def near(path: str) -> str:
    """Return what a path that is not there was meant to be: a file beside it, or what comes with axmem."""
    folder, name = os.path.split(path.removeprefix("@"))
    for pattern, hint in NO_FILES.items():
        if pattern.match(path):
            return hint.format(path)
    if find_model(path):
        return f"a model is named by an option: --model {path}; several with commas"
    if folder and not os.path.isdir(folder) and not path.startswith("@"):
        return f"there is no directory '{folder}'"
    stem = os.path.splitext(name)[0]
    with suppress(OSError):
        there = {os.path.splitext(each)[0]: each for each in os.listdir(folder or os.curdir)}
        # Names that end alike are not alike for that.
        small = {each.lower(): each for each in there}
        if found := nearest(stem, there) or small.get(nearest(stem.lower(), small), ""):
            return f"did you mean '{there[found]}'?"
    return near_shipped(path.removeprefix("@"), guess=path.startswith("@"))


class _Reader:
    """What has been read so far. `within` is the chain of list files and directories that led to a path.

    Unless it `keeps` texts, only that from the standard input, which cannot be read again, is kept.
    """

    def __init__(self, suffixes: tuple[str, ...], stdin: BinaryIO | None, *, keeps: bool = True) -> None:
        self.suffixes = suffixes
        self.stdin = stdin
        self.keeps = keeps
        self.texts: list[InputText] = []
        self.diagnostics: list[Diagnostic] = []
        self.seen: set[str] = set()

    def path(self, path: str, base: str, within: tuple[str, ...], place: Diagnostic | None = None) -> None:
        """Read one path, which a list file gives relative to `base`; `place` is where it stands there."""
        if path == "-" and place is None:
            self._standard_input()
        elif path.startswith("@") and len(path) > 1:
            named = os.path.join(base, path[1:])
            known = None if os.path.exists(named) else find_shipped(path[1:])
            if known is None and place is None and not os.path.exists(named):
                self._fail(path, "no list of files, and nothing that comes with axmem", None, near(path))
            elif known is None:
                self._list(named, within, place)
            else:
                self.path(known, "", within, place)
        else:
            full = os.path.join(base, path)
            if os.path.isdir(full):
                self._directory(full, within)
            else:
                self.file(full, place)

    def _standard_input(self) -> None:
        if STDIN in self.seen:
            return
        self.seen.add(STDIN)
        try:
            found = limited(self.stdin or _stdin())
        except OSError as error:
            self._fail(STDIN, f"cannot read here: {error.strerror or error}", None)
        else:
            self._decoded(STDIN, found)

    def file(self, path: str, place: Diagnostic | None = None) -> None:
        """Read a file, unless it was read before."""
        key = os.path.abspath(path)
        if key in self.seen:
            return
        self.seen.add(key)
        found = self._content(path, place)
        if found is not None:
            self._decoded(path, found)

    def _content(self, path: str, place: Diagnostic | None) -> bytes | None:
        try:
            return content(path)
        except FileNotFoundError:
            dangling = os.path.islink(path)
            message = "the file that this link names does not exist" if dangling else "no such file"
            self._fail(path, message, place, "" if dangling else near(path))
        except (OSError, ValueError) as error:
            self._fail(path, f"cannot read this file: {getattr(error, 'strerror', None) or error}", place)
        return None

    def _fail(self, path: str, message: str, place: Diagnostic | None, hint: str = "") -> None:
        """Note an error; in a list file at the line that names the path."""
        if place is None:
            self.diagnostics.append(about_file(path, message, hint))
        else:
            self.diagnostics.append(Diagnostic(place.source, place.span, f"{path}: {message}", hint))

    def _decoded(self, name: str, found: bytes) -> str | None:
        try:
            text = found.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            self.diagnostics.append(about_file(name, f"this file is not UTF-8 (byte {error.start})"))
            return None
        self.texts.append(InputText(name, text if self.keeps or name == STDIN else ""))
        return text

    def _directory(self, path: str, within: tuple[str, ...]) -> None:
        if not self._walk(path, within):
            known = " or ".join(f"*{s}" for s in self.suffixes if s not in MARKS)
            self.diagnostics.append(about_file(path, f"no {known} file in this directory"))

    def _walk(self, path: str, within: tuple[str, ...]) -> bool:
        """Read a directory and say whether there was anything in it to read or to complain of."""
        real = os.path.realpath(path)
        if real in within:
            self.diagnostics.append(about_file(path, "this link leads back to a directory that it stands in"))
            return True
        try:
            names = sorted(os.listdir(path))
        except OSError as error:
            self.diagnostics.append(about_file(path, f"cannot read this directory: {error.strerror or error}"))
            return True
        found = False
        for name in names:
            full = name if path == os.curdir else os.path.join(path, name)
            if os.path.isdir(full):
                found |= self._walk(full, (*within, real))
            elif name.endswith(self.suffixes) and is_marked(full):
                self.file(full)
                found = True
        return found

    def _list(self, path: str, within: tuple[str, ...], place: Diagnostic | None) -> None:
        """Read the paths of a list file: one on each line, relative to it; `;` and `#` begin comments."""
        real = os.path.realpath(path)
        if real in within:
            self._fail(path, "this list names itself", place)
            return
        found = self._content(path, place)
        if found is None:
            return
        try:
            source = Source(path, found.decode("utf-8").removeprefix("\ufeff"))
        except UnicodeDecodeError as error:
            self._fail(path, f"this file is not UTF-8 (byte {error.start})", place)
            return
        empty = True
        for number, line in enumerate(source.text.splitlines(), 1):
            entry = line.split(";")[0].split("#")[0].strip()
            if entry:
                empty = False
                here = Diagnostic(source, Span(number, line.index(entry) + 1, len(entry)), "")
                self.path(entry, os.path.dirname(path), (*within, real), here)
        if empty:
            self._fail(path, "this list names no file", place)
