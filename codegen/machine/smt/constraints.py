"""The machine as constraints: every outcome of a program in a placement, and what forbids one.

What goes in: a layout. What comes out: the set of outcomes, in the shape of `explore`, or for an outcome that is not
possible a minimal set of elements that exclude it. Written from the package's definition, not from the explorer; the
two share the layout, and what an operation means in it. There is a time for every operation at every node, and for
every read the last refill of the line that it hits, and the one before that at the parent. A literal for each element
makes unsatisfiable cores say which elements keep an outcome out. What this form does not have raises `Unsupported`:
replays, values that land late, loops that wait for ever.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.codegen.machine.layout import ItemEffect, MachineLayout
from axmem.codegen.machine.program import ProgramElement
from axmem.codegen.machine.smt.elements import Elements
from axmem.codegen.machine.smt.items import Items, TimedItem
from axmem.codegen.machine.smt.values import MachineReadValues, TooManyValues
from axmem.codegen.machine.smt.views import Views
from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.limits import SAT, UNKNOWN, UNSAT
from axmem.encoder.solver import Session
from axmem.encoder.timing import Time, TimedCircuit, TimedQuery
from axmem.events.values import Value
from axmem.front.records import dataclass

Row = tuple[tuple[Value, ...], ...]
"""An outcome: for each observed value its lanes."""


class Unsupported(Exception):
    """A switch or a program that the constraints do not have."""


@dataclass(frozen=True, slots=True)
class MachineSolved:
    """The outcomes found, and what cut the search (empty if nothing did)."""

    outcomes: frozenset[Row]
    incomplete: tuple[str, ...]


def solve(layout: MachineLayout, session: Session, *, effort: int = 0) -> MachineSolved:
    """Return every outcome of a layout; `effort` limits each question to the solver (0: no limit)."""
    machine = _Machine(layout, optional=False)
    query = machine.query(session, effort)
    cut = set()
    if machine.undetermined != FALSE and query.check([machine.undetermined]) != UNSAT:
        cut.add("the machine's next step depends on memory that nothing has written")
    assumed = [] if machine.undetermined == FALSE else [-machine.undetermined]
    found: set[Row] = set()
    while (answer := query.check(assumed)) == SAT:
        row, literals = machine.row(query)
        found.add(row)
        query.block(literals)
    if answer == UNKNOWN:
        cut.add(f"the solver gave up: {query.why}")
    return MachineSolved(frozenset(found), tuple(sorted(cut)))


class ElementExclusion:
    """Which elements of a program exclude outcomes, in all of some placements; `effort` limits each question."""

    def __init__(self, layouts: Iterable[MachineLayout], session: Session, *, effort: int = 0) -> None:
        self.machines = [_Machine(laid, optional=True) for laid in layouts]
        self.queries = [machine.query(session, effort) for machine in self.machines]
        self.every = {element for machine in self.machines for element in machine.elements.literals}
        self.rows: dict[Row, list[tuple[list[int], list[frozenset[ProgramElement]]]]] = {}
        """For outcomes that were asked about, in each placement, what makes them, and sets that exclude them."""

    def excludes(self, wanted: Row, left_out: Iterable[ProgramElement]) -> bool:
        """Say whether an outcome is excluded without some elements. Raises Unsupported if the solver gives up."""
        if wanted not in self.rows:
            self.rows[wanted] = [(machine.is_row(wanted), []) for machine in self.machines]
        kept = frozenset(self.every - set(left_out))
        return all(self._excluded(k, row, kept, known) for k, (row, known) in enumerate(self.rows[wanted]))

    def _excluded(
        self, k: int, row: list[int], kept: frozenset[ProgramElement], known: list[frozenset[ProgramElement]]
    ) -> bool:
        """Say whether elements exclude an outcome in a placement; `known` are sets that do, and gets another."""
        if FALSE in row or any(core <= kept for core in known):
            return True
        machine, query = self.machines[k], self.queries[k]
        given = {literal: element for element, literal in machine.elements.literals.items() if element in kept}
        answer = query.check([*row, -machine.undetermined, *given])
        if answer == UNKNOWN:
            raise Unsupported(f"the solver gave up: {query.why}")
        if answer == UNSAT:
            known.append(frozenset(given[literal] for literal in query.core(list(given))))
        return answer == UNSAT


class _Machine:
    """All constraints of one layout."""

    def __init__(self, layout: MachineLayout, *, optional: bool) -> None:
        _check(layout)
        self.layout = layout
        self.program = layout.program
        self.circuit = TimedCircuit()
        try:
            self.values = MachineReadValues(self.program, self.circuit)
        except TooManyValues:
            raise Unsupported("a cell may have too many values") from None
        self.elements = Elements(layout, self.circuit, optional=optional)
        self.items = Items(layout, self.values, self.elements, self.circuit)
        self.views = Views(self.items)
        for item in [*self.items.items, *self.items.lds]:
            if item.op.does in (ItemEffect.LOAD, ItemEffect.RMW):
                self._returns(item)
        self._unread()
        self.views.different_times()
        self._finals()
        self._requires()
        self.undetermined = self.circuit.disjunction(
            [
                self.circuit.both(self.values.holds(choice.guard), self.values.undetermined(choice.index))
                for choice in self.program.choices
            ]
        )
        self.observed = [[self.values.value(lane) for lane in lanes] for lanes in self.program.observed]

    def _returns(self, item: TimedItem) -> None:
        """Say what a load or read-modify-write returns, wherever it is served."""
        assert item.footprint is not None
        cells = tuple(read.cell for read in item.footprint.reads)
        if not cells and item.op.does is ItemEffect.LOAD:
            return
        if self.program.groups[item.group].lds:
            self._seen(item, item.condition, self.items.root, item.done, cells)
            return
        for n in item.path[:-1]:
            if item.op.does is ItemEffect.LOAD and n in item.hits:
                self._seen(item, item.hits[n], n, item.time[n], cells)
            elif item.op.does is ItemEffect.RMW and item.goes[n] != TRUE:
                stops = self.circuit.both(item.at[n], -item.goes[n])
                self._seen(item, stops, n, item.time[n], cells)
        self._seen(item, item.at[self.items.root], self.items.root, item.time[self.items.root], cells)

    def _seen(self, item: TimedItem, condition: int, n: int, time: Time, cells: tuple[int, ...]) -> None:
        assert item.footprint is not None
        seen = self.views.look(n, item.group, time, condition, cells)
        for read in item.footprint.reads:
            for index in read.reads:
                self.views.equal(condition, self.values.reads[index], seen[read.cell])

    def _unread(self) -> None:
        """Give reads that are not executed one value, so that they make no outcomes."""
        for index, items in self.items.returned.items():
            literals = self.values.reads[index]
            self.circuit.add(*[item.condition for item in items], next(iter(literals.values())))

    def _finals(self) -> None:
        """Say that at the end everything has arrived in memory, where final values are observed."""
        if not self.program.finals:
            return
        end, circuit = self.circuit.time(), self.circuit
        for item in [*self.items.items, *self.items.lds]:
            circuit.imply((item.condition,), circuit.before(item.done, end))
            for n, time in item.time.items():
                circuit.imply((item.at[n],), circuit.before(time, end))
        for writes in self.views.dirty.values():
            for d in writes:
                circuit.imply((d.event.condition,), d.cleaned)
                circuit.imply((d.event.condition,), circuit.before(d.arrival, end))
        for index, cell in self.program.finals.items():
            group = next(g for g, found in enumerate(self.program.groups) if cell in found.cells)
            seen = self.views.look(self.items.root, group, end, TRUE, (cell,))
            self.views.equal(TRUE, self.values.reads[index], seen[cell])

    def _requires(self) -> None:
        for require in self.program.requires:
            self.circuit.imply((self.values.holds(require.guard),), self.values.nonzero(require.expr))

    def query(self, session: Session, effort: int) -> TimedQuery:
        """Return the constraints at a solver."""
        shown = [literal for lanes in self.observed for literals in lanes for literal in literals.values()]
        asked = [self.undetermined, *self.elements.literals.values(), *shown]
        return TimedQuery(session, self.circuit, asked, effort=effort)

    # ------------------------------------------------------------ outcomes

    def row(self, query: TimedQuery) -> tuple[Row, list[int]]:
        """Return the outcome of a solution, and the literals that make it."""
        shown = {x for lanes in self.observed for literals in lanes for x in literals.values()} - {TRUE, FALSE}
        holds = query.solution(shown) | {TRUE: True, FALSE: False}
        row, made = [], []
        for lanes in self.observed:
            chosen = [next(pair for pair in literals.items() if holds[pair[1]]) for literals in lanes]
            row.append(tuple(value for value, _ in chosen))
            made += [literal for _, literal in chosen if literal != TRUE]
        return tuple(row), made

    def is_row(self, wanted: Row) -> list[int]:
        """Return literals that hold together just if the outcome is the one given."""
        return [
            literals.get(value, FALSE)
            for lanes, values in zip(self.observed, wanted, strict=True)
            for literals, value in zip(lanes, values, strict=True)
        ]


def _check(layout: MachineLayout) -> None:
    """Raise Unsupported for a switch that the constraints do not have."""
    if layout.switches["xnack_replay"] == "on":
        raise Unsupported("the constraints do not have replayed stores: xnack_replay=on")
    if layout.switches["inv_inflight"] == "lands":
        raise Unsupported("the constraints do not have values that land late: inv_inflight=lands")
