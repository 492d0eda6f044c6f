"""Dartagnan's forms: tests of our own under both engines, what is refused, and what is printed.

The answers follow, as the description of each test says, from OpenCL's ordering rules and from the axioms of the PTX
ISA. Most of those for Vulkan are our tests in Khronos' form once more (`tests/formats/vulkan/khronos`), written by
`axmem fmt --to` and with the answers that were derived there; those with registers, filters, classes of locations and
values at the end are by hand.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.encoder.engines import Engine
from axmem.formats.reading import parse, parse_file
from axmem.litmus.printer import print_test
from tests.drawn import some
from tests.formats.judged import ENGINES, ours, states
from tests.formats.malformed import cases, expected, told

FORMS = {"opencl": "dartagnan-opencl", "ptx": "dartagnan-ptx", "vulkan": "dartagnan-vulkan"}
TESTS = [path for folder in FORMS for path in ours(f"dartagnan/{folder}")]
MALFORMED = [(path, form) for form in FORMS.values() for path in cases(form, ".litmus")]


def shown(value: object) -> str | None:
    return f"{value.parent.name}/{value.stem}" if isinstance(value, Path) else None


@pytest.mark.parametrize("engine", ENGINES, ids=lambda e: e.value)
@pytest.mark.parametrize("path", TESTS, ids=shown)
def test_the_answers_are_those_that_are_expected(path: Path, engine: Engine) -> None:
    assert states(parse_file(path), engine) == {"ok"}


@pytest.mark.parametrize("path", some(TESTS, of=4), ids=shown)
def test_what_is_printed_is_the_same_test(path: Path) -> None:
    test = parse_file(path)
    assert parse(print_test(test)) == test


@pytest.mark.parametrize(("path", "form"), MALFORMED, ids=shown)
def test_diagnostics(path: Path, form: str) -> None:
    assert told(path, form) == expected(path)


@pytest.mark.parametrize(("folder", "form"), FORMS.items())
def test_there_are_enough(folder: str, form: str) -> None:
    assert len(ours(f"dartagnan/{folder}")) >= 25 and len(cases(form, ".litmus")) >= 8
