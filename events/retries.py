"""Loops that try again: a cmpxchg that expects what the last one has read, until one succeeds.

What goes in: the control flow graph of a kernel and its cycles. What comes out: the edges that begin the third
iteration of such a loop. A read-modify-write that a machine does not have becomes one.

An execution with more iterations has one of two that everybody else takes part in as before. Leave out all failed
iterations but the last: they read, and order, and that is all. The failed one that is left then expects what the first
one did. If it reads something else, or is weak, it fails as it did. If it reads just that, leave it out as well, and
the last iteration expects what it did. What is left has no order, and no value, that the whole had not; so its outcome
is that of the whole, or is undef where that is not. This supposes that less order breaks no axiom. A test reads that
off the texts of the models, but for what says that an atomic does not tear: where it could, there is no such loop.
Invariant: what is not proved to be such a loop is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from axmem.convergence.cycles import ControlCycle, Hierarchy
from axmem.events.awaits import Again, definitions, evaluated, fails, harmless
from axmem.events.values import Constant, Expr, ReadOf
from axmem.litmus import syntax as ast
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.registers import read
from axmem.litmus.ssa import liveness
from axmem.litmus.walk import expressions, operands, results

ENOUGH = 2
"""So many iterations stand for all."""


def retries(
    flow: ControlFlow, hierarchy: Hierarchy, whole: Callable[[ast.CmpXchg], bool]
) -> dict[tuple[str, str], Again]:
    """Return the edges after which a loop that tries again is in an iteration that others stand for.

    `whole` says whether what a cmpxchg accesses cannot tear.
    """
    found: dict[tuple[str, str], Again] = {}
    shown = frozenset(r for block in flow.blocks for s in (*block.phis, *block.statements) for r in results(s))
    live = liveness(flow, shown)
    for cycle in hierarchy.within():
        if cycle.reducible and not cycle.children and _tries_again(flow, cycle, live[cycle.header], whole):
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
    addressed = expressions(exchange)[: -len(operands(exchange))]
    if any(r.name in assigned for e in addressed for r in read(e)):
        return False
    if not live.isdisjoint(assigned - {phi.register}) or not harmless(flow, cycle):
        return False
    defined = definitions(flow, cycle)
    handed_on = (each.value for each in phi.incoming if each.block in cycle.blocks)
    return (
        _given(exchange.expected, defined) == (phi, None)
        and all(_given(value, defined) == (exchange, 0) for value in handed_on)
        and _fails_alike(flow, cycle, exchange, defined)
        and fails(flow, cycle, cycle.header)
    )


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
