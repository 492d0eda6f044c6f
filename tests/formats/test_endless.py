"""Loops that nothing leaves, and in which nothing is accessed: they are kept, and so is what decides who comes there.

The control: the same function without the way back is one that ends.
"""

from __future__ import annotations

import re

import pytest

from axmem.check.progress.answers import progress
from axmem.check.progress.checkup import checkup
from axmem.check.progress.models import Progress, Verdict
from axmem.commands.pages.progress import checkup_lines
from axmem.formats.reading import parse
from axmem.litmus.syntax import LitmusTest

HEAD = """
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.sleep(i32)
define amdgpu_kernel void @k(ptr addrspace(1) %f) {
entry:
"""
ADDED = '%v = atomicrmw add ptr addrspace(1) %f, i32 1 syncscope("agent") monotonic, align 4\n'
SPIN = "call void @llvm.amdgcn.s.sleep(i32 1)\n"
SHAPES = {
    "guarded": f"""{ADDED} %c = icmp eq i32 %v, 1
 br i1 %c, label %w, label %e
w:
 {SPIN} br label %w
e:
 ret void
""",
    "in the middle": f"""{ADDED} %c = icmp eq i32 %v, 1
 br i1 %c, label %w, label %e
w:
 br label %x
x:
 {SPIN} br label %w
e:
 store atomic i32 0, ptr addrspace(1) %f syncscope("agent") release, align 4
 %u = atomicrmw add ptr addrspace(1) %f, i32 3 syncscope("agent") monotonic, align 4
 ret void
""",
    "two of them": f"""{ADDED} %c = icmp eq i32 %v, 1
 br i1 %c, label %w, label %m
w:
 br label %w
m:
 %d = icmp eq i32 %v, 2
 br i1 %d, label %x, label %e
x:
 br label %x
e:
 ret void
""",
    "in a switch": f"""{ADDED} switch i32 %v, label %e [ i32 1, label %w
 i32 5, label %x
 ]
w:
 br label %w
x:
 br label %x
e:
 ret void
""",
    "around a loop that ends": f"""{ADDED} %c = icmp eq i32 %v, 1
 br i1 %c, label %w, label %e
w:
 br label %i
i:
 %n = phi i32 [ 0, %w ], [ %n1, %i ]
 %n1 = add i32 %n, 1
 %d = icmp eq i32 %n1, 4
 br i1 %d, label %w, label %i
e:
 ret void
""",
    "behind a barrier": f"""{ADDED} call void @llvm.amdgcn.s.barrier()
 %c = icmp eq i32 %v, 1
 br i1 %c, label %w, label %e
w:
 {SPIN} br label %w
e:
 ret void
""",
    "in a loop": f"""br label %o
o:
 %n = phi i32 [ 0, %entry ], [ %n1, %l ]
 {ADDED} %c = icmp eq i32 %v, 3
 br i1 %c, label %w, label %l
w:
 br label %w
l:
 %n1 = add i32 %n, 1
 %d = icmp eq i32 %n1, 2
 br i1 %d, label %e, label %o
e:
 ret void
""",
    "of two entries": f"""{ADDED} switch i32 %v, label %e [ i32 1, label %w
 i32 2, label %x
 ]
w:
 br label %x
x:
 br label %w
e:
 ret void
""",
}


def launched(body: str, *, called: bool = False) -> LitmusTest:
    text = f"{HEAD}{body}}}\n"
    if called:
        text = text.replace("amdgpu_kernel void @k", "internal void @g") + (
            "define amdgpu_kernel void @k(ptr addrspace(1) %f) {\n call void @g(ptr addrspace(1) %f)\n ret void\n}\n"
        )
    return parse(text, "m.ll", "launch k<<<2, 1>>>(f)")


def fair(test: LitmusTest) -> Verdict:
    (answer,) = progress(test, [Progress.FAIR])
    return answer.verdict


@pytest.mark.parametrize("called", [False, True], ids=["kernel", "callee"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_lane_that_comes_to_an_endless_loop_does_not_end(shape: str, called: bool) -> None:
    test = launched(SHAPES[shape], called=called)
    assert fair(test) is Verdict.ENDLESS


@pytest.mark.parametrize("shape", SHAPES)
def test_where_no_lane_comes_there_every_execution_ends(shape: str) -> None:
    never = re.sub(r"(icmp eq i32 %v,|\[? i32) [1-5](?=\n|, label)", r"\1 77", SHAPES[shape], count=0)
    never = re.sub(r"\[ i32 77, label %w\n i32 77", "[ i32 77, label %w\n i32 78", never)
    assert never != SHAPES[shape]
    assert fair(launched(never)) is Verdict.ENDS


def test_a_kernel_that_does_nothing_for_ever_does_not_end() -> None:
    assert fair(launched("br label %w\nw:\n br label %w\n")) is Verdict.ENDLESS


def test_of_races_only_executions_that_end_are_spoken_of() -> None:
    """The control: where every execution ends, or is undefined, it is not said."""
    guarded = SHAPES["guarded"]
    divided = f"{ADDED} %d = udiv i32 7, %v\n store atomic i32 %d, ptr addrspace(1) %f monotonic, align 4\n ret void\n"
    for body, said in ((guarded, True), (guarded.replace("i32 %v, 1", "i32 %v, 77"), False), (divided, False)):
        test = launched(body)
        lines = "\n".join(checkup_lines(test, checkup(test)))
        assert ("races by amdgpu: none in executions that end, in 2 iterations of each loop" in lines) == said
