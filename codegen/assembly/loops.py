"""Loops of a kernel: where they begin, whether an iteration changes anything, and what the next one takes from it.

What goes in: the lines of a kernel, and the states in which an execution came to the head of a loop. What comes out:
what the execution needs to know to leave iterations out, or to unroll them. An iteration that leaves memory as it
was, and the registers that the next one reads, adds only order: it is left out, and another follows in its place. The
machine has these executions, too: without the operations of an iteration whatever came of the others still can, since
a cache may drop or write back a line at any time. An update that writes what it has read changes nothing if it does
so where all see it, once; `machine.silence` says whether. Here a register that iterations leave different is made
unknown; whoever reads it shows that it is to stay as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from axmem.codegen.assembly.registers import CARRIED
from axmem.codegen.assembly.state import Entered, KernelState, KernelStep
from axmem.codegen.assembly.text import AssemblyKernel, AssemblyLine
from axmem.codegen.assembly.values import computed, sliced
from axmem.codegen.instructions import InstructionKind
from axmem.codegen.machine.program import LoopArrival, together
from axmem.events.values import UNDEF, Constant, Expr, ReadOf, apply
from axmem.front.records import dataclass, field

Name = TypeVar("Name")
PRIVATE = "byte of private memory "
"""What stands before the number of a byte among the names of registers."""


@dataclass(slots=True)
class LoopTrial:
    """What is known of a loop: registers that iterations leave different, and which of them are read, so that an
    iteration counts that changes them."""

    different: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)

    @property
    def unknown(self) -> set[str]:
        """The registers that are made unknown where an iteration begins."""
        return self.different - self.read


class LoopAgain(Exception):
    """Another iteration of the loop at `header` begins, and leaves these registers different."""

    def __init__(self, header: int, registers: frozenset[str]) -> None:
        super().__init__(header)
        self.header = header
        self.registers = registers


def headers(kernel: AssemblyKernel) -> frozenset[int]:
    """Return the indices of lines to which a branch goes back."""
    return frozenset(
        kernel.labels[line.target]
        for index, line in enumerate(kernel.lines)
        if line.target in kernel.labels and kernel.labels[line.target] <= index
    )


def differing(before: Entered, state: KernelState) -> frozenset[str]:
    """Return the registers, and bytes of private memory, that do not hold what they held at the last time."""
    registers = state.registers
    names = before.values.keys() | registers.values.keys()
    found = {n for n in names if before.values.get(n, registers.entry(n)) != registers.named(n)}
    bytes_ = before.private.keys() | state.private.keys()
    return frozenset(found | {f"{PRIVATE}{k}" for k in bytes_ if before.private.get(k) != state.private.get(k)})


def silent(steps: Iterable[KernelStep], state: KernelState, known: Callable[[Expr], int | None]) -> Expr | None:
    """Return whether what a path did since leaves memory as it was: its updates have failed, or written what they read.

    None if it stores, or meets a barrier.
    """
    whole: Expr = Constant(1)
    for step in steps:
        if not together(step.guard, state.guard):
            continue
        if step.instruction.kind is InstructionKind.BARRIER:
            return None
        for footprint in step.footprints:
            when = None if footprint.when is None else known(footprint.when)
            if not footprint.writes or when == 0:
                continue
            if footprint.guard or step.action != "rmw":
                return None
            read = dict(footprint.reads)
            same = conjunction(_equal(ReadOf(read[cell]), value) for cell, value in footprint.writes)
            if footprint.when is not None and when is None:
                same = apply("or", 1, computed("eq", 1, footprint.when, Constant(0)), same)
            whole = conjunction((whole, same))
    return whole


def updating(step: KernelStep, known: Callable[[Expr], int | None]) -> bool:
    """Say whether a step may write."""
    return any(f.writes and (f.when is None or known(f.when) != 0) for f in step.footprints)


def unchanged(before: Entered, state: KernelState, names: Iterable[str]) -> Expr:
    """Return whether registers, and bytes of private memory, hold what they held at the last time."""
    registers = state.registers
    found = []
    for name in sorted(names):
        if name.startswith(PRIVATE):
            byte = int(name.removeprefix(PRIVATE))
            old, new = (each.get(byte, Constant(UNDEF)) for each in (before.private, state.private))
        else:
            old, new = before.values.get(name, registers.entry(name)), registers.named(name)
        found.append(_equal(old, new))
    return conjunction(found)


def _equal(one: Expr, other: Expr) -> Expr:
    return Constant(1) if one == other else computed("eq", 1, one, other)


def conjunction(truths: Iterable[Expr]) -> Expr:
    """Return whether all of some truth values hold."""
    whole: Expr = Constant(1)
    for truth in truths:
        whole = truth if whole == Constant(1) else computed("and", 1, whole, truth)
    return whole


def made_unknown(state: KernelState, names: Iterable[str]) -> None:
    """Make registers and bytes of private memory unknown by a name that says why."""
    for name in sorted(names):
        value = state.registers.entry(f"{CARRIED}{name}")
        if name.startswith(PRIVATE):
            state.private[int(name.removeprefix(PRIVATE))] = sliced(value, 0, 8, state.registers.widths)
        else:
            state.registers.values[name] = value


def arrivals(
    found: Sequence[tuple[int, Entered]], lines: Sequence[AssemblyLine], stream: int, bound: int
) -> Iterator[LoopArrival]:
    """Yield where a stream comes to heads of loops, with what is not the same each time; `bound` iterations of a loop
    are followed."""
    by_head: dict[int, list[Entered]] = {}
    for index, entered in found:
        by_head.setdefault(index, []).append(entered)
    for index, some in by_head.items():
        registers = _several([each.values for each in some])
        private = _several([each.private for each in some])
        for each in some:
            live = (*(each.values.get(name) for name in registers), *(each.private.get(byte) for byte in private))
            more = each.count < bound
            yield LoopArrival(stream, lines[index].span, each.count, each.steps, each.guard, live, more)


def _several(some: Sequence[Mapping[Name, Expr]]) -> list[Name]:
    """Return the names that have not the same value everywhere."""
    names = dict.fromkeys(name for each in some for name in each)
    return [name for name in names if any(each.get(name) != some[0].get(name) for each in some)]
