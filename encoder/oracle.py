"""The second engine: outcomes by brute force, without a solver.

What goes in: a test and a model. What comes out: every outcome, with what else was observed. It walks all choices,
all reads-from maps and all coherence orders, and evaluates the model on each with plain bit-set relations. It shares
with the solver the events and what the test fixes of them (`statics`), the values that a read may be guessed to return
where its value depends on itself (`domains`) with the proof that a model allows no such value, how values are computed,
and the meaning of cat's operators; but neither bounds, nor formulas, nor how a model is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations, product

from axmem.encoder.branching import Arms, paths, taken
from axmem.encoder.domains import THIN_AIR, sources_of
from axmem.encoder.limits import Limit, Reason
from axmem.encoder.oracle_terms import Terms, asked_of_co, known_from_the_start, plan_of
from axmem.encoder.oracle_values import ReadValues
from axmem.encoder.orders import every
from axmem.encoder.statics import check_foreign, check_meanings, statics
from axmem.events.graph import Event, EventGraph, EventKind
from axmem.events.values import UNDEF, Constant, Value
from axmem.front.records import dataclass
from axmem.litmus.undef import shown
from axmem.model import relation as rel
from axmem.model.evaluation import Values, holds
from axmem.model.model import Model
from axmem.model.relation import Relation, bits
from axmem.model.terms import Term

Row = tuple[tuple[Value, ...], ...]
"""An outcome: for each observed value its lanes."""


@dataclass(frozen=True, slots=True)
class Enumeration:
    """What the oracle found: outcomes, names of flags raised, reasons of undefined behaviour, and what cut them."""

    outcomes: frozenset[Row]
    flags: frozenset[str]
    undefined: frozenset[str]
    incomplete: tuple[Reason, ...]


def enumerate_outcomes(graph: EventGraph, model: Model) -> Enumeration:
    """Return every outcome of a test's events under a model: a row of lanes for each, in the order of `graph.observed`.

    Raises InputError for a primitive without a meaning. Takes time that grows with the product of all choices.
    """
    return _Oracle(graph, model).run()


class _Oracle:
    def __init__(self, graph: EventGraph, model: Model) -> None:
        self.graph = graph
        self.model = model
        check_meanings(model, "the oracle", graph.levels)
        check_foreign(graph, model)
        self.statics = statics(graph)
        self.size = len(graph.events)
        self.final_by_model = "Fin" in model.base_names
        self.sources = sources_of(graph)
        self.values = ReadValues(graph, self.sources, undef=bool(model.undefs))
        self.fixed = known_from_the_start(model)
        self.plan = plan_of(model)
        self.terms = Terms(model, self.size)
        self.ordered: dict[int, int] = {}
        self.outcomes: set[Row] = set()
        self.flags: set[str] = set()
        self.undefined: set[str] = set()
        self.cut: tuple[str, ...] = ()
        self.beyond: set[str] = set()
        self.forbidden = model.analyses.recursion.forbids_thin_air(across=graph.across)
        self.untried = False
        """Whether values form a cycle in a consistent execution, and nothing bounds them."""

    def run(self) -> Enumeration:
        for arms in paths(self.graph):
            self._path(arms)
        reasons = [Reason(Limit.LOOPS, text) for text in sorted(self.beyond)]
        return Enumeration(
            frozenset(self.outcomes),
            frozenset(self.flags),
            frozenset(self.undefined),
            (*([THIN_AIR] if self.untried else []), *reasons),
        )

    def _path(self, arms: Arms) -> None:
        """Enumerate the executions of one set of control paths."""
        self.cut = tuple(b.reason for b in self.graph.beyond if taken(b.guard, arms))
        if self.cut and self.beyond.issuperset(self.cut):
            return
        executed = 0
        for e in self.graph.events:
            if taken(e.guard, arms) and (self.final_by_model or e.kind is not EventKind.FINAL):
                executed |= 1 << e.index
        self.terms.update(self.fixed, self._restricted(executed))
        reads = [r for r in self.sources if executed >> r & 1]
        options = [self._options(r, executed) for r in reads]
        for chosen in product(*options):
            rf = dict(zip(reads, chosen, strict=True))
            self._reads_from(arms, executed, rf)

    def _options(self, read: int, executed: int) -> list[int | None]:
        writes: list[int | None] = [w for w in self.sources[read] if executed >> w & 1]
        return [None, *writes] if self.model.undefs else writes

    def _restricted(self, executed: int) -> Callable[[Term], int | Relation]:
        def base(term: Term) -> int | Relation:
            value = self.statics.value(term)
            if isinstance(value, int):
                return value & executed
            return rel.restrict(executed, value, executed)

        return base

    def _reads_from(self, arms: Arms, executed: int, rf: dict[int, int | None]) -> None:
        """Check one reads-from map: values, choices, then the part of the model that does not depend on co."""
        allowed = partial(self._any, executed, rf)
        found = [a for a in self.values.assignments(rf, arms, {}, allowed) if self.values.feasible(arms, a)]
        for co in self._executions(executed, rf) if found else ():
            for assignment in found:
                self._record(arms, executed, assignment, co, self.terms.values)
        if not (self.forbidden or self.untried):
            self.untried = self.values.others(arms, rf) is not None and self._any(executed, rf)

    def _any(self, executed: int, rf: dict[int, int | None]) -> bool:
        """Tell whether some execution with this reads-from map is consistent, whatever the values are."""
        return next(self._executions(executed, rf), None) is not None

    def _executions(self, executed: int, rf: dict[int, int | None]) -> Iterator[Relation]:
        """Yield the coherence order of each consistent execution with this reads-from map."""
        rows = [0] * self.size
        for r, w in rf.items():
            if w is not None:
                rows[w] |= 1 << r
        relation = rel.relation(rows)
        if not self._passes(1, rf, lambda _: relation):
            return
        values = self.terms.values
        others = list(self._orders(values))
        for co in self._coherence_orders(executed, values):
            for orders in others:
                if self._passes(2, rf, partial(_chosen, orders, co)):
                    yield co

    def _orders(self, values: Values) -> Iterator[dict[Term, Relation]]:
        """Yield every choice of the orders that the model asks for besides `co`."""
        terms = [self.model.terms[index] for index in self.model.analyses.chosen_orders]
        for chosen in product(*(every(values[term.arguments[0]], self.size) for term in terms)):
            yield dict(zip(terms, chosen, strict=True))

    def _passes(self, stage: int, rf: dict[int, int | None], chosen: Callable[[Term], Relation]) -> bool:
        """Evaluate the terms of a stage, given what is chosen for it, and tell whether what they must meet holds.

        It ends with the first rule that is not met: most candidates meet few.
        """
        values = self.terms.values
        for step in self.plan[stage]:
            self.terms.update(step.terms, chosen)
            if step.axiom is not None and holds(step.axiom.kind, values[step.axiom.term]) == step.axiom.negated:
                return False
            if step.undefs and not self._undef_matches(rf, values):
                return False
        return True

    def _undef_matches(self, rf: dict[int, int | None], values: Values) -> bool:
        """Tell whether exactly the reads that the undef rules name read no write."""
        undef = 0
        for rule in self.model.undefs:
            value = values[rule.term]
            assert isinstance(value, int)
            undef |= value
        return all((undef >> r & 1 == 1) == (w is None) for r, w in rf.items())

    def _coherence_orders(self, executed: int, values: Values) -> Iterator[Relation]:
        """Yield every coherence order of the writes whose order the model asks about."""
        if executed not in self.ordered:
            self.ordered[executed] = self._ordered_writes(executed, values)
        relevant = self.ordered[executed]
        by_cell: dict[int, list[Event]] = {}
        for w in bits(relevant):
            by_cell.setdefault(self.graph.events[w].cell, []).append(self.graph.events[w])
        orders = [list(_orders(writes)) for writes in by_cell.values()]
        for chosen in product(*orders):
            if _same_in_all_cells(chosen):
                rows = [0] * self.size
                for order in chosen:
                    after = 0
                    for e in reversed(order):
                        rows[e.index] = after
                        after |= 1 << e.index
                yield rel.relation(rows)

    def _ordered_writes(self, executed: int, values: Values) -> int:
        """Return the writes whose co the model looks at: it may look only at pairs of some static relation."""
        writes = self.statics.set_of("W") & executed
        if not self.final_by_model and any(e.kind is EventKind.FINAL for e in self.graph.events):
            return writes
        asked = asked_of_co(self.model)
        if asked is None:
            return writes
        relevant = 0
        for fixed in asked:
            pairs = rel.cross(writes, writes, self.size)
            for other in fixed:
                value = values[other]
                assert isinstance(value, tuple)
                pairs = rel.intersection(pairs, value)
            different = rel.difference(pairs, self.statics.relation_of("id"))
            relevant |= rel.domain(different) | rel.range_of(different)
        return relevant

    def _record(self, arms: Arms, executed: int, assignment: dict[int, Value], co: Relation, values: Values) -> None:
        if self.cut:
            self.beyond.update(self.cut)
            return
        known = dict(assignment)
        if not self.final_by_model:
            known.update(self._final_values(executed, arms, assignment, co))
        row = tuple(tuple(shown(self.values.value(lane, arms, known)) for lane in o.lanes) for o in self.graph.observed)
        self.outcomes.add(row)
        for u in self.graph.undefined:
            if taken(u.guard, arms) and (u.expr is None or not isinstance(self.values.value(u.expr, arms, known), int)):
                self.undefined.add(u.reason)
        for axiom in self.model.axioms:
            if axiom.flag and holds(axiom.kind, values[axiom.term]) != axiom.negated:
                self.flags.add(axiom.name)

    def _final_values(self, executed: int, arms: Arms, assignment: dict[int, Value], co: Relation) -> dict[int, Value]:
        """Return herd's final values: those of the co-last writes; of a cell that nothing writes undef."""
        found: dict[int, Value] = {}
        for e in self.graph.events:
            if e.kind is EventKind.FINAL:
                writes = [w for w in self.sources[e.index] if executed >> w & 1]
                last = [w for w in writes if not co or not any(co[w] >> x & 1 for x in writes)]
                expr = self.graph.events[last[0]].value if last else Constant(UNDEF)
                assert len(last) <= 1 and expr is not None
                found[e.index] = self.values.value(expr, arms, assignment)
        return found


def _chosen(orders: dict[Term, Relation], co: Relation, term: Term) -> Relation:
    """Return the order that was chosen for a term: one of the model's own, or else `co`."""
    return orders.get(term, co)


def _orders(writes: list[Event]) -> Iterator[tuple[Event, ...]]:
    """Yield the total orders of the writes to one cell, the initial write first."""
    first = tuple(e for e in writes if e.kind is EventKind.INIT)
    for order in permutations([e for e in writes if e.kind is not EventKind.INIT]):
        yield first + order


def _same_in_all_cells(orders: tuple[tuple[Event, ...], ...]) -> bool:
    """Tell whether accesses with one footprint stand in one order in all their cells."""
    seen: set[tuple[int, int]] = set()
    for order in orders:
        for i, a in enumerate(order):
            for b in order[i + 1 :]:
                if len(a.footprint) > 1 and a.footprint == b.footprint:
                    if (b.access, a.access) in seen:
                        return False
                    seen.add((a.access, b.access))
    return True
