"""What the sound rules call uniform across a wave or a workgroup, against the exact answer, for random kernels.

What goes in: a source of random numbers. What comes out: how many answers were compared; the first difference is an
assertion with the kernel. Kernels have two waves of two lanes beside a thread that writes what they load; they have no
loop and few statements, so that each question is answered in well under a second.
"""

from __future__ import annotations

from random import Random

from axmem.check.differing import DivergenceQuestion, askable, differing
from axmem.convergence.kernels import Threads, function_of
from axmem.convergence.uniformity import sound
from axmem.litmus.parser import parse
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import LitmusTest, Load

OPERATIONS = (
    "load atomic i32, ptr addrspace(1) @x monotonic, align 4",
    "call i32 @llvm.amdgcn.readfirstlane.i32(i32 {0})",
    "call i32 @llvm.amdgcn.readlane.i32(i32 {0}, i32 0)",
    "call i32 @llvm.amdgcn.wave.reduce.umax.i32(i32 {0}, i32 0)",
    "add i32 {0}, {1}",
    "xor i32 {0}, 1",
)
WEIGHTS = (2, 4, 1, 1, 2, 1)
BEGIN = {
    "tid": "call i32 @llvm.amdgcn.workitem.id.x()",
    "wave": "call i32 @llvm.amdgcn.wave.id()",
    "group": "call i32 @llvm.amdgcn.workgroup.id.x()",
}


def random_kernel(random: Random) -> LitmusTest:
    """Return a kernel whose lanes may part once and meet again, with at most one load on the way of a lane."""
    known = [*BEGIN]
    loads = 0

    def drawn(block: str, most: int) -> list[str]:
        nonlocal loads
        lines = []
        for number in range(random.randint(1, most)):
            pattern = random.choices(OPERATIONS, WEIGHTS)[0]
            if "load" in pattern:
                loads += 1
                pattern = pattern if loads == 1 else OPERATIONS[1]
            chosen = (f"%{random.choice(known)}" for _ in range(2))
            lines.append(f"  %{block}{number} = {pattern.format(*chosen)}")
            known.append(f"{block}{number}")
        return lines

    entry = [*(f"  %{name} = {call}" for name, call in BEGIN.items()), *drawn("e", 3)]
    asked = random.choice(known)
    kept = [*known]
    left = drawn("l", 1)
    phi = f"  %p = phi i32 [ %{random.choice(known)}, %left ], [ {random.choice((0, 1))}, %entry ]"
    known[:] = [*kept, "p"]
    branch = [f"  %c = icmp eq i32 %{asked}, 0", "  br i1 %c, label %left, label %join"]
    lines = [*entry, *branch, "left:", *left, "  br label %join", "join:", phi, *drawn("j", 2), "  ret void"]
    body = "\n".join(lines)
    writer = 'thread P @ workgroup 1 {\n  store atomic 1, x syncscope("agent") monotonic\n}'
    head = "kernel K() @ workgroup 0 wavefronts 2, lanes 2 {\nentry:"
    return parse(f"litmus across\nglobal x = 0\n{head}\n{body}\n}}\n{writer}\nexists (x=0)\n")


def compared(random: Random, count: int) -> int:
    """Hold the sound rules against the solver for so many kernels; return how many answers were compared."""
    return sum(_compared(random_kernel(random), threads) for _ in range(count) for threads in Threads)


def _compared(test: LitmusTest, threads: Threads) -> int:
    (kernel,) = test.kernels
    function = function_of(kernel, threads)
    said, known = sound(function), askable(kernel)
    uniform = {i.register: place.block for place, i in function.instructions() if place not in said.values}
    asked = [DivergenceQuestion(block, register, threads) for register, block in uniform.items() if register in known]
    asked += [DivergenceQuestion("entry", threads=threads)] * ("entry" not in said.branches)
    once = frozenset[str]()
    if threads is Threads.WAVE:  # Across a wave a load counts as one of all its lanes.
        once = _loads(test) & uniform.keys()
    asked = [each for each in asked if each.register not in once]
    for each in asked:
        found = differing(test, kernel, each, "sc", committed=once)
        assert found == (), (each, found, test)
    return len(asked)


def _loads(test: LitmusTest) -> frozenset[str]:
    (kernel,) = test.kernels
    statements = (s for block in single_assignment(kernel).blocks for s in block.statements)
    return frozenset(s.register for s in statements if isinstance(s, Load))
