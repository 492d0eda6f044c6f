"""Random kernels compiled by LLVM 22 for this machine and run: what opt-22 makes of a loop, and what axmem makes of it.

What goes in: the number of a random kernel of one lane. What comes out: whether `opt-22` transformed a loop of it, its
LoopID asking for that, and what memory holds after `lli-22` has run the kernel, against the kernel executed step by
step. The kernel as `axmem kernel transform` makes it is run, too. Invariant: an empty answer says that all of it
agrees.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from random import Random

from axmem.codegen.ir_module import module
from axmem.litmus.blocks import KernelBlock, control_flow
from axmem.litmus.loops import LoopID, attribute, loop_id
from axmem.litmus.parser import parse
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import AddressOf, Kernel, LitmusTest, Number
from axmem.transform.applying import Refused, apply_all
from axmem.transform.chains import with_identity
from axmem.transform.loops import loops
from axmem.transform.rewrite import kernel_of, with_blocks
from tests.convergence.llvm import OPT
from tests.loopmd.llvm import run
from tests.transform.agreement import applications
from tests.transform.execution import executed
from tests.transform.programs import ARRAYS, SIZE, program

LLI = "lli-22"
COUNT = -1
"""Stands for a number of iterations."""
WANTED: dict[str, tuple[tuple[str, int | None], ...]] = {
    "unroll": (("llvm.loop.unroll.count", COUNT),),
    "unroll-full": (("llvm.loop.unroll.full", None),),
    "distribute": (("llvm.loop.distribute.enable", 1),),
    "vectorize": (("llvm.loop.vectorize.enable", 1), ("llvm.loop.vectorize.width", 4)),
    "unroll-and-jam": (("llvm.loop.unroll_and_jam.count", COUNT),),
}
"""What a LoopID says so that a pass transforms its loop."""


@dataclass(slots=True)
class Found:
    """What was compared: transformations that LLVM did, those of axmem, and what differs."""

    done: list[str] = field(default_factory=list)
    applied: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)


def missing() -> str:
    """Return what to say if a tool is not there, `""` if all are."""
    absent = [tool for tool in (OPT, LLI) if not shutil.which(tool)]
    return f"{' and '.join(absent)} not on the path: install the Debian package llvm-22" if absent else ""


def compared(seed: int) -> Found:
    """Compare what one kernel does, as it is and after transformations, LLVM's and axmem's."""
    random = Random(seed)
    test = parse(program(seed, plain=True), "k")
    (kernel,) = test.kernels
    found = Found()
    before = executed(test, kernel, control_flow(kernel))
    if before.fault:
        return found
    bases = [n + 1 << 16 for n in range(len(ARRAYS))]
    expected = [_word(before.memory, base + 4 * n) for base in bases for n in range(SIZE)]
    pass_ = random.choice(sorted(WANTED))
    after, said = run(
        host(module(replace(test, kernels=(asked(kernel, pass_, random.choice((2, 3, 4))),))).text), pass_, "x86-64"
    )
    found.done = said["K"].done if "K" in said else []
    if printed(after, test) != expected:
        found.differences.append(f"seed {seed}: {pass_} of {OPT}")
    texts = list(applications(kernel, random))
    for text in random.sample(texts, min(2, len(texts))):
        try:
            made = apply_all(kernel, text).kernel
        except Refused:
            continue
        found.applied.append(text.partition("(")[0])
        if printed(host(module(replace(test, kernels=(made,))).text), test) != expected:
            found.differences.append(f"seed {seed}: {text}")
    return found


def asked(kernel: Kernel, pass_: str, count: int) -> Kernel:
    """Return a kernel whose loops have LoopIDs that ask for a pass, where it counts iterations for so many."""
    flow = single_assignment(kernel)
    attributes = tuple(attribute(name, count if value == COUNT else value) for name, value in WANTED[pass_])
    changed: dict[str, KernelBlock | None] = {}
    for number, loop in enumerate(loops(flow)):
        identity: LoopID = loop_id(str(number), *attributes)
        changed[loop.latch] = with_identity(flow.block[loop.latch], identity)
    return kernel_of(with_blocks(flow, changed), kernel)


def host(text: str) -> str:
    """Return a module without what is AMDGPU's: its triple, the convention of kernels."""
    text = re.sub(r"^target triple = .*\n", "", text, flags=re.MULTILINE)
    return text.replace("amdgpu_kernel ", "").replace("protected ", "")


def printed(text: str, test: LitmusTest) -> list[int]:
    """Return what the arrays hold after a kernel has run on this machine."""
    done = subprocess.run([LLI, "-"], input=host(text) + _main(test), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return [int(line) for line in done.stdout.split()]


def _main(test: LitmusTest) -> str:
    """Return a main function that runs the kernel and prints the arrays."""
    arguments = []
    for parameter in test.kernels[0].parameters:
        value = parameter.values[0]
        if isinstance(value, AddressOf):
            arguments.append(f"ptr addrspace(1) @{value.location}")
        else:
            assert isinstance(value, Number)
            arguments.append(f"i32 {value.value}")
    lines = [f"  call void @K({', '.join(arguments)})"]
    for array in ARRAYS:
        for n in range(SIZE):
            lines.append(f"  %p.{array}.{n} = getelementptr i32, ptr addrspace(1) @{array}, i64 {n}")
            lines.append(f"  %v.{array}.{n} = load i32, ptr addrspace(1) %p.{array}.{n}")
            lines.append(f"  call i32 (ptr, ...) @printf(ptr @printed.form, i32 %v.{array}.{n})")
    declared = '\n@printed.form = private constant [4 x i8] c"%u\\0A\\00"\ndeclare i32 @printf(ptr, ...)\n'
    return "\n".join([declared, "define i32 @main() {", *lines, "  ret i32 0", "}", ""])


def _word(memory: dict[int, int], place: int) -> int:
    return sum(memory.get(place + n, 0) << 8 * n for n in range(4))
