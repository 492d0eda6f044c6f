"""Loops that try again: a cmpxchg that expects what the last one has read, until one succeeds.

What goes in: the control flow graph of a kernel and its cycles. What comes out: the edges that begin the third
iteration of such a loop. A read-modify-write that a machine does not have becomes one.

An execution with more iterations has one of two that everybody else takes part in as before. Leave out all failed
iterations but the last: they read, and order, and that is all. The failed one that is left then expects what the first
one did. If it reads something else, or is weak, it fails as it did. If it reads just that, leave it out as well, and
the last iteration expects what it did. What is left has no order, and no value, that the whole had not; so its outcome
is that of the whole, or is undef where that is not. This supposes that less order breaks no axiom. A test reads that
off the texts of the models, but for what says that an atomic does not tear: where it could, there is no such loop.

Where races are asked for, an iteration may first store what is no atomic, to a place of its own that stays the same: a
node that is linked anew. Who reads what such an iteration has stored races with it. It races with the first iteration,
too: that is ordered behind less, and before no less, since an iteration that fails writes nothing that synchronizes.
Invariant: what is not proved to be such a loop is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from axmem.convergence.cycles import ControlCycle, Hierarchy
from axmem.events.awaits import Again, definitions, evaluated, fails, harmless
from axmem.events.values import Constant, Expr, ReadOf
from axmem.litmus import syntax as ast
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.registers import read
from axmem.litmus.ssa import liveness
from axmem.litmus.walk import Path, expressions, operands, results

ENOUGH = 2
"""So many iterations stand for all."""


def retries(
    flow: ControlFlow, hierarchy: Hierarchy, whole: Callable[[ast.CmpXchg], bool], *, stores: bool = False
) -> dict[tuple[str, str], Again]:
    """Return the edges after which a loop that tries again is in an iteration that others stand for.

    `whole` says whether what a cmpxchg accesses cannot tear; `stores` if an iteration may store, to memory that nothing
    atomic accesses.
    """
    found: dict[tuple[str, str], Again] = {}
    shown = frozenset(r for block in flow.blocks for s in (*block.phis, *block.statements) for r in results(s))
    live = liveness(flow, shown)
    for cycle in hierarchy.within():
        tries = cycle.reducible and not cycle.children and _tries_again(flow, cycle, live[cycle.header], whole)
        if tries and (stores or not stored(flow, cycle)):
            again = Again(cycle.header, ENOUGH + 1)
            found |= {(n, cycle.header): again for n in cycle.blocks if cycle.header in flow.successors[n]}
    return found


def _tries_again(
    flow: ControlFlow, cycle: ControlCycle, live: frozenset[str], whole: Callable[[ast.CmpXchg], bool]
) -> bool:
    """Say whether a loop is one: nothing but what its cmpxchg reads goes from an iteration to the next."""
    blocks = [flow.block[name] for name in cycle.blocks]
    statements = [s for block in blocks for s in block.statements]
    exchanges = [s for s in statements if isinstance(s, ast.CmpXchg)]
    phis = flow.block[cycle.header].phis
    if len(exchanges) != 1 or len(phis) != 1 or any(isinstance(s, ast.Load) for s in statements):
        return False
    (exchange,), (phi,) = exchanges, phis
    if not whole(exchange):
        return False
    assigned = {r for block in blocks for s in (*block.phis, *block.statements) for r in results(s)}
    first, written = _before(flow, cycle, exchange), stored(flow, cycle)
    if not all(s in first and s.mode.ordering is ast.Ordering.NOT_ATOMIC and not s.mode.volatile for s in written):
        return False
    accesses: list[ast.Statement] = [exchange, *written]
    addressed = [e for s in accesses for e in expressions(s)[: -len(operands(s))]]
    varying = _varying(statements, phi.register)
    if any(r.name in varying for e in addressed for r in read(e)):
        return False
    if not live.isdisjoint(assigned - {phi.register}) or not harmless(flow, cycle, stores=True):
        return False
    defined = definitions(flow, cycle)
    handed_on = (each.value for each in phi.incoming if each.block in cycle.blocks)
    return (
        _given(exchange.expected, defined) == (phi, None)
        and all(_given(value, defined) == (exchange, 0) for value in handed_on)
        and _fails_alike(flow, cycle, exchange, defined)
        and fails(flow, cycle, cycle.header)
    )


def _varying(statements: Sequence[ast.Statement], first: str) -> frozenset[str]:
    """Return the registers that may hold something else in another iteration, one of them the `first`."""
    computed = [s for s in statements if isinstance(s, ast.Assign)]
    found = {first, *(r for s in statements if s not in computed for r in results(s))}
    while more := {s.register for s in computed if any(r.name in found for r in read(s.value))} - found:
        found |= more
    return frozenset(found)


def stored(flow: ControlFlow, cycle: ControlCycle) -> list[ast.Store]:
    """Return the stores of a loop."""
    return [s for name in sorted(cycle.blocks) for s in flow.block[name].statements if isinstance(s, ast.Store)]


def rewritten(flow: ControlFlow, hierarchy: Hierarchy, edges: Mapping[tuple[str, str], Again]) -> Iterator[Path]:
    """Yield where the stores of loops stand of which iterations are left out after these edges."""
    headers = {each.header for each in edges.values()}
    for block in (flow.block[name] for cycle in hierarchy.within() if cycle.header in headers for name in cycle.blocks):
        for path, statement in zip(block.paths[len(block.phis) :], block.statements, strict=False):
            if isinstance(statement, ast.Store):
                yield path


def _before(flow: ControlFlow, cycle: ControlCycle, exchange: ast.CmpXchg) -> list[ast.Statement]:
    """Return what every iteration executes before its cmpxchg."""
    found: list[ast.Statement] = []
    name = cycle.header
    while exchange not in flow.block[name].statements and len(flow.successors[name]) == 1:
        found += flow.block[name].statements
        (name,) = flow.successors[name]
    here = flow.block[name].statements
    return [*found, *(here[: here.index(exchange)] if exchange in here else ())]


Definitions = Mapping[str, Sequence[ast.Statement]]


def _given(value: ast.Expr, defined: Definitions) -> tuple[ast.Statement, int | None] | None:
    """Return the statement of a cycle that gives a value as it is, and which of the two that a cmpxchg gives."""
    seen = set[str]()
    while True:
        index = value.index if isinstance(value, ast.Element) else None
        inner = value.value if isinstance(value, ast.Element) else value
        if not isinstance(inner, ast.Register) or inner.name in seen or len(defined.get(inner.name, ())) != 1:
            return None
        seen.add(inner.name)
        (statement,) = defined[inner.name]
        if isinstance(statement, ast.Assign) and index is None:
            value = statement.value
        elif isinstance(statement, ast.CmpXchg):
            short = bool(statement.ok_register)
            own = int(inner.name == statement.ok_register) if short else index
            return None if own is None or (short and index is not None) else (statement, own)
        else:
            return (statement, index)


def _fails_alike(flow: ControlFlow, cycle: ControlCycle, exchange: ast.CmpXchg, defined: Definitions) -> bool:
    """Say whether nothing but the success of a cmpxchg decides which way an iteration goes."""
    forks = [flow.block[name].terminator for name in cycle.blocks if len(set(flow.successors[name])) > 1]
    conditions = [branch.condition for branch in forks if isinstance(branch, ast.Branch)]

    def value(expr: ast.Expr, succeeds: int) -> Expr:
        if _given(expr, defined) == (exchange, 1):
            return Constant(succeeds)
        made = defined.get(expr.name, ()) if isinstance(expr, ast.Register) else ()
        (only,) = made if len(made) == 1 else (None,)
        return evaluated(only.value, partial(value, succeeds=succeeds)) if isinstance(only, ast.Assign) else ReadOf(-1)

    def told(condition: ast.Expr | None) -> bool:
        ways = [] if condition is None else [evaluated(condition, partial(value, succeeds=way)) for way in (0, 1)]
        return bool(ways) and all(isinstance(way, Constant) and isinstance(way.value, int) for way in ways)

    return len(forks) == 1 and all(map(told, conditions))
