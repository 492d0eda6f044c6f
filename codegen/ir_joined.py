"""Threads of one workgroup as one kernel, which branches on the number of the wave.

What goes in: the threads of a `KernelLaunch`. What comes out: the lines of its function. Barriers stand between the
branches, as one writes them, so that LLVM knows that one wave reads after a barrier what another stored before it.
All threads come to every barrier, and none has one under a condition: other tests are no tests, or have no IR.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.codegen.ir_launches import KernelLaunch
from axmem.codegen.ir_statements import ThreadBody, unused
from axmem.litmus.syntax import Barrier, Statement, Thread


def joined(launch: KernelLaunch, bodies: Sequence[ThreadBody], wave: int) -> Iterator[str]:
    """Yield the lines of a kernel whose waves have so many lanes; each body has names of its own, and no line yet."""
    phases = _phases(launch.threads)
    word = unused("phase", {thread.name for thread in launch.threads}, prefix=True)
    yield "entry:"
    yield "  %item = call i32 @llvm.amdgcn.workitem.id.x()"
    yield f"  %number = lshr i32 %item, {wave.bit_length() - 1}"
    yield "  %wave = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %number)"
    for body in bodies:
        yield from body.taken()
    here = "entry"
    for number, phase in enumerate(phases):
        last = number == len(phases) - 1
        after = "none" if last else f"{word}{number + 1}"
        labels = [f"{word}{number}.{thread.name}" for thread in launch.threads]
        cases = " ".join(f"i32 {wave}, label %{label}" for wave, label in enumerate(labels))
        yield f"  switch i32 %wave, label %{after} [ {cases} ]"
        before = [dict(body.values.registers) for body in bodies]
        for body, label, part, found in zip(bodies, labels, phase, launch.results, strict=True):
            body.begin(label)
            if last:
                body.thread(part, found)
            else:
                body.block(part)
                body.values.emit(f"br label %{after}")
            yield from body.taken()
        yield f"{after}:"
        if not last:
            yield from _merged(bodies, before, here)
            yield "  call void @llvm.amdgcn.s.barrier()"
        here = after
    yield "  ret void"


def _phases(threads: tuple[Thread, ...]) -> list[list[tuple[Statement, ...]]]:
    """Return what each thread does between barriers, barrier by barrier."""
    return [list(phase) for phase in zip(*(_parts(thread) for thread in threads), strict=True)]


def _parts(thread: Thread) -> list[tuple[Statement, ...]]:
    parts: list[list[Statement]] = [[]]
    for statement in thread.body:
        if isinstance(statement, Barrier):
            parts.append([])
        else:
            parts[-1].append(statement)
    return [tuple(part) for part in parts]


def _merged(bodies: Sequence[ThreadBody], before: Sequence[dict[str, str]], switch: str) -> Iterator[str]:
    """Yield phis of what each thread's registers hold, which in the branches of others is what they held before."""
    ends = [body.current for body in bodies]
    for number, body in enumerate(bodies):
        own = (ends[number], body.values.registers)
        others = [(end, before[number]) for end in (switch, *ends) if end != ends[number]]
        body.merge([own, *others])
        yield from body.taken()
