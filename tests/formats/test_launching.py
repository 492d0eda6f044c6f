"""A module of which no comment says what is run: the launch that is given, and the guess where there is none.

The trial: a launch is the same as the comments that say it, whatever the order and the names of its arguments.
"""

from __future__ import annotations

import pytest

import axmem
from axmem.cli import main
from axmem.formats import ir
from axmem.formats.forms import LAUNCH
from axmem.formats.ir.launching import Launched, parse_launch
from axmem.formats.ir.units import source_name
from axmem.formats.reading import parse
from axmem.formats.sources import found_clang
from axmem.front import notes
from axmem.front.records import replace
from axmem.front.settings import CLANG
from axmem.front.source import InputError, Source
from axmem.litmus.kernels import Launch
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import FinalValue, LitmusTest, Truth
from tests.formats.test_sources import with_clang

MODULE = """
define amdgpu_kernel void @_Z4sendPiS_i(ptr addrspace(1) %data.coerce, ptr addrspace(1) %flag.coerce, i32 %n) {
  store i32 %n, ptr addrspace(1) %data.coerce
  fence syncscope("SCOPE") release
  store atomic i32 1, ptr addrspace(1) %flag.coerce syncscope("agent") monotonic, align 4
  ret void
}
define amdgpu_kernel void @_Z7receivePiS_(ptr addrspace(1) %data.coerce, ptr addrspace(1) %flag.coerce) {
  %f = load atomic i32, ptr addrspace(1) %flag.coerce syncscope("agent") monotonic, align 4
  fence syncscope("agent") acquire
  %d = load i32, ptr addrspace(1) %data.coerce
  ret void
}
"""
SEND = "_Z4sendPiS_i"
ITEMS = """
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %g = call i64 @_Z13get_global_idj(i32 0)
  %l = call i64 @_Z12get_local_idj(i32 0)
  %y = call i64 @_Z12get_local_idj(i32 1)
  %s = call i64 @__ockl_get_local_size(i32 0)
  %h = call i64 @__ockl_get_local_size(i32 1)
  %n = call i64 @_Z14get_num_groupsj(i32 0)
  %a = getelementptr i64, ptr addrspace(1) %p, i64 %g
  %t1 = mul i64 %l, 10
  %t2 = mul i64 %s, 100
  %t3 = mul i64 %n, 1000
  %t4 = mul i64 %h, 10000
  %u1 = add i64 %t1, %t2
  %u2 = add i64 %t3, %t4
  %u3 = add i64 %u1, %u2
  %u4 = add i64 %u3, %y
  store i64 %u4, ptr addrspace(1) %a
  call void @_Z7barrierj(i32 1)
  ret void
}
declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z12get_local_idj(i32)
declare i64 @__ockl_get_local_size(i32)
declare i64 @_Z14get_num_groupsj(i32)
declare void @_Z7barrierj(i32) convergent
"""


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "_said", set())


def launched(launch: str, module: str = MODULE.replace("SCOPE", "agent")) -> LitmusTest:
    return parse(module, "m.ll", f"launch {launch}")


def states(test: LitmusTest) -> list[str]:
    return [" ".join(state.split()) for state in axmem.outcomes(test, "amdgpu").states()]


def test_a_launch_says_kernels_counts_and_arguments() -> None:
    assert parse_launch("a<<<2, 3>>>(x, -1, n=0x10); b<<<1,128>>>(null); c<<<1, 3x32>>>; d(y)") == [
        Launched("a", Launch(2, 1, 3), ("x", "-1"), {"n": "0x10"}),
        Launched("b", Launch(1, 2, 64), ("null",), {}),
        Launched("c", Launch(1, 3, 32), (), {}),
        Launched("d", None, ("y",), {}),
    ]


@pytest.mark.parametrize("launch", [
    "send<<<1, 1>>>(data, flag, 42); receive<<<1, 1>>>(data, flag)",
    "send<<<1,1>>>(n=42, flag=flag, data=data);receive<<<1,1>>>(flag=flag, data=data)",
    "_Z4sendPiS_i<<<1, 1>>>(data, flag, n=42); _Z7receivePiS_<<<1, 1>>>(data, flag)",
])  # fmt: skip
def test_a_launch_is_what_comments_say(launch: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert states(launched(launch)) == [
        "receive.0.0.0:f=0 receive.0.0.0:d=undef", "receive.0.0.0:f=1 receive.0.0.0:d=42",
    ]  # fmt: skip
    assert "m.ll: guessed" not in capsys.readouterr().err, "nothing is guessed"


FLOAT = """define amdgpu_kernel void @k(ptr addrspace(1) %p, float %f) {
  %sum = fadd float %f, 1.0
  store float %sum, ptr addrspace(1) %p
  ret void
}
"""


@pytest.mark.parametrize(("written", "read"), [("2", "2.0"), ("-0.5", "-0.5"), ("0x2", "0x00000002")])
def test_a_number_for_a_float_is_its_value(written: str, read: str) -> None:
    assert f"fadd float {read}, 1.0" in print_test(launched(f"k<<<1, 1>>>(p, {written})", FLOAT))


def test_one_kernel_twice_is_two() -> None:
    twice = launched("send<<<1, 1>>>(data, flag, 1); send<<<1, 1>>>(data, flag, 2); receive<<<1, 1>>>(data, flag)")
    assert [kernel.name for kernel in twice.kernels] == ["send", "send_2", "receive"]


def test_comments_say_a_launch_too(capsys: pytest.CaptureFixture[str]) -> None:
    module = "; axmem: launch send<<<1, 1>>>(data, flag, 42)\n; axmem: launch receive<<<1, 1>>>(data, flag)\n" + MODULE
    module += "; axmem: exists (receive.0.0.0:f=1 /\\ receive.0.0.0:d=42)\n"
    assert states(parse(module.replace("SCOPE", "agent"), "m.ll"))[-1] == "receive.0.0.0:f=1 receive.0.0.0:d=42"
    assert "guessed" not in capsys.readouterr().err


def test_what_is_guessed_is_said_first(capsys: pytest.CaptureFixture[str]) -> None:
    test = parse(MODULE.replace("SCOPE", "agent"), "m.ll")
    said = capsys.readouterr().err
    assert {k.launch for k in test.kernels if k.name == "receive"} == {Launch(lanes=2)}
    assert "m.ll: nothing says how @_Z4sendPiS_i is launched: 1 workgroup × 1 wave × 2 lanes" in said
    assert f"guessed of @{SEND}: %n: 0, 1 or 2: can lose outcomes" in said
    assert "which nothing else points to, and which holds 0 at first: can lose outcomes" in said


def test_what_a_launch_leaves_open_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    launched("send<<<1, 1>>>(data); receive<<<1, 1>>>(data, flag)")
    said = capsys.readouterr().err
    assert "nothing is said of %flag of 'send': memory called flag" in said
    assert "nothing is said of %n of 'send': 0, 1 or 2: can lose outcomes" in said


@pytest.mark.parametrize("arguments", ["", "a", "a, b", "v=1"])
def test_what_is_guessed_is_memory_like_what_is_said(arguments: str) -> None:
    """Names of parameters may be words of the comments, such as `in`."""
    kernel = """\
define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %v) {
  %r = load atomic i32, ptr addrspace(1) %in syncscope("agent") acquire, align 4
  store i32 %r, ptr addrspace(1) %out, align 4
  ret void
}
"""
    test = parse(kernel, "m.ll", f"{LAUNCH}k<<<1, 1>>>({arguments})")
    first, second = {"a": "a out", "a, b": "a b"}.get(arguments, "in out").split()
    assert {each.name for each in test.locations} == {first, second}


@pytest.mark.parametrize(("launch", "message"), [
    ("sned<<<1, 1>>>(data, flag, 1)", "did you mean 'send'?"),
    ("send(data, flag, 1)", "'send' is a kernel: how many lanes of it are there?"),
    ("send<<<1>>>(data)", "a launch is KERNEL<<<WORKGROUPS, LANES>>>(ARGUMENTS)"),
    ("send<<<1, 0>>>(data)", "a launch has at least one lane"),
    ("send<<<1, 100>>>(data)", "100 lanes are no whole number of waves of 64"),
    ("send<<<1, 1>>>(data, flag, 1, 2)", "'send' takes 3 arguments, not 4"),
    ("send<<<1, 1>>>(data, flag, m=1)", "'send' has no parameter 'm' that is not given before"),
    ("send<<<1, 1>>>(n=1, data)", "'data' stands behind an argument with a name"),
    ("send<<<1, 1>>>(1, flag, 1)", "'%data.coerce' of 'send' is the name of memory, or null"),
    ("send<<<1, 1>>>(data, flag, x)", "'%n' of 'send' is a number"),
    ("send<<<1, 1>>>(data, flag, 1.5)", "'%n' of 'send' is a whole number, or its bits"),
    ("send<<<1, 1>>>(data+1)", "'data+1' is no argument"),
])  # fmt: skip
def test_bad_launches_are_refused(launch: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        launched(launch)
    assert message in str(refused.value) and str(refused.value).startswith("--launch:1:1: error: ")


def test_a_litmus_test_has_its_launch_in_its_text() -> None:
    with pytest.raises(InputError, match="a launch is of functions of LLVM IR, C, C\\+\\+, HIP or OpenCL"):
        launched("send<<<1, 1>>>(x)", "litmus t\nglobal x = 0\nthread P0 { store 1, x }\nexists (x=1)\n")


def test_questions_about_work_items_are_answered_by_the_launch() -> None:
    (state,) = states(launched("k<<<2, 2>>>(p)", ITEMS + "; axmem: observe p\n"))
    values = [10 * local + 100 * 2 + 1000 * 2 + 10000 for local in (0, 1, 0, 1)]
    assert state.endswith("p={" + ",".join(map(str, values)) + "}")


@pytest.mark.parametrize(("mangled", "name"), [
    ("_Z4sendPiS_i", "send"), ("_Z12ticket_lock_Pj", "ticket_lock_"), ("main", "main"), ("_Zli5_kmy", "_Zli5_kmy"),
    ("_Z9ab", "_Z9ab"),
])  # fmt: skip
def test_names_of_the_source(mangled: str, name: str) -> None:
    assert source_name(mangled) == name


@pytest.mark.parametrize(("scope", "code"), [("agent", 0), ("workgroup", 1)])
def test_check_asks_what_a_program_does_not(
    scope: str, code: int, tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The control: a fence whose scope is too narrow is a race; in the right scope there is none."""
    waits = MODULE.replace("SCOPE", scope).replace("  %f = load", "  br label %w\nw:\n  %f = load").replace(
        '  fence syncscope("agent") acquire',
        '  %c = icmp eq i32 %f, 0\n  br i1 %c, label %w, label %e\ne:\n  fence syncscope("agent") acquire',
    )  # fmt: skip
    monkeypatch.chdir(str(tmp_path))
    with open("m.ll", "w", encoding="utf-8") as file:
        file.write(waits)
    assert main(["check", "m.ll", "--launch", "send<<<1,1>>>(data, flag, 1); receive<<<1,1>>>(data, flag)"]) == code
    said = capsys.readouterr().out
    assert said.startswith("m (send: 1 workgroup × 1 wave × 1 lane, receive: 1 workgroup × 1 wave × 1 lane)\n")
    assert ("data race by amdgpu: send.0.0.0's 'store 1, data' (line 3)" in said) == bool(code)
    assert "every sequentially consistent execution ends" in said


@pytest.mark.parametrize("form", ["github", "sarif"])
def test_formats_that_list_problems_list_these(
    form: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("m.ll", "w", encoding="utf-8") as file:
        file.write(MODULE.replace("SCOPE", "workgroup"))
    launch = "send<<<1,1>>>(data, flag, 1); receive<<<1,1>>>(data, flag)"
    assert main(["check", "m.ll", "--launch", launch, "--format", form]) == 1
    said = capsys.readouterr().out
    assert "data race by amdgpu" in said
    assert ("::error file=m.ll,line=3::" if form == "github" else '"startLine": 3') in said


def test_check_finds_what_does_not_end(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("m.ll", "w", encoding="utf-8") as file:
        file.write("""
define amdgpu_kernel void @k(ptr addrspace(1) %flag) {
  br label %w
w:
  %f = load atomic i32, ptr addrspace(1) %flag syncscope("agent") monotonic, align 4
  %c = icmp eq i32 %f, 0
  br i1 %c, label %w, label %e
e:
  store atomic i32 1, ptr addrspace(1) %flag syncscope("agent") monotonic, align 4
  ret void
}
""")
    assert main(["check", "m.ll", "--launch", "k<<<1, 2>>>(flag)"]) == 1
    assert "waiting, fair: an execution goes on for ever" in capsys.readouterr().out


def test_a_promise_that_is_not_judged_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    promised = MODULE.replace("SCOPE", "agent").replace("1) %data.coerce,", "1) noalias %data.coerce,")
    launched("send<<<1, 1>>>(data, flag, 1); receive<<<1, 1>>>(data, flag)", promised)
    assert f"m.ll: not judged of @{SEND}: that %data.coerce is noalias: can lose outcomes" in capsys.readouterr().err


WAVES = """
// axmem: launch k<<<1, 64>>>(out)
#include <hip/hip_runtime.h>
__global__ void k(unsigned long long *out) {
  unsigned long long odd = __ballot(threadIdx.x & 1);
  if (threadIdx.x % warpSize == 0) out[threadIdx.x / warpSize] = odd;
}
"""


@with_clang
@pytest.mark.parametrize("level", ["0", "2"])
@pytest.mark.parametrize(
    ("arch", "waves", "lanes"),
    [("gfx1100", 2, 32), ("gfx90a", 1, 64), ("gfx1100 -mwavefrontsize64", 1, 64), ("gfx1201", 2, 32)],
)
def test_waves_are_as_long_as_those_of_the_processor(
    arch: str, waves: int, lanes: int, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each wave's first lane has seen the odd ones of the lanes that there are in one."""
    monkeypatch.setenv(CLANG, f"{found_clang()} -O{level} --offload-arch={arch}")
    (kernel,) = (test := parse(WAVES, f"{arch}.{level}.hip")).kernels
    assert (kernel.launch.wavefronts, kernel.launch.lanes) == (waves, lanes)
    odd = sum(1 << lane for lane in range(1, lanes, 2))
    asked = replace(test, observe=(FinalValue("out"),), condition=Truth(value=True))
    (row,) = axmem.outcomes(asked, "amdgpu").outcomes
    assert list(row[0][:waves]) == [odd] * waves


def test_a_wave_has_no_more_lanes_than_the_processor() -> None:
    assert parse_launch("k<<<1, 64>>>", 32)[0].launch == Launch(1, 2, 32)
    assert parse_launch("k<<<1, 2x32>>>", 32)[0].launch == Launch(1, 2, 32)
    with pytest.raises(InputError, match="a wave has 32 lanes here, not 64"):
        parse_launch("k<<<1, 2x64>>>", 32)
    with pytest.raises(InputError, match="96 lanes are no whole number of waves of 64"):
        parse_launch("k<<<1, 96>>>")


FEW = """
define amdgpu_kernel void @k(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  call void @llvm.amdgcn.s.barrier()
  store i32 1, ptr addrspace(1) %p
  ret void
}
declare void @llvm.amdgcn.s.barrier()
!0 = !{i32 2, i32 1, i32 1}
"""


@pytest.mark.parametrize("whole", [False, True])
def test_a_guess_for_code_has_waves_as_hardware_has(whole: bool) -> None:
    """Code of a workgroup that fits into one wave has no barrier; a module may be run in two waves of it."""
    (kernel,) = ir.read(Source("k.ll", FEW), whole=whole).kernels
    assert kernel.launch == (Launch(1, 1, 2) if whole else Launch(1, 2, 1))
