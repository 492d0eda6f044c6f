"""The second engine: outcomes by brute force, without a solver.

What goes in: a test and a model. What comes out: every outcome, with what else was observed. It walks all choices,
all reads-from maps and all coherence orders, and evaluates the model on each with plain bit-set relations. It shares
with the solver the events and what the test fixes of them (`statics`), the values that a read may be guessed to return
where its value depends on itself (`domains`) with the proof that a model allows no such value, how values are computed,
and the meaning of cat's operators; but neither bounds, nor formulas, nor how a model is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial, reduce
from itertools import permutations, product
from operator import or_

from axmem.encoder.branching import Arms, goes, paths, taken
from axmem.encoder.domains import THIN_AIR, Domains, domains, sources_of
from axmem.encoder.limits import Limit, Reason
from axmem.encoder.orders import every, orders_of
from axmem.encoder.recursion import forbids_thin_air
from axmem.encoder.statics import check_foreign, check_meanings, statics
from axmem.events.graph import Event, EventGraph, EventKind
from axmem.events.values import UNDEF, Constant, Expr, Pick, ReadOf, Value, evaluate, operands
from axmem.front.records import dataclass
from axmem.model import relation as rel
from axmem.model.evaluation import Values, applications, holds, operations, order_of, run_fixpoint, stages
from axmem.model.relation import Relation, bits
from axmem.model.terms import Axiom, Model, Op, Term

Row = tuple[tuple[Value, ...], ...]
"""An outcome: for each observed value its lanes."""


@dataclass(frozen=True, slots=True)
class Enumeration:
    """What the oracle found: outcomes, names of flags raised, reasons of undefined behaviour, and what cut them."""

    outcomes: frozenset[Row]
    flags: frozenset[str]
    undefined: frozenset[str]
    incomplete: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """Terms to evaluate, as bits, and what is to be met then: an axiom, or that reads are undef where rules say so."""

    terms: int
    axiom: Axiom | None = None
    undefs: bool = False


def _joined(sets: Iterable[int]) -> int:
    """Return the union of sets of terms, each as bits."""
    return reduce(or_, sets, 0)


@lru_cache(maxsize=256)
def _plan(model: Model) -> tuple[tuple[_Step, ...], ...]:
    """Return the steps by what they depend on (nothing; `rf`; `co`), the cheapest first, at last what is left over."""
    stage, order, inputs = stages(model), order_of(model), _inputs(model)
    needed: dict[int, int] = {}
    for index in order:
        needed[index] = 1 << index
        for argument in inputs[index]:
            needed[index] |= needed[argument]
    undefs = _joined(needed[u.term] for u in model.undefs)
    last = max([1, *(stage[u.term] for u in model.undefs)])
    due: list[tuple[int, Axiom | None, int]] = [
        *((max(1, stage[a.term]), a, needed[a.term]) for a in model.axioms if not a.flag), (last, None, undefs),
    ]  # fmt: skip
    known = _joined(1 << index for index in order if stage[index] == 0)
    plan: list[list[_Step]] = [[], [], []]
    for now in (1, 2):
        while some := [check for check in due if check[0] == now]:
            chosen = min(some, key=lambda check: (check[2] & ~known).bit_count())
            due.remove(chosen)
            _, axiom, asked = chosen
            plan[now].append(_Step(asked & ~known, axiom, axiom is None))
            known |= asked
        left = _joined(1 << index for index in order if stage[index] == now) & ~known
        plan[now].append(_Step(left))
        known |= left
    return tuple(map(tuple, plan))


@lru_cache(maxsize=256)
def _inputs(model: Model) -> tuple[tuple[int, ...], ...]:
    """Return for every term those of which its value is made; of a fixpoint those outside that its rounds ask for."""
    found = [arguments for _, arguments in operations(model)]
    for index, term in enumerate(model.terms):
        if term.op is Op.ORDER:
            # What it orders is known, and the same whatever order is chosen.
            found[index] = ()
        if term.op is Op.FIX:
            fixpoint = model.fixpoints[term.fixpoint]
            inside = {*fixpoint.members, *fixpoint.variables}
            asked = {a for m in fixpoint.members for a in found[m]} | set(fixpoint.bodies)
            found[index] = tuple(sorted(asked - inside))
    return tuple(found)


@lru_cache(maxsize=256)
def _users(model: Model) -> tuple[int, ...]:
    """Return for every term, as bits, the terms whose values are made of its value; and above them the fixpoints."""
    users = [0] * len(model.terms)
    inputs = _inputs(model)
    for index in order_of(model):
        term = model.terms[index]
        user = 1 << index if term.op is not Op.FIX else 1 << index | 1 << len(model.terms) + term.fixpoint
        for argument in inputs[index]:
            users[argument] |= user
    return tuple(users)


@lru_cache(maxsize=256)
def _asked_of_co(model: Model) -> tuple[tuple[int, ...], ...] | None:
    """Return the relations, known from the start, with which a model intersects `co`; None if it asks for all of it."""
    stage, terms = stages(model), model.terms
    roots = {a.term for a in model.axioms} | {b for f in model.fixpoints for b in f.bodies}

    def is_co(index: int) -> bool:
        return terms[index].op is Op.BASE and terms[index].name == "co"

    users = [terms[index] for index in model.reached if any(map(is_co, terms[index].arguments))]
    if any(map(is_co, roots)) or any(user.op is not Op.INTERSECTION for user in users):
        return None
    return tuple(tuple(a for a in user.arguments if stage[a] == 0) for user in users)


_CHOSEN = (Op.BASE, Op.TAGGED, Op.ORDER)
"""Terms that are given for each execution."""


@lru_cache(maxsize=256)
def _primitives(model: Model) -> int:
    """Return the primitives of a model, and the orders that it chooses, as bits."""
    return _joined(1 << index for index, term in enumerate(model.terms) if term.op in _CHOSEN)


class _Terms:
    """The values of a model's terms on one execution after another.

    From one to the next little changes, so that a term is evaluated again only if what it is made of has changed.
    """

    def __init__(self, model: Model, size: int) -> None:
        self.model = model
        self.size = size
        self.values: Values = [0] * len(model.terms)
        self.stale = (1 << len(model.terms) + len(model.fixpoints)) - 1
        """The terms, and above them the fixpoints, of which something has changed that their values are made of."""
        self.users, self.how, self.primitives = _users(model), applications(model, size), _primitives(model)

    def update(self, order: int, base: Callable[[Term], int | Relation]) -> None:
        """Set the values of terms, given as bits, whose arguments are known or among them, with lower numbers."""
        values, users, how, terms = self.values, self.users, self.how, self.model.terms
        todo = order & (self.stale | self.primitives)
        self.stale &= ~order
        while todo:
            low = todo & -todo
            todo ^= low
            index = low.bit_length() - 1
            term = terms[index]
            op = term.op
            if op in _CHOSEN:
                value = base(term)
            elif op is Op.FIX:
                value = self._fixpoint(term)
            else:
                function, arguments = how[index]
                value = function(*[values[a] for a in arguments])
            if value != values[index]:
                values[index] = value
                self.stale |= users[index] & ~order
                todo |= users[index] & order

    def _fixpoint(self, term: Term) -> int | Relation:
        """Return the value of a recursive definition; all that are defined together are computed with the first."""
        fixpoint = self.model.fixpoints[term.fixpoint]
        mark = 1 << len(self.model.terms) + term.fixpoint
        if self.stale & mark:
            self.stale ^= mark
            run_fixpoint(self.model, term.fixpoint, self.values, self.size)
        return self.values[fixpoint.bodies[term.position]]


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
        self.domains: Domains | None = None
        self.stage = stages(model)
        self.fixed = _joined(1 << index for index in order_of(model) if self.stage[index] == 0)
        self.plan = _plan(model)
        self.terms = _Terms(model, self.size)
        self.ordered: dict[int, int] = {}
        self.outcomes: set[Row] = set()
        self.flags: set[str] = set()
        self.undefined: set[str] = set()
        self.cut: tuple[str, ...] = ()
        self.beyond: set[str] = set()
        self.forbidden = forbids_thin_air(model, across=graph.across)
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

    def _domains(self) -> Domains:
        """Return the values that a read may be guessed to return where its value depends on itself."""
        if self.domains is None:
            undef = self.sources if self.model.undefs else ()
            self.domains = domains(self.graph, self.sources, undef, thin_air=True)
        return self.domains

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
        found = [a for a in self._assignments(rf, arms, {}, allowed) if self._feasible(arms, a)]
        for co in self._executions(executed, rf) if found else ():
            for assignment in found:
                self._record(arms, executed, assignment, co, self.terms.values)
        if not (self.forbidden or self.untried):
            self._try_others(arms, executed, rf)

    def _try_others(self, arms: Arms, executed: int, rf: dict[int, int | None]) -> None:
        """Note whether values form a cycle that nothing bounds, and the execution is consistent.

        A value that was not tried is undef here, of which nothing is known.
        """
        needs = self._needs(rf, arms)
        cyclic = {r for r in rf if r in _reached(needs, r)}
        if not cyclic or not cyclic & self._domains().unbounded:
            return
        unknown: dict[int, Value] = dict.fromkeys(cyclic, UNDEF)

        def read(r: int) -> Value:
            if r not in unknown:
                w = rf[r]
                expr = None if w is None else self.graph.events[w].value
                unknown[r] = UNDEF if expr is None else evaluate(expr, read, arms.__getitem__)
            return unknown[r]

        assignment = {r: read(r) for r in rf}
        if self._feasible(arms, assignment):
            self.untried = self._any(executed, rf)

    def _any(self, executed: int, rf: dict[int, int | None]) -> bool:
        """Tell whether some execution with this reads-from map is consistent, whatever the values are."""
        return next(self._executions(executed, rf), None) is not None

    def _assignments(
        self, rf: dict[int, int | None], arms: Arms, guessed: dict[int, Value], allowed: Callable[[], bool]
    ) -> Iterator[dict[int, Value]]:
        """Yield what each read returns; where a value depends on itself, guess it from the read's domain.

        There are many guesses, and mostly no execution of the model in which values depend on themselves: `allowed`
        is asked for one before the first guess.
        """
        found: dict[int, Value] = dict(guessed)
        active: set[int] = set()
        loop: list[int] = []

        def read(r: int) -> Value:
            if r in found:
                return found[r]
            if r in active:
                loop.append(r)
                return UNDEF
            active.add(r)
            found[r] = source_value(r)
            return found[r]

        def source_value(r: int) -> Value:
            w = rf[r]
            if w is None:
                return UNDEF
            expr = self.graph.events[w].value
            assert expr is not None
            return evaluate(expr, read, arms.__getitem__)

        for r in rf:
            read(r)
            if loop:
                if guessed or allowed():
                    yield from self._guesses(rf, arms, guessed, loop[0], allowed)
                return
        if any(source_value(r) != value for r, value in guessed.items()):
            return
        if self._undef_begins(rf, arms, found, guessed):
            yield found

    def _guesses(
        self,
        rf: dict[int, int | None],
        arms: Arms,
        guessed: dict[int, Value],
        read: int,
        allowed: Callable[[], bool],
    ) -> Iterator[dict[int, Value]]:
        for value in self._domains().reads[read]:
            yield from self._assignments(rf, arms, {**guessed, read: value}, allowed)

    def _undef_begins(
        self, rf: dict[int, int | None], arms: Arms, found: dict[int, Value], guessed: dict[int, Value]
    ) -> bool:
        """Tell whether each undef that was guessed comes from one that begins somewhere.

        It begins where a read is undef unread, and where what is written is undef although no read that it is computed
        from is, or whatever these return.
        """
        if UNDEF not in guessed.values():
            return True
        needs = self._needs(rf, arms)

        def begins(r: int) -> bool:
            w = rf[r]
            expr = None if w is None else self.graph.events[w].value
            if expr is None or evaluate(expr, lambda _: 0, arms.__getitem__) is UNDEF:
                return True
            return found[r] is UNDEF and not any(found[other] is UNDEF for other in needs[r])

        return all(
            any(begins(r) for r in {read, *_reached(needs, read)}) for read, value in guessed.items() if value is UNDEF
        )

    def _needs(self, rf: dict[int, int | None], arms: Arms) -> dict[int, frozenset[int]]:
        """Return for each read those from which what it reads was computed."""
        needs: dict[int, frozenset[int]] = {}
        for r, w in rf.items():
            expr = None if w is None else self.graph.events[w].value
            needs[r] = frozenset() if expr is None else _reads(expr, arms)
        return needs

    def _value(self, expr: Expr, arms: Arms, assignment: dict[int, Value]) -> Value:
        return evaluate(expr, assignment.__getitem__, arms.__getitem__)

    def _feasible(self, arms: Arms, assignment: dict[int, Value]) -> bool:
        """Tell whether every choice goes the way its value says and every requirement is met."""
        for index, arm in arms.items():
            choice = self.graph.choices[index]
            if choice.expr is None:
                continue
            if not goes(choice, arm, self._value(choice.expr, arms, assignment)):
                return False
        return all(self._value(r.expr, arms, assignment) != 0 for r in self.graph.requires if taken(r.guard, arms))

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
        terms = [self.model.terms[index] for index in orders_of(self.model)]
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
        asked = _asked_of_co(self.model)
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
        row = tuple(tuple(self._value(lane, arms, known) for lane in o.lanes) for o in self.graph.observed)
        self.outcomes.add(row)
        for u in self.graph.undefined:
            if taken(u.guard, arms) and (u.expr is None or self._value(u.expr, arms, known) is UNDEF):
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
                found[e.index] = self._value(expr, arms, assignment)
        return found


def _reads(expr: Expr, arms: Arms) -> frozenset[int]:
    """Return the reads from which an expression is computed where choices take these arms."""
    found: set[int] = set()
    seen: set[Expr] = set()
    stack = [expr]
    while stack:
        part = stack.pop()
        if part in seen:
            continue
        seen.add(part)
        if isinstance(part, Pick):
            stack += [part.arms[arms[part.choice]]] if part.choice in arms else []
        else:
            stack += operands(part)
            found |= {part.event} if isinstance(part, ReadOf) else set()
    return frozenset(found)


def _reached(needs: dict[int, frozenset[int]], read: int) -> set[int]:
    """Return the reads from whose values, directly or not, that of a read comes."""
    seen: set[int] = set()
    stack = list(needs[read])
    while stack:
        other = stack.pop()
        if other not in seen:
            seen.add(other)
            stack += needs.get(other, ())
    return seen


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
