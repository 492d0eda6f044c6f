"""Where an execution of code is, and what it has done so far.

What comes out of the instructions of a kernel (`accesses`, `executing`), and goes to what follows its control (`trace`)
and to the program of the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from axmem.codegen.assembly.places import BytePlace
from axmem.codegen.assembly.registers import Registers
from axmem.codegen.assembly.symbols import ProgramCounter
from axmem.codegen.assembly.text import AssemblyLine
from axmem.codegen.instructions import EmittedInstruction
from axmem.codegen.machine.program import Decision
from axmem.events.graph import Guard
from axmem.events.values import Expr
from axmem.front.records import dataclass, field
from axmem.litmus.syntax import AddressOf, Number, PassedStructure


@dataclass(frozen=True, slots=True)
class PlaceFootprint:
    """What an access does in one place: reads and writes as (cell, read) and (cell, value), under a further guard.

    `when` decides whether a compare-and-swap writes.
    """

    place: BytePlace
    reads: tuple[tuple[int, int], ...]
    writes: tuple[tuple[int, Expr], ...]
    guard: Guard = ()
    when: Expr | None = None


@dataclass(frozen=True, slots=True)
class KernelStep:
    """One instruction that the machine has to know, under its guard.

    `action` and `memory` are those of `AddressAccess`; without footprints the access is to memory that no other
    thread sees. `counted` is false of all but the first access of an instruction that makes several, and the first of
    several lanes' accesses to one place `decides` whose each is.
    """

    instruction: EmittedInstruction
    line: AssemblyLine
    guard: Guard
    action: str = ""
    memory: str = ""
    footprints: tuple[PlaceFootprint, ...] = ()
    result: bool = False
    counted: bool = True
    decides: Decision | None = None


@dataclass(frozen=True, slots=True)
class Entered:
    """The last time that a path came to the head of a loop: what there was, and how many steps it had made.

    `count` says how often it came there.
    """

    values: Mapping[str, Expr]
    private: Mapping[int, Expr]
    guard: Guard
    steps: int
    count: int


@dataclass(slots=True)
class KernelState:
    """Where an execution is: registers, what lies in private memory and in the result buffer, byte for byte."""

    registers: Registers
    guard: Guard = ()
    private: dict[int, Expr] = field(default_factory=dict)
    out: dict[int, Expr] = field(default_factory=dict)
    facts: dict[Expr, int] = field(default_factory=dict)
    program: ProgramCounter = field(default_factory=ProgramCounter)
    executed: int = 0
    entered: dict[int, Entered] = field(default_factory=dict)
    arrived: bool = False
    """It is at the head of a loop that has just been noted in `entered`."""

    def fork(self, guard: Guard, condition: Expr, value: int) -> KernelState:
        """Return the state in which a branch has gone one way."""
        return KernelState(
            registers=self.registers.copy(),
            guard=guard,
            private=dict(self.private),
            out=dict(self.out),
            facts={**self.facts, condition: value},
            program=self.program.copy(),
            executed=self.executed,
            entered=dict(self.entered),
        )


class PathEnded(Exception):
    """A path goes on as nobody follows it."""


LANE_SHIFT = 34
"""Private memory of one lane lies so many bits apart from that of the next."""
Given: TypeAlias = AddressOf | Number | PassedStructure
"""A constant that a call gives a function."""
Results: TypeAlias = Mapping[int, Expr]
"""The bytes of the result buffer that a kernel wrote."""
