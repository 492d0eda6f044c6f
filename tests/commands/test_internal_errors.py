"""Internal errors: every command ends with their own exit code, and says nothing of what was asked.

They are provoked: a function that the command needs is made to fail, as near to its answer as it can be.
"""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from axmem.check.judging import Question
from axmem.check.run.jobs import Job, answers, faultless
from axmem.check.run.suite import reports
from axmem.check.run.work import Done
from axmem.check.run.workers import workers
from axmem.cli import main
from axmem.events.unroll import Unroller
from axmem.front.exits import INPUT_ERROR, INTERNAL_ERROR, MISMATCH, TRACEBACK, UNKNOWN, InternalError, exit_code, fault
from axmem.front.spelling import COMMANDS
from tests.passes import recorded_llc
from tests.paths import CORPUS

MP = str(CORPUS / "base" / "MP+rel+acq.litmus")
SB = str(CORPUS / "classic" / "SB+mono+mono.litmus")
KERNEL = str(CORPUS / "convergence" / "Lds+of-a-workgroup.litmus")
LOOP = "@examples/flag-then-data.litmus"
RUN = "axmem.events.unroll.Unroller.run"
READING = "axmem.litmus.parser.TestParser.tree"
PROVOKED = {
    "run": [("run", MP), RUN],
    "check": [("check", MP), READING],
    "fmt": [("fmt", MP), READING],
    "models": [("models", "sc"), "axmem.model.library.load"],
    "compare": [("compare", "--models", "sc,llvm", MP), RUN],
    "diff": [("diff", "sc", "llvm", "--events", "2"), "axmem.refinement.bounded.skeleton.Skeleton.__init__"],
    "explain": [("explain", MP, "--model", "llvm"), RUN],
    "graph": [("graph", MP, "--model", "llvm"), RUN],
    "trace": [("trace", MP, "--model", "llvm"), RUN],
    "table": [("table", MP), RUN],
    "page": [("page", MP, "--format", "html"), RUN],
    "report": [("report", MP, "-o", "site/"), RUN],
    "lower": [("lower", MP, "--target", "gfx942"), "axmem.report.listing.listing"],
    "convert": [("convert", MP), "axmem.codegen.ir_module.module"],
    "verify": [("verify", MP, "--target", "gfx942"), RUN],
    "waits": [("waits", "@examples/early.s"), "axmem.mapping.waits.waits"],
    "generate": [("generate", "PodWW Rfe PodRR Fre"), "axmem.generate.suite"],
    "repair": [("repair", MP, "--weaken", "--model", "llvm"), RUN],
    "refine": [("refine", MP, MP, "--closed"), RUN],
    "theorems": [("theorems", "P2", "--events", "1"), "axmem.refinement.bounded.skeleton.Skeleton.__init__"],
    "prove": [("prove", "P2"), "axmem.refinement.proofs.tasks.prove"],
    "conv": [("conv", KERNEL), "axmem.convergence.cycles._Search.__init__"],
    "uniform": [("uniform", KERNEL), "axmem.convergence.cycles._Search.__init__"],
    "progress": [("progress", LOOP), "axmem.check.progress.steps.ProgramSteps.first"],
    "loopmd": [("loopmd", LOOP), "axmem.transform.metadata.loop_metadata"],
    "transform": [("transform", LOOP, "--apply", "unroll(h, 2)"), "axmem.transform.applying.apply_all"],
    "passes": [
        ("passes", "--passes", "gvn", "--random", "1", "--count", "1", "--opt", "true"),
        "axmem.passes.trial.Trial.run",
    ],
    "hunt": [("hunt", "--llc", "./llc-22", "--target", "gfx1200", "--count", "1"), "axmem.passes.hunting.Hunt.run"],
    "lsp": [("lsp",), "axmem.editor.server.serve"],
    "link": [("link", MP), "axmem.playground.link.fragment"],
    "extract": [("extract", "module.ll"), "axmem.formats.ir.extraction.extract"],
    "update-checks": [("update-checks", MP), "axmem.formats.lit.run_lines"],
    "examples": [("examples", "MP"), "axmem.commands.examples.shipped_files"],
}
"""Of every command a command line, and what is made to fail."""
WORDS = "sound unsound never sometimes always holds proved same weaker stronger divergent"
ANSWERS = re.compile(rf"\b({'|'.join(WORDS.split())})\b|: unknown")


def provoked(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Have a function fail, as it would if it had a fault."""

    def fail(*_: object, **__: object) -> None:
        raise KeyError("provoked")

    monkeypatch.setattr(name, fail)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_ends_with_the_code_of_internal_errors(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "module.ll").write_text("define i32 @f() {\n  ret i32 1\n}\n", encoding="utf-8")
    recorded_llc.install(tmp_path)
    monkeypatch.chdir(tmp_path)
    line, place = PROVOKED[command]
    assert isinstance(place, str)
    provoked(monkeypatch, place)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    code = main(list(line))
    out, err = capsys.readouterr()
    assert (code, "internal error: KeyError: 'provoked' (" in err) == (INTERNAL_ERROR, True), (out, err)
    assert "Traceback" not in err and not ANSWERS.search(out), out


def test_an_internal_error_is_of_one_test_and_the_others_are_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = Unroller.run

    def fail(unroller: Unroller) -> None:
        if "SB" in unroller.builder.test.name:
            raise KeyError("provoked")
        ran(unroller)

    monkeypatch.setattr(Unroller, "run", fail)
    said = {}
    for form in ("text", "json", "junit", "sarif", "github"):
        assert main(["run", SB, MP, "--model", "llvm", "--format", form]) == INTERNAL_ERROR
        said[form], err = capsys.readouterr()
        assert form == "github" or f"{SB}: internal error: KeyError: 'provoked'" in err
    assert f"{SB}  -  -  INTERNAL ERROR\n" in said["text"]
    assert said["text"].splitlines()[-1].startswith("2 tests, 2 checks, 0 mismatches, 0 unknown, 0 errors, 1 internal")
    assert f"::error file={SB}::internal error: KeyError: 'provoked'" in said["github"]
    found = json.loads(said["json"])
    (failed, answered) = found["results"]
    assert failed["internal_error"].startswith("internal error: KeyError") and "verdict" not in failed
    assert answered["verdict"] == "never" and found["summary"]["internal_errors"] == 1
    assert found["summary"]["unknown"] == 0
    (error,) = ElementTree.fromstring(said["junit"]).iter("error")
    assert error.get("type") == "internal error"
    run = json.loads(said["sarif"])["runs"][0]
    assert [result["ruleId"] for result in run["results"]] == ["internal"]
    assert (run["invocations"][0]["exitCode"], run["invocations"][0]["executionSuccessful"]) == (4, False)


def test_a_traceback_is_shown_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    provoked(monkeypatch, READING)
    monkeypatch.setenv(TRACEBACK, "1")
    assert main(["fmt", MP]) == INTERNAL_ERROR
    assert "Traceback" in capsys.readouterr().err


def test_it_wins_over_all_other_codes() -> None:
    assert exit_code([UNKNOWN, MISMATCH, INPUT_ERROR, INTERNAL_ERROR]) == INTERNAL_ERROR


def broken(question: int) -> int:
    """Answer all questions but one."""
    return 6 // question


def test_a_part_of_an_answer_that_fails_is_no_part_that_is_unknown() -> None:
    jobs = [Job(str(number), number, broken) for number in (1, 0, 2)]
    for count in (1, 2):
        with workers(count, len(jobs)) as found:
            done = list(answers(jobs, found))
        assert [(one.answer, one.lost) for one in done] == [(6, ""), (None, ""), (3, "")]
        assert done[1].fault.startswith("internal error: ZeroDivisionError: ")
        with pytest.raises(InternalError, match="0: internal error"):
            list(faultless(done))


def test_a_fault_is_told_by_what_and_where() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        broken(0)
    said = fault(raised.value)
    assert re.fullmatch(r"internal error: ZeroDivisionError: .* \(commands/test_internal_errors.py:\d+\)", said)
    assert fault(InternalError("a: b")) == "a: b"


def test_no_answer_is_kept_of_a_test_that_failed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as patched:
        provoked(patched, RUN)
        assert main(["run", MP, "--run", str(tmp_path / "run"), "--format", "json"]) == INTERNAL_ERROR
    assert main(["run", MP, "--run", str(tmp_path / "run"), "--format", "json"]) == 0


def test_a_report_has_the_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    provoked(monkeypatch, RUN)
    (report,) = reports([Question("SB", Path(SB).read_text("utf-8"), ("llvm",))])
    assert report.fault and not report.answers and not report.lost
    assert Done("a", fault=report.fault).answer is None
