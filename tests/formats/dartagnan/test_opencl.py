"""Dartagnan's form for OpenCL: tests of our own under both engines, and what is refused.

The answers follow from OpenCL's ordering rules as the description of each test says.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.encoder.engines import Engine
from axmem.formats.reading import parse, parse_file
from axmem.litmus.printer import print_test
from tests.formats.dartagnan.judged import ENGINES, ours, states
from tests.formats.malformed import cases, expected, told

FORM = "dartagnan-opencl"
TESTS = ours("opencl")


@pytest.mark.parametrize("engine", ENGINES, ids=lambda e: e.value)
@pytest.mark.parametrize("path", TESTS, ids=lambda p: p.stem)
def test_the_answers_are_those_that_are_expected(path: Path, engine: Engine) -> None:
    assert states(path, engine) == {"ok"}


@pytest.mark.parametrize("path", TESTS, ids=lambda p: p.stem)
def test_what_is_printed_is_the_same_test(path: Path) -> None:
    test = parse_file(path)
    assert parse(print_test(test)) == test


@pytest.mark.parametrize("path", cases(FORM, ".litmus"), ids=lambda p: p.stem)
def test_diagnostics(path: Path) -> None:
    assert told(path, FORM) == expected(path)


def test_there_are_enough() -> None:
    assert len(TESTS) >= 25 and len(cases(FORM, ".litmus")) >= 8
