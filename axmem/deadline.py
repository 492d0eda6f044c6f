"""A wall clock limit on what Python computes.

What goes in: seconds. What happens: `DeadlinePassed` is raised in the block a little after they are over, so that a
search that keeps time itself ends first and keeps what it has found. Only the main thread of a process has such an
alarm; elsewhere the block runs on.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

GRACE = 1.25
"""How much more than its limit a search that keeps time itself is given, as a factor."""


class DeadlinePassed(Exception):
    """The time is over."""


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Raise `DeadlinePassed` in the block once the seconds, and a little more, are over; None is no limit."""
    if seconds is None or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _alarm)
    signal.setitimer(signal.ITIMER_REAL, seconds * GRACE + 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _alarm(_signal: int, _frame: FrameType | None) -> None:
    raise DeadlinePassed
