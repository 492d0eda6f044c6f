"""LoopIDs of transformed kernels: new ones have names of their own, and no promise comes to speak of another loop.

[CodeTransformationMetadata], "Loop metadata": the link between an old node and its loop is lost, the loop has a new
identity, and `llvm.mem.parallel_loop_access` refers to LoopIDs.
`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import axmem
from axmem.cli import main
from axmem.litmus.loop_printer import loop_ids
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest
from tests.drawn import WHOLE
from tests.transform.loopids import compared

NEST = """\
litmus nest
"Iterations of the inner loop are parallel in one iteration of the outer loop, and not over several."
global <8 x i32> a = 0
kernel K(i64 n = 3) {{
entry:
  br o
o:
  i = phi i64 [ 0, entry ], [ inext, ol ]
  br h
h:
  j = phi i64 [ 0, o ], [ jnext, h ]
  {place}
  v = load i32 a[k], {promise}
  w = v + 1
  store w, a[k], {promise}
  jnext = j + 1
  c = jnext < 3
  br c, h, ol, !llvm.loop !0
ol:
  inext = i + 1
  d = inext < 2
  br d, o, x, !llvm.loop !1
x:
  ret
}}
!0 = distinct !{{!0, !{{!"llvm.loop.{inner}"}}{group}}}
!1 = distinct !{{!1, !{{!"llvm.loop.{outer}, i32 2}}{more}}}
exists (a[2]=2)
"""
GROUP = ', !{!"llvm.loop.parallel_accesses", !2}'


def nest(place: str, promise: str, *, inner: str = "unroll.disable", outer: str = "unroll", more: str = "") -> str:
    """Return the text of a nest whose accesses go to the place `k` under a promise, and which count `outer` has."""
    group = GROUP if "group" in promise else ""
    text = NEST.format(place=place, promise=promise, inner=inner, outer=f'{outer}.count"', group=group, more=more)
    return text.replace("exists", "!2 = distinct !{}\nexists") if group else text


def transformed(folder: Path, text: str, capsys: pytest.CaptureFixture[str], *words: str) -> LitmusTest:
    """Return the test that the command prints."""
    path = folder / "t.litmus"
    path.write_text(text)
    assert main(["transform", str(path), *words]) == 0
    return parse(capsys.readouterr().out, "after")


ACCESS = "!llvm.mem.parallel_loop_access !0"
UNROLLED = ("--metadata", "--pipeline", "unroll-full,unroll")


def test_a_promise_about_a_loop_that_is_gone_is_of_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The inner loop is unrolled fully; its accesses name its LoopID, !0, which the outer loop must not get."""
    text = nest("k = j", ACCESS, inner="unroll.full")
    after = transformed(tmp_path, text, capsys, *UNROLLED)
    assert "0" not in {loop.name for loop in loop_ids(after)}
    assert axmem.outcomes(after, "llvm", promises=True).verdict == "always"


def test_a_new_loop_id_is_no_access_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """\
litmus grp
global <8 x i32> a = 0
kernel K() {
entry:
  br h
h:
  i = phi i64 [ 0, entry ], [ next, h ]
  store 1, a[i], !llvm.access.group !0
  next = i + 1
  more = next < 4
  br more, h, x, !llvm.loop !1
x:
  ret
}
!0 = distinct !{}
!1 = distinct !{!1, !{!"llvm.loop.unroll.count", i32 2}, !{!"llvm.loop.parallel_accesses", !0}}
exists (a[3]=1)
"""
    after = transformed(tmp_path, text, capsys, "--metadata", "--pipeline", "unroll")
    (made,) = loop_ids(after)
    assert made.name not in ("0", "1")
    assert [name for each in made.attributes for name in each.groups] == ["0"]


KERNEL = """\
kernel {name}() {{
entry:
  br h
h:
  i = phi i64 [ 0, entry ], [ next, h ]
  store {value}, a[i]
  next = i + 1
  more = next < 4
  br more, h, x, !llvm.loop !{loop}
x:
  ret
}}
"""


def test_another_kernel_keeps_its_loop_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernels = [KERNEL.format(name=name, value=value, loop=loop) for name, value, loop in (("K", 1, 1), ("L", 2, 0))]
    metadata = '!0 = distinct !{!0, !{!"llvm.loop.vectorize.enable", i1 true}}\n'
    metadata += '!1 = distinct !{!1, !{!"llvm.loop.unroll.count", i32 2}}\n'
    text = "".join(["litmus two\nglobal <8 x i32> a = 0\n", *kernels, metadata, "exists (a[1]=1)\n"])
    after = transformed(tmp_path, text, capsys, "--kernel", "K", "--metadata", "--pipeline", "unroll")
    own, other = loop_ids(after)
    assert [each.name for each in own.attributes] == ["llvm.loop.unroll.disable"]
    assert other.name == "0" and [each.name for each in other.attributes] == ["llvm.loop.vectorize.enable"]


TOGETHER = ["jam(o, 2)", "interchange(o, h)"]


@pytest.mark.parametrize("text", TOGETHER)
@pytest.mark.parametrize("promise", [ACCESS, "!llvm.access.group !2"])
def test_what_is_parallel_in_one_iteration_of_the_outer_loop_is_not_in_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, promise: str
) -> None:
    """Iteration j of i = 0 and iteration j + 1 of i = 1 store to one place: a[j - i + 2]."""
    before = nest("m = j - i\n  k = m + 2", promise, outer="unroll_and_jam")
    assert axmem.outcomes(parse(before), "llvm", promises=True).verdict == "always"
    after = transformed(tmp_path, before, capsys, "--apply", text)
    assert axmem.outcomes(after, "llvm", promises=True).verdict == "always"
    assert {loop.name for loop in loop_ids(after)} >= {"0"}


@pytest.mark.parametrize("text", TOGETHER)
def test_what_is_parallel_in_both_loops_stays_so(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    before = nest("m = 3 * i\n  k = m + j", "!llvm.access.group !2", outer="unroll_and_jam", more=GROUP)
    before = before.replace("a[2]=2", "a[2]=1").replace("<8 x i32>", "<16 x i32>")
    after = transformed(tmp_path, before, capsys, "--apply", text)
    assert str(after.kernels[0].body).count("Promises(groups=('2',)") >= 2
    assert axmem.outcomes(after, "llvm", promises=True).verdict == "always"


def test_random_kernels_with_promises() -> None:
    """`python -m tests.long.loopids` takes many more."""
    count = 32 if WHOLE else 8
    found = [compared(seed) for seed in range(3000, 3000 + count)]
    assert sum(len(each.done) for each in found) > count
    assert sum(each.compared for each in found) > count // 2
    assert [word for each in found for word in each.wrong] == []
