"""Loops of a kernel: where they begin, whether an iteration only waits, and what the next one takes from it.

What goes in: the lines of a kernel, and the states in which an execution came to the head of a loop. What comes out:
what the execution needs to know to leave iterations out, or to unroll them. As in `events.awaits`, iterations that
write nothing, and whose registers the next iteration sets anew before it reads them, add only order: the outcomes are
those of the executions whose last iteration is the only one. The machine has these, too: without the operations of
an earlier iteration whatever came of the others still can, since a cache may drop or write back a line at any time.
Here a register that iterations leave different is made unknown; whoever reads it shows that the loop does not only
wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from axmem.codegen.assembly.registers import CARRIED
from axmem.codegen.assembly.state import Entered, KernelState, KernelStep
from axmem.codegen.assembly.text import AssemblyKernel
from axmem.codegen.assembly.values import sliced
from axmem.codegen.instructions import InstructionKind
from axmem.events.graph import Guard
from axmem.events.values import Expr

PRIVATE = "byte of private memory "
"""What stands before the number of a byte among the names of registers."""


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


def together(before: Guard, path: Guard) -> bool:
    """Say whether a step is one of a path: what decided for it decided for the path, too."""
    return before == path[: len(before)]


def only_waits(steps: Iterable[KernelStep], state: KernelState, known: Callable[[Expr], int | None]) -> bool:
    """Say whether what a path did since leaves nothing behind: no store, no update that succeeded, no barrier."""
    for step in steps:
        if not together(step.guard, state.guard):
            continue
        if step.instruction.kind is InstructionKind.BARRIER:
            return False
        writes = [footprint for footprint in step.footprints if footprint.writes]
        if any(footprint.guard or footprint.when is None or known(footprint.when) != 0 for footprint in writes):
            return False
    return True


def made_unknown(state: KernelState, names: Iterable[str]) -> None:
    """Make registers and bytes of private memory unknown by a name that says why."""
    for name in sorted(names):
        value = state.registers.entry(f"{CARRIED}{name}")
        if name.startswith(PRIVATE):
            state.private[int(name.removeprefix(PRIVATE))] = sliced(value, 0, 8, state.registers.widths)
        else:
            state.registers.values[name] = value
