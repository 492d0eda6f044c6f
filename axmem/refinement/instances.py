"""Registers of kernels, iteration by iteration, and of threads.

What goes in: a test. What comes out: `RegisterInstance`s: of single assignments a register, and in which iteration of
each loop around it, counted from 0, outermost first; and which registers of kernels receive something.
"""

from __future__ import annotations

from typing import NamedTuple

from axmem.litmus import syntax as ast
from axmem.litmus.walk import results, statements


class RegisterInstance(NamedTuple):
    """A register of a thread in one iteration of the loops around it."""

    thread: str
    register: str
    iterations: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """What the register is called where every instance has one of its own."""
        return "_".join((self.register, *map(str, self.iterations)))

    def stands_for(self, other: RegisterInstance) -> bool:
        """Whether it is another, or stands outside of a loop for every iteration of it."""
        same = self[:2] == other[:2]
        return same and other.iterations[: len(self.iterations)] == self.iterations


def kernel_of(lane: str, test: ast.LitmusTest) -> str:
    """Return the name of the kernel of a lane, or of the kernel that its parameters are of."""
    return lane if any(kernel.name == lane for kernel in test.kernels) else lane.rsplit(".", 3)[0]


def received(test: ast.LitmusTest) -> dict[str, frozenset[str]]:
    """Return by the names of kernels the registers that receive what memory or other lanes give."""
    giving = (ast.ReadingStatement, ast.Call)
    return {
        kernel.name: frozenset(r for s in statements(kernel.body) if isinstance(s, giving) for r in results(s))
        for kernel in test.kernels
    }
