"""The page on differences: its tests have the verdicts that they say, its models and options exist."""

from __future__ import annotations

import re
import shlex

import pytest

from axmem.check.results import outcomes
from axmem.check.selection import loaded, parse_choice
from axmem.cli import build_parser
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.refinement.bounded.constructs import NAMES
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "diff.md").read_text(encoding="utf-8")
TESTS = [
    match.group().rstrip()
    for match in re.finditer(r"^litmus diff.*?(?=\n```|\n\ndiff\d)", PAGE, re.MULTILINE | re.DOTALL)
]
COMMANDS = sorted(set(re.findall(r"^(?:`(?=.*`$)|\$ )(axmem diff .*?)`?$", PAGE, re.MULTILINE)))


def test_the_page_has_tests_and_commands() -> None:
    assert TESTS and len(COMMANDS) >= 2


@pytest.mark.parametrize("text", TESTS)
def test_a_test_of_a_page_has_the_verdicts_it_says(text: str) -> None:
    test = parse(text + "\n")
    assert print_test(test).rstrip() == text
    verdicts = [(e.models[0], e.verdict) for e in test.expectations]
    assert len({verdict for _, verdict in verdicts}) == 2
    for choice, verdict in verdicts:
        assert outcomes(test, loaded(choice)).verdict == verdict


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_a_page_is_one(command: str) -> None:
    options = build_parser()[0].parse_args(shlex.split(command)[1:])
    assert loaded(parse_choice(options.first)) is not loaded(parse_choice(options.second))


def test_the_page_names_every_construct() -> None:
    assert all(f"`{name}`" in PAGE for name in NAMES)
