"""Help: an example for every command, which works; completion and the manual page from the parser."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from axmem.cli import build_parser, main, parse_arguments
from tests.paths import ROOT

COMMANDS = build_parser()[1].choices
SEARCHES = {"diff", "passes", "hunt", "lsp"}
"""Commands whose examples take longer than a test should, need LLVM, or serve an editor."""


def examples(command: str) -> list[str]:
    """Return the examples that the help of a command shows."""
    (block,) = re.findall(r"^examples:\n((?:  .*\n)+)", COMMANDS[command].format_help() + "\n", re.MULTILINE)
    return [line.strip() for line in block.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_of_every_command_work(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, source in (("my.litmus", "two-stores.litmus"), ("my.cat", "causal.cat")):
        shutil.copy(ROOT / "litmus" / "examples" / source, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    shown = examples(command)
    assert shown and all(line.startswith(f"axmem {command}") for line in shown)
    for line in shown:
        parse_arguments(shlex.split(line)[1:])
    if command not in SEARCHES:
        assert main(shlex.split(shown[0])[1:]) in (0, 1, 3), capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_a_completion_script_names_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--completion", shell])
    script = capsys.readouterr().out
    assert ended.value.code == 0 and all(command in script for command in COMMANDS)
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_the_manual_page_has_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--man"])
    page = capsys.readouterr().out
    assert page.startswith('.TH AXMEM "1"')
    page = page.replace("\\-", "-")
    assert all(re.search(rf"axmem (\\fI)?{command}\b", page) for command in COMMANDS)


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["--completion", "bash"]) == 2
    assert "pip install 'axmem[shell]'" in capsys.readouterr().err
