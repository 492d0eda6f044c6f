"""Workers on a cluster of Dask's.

What goes in: the address of a scheduler, or how many processes of this machine to make one of. What comes out: an
executor whose work is done there. The package `distributed` is imported only here, when a cluster is asked for.
Invariant: what does not answer in time is an input error, never a wait without end.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from axmem import __version__
from axmem.batch import Unreachable
from axmem.source import Diagnostic, InputError, Source, Span

OPTION = "--scheduler"
PATIENCE = 20.0
"""How long a scheduler may take to answer, and its first worker to appear, in seconds."""

_LOCAL = re.compile(r"local:([1-9]\d*)")
_REMOTE = re.compile(r"(tcp|tls|ws|wss|ucx)://\S+")


@dataclass(frozen=True, slots=True)
class Cluster:
    """An executor, and how many jobs it does at a time."""

    executor: Executor
    workers: int


@contextmanager
def cluster(address: str) -> Iterator[Cluster]:
    """Provide the cluster behind `tcp://HOST:PORT`, or one of N processes for `local:N`, for the length of a block."""
    if not _LOCAL.fullmatch(address) and not _REMOTE.fullmatch(address):
        raise _mistake(address, "a scheduler is given as tcp://HOST:PORT, or local:N for N processes of this machine")
    try:
        import distributed
    except ImportError:
        raise _mistake(address, "the package 'distributed' is not installed", "pip install 'axmem[cluster]'") from None
    with ExitStack() as stack:
        client = _client(distributed, address, stack)
        workers = _checked_workers(client, address)
        yield Cluster(_ClusterExecutor(client), workers)


class _ClusterExecutor(Executor):
    """Dask's own executor, which raises `Unreachable` when the scheduler has gone."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.inner: Executor = client.get_executor(pure=False)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Submit a call to the scheduler."""
        if self.client.status == "running":
            try:
                return self.inner.submit(function, *arguments, **named)
            except Exception:
                if self.client.status == "running":
                    raise
        raise Unreachable("the scheduler was lost")


def _client(distributed: Any, address: str, stack: ExitStack) -> Any:
    """Connect to a scheduler; the stack ends the connection, and a cluster that was made for it."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    local = _LOCAL.fullmatch(address)
    if local:
        workers = int(local[1])
        made = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
        stack.enter_context(made)
        return stack.enter_context(distributed.Client(made, timeout=PATIENCE, set_as_default=False))
    try:
        return stack.enter_context(distributed.Client(address, timeout=PATIENCE, set_as_default=False))
    except (OSError, ValueError) as error:
        raise _mistake(address, f"no scheduler answers here: {_first_line(error)}") from None


def _checked_workers(client: Any, address: str) -> int:
    """Return how many jobs the workers do at a time, when all of them have this version of axmem."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise _mistake(address, "the scheduler has no workers") from None
    try:
        versions = set(client.run(worker_version).values())
    except ImportError as error:
        raise _mistake(address, f"a worker cannot import axmem: {_first_line(error)}") from None
    if versions != {__version__}:
        found = ", ".join(sorted(versions))
        raise _mistake(address, f"the workers have axmem {found}, and this is axmem {__version__}")
    return max(1, sum(int(threads) for threads in client.nthreads().values()))


def worker_version() -> str:
    """Return the version of axmem where this is called: at a worker."""
    return __version__


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _mistake(address: str, message: str, hint: str = "") -> InputError:
    return InputError([Diagnostic(Source(OPTION, address), Span(1, 1, max(1, len(address))), message, hint)])
