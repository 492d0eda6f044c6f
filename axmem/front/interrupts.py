"""Interrupts from the keyboard that Python swallows.

What happens: an interrupt that comes while a destructor runs, such as those of Z3's objects, is printed and forgotten
by Python. In the block it comes once more, a little later, until it is heard.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPT_AGAIN_SECONDS = 0.05
"""After so many seconds an interrupt that was swallowed comes again: in the destructor it would be swallowed, too."""


@contextmanager
def heard() -> Iterator[None]:
    """Let no interrupt be lost for the length of a block."""
    before = sys.unraisablehook

    def swallowed(what: sys.UnraisableHookArgs) -> None:
        if not issubclass(what.exc_type, KeyboardInterrupt):
            before(what)
            return
        from threading import Timer  # noqa: PLC0415 -- hardly ever needed

        Timer(INTERRUPT_AGAIN_SECONDS, _interrupt).start()

    sys.unraisablehook = swallowed
    try:
        yield
    finally:
        sys.unraisablehook = before


def _interrupt() -> None:
    """Interrupt the main thread as the keyboard does, in what it waits for, too, where there is a way to do so."""
    import signal  # noqa: PLC0415 -- as above
    from threading import main_thread  # noqa: PLC0415 -- as above

    identity = main_thread().ident
    if hasattr(signal, "pthread_kill") and identity is not None:
        signal.pthread_kill(identity, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
