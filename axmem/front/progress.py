"""A line on the terminal that says how far a long run is.

What goes in: how many tests there are, then each as it is begun; a head says which of several such runs this is. What
comes out: one line on a terminal, overwritten and finally cleared; nothing where the stream is no terminal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO, TypeAlias, TypeVar

A = TypeVar("A")

Show: TypeAlias = Callable[[str], object]
"""Shows a text in place of the last one: `Status.show`, or nothing."""

CLEAR = "\r\x1b[K"
INTERVAL = 0.1
"""The line is rewritten at most so often, in seconds."""


class ProgressLine:
    """The line of one run; used as a context, it is cleared at the end."""

    def __init__(self, total: int, stream: TextIO, head: str = "") -> None:
        self.total = total
        self.stream = stream
        self.head = head
        self.visible = (total > 1 or bool(head)) and stream.isatty()
        self.started = time.monotonic()
        self.written = 0.0
        self.done = 0

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def begin(self, done: int, name: str) -> None:
        """Show how many tests are done and which is waited for."""
        now = time.monotonic()
        if not self.visible or now - self.written < INTERVAL:
            return
        self.written = now
        width = _columns()
        send(self.stream, CLEAR)
        self.stream.write(self.line(done, name, now - self.started)[:width])
        self.stream.flush()

    def following(self, names: Sequence[str], coming: Iterator[A]) -> Iterator[A]:
        """Yield what comes for each name, and show meanwhile which is waited for; other output may follow each."""
        for done, name in enumerate(names):
            self.begin(done, name)
            item = next(coming)
            self.clear()
            yield item

    def step(self, name: str) -> None:
        """Show that one more is done."""
        self.done += 1
        self.begin(self.done, name)

    def line(self, done: int, name: str, elapsed: float) -> str:
        """Return the text of the line."""
        left = f"  about {elapsed / done * (self.total - done):.0f} s left" if done else ""
        return f"{self.head}{done}/{self.total}{left}  {name}"

    def clear(self) -> None:
        """Remove the line, so that other output may follow."""
        if self.visible and self.written:
            send(self.stream, CLEAR)
            self.stream.flush()
            self.written = 0.0


class StatusLine:
    """A line that says what a search is at; used as a context, it is cleared at the end."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.visible = stream.isatty()
        self.written = False

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, text: str) -> None:
        """Show a text in place of the last one."""
        if self.visible:
            send(self.stream, CLEAR)
            self.stream.write(text[: _columns()])
            self.stream.flush()
            self.written = True

    def clear(self) -> None:
        """Remove the line, so that other output may follow."""
        if self.written:
            send(self.stream, CLEAR)
            self.stream.flush()
            self.written = False


def unseen(_: str) -> None:
    """Show nothing."""


def send(stream: TextIO, text: str) -> None:
    """Write what steers a terminal to a stream that shows such text when it is merely printed."""
    getattr(stream, "send", stream.write)(text)


def _columns() -> int:
    """Return how many characters of the terminal's line a text may have."""
    from shutil import get_terminal_size  # noqa: PLC0415 -- only a terminal needs it

    return get_terminal_size().columns - 1
