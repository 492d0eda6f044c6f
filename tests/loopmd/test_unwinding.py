"""Loops with calls that may unwind, and `callbr` and `indirectbr`: as opt-22 has them, where it is there.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.formats.ir.alone import function_test
from axmem.front.source import Source
from axmem.litmus.kernels import Branch, Return, Switch
from tests.convergence.llvm import missing
from tests.drawn import some
from tests.loopmd.clang import Way
from tests.loopmd.folder import compared_module

CALLS = {
    "invoke": "%v = invoke i32 @f(i32 %i) to label %l unwind label %pad",
    "callbr": 'callbr void asm sideeffect "", "!i"() to label %l [label %o]',
    "call": "%v = call i32 @f(i32 %i)\n  br label %l",
}
MODULE = """
declare i32 @f(i32)
declare i32 @__gxx_personality_v0(...)
define void @k(ptr %a, i32 %n, ptr %t) personality ptr @__gxx_personality_v0 {
entry:
  BEGIN
h:
  %i = phi i32 [ 0, %entry ], [ %j, %l ]
  CALL
l:
  %p = getelementptr i32, ptr %a, i32 %i
  store i32 %i, ptr %p
  %j = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %j, COUNT
  br i1 %c, label %h, label %e, !llvm.loop !0
pad:
  %lp = landingpad { ptr, i32 } cleanup
  %x = extractvalue { ptr, i32 } %lp, 1
  store i32 %x, ptr %a
  resume { ptr, i32 } %lp
o:
  ret void
e:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{ATTRIBUTE}
"""
ATTRIBUTES = (
    '!"llvm.loop.unroll.count", i32 4', '!"llvm.loop.vectorize.enable", i1 true', '!"llvm.loop.unroll.full"',
    '!"llvm.loop.distribute.enable", i1 true', '!"llvm.loop.unroll.disable"',
)  # fmt: skip
BEGINS = ("br label %h", "indirectbr ptr %t, [label %d, label %o]\nd:\n  br label %h")
"""Of the second the loop has a block before it, which LLVM needs."""


def module(call: str, attribute: str, count: str = "%n", begin: str = BEGINS[0]) -> str:
    words = {"BEGIN": begin, "CALL": CALLS[call], "ATTRIBUTE": attribute, "COUNT": count}
    text = MODULE.replace("%entry ]", "%d ]") if "d:" in begin else MODULE
    for word, stands in words.items():
        text = text.replace(word, stands)
    return text


@pytest.mark.skipif(bool(missing()), reason=missing() or "there is all")
@pytest.mark.parametrize(("call", "attribute"), some([*product(CALLS, ATTRIBUTES)], of=7))
def test_loops_are_those_of_opt(call: str, attribute: str) -> None:
    compared = 0
    asked = [*product(("%n", "8"), BEGINS[:1], ("O2", "unroll,transform-warning"))]
    for count, begin, passes in (*asked, ("%n", BEGINS[1], "unroll,transform-warning")):
        way = Way("k.ll", "x86-64", "", passes)
        found = compared_module(way, module(call, attribute, count, begin), "k.ll", all_of_them=True)
        assert not found.unread and not found.explained
        assert not found.differences, f"{count} {begin} {passes}"
        compared += found.compared
    assert compared == len(asked) + 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (module("call", ATTRIBUTES[0], begin="indirectbr ptr %t, [label %h, label %o]"), "k.ll:6:3"),
        (module("call", ATTRIBUTES[0]).replace("br label %l", "indirectbr ptr %t, [label %l, label %o]"), "k.ll:10:3"),
    ],
)
def test_a_loop_of_blocks_whose_addresses_are_taken_is_refused(
    text: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.ll"
    path.write_text(text)
    assert main(["loopmd", str(path)]) == 2
    said = capsys.readouterr().err
    assert "into which it goes, is not followed" in said and place in said


def test_where_each_edge_goes() -> None:
    """Pads of other machines' exceptions go where they say, and what unwinds further leaves the function."""
    (kernel,) = function_test(Source("k.ll", PADS), "k").kernels
    branches = [s for s in kernel.body if isinstance(s, Branch | Switch | Return)]
    targets = [(*s.targets,) if isinstance(s, Branch) else type(s).__name__ for s in branches]
    assert targets == [("l", "d"), "Return", ("c",), ("l",)]


PADS = """
declare void @f()
declare i32 @__CxxFrameHandler3(...)
define void @k() personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @f() to label %l unwind label %d
l:
  ret void
d:
  %s = catchswitch within none [label %c] unwind to caller
c:
  %p = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %p to label %l
}
"""
