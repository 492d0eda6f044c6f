"""What there is to say about one execution: why each read returns what it does, and how a broken rule is broken.

What goes in: a `ModelView` of the execution. What comes out: `Section`s of statements, and `StressedEdge`s: the edges
that a picture should stress. Which definition orders events, which says what a read may see, and how far a write
gets, stands in the remarks of the model's text (`@order`, `@sees`, `@reach`); a model without them is told by its
rules alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import combinations

from axmem.encoder.constraints import DEFINED, ModelRule
from axmem.events.graph import EventKind
from axmem.explanations.concrete import BrokenRule, CitedRemark, Fact, ModelView, in_order
from axmem.explanations.gaps import Gaps
from axmem.explanations.names import EventNames, enumeration, value_text
from axmem.explanations.proofs import Derivation
from axmem.explanations.statements import PathEdge, SentenceClaim, Statement, shown_path
from axmem.explanations.words import ExecutionWords
from axmem.front.records import dataclass, replace
from axmem.model import relation as rel
from axmem.model.relation import bits
from axmem.model.terms import Axiom, AxiomKind, Op


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the statements below it; `undef` is the rule by which a read returns undef, if it is about that,
    `breach` what breaks a rule."""

    title: str
    statements: tuple[Statement, ...]
    undef: ModelRule | None = None
    breach: str = ""


def section(title: str, statements: Iterable[Statement], undef: ModelRule | None = None) -> Section:
    """Return a section that says nothing twice."""
    return Section(title, tuple(dict.fromkeys(statements)), undef)


class Stress(Enum):
    """Why a picture stresses an edge."""

    REASON = "reason"  # it explains something
    BROKEN = "broken"  # it is part of what breaks a rule
    MISSING = "missing"  # it is not there, and that explains something


@dataclass(frozen=True, slots=True)
class StressedEdge:
    """An edge that a picture stresses."""

    first: int
    label: str
    second: int
    stress: Stress


class Story:
    """The sections about one execution."""

    def __init__(self, view: ModelView, names: EventNames) -> None:
        self.view = view
        self.names = names
        self.words = ExecutionWords(view, names)
        self.orders = view.saying("order")
        self.gaps = Gaps(view, names, self.words)
        self.sees = next(iter(view.saying("sees")), None)
        self.marks: dict[StressedEdge, None] = {}

    def reading(self, reads: Iterable[int]) -> tuple[Section, ...]:
        """Return a section for each of these reads: whence its value, or why undef."""
        return tuple(self._read(r) for r in reads)

    def agreeing(self) -> tuple[Section, ...]:
        """Return an order with which the acyclic relations of a model agree that has no order for reads."""
        axioms = [a for a in self.view.model.axioms if a.kind is AxiomKind.ACYCLIC and not (a.flag or a.negated)]
        found = [] if self.orders else [(a, in_order(self.view.relation_of(a.term))) for a in axioms]
        return tuple(
            Section(f"{axiom.name} holds", (Statement(" < ".join(self.names[e] for e in order)),))
            for axiom, order in found
            if len(order) > 1
        )

    def breaking(self, core: Sequence[ModelRule]) -> tuple[Section, ...]:
        """Return how each rule is broken, the rules of the core first; what the same path breaks in one section."""
        alike: dict[str, list[BrokenRule]] = {}
        for violation in sorted(self.view.violations, key=lambda v: v.rule not in core):
            alike.setdefault(self.brief(violation), []).append(violation)
        return tuple(self._breaking(brief, violations) for brief, violations in alike.items())

    def _breaking(self, brief: str, violations: list[BrokenRule]) -> Section:
        """Return how rules are broken, all by the same."""
        found: list[Statement] = []
        for violation in violations:
            read_rule = self._is_read_rule(violation)
            if violation.rule.doc.text and not read_rule:
                found.append(Statement(violation.rule.doc.text, violation.rule))
        for violation in violations:
            for fact in violation.facts[:1] if self._is_read_rule(violation) else violation.facts:
                found += self._offence(violation, fact)
        names = enumeration([violation.rule.name for violation in violations])
        title = f"{names} {'is' if len(violations) == 1 else 'are'} broken: {brief}"
        return replace(section(title, found), breach=brief)

    def brief(self, violation: BrokenRule) -> str:
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
            cycle = self._path_text(shown_path(self._cycle_of_reading(*first)))
            return f"{last} reads from {self.names.prose(first[0])}, which it may not see" + f": {cycle}" * bool(cycle)
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

    def _is_read_rule(self, violation: BrokenRule) -> bool:
        return not isinstance(violation.part, Axiom) or self._is_reading(violation.part)

    def _is_reading(self, axiom: Axiom) -> bool:
        r"""Tell whether an axiom says `empty rf \ S`."""
        term = self.view.model.terms[axiom.term]
        if axiom.kind is not AxiomKind.EMPTY or axiom.negated or term.op is not Op.DIFFERENCE:
            return False
        left = self.view.model.terms[term.arguments[0]]
        return left.op is Op.BASE and left.name == "rf"

    # ------------------------------------------------------------ broken rules

    def _offence(self, violation: BrokenRule, fact: Fact) -> list[Statement]:
        if violation.rule == DEFINED:
            return self._determined(fact[0])
        if not isinstance(violation.part, Axiom):
            return self._undef(fact[0], violation.rule)
        step = self.words.proofs.proof(violation.part.term, fact)
        if step is None:
            return []
        if self._is_reading(violation.part):
            self._mark(PathEdge(fact[0], "rf", fact[1]))
            return self._unseen(fact[0], fact[1])
        for path in self._paths(violation):
            for edge in path:
                self._mark(edge)
        return list(self.words.chain(step))

    def _paths(self, violation: BrokenRule) -> list[tuple[PathEdge, ...]]:
        """Return what breaks an axiom as paths: a cycle, or two ways between two events that must not both be."""
        assert violation.part is not None
        steps = [self.words.proofs.proof(violation.part.term, fact) for fact in violation.facts]
        if violation.part_is_cycle:
            return [shown_path([edge for step in steps if step is not None for edge in self.words.path(step)])]
        step = steps[0]
        if step is None:
            return []
        if self.view.model.terms[step.term].op is not Op.INTERSECTION:
            return [shown_path(self.words.path(step))]
        paths = [shown_path(path) for part in step.because if (path := self.words.path(part))]
        return [path for path in paths if any(edge.label in self.words.labels for edge in path)] or paths[:1]

    def _cycle_of_reading(self, write: int, read: int) -> tuple[PathEdge, ...]:
        """Return the cycle of a read that takes the value of a later write, or of one that is overwritten before it."""
        later, over = self._before(read, write), self._over(write, read)
        if not later and over is None:
            return ()
        ends, closing = ((read, write), "rf") if over is None or later else ((over, read), "fr")
        step = self.words.proofs.proof(self.orders[-1].term, ends)
        return (*self.words.path(step), PathEdge(ends[1], closing, ends[0])) if step is not None else ()

    def _over(self, write: int, read: int) -> int | None:
        """Return a later write to its cell that is ordered before a read."""
        return next((x for x in bits(self._later(write)) if self._before(x, read)), None)

    def _path_text(self, edges: Sequence[PathEdge]) -> str:
        if not edges:
            return ""
        text = self.names[edges[0].first]
        for edge in edges:
            text += f" ←{edge.label}— " if edge.back else f" —{edge.label}→ "
            text += self.names[edge.second]
        return text

    def _mark(self, edge: PathEdge) -> None:
        first, second = (edge.second, edge.first) if edge.back else (edge.first, edge.second)
        self.marks[StressedEdge(first, edge.label, second, Stress.BROKEN)] = None

    def _unseen(self, write: int, read: int) -> list[Statement]:
        """Return why a read may not see a write."""
        w, r = self.names.prose(write), self.names.prose(read)
        if self._before(read, write):
            return [*self._ordered(read, write)]
        over, said = self._over(write, read), next(iter(self.view.saying("hides")), None)
        if over is not None and said is not None:
            claims = (SentenceClaim(said.term, (write, read), holds=True),)
            hides = Statement(self.words.filled(said.text, (write, read, over)), self.words.cited(said), claims=claims)
            return [*self._ordered(write, over), *self._ordered(over, read), hides]
        if self.sees is None:
            return [Statement(f"{w} is no write that {r} may see")]
        said = CitedRemark(self.sees.definition, replace(self.sees.remark, names=()))
        claims = (SentenceClaim(self.sees.term, (write, read), holds=False),)
        return [Statement(f"{w} is no write that {r} may see", self.words.cited(said), claims=claims)]

    def _later(self, write: int) -> int:
        """Return the writes to its cell that a write is ordered before."""
        if not self.orders:
            return 0
        statics = self.view.statics
        after = self.view.relation_of(self.orders[-1].term) or rel.EMPTY
        return after[write] & statics.relation_of("loc")[write] & statics.set_of("W") if after else 0

    def _before(self, a: int, b: int) -> bool:
        return bool(self.orders) and self.view.has(self.orders[-1].term, (a, b))

    def _ordered(self, a: int, b: int) -> list[Statement]:
        """Return why an event is ordered before another, for the two are."""
        order = self.orders[-1]
        step = self.words.proofs.proof(order.term, (a, b))
        reasons = list(self.words.chain(step))
        self._mark_order(a, b, Stress.REASON)
        text, by = f"{self.names.prose(a)} {order.text} {self.names.prose(b)}", self.words.cited(order, step, (a, b))
        claims = (SentenceClaim(order.term, (a, b), holds=True),)
        if reasons:
            return [*reasons, Statement(f"so {text}", by, claims=claims)]
        same = self.view.graph.events[a].thread == self.view.graph.events[b].thread >= 0
        return [Statement(text + ", by program order" * same, by, claims=claims)]

    def disorder(self, a: int, b: int) -> list[Statement]:
        """Return what keeps an event from being ordered before another, for it is not."""
        self._mark_order(a, b, Stress.MISSING)
        return self.gaps.between(a, b)

    def _mark_order(self, a: int, b: int, stress: Stress) -> None:
        self.marks[StressedEdge(a, self.view.order_name(self.orders[-1]), b, stress)] = None

    def _determined(self, read: int) -> list[Statement]:
        """Return why a read is not undef: which writes it may see."""
        if self.sees is None:
            return []
        writes = self._writes(read)
        r = self.names.prose(read)
        if len(writes) == 1 and self._before(writes[0], read):
            found = self._ordered(writes[0], read)
            for hidden in bits(self.view.statics.set_of("W") & self.view.present):
                if self._later(hidden) >> writes[0] & 1:
                    found += self._ordered(hidden, writes[0])
            claims = (SentenceClaim(self.sees.term, (writes[0], read), holds=True),)
            return [*found, Statement(f"so {self.names.prose(writes[0])} is all that {r} may see", claims=claims)]
        return [self._choice(read, writes)]

    def _choice(self, read: int, writes: list[int]) -> Statement:
        """Return among which writes a read chooses, and what is true of them all, or at least of those that nothing
        orders before it."""
        assert self.sees is not None
        claims = tuple(SentenceClaim(self.sees.term, (w, read), holds=True) for w in writes)
        text = f"{self.names.prose(read)} may see {self._listed(writes)}"
        found, others = self.sees.remark.texts
        suits = all(self._suits(name, (*writes, read)) for name in self.sees.remark.names)
        by = self.words.cited(CitedRemark(self.sees.definition, replace(self.sees.remark, names=())))
        return Statement(f"{text}, and {found if suits else others}", by, claims=claims)

    def _suits(self, name: str, events: tuple[int, ...]) -> bool:
        """Tell whether events are all in a set, or related two by two."""
        value = self.view.value(name)
        if isinstance(value, int):
            return all(value >> e & 1 for e in events)
        return all(value and value[a] >> b & 1 for a, b in combinations(events, 2))

    def _writes(self, read: int) -> list[int]:
        """Return the writes that a read may see."""
        seen = self.view.relation_of(self.sees.term) if self.sees is not None else rel.EMPTY
        return [w for w, row in enumerate(seen) if row >> read & 1]

    def _listed(self, events: list[int]) -> str:
        return enumeration([self.names.prose(e) for e in events]) or "nothing"

    # ------------------------------------------------------------ what reads return

    def _read(self, read: int) -> Section:
        view, event = self.view, self.view.graph.events[read]
        source = view.execution.rf.get(read)
        r, place = self.names.prose(read), self.names.place(event)
        if source is None:
            rules = view.undef_reasons(read)
            rule = ModelRule(rules[0].name, rules[0].doc) if rules else DEFINED
            return section(f"{r} returns undef by {rule.name}", self._undef(read, rule), rule)
        value = value_text(view.execution.values[read], view.graph)
        title = f"{r} reads {place}={value} from {self.names.prose(source)}"
        if event.kind is EventKind.FINAL and not view.present >> read & 1:
            return Section(title, (Statement(f"{self.names.prose(source)} is the last write in modification order"),))
        found = self._ordered(source, read) if self._before(source, read) else []
        writes = self._writes(read)
        if writes and (len(writes) > 1 or not found):
            choice = self._choice(read, writes)
            others = [w for w in writes if found and not self._before(w, read)]
            newer = [statement for w in others for statement in self.disorder(w, read)]
            return section(title, [*found, choice, *newer])
        return section(title, found)

    def _undef(self, read: int, rule: ModelRule) -> list[Statement]:
        """Return why a read is undef: the rule, the competing writes, and what keeps them from being ordered."""
        r = self.names.prose(read)
        part = next((u for u in self.view.undef_reasons(read) if u.name == rule.name), None)
        holds = (SentenceClaim(part.term, (read,), holds=True),) if part is not None else ()
        found = [Statement(rule.doc.text, rule, claims=holds)] if rule.doc.text else []
        writes = self._writes(read)
        if writes:
            found.append(Statement(f"{r} may see {self._competing(writes)}"))
            step = self.words.proofs.proof(part.term, (read,)) if part is not None else None
            found += self._unlike(read, writes, step)
        if not self.orders:
            return found
        unordered = [w for w in writes if not self._before(w, read)]
        for w in unordered:
            found += self.disorder(w, read)
        later = [w for w in writes if w not in unordered]
        if len(later) > 1 and not unordered:
            found += self.disorder(later[-2], later[-1])
        return found + (self._unordered(writes) if unordered else [])

    def _unordered(self, writes: list[int]) -> list[Statement]:
        """Return which writes that a read may see nothing orders with each other, so that to order them before the read
        would not be enough."""
        kinds = self.view.graph.events
        pairs = combinations([w for w in writes if kinds[w].kind is not EventKind.INIT], 2)
        apart = [(a, b) for a, b in pairs if not self._before(a, b) and not self._before(b, a)]
        return [statement for pair in apart for statement in self.gaps.each_other(*pair)]

    def _competing(self, writes: list[int]) -> str:
        values = self.view.execution.values
        texts = [f"{self.names.prose(w)} ({value_text(values[w], self.view.graph)})" for w in writes if w in values]
        return enumeration(texts)

    def _unlike(self, read: int, writes: list[int], step: Derivation | None) -> list[Statement]:
        """Return what keeps a read from choosing: what it and its writes are not, or what two of the writes are not.

        `step` derives that the read is undef: what it does not rest on is no reason. Of the reasons that are left, a
        set that some of them are not in is enough.
        """
        used = {s.term for s in step.walk()} if step is not None else set()
        reasons, rivals = self.view.saying("unless"), self.view.saying("rivals")
        if not used & {said.term for said in (*reasons, *rivals)}:
            return []
        pairs = [(w, read) for w in writes]
        found = [
            (said, self._lacking(said, pairs, (*writes, read))) for said in reasons if self._excluded(said.term, read)
        ]
        sets = [sentences for said, sentences in found if sentences and self._names_set(said)]
        if any(sentences for _, sentences in found):
            return sets[0] if sets else [s for _, sentences in found for s in sentences]
        unlike = [pair for said in rivals for pair in combinations(writes, 2) if self.view.has(said.term, pair)]
        return [s for pair in unlike for said in reasons for s in self._lacking(said, [pair], pair)]

    def _names_set(self, said: CitedRemark) -> bool:
        return isinstance(self.view.value(said.remark.names[-1]), int)

    def _lacking(self, said: CitedRemark, pairs: list[tuple[int, int]], events: tuple[int, ...]) -> list[Statement]:
        """Return which events are not in the set that a reason names, or which pairs its relation does not relate."""
        name = said.remark.names[-1]
        value, by = self.view.value(name), self.words.cited(said)
        if isinstance(value, int):
            plain = [e for e in events if not value >> e & 1]
            known = {"a": self._listed(plain), "is": "is" if len(plain) == 1 else "are"}
            text = self.words.filled(said.text, tuple(plain), known=known) if plain else ""
            return [Statement(text, by)] if plain else []
        lacking = [(a, b) for a, b in pairs if not value or not value[a] >> b & 1]
        return [Statement(self.words.filled(said.text, pair), by) for pair in lacking]

    def _excluded(self, term: int, read: int) -> bool:
        """Tell whether a read is in the set of a term."""
        value = self.view.values[term]
        return isinstance(value, int) and value >> read & 1 == 1
