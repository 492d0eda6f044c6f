"""The limits that the system keeps: a wall clock on what Python computes, and the memory of the process.

What goes in: seconds, or an exception. What happens: `DeadlinePassed` is raised in the block once the seconds are over.
Only the main thread of a process has such an alarm, and only where there are signals for it (not on Windows, not in
browsers); elsewhere the block runs on, and what is asked of the solver, which keeps time itself, is still cut. No
solver may run in the block: an exception in one of its callbacks would be lost.
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
    alarms = hasattr(signal, "SIGALRM") and hasattr(signal, "setitimer")
    if seconds is None or not alarms or threading.current_thread() is not threading.main_thread():
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


def ran_out_of_memory(error: Exception) -> bool:
    """Tell whether an exception means that there was no memory: where it is limited, C code says so in many ways."""
    if isinstance(error, MemoryError) or "out of memory" in str(error):
        return True
    if not isinstance(error, SystemError):
        return False
    try:
        import resource  # noqa: PLC0415
    except ImportError:  # Without limits of resources memory is not limited.
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
