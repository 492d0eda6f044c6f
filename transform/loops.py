"""The loops of a kernel: how they nest, how often their bodies are executed, what they count with.

What goes in: a control flow graph with single assignments (`axmem.litmus.ssa`). What comes out: its `Loop`s, each named
by the label of its header. A loop is a cycle with one entry and one latch; other cycles are `irregular`, with the
reason. Invariant: what is said of trip counts holds in every execution; what is not known is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from axmem.convergence.cycles import Cycle, llvm_hierarchy
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
from axmem.litmus.syntax import I1, Assign, Expr, Kernel, Number, Operation, Register, Statement, Type
from axmem.litmus.walk import results
from axmem.transform.constants import constant, folded, number_of, operation

LIMIT = 1024
"""How many iterations are computed to find a trip count for which there is no formula."""


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


@dataclass(frozen=True, slots=True)
class Trips:
    """How often a loop with one exit goes back to its header.

    `exit` is the block that decides; `rotated` says that it is the latch. `taken` is the number of times as an
    expression over what stands before the loop, None if there is no formula; `count` the number, if it is constant.
    """

    exit: str
    rotated: bool
    taken: Expr | None
    count: int | None


@lru_cache(maxsize=64)
def loops(flow: ControlFlow) -> tuple[Loop, ...]:
    """Return the loops of a graph, outer before inner, in the order of the text."""
    return tuple(each for each in _cycles(flow) if isinstance(each, Loop))


def irregular(flow: ControlFlow) -> tuple[Irregular, ...]:
    """Return the cycles of a graph that are no loops, outer before inner."""
    return tuple(each for each in _cycles(flow) if isinstance(each, Irregular))


def _cycles(flow: ControlFlow) -> Iterator[Loop | Irregular]:
    graph = flow_graph(flow.successors)
    waiting: list[tuple[Cycle, str | None]] = [(c, None) for c in reversed(llvm_hierarchy(graph).cycles)]
    while waiting:
        cycle, parent = waiting.pop()
        found = _loop(flow, graph, cycle, parent)
        yield found
        inside = found.header if isinstance(found, Loop) else parent
        waiting += [(child, inside) for child in reversed(cycle.children)]


def _loop(flow: ControlFlow, graph: FlowGraph, cycle: Cycle, parent: str | None) -> Loop | Irregular:
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
        step = _difference(phi, after, assigns)
        if step and isinstance(after, Register):
            found.append(Induction(phi.register, phi.type, start, step, after.name))
    return tuple(found)


def _difference(phi: Phi, after: Expr, assigns: Mapping[str, Assign]) -> int | None:
    """Return what an iteration adds to a phi, the number nearest to 0; None if that is not constant."""
    assert phi.type is not None
    total, modulus = 0, 1 << phi.type.bits
    while True:
        after = unguarded(after)
        match after:
            case Register(name=name) if name == phi.register:
                total %= modulus
                return total - modulus if total >= modulus // 2 else total
            case Register(name=name) if name in assigns:
                after = assigns[name].value
            case Operation(name="add", operands=(left, right)) if (number := number_of(right)) is not None:
                after, total = left, total + number
            case Operation(name="add", operands=(left, right)) if (number := number_of(left)) is not None:
                after, total = right, total + number
            case Operation(name="sub", operands=(left, right)) if (number := number_of(right)) is not None:
                after, total = left, total - number
            case _:
                return None


@lru_cache(maxsize=64)
def dominators(flow: ControlFlow) -> Dominators:
    """Return what dominates what in a graph."""
    return Dominators(flow_graph(flow.successors))


@lru_cache(maxsize=256)
def trips(flow: ControlFlow, loop: Loop) -> Trips | None:
    """Return how often a loop goes back to its header; None if it has several exits, or one not met every time."""
    if len(loop.exiting) != 1 or not isinstance(branch := flow.block[loop.exiting[0]].terminator, Branch):
        return None
    (exit_,) = loop.exiting
    inner = [each for each in loops(flow) if each.blocks < loop.blocks and exit_ in each.blocks]
    if branch.condition is None or inner:
        return None
    if not dominators(flow).dominates(exit_, loop.latch):
        return None
    taken = _formula(flow, loop, exit_)
    taken = None if taken is None else folded(taken, constants(flow).get)
    count = number_of(taken) if taken is not None else _computed(flow, loop, exit_)
    if taken is None and count is not None:
        taken = constant(count)
    return Trips(exit_, exit_ == loop.latch, taken, count)


def trip_count(flow: ControlFlow, loop: Loop) -> int | None:
    """Return how often the latch of a loop is executed per entry, if that is a constant.

    In a loop with the test in its latch that is how often its header is executed, in one with the test in its header
    (`while`, `for`) one less.
    """
    found = trips(flow, loop)
    return None if found is None or found.count is None else found.count + found.rotated


def going_on(flow: ControlFlow, loop: Loop, block: str) -> Expr | None:
    """Return the condition under which a block with an exit stays in the loop."""
    branch = flow.block[block].terminator
    if not isinstance(branch, Branch) or branch.condition is None:
        return None
    if branch.targets[0] in loop.blocks:
        return branch.condition
    return Operation("xor", (branch.condition, Number(1, I1)), I1)


NEGATED = {"eq": "ne", "ne": "eq", "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt"}
NEGATED |= {"slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt"}
SWAPPED = {"eq": "eq", "ne": "ne", "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule"}
SWAPPED |= {"slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle"}


def _formula(flow: ControlFlow, loop: Loop, exit_: str) -> Expr | None:
    """Return how often a loop that counts by one goes back, from the comparison of its counter with a limit.

    The loop goes on while `counter < limit` (counting up) or `counter > limit` (down): limit - first times, or never if
    the first value fails. While `counter != limit` it is the difference in any case, wrapped as the counter wraps.
    """
    definitions = defined_in(flow, loop)
    compared = _comparison(flow, loop, exit_, definitions)
    if compared is None:
        return None
    name, counter, limit = compared
    for each in induction(flow, loop):
        at = _offset(each, counter, definitions)
        if at is None or abs(each.step) != 1:
            continue
        first = operation("add", each.start, at)
        rising = each.step == 1
        distance = operation("sub", limit, first) if rising else operation("sub", first, limit)
        if name == "ne":
            return distance
        if name in (("ult", "slt") if rising else ("ugt", "sgt")):
            goes = operation(name, first, limit)
            return folded(Operation("select", (goes, distance, constant(0, each.type)), each.type))
    return None


def _comparison(
    flow: ControlFlow, loop: Loop, exit_: str, definitions: Mapping[str, tuple[str, Statement]]
) -> tuple[str, Register, Expr] | None:
    """Return the comparison under which a loop goes on: its name, a register of the loop, a limit that is not."""
    branch = flow.block[exit_].terminator
    assert isinstance(branch, Branch)
    condition = branch.condition
    while isinstance(condition, Register) and condition.name in definitions:
        _, statement = definitions[condition.name]
        condition = unguarded(statement.value) if isinstance(statement, Assign) else None
    if not isinstance(condition, Operation) or condition.name not in NEGATED:
        return None
    name = condition.name if branch.targets[0] in loop.blocks else NEGATED[condition.name]
    left, right = condition.operands
    if is_invariant(left, definitions):
        name, left, right = SWAPPED[name], right, left
    if not isinstance(left, Register) or not is_invariant(right, definitions):
        return None
    return name, left, right


def _offset(each: Induction, counter: Register, definitions: Mapping[str, tuple[str, Statement]]) -> int | None:
    """Return what a register of an iteration is beyond the induction register; None if that is not constant."""
    assigns = {name: s for name, (_, s) in definitions.items() if isinstance(s, Assign)}
    return _difference(Phi(each.register, each.type, ()), counter, assigns)


def _computed(flow: ControlFlow, loop: Loop, exit_: str) -> int | None:
    """Return how often a loop goes back that starts from constants, by computing what it decides."""
    assigns = {name: s.value for name, (_, s) in defined_in(flow, loop).items() if isinstance(s, Assign)}
    phis = flow.block[loop.header].phis
    condition = going_on(flow, loop, exit_)
    now = {phi.register: entering(flow, loop, phi) for phi in phis}
    for count in range(LIMIT):
        known = _Iteration(now, assigns)
        goes = None if condition is None else number_of(folded(condition, known))
        if not goes:
            return None if goes is None else count
        after = {phi.register: folded(around_again(loop, phi), known) for phi in phis}
        now = {register: value if number_of(value) is not None else None for register, value in after.items()}
    return None


class _Iteration:
    """What the registers of a loop hold in one iteration, where constants decide."""

    def __init__(self, phis: Mapping[str, Expr | None], assigns: Mapping[str, Expr]) -> None:
        self._values = dict(phis)
        self._assigns = assigns

    def __call__(self, register: str) -> Expr | None:
        if register not in self._values:
            value = self._assigns.get(register)
            self._values[register] = None if value is None else folded(value, self)
        return self._values[register]


def divergent(kernel: Kernel) -> frozenset[str]:
    """Return the headers of the loops that lanes of a wave may leave in different iterations."""
    branches = sound(function_of(kernel)).branches
    found = loops(single_assignment(kernel))
    return frozenset(loop.header for loop in found if any(block in branches for block in loop.exiting))
