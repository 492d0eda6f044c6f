"""What the user should know and nothing depends on: a line on the standard error, once in a process."""

from __future__ import annotations

import sys

_said: set[str] = set()


def note(text: str) -> None:
    """Say something on the standard error, unless this process has said it before."""
    if text not in _said:
        _said.add(text)
        print(f"axmem: note: {text}", file=sys.stderr)
