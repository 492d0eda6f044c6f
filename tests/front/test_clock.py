"""Limits of time: kept wherever the time goes, late at worst, and gone when the block is left."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module  # noqa: TID251 -- of a module that the test writes
from pathlib import Path

import pytest

from axmem.front.clock import OutOfTime, check, held, left, within

SHORT, LONG = 0.05, 3600.0


def busy() -> None:
    """Work without end, and ask nobody for the time."""
    number = 0
    while True:
        number += 1


class Slow:
    """Something whose destructor takes much of the time: Python swallows exceptions in it."""

    def __del__(self) -> None:
        until = time.monotonic() + 0.004
        while time.monotonic() < until:
            pass


def destructors() -> None:
    while True:
        Slow()
        for _ in range(300_000):
            pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("work", [busy, destructors])
def test_a_limit_ends_work_that_never_asks(work: Callable[[], None], capsys: pytest.CaptureFixture[str]) -> None:
    """Also where exceptions are swallowed, of which nothing is said."""
    with pytest.raises(OutOfTime), within(SHORT):
        work()
    assert left() is None
    assert "OutOfTime" not in capsys.readouterr().err


def test_a_limit_holds_in_any_thread() -> None:
    ended: list[float | None] = []

    def work() -> None:
        try:
            with within(SHORT):
                busy()
        except OutOfTime:
            ended.append(left())

    with within(LONG):
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert left() is not None
    assert ended == [None, None, None]


def test_the_tighter_limit_counts() -> None:
    with within(LONG):
        with within(2 * LONG):
            outer = left()
        assert outer is not None and outer <= LONG
        with pytest.raises(OutOfTime), within(SHORT):
            busy()
        check()
    with pytest.raises(OutOfTime), within(SHORT), within(LONG):
        busy()


def test_an_error_that_a_library_makes_of_it_is_the_end_of_the_time() -> None:
    """As networkx does, which takes what is raised while it looks at a graph for a wrong graph."""
    with pytest.raises(OutOfTime), within(SHORT):
        try:
            busy()
        except Exception:
            raise TypeError("Input is not known type.")  # noqa: B904 -- as libraries do


def test_an_error_of_its_own_stays_what_it_is() -> None:
    with pytest.raises(TypeError), within(LONG):
        raise TypeError
    with within(LONG):
        try:
            with within(SHORT):
                busy()
        except OutOfTime as over:
            with pytest.raises(TypeError), within(LONG):
                raise TypeError from over


def test_nothing_comes_after_a_block() -> None:
    """Blocks whose time ends at about the moment when they are left."""
    for number in range(2000):
        try:
            with within(number % 7 / 20_000):
                for _ in range(500):
                    pass
        except OutOfTime:
            pass
        assert left() is None
    time.sleep(4 * SHORT)
    for _ in range(100_000):
        pass


def test_exceptions_are_held_back() -> None:
    done = []
    with pytest.raises(OutOfTime), within(SHORT):
        with within(LONG), held():
            until = time.monotonic() + 5 * SHORT
            while time.monotonic() < until:
                pass
            done.append(left())
        busy()
    assert done == [0]


LATE_MODULE = """
import time
from axmem.front.clock import left
while left():
    pass
until = time.monotonic() + 4 * 0.05
while time.monotonic() < until:
    pass
DONE = True
"""


def test_no_module_is_left_half_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is over while it is imported, and said as soon as it is there."""
    (tmp_path / "imported_late.py").write_text(LATE_MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(OutOfTime), within(SHORT):
        import_module("imported_late")
        busy()
    assert "imported_late" not in sys.modules or sys.modules.pop("imported_late").DONE


def test_a_block_in_a_module_that_is_imported_has_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"from axmem.front.clock import within\nwith within({SHORT}):\n    while True:\n        pass\n"
    (tmp_path / "imported_endless.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(OutOfTime):
        import_module("imported_endless")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_limit_holds_in_a_forked_process() -> None:
    with within(LONG):
        pass
    child = os.fork()
    if not child:
        try:
            with within(SHORT):
                busy()
        except OutOfTime:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_a_block_may_be_limited_by_what_a_processor_works() -> None:
    with pytest.raises(OutOfTime), within(3600, 0.01):
        while True:
            pass
    with pytest.raises(OutOfTime), within(3600, 0.01), within(1800):
        while True:
            assert (left() or 0) <= 0.01
    with within(3600, 1800):
        assert 0 < (left() or 0) <= 1800
    with within(None, 0.01):
        assert left() is None
