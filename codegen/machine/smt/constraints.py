"""The machine as constraints for Z3: every outcome of a program in a placement, and what forbids one.

What goes in: a layout. What comes out: the set of outcomes, in the shape of `explore`, or for an outcome that is not
possible a minimal set of elements that exclude it. Written from docs/machine.md, not from the explorer; the two share
the layout, and what an operation means in it. What this form does not have raises `Unsupported`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import z3

from axmem.codegen.machine.layout import Does, Layout
from axmem.codegen.machine.program import Element
from axmem.codegen.machine.smt.elements import Elements
from axmem.codegen.machine.smt.items import Item, Items
from axmem.codegen.machine.smt.values import Literals, ReadValues, TooMany, conjunction, negation
from axmem.codegen.machine.smt.views import Views
from axmem.encoder.values import Value

Row = tuple[tuple[Value, ...], ...]
"""An outcome: for each observed value its lanes."""


class Unsupported(Exception):
    """A switch or a program that the constraints do not have."""


@dataclass(frozen=True, slots=True)
class Solved:
    """The outcomes found, and what cut the search (empty if nothing did)."""

    outcomes: frozenset[Row]
    incomplete: tuple[str, ...]


def solve(layout: Layout, *, seconds: float = 0) -> Solved:
    """Return every outcome of a layout; `seconds` limits each question to the solver (0: no limit)."""
    machine = _Machine(layout, optional=False)
    solver = machine.solver(seconds)
    cut = set()
    solver.push()
    solver.add(machine.undetermined)
    if solver.check() != z3.unsat:
        cut.add("the machine's next step depends on memory that nothing has written")
    solver.pop()
    solver.add(z3.Not(machine.undetermined))
    found: set[Row] = set()
    while (answer := solver.check()) == z3.sat:
        row, terms = machine.row(solver.model())
        found.add(row)
        solver.add(z3.Not(z3.And(terms)) if terms else z3.BoolVal(False))
    if answer == z3.unknown:
        cut.add(f"the solver gave up: {solver.reason_unknown()}")
    return Solved(frozenset(found), tuple(sorted(cut)))


class Exclusion:
    """Which elements of a program exclude outcomes, in all of some placements."""

    def __init__(self, layouts: Iterable[Layout], *, seconds: float = 0) -> None:
        self.machines = [_Machine(laid, optional=True) for laid in layouts]
        self.solvers = [machine.solver(seconds) for machine in self.machines]
        for machine, solver in zip(self.machines, self.solvers, strict=True):
            solver.add(z3.Not(machine.undetermined))

    def core(self, wanted: Row, elements: Iterable[Element]) -> tuple[Element, ...] | None:
        """Return a minimal set of elements that together exclude an outcome; None if all of them do not.

        Elements are left out in the order given, as long as the outcome stays excluded, so the answer does not depend
        on the solver. Raises Unsupported if the solver gives up.
        """
        every = tuple(elements)
        rows = [machine.is_row(wanted) for machine in self.machines]
        known: list[list[frozenset[Element]]] = [[] for _ in rows]
        kept = frozenset(every)
        if not all(self._excluded(k, row, kept, known[k]) for k, row in enumerate(rows)):
            return None
        for element in every:
            rest = kept - {element}
            if all(self._excluded(k, row, rest, known[k]) for k, row in enumerate(rows)):
                kept = rest
        return tuple(element for element in every if element in kept)

    def _excluded(self, k: int, row: z3.BoolRef, kept: frozenset[Element], known: list[frozenset[Element]]) -> bool:
        """Say whether elements exclude an outcome in a placement; `known` are sets that do, and gets another."""
        if any(core <= kept for core in known):
            return True
        literals = self.machines[k].elements.literals
        given = {literals[e].get_id(): e for e in kept if e in literals}
        answer = self.solvers[k].check(row, *(literals[e] for e in given.values()))
        if answer == z3.unknown:
            raise Unsupported(f"the solver gave up: {self.solvers[k].reason_unknown()}")
        if answer == z3.unsat:
            used = (given.get(term.get_id()) for term in self.solvers[k].unsat_core())
            known.append(frozenset(element for element in used if element is not None))
        return bool(answer == z3.unsat)


class _Machine:
    """All constraints of one layout."""

    def __init__(self, layout: Layout, *, optional: bool) -> None:
        _check(layout)
        self.layout = layout
        self.program = layout.program
        try:
            self.values = ReadValues(self.program)
        except TooMany:
            raise Unsupported("a cell may have too many values") from None
        self.elements = Elements(layout, optional=optional)
        self.items = Items(layout, self.values, self.elements)
        self.views = Views(self.items)
        self.constraints = self.items.constraints
        self.constraints += self.values.constraints()
        for item in [*self.items.items, *self.items.lds]:
            if item.op.does in (Does.LOAD, Does.RMW):
                self._returns(item)
        self._unread()
        self.views.different_times()
        self._finals()
        self._requires()
        self.undetermined = z3.Or([z3.BoolVal(False), *self._undetermined()])

    def _returns(self, item: Item) -> None:
        """Say what a load or read-modify-write returns, wherever it is served."""
        assert item.footprint is not None
        cells = tuple(read.cell for read in item.footprint.reads)
        if not cells and item.op.does is Does.LOAD:
            return
        if self.program.groups[item.group].lds:
            self._seen(item, item.condition, self.items.root, item.done, cells)
            return
        for n in item.path[:-1]:
            if item.op.does is Does.LOAD and n in item.hits:
                self._seen(item, item.hits[n], n, item.time[n], cells)
            elif item.op.does is Does.RMW and not z3.is_true(item.goes[n]):
                stops = conjunction((item.at[n], negation(item.goes[n])))
                self._seen(item, stops, n, item.time[n], cells)
        self._seen(item, item.at[self.items.root], self.items.root, item.time[self.items.root], cells)

    def _seen(self, item: Item, condition: z3.BoolRef, n: int, time: z3.ArithRef, cells: tuple[int, ...]) -> None:
        assert item.footprint is not None
        seen = self.views.look(n, item.group, time, condition, cells)
        for read in item.footprint.reads:
            for index in read.reads:
                self.views.equal(condition, self.values.reads[index], seen[read.cell])

    def _unread(self) -> None:
        """Give reads that are not executed one value, so that they make no outcomes."""
        for index, items in self.items.returned.items():
            literals = self.values.reads[index]
            executed = z3.Or([item.condition for item in items])
            self.constraints.append(z3.Or(executed, next(iter(literals.values()))))

    def _finals(self) -> None:
        """Say that at the end everything has arrived in memory, where final values are observed."""
        if not self.program.finals:
            return
        end = z3.Int("end")
        for item in [*self.items.items, *self.items.lds]:
            self.constraints.append(z3.Implies(item.condition, item.done < end))
            self.constraints += [z3.Implies(item.at[n], time < end) for n, time in item.time.items()]
        for writes in self.views.dirty.values():
            for d in writes:
                self.constraints.append(z3.Implies(d.event.condition, z3.And(d.cleaned, d.arrival < end)))
        for index, cell in self.program.finals.items():
            group = next(g for g, found in enumerate(self.program.groups) if cell in found.cells)
            seen = self.views.look(self.items.root, group, end, z3.BoolVal(True), (cell,))
            self.views.equal(z3.BoolVal(True), self.values.reads[index], seen[cell])

    def _requires(self) -> None:
        for require in self.program.requires:
            holds = self.values.holds(require.guard)
            self.constraints.append(z3.Implies(holds, self.values.nonzero(require.expr)))

    def _undetermined(self) -> Iterator[z3.BoolRef]:
        for choice in self.program.choices:
            yield z3.And(self.values.holds(choice.guard), self.values.undetermined(choice.index))

    def solver(self, seconds: float) -> z3.Solver:
        """Return a solver with all constraints."""
        solver = z3.SolverFor("QF_LIA")
        if seconds:
            solver.set("timeout", int(seconds * 1000))
        solver.add(self.constraints)
        return solver

    # ------------------------------------------------------------ outcomes

    def _observed(self) -> list[list[Literals]]:
        return [[self.values.value(lane) for lane in lanes] for lanes in self.program.observed]

    def row(self, model: z3.ModelRef) -> tuple[Row, list[z3.BoolRef]]:
        """Return the outcome of a solution, and the terms that make it."""
        row, terms = [], []
        for lanes in self._observed():
            found = []
            for literals in lanes:
                value, term = next(pair for pair in literals.items() if z3.is_true(model.eval(pair[1], True)))
                found.append(value)
                if not z3.is_true(term):
                    terms.append(term)
            row.append(tuple(found))
        return tuple(row), terms

    def is_row(self, wanted: Row) -> z3.BoolRef:
        """Return that the outcome is the one given."""
        terms: Iterable[z3.BoolRef] = (
            literals.get(value, z3.BoolVal(False))
            for lanes, values in zip(self._observed(), wanted, strict=True)
            for literals, value in zip(lanes, values, strict=True)
        )
        return conjunction(terms)


def _check(layout: Layout) -> None:
    """Raise Unsupported for a switch that the constraints do not have."""
    if layout.switches["xnack_replay"] == "on":
        raise Unsupported("the constraints do not have replayed stores: xnack_replay=on")
    if layout.switches["inv_inflight"] == "lands":
        raise Unsupported("the constraints do not have values that land late: inv_inflight=lands")

