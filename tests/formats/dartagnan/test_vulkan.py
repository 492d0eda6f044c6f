"""Writing Dartagnan's form for Vulkan: the same operations come back, and what it cannot say is listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main
from axmem.formats.dartagnan.writing import written
from axmem.formats.reading import parse, parse_file
from axmem.litmus.printer import print_test
from tests.formats.judged import ours
from tests.formats.vulkan.test_khronos import TESTS as KHRONOS

FORM = "dartagnan-vulkan"
TESTS = ours("dartagnan/vulkan")


@pytest.mark.parametrize("path", [*KHRONOS, *TESTS], ids=lambda p: f"{p.stem}{p.suffix}")
def test_what_is_written_has_the_same_operations(path: Path) -> None:
    test = parse_file(path)
    text, lost = written(test)
    if path.stem in ("branches", "waiting"):
        assert {d.severity for d in lost} == {"error"}
        return
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


def test_a_barrier_is_a_workgroups(tmp_path: Path) -> None:
    """What would join other threads in this form is refused, or gets a number of its own."""
    across = "NEWWG\nNEWSG\nNEWTHREAD\ncbar.scopedev 0\nNEWWG\nNEWSG\nNEWTHREAD\ncbar.scopedev 0\nSATISFIABLE #dr=0\n"
    _, lost = written(parse(across, "a.test"))
    assert [d.severity for d in lost] == ["error", "error"]
    apart = "NEWWG\nNEWSG\nNEWTHREAD\ncbar.scopesg 7\nNEWSG\nNEWTHREAD\ncbar.scopesg 7\nSATISFIABLE #dr=0\n"
    text, lost = written(parse(apart, "b.test"))
    assert "cbar.sg 1000 | cbar.sg 1001" in " ".join(text.split()).replace(" ;", "")
    assert lost == []
