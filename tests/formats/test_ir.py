"""LLVM IR as tests: the modules of `tests/ir`, whose outcomes were derived by hand, and single constructs.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import pytest

from axmem.check.judging import Question, report_of
from axmem.check.results import Result, outcomes
from axmem.cli import main
from axmem.codegen.ir_module import module
from axmem.formats.ir.memory import aligned
from axmem.formats.reading import parse, parse_file
from axmem.front.source import InputError
from axmem.litmus.edit import mapped
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import I32, AddressSpace, AtomicRmw, CmpXchg, If, Load, RegisterOf, Statement, Store
from axmem.litmus.walk import located, observed
from tests.drawn import some
from tests.golden import compare_golden
from tests.paths import CORPUS_TESTS, MALFORMED, ROOT

MODULES = sorted((ROOT / "tests" / "ir").glob("*.ll"))


LARGE = ("host-double-checked-init", "host-double-checked-init-relaxed", "host-spin-lock", "host-ticket-lock",
         "host-work-stealing-deque")  # fmt: skip
"""Modules with more executions than brute force has time for."""
WRITTEN = [path for path in CORPUS_TESTS if path.parent.name != "convergence"][::7]
"""Tests of the corpus that are written as modules and read again."""
CASES = [(path, "auto") for path in MODULES] + [(path, "oracle") for path in MODULES if path.stem not in LARGE]


@pytest.mark.parametrize(("path", "engine"), some(CASES, of=2), ids=lambda value: getattr(value, "stem", value))
def test_the_outcomes_of_a_module_are_those_that_it_expects(path: Path, engine: str) -> None:
    report = report_of(Question(str(path), path.read_text("utf-8"), engine=engine))
    assert not report.diagnostics
    assert report.answers
    assert [answer.status for answer in report.answers] == ["ok"] * len(report.answers)


def read(text: str) -> str:
    """Return what is read of a module, as the test language writes it, without its header."""
    return print_test(parse(text, "m.ll", "llvm-ir")).partition("\n\n")[2]


def test_functions_that_are_not_called_are_threads() -> None:
    text = """
@x = global i32 0
define internal void @set(i32 %v) {
  store i32 %v, ptr @x
  ret void
}
define void @a() {
  call void @set(i32 1)
  ret void
}
define i32 @b() {
  %1 = load i32, ptr @x, align 4
  ret i32 %1
}
"""
    assert read(text) == (
        "global x = 0\n\nthread a {\n  store 1, x\n}\n\nthread b {\n  %1 = load x\n  return = %1\n}\n\nexists (true)\n"
    )


def test_names_that_begin_with_a_dot_are_read_back() -> None:
    """As a compiler names constants and blocks; `@_x` is another location than `@.x`."""
    text = """
@.x = global i32 0
@_x = global i32 0
define void @P0() {
entry:
  br label %.loop
.loop:
  %.r = load atomic i32, ptr @.x monotonic, align 4
  store atomic i32 1, ptr @_x monotonic, align 4
  %c = icmp eq i32 %.r, 0
  br i1 %c, label %.loop, label %..end
..end:
  ret void
}
"""
    test = parse(text, "m.ll", "llvm-ir")
    assert [location.name for location in test.locations] == ["_x", "_x_"]
    assert print_test(parse(print_test(test))) == print_test(test)


def test_blocks_to_which_no_branch_leads_are_left_out() -> None:
    text = """
@x = global i32 0
define i32 @f() {
  %1 = load i32, ptr @x
  br label %join
dead:
  br label %join
join:
  %2 = phi i32 [ %1, %0 ], [ 7, %dead ]
  ret i32 %2
}
define void @g() {
  ret void
dead:
  store i32 1, ptr @x
  ret void
}
"""
    found = read(text)
    assert found == (
        "global x = 0\n\nthread f {\n  %1 = load x\n  %2 = %1\n  return = %2\n}\n\nthread g {\n}\n\nexists (true)\n"
    )


def test_what_stands_behind_a_terminator_is_another_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM gives it the next number, here 2 and 4; of the blocks only those that the entry reaches remain."""
    text = """
@x = global i32 0
define void @f() {
  br label %1
1:
  store i32 1, ptr @x
  br label %4
  store i32 2, ptr @x
  br label %4
3:
  unreachable
  store i32 3, ptr @x
  ret void
}
"""
    expected = "global x = 0\n\nthread f {\n  store 1, x\n  store 3, x\n}\n\nexists (true)\n"
    assert read(text) == expected
    monkeypatch.setattr("axmem.formats.ir.complaints", lambda source: [])
    assert read(text) == expected
    body = text.split("{\n")[1].split("}")[0]
    assert print_test(parse(body.replace("@x", "%x"), "m.ll", "llvm-snippet")).endswith(expected.replace("f {", "P0 {"))


@pytest.mark.parametrize("form", ["llvm-ir", "llvm-snippet"])
def test_a_branch_leads_to_a_block_that_is_there(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("axmem.formats.ir.complaints", lambda source: [])
    body = "  store i32 1, ptr @x\n  br label %done\n  store i32 2, ptr @x\n"
    module = f"@x = global i32 0\ndefine void @f() {{\n{body}  ret void\n}}\n"
    with pytest.raises(InputError, match="no block is named '%done'"):
        parse(module if form == "llvm-ir" else body.replace("@x", "%x"), "m.ll", form)


def test_branches_are_ifs_and_a_barrier_between_them_is_that_of_the_workgroup() -> None:
    text = """
; axmem: thread @f @ agent 0, workgroup 0
; axmem: thread @g @ agent 0, workgroup 0
@x = global i32 0
declare void @llvm.amdgcn.s.barrier()
define i32 @f() {
  %1 = load atomic i32, ptr @x monotonic, align 4
  %c = icmp eq i32 %1, 1
  br i1 %c, label %yes, label %join
yes:
  store atomic i32 2, ptr @x monotonic, align 4
  br label %join
join:
  %2 = phi i32 [ 3, %yes ], [ %1, %0 ]
  call void @llvm.amdgcn.s.barrier()
  ret i32 %2
}
define void @g() {
  call void @llvm.amdgcn.s.barrier()
  ret void
}
"""
    assert read(text).split("\n\n")[1:3] == [
        "thread f @ agent 0, workgroup 0 {\n  %1 = load atomic x monotonic\n  c = %1 == 1\n  if c {\n"
        "    store atomic 2, x monotonic\n    %2 = 3\n  } else {\n    %2 = %1\n  }\n  barrier\n  return = %2\n}",
        "thread g @ agent 0, workgroup 0 {\n  barrier\n}",
    ]


BRANCHES = """; axmem: exists (@r:%v=0)
@x = global i32 0
@f = global i32 0
define void @w() {
  store atomic i32 1, ptr @x monotonic, align 4
  store atomic i32 1, ptr @f release, align 4
  ret void
}
define void @r() {
  %1 = load atomic i32, ptr @f monotonic, align 4
  %c = icmp eq i32 %1, 1
  br i1 %c, label %yes, label %no
yes:
  %2 = load atomic i32, ptr @x monotonic, align 4
  br label %no
no:
  %v = phi i32 [ %2, %yes ], [ 7, %0 ]
  ret void
}
"""


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["lower", "--target", "gfx942"], "   12  br i1 %c, label %yes, label %no\n   13  yes:\n   14  %2 = load"),
        (["verify", "--target", "gfx942"], "sound  (3 placements, 2 outcomes)"),
        (["repair"], "+ %1 = load atomic f acquire"),
        (["explain"], "allowed: r:v=0"),
        (["compare", "--models", "llvm,amdgpu"], "same"),
        (["run", "--outcomes"], "    r:1=0  r:2=0  r:v=7\n  * r:1=1  r:2=0  r:v=0\n    r:1=1  r:2=1  r:v=1\n"),
    ],
)
def test_commands_take_functions_with_branches(
    command: list[str], shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader of the flag may read the data before it where the flag is monotonic, and must not after a repair."""
    monkeypatch.setattr("axmem.formats.ir.complaints", lambda source: [])
    file = tmp_path / "m.ll"
    file.write_text(BRANCHES, "utf-8")
    assert main([*command, str(file)]) == 0
    assert shown in capsys.readouterr().out


def test_lds_that_is_an_argument_is_one_for_each_workgroup() -> None:
    """Each workgroup adds to memory of its own, which held 0: none reads the other's 1."""
    text = """; axmem: kernel @k(@o, @s) workgroups 2
@o = addrspace(1) global [2 x i32] [i32 -1, i32 -1], align 4
@s = addrspace(3) global i32 0, align 4
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %t) {
  %a = atomicrmw add ptr addrspace(3) %t, i32 1 syncscope("workgroup") monotonic, align 4
  %w = call i32 @llvm.amdgcn.workgroup.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %w
  store i32 %a, ptr addrspace(1) %q, align 4
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
"""
    test = parse(text)
    assert [location.name for location in test.kernels[0].memory] == ["s"]
    back = parse(module(test, annotated=True).text)
    assert [(each.name, each.space, each.type) for each in back.kernels[0].memory] == [("s", AddressSpace.LDS, I32)]
    assert outcomes(test, "llvm").states() == ("k.0.0.0:a=0  k.1.0.0:a=0",)


def test_an_integer_wider_than_those_of_a_test_is_several() -> None:
    text = "@x = global i256 0\ndefine void @f() {\n  store i64 1, ptr @x\n  ret void\n}\n"
    assert read(text).startswith("global <2 x i128> x = {0, 0}\n")


def test_the_place_of_what_llvm_refuses_counts_characters() -> None:
    pytest.importorskip("llvmlite")
    text = 'target triple = "größe"\ndefine void @f() {\n  ret void ; –\n}\n@"größe" = global i33i 0\n'
    with pytest.raises(InputError) as raised:
        parse(text, "m.ll", "llvm-ir")
    assert [(d.span.line, d.span.column) for d in raised.value.diagnostics] == [(5, 22)]


def test_debug_info_without_a_version_is_left_out_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("llvmlite")
    text = """@x = global i32 0
define void @f() !dbg !2 {
  store i32 1, ptr @x, !dbg !0
  ret void, !dbg !0
}
!llvm.dbg.cu = !{!1}
!0 = !DILocation(line: 1, column: 1, scope: !2)
!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, emissionKind: FullDebug)
!2 = distinct !DISubprogram(name: "f", file: !3, unit: !1)
!3 = !DIFile(filename: "a.c", directory: "/")
"""
    assert read(text) == "global x = 0\n\nthread f {\n  store 1, x\n}\n\nexists (true)\n"
    assert capfd.readouterr().err == ""


def test_a_snippet_has_threads_between_lines_and_locations_where_pointers_are_unknown() -> None:
    text = """
  store i32 1, ptr %data, align 4
  store atomic i64 1, ptr addrspace(1) %flag syncscope("agent") release, align 8
---
  %f = load atomic i64, ptr addrspace(1) %flag syncscope("agent") acquire, align 8
; thread last @ workgroup 2
  %d = load i32, ptr %data, align 4
; axmem: init @data = 7
; axmem: exists (last:%d=7)
"""
    assert print_test(parse(text, "m.ll", "llvm-snippet")) == (
        "litmus m\n\nglobal data = 7\nglobal i64 flag = 0\n\n"
        'thread P0 {\n  store 1, data\n  store atomic 1, flag syncscope("agent") release\n}\n\n'
        'thread P1 {\n  f = load atomic flag syncscope("agent") acquire\n}\n\n'
        "thread last {\n  d = load data\n}\n\nexists (last:d=7)\n"
    )


@pytest.mark.parametrize("path", sorted((MALFORMED / "llvm-ir").glob("*.ll")), ids=lambda path: path.stem)
def test_what_is_wrong_with_a_module_is_said_at_its_place(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("axmem.formats.ir.complaints", lambda source: [])
    with pytest.raises(InputError) as raised:
        parse(path.read_text("utf-8"), path.name, "llvm-ir")
    compare_golden(f"{raised.value}\n", path.with_suffix(".expected"))


@pytest.mark.parametrize("path", some(WRITTEN, of=3), ids=lambda path: path.stem)
def test_what_convert_writes_is_read_as_the_same_test(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same tree of straight tests; with branches or private memory it is a program of the same outcomes.

    Locations in LDS are parts of one object, and stand where that stands. A variable that nothing names is not read.
    """
    monkeypatch.setattr("axmem.formats.ir.complaints", lambda source: [])
    test = parse_file(path)
    try:
        text = module(test, annotated=True).text
    except InputError:
        return
    found = parse(text, "m.ll", "llvm-ir")
    private = any(location.space is AddressSpace.PRIVATE for location in test.locations)
    if test.kernels or private or any(isinstance(statement, If) for _, statement in located(test)):
        assert outcomes(found, "amdgpu").states() == outcomes(test, "amdgpu").states()
    else:
        wanted = mapped(test, naturally)
        named = re.findall(r"@(\w+)\b(?! = )", text)
        kept = (each for each in wanted.locations if each.space is AddressSpace.LDS or each.name in named)
        wanted = replace(wanted, locations=tuple(kept))
        assert sorted(found.locations, key=attrgetter("name")) == sorted(wanted.locations, key=attrgetter("name"))
        assert replace(found, locations=()) == replace(wanted, locations=())


KERNELS = [path for path in CORPUS_TESTS if "kernel " in path.read_text("utf-8")]
NOT_READ_BACK = {"Private+of-a-lane"}
"""What asks about the memory of one lane: an alloca, of which a question outside its function means nothing."""


@pytest.mark.parametrize("path", some(KERNELS, of=3), ids=lambda path: path.stem)
def test_kernels_are_read_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What registers hold at the end is said where they have other names in SSA form, or none."""
    monkeypatch.setattr("axmem.formats.ir.complaints", lambda source: [])
    test = parse_file(path)
    try:
        text = module(test, annotated=True).text
    except InputError:
        return  # LLVM IR has no word for it; what it is stands in docs/llvm-ir.md.
    if path.stem in NOT_READ_BACK:
        with pytest.raises(InputError, match="no location is named"):
            parse(text, "m.ll", "llvm-ir")
        return
    found = parse(text, "m.ll", "llvm-ir")
    assert [*observed(found)] == [*observed(test)]
    if path not in KERNELS[1::6]:
        return
    there, here = outcomes(found, "amdgpu"), outcomes(test, "amdgpu")
    both = {column.name for column in here.columns} & {column.name for column in there.columns}
    asked = {f"{o.thread}:{o.register}" for o in observed(test) if isinstance(o, RegisterOf)}
    assert asked & {column.name for column in here.columns} <= both
    assert restricted(there, both) == restricted(here, both)
    assert there.verdict == here.verdict or not there.complete


def restricted(result: Result, names: set[str]) -> set[frozenset[tuple[str, str]]]:
    """Return the outcomes of some columns: in SSA form a register may have values of other names besides."""
    columns = [column.name for column in result.columns]
    return {frozenset((c, v) for c, v in zip(columns, row, strict=True) if c in names) for row in result.texts}


def naturally(statement: Statement) -> Statement:
    """Return a statement without an alignment that its type has anyway, which IR always states."""
    if isinstance(statement, Load | Store | AtomicRmw | CmpXchg) and statement.type is not None:
        return replace(statement, mode=aligned(statement.mode, statement.type))
    return statement


def test_a_product_that_may_be_contracted_into_a_sum_is_rounded_once_or_twice() -> None:
    body = """
@x = global float 1.0
define void @f() {
  %a = load float, ptr @x
  %p = fmul contract float %a, %a
  %q = fmul contract float %a, 3.0
  %s = fadd contract float %p, 1.0
  %t = fsub contract float 1.0, %q
  %u = fsub nnan contract float %q, %a
  %v = fadd contract float %p, %q
  %w = fadd float %p, %q
  %y = call contract float @llvm.fmuladd.f32(float %a, float %a, float %w)
  ret void
}
"""
    lines = [line.strip() for line in read(body).splitlines()]
    assert "s = fmuladd float a, a, 1.0" in lines
    assert "t = fmuladd float (fneg float a), 3.0, 1.0" in lines
    assert "u = fmuladd float a, 3.0, (fneg float a)" in lines
    assert "v = (fmuladd float a, a, q) == (fmuladd float a, 3.0, p) ? (fmuladd float a, a, q) : undef" in lines
    assert "w = fadd float p, q" in lines
    assert "y = fmuladd float a, a, w" in lines


@pytest.mark.parametrize(("name", "operation"), [
    ("maxnum", "fmax"), ("minnum", "fmin"), ("maximum", "fmaximum"), ("minimum", "fminimum"),
])  # fmt: skip
def test_the_extremes_of_two_numbers_are_those_that_updates_compute(name: str, operation: str) -> None:
    body = f"""
@x = global float 1.5
@b = global bfloat 0xR3FC0
define void @f() {{
  %a = load float, ptr @x
  %s = call float @llvm.{name}.f32(float %a, float 1.0)
  %c = load bfloat, ptr @b
  %t = call bfloat @llvm.{name}.bf16(bfloat %c, bfloat 0xR3F80)
  ret void
}}
"""
    test = parse(body, "m.ll", "llvm-ir")
    assert f"s = {operation} float a, 1.0" in print_test(test)
    (states,) = outcomes(replace(test, observe=(RegisterOf("f", "s"), RegisterOf("f", "t"))), "llvm").states()
    largest = operation[1:4] == "max"
    assert f"f:s={1069547520 if largest else 1065353216}" in states and f"f:t={16320 if largest else 16256}" in states
    assert f"@llvm.{name}.f32(float" in module(test).text
