"""What the registers of a kernel hold in each iteration of its loops, and who takes part in its convergent operations.

What goes in: how instances are numbered (`Noting`). What comes out: for every execution of a block that assigns a
register what each lane then has in it (`Noted`), and for every convergent operation the lanes of a wave that may
execute it together (`Called`). The walk over the kernel (`axmem.events.kernels`) has it written down node by node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from axmem.events.building import EventBuilder
from axmem.events.cross_lane import CrossLane
from axmem.events.expressions import Expressions
from axmem.events.paths import LaneState
from axmem.events.values import ZERO, Constant, Expr
from axmem.front.records import dataclass, field, replace
from axmem.litmus import syntax as ast
from axmem.litmus.blocks import KernelBlock
from axmem.litmus.kernels import SIGNATURES, ConvergenceToken
from axmem.litmus.launch import lanes
from axmem.litmus.loops import ITERATION
from axmem.litmus.walk import results, statements

Lanes = tuple[Expr, ...]


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


Member = tuple[str, tuple[int, ...]]
"""A lane, and which iterations it is in."""


@dataclass(frozen=True, slots=True)
class Called:
    """Lanes of a wave that come to a convergent operation together, and which statement it is in which iterations.

    `origin` is the block and number of the statement, as the numbering says, or the register that it assigns. Unless
    the class is `certain`, what is read decides which of the members come. One that an anchor controls may be `divided`
    in any way.
    """

    operation: str
    origin: tuple[str, int]
    members: frozenset[Member]
    certain: bool
    divided: bool = False


@dataclass(frozen=True, slots=True)
class Numbering:
    """How the instances of a kernel's registers and statements are numbered.

    By the iterations of the loops with `headers`, outer before inner. A register of `known` holds what another held
    before a change, in the iteration that expressions over registers number; so with statements without a result, by
    their place in the body of the kernel.
    """

    headers: Sequence[str] = ()
    known: Mapping[str, tuple[str, tuple[ast.Expr, ...]]] = field(default_factory=dict)
    statements: Mapping[int, tuple[tuple[str, int], tuple[ast.Expr, ...]]] = field(default_factory=dict)


@dataclass(slots=True)
class Noting:
    """What is to be noted, by the names of kernels, and what was; `otherwise` stands for what is not reached."""

    kernels: Mapping[str, Numbering] = field(default_factory=dict)
    otherwise: Expr = ZERO
    noted: list[Noted] = field(default_factory=list)
    called: list[Called] = field(default_factory=list)


class Noter:
    """Writes down the instances of one kernel."""

    def __init__(
        self, kernel: ast.Kernel, noting: Noting, builder: EventBuilder, memory: list[Expressions], cross: CrossLane
    ) -> None:
        self.lanes = lanes(kernel)
        self.noting = noting
        self.numbering = noting.kernels.get(kernel.name, Numbering())
        self.anchored = _anchored(kernel)
        self.builder = builder
        self.memory = memory
        self.cross = cross

    def note(self, at: Mapping[int, LaneState], block: KernelBlock, counts: Mapping[str, int]) -> None:
        """Note what a block does to the registers of the lanes that are `at` it; `counts` numbers the iterations."""
        numbering, builder = self.numbering, self.builder
        own = tuple(counts[header] for header in numbering.headers if header in counts)
        extra: dict[str, Lanes] = {f"{ITERATION}{header}": (Constant(n),) for header, n in counts.items()}
        states = {n: replace(lane.state, registers=lane.state.registers | extra) for n, lane in at.items()}

        def numbers(number: int, said: Sequence[ast.Expr]) -> tuple[int, ...]:
            builder.expressions = self.memory[number]
            return tuple(_number(builder, builder.scalar(e, states[number]), e) for e in said)

        for number, lane in at.items():
            for register in (r for s in (*block.phis, *block.statements) for r in results(s)):
                name, where = register, own
                if register in numbering.known:
                    name, said = numbering.known[register]
                    where = numbers(number, said)
                held = lane.state.registers[register]
                there = tuple(self.cross.if_here(number, lane, value, self.noting.otherwise) for value in held)
                self.noting.noted.append(Noted(self.lanes[number].name, register, name, where, held, there))
        for index, statement in enumerate(block.statements):
            if not isinstance(statement, ast.Call) or statement.operation not in SIGNATURES:
                continue
            origin, exprs = (block.name, index), None
            path = block.paths[len(block.phis) + index] if block.paths else ()
            if statement.register:
                origin = (statement.register, -1)
                if statement.register in numbering.known:
                    name, exprs = numbering.known[statement.register]
                    origin = (name, -1)
            elif len(path) == 1 and path[0] in numbering.statements:
                origin, exprs = numbering.statements[path[0]]
            for wave in self.cross.waves(len(self.lanes)):
                here = [n for n in wave if n in at]
                members = frozenset((self.lanes[n].name, own if exprs is None else numbers(n, exprs)) for n in here)
                certain = all(not at[n].state.guard for n in here)
                if here:
                    divided = statement.token in self.anchored
                    self.noting.called.append(Called(statement.operation, origin, members, certain, divided))


def _anchored(kernel: ast.Kernel) -> frozenset[str]:
    """Return the tokens of a kernel that come from an anchor, by way of hearts of loops as well."""
    tokens = [s for s in statements(kernel.body) if isinstance(s, ConvergenceToken)]
    found = {t.register for t in tokens if t.kind == "anchor"}
    while more := {t.register for t in tokens if t.token in found} - found:
        found |= more
    return frozenset(found)


def _number(builder: EventBuilder, value: Expr, expr: ast.Expr) -> int:
    """Return the number of an iteration."""
    if not isinstance(value, Constant) or not isinstance(value.value, int):
        builder.fail(expr.span, "which iteration this is does not follow from constants")
        raise AssertionError
    return value.value
