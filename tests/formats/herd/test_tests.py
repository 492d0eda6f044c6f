"""Litmus tests of herd's form, written here: what they expect was derived by hand, and both engines must agree with it.

The string at the head of a test says why; the classical families (MP, SB, LB, …) have the verdicts that the papers of
the models give: [X86-TSO] for `tso`, [Armv8] for `aarch64`, [RC11] for `rc11`, [OpenCL] with [Overhauling] for
`opencl`. Of `llvm` the verdict follows from release and acquire alone, with the operations that
docs/other-forms.md says the instructions are.

`make test` takes some of the cases, `make test-long` all.
"""

from functools import cache
from pathlib import Path

import pytest

from axmem.check.expectations import PASSED
from axmem.encoder.engines import Engine
from axmem.formats.reading import parse, parse_file
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from tests.drawn import some
from tests.formats.judged import ENGINES, states
from tests.paths import ROOT

HERE = ROOT / "tests" / "formats" / "herd"
TESTS = sorted(HERE.glob("*/*.litmus"))
FORMS = {"c": "herd-c", "opencl": "herd-c", "x86": "herd-x86", "aarch64": "herd-aarch64"}


@cache
def read(path: Path) -> LitmusTest:
    return parse_file(path)


def shown(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_there_are_enough() -> None:
    for form in FORMS:
        assert len([path for path in TESTS if path.parent.name == form]) >= 25


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("path", TESTS, ids=shown)
def test_what_a_test_expects(path: Path, engine: Engine) -> None:
    assert states(read(path), engine) == {PASSED}


@pytest.mark.parametrize("path", some(TESTS, of=4), ids=shown)
def test_it_is_what_it_is_printed_as(path: Path) -> None:
    test = read(path)
    assert parse(print_test(test)) == test


@pytest.mark.parametrize("path", some(TESTS, of=4), ids=shown)
def test_the_form_may_be_named(path: Path) -> None:
    assert parse_file(path, FORMS[path.parent.name]) == read(path)
