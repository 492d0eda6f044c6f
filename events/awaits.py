"""Loops that only wait.

What goes in: the control flow graph of a kernel and its cycles. What comes out: the edges that begin another iteration
of such a loop. Its iterations write nothing: atomic loads, failed cmpxchgs, fences, arithmetic; and each sets anew the
registers that it reads. An iteration that is followed by another then only adds order, so that the outcomes are those
of the executions whose last iteration is the only one. Invariant: what is not proved to be such a loop is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from axmem.convergence.cycles import ControlCycle, Hierarchy
from axmem.events.values import Constant, Expr, ReadOf, apply
from axmem.front.records import dataclass
from axmem.litmus import syntax as ast
from axmem.litmus.arithmetic import told
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.ssa import liveness
from axmem.litmus.walk import results


@dataclass(frozen=True, slots=True)
class Again:
    """An edge begins another iteration if its target is then in an execution of `header` of at least this number."""

    header: str
    least: int


def awaits(flow: ControlFlow, hierarchy: Hierarchy, *, hidden: bool = False) -> dict[tuple[str, str], Again]:
    """Return the edges after which a loop that waits is repeated; `hidden` if nobody asks what registers hold last."""
    found: dict[tuple[str, str], Again] = {}
    live = liveness(flow, shown(flow, hidden=hidden))
    for cycle in hierarchy.within():
        if cycle.reducible and not cycle.children and harmless(flow, cycle):
            start = _start(flow, cycle, live)
            if start is not None and fails(flow, cycle, start):
                inside = {(name, target) for name in cycle.blocks for target in flow.successors[name]}
                found |= {edge: Again(cycle.header, 2) for edge in inside if edge[1] == start}
                doomed = _doomed(flow, cycle, start)
                found |= {edge: Again(cycle.header, 1) for edge in inside if edge[1] in doomed}
    return found


def shown(flow: ControlFlow, *, hidden: bool = False) -> frozenset[str]:
    """Return the registers whose last values are seen."""
    if hidden:
        return frozenset()
    return frozenset(r for block in flow.blocks for s in (*block.phis, *block.statements) for r in results(s))


def harmless(flow: ControlFlow, cycle: ControlCycle, *, stores: bool = False) -> bool:
    """Say whether an iteration writes nothing, unless a cmpxchg in it succeeds, or with `stores` a store."""
    for name in cycle.blocks:
        block = flow.block[name]
        if not isinstance(block.terminator, ast.Branch):
            return False
        for statement in block.statements:
            match statement:
                case ast.Load(mode=mode) | ast.CmpXchg(mode=mode):
                    if mode.ordering is ast.Ordering.NOT_ATOMIC or mode.volatile:
                        return False
                case ast.Fence() | ast.Assign():
                    pass
                case ast.Store() if stores:
                    pass
                case _:
                    return False
    return True


def _start(flow: ControlFlow, cycle: ControlCycle, live: Mapping[str, frozenset[str]]) -> str | None:
    """Return a block that every iteration passes, and at which nothing that the loop assigns is still to be read."""
    assigned = {
        register
        for name in cycle.blocks
        for statement in (*flow.block[name].phis, *flow.block[name].statements)
        for register in results(statement)
    }
    for name in (cycle.header, *sorted(cycle.blocks - {cycle.header})):
        if not flow.block[name].phis and assigned.isdisjoint(live[name]) and not _closed(flow, cycle.blocks - {name}):
            return name
    return None


def _closed(flow: ControlFlow, blocks: frozenset[str]) -> bool:
    """Say whether some path inside these blocks comes back to where it began."""
    left = set(blocks)
    while ends := {name for name in left if not left.intersection(flow.successors[name])}:
        left -= ends
    return bool(left)


def _doomed(flow: ControlFlow, cycle: ControlCycle, start: str) -> frozenset[str]:
    """Return the blocks of a cycle from which every path comes to its header before it leaves."""
    found = {start} if start == cycle.header else set()
    while more := {
        name for name in cycle.blocks - found if found and all(target in found for target in flow.successors[name])
    }:
        found |= more
    return frozenset(found - {start})


# ---------------------------------------------------------------- cmpxchgs


def fails(flow: ControlFlow, cycle: ControlCycle, start: str) -> bool:
    """Say whether every cmpxchg of an iteration that is followed by another has failed."""
    return all(
        any(_leaves(flow, cycle, (name, statement), end) and not _around(flow, cycle, (name, end), start)
            for end in cycle.blocks)
        for name in cycle.blocks
        for statement in flow.block[name].statements
        if isinstance(statement, ast.CmpXchg)
    )  # fmt: skip


def _around(flow: ControlFlow, cycle: ControlCycle, between: tuple[str, str], start: str) -> bool:
    """Say whether a path inside the cycle leads from one block to the start of an iteration without another block."""
    first, avoided = between
    seen, waiting = set[str](), [first]
    while waiting:
        name = waiting.pop()
        if name == avoided or name in seen or name not in cycle.blocks:
            continue
        seen.add(name)
        if start in flow.successors[name]:
            return True
        waiting += flow.successors[name]
    return False


def _leaves(flow: ControlFlow, cycle: ControlCycle, where: tuple[str, ast.CmpXchg], end: str) -> bool:
    """Say whether the branch of a block leaves the cycle where a cmpxchg has succeeded."""
    _, exchange = where
    branch = flow.block[end].terminator
    if not isinstance(branch, ast.Branch) or branch.condition is None:
        return False
    bits = exchange.type.bits if exchange.type is not None else 32
    truth = _Success(exchange, definitions(flow, cycle), bits).value(branch.condition)
    return isinstance(truth, Constant) and branch.targets[0 if truth.value else 1] not in cycle.blocks


def definitions(flow: ControlFlow, cycle: ControlCycle) -> dict[str, list[ast.Statement]]:
    """Return for each register the statements of a cycle that assign it."""
    found: dict[str, list[ast.Statement]] = {}
    for name in cycle.blocks:
        for statement in (*flow.block[name].phis, *flow.block[name].statements):
            for register in results(statement):
                found.setdefault(register, []).append(statement)
    return found


class _Success:
    """Values after a cmpxchg has succeeded, as far as they are constants."""

    def __init__(self, exchange: ast.CmpXchg, definitions: Mapping[str, list[ast.Statement]], bits: int) -> None:
        self.exchange = exchange
        self.definitions = definitions
        self.bits = bits

    def value(self, expr: ast.Expr) -> Expr:
        """Return the value of a scalar expression; what is not known is a read that no event is."""
        return evaluated(expr, self._atom)

    def _atom(self, expr: ast.Expr) -> Expr:
        match expr:
            case ast.Register(name=name):
                return self._register(name)
            case ast.Element(value=ast.Register(name=name), index=index) if name == self.exchange.register:
                return Constant(1) if index else self.value(self.exchange.expected)
        return ReadOf(-1)

    def _register(self, name: str) -> Expr:
        found = self.definitions.get(name, [])
        if found == [self.exchange]:
            pair = not self.exchange.ok_register
            if name == self.exchange.ok_register:
                return Constant(1)
            return ReadOf(-1) if pair else self.value(self.exchange.expected)
        if len(found) == 1 and isinstance(found[0], ast.Assign):
            return self.value(found[0].value)
        return ReadOf(-1)


def evaluated(expr: ast.Expr, atom: Callable[[ast.Expr], Expr]) -> Expr:
    """Return the value of a scalar expression, by those of registers and elements; ReadOf(-1) for what is not known."""
    match expr:
        case ast.Number(value=value, type=type_):
            return Constant(value & ((1 << (type_.bits if type_ is not None else 64)) - 1))
        case ast.IntegerOperation(name=name, operands=operands, type=type_):
            arguments, own = [evaluated(operand, atom) for operand in operands], operands[0].type
            known = all(isinstance(argument, Constant) for argument in arguments)
            if not known or (own is None and told(name, 1)):
                return ReadOf(-1)
            parameters = told(name, own.bits) if own is not None else ()
            return apply(name, type_.bits if type_ is not None else 32, *arguments, parameters=parameters)
    return atom(expr)
