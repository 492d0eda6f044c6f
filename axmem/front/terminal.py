"""What a terminal is sent: text without control characters, and colour where it is wanted.

What goes in: the text that a command prints. What comes out: the same text, in which a control character, or one that
changes the direction of writing, stands as an escape such as `\\x1b`, so that no file can steer the terminal of who
looks at it; and, if wanted, with colour around some words. Invariant: without the colours it is the text again.
Messages quote files: the standard error is shown so wherever it goes.
"""

from __future__ import annotations

import os
import re
from typing import TextIO

AUTO, ALWAYS, NEVER = "auto", "always", "never"
WHEN = (AUTO, ALWAYS, NEVER)

_STEERING = re.compile("\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_RED, _YELLOW, _GREEN, _CYAN = "1;31", "33", "32", "36"
_COLOURS = tuple(
    (re.compile(pattern, re.MULTILINE), colour)
    for pattern, colour in (
        (r"^(?:[^\s{\[][^\n]*?: )?(?P<it>error)(?=: )", _RED),
        (r"^(?:[^\s{\[][^\n]*?: )?(?P<it>warning)(?=: )", _YELLOW),
        (r"^  (?P<it>hint)(?=: )", _CYAN),
        (r"^ +(?P<it>\^~*)$", _GREEN),
        (r"^\S+ +\S+ +\w+ +(?P<it>MISMATCH)\b", _RED),
        (r"^\S+ +\S+ +\S+ +(?P<it>UNKNOWN)\b", _YELLOW),
        (r"^\S+ +\S+ +(?:never|sometimes|always|undefined|unknown) +(?P<it>ok)\b", _GREEN),
        (r"^\S+ +(?:\S+ +)*?(?P<it>unsound)\b", _RED),
        (r"^\S[^\n]*?  (?P<it>sound)(?=[ :]|$)", _GREEN),
        (r"^\S[^\n]*?  (?P<it>allowed)(?=[ :]|$)", _YELLOW),
        (r"^\S[^\n]*?  (?P<it>forbidden)(?=[ :]|$)", _CYAN),
    )
)


def shown(text: str) -> str:
    """Return a text with each control character, line ends and tabs aside, as an escape."""
    return _STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def painted(text: str) -> str:
    """Return a text with colour around what is to be seen first: errors, warnings, hints and verdicts."""
    for pattern, colour in _COLOURS:
        text = pattern.sub(lambda found, colour=colour: _paint(found, colour), text)  # type: ignore[misc]
    return text


def wants_colour(stream: TextIO, when: str) -> bool:
    """Say whether text for a stream is coloured: if that was asked for, or the stream is a terminal that shows it."""
    if when != AUTO:
        return when == ALWAYS
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _paint(found: re.Match[str], colour: str) -> str:
    start, end = found.start("it") - found.start(), found.end("it") - found.start()
    whole = found[0]
    return f"{whole[:start]}\x1b[{colour}m{whole[start:end]}\x1b[0m{whole[end:]}"
