"""Numbers on the command line, read for `argparse`.

What goes in: the text of an option's value. What comes out: the number. Invariant: what is no such number raises
`argparse.ArgumentTypeError`, which the parser makes a message and exit code 2.
"""

from __future__ import annotations

from argparse import ArgumentTypeError


def processes(text: str) -> int:
    """Read a number of worker processes, 0 included."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"'{text}' is not a number of processes")
    return int(text)


def positive(text: str) -> int:
    """Read a number of things, of which there is one at least."""
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)


def seconds(text: str) -> float:
    """Read a time limit in seconds."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < 1e9:
        raise ArgumentTypeError(f"'{text}' is not a positive number of seconds")
    return found
