"""Worker processes for a suite.

What goes in: how many, and how much memory each may take beyond what it has at the start. What comes out: executors
of them, old ones replaced on request. Invariant: when the block is left, by whatever way, no worker remains, and when
the process is killed they end.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.process import BaseProcess

MEGABYTE = 1 << 20


class WorkerPool:
    """Makes executors and remembers which processes are theirs."""

    def __init__(self, megabytes: int | None) -> None:
        self.megabytes = megabytes
        self.others = set(multiprocessing.active_children())
        self.executors: list[ProcessPoolExecutor] = []

    def executor(self, workers: int) -> ProcessPoolExecutor:
        """Return a new executor."""
        made = ProcessPoolExecutor(workers, initializer=_begin, initargs=(self.megabytes,))
        self.executors.append(made)
        return made

    def processes(self) -> list[BaseProcess]:
        """Return the workers that are alive."""
        return [p for p in multiprocessing.active_children() if p not in self.others]

    def end(self, *, now: bool) -> None:
        """End every worker: `now`, whatever it is at, or when it has done what it was given."""
        if now:
            for process in self.processes():
                process.kill()
        for executor in self.executors:
            executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def worker_pool(megabytes: int | None = None) -> Iterator[WorkerPool]:
    """Provide workers for the length of a block; when it is left by an exception they are ended at once."""
    pool = WorkerPool(megabytes)
    try:
        yield pool
    except BaseException:
        pool.end(now=True)
        raise
    pool.end(now=False)


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ran_out_of_memory(error: Exception) -> bool:
    """Tell whether an exception means that there was no memory: where it is limited, C code says so in many ways."""
    if isinstance(error, MemoryError) or "out of memory" in str(error):
        return True
    return isinstance(error, SystemError) and resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _begin(megabytes: int | None) -> None:
    """Begin a worker: the keyboard interrupts the parent, which ends the workers; memory is limited."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if megabytes is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_address_space() + megabytes * MEGABYTE, hard))
        sys.unraisablehook = _give_up


def _end_with_parent() -> None:
    """End the worker when its parent has ended, which may have been killed before it could end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _give_up(_: object) -> None:
    """End the worker: an exception that nobody can catch, in a callback of the solver, has spoilt its search."""
    os._exit(1)


def _address_space() -> int:
    """Return the bytes of address space in use."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 0
