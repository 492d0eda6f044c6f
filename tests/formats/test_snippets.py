"""Snippets of LLVM IR, written here: what they expect was derived by hand, and both engines must agree with it.

Each file of `tests/formats/snippets` says in the title of its test why. The verdicts of the classical shapes (MP, SB,
LB, …) follow from [LangRef], "Memory Model for Concurrent Operations"; those with scopes, address spaces and tags from
[AMDGPU], "Memory Model". An outcome with undef is one of a race: [LangRef] lets the read return undef there.
"""

from functools import cache
from pathlib import Path

import pytest

from axmem.check.expectations import PASSED, checks
from axmem.check.results import outcomes
from axmem.check.selection import runs
from axmem.encoder.engines import Engine
from axmem.formats.forms import SNIPPET
from axmem.formats.reading import parse, parse_file
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from tests.paths import ROOT

SNIPPETS = sorted((ROOT / "tests" / "formats" / "snippets").glob("*.ll"))


@cache
def read(path: Path) -> LitmusTest:
    return parse_file(path, SNIPPET)


def test_there_are_enough() -> None:
    assert len(SNIPPETS) >= 25
    assert all(read(path).description and read(path).name == path.stem for path in SNIPPETS)


@pytest.mark.parametrize("engine", [Engine.AUTO, Engine.ORACLE])
@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_what_a_snippet_expects(path: Path, engine: Engine) -> None:
    test = read(path)
    assert test.expectations
    for _, model in runs(test, (), {}):
        found = outcomes(test, model, engine=engine)
        assert [check.status for check in checks(test, model, found)] == [PASSED]


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_it_is_what_it_is_printed_as(path: Path) -> None:
    assert parse(print_test(read(path))) == read(path)
