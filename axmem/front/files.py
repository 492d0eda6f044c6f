"""What files hold.

What goes in: the path of a file that a command line, a test or a model names. What comes out: its bytes, or those that
an editor has of it and has not saved. Invariant: reading ends: a pipe or a device, which may never, is refused, and so
is what is larger than any test or model.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

INCLUDE = "AXMEM_INCLUDE"
"""The variable of the environment that names directories of files that models may include, as PATH does."""
MEGABYTES = 64
"""How large a file may be."""
TOO_LARGE = f"it has more than {MEGABYTES} MB"


@contextmanager
def including(folders: Iterable[str]) -> Iterator[None]:
    """Let models include files below these directories, too, in a block; processes that it begins have them as well."""
    before = os.environ.get(INCLUDE)
    named = [*filter(None, [before]), *map(os.path.abspath, folders)]
    if named:
        os.environ[INCLUDE] = os.pathsep.join(named)
    try:
        yield
    finally:
        os.environ.pop(INCLUDE, None)
        os.environ.update({INCLUDE: before} if before is not None else {})


_UNSAVED: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("unsaved", default=())
"""The texts that stand for files, by their real paths."""


@contextmanager
def unsaved(texts: Mapping[str, str]) -> Iterator[None]:
    """Let texts stand for what the files at these paths hold, in a block; the files need not exist."""
    token = _UNSAVED.set(tuple(sorted((os.path.realpath(path), text) for path, text in texts.items())))
    try:
        yield
    finally:
        _UNSAVED.reset(token)


def unsaved_texts() -> tuple[tuple[str, str], ...]:
    """Return the texts that stand for files, with the real paths of these."""
    return _UNSAVED.get()


def is_file(path: str | Path) -> bool:
    """Say whether there is a regular file at a path, or a text that stands for one."""
    held = _UNSAVED.get()
    return os.path.isfile(path) or (bool(held) and os.path.realpath(path) in dict(held))


class Unreadable(OSError):
    """A file that is not read, though it could be opened; `strerror` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(0, reason)


def content(path: str | Path) -> bytes:
    """Return the bytes of a regular file. Raises OSError, whose `strerror` says what is wrong with it."""
    held = _UNSAVED.get()
    if held and (text := dict(held).get(os.path.realpath(path))) is not None:
        return text.encode("utf-8", "surrogatepass")
    # Without O_NONBLOCK the system opens a pipe only when somebody writes to it.
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(number, "rb") as file:
        mode = os.fstat(number).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise Unreadable("it is a pipe or a device, and no regular file; - is the standard input")
        return limited(file)


def limited(file: BinaryIO) -> bytes:
    """Return what a stream holds. Raises OSError where that is too much."""
    found = file.read(MEGABYTES * 2**20 + 1)
    if len(found) > MEGABYTES * 2**20:
        raise Unreadable(TOO_LARGE)
    return found
