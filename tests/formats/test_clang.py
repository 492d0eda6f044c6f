"""Kernels as clang 22 writes them, without and with optimization: each is answered, or refused by name.

What optimization leaves is an outcome of what was there before: clang's passes are a second way to the answers.
`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from axmem.check.judging import Question, report_of
from axmem.check.results import Result
from axmem.cli import main
from axmem.encoder.solve import Limits
from axmem.events.values import UNDEF
from axmem.formats.reading import parse_file
from axmem.front.source import InputError
from axmem.litmus.syntax import AddressSpace
from tests.drawn import WHOLE
from tests.formats.clang.__main__ import FOLDER, LANGUAGES, LEVELS, recorded

SOURCES = sorted(path for path in FOLDER.iterdir() if path.suffix in LANGUAGES)
MODULES = sorted(FOLDER.glob("*.ll"))
REFUSED = {
    "copy.O0": "'@llvm.memcpy.p1.p1.i64' has no meaning in a test",
    "copy.O2": "'@llvm.memcpy.p1.p1.i64' has no meaning in a test",
    "device-library.O0": "'@outside' is not defined in this module, and what it does is not known",
    "device-library.O2": "'@outside' is not defined in this module, and what it does is not known",
    "structure.O0": "'@llvm.memcpy.p5.p1.i64' has no meaning in a test",
}
"""What is refused, and by which name."""
COMMANDS = ("check", "convert", "conv", "loopmd", "extract", "lower --target gfx942", "transform --metadata")
LONG = ("uniform", "progress --states 1000", "verify --target gfx942 --timeout 5")
"""Commands that take their time."""


def sampled(every: int) -> list[Path]:
    """Return the modules that are tried now: all, or one of so many."""
    return MODULES if WHOLE else MODULES[::every]


def test_there_are_enough_of_them() -> None:
    assert len(MODULES) == len(LEVELS) * len(SOURCES) >= 50


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_each_is_read_or_refused_by_name(path: Path) -> None:
    try:
        assert parse_file(path).kernels
    except InputError as error:
        assert str(error.diagnostics[0].message) == REFUSED[path.stem]
    else:
        assert path.stem not in REFUSED


@pytest.mark.parametrize("command", [*COMMANDS, *(LONG if WHOLE else ())])
@pytest.mark.parametrize("path", sampled(18), ids=lambda path: path.stem)
def test_no_command_fails(path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    word, *options = command.split()
    assert main([word, str(path), *options]) in (0, 1, 2, 3)
    assert "internal error" not in capsys.readouterr().err


def judged(path: Path) -> Result | None:
    """Return the outcomes of a module with what memory holds at the end; None if a limit or a refusal has cut them."""
    text = path.read_text("utf-8")
    try:
        places = [x.name for x in parse_file(path).locations if x.space is AddressSpace.GLOBAL]
    except InputError:
        return None
    observed = f"; axmem: observe {', '.join(places)}\n"
    report = report_of(Question(str(path), observed + text, ("amdgpu",), limits=Limits(20.0)))
    (answer,) = report.answers
    return None if answer.result.incomplete else answer.result


def finals(result: Result) -> set[tuple[object, ...]]:
    """Return what memory holds at the end of each outcome."""
    kept = [k for k, column in enumerate(result.columns) if ":" not in column.name]
    return {tuple(value for k in kept for value in row[k]) for row in result.outcomes}


QUICK = ("ballot", "first-lane", "lds-argument", "message", "switch")


@pytest.mark.parametrize("stem", [p.stem for p in SOURCES] if WHOLE else QUICK)
def test_what_optimization_leaves_is_an_outcome_before(stem: str) -> None:
    before, after = (judged(FOLDER / f"{stem}.{level}.ll") for level in LEVELS)
    if before is None or after is None:
        assert stem not in QUICK
        return
    if before.undefined:
        return
    assert not after.undefined
    for row in finals(after):
        assert any(
            all(old is UNDEF or old == new for old, new in zip(there, row, strict=True)) for there in finals(before)
        ), row


@pytest.mark.skipif(shutil.which("clang-22") is None, reason="there is no clang-22")
@pytest.mark.parametrize("source", SOURCES if WHOLE else SOURCES[:1], ids=lambda path: path.stem)
def test_they_are_what_clang_writes(source: Path) -> None:
    for level in LEVELS:
        kept = (FOLDER / f"{source.stem}.{level}.ll").read_text("utf-8")
        assert recorded(source, level) == kept
