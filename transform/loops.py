"""The loops of a kernel: how they nest, what they count with.

What goes in: a control flow graph with single assignments (`axmem.litmus.ssa`). What comes out: its `Loop`s, each named
by the label of its header. A loop is a cycle with one entry and one latch; other cycles are `irregular`, with the
reason. Invariant: what is said holds in every execution; what is not known is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from axmem.convergence.cycles import ControlCycle, llvm_hierarchy
from axmem.convergence.graph import Dominators, FlowGraph, flow_graph, reverse_postorder
from axmem.convergence.kernels import function_of
from axmem.convergence.uniformity import sound
from axmem.front.records import dataclass
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.kernels import Branch, Phi
from axmem.litmus.loops import LoopID
from axmem.litmus.poison import unguarded
from axmem.litmus.registers import read
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import I32, Assign, Expr, IntegerOperation, Kernel, Register, Statement, Type
from axmem.litmus.walk import results
from axmem.transform.constants import constant, folded, number_of


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop: its blocks, entered at the `header`, which the `latch` alone of them goes back to.

    `exits` are the edges that leave it. The `preheader` is the one block before the header outside of the loop, if it
    goes nowhere else; `parent` the header of the loop around. `identity` is what the latch's branch says.
    """

    header: str
    latch: str
    blocks: frozenset[str]
    exits: tuple[tuple[str, str], ...]
    preheader: str | None
    parent: str | None
    identity: LoopID | None

    @property
    def exiting(self) -> tuple[str, ...]:
        """The blocks with an exit, in the order of the text."""
        return tuple(dict.fromkeys(source for source, _ in self.exits))


@dataclass(frozen=True, slots=True)
class Irregular:
    """A cycle that is no loop, and why."""

    header: str
    blocks: frozenset[str]
    reason: str


@dataclass(frozen=True, slots=True)
class Induction:
    """A register that is `start` in the first iteration and grows by `step` in each: the phi, and what follows it."""

    register: str
    type: Type
    start: Expr
    step: int
    after: str


@lru_cache(maxsize=64)
def loops(flow: ControlFlow) -> tuple[Loop, ...]:
    """Return the loops of a graph, outer before inner, in the order of the text."""
    return tuple(each for each in _cycles(flow) if isinstance(each, Loop))


def irregular(flow: ControlFlow) -> tuple[Irregular, ...]:
    """Return the cycles of a graph that are no loops, outer before inner."""
    return tuple(each for each in _cycles(flow) if isinstance(each, Irregular))


def _cycles(flow: ControlFlow) -> Iterator[Loop | Irregular]:
    graph = flow_graph(flow.successors)
    waiting: list[tuple[ControlCycle, str | None]] = [(c, None) for c in reversed(llvm_hierarchy(graph).cycles)]
    while waiting:
        cycle, parent = waiting.pop()
        found = _loop(flow, graph, cycle, parent)
        yield found
        inside = found.header if isinstance(found, Loop) else parent
        waiting += [(child, inside) for child in reversed(cycle.children)]


def _loop(flow: ControlFlow, graph: FlowGraph, cycle: ControlCycle, parent: str | None) -> Loop | Irregular:
    if not cycle.reducible:
        return Irregular(cycle.header, cycle.blocks, f"it is entered at {_listed(cycle.entries)}")
    before = [block for block in flow.predecessors[cycle.header] if block in graph.successors]
    latches = [block for block in before if block in cycle.blocks]
    if len(latches) != 1:
        return Irregular(cycle.header, cycle.blocks, f"{_listed(latches)} go back to its header")
    (latch,) = latches
    outside = [block for block in before if block not in cycle.blocks]
    alone = len(outside) == 1 and set(flow.successors[outside[0]]) == {cycle.header}
    edges = [(b.name, s) for b in flow.blocks if b.name in cycle.blocks for s in flow.successors[b.name]]
    exits = tuple(dict.fromkeys((source, target) for source, target in edges if target not in cycle.blocks))
    branch = flow.block[latch].terminator
    identity = branch.loop if isinstance(branch, Branch) else None
    preheader = outside[0] if alone else None
    return Loop(cycle.header, latch, cycle.blocks, exits, preheader, parent, identity)


def _listed(names: tuple[str, ...] | list[str]) -> str:
    *first, last = [f"'{name}'" for name in names]
    return f"{', '.join(first)} and {last}" if first else last


def nest(found: tuple[Loop, ...], loop: Loop) -> tuple[Loop, ...]:
    """Return the loops around a loop and the loop itself, outermost first."""
    by_header = {each.header: each for each in found}
    chain = [loop]
    while chain[0].parent is not None:
        chain.insert(0, by_header[chain[0].parent])
    return tuple(chain)


def around(found: tuple[Loop, ...], block: str) -> tuple[Loop, ...]:
    """Return the loops that a block is in, outermost first."""
    return tuple(loop for loop in found if block in loop.blocks)


def defined_in(flow: ControlFlow, loop: Loop) -> dict[str, tuple[str, Statement]]:
    """Return the registers that a loop assigns, each with its block and its statement or phi."""
    found: dict[str, tuple[str, Statement]] = {}
    for block in flow.blocks:
        if block.name in loop.blocks:
            for statement in (*block.phis, *block.statements):
                found |= dict.fromkeys(results(statement), (block.name, statement))
    return found


def is_invariant(expr: Expr, definitions: Mapping[str, object]) -> bool:
    """Whether an expression reads nothing of what a loop assigns (`defined_in`)."""
    return not any(register.name in definitions for register in read(expr))


def entering(flow: ControlFlow, loop: Loop, phi: Phi) -> Expr | None:
    """Return what a phi of the header takes where the loop is entered; None if that differs between ways in."""
    values = {folded(each.value, constants(flow).get) for each in phi.incoming if each.block != loop.latch}
    return next(iter(values)) if len(values) == 1 else None


@lru_cache(maxsize=64)
def constants(flow: ControlFlow) -> dict[str, Expr]:
    """Return the registers that are assigned what constants decide, as numbers."""
    found: dict[str, Expr] = {}
    for name in reverse_postorder(flow_graph(flow.successors)):
        for statement in flow.block[name].statements:
            if isinstance(statement, Assign) and (number := number_of(folded(statement.value, found.get))) is not None:
                found[statement.register] = constant(number, statement.value.type)
    return found


def around_again(loop: Loop, phi: Phi) -> Expr:
    """Return what a phi of the header takes from the latch."""
    return next(each.value for each in phi.incoming if each.block == loop.latch)


def induction(flow: ControlFlow, loop: Loop) -> tuple[Induction, ...]:
    """Return the registers that a loop counts with: phis of its header to which each iteration adds a constant."""
    assigns = {name: s for name, (_, s) in defined_in(flow, loop).items() if isinstance(s, Assign)}
    found = []
    for phi in flow.block[loop.header].phis:
        start, after = entering(flow, loop, phi), around_again(loop, phi)
        if start is None or phi.type is None or phi.type.lanes or phi.type.pointer is not None:
            continue
        step = difference(phi, after, assigns)
        if step and isinstance(after, Register):
            found.append(Induction(phi.register, phi.type, start, step, after.name))
    return tuple(found)


def difference(phi: Phi, after: Expr, assigns: Mapping[str, Assign]) -> int | None:
    """Return what an iteration adds to a phi, the number nearest to 0; None if that is not constant.

    Of what is truncated it is the number in those bits; what was extended before does not matter for them.
    """
    assert phi.type is not None
    total, bits = 0, (after.type or phi.type).bits
    while True:
        after = unguarded(after)
        match after:
            case Register(name=name) if name == phi.register:
                total %= 1 << bits
                return total - (1 << bits) if total >= 1 << (bits - 1) else total
            case IntegerOperation(name="trunc", operands=(inner,), type=type_):
                after, bits = inner, min(bits, (type_ or I32).bits)
            case IntegerOperation(name="zext" | "sext", operands=(inner,)) if bits <= (inner.type or I32).bits:
                after = inner
            case Register(name=name) if name in assigns:
                after = assigns[name].value
            case IntegerOperation(name="add", operands=(left, right)) if (number := number_of(right)) is not None:
                after, total = left, total + number
            case IntegerOperation(name="add", operands=(left, right)) if (number := number_of(left)) is not None:
                after, total = right, total + number
            case IntegerOperation(name="sub", operands=(left, right)) if (number := number_of(right)) is not None:
                after, total = left, total - number
            case _:
                return None


@lru_cache(maxsize=64)
def dominators(flow: ControlFlow) -> Dominators:
    """Return what dominates what in a graph."""
    return Dominators(flow_graph(flow.successors))


def divergent(kernel: Kernel) -> frozenset[str]:
    """Return the headers of the loops that lanes of a wave may leave in different iterations."""
    branches = sound(function_of(kernel)).branches
    found = loops(single_assignment(kernel))
    return frozenset(loop.header for loop in found if any(block in branches for block in loop.exiting))
