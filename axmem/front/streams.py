"""The standard streams of a command.

What happens: in the block `standard_streams()`, what the system refuses of the standard output (a full disk, a closed
descriptor) raises OutputError, once; what it refuses of the standard error is dropped, for nobody could be told. That
the reader of a pipe has gone stays a BrokenPipeError. No file that the command opens takes the number of a stream that
was closed, so that nothing is written to it by mistake.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from axmem.front.source import NOWHERE, Diagnostic, OutputError, Source
from axmem.front.terminal import painted, shown, wants_colour
from axmem.front.typing import override

STDOUT = "<stdout>"
CLOSED = "it is closed"


@contextmanager
def standard_streams() -> Iterator[None]:
    """Guard the standard streams for the length of a block."""
    with suppress(OSError):
        while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(opened)
    before = sys.stdout, sys.stderr
    for stream in before:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = _Checked(before[0]), _Deaf(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def colour_streams(when: str) -> None:
    """Colour what is printed from here on: where a terminal shows colour, always, or never."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, _Guarded):
            stream.coloured = wants_colour(stream, when)  # type: ignore[arg-type]


class _Closed(io.StringIO):
    """A stream that was closed before the command began."""

    @override
    def write(self, text: str) -> int:
        raise OSError(CLOSED)


class _Guarded:
    """A text stream, whose writing may fail, and which shows control characters if it is a terminal; but for that it is
    the stream that it stands for."""

    def __init__(self, stream: Any) -> None:
        self._stream = _Closed() if stream is None else stream
        self._terminal = stream is not None and not stream.closed and stream.isatty()
        self.coloured = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, as a terminal may be sent it."""
        text = shown(text) if self._terminal else text
        return self.send(painted(text) if self.coloured else text)

    def send(self, text: str) -> int:
        """Write a text as it is, what steers a terminal included."""
        try:
            return int(self._stream.write(text)) if text else 0
        except OSError as error:
            self.refused(error)
            return len(text)

    def flush(self) -> None:
        """Write what was kept."""
        try:
            self._stream.flush()
        except OSError as error:
            self.refused(error)

    def refused(self, error: OSError) -> None:
        """Say that the system refuses to write, or do not."""
        raise NotImplementedError


class _Checked(_Guarded):
    @override
    def refused(self, error: OSError) -> None:
        with suppress(OSError):  # What was kept of the text is not tried again when the process ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
        if isinstance(error, BrokenPipeError):
            raise error
        message = f"cannot write here: {error.strerror or error}"
        raise OutputError([Diagnostic(Source(STDOUT, ""), NOWHERE, message)]) from None


class _Deaf(_Guarded):
    """The standard error: messages quote files, whatever reads them."""

    @override
    def write(self, text: str) -> int:
        return super().write(shown(text))

    @override
    def refused(self, error: OSError) -> None:
        pass
