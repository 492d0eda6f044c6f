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
from axmem.front.spelling import COMMANDS as CLI
from axmem.front.spelling import GROUPS, UNSHOWN, VALUED, shown, spelled, usage
from tests.paths import ROOT

COMMANDS = build_parser()[1].choices
SEARCHES = {"diff", "passes", "verify --hunt", "lsp"}
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
    assert ended.value.code == 0
    named = [word for command in COMMANDS if command != UNSHOWN for word in command.split()]
    assert all(word in script for word in named if shell != "tcsh" or not word.startswith("--"))
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_the_manual_page_has_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--man"])
    page = capsys.readouterr().out
    assert page.startswith('.TH AXMEM "1"')
    page = page.replace("\\-", "-")
    assert all(re.search(rf"axmem (\\fI)?{command}\b", page) for command in COMMANDS)


def test_no_more_than_fifteen_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    listed = shown(tuple(CLI))
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    assert len(listed) <= 15 and all(re.search(rf"^    {word}\s", said, re.MULTILINE) for word in listed)
    assert len(re.findall(r"^    [a-z]+\s", said.split("commands:")[1], re.MULTILINE)) == len(listed)


@pytest.mark.parametrize("command", CLI)
def test_every_command_has_its_old_name_and_a_new_one(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    helps = []
    words = [*shlex.split(spelled(command)), *["axmem"] * spelled(command).endswith(VALUED)]
    for line in ([command, "--help"], [*words, "--help"], ["help", *words]):
        with pytest.raises(SystemExit) as ended:
            main(line)
        assert ended.value.code == 0
        helps.append(capsys.readouterr().out)
    assert helps[0] == helps[1] == helps[2]
    assert helps[0].startswith(f"usage: axmem {usage(command)} ")


@pytest.mark.parametrize("word", GROUPS)
def test_a_group_lists_its_commands(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([word, "--help"], ["help", word]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        said = capsys.readouterr().out
        assert ended.value.code == 0 and said.startswith(f"usage: axmem {word} ")
        assert all(name in said for name in GROUPS[word])


def test_who_types_an_old_name_is_told_the_new_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for terminal in (True, False):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal, raising=False)
        assert parse_arguments(["explain", "x.litmus"]).paths == ["x.litmus"]
        said = capsys.readouterr().err
        assert said == ("axmem: 'explain' is now 'run --why'\n" if terminal else "")


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["--completion", "bash"]) == 2
    assert "pip install 'axmem[shell]'" in capsys.readouterr().err
