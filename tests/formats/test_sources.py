"""Sources in C, C++, HIP and OpenCL: what clang makes of them, with one command, at every level of optimisation.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import axmem
from axmem.check.progress.answers import progress
from axmem.check.races import race
from axmem.check.selection import loaded
from axmem.cli import main
from axmem.formats.reading import parse
from axmem.formats.sources import found_clang
from axmem.front.settings import CLANG
from axmem.front.source import InputError
from axmem.litmus.kernels import Launch
from tests.drawn import in_full, some
from tests.sources.trial import Form, forms, options

FOUND = found_clang()
with_clang = pytest.mark.skipif(not FOUND, reason="there is no clang")
EVERY = [(form, level) for form in forms() for level in form.levels]


@with_clang
@pytest.mark.parametrize(("form", "level"), some(EVERY, of=57))
def test_one_command_answers(
    form: Form, level: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each source says which exit code `axmem check` has, and words of its answer; `make sources` asks them all.

    `make test` asks eight, at every level of optimisation: who steps by an odd number meets all of them.
    """
    if form.open:
        pytest.skip(f"open: {form.open}")
    monkeypatch.setenv(CLANG, options(form, level))
    code = main(["check", str(form.path)])
    said = capsys.readouterr().out
    assert code == form.code and form.words in said, said


@with_clang
def test_lines_are_those_of_the_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "@examples/handover.hip"]) == 1
    said = capsys.readouterr().out
    assert "produce.0.0.0's 'store 42, data' (line 6) and consume.0.0.0's '%1 = load data' (line 14)" in said


@with_clang
def test_what_clang_refuses_is_at_its_place() -> None:
    with pytest.raises(InputError) as refused:
        parse("#include <hip/hip_runtime.h>\n__global__ void k(int *p) {\n  *p = q;\n}\n", "k.hip")
    said = str(refused.value)
    assert said.startswith("k.hip:3:8: error: clang says: use of undeclared identifier 'q'\n    *p = q;\n")


@with_clang
def test_what_has_no_meaning_is_at_its_place_in_the_source() -> None:
    text = "#include <hip/hip_runtime.h>\n__global__ void k(int *p) {\n  asm volatile(\"s_nop 1\");\n"
    text += "  p[threadIdx.x] = 1;\n}\n"
    test = parse(text, "k.hip", "launch k<<<1, 2>>>(p)")
    assert [s.span.line for k in test.kernels for s in k.body if type(s).__name__ == "Store"] == [4]


@with_clang
def test_what_comments_of_a_source_ask_is_asked() -> None:
    text = "// axmem: launch k<<<1, 2>>>(p)\n// axmem: forall (p=2)\n#include <hip/hip_runtime.h>\n"
    text += "__global__ void k(int *p) { atomicAdd(p, 1); }\n"
    result = axmem.outcomes(parse(text, "k.hip"), "amdgpu")
    assert result.verdict == "always" and result.states()


@with_clang
@pytest.mark.parametrize(("waits", "launch"), [("barrier", "1, 2x1"), ("sub_group_barrier", "1, 1x2")])
@pytest.mark.parametrize(("flags", "through", "races"), [
    ("CLK_GLOBAL_MEM_FENCE", "global", False), ("CLK_LOCAL_MEM_FENCE", "global", True), ("0", "global", True),
    ("CLK_LOCAL_MEM_FENCE", "local", False), ("CLK_GLOBAL_MEM_FENCE", "local", True),
    ("CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE", "global", False),
    ("CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE", "local", False),
])  # fmt: skip
def test_barriers_order_the_memory_that_their_flags_name(
    flags: str, through: str, races: bool, waits: str, launch: str
) -> None:
    """Of what is in the other memory nothing is visible behind a barrier ([OpenCL], Work-group Functions)."""
    text = f"""// axmem: launch k<<<{launch}>>>(in, out)
__kernel void k(global int *in, global int *out) {{
  local int a;
  {through} int *x = {"&a" if through == "local" else "out + 1"};
  if (get_local_id(0) == 0) *x = *in;
  {waits}({flags});
  if (get_local_id(0) == 1) *out = *x;
}}
"""
    found = race(parse(text, "k.cl"), loaded("amdgpu"))
    assert (found.pair is not None) == races and not found.limits


@with_clang
@pytest.mark.parametrize(("flags", "races"), [("CLK_GLOBAL_MEM_FENCE", False), ("CLK_LOCAL_MEM_FENCE", True)])
def test_fences_order_the_memory_that_their_flags_name(flags: str, races: bool) -> None:
    text = f"""// axmem: launch give<<<1, 1>>>(x, f); take<<<1, 1>>>(x, f, y)
kernel void give(global int *x, global atomic_int *f) {{
  *x = 1;
  atomic_work_item_fence({flags}, memory_order_release, memory_scope_device);
  atomic_store_explicit(f, 1, memory_order_relaxed);
}}
kernel void take(global int *x, global atomic_int *f, global int *y) {{
  while (atomic_load_explicit(f, memory_order_relaxed) == 0) {{ }}
  atomic_work_item_fence({flags}, memory_order_acquire, memory_scope_device);
  *y = *x;
}}
"""
    found = race(parse(text, "k.cl"), loaded("amdgpu"))
    assert (found.pair is not None) == races and not found.limits


@with_clang
def test_without_a_barrier_that_lanes_share_they_race() -> None:
    text = "// axmem: launch k<<<1, 2x1>>>(x, y)\nkernel void k(global int *x, global int *y) {\n"
    text += "  if (get_local_id(0) == 0) *x = 1;\n  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);\n"
    text += "  if (get_local_id(0) == 1) *y = *x;\n}\n"
    assert race(parse(text, "k.cl"), loaded("amdgpu")).pair is not None


def test_without_clang_the_command_to_run_elsewhere_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv(CLANG, raising=False)
    with pytest.raises(InputError) as refused:
        parse("kernel void k(global int *p) { *p = 1; }\n", "k.cl")
    said = str(refused.value)
    assert "this is a program in OpenCL, and no clang is found to compile it" in said
    assert "clang -O2 -S -emit-llvm" in said and "-x cl" in said and said.endswith("k.cl -o - > kernel.ll")


def test_a_clang_that_is_named_and_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CLANG, "no-such-clang -O1")
    with pytest.raises(InputError, match=r"AXMEM_CLANG.*cannot run this"):
        parse("void f(void) {}\n", "f.c")


def test_herds_c_tests_are_no_sources() -> None:
    text = "C mp\n{}\nP0 (atomic_int *x) { atomic_store(x, 1); }\nexists (x=1)\n"
    assert parse(text, "mp.c").name == "mp"


GRID = """// a barrier of a grid, after Xiao and Feng (2010)
__kernel void k(global atomic_uint *flag, global uint *in, global uint *out) {
  in[get_global_id(0)] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    atomic_store_explicit(flag + get_group_id(0), 1, ORDER);
    while (!atomic_load_explicit(flag + 1 - get_group_id(0), memory_order_acquire)) { }
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = in[(get_global_id(0) + get_local_size(0)) % get_global_size(0)];
}
"""
SPLIT = """__kernel void k(global int *x, global int *y) {
  if (get_global_id(0) == 0) *x = 1; else *y = *x;
}
"""
LANES = """__kernel void k(global atomic_int *l, global int *n) {
  while (atomic_exchange_explicit(l, 1, memory_order_acquire)) { }
  *n += 1;
  atomic_store_explicit(l, 0, memory_order_release);
}
"""


@with_clang
@pytest.mark.parametrize(("text", "code", "words"), [
    (GRID.replace("ORDER", "memory_order_release"), 0, ["2 workgroups × 2 waves × 1 lane", "none in 2 iterations"]),
    (GRID.replace("ORDER", "memory_order_relaxed"), 1, ["2 workgroups × 2 waves × 1 lane", "data race by amdgpu: k."]),
    (SPLIT, 1, ["(k: 2 workgroups × 1 wave × 1 lane)", "data race by amdgpu: k.0.0.0's"]),
    pytest.param(
        LANES, 1, ["(k: 2 workgroups × 1 wave × 2 lanes)", "waiting, wave: an execution goes on for ever"],
        marks=in_full,
    ),
])  # fmt: skip
def test_a_launch_that_is_guessed_has_single_lanes_first(
    text: str, code: int, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What single lanes show is the answer if it is a fault; lanes of a wave are asked else."""
    path = tmp_path / "k.cl"
    path.write_text(text, encoding="utf-8")
    assert main(["check", str(path)]) == code
    said = capsys.readouterr().out
    assert all(each in said for each in words), said
    assert said.count("(k: ") == 1


@with_clang
@pytest.mark.parametrize("launch", ["<<<>>>", "k<<<>>>(q)", "<<<1, 1>>>"])
def test_a_launch_of_nothing_is_none(launch: str) -> None:
    with pytest.raises(InputError, match="a launch is KERNEL<<<WORKGROUPS, LANES>>>"):
        parse("kernel void k(global int *q) {\n  q[get_local_id(0)] = 1;\n}\n", "k.cl", f"launch {launch}")


@with_clang
def test_writes_that_race_where_nobody_reads_are_said_with_their_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is not known of the function is said with its line of the source."""
    path = tmp_path / "k.cl"
    path.write_text("void other(int);\nkernel void k(global int *q) {\n  other(1);\n  q[get_local_id(0)] = 1;\n}\n")
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr()
    assert "none where the program reads" in said.out
    assert "writes that race, so that who reads there afterwards reads undef: k.0.0.0's" in said.out
    assert said.out.count("(line 4)") == 2 and "call of @other (line 3)" in said.err
    assert main(["check", str(path), "--format", "github"]) == 0
    assert "::warning file=" in capsys.readouterr().out


@in_full
@with_clang
def test_what_single_lanes_show_stands_before_what_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    minute = lambda test, models, seconds: progress(test, models, 60)  # noqa: E731
    monkeypatch.setattr("axmem.check.progress.checkup.progress", minute)
    path = tmp_path / "k.cl"
    path.write_text(LANES, encoding="utf-8")
    assert main(["check", str(path)]) == 3
    said = capsys.readouterr().out
    assert said.index("(k: 2 workgroups × 1 wave × 1 lane)") < said.index("(k: 2 workgroups × 1 wave × 2 lanes)")


@with_clang
@pytest.mark.parametrize(("command", "words"), [
    ("uniform", "_Z1kPi: a kernel as it stands"),
    ("conv", "_Z1kPi"),
    ("loopmd", "_Z1kPi"),
    ("lower --target gfx942", "global_atomic_add"),
    ("extract", "kernel k()"),
    ("run --outcomes", "p=4"),
    ("fmt", "kernel k() workgroups 2, lanes 2"),
])  # fmt: skip
def test_every_command_reads_sources(
    command: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "#include <hip/hip_runtime.h>\n__global__ void k(int *p) { atomicAdd(p, 1); }\n// axmem: observe p\n"
    Path("plain.hip").write_text(text, encoding="utf-8")
    assert main([*command.split(), "plain.hip"]) == 0
    assert words in capsys.readouterr().out


HIP = """// axmem: launch k<<<1, 2>>>(a, w, i)
// axmem: forall (CONDITION)
#include <hip/hip_runtime.h>
__global__ void k(unsigned *a, unsigned long long *w, int *i) {
  unsigned t = threadIdx.x;
  LINE;
}
"""
USES = [
    ("atomicAdd(&a[0], 1)", "a={2,…}"),
    ("if (t == 0) a[1] = atomicInc(&a[0], gridDim.x) + atomicInc(&a[0], 1)", "a={0,1,…}"),
    ("if (t == 0) { a[0] = 1; a[1] = atomicDec(&a[0], 3); a[2] = atomicDec(&a[0], 3); }", "a={3,1,0}"),
    ("if (t == 0) { atomicAdd(&w[0], 1); atomicMax(&i[0], 3u); a[0] = i[0]; a[1] = atomicCAS(a, 3, 1); }", "a={1,3}"),
    ("if (t == 0) { a[0] = __clz(i[0]) + __clzll(w[0]); a[1] = __brev(2); a[2] = __ldg(&a[0]) + 1; }",
     "a={96,1073741824,97}"),
    ("if (t == 0) { a[0] = max(t, 3) + min(i[0], 4); a[1] = __umulhi(1u << 31, 6); a[2] = abs(*i - 5); }", "a={3,3,5}"),
    ("dim3 d(7, 2); if (t == 0) { a[0] = d.x + d.z; int2 p = make_int2(4, 5); a[1] = p.x * p.y; }", "a={8,20}"),
    ("a[t] = __syncthreads_count(t == 0) + 4 * __syncthreads_or(t == 1) + 8 * __syncthreads_and(t == 1)", "a={5,5}"),
    ("a[t] = __shfl(5ull + t, 1 - t) >> 1", "a={3,2}"),
    ('printf("%d", t); a[t] = __float_as_uint(1.0f) >> 23', "a={127,127}"),
]  # fmt: skip


@with_clang
@pytest.mark.parametrize(("line", "values"), some(USES, of=2))
@pytest.mark.parametrize("wrong", [False, True])
def test_what_hip_has_is_what_it_says(line: str, values: str, wrong: bool) -> None:
    numbers = [int(each) for each in values.removesuffix(",…}").strip("a={}").split(",")]
    numbers[0] += wrong
    condition = " /\\ ".join(f"a[{k}]={number}" for k, number in enumerate(numbers))
    test = parse(HIP.replace("LINE", line).replace("CONDITION", condition), "k.hip")
    assert axmem.outcomes(test, "amdgpu").verdict == ("never" if wrong else "always")


SUB_GROUPS = """// axmem: launch k<<<1, 2>>>(out, in)
// axmem: init @in = {4, 9}
// axmem: forall (out[0]=WANTED)
kernel void k(global int *out, global const int *in) {
  int t = get_local_id(0), v = in[t], r = LINE;
  if (t == 0) out[0] = r;
}
"""


@with_clang
@pytest.mark.parametrize("level", ["0", "2"])
@pytest.mark.parametrize(("line", "wanted"), [
    ("sub_group_reduce_add(v)", 13), ("sub_group_reduce_min(v - 5)", -1), ("sub_group_reduce_max((uint)v)", 9),
    ("sub_group_any(t == 1)", 1), ("sub_group_all(t == 1)", 0), ("sub_group_broadcast(v, 1)", 9),
])  # fmt: skip
def test_sub_groups_of_opencl_are_waves(line: str, wanted: int, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: another number is none that the first lane has."""
    monkeypatch.setenv(CLANG, f"{found_clang()} -O{level}")
    for number, verdict in ((wanted, "always"), (wanted + 1, "never")):
        test = parse(SUB_GROUPS.replace("LINE", line).replace("WANTED", str(number)), "k.cl")
        assert axmem.outcomes(test, "amdgpu").verdict == verdict


@with_clang
def test_workgroups_that_have_one_lane_are_launched_so() -> None:
    text = "#include <hip/hip_runtime.h>\n__global__ __launch_bounds__(LANES) void k(int *p) { p[blockIdx.x]++; }\n"
    found = {lanes: parse(text.replace("LANES", lanes), "k.hip").kernels[0].launch for lanes in ("1", "64")}
    assert found == {"1": Launch(workgroups=2), "64": Launch(workgroups=2, lanes=2)}


@with_clang
@pytest.mark.parametrize(("index", "lanes"), [("blockIdx.x", 1), ("threadIdx.x", 2), ("blockIdx.x + __lane_id()", 2)])
def test_a_kernel_that_only_workgroups_have_numbers_in_has_one_lane_of_each(index: str, lanes: int) -> None:
    text = f"#include <hip/hip_runtime.h>\n__global__ void k(int *p) {{ p[{index}]++; }}\n"
    assert parse(text, "k.hip").kernels[0].launch == Launch(workgroups=2, lanes=lanes)


CHOSEN = """#include <hip/hip_runtime.h>
struct Buffer { int length; int data[2]; };
__global__ void write(Buffer *a, Buffer *b, int *side) { Buffer *there = *side ? a : b; there->data[1] = 1; }
__global__ void read(Buffer *a, int *out) { *out = a->length; }
// axmem: launch write<<<1, 1>>>(a, b, side); read<<<1, 1>>>(a, out)
"""


@with_clang
@pytest.mark.parametrize("level", "02")
def test_memory_that_a_chosen_pointer_leads_to_is_as_large_as_it_is_accessed(
    level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CLANG, f"{found_clang()} -O{level}")
    test = parse(CHOSEN, "k.hip")
    assert {each.name: each.type.size for each in test.locations if each.type is not None and each.name != "side"} == {
        "a": 12, "b": 12
    }  # fmt: skip
