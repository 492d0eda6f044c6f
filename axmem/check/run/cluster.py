"""Workers on a cluster of Dask's.

What goes in: the address of a scheduler, or how many processes of this machine to make one of. What comes out: an
executor whose work is done there. The package `distributed` is imported only here, when a cluster is asked for.
Invariant: what does not answer in time is an input error, never a wait without end.
"""

from __future__ import annotations

import logging
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, InvalidStateError
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

from axmem.check.run.batch import ExecutorLost
from axmem.check.run.work import Workers
from axmem.front.source import mistake
from axmem.front.typing import override
from axmem.front.version import __version__

OPTION = "--scheduler"
PATIENCE = 20.0
"""How long a scheduler may take to answer, and its first worker to appear, in seconds."""
INTERVAL = 2.0
"""How often to look whether the scheduler is still there, in seconds."""
LOST = "the scheduler was lost"

_LOCAL = re.compile(r"local:([1-9]\d*)")
_REMOTE = re.compile(r"(tcp|tls|ws|wss|ucx)://\S+")


@contextmanager
def cluster(address: str) -> Iterator[Workers]:
    """Provide the cluster behind `tcp://HOST:PORT`, or one of N processes for `local:N`, for the length of a block."""
    if not _LOCAL.fullmatch(address) and not _REMOTE.fullmatch(address):
        message = "a scheduler is given as tcp://HOST:PORT, or local:N for N processes of this machine"
        raise mistake(OPTION, message, text=address)
    try:
        import distributed  # noqa: PLC0415
    except ImportError:
        message, hint = "the package 'distributed' is not installed", "pip install 'axmem[cluster]'"
        raise mistake(OPTION, message, hint, text=address) from None
    with ExitStack() as stack:
        client = _client(distributed, address, stack)
        workers = _checked_workers(client, address)
        executor = _ClusterExecutor(client)
        threading.Thread(target=executor.watch, daemon=True).start()
        stack.callback(executor.closed.set)
        yield Workers(executor, workers)


class _Call:
    """A call to be made at a worker, and the future of its caller."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.submitted = partial(_attempt, function, *arguments, **named)
        self.future: Future[Any] = Future()


class _ClusterExecutor(Executor):
    """Dask's own executor, of which more is asked.

    When a worker dies, Dask suspects every call that it had, and after some deaths gives them up: those are made
    again here, each alone, so that only the guilty one fails. When the scheduler has gone, calls end by `ExecutorLost`.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.inner: Executor = client.get_executor(pure=False)
        self.lock = threading.RLock()
        self.begun: set[_Call] = set()
        self.suspects: deque[_Call] = deque()
        self.alone: _Call | None = None
        self.held: deque[_Call] = deque()
        self.closed = threading.Event()
        self.lost = False

    @override
    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Submit a call to the scheduler, or have it wait for a suspect that is tried alone."""
        call = _Call(function, arguments, named)
        with self.lock:
            if self.alone is not None:
                self.held.append(call)
            else:
                self._begin(call)
        return call.future

    def watch(self) -> None:
        """Look after the scheduler until the executor is closed; when it has gone, fail every call."""
        while not self.lost and not self.closed.wait(INTERVAL):
            if not self._answers():
                with self.lock:
                    self.lost = True
                    lost = [*self.begun, *self.suspects, *self.held]
                    for calls in (self.begun, self.suspects, self.held):
                        calls.clear()
                for call in lost:
                    _fail(call.future, ExecutorLost(LOST))

    def _answers(self) -> bool:
        """Tell whether the scheduler is there."""
        try:
            return self.client.status == "running" and self.client.nthreads() is not None
        except Exception:
            return False

    def _begin(self, call: _Call) -> None:
        try:
            if self.lost or self.client.status != "running":
                raise ExecutorLost(LOST)
            inner = self.inner.submit(call.submitted)
        except Exception as error:
            _fail(call.future, ExecutorLost(f"{LOST}: {error}") if not isinstance(error, ExecutorLost) else error)
            return
        self.begun.add(call)
        call.future.add_done_callback(lambda done: inner.cancel() if done.cancelled() else None)
        inner.add_done_callback(partial(self._end, call))

    def _end(self, call: _Call, inner: Future[Any]) -> None:
        """Pass on what came of a call, unless it is a suspect that was not alone; try suspects when it is quiet."""
        error = CancelledError() if inner.cancelled() else inner.exception()
        with self.lock:
            known = call in self.begun
            self.begun.discard(call)
            suspect = type(error).__name__ == "KilledWorker" and self.alone is not call
            if known and suspect:
                self.suspects.append(call)
            if self.alone is call:
                self.alone = None
            while not self.begun and self.suspects:
                self.alone = self.suspects.popleft()
                self._begin(self.alone)
                if self.alone not in self.begun:
                    self.alone = None
            while self.alone is None and self.held:
                self._begin(self.held.popleft())
        if not known or suspect:
            return
        if error is None:
            value, raised = inner.result()
            if raised is not None:
                _fail(call.future, raised)
            else:
                with suppress(InvalidStateError):
                    call.future.set_result(value)
        else:
            # A call that loses its scheduler is cancelled, or, where its result was on the way, Dask takes the result
            # for an exception, with its type and traceback, and fails to unpack it.
            lost = isinstance(error, CancelledError | TypeError | ValueError)
            _fail(call.future, ExecutorLost(LOST) if lost else error)


def _attempt(function: Callable[..., Any], *arguments: Any, **named: Any) -> tuple[Any, Exception | None]:
    """Return what a function returns, or the exception that it raises, so that no other is taken for it."""
    try:
        return function(*arguments, **named), None
    except Exception as error:
        return None, error


def _fail(future: Future[Any], error: BaseException) -> None:
    with suppress(InvalidStateError):
        future.set_exception(error)


def _client(distributed: Any, address: str, stack: ExitStack) -> Any:
    """Connect to a scheduler; the stack ends the connection, and a cluster that was made for it."""
    # Its parts have levels of their own. What they say of a connection that ends, with a traceback, is said by us.
    for name in ("distributed", *(name for name in logging.root.manager.loggerDict if name.startswith("distributed."))):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    local = _LOCAL.fullmatch(address)
    if local:
        made = distributed.LocalCluster(
            n_workers=int(local[1]), threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        )
        stack.enter_context(made)
        return stack.enter_context(distributed.Client(made, timeout=PATIENCE, set_as_default=False))
    try:
        return stack.enter_context(distributed.Client(address, timeout=PATIENCE, set_as_default=False))
    except (OSError, ValueError) as error:
        raise mistake(OPTION, f"no scheduler answers here: {_first_line(error)}", text=address) from None


def _checked_workers(client: Any, address: str) -> int:
    """Return how many jobs the workers do at a time, when all of them have this version of axmem."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise mistake(OPTION, "the scheduler has no workers", text=address) from None
    try:
        versions = set(client.run(worker_version).values())
    except ImportError as error:
        raise mistake(OPTION, f"a worker cannot import axmem: {_first_line(error)}", text=address) from None
    if versions != {__version__}:
        found = ", ".join(sorted(versions))
        raise mistake(OPTION, f"the workers have axmem {found}, and this is axmem {__version__}", text=address)
    return max(1, sum(int(threads) for threads in client.nthreads().values()))


def worker_version() -> str:
    """Return the version of axmem where this is called: at a worker."""
    return __version__


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
