"""Modules of LLVM IR as they stand, through the commands that need no values: rows, choices, refusals, exit codes."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.formats.ir import llvm
from axmem.formats.ir.whole import whole
from axmem.front import notes
from axmem.front.source import Source

MODULE = str(Path(__file__).parent / "module.ll")
ROWS = {
    "uniform": [
        "module: 2 functions, as they stand",
        "                     values  divergent  perhaps  branches  divergent  perhaps",
        "  scale    kernel    8       4          5        1         0          0        1 perhaps unsound",
        "  publish  function  5       4          4        0         0          0",
    ],
    "conv": [
        "module: 2 functions, as they stand",
        "                     blocks  cycles  irreducible  hierarchies  branches  not m-converged",
        "  scale    kernel    3       1       0            1            0         0                loop",
        "  publish  function  1       0       0            1            0         0                no cycle",
    ],
    "loopmd": [
        "module: 2 functions, as they stand",
        "                     loops  with a LoopID  cases  warnings",
        "  scale    kernel    1      1              3      0         unroll, vectorize",
        "  publish  function  0      0              0      0",
    ],
}
ODD = {
    "exceptions": """
  %a = invoke i32 @g(i32 1)
          to label %on unwind label %off
on:
  ret void
off:
  %p = landingpad { ptr, i32 }
          cleanup
          catch ptr null
  resume { ptr, i32 } %p""",
    "funclets": """
  %s = catchswitch within none [label %h] unwind to caller
h:
  %c = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %c to label %e
e:
  %d = cleanuppad within none []
  cleanupret from %d unwind to caller""",
    "jumps": """
  indirectbr ptr blockaddress(@f, %a), [ label %a, label %b ]
a:
  callbr void asm sideeffect "", "!i"()
          to label %b [label %a]
b:
  ret void""",
    "memory": """
  %n = call i32 @g(i32 0)
  %a = alloca i8, i32 %n, align 16
  %b = load atomic i32, ptr %a syncscope("another") acquire, align 4
  %c = atomicrmw fminimum ptr %a, float 1.0 syncscope("x") monotonic
  %d = va_arg ptr %a, i32
  store volatile [2 x i32] [i32 1,
    i32 2], ptr %a
  ret void""",
    "types": """
  %a = insertelement <vscale x 4 x i32> poison, i32 1, i64 0
  %b = fadd fp128 0xL00000000000000003FFF000000000000, 0xL00000000000000003FFF000000000000
  %c = add i3 1, -1
  %d = call target("spirv.Image", void, 1) @h()
  %e = getelementptr inbounds nuw { i8, [0 x i32] }, ptr null, i64 0, i32 1
  %i = phi i32 [ 0, %z ],
               [ 1, %z ]
  uselistorder i32 %c, { 1, 0 }
  ret void""",
    "calls": """
  %p = load ptr, ptr null
  %a = musttail call i32 (i32, ...) %p(i32 1, ...)
  call void inttoptr (i64 64 to ptr)()
  %b = call addrspace(1) i32 @g(i32 returned 1) #0 [ "deopt"(i32 %a) ]
  call void asm sideeffect "s_nop 0
    s_nop 1", "~{vcc}"()
  ret void""",
}


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[list[str], str]:
    assert main(arguments) == code
    out, err = capsys.readouterr()
    return out.splitlines(), err


@pytest.mark.parametrize("command", ROWS)
def test_a_module_has_a_row_for_each_function(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, command, MODULE) == (ROWS[command], "")


@pytest.mark.parametrize("command", ROWS)
def test_json_has_every_function_whole(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines, _ = printed(capsys, command, MODULE, "--format", "json")
    assert [line.strip() for line in lines if '"kernel":' in line] == ['"kernel": "scale",', '"kernel": "publish",']


def test_one_function_is_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    lines, _ = printed(capsys, "uniform", MODULE, "--function", "@publish")
    assert lines[0] == "publish: a function as it stands  hierarchy no cycle of 1"
    assert "  0: all   uniform    uniform    -" in lines
    assert printed(capsys, "uniform", MODULE, "--kernel", "publish")[0] == lines
    lines, _ = printed(capsys, "conv", MODULE, "--function", "scale")
    assert lines[:3] == ["scale", "  hierarchies: 1, all that depth-first searches give; LLVM's first", "    loop"]
    lines, _ = printed(capsys, "loopmd", MODULE, "--function", "scale", "--pipeline", "O1")
    assert lines[1] == "  loop  !0: unroll.count 4"


def test_functions_are_lowered(capsys: pytest.CaptureFixture[str]) -> None:
    lines, _ = printed(capsys, "lower", MODULE, "--target", "gfx942")
    assert lines[0] == "module on gfx942 (cu mode), llvm-24"
    assert [line for line in lines if line and not line.startswith(" ")][1:] == ["scale", "publish"]
    assert "         (what inline assembly emits is in no table)" in lines
    at = next(i for i, line in enumerate(lines) if "release" in line)
    assert [line.strip() for line in lines[at + 1 : at + 7] if not line.startswith(" " * 13)] == [
        "buffer_wbl2 sc1", "s_waitcnt vmcnt(0) lgkmcnt(0)", "global_store_dword sc1",
    ]  # fmt: skip


def test_a_last_use_is_a_hint_where_there_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "last.ll"
    path.write_text(
        "define void @f(ptr addrspace(1) %p) {\n  %a = load i32, ptr addrspace(1) %p, !amdgpu.last.use !{}\n"
        "  store i32 %a, ptr addrspace(1) %p\n  ret void\n}\n"
    )
    lines, _ = printed(capsys, "lower", str(path), "--target", "gfx12", "--target", "gfx942")
    assert [line.strip() for line in lines if "_load" in line] == ["global_load_b32 th:TH_LOAD_LU", "global_load_dword"]


def test_what_is_not_read_is_named_and_the_rest_is_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.ll"
    path.write_text(
        "define void @wide(ptr addrspace(7) %p) {\n  %a = load i32, ptr addrspace(7) %p\n  ret void\n}\n"
        'define void @far(ptr %p) {\n  store atomic i32 1, ptr %p syncscope("cta") release, align 4\n  ret void\n}\n'
        "define void @good() {\n  fence seq_cst\n  ret void\n}\n"
    )
    lines, err = printed(capsys, "lower", str(path), "--target", "gfx10", code=2)
    assert [line for line in lines if line and not line.startswith(" ")] == ["m on gfx10 (wgp mode), llvm-24", "good"]
    assert f"{path}:2:18: error: accesses of address space 7 are in no table\n" in err
    assert f"{path}:6:3: error: AMDGPU has no scope 'cta'\n" in err
    assert len(printed(capsys, "uniform", str(path))[0]) == 5


@pytest.mark.parametrize("name", ODD)
def test_whatever_stands_in_a_function_is_read(name: str) -> None:
    read = whole(Source("odd.ll", f"define void @f() {{\nz:{ODD[name]}\n}}\ndeclare i32 @g(i32)\n"))
    assert not read.wrong
    assert read.names() == ("f",)


def test_a_mistake_concerns_one_function() -> None:
    text = "".join(
        f"define void @f{n}() {{\n  {'lod i32, ptr null' if n % 2 else ''}\n  ret void\n}}\n" for n in range(60)
    )
    read = whole(Source("many.ll", text))
    assert len(read.names()) == 60
    assert sorted(read.wrong) == sorted(f"f{n}" for n in range(1, 60, 2))


def test_a_choice_that_is_none_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    _, err = printed(capsys, "conv", MODULE, "--function", "publsh", code=2)
    assert err.splitlines()[0] == f"--function:1:1: error: {MODULE} defines no such function"
    assert "did you mean 'publish'?" in err
    _, err = printed(capsys, "lower", "@examples/nested-cycles.litmus", "--function", "K", "--target", "gfx10", code=2)
    assert "is no module of LLVM IR" in err


def test_a_module_that_says_what_is_launched_is_a_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.ll"
    path.write_text(
        "; axmem: kernel @f(in {0, 1}) lanes 2\ndefine amdgpu_kernel void @f(i32 %n) {\n"
        "  %x = call i32 @llvm.amdgcn.workitem.id.x()\n  %s = add i32 %x, %n\n  ret void\n}\n"
        "declare i32 @llvm.amdgcn.workitem.id.x()\n"
    )
    lines, _ = printed(capsys, "uniform", str(path))
    assert any(line.split()[-5:-4] == ["divergent"] and "s " in line for line in lines)
    assert lines[0].startswith("f: 1 workgroup")
    lines, _ = printed(capsys, "uniform", str(path), "--function", "f")
    assert lines[0].startswith("f: a kernel as it stands")


BROKEN = "define i32 @f() {\n  ret i32 %nobody\n}\n"


def without_llvmlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    llvm._parser.cache_clear()


def test_opt_checks_where_there_is_no_llvmlite(monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("opt-22"):
        pytest.skip("there is no opt-22")
    without_llvmlite(monkeypatch)
    monkeypatch.setattr(llvm, "_STARTED", iter(range(9)))
    try:
        (found,) = llvm.complaints(Source("f.ll", BROKEN))
        assert (found.message, found.span[:2]) == ("LLVM says: use of undefined value '%nobody'", (2, 11))
        assert not llvm.complaints(Source("f.ll", Path(MODULE).read_text(encoding="utf-8")))
        (found,) = llvm.complaints(Source("f.ll", "define void @f() {\na:\n  br label %a\n}\n"))
        assert found.message == "LLVM says: Entry block to function must not have predecessors!"
    finally:
        llvm._parser.cache_clear()


def test_without_llvm_nothing_is_said_unless_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_llvmlite(monkeypatch)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(notes, "_said", set())
    try:
        assert printed(capsys, "uniform", MODULE)[1] == ""
        said = printed(capsys, "-v", "uniform", MODULE)[1]
        assert said.startswith("axmem: note: LLVM's parser has not checked what is read here: there is no llvmlite")
        assert printed(capsys, "uniform", MODULE)[1] == ""
    finally:
        llvm._parser.cache_clear()
