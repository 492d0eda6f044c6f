"""One test followed through all stages of the engine, with what each hands to the next.

What goes in: a test and a model. What comes out: tables, stage by stage: the events, what the test fixes, the bounds of
the definitions, the circuit, an execution for each outcome, the outcomes. Every value is read off what the engine uses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain, permutations

from axmem.check.results import result_of
from axmem.encoder.bounds import bounds
from axmem.encoder.circuit import AND
from axmem.encoder.constraints import Encoding, encode
from axmem.encoder.engines import Engine
from axmem.encoder.solve import UNLIMITED, Deadline, Questions, answer, answered
from axmem.encoder.solver import Session
from axmem.encoder.statics import Statics
from axmem.encoder.witness import Witnesses
from axmem.events.graph import Guard
from axmem.events.unroll import events_under
from axmem.events.values import Apply, Constant, Expr, Pick, ReadOf, fold
from axmem.explanations.concrete import pairs
from axmem.explanations.names import EventNames, mode, value_text
from axmem.front.records import dataclass
from axmem.litmus.syntax import LitmusTest
from axmem.litmus.words import tag_text
from axmem.model.evaluation import Value
from axmem.model.files import PRELUDE_SOURCE
from axmem.model.model import Model
from axmem.model.primitives import CHOSEN, primitives
from axmem.model.relation import bits
from axmem.model.terms import Op, Term

LONGEST = 400
"""Characters of an expression inside another that are shown."""


@dataclass(frozen=True, slots=True)
class StageTable:
    """What is of one kind at a stage; a cell has a text, a number, or several texts."""

    stage: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | tuple[str, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """The tables of all stages, in order, and whether the outcomes are all there are."""

    tables: tuple[StageTable, ...]
    complete: bool


def trace(test: LitmusTest, model: Model, only: Collection[str] = ()) -> Trace:
    """Follow a test through all stages; `only` names the relations, definitions and rules to show, all if empty.

    The clauses of a rule are listed if it is named.
    """
    tracer = _Tracer(test, model, only)
    stages = (tracer.events, tracer.static, tracer.bounds, tracer.circuit, tracer.executions, tracer.outcomes)
    return Trace(tuple(chain.from_iterable(stage() for stage in stages)), not tracer.result.incomplete)


class _Tracer:
    def __init__(self, test: LitmusTest, model: Model, only: Collection[str]) -> None:
        self.model, self.only = model, only
        self.graph = events_under(test, model)
        self.names, self.statics = EventNames(self.graph), Statics(self.graph)
        encoding = encode(self.graph, model)
        assert encoding is not None
        self.encoding = encoding
        asked = Questions(tuple(range(len(encoding.lanes))))
        found = answer(encoding, asked, UNLIMITED, Deadline(None), engine=Engine.Z3)
        self.solved = answered(found, self.graph, self.model)
        self.result = result_of(test, model, self.graph, self.solved, 0.0)

    def _shown(self, name: str) -> bool:
        return not self.only or name in self.only

    def _facts(self, value: Value) -> tuple[str, ...]:
        if isinstance(value, int):
            return tuple(self.names[i] for i in bits(value))
        return tuple(f"{self.names[i]}→{self.names[j]}" for i, j in pairs(value))

    def _guard(self, guard: Guard) -> str:
        return " and ".join(f"choice {choice}={arm}" for choice, arm in guard)

    def _expr(self, expr: Expr | None) -> str:
        """Return an expression as text; of what takes more than `LONGEST` characters inside it, that it is left out."""
        known: dict[Expr, str] = {}

        def text(part: Expr) -> str:
            match part:
                case Constant(value):
                    return value_text(value, self.graph)
                case ReadOf(event):
                    return f"read({self.names[event]})"
                case Apply(name, _, parts) | Pick(name, parts):
                    called = name if isinstance(name, str) else f"choice {name}"
                    inside = [known[p] if len(known[p]) <= LONGEST else "…" for p in parts]
                    return f"{called}({', '.join(inside)})"

        return "" if expr is None else fold(expr, text, known)

    def events(self) -> Iterator[StageTable]:
        """Yield the events with their attributes, the choices between them, and what is observed."""
        graph, names = self.graph, self.names
        rows = [
            (names[e.index], names.thread(e), e.kind.value, " ".join([*mode(e), *map(tag_text, sorted(e.tags))]),
             names.place(e) if e.cell >= 0 else "", self._expr(e.value), self._guard(e.guard))
            for e in graph.events
        ]  # fmt: skip
        yield StageTable(
            "events", "events", ("event", "thread", "kind", "mode", "memory", "writes", "guard"), tuple(rows)
        )
        arms = [tuple("other" if v is None else str(v) for v in c.values) for c in graph.choices]
        choices = [(f"{c.index}", self._expr(c.expr), arms[c.index], self._guard(c.guard)) for c in graph.choices]
        yield StageTable("events", "choices", ("choice", "decided by", "arms", "guard"), tuple(choices))
        observed = tuple((o.name, tuple(map(self._expr, o.lanes))) for o in graph.observed)
        yield StageTable("events", "observed", ("name", "value"), observed)

    def static(self) -> Iterator[StageTable]:
        """Yield what the test fixes: the sets and relations of the vocabulary that the rules of the model reach."""
        reached = self.model.base_names - CHOSEN
        known = [p for name, p in primitives(self.model.levels).items() if name in reached and self._shown(name)]
        facts = [(p.name, self._facts(self.statics.value(Term(Op.BASE, name=p.name, is_set=p.is_set)))) for p in known]
        yield StageTable(
            "static", "what the test fixes", ("name", "size", "facts"), tuple((n, len(f), f) for n, f in facts)
        )

    def bounds(self) -> Iterator[StageTable]:
        """Yield what a definition has in every execution and in some: only the rest becomes variables."""
        found = bounds(self.graph, self.model, self.statics)
        terms = {t.name: i for i, t in enumerate(self.model.terms) if t.op is Op.BASE and t.name in CHOSEN}
        terms |= {d.name: d.term for d in self.model.definitions if d.source != PRELUDE_SOURCE}
        rows = []
        for name in (name for name, term in terms.items() if term in self.model.reached and self._shown(name)):
            may, must = (self._facts(side[terms[name]]) for side in (found.may, found.must))
            rows.append((name, len(must), len(may), tuple(fact for fact in may if fact not in must)))
        yield StageTable("bounds", "bounds", ("definition", "must", "may", "undecided"), tuple(rows))

    def circuit(self) -> Iterator[StageTable]:
        """Yield the size of the circuit, the clauses of each part of it, and those of the rules that are asked for."""
        circuit = self.encoding.circuit
        sizes = {"variables": self.solved.variables, "gates": len(circuit.gates), "asserted": len(circuit.clauses)}
        sizes["with the gates"] = self.solved.clauses
        yield StageTable("circuit", "circuit", ("what", "number"), tuple(sizes.items()))
        parts = [part for part in self.encoding.parts if self._shown(part.name)]
        yield StageTable(
            "circuit", "clauses", ("asserted for", "number"), tuple((p.name, len(p.clauses)) for p in parts)
        )
        known = self._literals() if self.only else {}
        for part in parts if self.only else ():
            texts = [" or ".join(self._literal(x, known) for x in circuit.clauses[i]) for i in part.clauses]
            yield StageTable("circuit", f"clauses of {part.name}", ("clause",), tuple((text,) for text in texts))

    def _literals(self) -> dict[int, str]:
        """Return the names of literals: what an execution chooses, else the first fact that was asked for."""
        candidate, names = self.encoding.candidate, {d.term: d.name for d in reversed(self.model.definitions)}
        facts: list[tuple[str, tuple[int, ...], int]] = []
        facts += [("rf", (w, r), x) for r, sources in candidate.sources.items() for w, x in sources.items()]
        asked = chain.from_iterable(permutations(writes, 2) for writes in candidate.ordered.values())
        facts += [("co", pair, x) for pair in asked if (x := candidate.order(*pair)) > 0]
        facts += [(names[term], fact, x) for term, fact, x in self.encoding.literals.built() if term in names]
        found = {x: f"{name}({', '.join(self.names[e] for e in fact)})" for name, fact, x in reversed(facts)}
        return found | {x: f"choice {c}={i}" for c, arms in enumerate(candidate.arms) for i, x in enumerate(arms)}

    def _literal(self, literal: int, known: dict[int, str]) -> str:
        if literal in known or -literal in known:
            return known.get(literal) or f"not {known[-literal]}"
        kind, inputs = self.encoding.circuit.gates.get(abs(literal), (AND, ()))
        parts = (" and " if kind is AND else " or ").join(self._literal(x, known) for x in inputs)
        return "not " * (literal < 0) + (f"({parts})" if parts else f"v{abs(literal)}")

    def executions(self) -> Iterator[StageTable]:
        """Yield for each outcome the first execution that has it: what is read from where, and the order of writes."""

        def ask(encoding: Encoding) -> list[int]:
            lanes = list(chain.from_iterable(encoding.lanes))
            rows = [zip(lanes, chain.from_iterable(row), strict=True) for row in self.result.outcomes]
            return [encoding.circuit.conjunction([lane[value] for lane, value in row]) for row in rows]

        witnesses = Witnesses(self.graph, self.model, ask, Session(), Deadline(None))
        found = []
        for state, question in zip(self.result.states(), witnesses.questions, strict=True):
            execution = witnesses.execution([question], witnesses.rules)
            sources = ((r, "undef" if w is None else self.names[w]) for r, w in execution.rf.items())
            found.append((state, tuple(f"{self.names[r]}←{w}" for r, w in sources), self._facts(execution.co)))
        yield StageTable("executions", "executions", ("outcome", "reads from", "co"), tuple(found))

    def outcomes(self) -> Iterator[StageTable]:
        """Yield the outcomes, and what they say of the condition."""
        found = self.result
        yield StageTable("outcomes", "outcomes", ("outcome",), tuple((state,) for state in found.states()))
        said = {"verdict": (found.verdict,), "flags": found.flags, "undefined": found.undefined}
        cut = ("incomplete", tuple(map(str, found.incomplete)))
        yield StageTable("outcomes", "answer", ("what", "value"), (*said.items(), cut))
