"""What is sent to a terminal: no control character of a file's, and colour where it is wanted."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axmem.cli import main
from axmem.front.terminal import painted, shown
from tests.front.test_progress import Terminal

EVIL = 'litmus Evil\x1b]0;title\x07\n"a \x1b[2J \u202e description"\nthread P0 {\n  bad \x1b[31m \x9b5m\n}\n'
COLOUR = re.compile("\x1b\\[[0-9;]*m")


def terminals(monkeypatch: pytest.MonkeyPatch) -> tuple[Terminal, Terminal]:
    """Let both streams be terminals that show colour."""
    streams = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    return streams


def test_control_characters_of_a_file_are_shown_and_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    streams = terminals(monkeypatch)
    path = tmp_path / "evil\x1b[1m.litmus"
    path.write_text(EVIL)
    for command in (["check"], ["run"], ["fmt"], ["explain"], ["table"]):
        main([*command, str(path)])
    said = "".join(terminal.getvalue() for terminal in streams)
    assert "\\x1b" in said and "\\x9b" in said
    assert all(ord(c) >= 32 or c in "\n\t" for c in said) and not re.search("[\x7f-\x9f\u202e]", said)


def test_behind_a_pipe_messages_quote_files_as_on_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "evil.litmus"
    path.write_text(EVIL)
    main(["check", str(path)])
    assert "bad \\x1b[31m \\x9b5m" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "environment", "coloured"),
    [
        ([], {}, True), ([], {"NO_COLOR": "1"}, False), ([], {"NO_COLOR": ""}, True), ([], {"TERM": "dumb"}, False),
        (["--color", "never"], {}, False), (["--color", "always"], {"NO_COLOR": "1"}, True),
    ],
)  # fmt: skip
def test_colour_is_sent_where_it_is_wanted(
    option: list[str],
    environment: dict[str, str],
    coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    streams = terminals(monkeypatch)
    for name, value in {"TERM": "xterm", "NO_COLOR": "", **environment}.items():
        monkeypatch.setenv(name, value)
    main(["run", "@corpus/base/MP+rel+acq.litmus", "nowhere.litmus", "--model", "sc", *option])
    found = [bool(COLOUR.search(terminal.getvalue())) for terminal in streams]
    assert found == [False, coloured]
    main(["run", "@corpus/base/MP+rel+acq.litmus", *option])
    assert ("\x1b[32mok\x1b[0m" in streams[0].getvalue()) == coloured


def test_a_pipe_is_coloured_only_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    for option, coloured in (([], False), (["--color", "always"], True)):
        main(["check", "nowhere.litmus", *option])
        assert bool(COLOUR.search(capsys.readouterr().err)) == coloured


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("MP  llvm  forbidden: P1:r0=1", "36mforbidden"),
        ("MP  amdgpu[vis.instance=literal]  allowed: P1:r0=1", "33mallowed"),
        ("src -> tgt  llvm  sound in every context", "32msound"),
        ("MP  gfx942  amdgpu  sound  (1 placement)", "32msound"),
        ("src -> tgt  llvm  unsound even if no other thread runs", "31munsound"),
        ("1 test: 1 sound", ""),
        ("    what is forbidden is sound", ""),
        ("all of it is sound  as it stands", ""),
    ],
)
def test_a_verdict_in_its_column_is_coloured(line: str, seen: str) -> None:
    found = painted(line)
    assert seen in found and found.count("\x1b[0m") == bool(seen)


@given(st.text() | st.sampled_from([EVIL, "a: error: b\n  hint: c\n", "T  llvm  never  ok\n"]))
def test_without_its_colours_a_text_is_what_is_shown(text: str) -> None:
    assert COLOUR.sub("", painted(shown(text))) == shown(text)
