"""Dartagnan's form for Vulkan: tests of our own under both engines, what is refused, and writing the form.

Most are our tests in Khronos' form once more (`tests/formats/vulkan/khronos`), written by `axmem convert` and with the
answers that were derived there; those with registers, filters, classes of locations and values at the end are by hand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main
from axmem.encoder.engines import Engine
from axmem.formats.dartagnan.writing import written
from axmem.formats.reading import parse, parse_file
from axmem.litmus.printer import print_test
from tests.formats.dartagnan.judged import ENGINES, ours, states
from tests.formats.malformed import cases, expected, told
from tests.formats.vulkan.test_khronos import TESTS as KHRONOS

FORM = "dartagnan-vulkan"
TESTS = ours("vulkan")


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


@pytest.mark.parametrize("path", [*KHRONOS, *TESTS], ids=lambda p: f"{p.stem}{p.suffix}")
def test_what_is_written_has_the_same_operations(path: Path) -> None:
    test = parse_file(path)
    text, lost = written(test)
    again = parse(text, path.name)
    if path.stem == "two-devices":
        assert [d.message for d in lost] == ["P1 is on another device, for which there is no word"]
        return
    assert not lost
    assert [thread.body for thread in again.threads] == [thread.body for thread in test.threads]
    assert again.condition == test.condition and again.filter == test.filter


LLVM = """litmus all
global x = 0, y = 0
lds t = 0
thread P0 @ workgroup 0 {
  store atomic 1, x syncscope("workgroup") release
  store 1, t
  store 2, y  # vulkan:private
  r0 = load atomic x seq_cst
  r1 = load volatile y
  r2 = atomicrmw add x, 1 monotonic
}
exists (P0:r0=1)
"""


def test_what_the_form_cannot_say_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, lost = written(parse(LLVM))
    assert "st.atom.rel.wg.sc0.semsc0.semsc1.semav x, 1" in text
    assert "st.sc1.nonpriv t, 1" in text and "st.sc0 y, 2" in text
    assert "ld.atom.acq.dv.sc0.semsc0.semsc1.semvis r0, x" in text
    assert [(d.severity, d.span.line) for d in lost] == [("warning", 8), ("warning", 9), ("error", 10)]
    path = tmp_path / "all.litmus"
    path.write_text(LLVM, encoding="utf-8")
    assert main(["convert", str(path), "--to", FORM]) == 2
    assert capsys.readouterr().err.count("error: ") == 1
    path.write_text(LLVM.replace("  r2 = atomicrmw add x, 1 monotonic\n", ""), encoding="utf-8")
    assert main(["convert", str(path), "--to", FORM]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("VULKAN all\n") and err.count("warning: ") == 2


def test_a_number_may_begin_with_0() -> None:
    text = "VULKAN t\n{\nx=0;\n}\n P0@sg 00,wg 01,qf 0 ;\n st.sc0 x, 010 ;\nforall (x = 10)\n"
    test = parse(text)
    assert print_test(parse(text.replace("010", "10"))) == print_test(test)
