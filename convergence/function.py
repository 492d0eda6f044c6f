"""What the analyses of uniformity and of tokens see of a function in SSA form.

What goes in: blocks of instructions, each with the registers that it uses, made by `axmem.convergence.kernels` or by a
test. Invariant: every register is defined once, and its definition dominates its uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from axmem.convergence.graph import FlowGraph
from axmem.front.records import dataclass, field
from axmem.front.source import NOWHERE, Span


class Sort(Enum):
    """Where the uniformity of an instruction's result comes from."""

    OPERANDS = "operands"
    """It is divergent if an operand is."""
    DIVERGENT = "divergent"
    """Its lanes' results differ whatever the operands are, such as a lane's number."""
    UNIFORM = "uniform"
    """Converged lanes have the same result whatever the operands are, such as a ballot."""


@dataclass(frozen=True, slots=True)
class FlowIncoming:
    """What a phi takes from one predecessor: a register, a constant, or undef (both empty)."""

    block: str
    register: str = ""
    constant: str = ""


class ConvergenceRole(Enum):
    """What an instruction is to convergence control."""

    NONE = ""
    """It is not convergent, and takes and gives no token."""
    CALL = "call"
    """A call that may be convergent and may take a token."""
    ENTRY = "entry"
    ANCHOR = "anchor"
    LOOP = "loop"
    """These three define a token."""

    @property
    def defines(self) -> bool:
        """Whether it defines a token."""
        return self in (ConvergenceRole.ENTRY, ConvergenceRole.ANCHOR, ConvergenceRole.LOOP)


@dataclass(frozen=True, slots=True)
class Control:
    """What an instruction is to convergence control, the token that it takes, and whether it is convergent."""

    role: ConvergenceRole = ConvergenceRole.NONE
    token: str = ""
    convergent: bool = False


UNCONTROLLED = Control()


@dataclass(frozen=True, slots=True)
class FlowInstruction:
    """One instruction: what it defines (`""`: nothing), the registers that it uses, what a phi takes from where.

    Of an `opaque` one it is not known what its result depends on besides.
    """

    register: str
    uses: tuple[str, ...] = ()
    sort: Sort = Sort.OPERANDS
    incoming: tuple[FlowIncoming, ...] = ()
    control: Control = UNCONTROLLED
    opaque: bool = False
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class FlowBlock:
    """The instructions of a block in order, phis first, and the registers that its terminator decides by."""

    instructions: tuple[FlowInstruction, ...]
    condition: tuple[str, ...] = ()


class InstructionPlace(NamedTuple):
    """An instruction: its block, and its number in it, from 0."""

    block: str
    number: int


@dataclass(frozen=True, slots=True)
class FlowFunction:
    """A function: its graph, and what stands in each block."""

    graph: FlowGraph
    blocks: Mapping[str, FlowBlock]

    def instructions(self) -> Iterator[tuple[InstructionPlace, FlowInstruction]]:
        """Return the instructions of all blocks that the entry reaches."""
        for label in self.graph.successors:
            for number, instruction in enumerate(self.blocks[label].instructions):
                yield InstructionPlace(label, number), instruction
