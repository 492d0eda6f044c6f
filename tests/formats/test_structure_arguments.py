"""Structures that kernels take by value: each field is an argument, and memory that holds them is a variable for each.

The expected results are computed by hand from the source. The trial: clang's unoptimized code, which copies the
structure, has those of its optimized code.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import axmem
from axmem.cli import main
from axmem.formats.ir.fields import with_fields
from axmem.formats.ir.parser import ModuleParser
from axmem.formats.ir.pieces import in_pieces
from axmem.formats.reading import parse
from axmem.formats.sources import found_clang
from axmem.front.settings import CLANG
from axmem.front.source import InputError, Source
from axmem.litmus.syntax import AddressOf, Number, PassedStructure
from tests.formats.test_sources import with_clang

NESTED = r"""
#include <hip/hip_runtime.h>
// axmem: launch k<<<1, 1>>>(out, {1, {data, 2, {3, 4}}, {data, null}, -5, {6, 7}}, 9)
// axmem: init @data = {10, 20, 30}
// axmem: exists (out[0]=7555321 /\ out[1]=1020 /\ out[2]=89)
struct Inner { int *p; short s; char c[2]; };
struct Outer { char n; Inner in; int *two[2]; long long l; int2 v; };
__global__ void k(long long *out, Outer a, int i) {
  a.in.c[1] += 1;
  out[0] = a.n + 10 * a.in.s + 100 * a.in.c[0] + 1000 * a.in.c[1] + 10000 * a.l + a.v.x * 100000 + a.v.y * 1000000;
  out[1] = a.in.p[1] + (a.two[1] == nullptr) * 1000;
  Outer b = a;
  b.in.s = 77;
  out[2] = b.in.s + a.in.s + *b.two[0];
}
"""
"""1 + 20 + 300 + 5000 - 50000 + 600000 + 7000000; 20 + 1000; 77 + 2 + 10."""
INDEXED = r"""
// axmem: launch k<<<1, 2>>>(out, {{1, 20}, 3})
// axmem: exists (out[0]=4 /\ out[1]=23)
struct S { int a[2]; uchar b; };
kernel void k(global int *out, struct S s) { int i = get_local_id(0); out[i] = s.a[i] + s.b; }
"""
EITHER = r"""
#include <hip/hip_runtime.h>
// axmem: launch k<<<1, 1>>>(out, {{1, 20, 515}, {1, 7, 515, 2}})
// axmem: exists (out[0]=7 /\ out[1]=2 /\ out[2]=3 /\ out[3]=515)
template <typename T> union Either { struct { char c; T i; } s; char b[8]; };
struct S { struct { char c; int i; short s; } t; Either<int> e; };
__global__ void k(int *out, S s) { out[0] = s.e.b[1]; out[1] = s.e.s.i; out[2] = s.e.b[2]; out[3] = s.t.s; }
"""
MODULE = """
%T = type { ptr, i32 }
define amdgpu_kernel void @k(ptr addrspace(4) byref(%T) align 8 %0, ptr addrspace(1) %q) {
  %p = load ptr, ptr addrspace(4) %0, align 8
  %at = getelementptr i8, ptr addrspace(4) %0, i64 8
  %n = load i32, ptr addrspace(4) %at, align 8
  store atomic i32 %n, ptr %p syncscope("agent") monotonic, align 4
  ret void
}
"""


def level(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CLANG, f"{found_clang()} -O{number}")


@with_clang
@pytest.mark.parametrize("number", ["0", "2"])
@pytest.mark.parametrize(("name", "text"), [("nested.hip", NESTED), ("indexed.cl", INDEXED), ("either.hip", EITHER)])
def test_fields_have_what_the_launch_gives(name: str, text: str, number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: with another number for a field the same outcome is impossible."""
    level(number, monkeypatch)
    assert axmem.outcomes(parse(text, name), "amdgpu").verdict == "always"
    other = text.replace("{3, 4}", "{3, 5}").replace("{1, 20}", "{1, 21}").replace("{1, 7,", "{1, 8,")
    assert axmem.outcomes(parse(other, name), "amdgpu").verdict == "never"


@with_clang
@pytest.mark.parametrize("number", ["0", "2"])
def test_machine_code_reads_fields_where_they_are(
    number: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The control: assembly of the kernel that stores another field has an outcome that is not permitted."""
    level(number, monkeypatch)
    source = tmp_path / "nested.hip"
    source.write_text(NESTED)
    kept = tmp_path / "nested.s"
    assert main(["verify", str(source), "--target", "gfx942", "--keep", str(kept)]) == 0
    assert "1 test: 1 sound" in capsys.readouterr().out
    source.write_text(NESTED.replace("+ a.in.s +", "+ a.n +"))
    assert main(["verify", str(source), "--target", "gfx942", "--asm", str(kept)]) == 1
    assert "out+16 = 89" in capsys.readouterr().out


def test_a_call_passes_fields_at_their_bytes() -> None:
    (kernel,) = parse(MODULE, "m.ll", "launch k<<<2, 1>>>({m, 7}, m)").kernels
    # A structure of one number or pointer is passed as that.
    assert parse(MODULE, "m.ll", "launch k<<<2, 1>>>({m, 7}, {m})").kernels == (kernel,)
    passed, other = kernel.arguments
    assert passed == PassedStructure(((0, 8, AddressOf("m")), (8, 4, Number(7))))
    assert other == AddressOf("m")


def test_an_unknown_structure_is_fields_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    test = parse(MODULE, "m.ll")
    assert [location.name for location in test.locations] == ["arg0_0"]
    assert [parameter.name for parameter in test.kernels[0].parameters] == ["arg0_1"]
    assert "%arg0_0: a location of its own" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("m, m", "'%0' of 'k' is a structure of 2 numbers and pointers"),
        ("{m}, m", "'%0' of 'k' is a structure of 2 numbers and pointers"),
        ("{m, 7, 8}, m", "'%0' of 'k' is a structure of 2 numbers and pointers"),
        ("{7, m}, m", "'%arg0_0' of 'k' is the name of memory, or null"),
        ("{m, 7, m", "braces that are opened are closed"),
        ("{m, 7}, m, m", "'k' takes 2 arguments, not 3"),
        ("{m, 7}, {m, 7}", "'%q' of 'k' is the name of memory, or null"),
    ],
)
def test_other_arguments_are_refused(given: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(MODULE, "m.ll", f"launch k<<<2, 1>>>({given})")
    assert raised.value.diagnostics[0].message == message


COPIED = """
declare void @llvm.memcpy.p5.p5.i64(ptr addrspace(5), ptr addrspace(5), i64, i1)
declare void @llvm.memset.p5.i64(ptr addrspace(5), i8, i64, i1)
declare void @use(ptr addrspace(5))
define void @f(ptr %p, i64 %i) {
  %a = alloca { i32, [2 x i32] }, addrspace(5)
  %b = alloca { i32, [2 x i32] }, addrspace(5)
  %a1 = getelementptr { i32, [2 x i32] }, ptr addrspace(5) %a, i32 0, i32 1, i32 1
  store i32 1, ptr addrspace(5) %a1
  MORE
  %b1 = getelementptr i8, ptr addrspace(5) %b, i64 8
  %v = load i32, ptr addrspace(5) %b1
  store i32 %v, ptr %p
  ret void
}
"""
FILL = "call void @llvm.memset.p5.i64(ptr addrspace(5) %a, i8 0, i64 12, i1 false)"
COPY = "call void @llvm.memcpy.p5.p5.i64(ptr addrspace(5) %b, ptr addrspace(5) %a, i64 12, i1 false)"


@pytest.mark.parametrize(
    ("more", "split"),
    [
        (COPY, ["a", "b"]),
        (COPY.replace("i1 false", "i1 true"), []),
        (COPY.replace("i64 12", "i64 %i"), []),
        (COPY.replace("i64 12", "i64 10"), ["a", "b"]),
        (f"store ptr %p, ptr addrspace(5) %a\n{COPY}", ["a", "b"]),
        (f"store ptr %p, ptr addrspace(5) %a\n{COPY.replace('i64 12', 'i64 6')}", ["b"]),
        (f"store ptr %p, ptr addrspace(5) %a\n{FILL}", ["a", "b"]),
        (f"store ptr %p, ptr addrspace(5) %a\n{FILL.replace('i8 0', 'i8 1')}", ["b"]),
        ("store i64 2, ptr addrspace(5) %a\n store i32 0, ptr addrspace(5) %a", ["a", "b"]),
        ("store ptr %p, ptr addrspace(5) %a\n store i32 0, ptr addrspace(5) %a", ["b"]),
        ("store i20 2, ptr addrspace(5) %a\n store i8 0, ptr addrspace(5) %a", ["b"]),
        ("call void @use(ptr addrspace(5) %a)", ["b"]),
        (f"%c = getelementptr i32, ptr addrspace(5) %a, i64 %i\n store i32 2, ptr addrspace(5) %c\n{COPY}", ["b"]),
        ("store i64 2, ptr addrspace(5) %a\n store i32 0, ptr addrspace(5) %b", ["a", "b"]),
        ("store i64 2, ptr addrspace(5) %a1", ["b"]),
        ("%h = getelementptr i8, ptr addrspace(5) %a, i64 6\n store i32 2, ptr addrspace(5) %h", ["a", "b"]),
        ("store atomic i32 2, ptr addrspace(5) %a monotonic, align 4", ["b"]),
    ],
)
def test_memory_is_split_where_what_is_accessed_is_known(more: str, split: list[str]) -> None:
    """Nothing is split at unknown distances, by volatile copies, through pointers, or if its address goes elsewhere."""
    module = with_fields(ModuleParser(Source("m.ll", COPIED.replace("MORE", more))).module())
    before = module.functions["f"]
    names = [i.result for b in in_pieces(before).blocks for i in b.instructions if i.operation == "alloca"]
    assert sorted({name.split(".")[0] for name in names if "." in name}) == split
    assert (in_pieces(before) is before) == (not split)


UNION = """
// axmem: launch f(x, out)
// axmem: exists (out[0]=4294967303 /\\ out[1]=0x1122334455667788)
typedef unsigned long ulong;
ulong x[2] = {4294967298, 0x1122334455667788}, out[2];
typedef struct { union { ulong whole; unsigned half[2]; } u; union { struct { char c; int i; } s; char b[8]; } v; } S;
void f(ulong *x, ulong *out) {
  S s;
  __builtin_memcpy(&s, x, sizeof s);
  s.u.half[0] = 7;
  __builtin_memcpy(out, &s, sizeof s);
}
"""


@with_clang
@pytest.mark.parametrize("number", ["0", "2"])
def test_bytes_of_which_only_others_are_accessed_are_copied(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other half of a union, and what is padding in one of its members alone."""
    level(number, monkeypatch)
    assert axmem.outcomes(parse(UNION, "u.c"), "amdgpu").verdict == "always"


GUARDED = """
#include <hip/hip_runtime.h>
// axmem: launch add<<<2, 1>>>(state, count)
struct Guard {
  int *state;
  __device__ explicit Guard(int *s) : state(s) {
    while (__hip_atomic_exchange(state, 1, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) {}
  }
  __device__ ~Guard() { __hip_atomic_store(state, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SCOPE); }
};
template <typename F> __device__ void guarded(int *state, F f) { Guard guard(state); f(); }
__global__ void add(int *state, int *count) { guarded(state, [=] { *count += 1; }); }
"""


@with_clang
@pytest.mark.parametrize(("scope", "code"), [("AGENT", 0), ("WORKGROUP", 1)])
def test_objects_that_methods_get_by_pointers_are_values_without_optimization(
    scope: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the same lock, released too narrowly, lets accesses race."""
    level("0", monkeypatch)
    text = GUARDED.replace("SCOPE_SCOPE", f"SCOPE_{scope}")
    (kernel,) = parse(text, "k.hip").kernels
    assert not kernel.memory
    source = tmp_path / "k.hip"
    source.write_text(text)
    assert main(["check", str(source)]) == code
