"""Loops that do not end, and handlers of signals: what neither contexts nor executions that end show.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drawn import some
from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, asked, pair

FIRST = "store atomic i32 1, ptr %p monotonic, align 4; "
WAITED = (
    "br label %h; h:; {}%f = load atomic i32, ptr %q monotonic, align 4; "
    "%c = icmp eq i32 %f, 0; br i1 %c, label %h, label %out; out:; {}ret i32 0"
)


def waited(first: str, last: str) -> str:
    """Return a loop that waits, before with something behind it, after with something above it."""
    text = pair(WAITED.format("", last), f"{first}{WAITED.format('', '')}")
    return text.replace("  h:", "h:").replace("  out:", "out:")


def test_a_store_may_not_go_over_a_loop_that_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It may wait for ever; a function that returns does not."""
    assert asked(tmp_path, waited(FIRST, FIRST)) == UNSOUND
    assert "waits=1" in capsys.readouterr().out
    assert asked(tmp_path, waited("", "")) == SOUND
    returns = waited(FIRST, FIRST).replace(" {\n", " willreturn {\n")
    assert asked(tmp_path, returns, "--context", "0") != UNSOUND


def test_what_a_loop_does_beyond_its_bound_is_not_called_sound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though up to there both do the same."""
    loop = (
        "br label %h; h:; %i = phi i32 [ 0, %0 ], [ %n, %b ]; %f = load atomic i32, ptr %q monotonic, align 4; "
        "%c = icmp ne i32 %f, 0; br i1 %c, label %out, label %b; b:; %n = add i32 %i, 1; %t = icmp eq i32 %n, 40; "
        "br i1 %t, label %g, label %h; g:; store atomic i32 {}, ptr %p monotonic, align 4; ret i32 0; out:; ret i32 0"
    )
    text = pair(loop.format(1), loop.format(2))
    for label in ("h", "b", "g", "out"):
        text = text.replace(f"  {label}:", f"{label}:")
    assert asked(tmp_path, text, "--timeout", "2") == UNKNOWN
    assert "goes on beyond" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ('{0}fence syncscope("singlethread") release; {1}', "{0}{1}", UNSOUND),
        (2 * '{0}fence syncscope("singlethread") release; ', "{0}"
         '{0}fence syncscope("singlethread") release; ', UNKNOWN),
        ('{0}fence syncscope("singlethread") release; {1}', '{0}fence syncscope("singlethread") seq_cst; {1}', SOUND),
        ('{0}fence syncscope("singlethread") release; {1}', '{1}fence syncscope("singlethread") release; {0}', UNKNOWN),
        ("{0}{1}", '{0}fence syncscope("singlethread") release; {1}', SOUND),
    ],
)
def test_what_a_handler_of_signals_sees_is_not_called_sound(
    before: str, after: str, code: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if code == UNSOUND:
        request.getfixturevalue("longer_than_users_have")
    stores = FIRST, FIRST.replace("%p", "%q")
    text = pair(f"{before.format(*stores)}ret i32 0", f"{after.format(*stores)}ret i32 0")
    noalias = text.replace("ptr %p, ptr %q)", "ptr noalias %p, ptr noalias %q)")
    assert asked(tmp_path, noalias) == code


@pytest.mark.usefixtures("longer_than_users_have")
def test_a_handler_of_signals_is_shown_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It sees the stores in another order; who is no handler could not before."""
    stores = "store atomic i32 1, ptr @x monotonic, align 4; ", "store atomic i32 1, ptr @y monotonic, align 4; "
    fence = 'fence syncscope("singlethread") release; '
    memory, first, second = "@x = global i32 0\n@y = global i32 0\n", fence.join(stores), fence.join(stores[::-1])
    assert asked(tmp_path, memory + pair(f"{first}ret i32 0", f"{second}ret i32 0", parameters="")) == UNSOUND
    shown = capsys.readouterr().out
    assert "in a signal handler, C0" in shown and "assumed: the further thread is a signal handler" in shown
    first, second = (each.replace("singlethread", "agent") for each in (first, second))
    assert asked(tmp_path, memory + pair(f"{first}ret i32 0", f"{second}ret i32 0", parameters="")) == UNSOUND
    assert "handler" not in capsys.readouterr().out


CALLED = "call void @ext(); "
STORED = "store i32 1, ptr %p, align 4; "


@pytest.mark.parametrize(
    ("attributes", "before", "after", "code"),
    some([
        # A store that a callee that does not return would have kept from being executed, or lets be executed.
        ("nosync memory(none)", CALLED + STORED, STORED + CALLED, UNSOUND),
        ("nosync memory(none)", STORED + CALLED, CALLED + STORED, UNSOUND),
        # It may unwind.
        ("nosync willreturn memory(none)", CALLED + STORED, STORED + CALLED, UNSOUND),
        # It returns.
        ("nosync willreturn nounwind memory(none)", CALLED + STORED, STORED + CALLED, SOUND),
        ("nosync nounwind memory(none)", CALLED + STORED, CALLED + STORED + "%d = add i32 1, 1; ", SOUND),
        # What is null need not be loaded from.
        ("nosync nounwind memory(none)", CALLED + "%a = load i32, ptr %p, align 4; ",
         "%a = load i32, ptr %p, align 4; " + CALLED, UNSOUND),
        # It may synchronize, or write what the store is to write: it could be what another thread does meanwhile.
        ("willreturn nounwind", CALLED + STORED, STORED + CALLED, UNSOUND),
        ("willreturn nounwind memory(readwrite)", CALLED + STORED, STORED + CALLED, UNKNOWN),
        # Which of two does not return nobody sees.
        ("nosync nounwind memory(none)", CALLED + CALLED + STORED, STORED + CALLED + CALLED, UNKNOWN),
        ("nosync nounwind memory(none)", CALLED + STORED, STORED, UNKNOWN),
    ], of=3),
)  # fmt: skip
def test_what_goes_over_a_call_that_need_not_return(
    attributes: str, before: str, after: str, code: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if code == UNSOUND:
        request.getfixturevalue("longer_than_users_have")
    text = pair(f"{before}ret i32 0", f"{after}ret i32 0")
    assert asked(tmp_path, f"declare void @ext() {attributes}\n{text}") == code
