"""An interrupt that comes in a destructor is heard all the same."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator

import pytest

from axmem.front.interrupts import heard
from tests.paths import PATIENCE


class Interrupted:
    """An object in whose destructor somebody presses Ctrl-C."""

    def __del__(self) -> None:
        raise KeyboardInterrupt


class Broken:
    """An object whose destructor fails."""

    def __del__(self) -> None:
        raise ValueError("broken")


@pytest.fixture
def hears() -> Iterator[None]:
    """Hear interrupts: what a shell starts in the background ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears")
def test_what_a_destructor_swallows_comes_again() -> None:
    with pytest.raises(KeyboardInterrupt), heard():
        made = Interrupted()
        del made
        time.sleep(PATIENCE)


def test_what_else_destructors_raise_is_said_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: told.append(what.exc_type))
    before = sys.unraisablehook
    with heard():
        made = Broken()
        del made
    assert told == [ValueError] and sys.unraisablehook is before
