"""A test under a model as one circuit.

What goes in: a test's events and a model. What comes out: an `Encoding`: the clauses that its consistent executions
satisfy, and the literals from which an outcome, a flag or undefined behaviour is read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce
from operator import or_

from axmem.encoder.bounds import Bounds, bounds
from axmem.encoder.circuit import FALSE, Circuit
from axmem.encoder.domains import THIN_AIR
from axmem.encoder.execution import Candidate, EncodingSettings, Execution, OneHot
from axmem.encoder.limits import Limit, Reason
from axmem.encoder.literals import Literals, Pair
from axmem.encoder.orders import Orders
from axmem.encoder.statics import check_foreign, check_meanings, statics
from axmem.encoder.thin_air import constrain_values
from axmem.events.graph import EventGraph
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError
from axmem.front.typing import override
from axmem.litmus.undef import POISONED, UNDEF
from axmem.model.model import Model
from axmem.model.relation import bits, closure, intersection, inverse
from axmem.model.terms import Axiom, AxiomKind, Doc, Op


@dataclass(frozen=True, slots=True)
class Encoding:
    """The clauses of a query and what to read from its solutions.

    `lanes[k][l]` are the literals of the values of lane l of the k-th observed value. `flags` and `undefined` name
    literals that may be assumed; so is `beyond`, that an execution is not represented whole, for one of the `reasons`
    (a value lies outside the finite domains, a loop goes on beyond its bound). `limits` says in words what the
    enumeration leaves out whatever it finds. `rules` gives, if they were asked for, the literal under which each axiom
    is asserted, then each undef rule. `candidate` has the literals of an execution's choices, `orders` those of what
    else the model has it choose, `literals` of the model's terms. `stops` names what the clauses of the circuit assert,
    in their order, each with the number of clauses up to its last.
    """

    circuit: Circuit
    lanes: tuple[tuple[OneHot, ...], ...]
    flags: dict[str, int]
    undefined: dict[str, int]
    beyond: int
    reasons: dict[Reason, int]
    limits: tuple[Reason, ...]
    rules: dict[ModelRule, int]
    candidate: Candidate
    orders: Orders
    literals: Literals
    stops: tuple[tuple[str, int], ...]

    @property
    def parts(self) -> tuple[ClauseGroup, ...]:
        """The clauses by what they assert."""
        starts = (0, *(stop for _, stop in self.stops))
        ranges = zip(starts, self.stops, strict=False)
        return tuple(ClauseGroup(name, range(start, stop)) for start, (name, stop) in ranges)


@dataclass(frozen=True, slots=True)
class ClauseGroup:
    """Clauses of a circuit that stand together, and what they assert: the name of an axiom, or what candidates obey."""

    name: str
    clauses: range


@dataclass(frozen=True, slots=True)
class ModelRule:
    """A named part of a model that can exclude an execution: an axiom, an undef rule, or `DEFINED`."""

    name: str
    doc: Doc


DEFINED = ModelRule("defined", Doc(text="a read that no undef rule names returns the value of a write"))
"""The other half of the undef rules."""


def encode(
    graph: EventGraph,
    model: Model,
    *,
    selectable: bool = False,
    expired: Callable[[], bool] = lambda: False,
) -> Encoding | None:
    """Build the circuit of a test's consistent executions under a model.

    If `selectable`, each rule of the model holds only under a literal of its own, and coherence orders all writes to a
    cell, whether the model asks or not. Return None if the time is found to have `expired` on the way.
    """
    refuse_unsupported(model)
    check_meanings(model, "the solver", graph.levels)
    check_foreign(graph, model)
    spare = not selectable
    found = bounds(graph, model, statics(graph), prune=spare, spare=spare)
    settings = EncodingSettings("Fin" not in model.base_names, thin_air=selectable or _thin_air(graph, model))
    undefined = may_be_undef(model, found, selectable=selectable)
    circuit = Circuit()
    candidate = Candidate(graph, found, circuit, undefined, settings)

    def primitive(name: str, i: int, j: int) -> int:
        return candidate.source(i, j) if name == "rf" else candidate.coherence(i, j)

    orders = Orders(model, found, circuit, candidate.executed)
    literals = OrderedLiterals(model, found, circuit, candidate.executed, primitive, orders)
    rules: dict[ModelRule, int] = {}
    undef_rules: dict[ModelRule, int] = {}
    undef = _selectable_undef(literals, candidate, undef_rules) if selectable else undef_of(literals, candidate)
    stops: list[tuple[str, int]] = []

    def note(name: str) -> None:
        stops.append((name, len(circuit.clauses)))

    note("choices and rules that may be off")
    candidate.constrain_reads(undef)
    note("each read has one source")
    constrain_values(candidate)
    note("values")
    candidate.constrain_control()
    note("control")
    flags: dict[str, int] = {}
    for axiom in model.axioms:
        if expired():
            return None
        if axiom.flag:
            flags[axiom.name] = circuit.either(flags.get(axiom.name, FALSE), truth_of(literals, axiom))
            continue
        first = len(circuit.clauses)
        assert_axiom(literals, axiom)
        if selectable and len(circuit.clauses) > first:
            selector = rules[ModelRule(axiom.name, axiom.doc)] = circuit.variable()
            circuit.clauses[first:] = [(-selector, *clause) for clause in circuit.clauses[first:]]
        note(axiom.name)
    lanes = tuple(tuple(_shown(circuit, candidate.value(lane)) for lane in o.lanes) for o in graph.observed)
    behaviour = candidate.undefined_behaviour()
    if selectable:
        candidate.order_all_writes()
        orders.ask_all()
    candidate.constrain_orders()
    orders.constrain()
    note("coherence is an order")
    if literals.unproved or (selectable and model.fixpoints):
        circuit.cut_cycles()
    limits = limits_of(candidate)
    reasons = _beyond(candidate)
    beyond = circuit.disjunction(list(reasons.values()))
    return Encoding(
        circuit=circuit,
        lanes=lanes,
        flags=flags,
        undefined=behaviour,
        beyond=beyond,
        reasons=reasons,
        limits=limits,
        rules=rules | undef_rules,
        candidate=candidate,
        orders=orders,
        literals=literals,
        stops=tuple(stops),
    )


class OrderedLiterals(Literals):
    """Literals of a model that has executions choose orders besides `co`."""

    def __init__(
        self,
        model: Model,
        found: Bounds,
        circuit: Circuit,
        executed: list[int],
        primitive: Callable[[str, int, int], int],
        orders: Orders,
    ) -> None:
        super().__init__(model, found, circuit, executed, primitive)
        self._orders = orders

    @override
    def order(self, term: int, i: int, j: int) -> int:
        """Return the literal of a pair of an order that an execution chooses."""
        return self._orders.literal(term, i, j)


def _thin_air(graph: EventGraph, model: Model) -> bool:
    """Tell whether a value may come from thin air, as far as the model says plainly."""
    return not model.analyses.recursion.forbids_thin_air(across=graph.across)


def _beyond(candidate: Candidate) -> dict[Reason, int]:
    """Return what an encoding does not represent, each with the literal that an execution has it."""
    found = {
        Reason(Limit.VALUES, "a value lies outside the finite domains"): candidate.beyond, THIN_AIR: candidate.untried,
    }  # fmt: skip
    loops: dict[str, list[int]] = {}
    for each in candidate.graph.beyond:
        loops.setdefault(each.reason, []).append(candidate.guard(each.guard))
    found |= {Reason(Limit.LOOPS, text): candidate.circuit.disjunction(parts) for text, parts in loops.items()}
    return {reason: literal for reason, literal in found.items() if literal != FALSE}


def _shown(circuit: Circuit, values: OneHot) -> OneHot:
    """Return values as outcomes show them."""
    if POISONED not in values:
        return values
    rest: OneHot = {value: literal for value, literal in values.items() if value is not POISONED}
    return {**rest, UNDEF: circuit.either(values[POISONED], rest.get(UNDEF, FALSE))}


def may_be_undef(model: Model, found: Bounds, *, selectable: bool = False) -> frozenset[int]:
    """Return the events that some undef rule may name (all, where rules can be switched off)."""
    if not model.undefs:
        return frozenset()
    masks = [found.may[rule.term] for rule in model.undefs]
    return frozenset(bits(found.present if selectable else reduce(or_, [m for m in masks if isinstance(m, int)])))


def undef_of(literals: Literals, candidate: Execution) -> dict[int, int]:
    """A read is undef exactly where a rule of the model says so."""
    rules = literals.model.undefs
    return {
        r: literals.circuit.disjunction([literals.member(rule.term, r) for rule in rules]) for r in candidate.sources
    }


def _selectable_undef(literals: Literals, candidate: Candidate, rules: dict[ModelRule, int]) -> dict[int, int]:
    """The same with each rule under a literal of its own: a rule that is off neither forces nor explains an undef."""
    circuit = literals.circuit
    if not literals.model.undefs:
        return {}
    undef = {r: circuit.variable() for r in candidate.sources}
    selectors = [(rule, circuit.variable()) for rule in literals.model.undefs]
    defined = rules[DEFINED] = circuit.variable()
    rules.update({ModelRule(rule.name, rule.doc): selector for rule, selector in selectors})
    for r, literal in undef.items():
        members = [literals.member(rule.term, r) for rule, _ in selectors]
        for (_, selector), member in zip(selectors, members, strict=True):
            circuit.add(-selector, -member, literal)
        circuit.add(-defined, -literal, *members)
    return undef


def limits_of(candidate: Candidate) -> tuple[Reason, ...]:
    """Return why some executions of a candidate are not represented."""
    return (Reason(Limit.VALUES, "a value's domain was cut"),) if candidate.domains.cut else ()


@lru_cache(maxsize=256)
def refuse_unsupported(model: Model) -> None:
    """Raise InputError for stations of `through` that are not pointwise: their bounds would not be exact."""
    exact = model.analyses.pointwise
    for index in model.reached:
        term = model.terms[index]
        if term.op is Op.THROUGH and not exact.issuperset(term.arguments[2:]):
            axiom = model.axioms[0]
            message = "the last two arguments of `through` must be pointwise: of primitives but rf and co, without `;`"
            raise InputError([Diagnostic(axiom.source, axiom.span, message)])
    for index in model.analyses.chosen_orders:
        if model.analyses.stages[model.terms[index].arguments[0]] > 0:
            axiom = model.axioms[0]
            message = f"what `{model.terms[index].name}` orders must be fixed by the test: not depend on rf or an order"
            raise InputError([Diagnostic(axiom.source, axiom.span, message)])


def assert_axiom(literals: Literals, axiom: Axiom) -> None:
    """Assert an axiom: clauses that every consistent execution satisfies, over the literals of its term."""
    circuit = literals.circuit
    if axiom.negated:
        circuit.add(truth_of(literals, axiom))
        return
    if literals.none(axiom.term):
        return
    if literals.terms[axiom.term].is_set:
        for i in _members(literals, axiom.term):
            circuit.refute(literals.member(axiom.term, i))
        return
    match axiom.kind:
        case AxiomKind.EMPTY:
            # No pair is in the relation.
            for i, j in literals.possible(axiom.term):
                circuit.refute(literals.pair(axiom.term, i, j))
        case AxiomKind.IRREFLEXIVE:
            # No event is related to itself.
            for i, row in enumerate(literals.rows(axiom.term)):
                if row >> i & 1:
                    circuit.refute(literals.pair(axiom.term, i, i))
        case AxiomKind.ACYCLIC:
            edges = {(i, j): literals.pair(axiom.term, i, j) for i, j in _on_cycles(literals, axiom.term)}
            assert_acyclic(circuit, edges)


def assert_acyclic(circuit: Circuit, edges: dict[Pair, int]) -> None:
    """Assert that edges form no cycle, eliminating one event after the other.

    Whoever reaches an event and whoever it reaches become neighbours: "if a → k and k → b, then a → b".
    """
    table = {p: x for p, x in edges.items() if x != FALSE}
    successors: dict[int, set[int]] = {}
    predecessors: dict[int, set[int]] = {}
    for i, j in table:
        successors.setdefault(i, set()).add(j)
        predecessors.setdefault(j, set()).add(i)
    derived: set[Pair] = set()
    left = successors.keys() | predecessors.keys()
    for i in list(left):
        if (i, i) in table:
            circuit.refute(table.pop((i, i)))
            successors[i].discard(i)
            predecessors[i].discard(i)
    while left:
        k = min(left, key=lambda e: (len(successors.get(e, ())) * len(predecessors.get(e, ())), e))
        left.remove(k)
        before, after = predecessors.pop(k, set()), successors.pop(k, set())
        for b in after:
            predecessors[b].discard(k)
        for a in before:
            successors[a].discard(k)
            for b in after:
                if a == b:
                    circuit.add(-table[a, k], -table[k, a])
                    continue
                if (a, b) not in derived:
                    # What an edge implies is a variable of its own: reaching b does not make the edge itself hold.
                    derived.add((a, b))
                    edge = table.get((a, b), FALSE)
                    table[a, b] = circuit.variable()
                    if edge != FALSE:
                        circuit.entail(table[a, b], edge)
                    successors.setdefault(a, set()).add(b)
                    predecessors.setdefault(b, set()).add(a)
                circuit.entail(table[a, b], table[a, k], table[k, b])


def _on_cycles(literals: Literals, term: int) -> list[Pair]:
    """Return the possible pairs that lie on a cycle of possible pairs."""
    rows = literals.rows(term)
    reach = closure(rows)
    back = intersection(rows, inverse(reach))
    return [(i, j) for i, row in enumerate(back) for j in bits(row)]


def _members(literals: Literals, term: int) -> list[int]:
    may = literals.may[term]
    assert isinstance(may, int)
    return list(bits(may))


def truth_of(literals: Literals, axiom: Axiom) -> int:
    """Return the literal that an axiom's statement holds (with its negation, if it has one)."""
    circuit = literals.circuit
    if literals.terms[axiom.term].is_set:
        violations = [literals.member(axiom.term, i) for i in _members(literals, axiom.term)]
    elif axiom.kind is AxiomKind.EMPTY:
        violations = [literals.pair(axiom.term, i, j) for i, j in literals.possible(axiom.term)]
    elif axiom.kind is AxiomKind.IRREFLEXIVE:
        violations = [literals.pair(axiom.term, i, i) for i in range(literals.size)]
    else:
        edges = {(i, j): literals.pair(axiom.term, i, j) for i, j in _on_cycles(literals, axiom.term)}
        violations = [circuit.cyclic(edges)]
    violated = circuit.disjunction(violations)
    return violated if axiom.negated else -violated
