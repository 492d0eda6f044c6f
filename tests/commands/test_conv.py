"""`axmem kernel conv` and `axmem kernel uniform`: what they print, beside their pages, and refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from axmem.check.differing import DivergenceQuestion, askable, differing
from axmem.check.uniform import uniform
from axmem.cli import main
from axmem.formats.reading import parse, parse_file
from tests.paths import ROOT

NESTED = str(ROOT / "litmus" / "examples" / "nested-cycles.litmus")
PHI = str(ROOT / "docs" / "findings" / "fixed" / "exit-phi.litmus")
ORDER = str(ROOT / "docs" / "findings" / "successor-order.litmus")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what a command prints that has all the time it needs."""
    patient = ["--timeout", "3600"] if arguments[0] == "uniform" and "--timeout" not in arguments else []
    assert main([*arguments, *patient]) == 0
    return capsys.readouterr().out


def test_the_same_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    paths = "Entry P Q S Exit / Entry R S Exit"
    found = json.loads(printed(capsys, "conv", NESTED, "--hierarchy", "all", "--paths", paths, "--format", "json"))
    (kernel,) = found["kernels"]
    assert [h["name"] for h in kernel["hierarchies"]] == [t["hierarchy"] for t in kernel["tables"]] == ["P", "R(S)"]
    assert kernel["tables"][0]["columns"][0] == ["Entry1", "Entry2"]
    assert {"instances": ["S1", "S2"], "because": "P1"} in kernel["tables"][0]["apart"]
    assert {"instances": ["S1", "S2"], "because": "R1"} in kernel["tables"][1]["apart"]
    assert set(kernel["dependent"]) == {"P", "Q", "R", "S"} == set(kernel["unreported"])


def test_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = printed(capsys, "conv", NESTED, "--format", "svg")
    assert drawn.startswith("<svg") and drawn.endswith("</svg>\n")
    assert re.search(r">P1</text>", drawn) and "are not converged" in drawn


def test_shortest_paths_are_taken_if_none_are_given(capsys: pytest.CaptureFixture[str]) -> None:
    (kernel,) = json.loads(printed(capsys, "conv", PHI, "--format", "json"))["kernels"]
    (table,) = kernel["tables"]
    assert table["lanes"][:2] == [["entry1", "h1", "x1"], ["entry2", "h2", "l1", "x2"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--paths", "Entry Q"], "'Q' does not follow 'Entry'"),
        (["--paths", "P Q"], "a path begins at 'Entry', not at 'P'"),
        (["--paths", "Entry X"], "no block is named 'X'"),
        (["--paths", "Entry / "], "a path without a block"),
        (["--hierarchy", "Q"], "no hierarchy has these headers"),
        (["--kernel", "L"], "no kernel is named 'L'"),
    ],
)
def test_what_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conv", NESTED, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_test_without_kernels_and_two_pictures_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = tmp_path / "plain.litmus"
    plain.write_text("litmus A\nglobal x = 0\nthread P0 {\n  r0 = load x\n}\nexists (P0:r0=0)\n")
    for command in ("conv", "uniform"):
        assert main([command, str(plain)]) == 2
        assert "this test has no kernel" in capsys.readouterr().err
    assert main(["conv", ORDER, "--format", "svg"]) == 2
    assert "2 kernels do not fit one picture" in capsys.readouterr().err


def test_broken_tokens_are_an_error_at_their_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.litmus"
    anchor = "%a = call token @llvm.experimental.convergence.anchor()"
    path.write_text(f"litmus T\nkernel K() lanes 2 {{\n  {anchor}\n  s.barrier\n}}\nexists (true)\n")
    assert main(["uniform", str(path)]) == 2
    assert f"{path}:4:3: error: Cannot mix controlled and uncontrolled" in capsys.readouterr().err
    for command in (["check"], ["run", "--model", "llvm"], ["convert"]):
        assert main([*command, str(path)]) == 2
        assert "Cannot mix controlled and uncontrolled" in capsys.readouterr().err


def test_uniformity_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    (kernel,) = json.loads(printed(capsys, "uniform", PHI, "--format", "json"))["kernels"]
    found = {(a["block"], a["register"]): a for a in kernel["answers"]}
    assert found["x", "u"]["marks"] == ["unsound"]
    assert (found["x", "u"]["llvm"], found["x", "u"]["sound"], found["x", "u"]["exact"]) == (
        "uniform", "divergent", "divergent",
    )  # fmt: skip
    assert found["x", "u"]["differs"] == {"h": "with m=1, K.0.0.0 has 2, K.0.0.2 has 1"}
    assert found["l", ""]["because"] == "uses c"


def test_across_a_workgroup_llvm_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    (kernel,) = json.loads(printed(capsys, "uniform", PHI, "--set", "workgroup", "--format", "json"))["kernels"]
    assert kernel["set"] == "workgroup" and {a["llvm"] for a in kernel["answers"]} == {None}
    lines = printed(capsys, "uniform", PHI, "--set", "workgroup").splitlines()
    (line,) = (x for x in lines if x.startswith("  x: u  "))
    assert line.split()[2:5] == ["-", "divergent", "divergent"]


MEMORY = """\
litmus M
global x = 0, y = 0
kernel K() @ workgroup 0 lanes 2 {
  v = load atomic x syncscope("agent") monotonic
  w = add i32 %v, 1
  own = atomicrmw add y, 1 syncscope("agent") monotonic
  f = readfirstlane own
  if own == 1 {
    u = add i32 %w, 1
  }
}
thread P @ workgroup 1 {
  store atomic 1, x syncscope("agent") monotonic
}
exists (x=0)
"""


def test_what_memory_decides_is_asked_of_the_solver(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # One lane may read x = 0 and the other 1, but as one load of the wave v is uniform, and so is w. The two lanes'
    # fetch_adds return different numbers, of which the first is uniform; one lane alone comes to u.
    path = tmp_path / "m.litmus"
    path.write_text(MEMORY)
    (kernel,) = json.loads(printed(capsys, "uniform", str(path), "--format", "json"))["kernels"]
    found = {a["register"]: (a["llvm"], a["exact"], a["marks"]) for a in kernel["answers"] if a["register"]}
    assert kernel["model"] == "llvm"
    assert found["v"] == ("uniform", "divergent", ["committed"])
    assert found["w"] == ("uniform", "uniform", [])
    assert found["own"] == ("divergent", "divergent", [])
    assert found["f"] == ("uniform", "uniform", [])
    assert found["u"] == ("uniform", "uniform", [])


ANCHORED = """\
litmus anchored
global x = 0
declare void @conv() convergent
kernel K() lanes 3 {
entry:
  %t = call token @llvm.experimental.convergence.anchor()
  %b = call i64 @llvm.amdgcn.ballot.i64(i1 true) [ "convergencectrl"(token %t) ]
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp eq i32 %i, 0
  %a = call i64 @llvm.amdgcn.ballot.i64(i1 %c) [ "convergencectrl"(token %t) ]
  %z = add i64 %b, 1
  br i1 %c, label %l, label %r
l:
  br label %j
r:
  br label %j
j:
  %v = load atomic i32, ptr addrspace(1) @x monotonic, align 4
  LAST
  %w = load atomic i32, ptr addrspace(1) @x monotonic, align 4
  ret void
}
"""
USE = '  call void @conv() [ "convergencectrl"(token %t) ]'


def test_converged_by_tokens_are_the_lanes_of_one_class(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Lanes of one class have one ballot, whichever classes there are. Behind the region all lanes are converged, and
    what those of two classes have differs. Nothing is asked behind it in a block that begins in the region."""
    path = tmp_path / "anchored.litmus"
    found = {}
    for last in ("", USE):
        path.write_text(ANCHORED.replace("LAST", last), encoding="utf-8")
        (kernel,) = json.loads(printed(capsys, "uniform", str(path), "--format", "json"))["kernels"]
        found[last] = {a["register"]: a["exact"] for a in kernel["answers"] if a["register"]}
    assert [found[""][name] for name in "abczvw"] == ["uniform"] * 2 + ["divergent"] * 2 + ["uniform"] * 2
    assert [found[USE][name] for name in "abcz"] == ["uniform"] * 2 + ["divergent", "uniform"]
    assert (found[USE]["v"], found[USE]["w"]) == ("uniform", None)


def test_a_heart_keeps_iterations_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a loop that lanes leave at different iterations, in the region of its heart and without it."""
    for name in ("tokens-ignored", "fixed/exit-phi"):
        path = ROOT / "docs" / "findings" / f"{name}.litmus"
        (kernel,) = json.loads(printed(capsys, "uniform", str(path), "--format", "json"))["kernels"]
        (answer,) = (a for a in kernel["answers"] if a["block"] == "x")
        assert answer["exact"] == ("uniform" if name == "tokens-ignored" else "divergent")
        assert answer["marks"] == (["imprecise"] if name == "tokens-ignored" else ["unsound"])


def test_the_solver_agrees_with_lanes_that_are_executed() -> None:
    for path in (PHI, str(ROOT / "docs" / "findings" / "left-for-another-cycle.litmus")):
        test = parse_file(path)
        (kernel,) = test.kernels
        report = uniform(test, kernel)
        for answer in report.answers:
            if not answer.register or answer.register in askable(kernel):
                asked = DivergenceQuestion(answer.block, answer.register)
                assert bool(differing(test, kernel, asked, "llvm")) == bool(answer.differs), answer


def test_a_bound_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "uniform", ORDER, "--kernel", "forth", "--bound", "2")
    assert "exact: of executions in which no header is executed more than 2 times per entry" in text


def test_what_needs_no_execution_is_printed_when_time_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    """Of 40 diamonds in a row, whose registers have too many values to be asked about."""
    diamonds = [f"""\
b{k}:
  %v{k} = phi i32 [ {"%a" if not k else f"%z{k - 1}"}, %{"entry" if not k else f"e{k - 1}"} ]
  %c{k} = icmp eq i32 {("%t", "%n")[k % 2]}, {k}
  br i1 %c{k}, label %t{k}, label %f{k}
t{k}:
  %x{k} = add i32 %v{k}, {k}
  store i32 %x{k}, ptr addrspace(1) @x
  br label %e{k}
f{k}:
  %y{k} = mul i32 %v{k}, 3
  br label %e{k}
e{k}:
  %z{k} = phi i32 [ %x{k}, %t{k} ], [ %y{k}, %f{k} ]
  br label %{"end" if k == 39 else f"b{k + 1}"}
""" for k in range(40)]  # fmt: skip
    head = "litmus diamonds\nglobal x = 0\nkernel K(i32 %n in {0, 1}) lanes 2 {\nentry:\n"
    start = "  %t = call i32 @llvm.amdgcn.workitem.id.x()\n  %a = load i32, ptr addrspace(1) @x\n  br label %b0\n"
    test = parse("".join([head, start, *diamonds, "end:\n  ret void\n}\n"]))
    report = uniform(test, test.kernels[0], seconds=0.001)
    found = {a.register or f"->{a.block}": a for a in report.answers}
    assert report.cut and not any(answer.asked for answer in report.answers)
    assert [found[name].llvm is None for name in ("a", "c0", "c1", "->b1", "->b2", "z0")] == [
        True, False, True, True, False, False,
    ]  # fmt: skip
    text = printed(capsys, "uniform", PHI, "--timeout", "0.001")
    assert "exact: - also where the time limit was reached (--timeout)" in text
    assert re.search(r"x: u +uniform +divergent +- +perhaps unsound", text)
