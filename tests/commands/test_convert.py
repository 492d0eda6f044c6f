"""`axmem fmt --to`: each language is read back as a test with the same outcomes, and what it cannot say is listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.check.results import outcomes
from axmem.cli import main
from axmem.formats.reading import parse, parse_file
from axmem.model.library import load
from tests.paths import CORPUS, ROOT

MESSAGE = CORPUS / "base" / "MP+rel+acq.litmus"
STATUS = ROOT / "tests" / "formats" / "herd" / "aarch64" / "STXR+stale-address.litmus"
HEADS = {"axmem": "litmus ", "herd-c": "C ", "dartagnan-vulkan": "VULKAN ", "llvm-ir": "; axmem: litmus "}
LOSSY = """litmus lossy
global x = 0, y = 0
thread P0 @ workgroup 0 {
  store 1, x # a:b
  store atomic 1, y syncscope("agent") release
}
thread P1 @ workgroup 1 {
  r0 = load atomic y syncscope("agent") acquire
  r1 = load nontemporal x
}
exists (P1:r0=1 /\\ P1:r1=0)
"""
KERNEL = "litmus kernel\nglobal x = 0\nkernel K() lanes 1 {\n  r = load x\n}\nexists (x=0)\n"
DRAFT = "litmus draft\nglobal x = 0\nthread P0 {\n  make.available\n}\nexists (x=0)\n"


def told(text: str) -> list[str]:
    """Return the lines of what is printed on the standard error that begin a message."""
    return [line.partition(".litmus:")[2] for line in text.splitlines() if ".litmus:" in line]


@pytest.mark.parametrize("language", HEADS)
def test_what_is_written_is_read_as_a_test_with_the_same_outcomes(
    language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "written"
    assert main(["convert", str(MESSAGE), "--to", language, "-o", str(path)]) == 0
    assert capsys.readouterr().out == ""
    text = path.read_text("utf-8")
    assert text.startswith(HEADS[language])
    assert main(["convert", str(MESSAGE), "--to", language]) == 0
    assert capsys.readouterr().out == text
    one, other = (outcomes(test, load("llvm")) for test in (parse_file(MESSAGE), parse(text, "written")))
    assert one.verdict == other.verdict
    assert {str(row) for row in one.outcomes} == {str(row) for row in other.outcomes}


def test_a_test_of_another_form_in_ours_is_that_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(STATUS), "--to", "axmem", "--from", "herd-aarch64"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert parse(out) == parse_file(STATUS)


@pytest.mark.parametrize(
    ("language", "lost"),
    [
        ("axmem", []),
        ("llvm-ir", []),
        ("herd-c", ["4:3: warning: the tag a:b is left out", "9:3: warning: nontemporal is left out"]),
        (
            "dartagnan-vulkan",
            ["4:3: warning: the tag a:b is left out", "9:3: warning: volatile and nontemporal have no words here"],
        ),
    ],
)
def test_what_a_language_cannot_say_is_listed_beside_the_text(
    language: str, lost: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lossy.litmus"
    path.write_text(LOSSY, "utf-8")
    assert main(["convert", str(path), "--to", language]) == 0
    out, err = capsys.readouterr()
    assert "lossy" in out
    assert told(err) == lost


@pytest.mark.parametrize(
    ("language", "text", "message"),
    [
        ("herd-c", KERNEL, "3:8: error: K has control flow, which is not written"),
        ("dartagnan-vulkan", KERNEL, "3:8: error: K has control flow, which is not written"),
        ("llvm-ir", DRAFT, "4:3: error: no LLVM has make operations: they are a draft"),
    ],
)
def test_what_would_be_another_test_is_refused_at_its_place_and_nothing_is_written(
    language: str, text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, written = tmp_path / "t.litmus", tmp_path / "written"
    path.write_text(text, "utf-8")
    assert main(["convert", str(path), "--to", language, "-o", str(written)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in told(err)
    assert not written.exists()


def test_one_test_at_a_time_and_a_mode_of_a_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.litmus").write_text(KERNEL, "utf-8")
    assert main(["convert", str(tmp_path), "--to", "axmem"]) == 2
    assert "error: one test at a time\n  hint: there are 2 here" in capsys.readouterr().err
    assert main(["convert", str(MESSAGE), "--mode", "wgp"]) == 2
    assert "name one with --target" in capsys.readouterr().err
