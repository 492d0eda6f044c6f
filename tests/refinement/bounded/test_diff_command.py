"""`axmem diff` as a command: what it prints and writes, how it goes on, what it refuses.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.formats.reading import parse_file
from axmem.model.library import load
from axmem.refinement.contexts.units import SearchUnit, UnitFinding, run_unit
from tests.drawn import in_full
from tests.paths import MODELS

TSO = str(MODELS / "tso.cat")
COHERENCE = ("llvm", "llvm[coh=langref]", "--constructs", "rmw", "--orderings", "monotonic", "--locations", "1")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command; return its exit code and what it printed."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["diff", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_store_buffering_is_the_smallest_difference_of_tso_and_sc(run: Run, tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    code, text, _ = run(TSO, "sc", "--events", "4", "--constructs", "none", "--tests", str(tests), "-j", "2")
    assert code == 0
    assert "3 operations: no difference\n4 operations: 1 found\n" in text
    assert text.endswith("they differ on a program of 4 operations, and none with fewer\n")
    assert "excludes it by\n        sequential-consistency" in text
    test = parse_file(str(tests / "diff1.litmus"))
    assert [(e.models[0].model, e.verdict) for e in test.expectations] == [("tso", "sometimes"), ("sc", "never")]
    assert (tests / "@all").read_text() == "diff1.litmus\n"
    assert main(["run", str(tests / "diff1.litmus"), "--model", TSO, "--model", "sc"]) == 0
    code, _, error = run(TSO, "sc", "--events", "4", "--constructs", "none", "--tests", str(tests))
    assert code == 2
    assert "this file is there already" in error


def test_two_equal_models(run: Run) -> None:
    code, text, _ = run("llvm", "llvm[vol=amdgpu]", "--events", "1", "--expect", "same")
    assert (code, text.splitlines()[-1]) == (0, "no program of up to 1 operation tells them apart")
    assert run("llvm", "llvm", "--events", "1", "--expect", "different")[0] == 1
    assert run(*COHERENCE, "--events", "2", "--expect", "same", "--brief")[0] == 1


def test_programs_that_observe_nothing(run: Run, tmp_path: Path) -> None:
    """A model may forbid a program that has one outcome, of which nothing is to be said."""
    (tmp_path / "fenceless.cat").write_text('"fenceless"\ninclude "llvm.cat"\nempty F as no-fence\n', encoding="utf-8")
    code, text, _ = run("llvm", str(tmp_path / "fenceless.cat"), "--events", "1", "--registers-only")
    assert code == 0
    assert "exists (true)\n\nexpect llvm always\nexpect fenceless never\n" in text


def test_directions(run: Run) -> None:
    code, text, _ = run(*COHERENCE, "--events", "2", "--direction", "stronger")
    assert code == 0
    assert text.endswith("no program of up to 2 operations tells them apart\n")
    assert "differences in which the second model is stronger\n" in text
    _, text, _ = run(*COHERENCE, "--events", "2", "--direction", "weaker", "--brief")
    assert "diff1  llvm -> llvm[coh=langref]  weaker\n" in text


@in_full
def test_a_search_goes_on_from_its_directory(run: Run, tmp_path: Path) -> None:
    asked = (*COHERENCE, "--events", "3", "--all-up-to-symmetry", "--format", "json", "--brief", "--run")
    run(*asked, str(tmp_path / "whole"))
    _, first, _ = run(*asked, str(tmp_path / "whole"))
    for journal in (tmp_path / "whole").rglob("*.jsonl"):
        lines = [line for line in journal.read_text().split("\n") if line]
        # The end is lost, and the last line but one is damaged.
        journal.write_text("\n".join([*lines[:-2], lines[-1][:20]]))
    code, again, _ = run(*asked, str(tmp_path / "whole"), "-j", "2")
    assert code == 0

    def found(text: str) -> list[str]:
        return sorted(d["litmus"].split("\n", 2)[2] for d in json.loads(text)["searches"][0]["distinctions"])

    assert found(first) == found(again) == sorted(set(found(first)))
    assert len(found(first)) > 1


def test_an_interrupt_keeps_what_was_found(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(unit: SearchUnit) -> UnitFinding:
        report = run_unit(unit)
        if report.programs:
            raise KeyboardInterrupt
        return report

    monkeypatch.setattr("axmem.refinement.contexts.smallest.run_unit", interrupted)
    code, text, error = run(*COHERENCE, "--events", "3", "--brief", "--run", str(tmp_path))
    assert code == 130
    assert "2 operations: 1 found before the search was interrupted\n" in text
    assert "litmus diff1\n" in text
    assert error == "axmem: interrupted\n"


def test_a_limit_makes_the_answer_unknown(run: Run) -> None:
    code, text, _ = run("amdgpu", "amdgpu[vis.instance=literal]", "--events", "3", "--timeout", "0.01")
    assert code == 3
    assert "1 operation: no difference before the time limit was reached\n" in text
    assert "unknown: no program of up to 0 operations tells them apart, the search went no further\n" in text


@in_full
def test_each_variant_and_json(run: Run) -> None:
    few = ("--events", "1", "--constructs", "none")
    code, text, _ = run("amdgpu", "amdgpu-doc", "--each-variant", *few, "--format", "json")
    searches = json.loads(text)["searches"]
    assert code == 0
    assert [s["second"] for s in searches][:2] == ["amdgpu[as.implicit=off]", "amdgpu[av.tags=po]"]
    as_meant, by_the_letter = load("amdgpu").choice, load("amdgpu-doc").choice
    assert len(searches) == sum(by_the_letter[name] != value for name, value in as_meant.items())
    assert all(s["complete"] and s["bound"]["events"] == 1 for s in searches)


def test_markdown(run: Run) -> None:
    _, text, _ = run(*COHERENCE, "--events", "2", "--format", "markdown", "--brief")
    assert text.startswith("# `llvm` and `llvm[coh=langref]`\n\nThey differ on a program of 2 operations")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("llvm", "amdgup"), "amdgup"),
        (("llvm", "amdgpu[vis.instance=litteral]"), "litteral"),
        (("llvm", "amdgpu", "--constructs", "fences,rmv"), "--constructs:1:8: error: unknown word 'rmv'"),
        (("llvm", "amdgpu", "--orderings", "relaxed"), "--orderings:1:1: error: unknown word 'relaxed'"),
        (("llvm", "amdgpu", "--orderings", ""), "--orderings:1:1: error: unknown word ''"),
        (("llvm", "amdgpu", "--scopes", "workgroup agnet"), "--scopes:1:11: error: unknown word 'agnet'"),
        (("llvm", "amdgpu", "--placements", "warp"), "known: agent, cluster, workgroup, wavefront"),
        (("llvm", "amdgpu", "--tags", "f:a,b"), "--tags:1:5: error: 'b' is no tag"),
        (("llvm", "amdgpu", "--run", __file__), "this is a file, and a directory is wanted"),
        (("llvm", "llvm", "--each-variant"), "the models differ in no variant of the first"),
    ],
)
def test_what_is_refused(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, error = run(*arguments)
    assert (code, out) == (2, "")
    assert message in error
    assert "Traceback" not in error
