"""What there is to say about one execution: why each read returns what it does, and how a broken rule is broken.

What goes in: a `View` of the execution. What comes out: `Section`s of statements, and `Mark`s: the edges that a picture
should stress. The names of definitions that this speaks of (`lo` or `hb-loc`, `may-see`, `hidden`) are those of the
built-in models; a model without them is told by its rules alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from axmem.encoder.constraints import DEFINED, Rule
from axmem.encoder.events import Kind
from axmem.explain.concrete import Fact, View, Violation, in_order
from axmem.explain.names import Names, value_text
from axmem.explain.proofs import Step
from axmem.explain.words import LABELS, Edge, Statement, Words
from axmem.model.relation import bits
from axmem.model.terms import Axiom, AxiomKind, Op

ORDERS = {"lo": ("location-ordered before", "location order"), "hb-loc": ("happens before", "happens-before")}
"""The relations by which a read knows which writes are before it: how to say it, in the order of preference."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the statements below it."""

    title: str
    statements: tuple[Statement, ...]


def section(title: str, statements: Iterable[Statement]) -> Section:
    """Return a section that says nothing twice."""
    return Section(title, tuple(dict.fromkeys(statements)))


NO_CHAIN = Statement("no other ordering, scope or tag of what is here would order them", lacking=True)


class Stress(Enum):
    """Why a picture stresses an edge."""

    REASON = "reason"  # it explains something
    BROKEN = "broken"  # it is part of what breaks a rule
    MISSING = "missing"  # it is not there, and that explains something


@dataclass(frozen=True, slots=True)
class Mark:
    """An edge that a picture stresses."""

    first: int
    label: str
    second: int
    stress: Stress


class Story:
    """The sections about one execution."""

    def __init__(self, view: View, names: Names) -> None:
        self.view = view
        self.names = names
        self.words = Words(view, names)
        self.order = next((name for name in ORDERS if name in view.definitions), "")
        self.marks: dict[Mark, None] = {}

    def reading(self, reads: Iterable[int]) -> tuple[Section, ...]:
        """Return a section for each of these reads: whence its value, or why undef."""
        return tuple(self._read(r) for r in reads)

    def agreeing(self) -> tuple[Section, ...]:
        """Return an order with which the acyclic relations of a model agree that has no order for reads."""
        axioms = [a for a in self.view.model.axioms if a.kind is AxiomKind.ACYCLIC and not (a.flag or a.negated)]
        found = [] if self.order else [(a, in_order(self.view.relation_of(a.term))) for a in axioms]
        return tuple(
            Section(f"{axiom.name} holds", (Statement(" < ".join(self.names[e] for e in order)),))
            for axiom, order in found
            if len(order) > 1
        )

    def breaking(self, violation: Violation) -> Section:
        """Return how a rule is broken."""
        title = f"{violation.rule.name} is broken: {self.brief(violation)}"
        read_rule = self._is_read_rule(violation)
        found = [] if read_rule or not violation.rule.doc.text else [Statement(violation.rule.doc.text, violation.rule)]
        for fact in violation.facts[:1] if read_rule else violation.facts:
            found += self._offence(violation, fact)
        return section(title, found)

    def brief(self, violation: Violation) -> str:
        """Return in one phrase what breaks a rule."""
        if not violation.facts:
            return "nothing does what it asks for"
        first = violation.facts[0]
        last = self.names.prose(first[-1])
        if violation.rule == DEFINED:
            return f"{last} returns undef, and no rule makes it so"
        if not isinstance(violation.part, Axiom):
            source = self.view.execution.rf[first[0]]
            assert source is not None
            return f"{last} must return undef, and takes the value of {self.names.prose(source)}"
        if self._is_reading(violation.part):
            return f"{last} reads from {self.names.prose(first[0])}, which it may not see"
        paths = [self._path_text(path) for path in self._paths(violation) if path]
        text = " and ".join(paths) + self._exception(violation.part, first)
        return text or f"{self._listed(list(first))} must not be in it"

    def _exception(self, axiom: Axiom, fact: Fact) -> str:
        r"""Return what would have excused the breach of `empty r \ rf`."""
        term = self.view.model.terms[axiom.term]
        right = self.view.model.terms[term.arguments[1]] if term.op is Op.DIFFERENCE else None
        if right is None or right.op is not Op.BASE or right.name != "rf":
            return ""
        return f", but {self.names[fact[1]]} does not read from {self.names[fact[0]]}"

    def _is_read_rule(self, violation: Violation) -> bool:
        return not isinstance(violation.part, Axiom) or self._is_reading(violation.part)

    def _is_reading(self, axiom: Axiom) -> bool:
        r"""Tell whether an axiom says `empty rf \ S`."""
        term = self.view.model.terms[axiom.term]
        if axiom.kind is not AxiomKind.EMPTY or axiom.negated or term.op is not Op.DIFFERENCE:
            return False
        left = self.view.model.terms[term.arguments[0]]
        return left.op is Op.BASE and left.name == "rf"

    # ------------------------------------------------------------ broken rules

    def _offence(self, violation: Violation, fact: Fact) -> list[Statement]:
        if violation.rule == DEFINED:
            return self._determined(fact[0])
        if not isinstance(violation.part, Axiom):
            return self._undef(fact[0], violation.rule)
        step = self.words.proofs.proof(violation.part.term, fact)
        if step is None:
            return []
        if self._is_reading(violation.part):
            self._mark(Edge(fact[0], "rf", fact[1]))
            return self._unseen(fact[0], fact[1])
        for path in self._paths(violation):
            for edge in path:
                self._mark(edge)
        return list(self.words.chain(step))

    def _paths(self, violation: Violation) -> list[list[Edge]]:
        """Return what breaks an axiom as paths: a cycle, or two ways between two events that must not both be."""
        assert violation.part is not None
        steps = [self.words.proofs.proof(violation.part.term, fact) for fact in violation.facts]
        if violation.part_is_cycle:
            return [[edge for step in steps if step is not None for edge in self.words.path(step)]]
        step = steps[0]
        if step is None:
            return []
        if self.view.model.terms[step.term].op is not Op.INTERSECTION:
            return [list(self.words.path(step))]
        paths = [list(path) for part in step.because if (path := self.words.path(part))]
        return [path for path in paths if any(edge.label in LABELS.values() for edge in path)] or paths[:1]

    def _path_text(self, edges: list[Edge]) -> str:
        text = self.names[edges[0].first]
        for edge in edges:
            text += f" ←{edge.label}— " if edge.back else f" —{edge.label}→ "
            text += self.names[edge.second]
        return text

    def _mark(self, edge: Edge) -> None:
        first, second = (edge.second, edge.first) if edge.back else (edge.first, edge.second)
        self.marks[Mark(first, edge.label, second, Stress.BROKEN)] = None

    def _unseen(self, write: int, read: int) -> list[Statement]:
        """Return why a read may not see a write."""
        w, r = self.names.prose(write), self.names.prose(read)
        if self._before(read, write):
            return [*self._ordered(read, write)]
        hidden = self.view.relation("hidden")
        if hidden and hidden[write] >> read & 1:
            over = next((x for x in bits(self._later(write)) if self._before(x, read)), None)
            if over is not None:
                hides = Statement(f"so {self.names.prose(over)} hides {w} from {r}", self.words.cited("hidden"))
                return [*self._ordered(write, over), *self._ordered(over, read), hides]
        return [Statement(f"{w} is no write that {r} may see", self.words.cited("may-see"))]

    def _later(self, write: int) -> int:
        """Return the writes to its cell that a write is ordered before."""
        order = self.view.relation(self.order)
        return order[write] & self.view.statics.set_of("W") if order else 0

    def _before(self, a: int, b: int) -> bool:
        order = self.view.relation(self.order)
        return bool(order) and bool(order[a] >> b & 1)

    def _ordered(self, a: int, b: int) -> list[Statement]:
        """Return why an event is ordered before another, for the two are."""
        step = self.words.proofs.proof(self.view.definitions[self.order].term, (a, b))
        first, last = self.names.prose(a), self.names.prose(b)
        reasons = list(self.words.chain(step))
        self.marks[Mark(a, self._order_label(), b, Stress.REASON)] = None
        phrase = ORDERS[self.order][0]
        verb = phrase if phrase.startswith("happens") else f"is {phrase}"
        if reasons:
            return [*reasons, Statement(f"so {first} {verb} {last}", self._order_rule(step))]
        why = ""
        if self.view.graph.events[a].thread == self.view.graph.events[b].thread >= 0:
            why = ", by program order"
        return [Statement(f"{first} {verb} {last}{why}", self._order_rule(step))]

    def _order_label(self) -> str:
        return "lo" if self.order == "lo" else "hb"

    def _order_rule(self, step: Step | None) -> Rule | None:
        """Return the definition behind an order: the clause that was used."""
        names = [self.words.name(s) for s in step.walk()] if step is not None else []
        return self.words.cited(*[name for name in reversed(names) if name.startswith("lo-") or name == "hb-threads"])

    def _determined(self, read: int) -> list[Statement]:
        """Return why a read is not undef: which writes it may see."""
        seen = self.view.relation("may-see")
        if not seen:
            return []
        writes = self._writes(read)
        r = self.names.prose(read)
        if len(writes) == 1 and self._before(writes[0], read):
            found = self._ordered(writes[0], read)
            for hidden in bits(self.view.statics.set_of("W") & self.view.present):
                if self._later(hidden) >> writes[0] & 1:
                    found += self._ordered(hidden, writes[0])
            return [*found, Statement(f"so {self.names.prose(writes[0])} is all that {r} may see")]
        return [Statement(f"{r} may see {self._listed(writes)}, and all are atomic with inclusive scopes")]

    def _writes(self, read: int) -> list[int]:
        """Return the writes that a read may see."""
        return [w for w, row in enumerate(self.view.relation("may-see")) if row >> read & 1]

    def _listed(self, events: list[int]) -> str:
        texts = [self.names.prose(e) for e in events]
        return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts) or "nothing"

    # ------------------------------------------------------------ what reads return

    def _read(self, read: int) -> Section:
        view, event = self.view, self.view.graph.events[read]
        source = view.execution.rf.get(read)
        r, place = self.names.prose(read), self.names.place(event)
        if source is None:
            rules = view.undef_reasons(read)
            rule = Rule(rules[0].name, rules[0].doc) if rules else DEFINED
            return section(f"{r} returns undef by {rule.name}", self._undef(read, rule))
        value = value_text(view.execution.values[read], view.graph)
        title = f"{r} reads {place}={value} from {self.names.prose(source)}"
        if event.kind is Kind.FINAL and not view.present >> read & 1:
            return Section(title, (Statement(f"{self.names.prose(source)} is the last write in modification order"),))
        found = self._ordered(source, read) if self.order and self._before(source, read) else []
        writes = self._writes(read)
        if writes and (len(writes) > 1 or not found):
            choice = f"{r} may see {self._listed(writes)}, and all are atomic with inclusive scopes"
            others = [w for w in writes if found and not self._before(w, read)]
            newer = [statement for w in others for statement in self._disorder(w, read)]
            return section(title, [*found, Statement(choice, self.words.cited("may-see")), *newer])
        return section(title, found)

    def _undef(self, read: int, rule: Rule) -> list[Statement]:
        """Return why a read is undef: the rule, the competing writes, and what keeps them from being ordered."""
        r = self.names.prose(read)
        found = [Statement(rule.doc.text, rule)] if rule.doc.text else []
        writes = self._writes(read)
        if writes:
            found.append(Statement(f"{r} may see {self._competing(writes)}"))
            found += self._not_atomic(read, writes)
        if not self.order:
            return found
        unordered = [w for w in writes if not self._before(w, read)]
        for w in unordered:
            found += self._disorder(w, read)
        later = [w for w in writes if w not in unordered]
        if len(later) > 1 and not unordered:
            found += self._disorder(later[-2], later[-1])
        return found

    def _competing(self, writes: list[int]) -> str:
        values = self.view.execution.values
        texts = [f"{self.names.prose(w)} ({value_text(values[w], self.view.graph)})" for w in writes if w in values]
        return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)

    def _not_atomic(self, read: int, writes: list[int]) -> list[Statement]:
        """Return which of a read and its writes are not atomic with the others."""
        view = self.view
        atomic = view.members("At")
        plain = [e for e in (*writes, read) if not atomic >> e & 1]
        if plain:
            return [Statement(f"{self._listed(plain)} {'is' if len(plain) == 1 else 'are'} not atomic")]
        found = []
        for name, text in (("incl", "do not have inclusive scopes"), ("perf", "do not access the same bytes")):
            relation = view.relation(name)
            for w in writes:
                if relation and not relation[w] >> read & 1:
                    pair = f"{self.names.prose(w)} and {self.names.prose(read)}"
                    found.append(Statement(f"{pair} {text}", self.words.cited(name)))
        return found

    def _disorder(self, a: int, b: int) -> list[Statement]:
        """Return what keeps an event from being ordered before another, for it is not."""
        first, last = self.names.prose(a), self.names.prose(b)
        self.marks[Mark(a, self._order_label(), b, Stress.MISSING)] = None
        hb = next((name for name in ("hbv", "hb") if name in self.view.definitions), "")
        happens = hb and self.view.has(self.view.definitions[hb].term, (a, b))
        if hb and not happens:
            why = self.words.missing(self.view.definitions[hb].term, (a, b)) or (NO_CHAIN,)
            head = Statement(f"{first} does not happen before {last}", lacking=True)
            return [head, *why]
        known = self.words.chain(self.words.proofs.proof(self.view.definitions[hb].term, (a, b))) if hb else ()
        why = self.words.missing(self.view.definitions[self.order].term, (a, b))
        head = Statement(f"{first} happens before {last}, but is not {ORDERS[self.order][0]} it", lacking=True)
        return [*known, head, *self._reach(a), *why]

    def _reach(self, write: int) -> list[Statement]:
        """Return how far a write is available and visible, where the model has these notions."""
        if "av" not in self.view.definitions or "vis" not in self.view.definitions:
            return []
        w, words = self.names.prose(write), self.words
        found: list[Statement] = []
        for name in ("av", "vis"):
            rows = self.view.relation(name)
            for e in bits(rows[write]) if rows else ():
                found += words.chain(words.proofs.proof(self.view.definitions[name].term, (write, e)))
        if not any("made available" in s.text for s in found):
            found.append(Statement(f"no availability operation on {w}", words.cited("av-follows")))
        if not any("visible" in s.text for s in found):
            found.append(Statement(f"no visibility operation on {w}", words.cited("vis-sy")))
        return [*words.own_scope(write), *found]
