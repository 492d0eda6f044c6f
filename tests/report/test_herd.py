"""herd's logs of kernels: every lane has a number, and a thread that has become a kernel its own."""

from __future__ import annotations

from axmem.check.judging import Question, report_of
from axmem.report.herd import Output

SPIN = """X86 MP+spin
{ x=0; y=0; }
 P0         | P1          ;
 MOV [x],$1 | L:          ;
 MOV [y],$1 | MOV EAX,[y] ;
            | CMP EAX,$1  ;
            | JNE L       ;
            | MOV EBX,[x] ;
forall (1:EAX=1 /\\ 1:EBX=1)
"""
LANES = """litmus Lanes
global x = 0
kernel K lanes 2 {
entry:
  r0 = atomicrmw add x, 1 syncscope("workgroup") monotonic
  ret void
}
forall (K.0.0.0:r0 != K.0.0.1:r0)
"""


def log(text: str, model: str) -> list[str]:
    report = report_of(Question("t.litmus", text, (model,)))
    assert not report.diagnostics and not report.lost
    return Output(models=1).report(report).splitlines()


def test_a_thread_with_a_loop_keeps_its_number() -> None:
    lines = log(SPIN, "tso")
    assert lines[:4] == ["Test MP+spin Required", "States 1", "1:EAX=1; 1:EBX=1;", "Ok"]


def test_lanes_have_numbers_and_names() -> None:
    lines = log(LANES, "llvm")
    assert "Threads 0=K.0.0.0 1=K.0.0.1" in lines
    assert {line for line in lines if line.startswith("0:")} == {"0:r0=0; 1:r0=1;", "0:r0=1; 1:r0=0;"}
