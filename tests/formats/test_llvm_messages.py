"""Where a message of LLVM points to: what its parser and its verifier (22.1) said of small modules was written down."""

from __future__ import annotations

import pytest

from axmem.formats.ir.llvm import complaints, located
from axmem.front.source import Source

MODULE = """define i32 @f(i32 noalias %n, ptr %p) {
  %a = load i32, ptr %p, align 4, !range !0
  store atomic i24 1, ptr %p monotonic, align 4
  ret i32 %a
}
!0 = !{i64 3}
"""


@pytest.mark.parametrize(
    ("said", "line", "column", "message"),
    [
        (
            "LLVM IR parsing error\n<string>:2:12: error: atomic load cannot use Release ordering\n  %a\n      ^\n",
            2, 12, "atomic load cannot use Release ordering",
        ),
        (
            "Attribute 'noalias' applied to incompatible type!\nptr @f\n",
            1, 1, "Attribute 'noalias' applied to incompatible type!",
        ),
        ("Unfinished range!\n!0 = !{i64 3}\n", 6, 1, "Unfinished range!"),
        (
            "Ranges are only for loads, calls and invokes!\n  %a = load i32, ptr %p, align 4, !range !0\n",
            2, 3, "Ranges are only for loads, calls and invokes!",
        ),
        (
            "atomic memory access' operand must have a power-of-two size\n"
            " i24  store atomic i24 1, ptr %p monotonic, align 4\n",
            3, 3, "atomic memory access' operand must have a power-of-two size",
        ),
        ("Broken module\nptr @absent\n", 0, 0, "Broken module"),
    ],
)  # fmt: skip
def test_a_message_stands_at_what_it_shows(said: str, line: int, column: int, message: str) -> None:
    found = located(Source("f.ll", MODULE), said)
    assert (found.span.line, found.span.column, found.message) == (line, column, f"LLVM says: {message}")


HEAD = """; axmem: kernel @k(@x) workgroups 1
@x = addrspace(1) global i32 0
source_filename = "k.cl"
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}
"""


@pytest.mark.parametrize("above", ["", "@y = global i32 0\n"])
def test_what_llvm_wants_at_the_top_may_stand_below_variables(above: str) -> None:
    """Variables of a test are written above what clang wrote; LLVM's own parser takes that for an error."""
    pytest.importorskip("llvmlite")
    assert complaints(Source("k.ll", above + HEAD)) == []
    (found,) = complaints(Source("k.ll", above + HEAD.replace("store i32 1", "store i32 %v")))
    assert (found.span.line, found.span.column) == (6 + bool(above), 13)


def test_the_first_line_is_where_it_was() -> None:
    pytest.importorskip("llvmlite")
    text = HEAD.replace("; axmem: kernel @k(@x) workgroups 1", "@y = global i32 %v")
    (found,) = complaints(Source("k.ll", text))
    assert (found.span.line, found.span.column) == (1, 17)
