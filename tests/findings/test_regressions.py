"""The tests for LLVM's tree: they take what a page expects, and nothing that it shows of a wrong version."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.filechecks import passes
from tests.findings.pages import Repro
from tests.findings.regressions import REGRESSIONS, failing, faults, regression, taken_apart

FAULTS = {found.page: (found, path) for found, path in faults()}


@pytest.mark.parametrize("page", FAULTS)
def test_a_test_is_what_its_page_says(page: str) -> None:
    found, path = FAULTS[page]
    text = path.read_text(encoding="utf-8")
    assert text == regression(found), "write it with python -m tests.findings.regressions"
    (run,) = [line for line in text.splitlines() if line.startswith("; RUN: ")]
    assert "%s" in run and "| FileCheck %s" in run and "-22" not in run


def test_there_are_no_others() -> None:
    assert {*REGRESSIONS.iterdir()} == {path for _, path in FAULTS.values()}


def printed(found: Repro, output: dict[str, str]) -> str:
    """Return what the newest version prints, of a page that counts as many lines as it says."""
    _, looked = taken_apart(found.command)
    text = output[max(output)]
    return f"{looked.pattern}\n" * int(text) if looked.counted else text


@pytest.mark.parametrize("page", FAULTS)
def test_a_test_tells_right_from_wrong(page: str, tmp_path: Path) -> None:
    """What may not be there besides is counted here: this FileCheck knows no `--implicit-check-not`."""
    found, path = FAULTS[page]
    right, wrong = printed(found, found.right), printed(found, found.wrong)
    (tmp_path / "right").write_text(right, encoding="utf-8")
    (tmp_path / "wrong").write_text(wrong, encoding="utf-8")
    assert passes(path, tmp_path / "right")
    _, looked = taken_apart(found.command)
    assert not passes(path, tmp_path / "wrong") or (not looked.once and wrong.count("\n") > right.count("\n"))


def test_what_a_run_line_says_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`opt-22` copies here what it is given, and `FileCheck-22` fails if `bad` is there."""
    for name, text in (("opt-22", "cat"), ("FileCheck-22", "! grep -q bad")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    test = tmp_path / "x.ll"
    for written, right in (("good", "right"), ("bad", "wrong")):
        test.write_text(f"; RUN: opt -S < %s | grep -v RUN | FileCheck %s\n{written}\n", encoding="utf-8")
        for said in ("right", "wrong"):
            problems = failing(Repro("x", "", {"22": said}, {}, {}), test, "22")
            assert bool(problems) == (said != right), problems
