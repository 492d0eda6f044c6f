"""Iterations that change nothing: a lock that is tried and was taken, a look at a word that is not there yet.

What goes in: the control flow graph of a kernel and its cycles, and what an iteration has read and written. What comes
out: the edges that end such iterations, and when one of them has changed something. An iteration changes nothing if
the registers that the next one reads are what they were, and each update has written what it read, or takes the one
before back (`axmem.events.taken_back`).

An execution with such an iteration has one without it that everybody else takes part in as before, but that less is
ordered: a read may race there, and be undef, that returns a value here. So races are those of the program, and outcomes
are missing. What reads from one of its updates reads the same from what the update had read; that this is in order
where the whole was needs updates of one size and one scope at this place; where an execution does something else there,
the iteration counts. Else it reads, and orders, as one of a loop that waits (`axmem.events.awaits`). Invariant: what is
not known to change nothing counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from axmem.convergence.cycles import ControlCycle, Hierarchy
from axmem.events.awaits import shown
from axmem.events.graph import Event, EventKind, Guard, compatible
from axmem.events.taken_back import Iteration, Made, silent, undone
from axmem.events.values import Constant, Expr, Pick, apply, equal
from axmem.litmus import syntax as ast
from axmem.litmus.arithmetic import DEFINED
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.ssa import liveness
from axmem.litmus.walk import Path, results
from axmem.litmus.words import Ordering


def stutters(flow: ControlFlow, hierarchy: Hierarchy, *, hidden: bool) -> dict[tuple[str, str], str]:
    """Return the edges that may end iterations which change nothing, with the header of the loop.

    `hidden` if nobody asks what registers hold at last.
    """
    found: dict[tuple[str, str], str] = {}
    live = liveness(flow, shown(flow, hidden=hidden))
    for cycle in hierarchy.within():
        if not cycle.reducible or cycle.children or not _plain(flow, cycle):
            continue
        statements = (s for name in cycle.blocks for s in flow.block[name].statements)
        inner = (phi for name in cycle.blocks - {cycle.header} for phi in flow.block[name].phis)
        assigned = {register for each in (*statements, *inner) for register in results(each)}
        if live[cycle.header].isdisjoint(assigned):
            found |= {(n, cycle.header): cycle.header for n in cycle.blocks if cycle.header in flow.successors[n]}
    return found


def _plain(flow: ControlFlow, cycle: ControlCycle) -> bool:
    """Say whether a loop has accesses, fences and arithmetic alone; which of them an iteration does is asked later."""
    blocks = [flow.block[name] for name in cycle.blocks]
    known = (ast.Load, ast.Store, ast.CmpXchg, ast.AtomicRmw, ast.Fence, ast.Assign)
    forks = all(isinstance(block.terminator, ast.Branch | ast.Switch) for block in blocks)
    return forks and all(isinstance(each, known) for block in blocks for each in block.statements)


def updates(flow: ControlFlow, unit: int) -> frozenset[Path]:
    """Return where the updates of a kernel stand."""
    return frozenset(
        (unit, *block.paths[len(block.phis) + index])
        for block in flow.blocks
        for index, each in enumerate(block.statements)
        if isinstance(each, ast.AtomicRmw)
    )


def changes_something(
    guard: Guard,
    old_and_new: Iterable[tuple[Expr, Expr]],
    made: Sequence[Event],
    where: frozenset[Path],
    arms: Callable[[int], int],
) -> Iteration | None:
    """Return whether an iteration has changed something; None if that is not known.

    `made` are its events, `guard` says which way it went, `where` are the updates of the kernel, `arms` how many ways a
    choice has.
    """  # fmt: skip
    same = [equal(old, new) for old, new in old_and_new]
    updated: dict[int, list[Made]] = {}
    for each in made:
        if not compatible(each.guard, guard):
            continue
        accesses = each.kind in (EventKind.READ, EventKind.WRITE)
        unless = _unless([way for way in each.guard if way not in guard], arms)
        if accesses and (each.ordering is Ordering.NOT_ATOMIC or each.volatile):
            if unless == Constant(0):
                return None
            same.append(unless)
            continue
        if each.kind is not EventKind.WRITE:
            continue
        reads = [e for e in made if e.kind is EventKind.READ]
        read = [e for e in reads if (e.instruction, e.cell) == (each.instruction, each.cell)]
        alone = len(read) == 1 and len(each.footprint) == 1
        if each.path in where and alone and each.value is not None and unless == Constant(0):
            updated.setdefault(each.cell, []).append((read[0], each))
        elif unless == Constant(0):
            return None
        else:
            same.append(unless)
    pairs = tuple((each[0], each[1]) for each in updated.values() if len(each) == 2)
    same += [undone(*each) for each in pairs]
    same += [silent(each) for some in updated.values() if len(some) != 2 for each in some]
    whole: Expr = Constant(1)
    for truth in same:
        whole = apply("and", 1, whole, truth) if whole != Constant(1) else truth
    # What is undef may be anything, so that it is not known to change nothing.
    truth = apply(DEFINED, 1, apply("xor", 1, whole, Constant(1)), Constant(1))
    return Iteration(guard, truth, pairs, tuple(each for each in made if each.path in where))


def _unless(ways: Sequence[tuple[int, int]], arms: Callable[[int], int]) -> Expr:
    """Return whether not all of some choices, the later made where the earlier lead there, have gone these ways."""
    found: Expr = Constant(0)
    for choice, arm in reversed(ways):
        found = Pick(choice, tuple(found if each == arm else Constant(1) for each in range(arms(choice))))
    return found


def alone(events: Sequence[Event], stores: Collection[Path]) -> bool:
    """Say whether nothing atomic accesses what these stores write."""
    cells = {each.cell for each in events if each.path in stores and each.kind is EventKind.WRITE}
    return all(each.ordering is Ordering.NOT_ATOMIC for each in events if each.cell in cells)
