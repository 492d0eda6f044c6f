"""The line that says how far a run is."""

from __future__ import annotations

import io

from axmem.front.progress import CLEAR, Progress
from axmem.front.typing import override


class Terminal(io.StringIO):
    @override
    def isatty(self) -> bool:
        return True


def test_nothing_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    with Progress(10, stream) as progress:
        progress.begin(1, "a")
    assert stream.getvalue() == ""


def test_nothing_for_one_test() -> None:
    stream = Terminal()
    with Progress(1, stream) as progress:
        progress.begin(0, "a")
    assert stream.getvalue() == ""


def test_a_line_that_is_cleared() -> None:
    stream = Terminal()
    with Progress(10, stream) as progress:
        progress.begin(0, "a.litmus")
    assert stream.getvalue() == f"{CLEAR}0/10  a.litmus{CLEAR}"


def test_the_time_that_is_left() -> None:
    assert Progress(10, Terminal()).line(4, "a", 6.0) == "4/10  about 9 s left  a"


def test_it_is_not_written_all_the_time() -> None:
    stream = Terminal()
    progress = Progress(1000, stream)
    for done in range(1000):
        progress.begin(done, "a")
    assert stream.getvalue().count(CLEAR) < 100
