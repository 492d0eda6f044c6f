"""A wall clock limit on what Python computes.

What goes in: seconds. What happens: `DeadlinePassed` is raised in the block once they are over. Only the main thread of
a process has such an alarm; elsewhere the block runs on. No solver may run in the block: an exception in one of its
callbacks would be lost.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class DeadlinePassed(Exception):
    """The time is over."""


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Raise `DeadlinePassed` in the block once the seconds are over; None is no limit."""
    if seconds is None or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _alarm)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _alarm(_signal: int, _frame: FrameType | None) -> None:
    raise DeadlinePassed
