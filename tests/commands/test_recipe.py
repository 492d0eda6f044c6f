"""CONTRIBUTING's recipe for a command, followed: a module with two functions, and its name in `COMMANDS`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from axmem import cli
from axmem.front.spelling import COMMANDS
from tests.paths import CORPUS
from tests.recipes import recipe

COUNT = '''
import argparse

import axmem
from axmem.front.exits import ExitCodes
from axmem.front.inputs import read_inputs
from axmem.front.options import Subparsers, add_command


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    text = "Print how many threads tests have."
    examples = ("axmem count-threads my.litmus",)
    parser = add_command(subparsers, main, name="count-threads", description=text, examples=examples)
    parser.add_argument("paths", nargs="+", metavar="PATH", help="tests")


def main(options: argparse.Namespace) -> int:
    """Print a line for each test; return the exit code."""
    codes = ExitCodes()
    texts, errors = read_inputs(options.paths)
    codes.errors(errors)
    for text in texts:
        with codes.part():
            print(f"{text.name}: {len(axmem.parse(text.text, text.name).threads)}")
    return codes.code
'''


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Add the command, as if its module stood in axmem/commands."""
    name = "axmem.commands.count_threads"
    path = tmp_path / "count_threads.py"
    path.write_text(COUNT, encoding="utf-8")
    import axmem.commands

    monkeypatch.setattr(axmem.commands, "__path__", [*axmem.commands.__path__, str(tmp_path)])
    monkeypatch.setitem(COMMANDS, "count-threads", "print how many threads tests have")
    assert name not in sys.modules


@pytest.mark.usefixtures("counting")
def test_a_command_is_a_module_and_a_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = CORPUS / "base" / "MP+rel+acq.litmus"
    bad = tmp_path / "bad.litmus"
    bad.write_text("litmus bad\nthread {\n", encoding="utf-8")
    try:
        assert cli.main(["count-threads", str(good)]) == 0
        assert capsys.readouterr().out == f"{good}: 2\n"
        assert cli.main(["count-threads", str(bad), str(good)]) == 2
        said = capsys.readouterr()
        assert f"{good}: 2" in said.out and re.search(r"bad\.litmus:2:\d+: error: ", said.err)
        with pytest.raises(SystemExit):
            cli.main(["count-threads", "--help"])
        assert "Print how many threads tests have." in capsys.readouterr().out
        assert "count-threads" in cli.build_parser()[1].choices
    finally:
        sys.modules.pop("axmem.commands.count_threads", None)


def test_the_recipe_names_what_it_needs() -> None:
    words = ("`add_parser`", "`add_command`", "`main`", "`COMMANDS`", "`ExitCodes`")
    assert all(word in recipe("A command") for word in words)
