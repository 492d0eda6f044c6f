"""The line that says how far a run is.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import io
import re
import sys

import pytest

from axmem.cli import main
from axmem.front.progress import CLEAR, ProgressLine
from axmem.front.typing import override
from tests.drawn import some


class Terminal(io.StringIO):
    @override
    def isatty(self) -> bool:
        return True


def test_nothing_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    with ProgressLine(10, stream) as progress:
        progress.begin(1, "a")
    assert stream.getvalue() == ""


def test_nothing_for_one_test() -> None:
    stream = Terminal()
    with ProgressLine(1, stream) as progress:
        progress.begin(0, "a")
    assert stream.getvalue() == ""


def test_a_line_that_is_cleared() -> None:
    stream = Terminal()
    with ProgressLine(10, stream) as progress:
        progress.begin(0, "a.litmus")
    assert stream.getvalue() == f"{CLEAR}0/10  a.litmus{CLEAR}"


def test_the_time_that_is_left() -> None:
    assert ProgressLine(10, Terminal()).line(4, "a", 6.0) == "4/10  about 9 s left  a"


def test_a_head_says_which_of_several_runs_this_is() -> None:
    stream = Terminal()
    with ProgressLine(1, stream, "claim 2 of 9: ") as progress:
        progress.begin(0, "a")
    assert stream.getvalue() == f"{CLEAR}claim 2 of 9: 0/1  a{CLEAR}"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    some([
        ("table @corpus/axioms --models sc", "0/5"),
        ("verify @corpus/base/MP+rel+acq.litmus @corpus/base/CoRR+mono.litmus --target gfx942", "0/2"),
        ("verify @corpus/base/MP+rel+acq.litmus --target gfx942 --needs --by operation", "1/1 tests"),
        ("theorems P5 --events 1", "claim 1 of"),
        ("refine --models llvm amdgpu --events 2", "/"),
        ("diff sc llvm --events 2 --constructs none", "threads of 1 operations"),
        ("compare @corpus/axioms --models sc,llvm", "0/5"),
    ], of=2),
)
def test_every_long_command_says_on_a_terminal_how_far_it_is(
    arguments: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    main(arguments.split())
    lines = re.findall(re.escape(CLEAR) + "([^\r]+)(\r?)", terminal.getvalue())
    assert any(shown in line for line, _ in lines), terminal.getvalue()
    assert all(shown not in line for line, replaced in lines if not replaced)


def test_it_is_not_written_all_the_time() -> None:
    stream = Terminal()
    progress = ProgressLine(1000, stream)
    for done in range(1000):
        progress.begin(done, "a")
    assert stream.getvalue().count(CLEAR) < 100
