"""What does jobs, this process, others beside it, or a cluster, and how it is ended.

A request to end a run is an interrupt wherever it comes from: while there are workers SIGTERM interrupts the process as
the keyboard does, also where the keyboard's signal is ignored, as shells have it for what runs in the background. What
is left by `Terminated` closes output and workers.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from axmem.check.run.work import HERE, Workers
from axmem.front.exits import Terminated

AT_ONCE = 16
"""The most jobs that a process is given at once."""


@contextmanager
def workers(
    asked: int, jobs: int | None = None, *, megabytes: int | None = None, scheduler: str | None = None
) -> Iterator[Workers]:
    """Provide what does jobs: this process if one is enough, so many processes (0: one per core), or a cluster.

    There are no more processes than `jobs`. In the block a request to end is an interrupt. Raises InputError.
    """
    number = asked or cores()
    if jobs is not None:
        number = min(number, max(1, jobs))
    with interruptible():
        if scheduler:
            from axmem.check.run.cluster import cluster  # noqa: PLC0415 -- heavy, and seldom asked

            with cluster(scheduler) as found:
                yield found
        elif number == 1 and megabytes is None:
            yield HERE
        else:
            from axmem.check.run.pool import worker_pool  # noqa: PLC0415 -- heavy, and one process does most work

            with worker_pool(megabytes) as pool:
                # What is left of a worker's memory is looked at between calls.
                yield Workers(pool.executor(number), number, pool.executor, AT_ONCE if megabytes is None else 1)


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def interruptible() -> Iterator[None]:
    """Hear a request to end for the length of a block."""
    if threading.current_thread() is not threading.main_thread():  # which alone hears signals
        yield
        return
    asked = False

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        nonlocal asked
        asked = True
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt as error:
        raise Terminated if asked else error from None
    else:
        if asked:  # and what was in the block has seen to it
            raise Terminated
    finally:
        signal.signal(signal.SIGTERM, before)
