"""A request to end a run, which is an interrupt wherever it comes from.

What happens: in the block SIGTERM interrupts the process as the keyboard does, also where the keyboard's signal is
ignored, as shells have it for what runs in the background. The block is then left by `Terminated`, so that output and
workers come to their end.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from axmem.front.exits import Terminated


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
