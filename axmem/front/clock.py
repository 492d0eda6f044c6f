"""How much time there is: limits on blocks of code, whatever runs in them.

`within` limits a block. When its time is over, `OutOfTime` is raised in it: by `check`, and out of the blue, by a
thread that looks on. Such an exception may be swallowed where Python swallows exceptions (in a destructor, in a
callback), so it is raised again and again until the block is left: a limit may be late and is never lost. That works in
every thread and on every system with threads; where there are none (in browsers), `check` and the solver keep the time.

While a module is imported it is not raised: one that was left half imported would stay so, and fail whoever needs it
next. While objects of Z3 are made, asked and let go, exceptions out of the blue are `held` back: they would be lost in
its callbacks, and leave its counts of references wrong, which ends the process. The solver keeps itself what time is
`left`.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from types import FrameType, TracebackType
from typing import Any
from weakref import ref

from axmem.front.exits import OutOfTime as OutOfTime

RAISE_AGAIN_SECONDS = 0.05
"""How long the thread that looks on waits before it raises again, in seconds: up to twice that, never in a rhythm."""

WAIT = 20.0
"""How much longer than a processor works for it something may take."""
_GOLDEN = 0.618034
LOOK_SECONDS = 1.0
"""How often it is looked at least how long a processor has worked, in seconds."""


class within:
    """Limit a block to so many seconds, and to the limit that it is in; None is no limit of its own.

    `worked` limits the seconds that a processor works for this process; a block that has such a limit has both.
    """

    outer: within | None
    end: float | None
    until: float | None
    holds: list[object]

    def __init__(self, seconds: float | None, worked: float | None = None) -> None:
        self.seconds = seconds
        self.worked = None if seconds is None else worked

    def __enter__(self) -> None:
        self.outer = _current()
        self.end = None if self.outer is None else self.outer.end
        untils = [] if self.outer is None or self.outer.until is None else [self.outer.until]
        untils += [] if self.worked is None else [time.process_time() + self.worked]
        self.until = min(untils, default=None)
        self.holds = [] if self.outer is None else self.outer.holds
        self.thread = threading.get_ident()
        self.imports = 0
        own = None if self.seconds is None else time.monotonic() + self.seconds
        alarmed = own is not None and (self.end is None or own < self.end)
        self.end = own if alarmed else self.end
        _HERE.block = ref(self)
        if alarmed:
            self.imports = _imports(sys._getframe())
            try:
                _WATCH.add(self)
            except OutOfTime:
                self._leave()
                raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        over = True
        try:
            over = left() == 0
            self._leave()
        except OutOfTime:
            self._leave()
        if over and not isinstance(error, OutOfTime) and _caused(error):
            raise OutOfTime from error

    def _leave(self) -> None:
        _WATCH.drop(self)
        _HERE.block = None if self.outer is None else ref(self.outer)


def _caused(error: BaseException | None) -> bool:
    """Tell whether an exception was raised where OutOfTime was handled: libraries make errors of their own of it."""
    seen = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, OutOfTime):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def working(seconds: float | None) -> within:
    """Limit a block to so many seconds of a processor: other processes are at work, too; None is no limit."""
    return within(None if seconds is None else WAIT * seconds, worked=seconds)


def left() -> float | None:
    """Return the seconds that are left to the running block, 0 at least; None if nothing limits it."""
    block = _current()
    if block is None or block.end is None:
        return None
    by_clock = block.end - time.monotonic()
    return max(0.0, by_clock if block.until is None else min(by_clock, block.until - time.process_time()))


def check() -> None:
    """Raise OutOfTime if the time of the running block is over."""
    if left() == 0:
        raise OutOfTime


@contextmanager
def held() -> Iterator[None]:
    """Hold back exceptions out of the blue in a block; one that was due is raised at its end."""
    block = _current()
    if block is None:
        yield
        return
    holds, own = block.holds, object()
    try:
        holds.append(own)
        with _WATCH.lock:
            """What was raised before comes now, and no more does."""
        yield
    finally:
        if own in holds:
            holds.remove(own)
    if not holds:
        check()


class _Here(threading.local):
    """The innermost block of a thread. It is not kept alive: if it is gone, it has been left, in whatever way."""

    block: ref[within] | None = None


_HERE = _Here()


def _current() -> within | None:
    return None if _HERE.block is None else _HERE.block()


class _Watch:
    """The thread that looks on, which begins with the first block that is limited.

    What the limited threads touch here is made in C: an exception out of the blue cannot leave a lock behind.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.sooner: SimpleQueue[None] = SimpleQueue()
        self.due: dict[ref[within], float] = {}
        self.wakes = 0.0
        self.begun = False

    def add(self, block: within) -> None:
        """Raise OutOfTime in a block from its end on."""
        with self.lock:
            assert block.end is not None
            self.due[ref(block)] = block.end
            if not self.begun:
                self.begun = True
                sys.unraisablehook = _silent(sys.unraisablehook)
                with suppress(RuntimeError):  # There are no threads.
                    threading.Thread(target=self._look_on, daemon=True).start()
            elif block.end < self.wakes or block.until is not None:
                self.sooner.put(None)

    def drop(self, block: within) -> None:
        """Raise nothing any more in a block that is left, nor what was raised there and has not come."""
        with self.lock:
            if self.due.pop(ref(block), None) is not None:
                _raise_in(block.thread, None)

    def _look_on(self) -> None:
        tried = 0
        while True:
            now = time.monotonic()
            with self.lock:
                for limited, end in list(self.due.items()):
                    block = limited()
                    if block is None:
                        del self.due[limited]
                    elif end <= now or (block.until is not None and block.until <= time.process_time()):
                        if not block.holds and not _importing(block):
                            _raise_in(block.thread, OutOfTime)
                        tried += 1
                        self.due[limited] = now + RAISE_AGAIN_SECONDS * (1 + tried * _GOLDEN % 1)
                    del block
                blocks = [each() for each in self.due]
                untils = [block.until for block in blocks if block is not None and block.until is not None]
                del blocks
                work = min(untils, default=0.0) - time.process_time()
                look = min(LOOK_SECONDS, max(RAISE_AGAIN_SECONDS, work)) if untils else 3600
                self.wakes = min((*self.due.values(), now + look))
                block = None
            with suppress(Empty):
                self.sooner.get(timeout=self.wakes - now)


_WATCH = _Watch()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_WATCH.__init__)  # type: ignore[misc]


def _importing(block: within) -> bool:
    """Say whether a block is importing a module, now that its thread stands still."""
    return _imports(sys._current_frames().get(block.thread)) > block.imports


def _imports(frame: FrameType | None) -> int:
    """Return how many frames of a stack are Python's own that import."""
    found = 0
    while frame is not None:
        found += frame.f_code.co_filename == "<frozen importlib._bootstrap>"
        frame = frame.f_back
    return found


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Have an exception raised in a thread as soon as it runs Python; None takes back one that has not come yet."""
    import ctypes  # noqa: PLC0415 - heavy, and only a limit needs it

    what = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)


def _silent(hook: Callable[[Any], object]) -> Callable[[Any], object]:
    """Return a hook that says nothing of an exception out of the blue that was swallowed: it comes again."""
    if hasattr(hook, "silent"):
        return hook

    def silent(found: Any) -> None:
        if not isinstance(found.exc_value, OutOfTime):
            hook(found)

    silent.silent = True  # type: ignore[attr-defined]
    return silent
