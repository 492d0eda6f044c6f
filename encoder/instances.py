"""What the registers of a kernel hold in each iteration of its loops.

What goes in: how instances are numbered (`Noting`). What comes out: for every execution of a block that assigns a
register what each lane then has in it (`Noted`). The walk over the kernel (`axmem.encoder.kernels`) writes it down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from axmem.encoder.values import ZERO, Expr
from axmem.litmus import syntax as ast

Lanes = tuple[Expr, ...]

ITERATION = "iteration of "
"""Before a header: the register, which no text has, of the number of the iteration of its loop, from 0."""


@dataclass(frozen=True, slots=True)
class Noted:
    """What a lane has in a register once a block has assigned it, in one iteration of the loops around the block.

    `own` is the name of the register, `register` and `iterations` are as the numbering says; these count from 0,
    outermost loop first. `values` are what the register holds, `there` the same where the lane comes to the block, and
    what was said to stand for it elsewhere.
    """

    lane: str
    own: str
    register: str
    iterations: tuple[int, ...]
    values: Lanes
    there: Lanes


@dataclass(frozen=True, slots=True)
class Numbering:
    """How the instances of a kernel's registers are numbered.

    By the iterations of the loops with `headers`, outer before inner. A register of `known` holds what another held
    before a change, in the iteration that expressions over registers number.
    """

    headers: Sequence[str] = ()
    known: Mapping[str, tuple[str, tuple[ast.Expr, ...]]] = field(default_factory=dict)


@dataclass(slots=True)
class Noting:
    """What is to be noted, by the names of kernels, and what was; `otherwise` stands for what is not reached."""

    kernels: Mapping[str, Numbering] = field(default_factory=dict)
    otherwise: Expr = ZERO
    noted: list[Noted] = field(default_factory=list)
