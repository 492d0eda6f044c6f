"""What the user should know and nothing depends on: a line on the standard error, once in a process."""

from __future__ import annotations

import sys

_said: set[str] = set()
_WANTED: set[str] = set()
"""Whether remarks are wanted: it is not empty then."""


def note(text: str) -> None:
    """Say something on the standard error, unless this process has said it before."""
    if text not in _said:
        _said.add(text)
        print(f"axmem: note: {text}", file=sys.stderr)


def remark(text: str) -> None:
    """Say something that is only said with `-v`."""
    if _WANTED:
        note(text)


def want_remarks(*, wanted: bool) -> None:
    """Say remarks from now on, or say none."""
    _WANTED.clear()
    _WANTED.update(["-v"] * wanted)
