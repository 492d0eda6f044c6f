"""Processes that do jobs.

What goes in: how many, and how much memory each may take beyond what it has at the start. What comes out: executors.
Invariant: when the block is left, by whatever way, no worker remains, and when the process is killed they end. Memory
is limited while a worker is at a call: one that runs out of it while it takes or returns one would die. It can be
limited only where the system limits resources (not on Windows, not in browsers); elsewhere such a limit is refused.

Up to 3.13 CPython needs an object of its own to enter some handlers: where memory is spent to the last byte it asks for
one again and again, and neither raises nor ends. The parent looks on, and lets such a worker have a little more.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, InvalidStateError, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from multiprocessing.process import BaseProcess
from typing import Any

from axmem.front.garbage import collect_rarely
from axmem.front.source import mistake
from axmem.front.typing import override

MEGABYTE = 1 << 20
ENOUGH_ROOM = 0.25
"""The share of its memory without which a worker is replaced."""
LOOK_SECONDS = 0.5
"""How often the parent looks whether a worker is stuck at its limit, in seconds."""
NEAR_BYTES, MORE_BYTES = 2 * MEGABYTE, 4 * MEGABYTE
"""How near its limit a worker is that cannot allocate the smallest object, and what lets it go on."""


class _Call(Future[Any]):
    """A call that may be cancelled when its process ends: old libraries do not reckon with that."""

    @override
    def set_exception(self, exception: BaseException | None) -> None:
        with suppress(InvalidStateError):
            super().set_exception(exception)


class _Processes(ProcessPoolExecutor):
    """Processes, with the calls that are not at their end."""

    def __init__(self, workers: int, megabytes: int | None, start: str | None) -> None:
        context = multiprocessing.get_context(start)
        super().__init__(workers, context, initializer=_begin, initargs=(megabytes,))
        self.megabytes = megabytes
        self.begun: set[Future[Any]] = set()

    @override
    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Submit a call."""
        if self.megabytes is not None:
            future = super().submit(_with_room, self.megabytes, function, *arguments, **named)
        else:
            future = super().submit(function, *arguments, **named)
        future.__class__ = _Call
        self.begun.add(future)
        future.add_done_callback(self.begun.discard)
        return future


class WorkerPool:
    """Makes executors and remembers which processes are theirs; `start` is how they begin, if not as usual."""

    def __init__(self, megabytes: int | None, start: str | None = None) -> None:
        self.megabytes = megabytes
        self.start = start
        self.others = set(multiprocessing.active_children())
        self.executors: list[_Processes] = []
        self.left = threading.Event()
        if megabytes is not None and hasattr(_resource(), "prlimit"):
            threading.Thread(target=self._look_on, daemon=True).start()

    def executor(self, workers: int) -> ProcessPoolExecutor:
        """Return a new executor."""
        made = _Processes(workers, self.megabytes, self.start)
        self.executors.append(made)
        return made

    def processes(self) -> list[BaseProcess]:
        """Return the workers that are alive."""
        return [p for p in multiprocessing.active_children() if p not in self.others]

    def end(self, *, now: bool) -> None:
        """End every worker: `now`, whatever it is at, or where nobody waits any more for what it is at."""
        self.left.set()
        if now or any(executor.begun for executor in self.executors):
            for process in self.processes():
                process.kill()
        for executor in self.executors:
            executor.shutdown(wait=True, cancel_futures=True)

    def _look_on(self) -> None:
        """Let workers go on that stand still at their limits."""
        before: dict[int, int] = {}
        while not self.left.wait(LOOK_SECONDS):
            now = {p.pid: _address_space(p.pid) for p in self.processes() if p.pid is not None}
            for worker, space in now.items():
                if space == before.get(worker):
                    _let_have_more(worker, space)
            before = now


@contextmanager
def worker_pool(megabytes: int | None = None) -> Iterator[WorkerPool]:
    """Provide workers for the length of a block; when it is left by an exception they are ended at once."""
    if megabytes is not None and find_spec("resource") is None:
        raise mistake("--memory", "this system does not limit the memory of a process")
    pool = WorkerPool(megabytes)
    try:
        yield pool
    except BaseException:
        pool.end(now=True)
        raise
    pool.end(now=False)


def _begin(megabytes: int | None) -> None:
    """Begin a worker: the keyboard interrupts the parent, which ends the workers; memory is limited."""
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if megabytes is not None:
        _Worker.end = _address_space() + megabytes * MEGABYTE
        sys.unraisablehook = _give_up


class _Worker:
    """This process as a worker: where its memory ends, if that is limited, and how many calls it has had."""

    end = 0
    calls = 0


def _end_with_parent() -> None:
    """End the worker when its parent has ended, which may have been killed before it could end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _with_room(megabytes: int, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
    """Call a function in a worker that has most of its memory left; end one that has not, so that another is begun.

    What a call took and gave back may be in pieces that are of no use to the next one.
    """
    resource = _resource()
    _Worker.calls += 1
    if _Worker.calls > 1 and _Worker.end - _address_space() < megabytes * MEGABYTE * ENOUGH_ROOM:
        os._exit(1)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_Worker.end, hard))
    try:
        return function(*arguments, **named)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _give_up(_: object) -> None:
    """End the worker: an exception that nobody can catch, in a callback of the solver, has spoilt its search."""
    os._exit(1)


def _let_have_more(worker: int, space: int) -> None:
    """Raise the limit of a worker that is at it, if it is limited and alive."""
    resource = _resource()
    with suppress(OSError, ValueError):
        soft, hard = resource.prlimit(worker, resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY and soft - space < NEAR_BYTES:
            resource.prlimit(worker, resource.RLIMIT_AS, (soft + MORE_BYTES, hard))


def _resource() -> Any:
    """Return the module that limits resources, which not every system has."""
    import resource  # noqa: PLC0415

    return resource


def _address_space(process: int | str = "self") -> int:
    """Return the bytes of address space that a process has in use, 0 if that cannot be known."""
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")
    except (OSError, ValueError):
        return 0
