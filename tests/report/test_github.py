"""Annotations for GitHub: what is escaped, what has a place, and that no file can give a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main
from axmem.front import notes
from axmem.front.source import Diagnostic, Source, Span
from axmem.report.github import annotation
from tests.paths import INPUTS


def test_escapes_what_would_end_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a message `%` and line ends, in a property `:` and `,` too: so GitHub documents its workflow commands."""
    monkeypatch.chdir(tmp_path)
    Path("a,b:c%.litmus").touch()
    diagnostic = Diagnostic(Source("a,b:c%.litmus", ""), Span(2, 3), "100 %: a, b\r\nc", "line\nline", "warning")
    place = "file=a%2Cb%3Ac%25.litmus,line=2,col=3"
    assert annotation(diagnostic) == f"::warning {place}::100 %25: a, b%0D%0Ac%0Ahint: line%0Aline\n"


def test_what_is_no_file_has_no_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(INPUTS / "SB.litmus"), "--model", "llvn", "--format", "github"]) == 2
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.startswith("::error::--model:1: unknown model 'llvn'%0Ahint: ")
    assert printed.out.count("\n") == 1


@pytest.mark.parametrize("command", [["run"], ["check"], ["run", "--robust"]])
def test_no_file_gives_a_command(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """GitHub's runner looks for `::` behind the blanks at the beginning of a line, on both streams."""
    bad = tmp_path / "bad.litmus"
    bad.write_text("litmus T\n\n    ::stop-commands::x\n::error::y\n", encoding="utf-8")
    model = tmp_path / "bad.cat"
    model.write_text("let a =\n  ::stop-commands::x\n", encoding="utf-8")
    models = ["--model", str(model)] if command[0] == "run" else [str(model)]
    for arguments in ([*command, str(bad)], [*command, str(INPUTS / "SB.litmus"), *models]):
        assert main([*arguments, "--format", "github"]) == 2
        printed = capsys.readouterr()
        lines = [line.strip() for line in (printed.out + printed.err).splitlines()]
        assert any(line.startswith(f"::error file={tmp_path}") for line in lines)
        assert all(line.startswith(("::error ", "::warning ")) for line in lines if line.startswith("::"))


@pytest.mark.parametrize(
    "command",
    [
        "compare SB.litmus --models sc,two.cat",
        "lower MP.litmus --target gfx942",
        "table SB.litmus --models sc",
    ],
)
def test_the_old_name_of_markdown_still_works(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(INPUTS if "SB" in command else INPUTS.parents[1] / "lower" / "inputs")
    monkeypatch.setattr(notes, "_said", set())
    assert main([*command.split(), "--format", "github"]) == 0
    old = capsys.readouterr()
    assert old.err == "axmem: note: --format github is called markdown here; the next version knows only this name\n"
    assert main([*command.split(), "--format", "markdown"]) == 0
    assert capsys.readouterr() == (old.out, "")
