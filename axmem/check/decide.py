"""The verdict on a condition without all outcomes.

What goes in: a test and a model. What comes out: a `Result` whose verdict rests on the condition asked of the solver
directly (may it hold, may it fail), and whose outcomes are projected to the columns that were asked for, which may be
none; or, where nobody asks for outcomes, are all that there are, unless they may be many. For tests whose outcomes are
too many to list.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, product
from math import prod

from axmem.check import conditions
from axmem.check.limits import limited
from axmem.check.results import Column, Result, Work, projected_result, result_of, unanswered
from axmem.check.selection import AnyModel, read_both
from axmem.encoder.circuit import FALSE, Circuit
from axmem.encoder.constraints import Encoding, encode
from axmem.encoder.engines import AnySession, Engine
from axmem.encoder.execution import OneHot
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import UNLIMITED, Deadline, Limits, Questions, Solved, answer, answered, solve
from axmem.encoder.symmetry import canonical, classes
from axmem.events.conventions import judges_all_at_once, undef_in_conditions
from axmem.events.graph import EventGraph, EventKind
from axmem.events.unroll import events_under
from axmem.events.values import Value, reads_of
from axmem.front.clock import OutOfTime
from axmem.front.records import replace
from axmem.front.source import did_you_mean, mistake
from axmem.litmus import syntax as ast
from axmem.litmus.walk import compares_undef, lane_by_lane, observables
from axmem.model.library import names
from axmem.model.model import Model

May = int
Must = int

MANY = 1 << 12
"""Combinations of writes that shown reads may read, beyond which finding all outcomes takes longer than deciding."""

FEW = 2
"""So many iterations of each loop are enough for most programs, where those that change nothing are left out."""


def decide(
    test: str | ast.LitmusTest,
    model: AnyModel,
    *,
    columns: Sequence[str] | None = (),
    limits: Limits = UNLIMITED,
    session: AnySession = None,
    promises: bool = False,
    engine: Engine = Engine.AUTO,
) -> Result:
    """Return the verdict on a test's condition, with the outcomes of the named columns only (none if none is named).

    With None for columns nobody looks at outcomes: the result has all or none, whichever takes less to find.
    With `promises` a broken promise of parallel accesses is undefined behaviour. `engine` is what answers, but the
    oracle, which finds all outcomes.
    Raises InputError for what is wrong with the test, the model, a variant or a column's name, and for the variant
    `undef.exists=freeze`, which needs all outcomes.
    """
    started, deadline = time.perf_counter(), Deadline(limits.seconds, worked=limits.worked)
    test, model = read_both(test, model)
    freeze = judges_all_at_once(model)
    if freeze and columns is not None:
        message = "the variant undef.exists=freeze needs all outcomes to judge a condition"
        raise mistake("--project", message, text="undef.exists")
    try:
        with limited(deadline):
            graph = events_under(test, model, promises=promises)
            if graph.beyond and not columns and not promises:
                left = replace(limits, seconds=deadline.left())
                known = without_idling(test, model, limits=left, session=session, engine=engine)
                if known is not None:
                    return known
            if columns is None and (freeze or not _many(graph)):
                left = replace(limits, seconds=deadline.left())
                solved = solve(graph, model, left, session, engine, alike=classes(graph))
                return result_of(test, model, graph, solved, time.perf_counter() - started)
            wanted = _columns(graph, columns or ())
            solved = _solved(
                test, graph, model, wanted, limits=limits, deadline=deadline, session=session, engine=engine
            )
            names = tuple(Column(graph.observed[k].name, graph.observed[k].type) for k in wanted)
            work = Work(solved.variables, solved.clauses, solved.checks, time.perf_counter() - started)
            return projected_result(test=test, model=model, graph=graph, solved=solved, columns=names, work=work)
    except OutOfTime:
        return unanswered(test, model, TIME_LIMIT, time.perf_counter() - started)


def without_idling(
    test: ast.LitmusTest,
    model: Model,
    *,
    limits: Limits = UNLIMITED,
    session: AnySession = None,
    engine: Engine = Engine.AUTO,
) -> Result | None:
    """Return the verdict that executions give whose iterations each change something; None if it is not known.

    Those left out (`axmem.events.stutters`) are matched: by what is there or by undef in its place, of which a question
    may hold wherever it held. A few iterations are looked at, in half of the time.
    """
    asked = [test.condition] if test.filter is None else []
    register = any(isinstance(each, ast.RegisterOf) for part in asked for each in observables(part))
    compared = any(compares_undef(each) for each in (test.condition, test.filter) if each is not None)
    # With less order the rules of these models exclude no more, and leave no fewer reads undef; some variants do.
    ours = model.undefs and model.name in names() and not model.changed
    if register or compared or not ours:
        return None
    started = time.perf_counter()
    deadline = Deadline(None if limits.seconds is None else limits.seconds / 2, worked=limits.worked)
    few = replace(test, bound=min(test.bound or FEW, FEW))
    try:
        with limited(deadline):
            graph = events_under(few, model, memory=True)
            solved = _solved(test, graph, model, (), limits=limits, deadline=deadline, session=session, engine=engine)
    except OutOfTime:
        return None
    work = Work(solved.variables, solved.clauses, solved.checks, time.perf_counter() - started)
    found = projected_result(test=test, model=model, graph=graph, solved=solved, columns=(), work=work)
    return found if not found.incomplete else None


def _solved(
    test: ast.LitmusTest,
    graph: EventGraph,
    model: Model,
    wanted: tuple[int, ...],
    *,
    limits: Limits,
    deadline: Deadline,
    session: AnySession,
    engine: Engine,
) -> Solved:
    """Return the answers to whether the condition may hold and may fail, with the outcomes' columns that are wanted."""
    encoding = encode(graph, model, expired=deadline.passed)
    if encoding is None:
        return Solved(incomplete=(TIME_LIMIT,))
    asker = Asker(encoding, graph, undef_in_conditions(model))
    may, must = asker.ask(test.condition)
    kept = asker.ask(test.filter)[0] if test.filter is not None else None
    canonical = _canonical(test, graph, encoding, wanted)
    ask = partial(
        answer, encoding, limits=limits, deadline=deadline, session=session, engine=engine,
        # A single question is answered sooner by the plain finite-domain solver than by one with a propagator.
        blocking=not wanted,
    )  # fmt: skip
    found = ask(Questions(wanted or None, () if kept is None else (kept,), (may, -must), canonical))
    if kept is not None and not any(found.possible):
        whole = ask(Questions(literals=(may, -must), canonical=canonical))
        if any(whole.possible):
            return found  # There are executions, of which the filter keeps none.
    return answered(found, graph, model)


def _canonical(test: ast.LitmusTest, graph: EventGraph, encoding: Encoding, wanted: tuple[int, ...]) -> tuple[int, ...]:
    """Return literals under which all that is asked has the same answer: one order of the threads that are alike.

    Classes that the question tells apart are left out: that it names a register of theirs, or one of their numbers.
    """
    parts = [each for each in (test.condition, test.filter) if each is not None]
    asked = {conditions.name_of(o) for each in parts for o in observables(each)}
    named = {*wanted, *(k for k, each in enumerate(graph.observed) if each.name in asked)}
    alike = [each for each in classes(graph) if not each.own[0] and named.isdisjoint(chain.from_iterable(each.columns))]
    return canonical(encoding.circuit, encoding.lanes, alike)


def _many(graph: EventGraph) -> bool:
    """Tell whether a test may have many outcomes, as far as it says which writes the reads that it shows may read."""
    shown = {r for o in graph.observed for lane in o.lanes for r in reads_of(lane)}
    writes = [e.cell for e in graph.events if e.kind in (EventKind.WRITE, EventKind.INIT)]
    return prod(writes.count(graph.events[r].cell) for r in shown) > MANY


def _columns(graph: EventGraph, names: Sequence[str]) -> tuple[int, ...]:
    known = {o.name: k for k, o in enumerate(graph.observed)}
    for name in names:
        if name not in known:
            raise mistake("--project", f"outcomes do not show '{name}'", did_you_mean(name, known), text=name)
    return tuple(dict.fromkeys(known[name] for name in names))


class Asker:
    """Makes literals of conditions: that one may hold, and that one must (which differ at undef values)."""

    def __init__(self, encoding: Encoding, graph: EventGraph, undef: str) -> None:
        self.circuit: Circuit = encoding.circuit
        self.graph = graph
        self.undef = undef
        self.lanes: dict[str, tuple[OneHot, ...]] = {
            o.name: lanes for o, lanes in zip(graph.observed, encoding.lanes, strict=True)
        }
        self.types = {o.name: o.type for o in graph.observed}

    def ask(self, condition: ast.Condition) -> tuple[May, Must]:
        """Return the literals that a condition may hold and that it must."""
        circuit = self.circuit
        match condition:
            case ast.Not(inner):
                may, must = self.ask(inner)
                return -must, -may
            case ast.Both(left, right):
                (may, must), (also_may, also_must) = self.ask(left), self.ask(right)
                return circuit.both(may, also_may), circuit.both(must, also_must)
            case ast.Either(left, right):
                (may, must), (or_may, or_must) = self.ask(left), self.ask(right)
                return circuit.either(may, or_may), circuit.either(must, or_must)
            case ast.Truth(value):
                return (-FALSE, -FALSE) if value else (FALSE, FALSE)
            case ast.ValueComparison(members=()):
                return self._compare(condition)
            case ast.ValueComparison():
                return self.ask(lane_by_lane(condition))

    def _compare(self, comparison: ast.ValueComparison) -> tuple[May, Must]:
        """Return the literals of a comparison. Vectors are equal that are in each lane: together they are too many."""
        if comparison.op not in ("=", "!="):
            return self._tried(comparison, 0, conditions.holds)
        width = max(len(self._cells(side)) for side in (comparison.left, comparison.right))
        lanes = [self._tried(comparison, k, partial(conditions.holds_in_lane, lane=k)) for k in range(width)]
        may, must = (self.circuit.conjunction(each) for each in zip(*lanes, strict=True))
        return (may, must) if comparison.op == "=" else (-must, -may)

    def _tried(
        self, comparison: ast.ValueComparison, lane: int, holds: Callable[..., conditions.ConditionTruth]
    ) -> tuple[May, Must]:
        """Try a comparison on every combination of the values it looks at in a lane."""
        sides = (self._cells(side) for side in (comparison.left, comparison.right))
        cells = list(dict.fromkeys(cell for each in sides if (cell := each[lane if len(each) > 1 else 0]) is not None))
        may, must = [], []
        for chosen in product(*(self.lanes[name][k].items() for name, k in cells)):
            lanes: dict[str, list[Value]] = {name: [0] * len(self.lanes[name]) for name, _ in cells}
            for (name, k), (value, _) in zip(cells, chosen, strict=True):
                lanes[name][k] = value
            values = {name: tuple(each) for name, each in lanes.items()}
            outcome = conditions.Valuation(values, self.types, self.graph.locations)
            truth = holds(comparison, outcome=outcome, undef=self.undef)
            literal = self.circuit.conjunction([literal for _, literal in chosen])
            may += [literal] if truth.may else []
            must += [literal] if truth.must else []
        return self.circuit.disjunction(may), self.circuit.disjunction(must)

    def _cells(self, side: ast.Operand) -> list[tuple[str, int] | None]:
        """Return the lanes that a side of a comparison has: which of what observable, None of a constant."""
        if isinstance(side, ast.VectorOf):
            return [None] * len(side.elements)
        if not isinstance(side, ast.RegisterOf | ast.FinalValue):
            return [None]
        name = conditions.name_of(side)
        if isinstance(side, ast.RegisterOf) and side.index is not None:
            return [(name, side.index)]
        return [(name, k) for k in range(len(self.lanes[name]))]
