"""One execution of a test: found by the solver, evaluated without it.

What goes in: a test's events, a model, and what the execution is to be like. What comes out: an `Execution`, or a
minimal set of rules that excludes it and the execution that breaks the fewest of all rules (no single one of those
broken could be kept). Invariant: what an execution says of the model's relations comes from evaluating the model on
its reads-from and coherence order with plain relations, not from the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.constraints import DEFINED, Encoding, Rule, encode
from axmem.encoder.cores import NO_SUCH_VALUE
from axmem.encoder.events import EventGraph, Kind
from axmem.encoder.solver import SAT, UNSAT, Query, Session
from axmem.encoder.statics import Statics
from axmem.encoder.values import Value
from axmem.model import evaluation
from axmem.model import relation as rel
from axmem.model.relation import Relation
from axmem.model.terms import AxiomKind, Definition, Model, Term

Goal = Callable[[Encoding], int]
"""Makes the literal that an execution is to satisfy."""


@dataclass(frozen=True)
class Execution:
    """One execution. Sets of events are bit masks, relations rows of them.

    `values` has what each executed read returns and each executed write writes. `co` relates the writes whose order
    the model asks about.
    """

    graph: EventGraph
    model: Model
    executed: int
    rf: Relation
    co: Relation
    values: dict[int, Value]

    @cached_property
    def terms(self) -> evaluation.Values:
        """The value of every term of the model that some rule needs."""
        statics = Statics(self.graph)

        def base(term: Term) -> evaluation.Value:
            if term.name in ("rf", "co") and not term.is_set:
                return self.rf if term.name == "rf" else self.co
            value = statics.value(term)
            executed = self.executed
            return value & executed if isinstance(value, int) else rel.restrict(executed, value, executed)

        return evaluation.evaluate(self.model, base, len(self.graph.events))

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """The definitions that some rule needs, by name."""
        return {d.name: d for d in self.model.definitions if d.term in self.model.reached}

    def relation(self, name: str) -> Relation:
        """Return a relation by the name it has in the model, empty where the model has none; also `rf` and `mo`."""
        if name in ("rf", "mo", "co"):
            found: evaluation.Value = self.rf if name == "rf" else self.co
        else:
            found = self.terms[self.definitions[name].term] if name in self.definitions else 0
        return found if isinstance(found, tuple) and found else (0,) * len(self.graph.events)

    def broken(self) -> tuple[str, ...]:
        """Return the names of the axioms that fail, of the undef rules that are not obeyed, and `defined`."""
        failed = [a.name for a in self.model.axioms if not a.flag and self._fails(a.term, a.negated, a.kind)]
        unread = self._unread()
        named = 0
        for rule in self.model.undefs:
            members = self.terms[rule.term]
            assert isinstance(members, int)
            named |= members
            failed += [rule.name] if members & ~unread else []
        if self.model.undefs and unread & ~named:
            failed.append(DEFINED.name)
        return tuple(dict.fromkeys(failed))

    def _fails(self, term: int, negated: bool, kind: AxiomKind) -> bool:
        return evaluation.holds(kind, self.terms[term]) == negated

    def _unread(self) -> int:
        """Return the executed reads that read from no write."""
        kinds = (Kind.READ, Kind.FINAL) if "Fin" in self.model.base_names else (Kind.READ,)
        reads = sum(1 << e.index for e in self.graph.events if e.kind in kinds and self.executed >> e.index & 1)
        return reads & ~rel.range_of(self.rf)


@dataclass(frozen=True, slots=True)
class Excluded:
    """Why no execution is as wanted: a minimal set of rules, and one that breaks as few rules as can be.

    `closest` is None where the program cannot compute what is wanted.
    """

    rules: tuple[Rule, ...]
    closest: Execution | None


def witness(
    graph: EventGraph, model: Model, goal: Goal, session: Session | None = None, timeout_ms: int = 0
) -> Execution | Excluded | str:
    """Return an execution that meets the goal, or what excludes every one; a limit that was reached, as text."""
    encoding = encode(graph, model, selectable=True)
    assert encoding is not None
    wanted = [x for x in (goal(encoding), -encoding.beyond) if x != TRUE]
    if FALSE in wanted:
        return Excluded((NO_SUCH_VALUE,), None)
    search = _Search(encoding, wanted, session or Session(), timeout_ms)
    try:
        return search.found(graph, model)
    except _Unknown as unknown:
        return str(unknown)


class _Unknown(Exception):
    """A limit was reached; its name."""


class _Search:
    """The questions to one encoding."""

    def __init__(self, encoding: Encoding, wanted: list[int], session: Session, timeout_ms: int) -> None:
        candidate = encoding.candidate
        self.encoding = encoding
        self.wanted = wanted
        self.timeout_ms = timeout_ms
        self.coherence = candidate.coherence_literals()
        self.sources = {(w, r): x for r, found in candidate.sources.items() for w, x in found.items()}
        self.reads = {(r, value): x for r in candidate.sources for value, x in candidate.read(r).items()}
        self.writes = {
            (e.index, value): x
            for e in candidate.graph.events
            if e.value is not None
            for value, x in candidate.value(e.value).items()
        }
        self.literals = {
            *self.coherence.values(), *self.sources.values(), *self.reads.values(), *self.writes.values(),
            *candidate.executed,
        }  # fmt: skip
        asked = {*self.literals, *wanted, *encoding.rules.values()} - {TRUE, FALSE}
        clauses = encoding.circuit.all_clauses(sorted(asked))
        self.query = Query(session, encoding.circuit.variables, clauses)

    def found(self, graph: EventGraph, model: Model) -> Execution | Excluded:
        rules = self.encoding.rules
        if self.possible(rules.values()):
            return self.execution(graph, model)
        if not self.possible(()):
            return Excluded((NO_SUCH_VALUE,), None)
        core = dict(rules)
        for rule in rules:
            rest = {r: x for r, x in core.items() if r is not rule}
            if not self.possible(rest.values()):
                core = rest
        kept: list[int] = []
        for _, literal in sorted(rules.items(), key=lambda item: item[0] in core):
            if self.possible((*kept, literal)):
                kept.append(literal)
        assert self.possible(kept)
        return Excluded(tuple(core), self.execution(graph, model))

    def possible(self, selectors: Iterable[int]) -> bool:
        answer = self.query.check([*self.wanted, *selectors], self.timeout_ms)
        if answer not in (SAT, UNSAT):
            raise _Unknown(self.query.why)
        return answer == SAT

    def execution(self, graph: EventGraph, model: Model) -> Execution:
        """Return the execution of the last solution."""
        truth = self.query.solution(self.literals - {TRUE, FALSE}) | {TRUE: True, FALSE: False}
        executed = sum(1 << i for i, x in enumerate(self.encoding.candidate.executed) if truth[x])
        if "Fin" not in model.base_names:
            executed &= ~sum(1 << e.index for e in graph.events if e.kind is Kind.FINAL)
        values: dict[int, Value] = {}
        for (event, value), literal in (*self.reads.items(), *self.writes.items()):
            if truth[literal] and executed >> event & 1:
                values[event] = value
        return Execution(
            graph, model, executed, self._pairs(self.sources, truth, executed),
            self._pairs(self.coherence, truth, executed), values,
        )  # fmt: skip

    def _pairs(self, literals: dict[tuple[int, int], int], truth: dict[int, bool], executed: int) -> Relation:
        rows = [0] * len(self.encoding.candidate.graph.events)
        for (a, b), literal in literals.items():
            if truth[literal] and executed >> a & executed >> b & 1:
                rows[a] |= 1 << b
        return rel.relation(rows)

