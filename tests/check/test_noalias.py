"""`noalias` parameters in tests: who else accesses what is accessed through them.

What is expected follows from the sentence ([LangRef] "Parameter Attributes") in the reading of docs/references.md: the
bytes that each lane accesses are known from the texts, and no order between lanes helps.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from axmem.check.judging import Question, report_of
from axmem.check.selection import choice_of
from axmem.cli import main
from axmem.encoder.engines import Engine
from axmem.formats.reading import parse
from axmem.front import notes
from axmem.litmus.edit import untraced
from axmem.refinement.judging import Question as RefineQuestion
from axmem.refinement.judging import judged

HANDED = """; axmem: kernel @scan(@agg, @flag, @out) workgroups 2
; axmem: exists (@out[1]=0)
@agg = addrspace(1) global [2 x i32] zeroinitializer
@flag = addrspace(1) global [2 x i32] zeroinitializer
@out = addrspace(1) global [2 x i32] zeroinitializer
define amdgpu_kernel void @scan(ptr addrspace(1) noalias %agg, ptr addrspace(1) noalias %flag, ptr addrspace(1) %out) {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %second = icmp sgt i32 %g, 0
  br i1 %second, label %before, label %own
before:
  %less = add nsw i32 %g, -1
  %at = zext nneg i32 %less to i64
  %flag.at = getelementptr inbounds i32, ptr addrspace(1) %flag, i64 %at
  br label %spin
spin:
  %seen = load atomic i32, ptr addrspace(1) %flag.at syncscope("agent") monotonic, align 4
  %unset = icmp eq i32 %seen, 0
  br i1 %unset, label %spin, label %taken
taken:
  fence syncscope("agent") acquire
  %agg.at = getelementptr inbounds i32, ptr addrspace(1) %agg, i64 %at
  %sum = load i32, ptr addrspace(1) %agg.at, align 4
  %here = zext nneg i32 %g to i64
  %out.at = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %here
  store i32 %sum, ptr addrspace(1) %out.at, align 4
  br label %own
own:
  %next = add nsw i32 %g, 1
  %place = sext i32 %g to i64
  %agg.own = getelementptr inbounds i32, ptr addrspace(1) %agg, i64 %place
  store i32 %next, ptr addrspace(1) %agg.own, align 4
  fence syncscope("agent") release
  %flag.own = getelementptr inbounds i32, ptr addrspace(1) %flag, i64 %place
  store atomic i32 1, ptr addrspace(1) %flag.own syncscope("agent") monotonic, align 4
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
"""
"""A decoupled look-back through `restrict` pointers: a workgroup hands its sum to the next."""
OF_HANDED = (
    "scan.1.0.0 reads agg through %agg, which is noalias (line 22), and scan.0.0.0 writes it (line 31)",
    "scan.1.0.0 reads flag through %flag, which is noalias (line 16), and scan.0.0.0 writes it (line 34)",
)


def undefined(text: str, *, oracle: bool = True) -> tuple[str, ...]:
    """Return what the engines say is undefined, which is the same."""
    results = []
    for engine in (Engine.AUTO, Engine.ORACLE)[: 1 + oracle]:
        report = report_of(Question("t.ll", text, ("amdgpu",), engine=engine.value))
        assert not report.diagnostics, report.diagnostics
        results.append(report.answers[0].result)
    assert all((each.verdict == "undefined") == bool(each.undefined) for each in results)
    assert len({each.undefined for each in results}) == 1
    return results[0].undefined


def kernel(body: str, parameters: str, arguments: str, launch: str = "workgroups 2") -> str:
    """Return a kernel whose body may use the number `%g` of its workgroup, and its element `%e` of what is at %p."""
    return f"""; axmem: kernel @k({arguments}) {launch}
; axmem: exists (@x[0]=7)
@x = addrspace(1) global [4 x i32] zeroinitializer
@y = addrspace(1) global [4 x i32] zeroinitializer
@pointer = addrspace(1) global ptr addrspace(1) @x
define amdgpu_kernel void @k({_global(parameters)}) {{
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  {_global(body).replace("; ", chr(10) + "  ")}
  ret void
}}
declare i32 @llvm.amdgcn.workgroup.id.x()
"""


def _global(text: str) -> str:
    return re.sub(r"\bptr\b(?! addrspace)", "ptr addrspace(1)", text)


def test_workgroups_that_hand_over_through_noalias_pointers_are_undefined() -> None:
    assert undefined(HANDED) == OF_HANDED
    shared = HANDED.replace("noalias ", "")
    assert undefined(shared) == ()
    assert report_of(Question("t.ll", shared, ("amdgpu",))).answers[0].result.verdict == "never"


OTHER = "%q = getelementptr i32, ptr %p, i32 %g; "
LANE = "%l = call i32 @llvm.amdgcn.workitem.id.x(); %q = getelementptr i32, ptr %p, i32 %l; "


@pytest.mark.parametrize(
    ("body", "parameters", "arguments", "pair"),
    [
        # Every lane writes the same element; each has its own; nobody writes; nobody accesses.
        ("store i32 1, ptr %p", "ptr noalias %p", "@x", "k.0.0.0 writes x through %p | k.1.0.0 writes it"),
        (OTHER + "store i32 1, ptr %q", "ptr noalias %p", "@x", ""),
        ("%r = load i32, ptr %p", "ptr noalias %p", "@x", ""),
        ("store i32 1, ptr @x", "ptr noalias %p", "@x", ""),
        ("store i32 1, ptr @x", "ptr noalias readnone %p", "@x", ""),
        # An atomic that nobody could see too early is a conflict as any other.
        (
            'atomicrmw add ptr %p, i32 1 syncscope("agent") acq_rel', "ptr noalias %p", "@x",
            "k.0.0.0 updates x through %p | k.1.0.0 updates it",
        ),
        # Of a lane alone: by another parameter, by the variable, by the same pointer, by one that may be based on it.
        (
            OTHER + "%o = getelementptr i32, ptr %s, i32 %g; store i32 1, ptr %q; %r = load i32, ptr %o",
            "ptr noalias %p, ptr %s", "@x, @x", "k.0.0.0 writes x through %p | k.0.0.0 reads it",
        ),
        (
            OTHER + "%o = getelementptr i32, ptr @x, i32 %g; %r = load i32, ptr %q; store i32 1, ptr %o",
            "ptr noalias %p", "@x", "k.0.0.0 reads x through %p | k.0.0.0 writes it",
        ),
        (
            OTHER + "%o = getelementptr i32, ptr %s, i32 %g; %r = load i32, ptr %q; %t = load i32, ptr %o",
            "ptr noalias %p, ptr %s", "@x, @x", "",
        ),
        (OTHER + "store i32 1, ptr %q; %r = load i32, ptr %q", "ptr noalias %p", "@x", ""),
        (
            OTHER + "%z = icmp eq i32 %g, 9; %b = select i1 %z, ptr %q, ptr %s; store i32 1, ptr %q; "
            "%o = getelementptr i32, ptr %b, i32 %g; %r = load i32, ptr %o", "ptr noalias %p, ptr %s", "@x, @x", "",
        ),
        (
            OTHER + "%b = load ptr, ptr @pointer; store i32 1, ptr %q; %o = getelementptr i32, ptr %b, i32 %g; "
            "%r = load i32, ptr %o", "ptr noalias %p", "@x", "",
        ),
        # The address of neither access is based on the parameter alone.
        (
            "%z = icmp eq i32 %g, 9; %b = select i1 %z, ptr %p, ptr %s; store i32 1, ptr %b",
            "ptr noalias %p, ptr %s", "@y, @x", "",
        ),
        # Others may have pointers that are based on it.
        ("store ptr %p, ptr @pointer; store i32 1, ptr %p", "ptr noalias %p", "@x", ""),
        # Through a variable of the function, and a copy of the address.
        (
            "%v = alloca ptr, addrspace(5); store ptr %p, ptr addrspace(5) %v; "
            "%b = load ptr, ptr addrspace(5) %v; store i32 1, ptr %b",
            "ptr noalias %p", "@x", "k.0.0.0 writes x through %p | k.1.0.0 writes it",
        ),
    ],
)  # fmt: skip
def test_who_else_accesses_what_is_behind_a_noalias_pointer(
    body: str, parameters: str, arguments: str, pair: str
) -> None:
    text = kernel(body, parameters, arguments)
    found = undefined(text)
    assert undefined(text.replace("noalias", "")) == ()
    ours, _, theirs = pair.partition(" | ")
    assert len(found) == bool(pair)
    assert not pair or (found[0].startswith(f"{ours}, which is noalias") and f"and {theirs} (" in found[0]), found


def test_a_conflict_counts_where_both_are_executed() -> None:
    """The second thread writes only what it has read from the first, which writes nothing that it could read."""
    text = """; axmem: thread P0 = @f(@x)
; axmem: thread P1 = @g(@x, @y)
; axmem: exists (@x=7)
@x = global i32 0
@y = global i32 0
define void @f(ptr noalias %p) {
  %r = load atomic i32, ptr %p monotonic, align 4
  ret void
}
define void @g(ptr %p, ptr %q) {
  %r = load atomic i32, ptr %q monotonic, align 4
  %set = icmp eq i32 %r, 1
  br i1 %set, label %then, label %end
then:
  store atomic i32 2, ptr %p monotonic, align 4
  br label %end
end:
  ret void
}
"""
    assert undefined(text) == ()
    (found,) = undefined(text.replace("@y = global i32 0", "@y = global i32 1"))
    assert found == "P0 reads x through %p, which is noalias (line 7), and P1 writes it (line 15)"


def test_lanes_that_do_the_same_are_alike() -> None:
    text = kernel("store i32 1, ptr %p", "ptr noalias %p", "@x", "workgroups 2, wavefronts 2, lanes 8")
    assert len(undefined(text, oracle=False)) == 1


def test_check_warns_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "scan.ll"
    file.write_text(HANDED, "utf-8")
    assert main(["check", str(file)]) == 0
    shown = capsys.readouterr()
    assert shown.out == "1 file, 0 errors, 2 warnings\n"
    hint = (
        "  hint: where both are executed the behaviour is undefined, whatever orders them: LLVM takes for granted that "
        "nobody does this while the function runs"
    )
    lines = shown.err.splitlines()
    assert [line for line in lines if "warning" in line] == [
        f"{file}:16:3: warning: {OF_HANDED[1]}", f"{file}:22:3: warning: {OF_HANDED[0]}"
    ]  # fmt: skip
    assert lines.count(hint) == 2
    file.write_text(HANDED.replace("noalias ", ""), "utf-8")
    assert main(["check", str(file), "--werror"]) == 0


@pytest.mark.parametrize("closed", [True, False])
def test_refinement_has_a_rule_of_its_own(closed: bool) -> None:
    """What undefined behaviour would permit is not permitted: the answers are those without `noalias`."""
    before = kernel("store atomic i32 1, ptr %p monotonic, align 4", "ptr noalias %p", "@x")
    after = before.replace("i32 1,", "i32 2,")
    first, second = (parse(text, "m.ll") for text in (before, after))
    found = judged(first, second, choice_of("amdgpu"), RefineQuestion(context=0, closed=closed))
    assert found.verdict == "unsound"


def test_no_language_of_tests_has_a_word_for_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "scan.ll"
    file.write_text(HANDED, "utf-8")
    assert main(["convert", str(file), "--to", "axmem"]) == 0
    shown = capsys.readouterr()
    assert parse(shown.out) == untraced(parse(HANDED, "scan.ll")) != parse(HANDED, "scan.ll")
    first = shown.err.splitlines()[0]
    said = "warning: that parameters of scan are noalias is not written: a test has no word for it"
    assert first == f"{file}:1:17: {said}"
    assert main(["fmt", str(file)]) == 0
    assert capsys.readouterr().out == shown.out


CALLED = """; axmem: kernel @k(@x) workgroups 2
@x = addrspace(1) global i32 0
@keep = addrspace(1) global ptr addrspace(1) null
define internal void @inner(ptr addrspace(1) noalias %p) {
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}
define internal void @outer(ptr addrspace(1) %p) {
  call void @inner(ptr addrspace(1) %p)
  ret void
}
define amdgpu_kernel void @k(ptr addrspace(1) OWN %p) {
  BODY
  ret void
}
!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2}
"""


@pytest.mark.parametrize("command", ["run", "check", "progress"])
@pytest.mark.parametrize(
    ("own", "body", "said"),
    [
        ("", "call void @outer(ptr addrspace(1) %p)", "that %p of @inner is noalias is not judged: @inner is called"),
        (
            "noalias", "store ptr addrspace(1) %p, ptr addrspace(1) @keep, align 8",
            "that %p of @k is noalias is not judged: its address is stored, returned or passed on",
        ),
        ("noalias", "store i32 1, ptr addrspace(1) %p, align 4", ""),
        ("", "fence acquire, !noalias !0", "the fence in line 13 is taken to order what its !noalias exempts"),
        ("", "fence acquire", ""),
    ],
)  # fmt: skip
def test_a_promise_that_is_not_judged_is_named(
    command: str,
    own: str,
    body: str,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(notes, "_said", set())
    path = tmp_path / "k.ll"
    path.write_text(CALLED.replace("OWN", own).replace("BODY", body))
    main([command, str(path)])
    found = re.findall(r"^axmem: note: (that .*|the fence .*)$", capsys.readouterr().err, re.MULTILINE)
    assert found == ([said] if said else [])
