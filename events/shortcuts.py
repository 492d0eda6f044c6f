"""Edges that a flag decides, led to where they go: `while (!done) { if (…) done = true; }` is left where it is set.

What goes in: a kernel that does nothing convergent, so that it makes no difference where its lanes meet again. What
comes out: its control flow graph, in which an edge skips the blocks that compute nothing but whether to go on, where
what comes along it decides that. Invariant: every lane executes the same accesses; registers that nobody reads behind
such an edge are not assigned on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.graph import flow_graph
from axmem.events.awaits import evaluated
from axmem.events.conventions import Conventions
from axmem.events.values import Constant, Expr, ReadOf
from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus.blocks import ControlFlow, KernelBlock, control_flow
from axmem.litmus.kernels import Incoming
from axmem.litmus.registers import read
from axmem.litmus.ssa import liveness

Liveness = Mapping[str, frozenset[str]]
Edge = tuple[str, str]
_KNOWN = (ast.Load, ast.Store, ast.CmpXchg, ast.AtomicRmw, ast.Fence, ast.Assign)
_MOST = 8
"""So many blocks are skipped at most."""


def shortened(kernel: ast.Kernel, decided: Conventions) -> ControlFlow:
    """Return the control flow graph of a kernel, with shortcuts if nobody asks for registers or promises."""
    flow = control_flow(kernel)
    statements = (each for block in flow.blocks for each in block.statements)
    asked = decided.promises or not (decided.hidden and decided.stutters)
    if asked or not all(isinstance(each, _KNOWN) for each in statements):
        return flow
    live: Liveness = liveness(flow)
    for start, first in dict.fromkeys((name, each) for name, after in flow.successors.items() for each in after):
        if first in flow.successors.get(start, ()):
            flow, live = _led_on(flow, live, start, first)
    return flow


def _led_on(flow: ControlFlow, live: Liveness, start: str, first: str) -> tuple[ControlFlow, Liveness]:
    """Return a graph in which the edge between two blocks leads to where it goes."""
    if not isinstance(flow.block[start].terminator, ast.Branch):
        return flow, live
    known: dict[str, Expr] = {}
    found, values = ("", ""), known
    before, at = start, first
    for _ in range(_MOST):
        block, branch = flow.block[at], flow.block[at].terminator
        if not isinstance(branch, ast.Branch) or not all(isinstance(each, ast.Assign) for each in block.statements):
            break
        known = _computed(block, before, known)
        truth = Constant(1) if branch.condition is None else evaluated(branch.condition, partial(_value, known))
        if not isinstance(truth, Constant) or not isinstance(truth.value, int):
            break
        before, at = at, branch.targets[0 if truth.value else 1]
        if branch.condition is not None:
            found, values = (before, at), known
    if not found[0] or not _allowed(flow, (start, first), found[1]) or not _free(flow, live, found, values):
        return flow, live
    made = ControlFlow(tuple(_changed(each, (start, first), found, values) for each in flow.blocks))
    made = ControlFlow(tuple(_reached(each, made) for each in made.blocks if each.name in made.reachable))
    return made, liveness(made)


def _computed(block: KernelBlock, before: str, known: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return what registers hold behind a block that is reached from another, as far as that is constant."""
    of = partial(_value, known)
    found = {**known, **{phi.register: evaluated(_incoming(phi, before), of) for phi in block.phis}}
    for each in block.statements:
        if isinstance(each, ast.Assign):
            found[each.register] = evaluated(each.value, partial(_value, found))
    return found


def _value(known: Mapping[str, Expr], expr: ast.Expr) -> Expr:
    return known.get(expr.name, ReadOf(-1)) if isinstance(expr, ast.Register) else ReadOf(-1)


def _incoming(phi: ast.Phi, before: str) -> ast.Expr:
    """Return what a phi takes along an edge."""
    return next(each.value for each in phi.incoming if each.block == before)


def _allowed(flow: ControlFlow, edge: Edge, target: str) -> bool:
    """Say whether an edge that leads further leaves the innermost loop, and enters none beside its header."""
    start, first = edge
    around = [each for each in llvm_hierarchy(flow_graph(flow.successors)).within() if first in each.blocks]
    inner = min(around, key=lambda each: len(each.blocks), default=None)
    leaves = inner is None or target not in inner.blocks
    twice = target in flow.successors[start] and flow.block[target].phis
    return leaves and not twice and all(start in each.blocks or target not in each.blocks for each in around)


def _free(flow: ControlFlow, live: Liveness, edge: Edge, values: Mapping[str, Expr]) -> bool:
    """Say whether nobody reads behind an edge what the skipped blocks assign, but for constants that phis take."""
    last, target = edge
    phis = flow.block[target].phis
    later = live[target] - {phi.register for phi in phis}
    return later.isdisjoint(values) and all(_passed(phi, last, values) is not None for phi in phis)


def _passed(phi: ast.Phi, before: str, values: Mapping[str, Expr]) -> ast.Expr | None:
    """Return what a phi takes along an edge where the blocks that assign these values are skipped, if that is known."""
    taken = _incoming(phi, before)
    known = evaluated(taken, partial(_value, values))
    if isinstance(known, Constant) and isinstance(known.value, int):
        return ast.Number(known.value, phi.type)
    return taken if values.keys().isdisjoint(each.name for each in read(taken)) else None


def _changed(block: KernelBlock, edge: Edge, found: Edge, values: Mapping[str, Expr]) -> KernelBlock:
    """Return a block of the graph in which an edge leads where another one does."""
    (start, first), (last, target) = edge, found
    if block.name == start and isinstance(block.terminator, ast.Branch):
        targets = tuple(target if each == first else each for each in block.terminator.targets)
        return replace(block, terminator=replace(block.terminator, targets=targets))
    if block.name != target:
        return block
    taken = [(phi, _passed(phi, last, values)) for phi in block.phis]
    phis = (replace(p, incoming=(*p.incoming, Incoming(value, start))) for p, value in taken if value is not None)
    return replace(block, phis=tuple(phis))


def _reached(block: KernelBlock, flow: ControlFlow) -> KernelBlock:
    """Return a block whose phis take nothing along edges that there are not any more."""
    before = set(flow.predecessors[block.name]) & flow.reachable
    phis = tuple(replace(p, incoming=tuple(each for each in p.incoming if each.block in before)) for p in block.phis)
    return replace(block, phis=phis)
