"""Derivations in words.

What goes in: `Derivation`s, and the names of the events. What comes out: `Statement`s, in the order of what happens:
"B synchronizes with C", "C makes A visible in its agent". Which definitions are worth a sentence, and which, stands in
the remarks of the model's text (docs/models.md), of what is missing in the vocabulary (`lacks`); what a remark asks of
an event is filled in here. A model without remarks is explained by its paths alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import combinations

from axmem.encoder.constraints import ModelRule
from axmem.encoder.outlines import data_tags, explicit_tags
from axmem.events.graph import Event, EventGraph, EventKind
from axmem.explanations.concrete import CitedRemark, Fact, ModelView, in_order
from axmem.explanations.mending import AnnotationChange, changed, lack_name, least, mends
from axmem.explanations.names import EventNames, capacity
from axmem.explanations.proofs import Derivation, Proofs
from axmem.explanations.statements import PathEdge, SentenceClaim, Statement
from axmem.explanations.weights import LIGHT, NEVER
from axmem.litmus.words import NONE_TAG, Ordering, tag_text
from axmem.model import relation as rel
from axmem.model.primitives import FactRole, lacks, primitives
from axmem.model.remarks import ENDS
from axmem.model.terms import Op, Term

PLACE = re.compile(r"\{([^{}]*)\}")
Lacking = tuple[Derivation, tuple[Derivation, ...]]


def spoken_levels(graph: EventGraph) -> frozenset[str]:
    """Return the scopes of which a test speaks: not a rare one that no operation has and that its places do not tell
    from the level around it, or from the one inside it."""
    parts = [[place.instance(level) for place in graph.placements] for level in graph.levels]
    kinds = [tuple(part.index(instance) for instance in part) for part in parts]
    used = {e.scope for e in graph.events}
    return frozenset(
        level.word
        for n, level in enumerate(graph.levels)
        if not level.rare or level in used or kinds[n] not in (kinds[n - 1], kinds[n + 1])
    )


def price(view: ModelView, retagged: frozenset[int] | None = None) -> Callable[[Term, Fact], int]:
    """Return what the links of an execution cost that are not there, in the order in which one would mend them; if
    instructions are to be `retagged`, then those that their tags break, and no others."""
    events, known = view.graph.events, lacks(view.model.levels)
    silent = {level.word for level in view.graph.levels} - spoken_levels(view.graph)
    po = view.statics.relation_of("po")
    initiations = [(e, entry.thread) for entry in events if entry.kind is EventKind.ENTRY for e in entry.after]

    def on_sale(term: Term, a: Event, b: Event) -> bool:
        lack = known.get(lack_name(term))
        if lack is None or term.name in silent:
            return False
        if retagged is not None:
            tagged = term.op is Op.TAGGED and has_tag(a, term.name)
            return (tagged or term.name in TAGS) and not retagged.isdisjoint((a.instruction, b.instruction))
        if term.op is Op.TAGGED:
            return has_tag(a, term.name)
        if (lack.first and a.kind.value not in lack.first) or (lack.second and b.kind.value not in lack.second):
            return False
        if term.name == "completes":
            return any(initiated == a.thread and po[e] >> b.index & 1 for e, initiated in initiations)
        return not lack.same_cell or (a.cell == b.cell >= 0 and a.instruction != b.instruction)

    def asked(term: Term, fact: Fact) -> int:
        found = on_sale(term, events[fact[0]], events[fact[-1]])
        return int(known[lack_name(term)].price * LIGHT) if found else NEVER

    return asked


def has_tag(event: Event, text: str) -> bool:
    """Tell whether an event carries a tag that is written so."""
    return any(tag_text(tag) == text for tag in event.tags)


TAGS = ("tag-compat", "tag-compat-dd", "tag-compat-sd")


PLAIN = {"REL": "{a} is neither atomic nor a release", "ACQ": "{a} is neither atomic nor an acquire"}
"""What is lacking in a plain access that would have to synchronize."""


class ExecutionWords:
    """The sentences about one execution."""

    def __init__(self, view: ModelView, names: EventNames) -> None:
        self.view = view
        self.names = names
        self.proofs = Proofs(view)

    @cached_property
    def wishes(self) -> Proofs:
        """The derivations that may use what the execution lacks."""
        return Proofs(self.view, price(self.view))

    def cited(
        self, said: CitedRemark, step: Derivation | None = None, fact: Fact = (), *, holds: bool = True
    ) -> ModelRule | None:
        """Return the definition that a remark cites, if it has a reference to a specification.

        Of the names in its brackets that is the first that a derivation uses, or else the last; without brackets it is
        the definition itself. With a `fact` only those count that have it, or, if it does not hold, those that do not.
        """
        names = [n for n in said.remark.names or (said.definition.name,) if not fact or self.supports(n, fact, holds)]
        used = {d.name for s in step.walk() for d in self.view.defined(s.term)} if step and names[1:] else ()
        name = next((name for name in names if name in used), names[-1] if names else "")
        found = self.view.definitions.get(name)
        return ModelRule(name, found.doc) if found is not None and found.doc.key else None

    def supports(self, name: str, fact: Fact, holds: bool) -> bool:
        """Tell whether a named set or relation has a fact, or does not have it.

        Of a pair a set has to have, or to lack, one end.
        """
        value = self.view.value(name)
        if isinstance(value, int):
            return any((value >> event & 1 == 1) is holds for event in fact)
        found = bool(value) and value[fact[0]] >> fact[-1] & 1 == 1
        return found is holds

    # ------------------------------------------------------------ placeholders

    def filled(
        self, text: str, fact: Fact, step: Derivation | None = None, known: Mapping[str, str] | None = None
    ) -> str:
        """Return a text with its placeholders filled; nothing if one has no meaning for the event it asks about.

        `fact` are the events that stand for `a`, `b` and `c`, `step` is the derivation that `role` and `reads` look
        at, and `known` has the values of further placeholders.
        """
        ends = dict(zip(ENDS, fact if len(fact) > 1 else fact * 2, strict=False))
        found: dict[str, str | None] = {end: self.names.prose(event) for end, event in ends.items()}
        found |= known or {}
        for place in PLACE.findall(text):
            if place not in found:
                word, _, end = place.rpartition(" ")
                found[place] = self._value(word, ends[end], step) if word else self._reads(step)
        if any(found[place] is None for place in PLACE.findall(text)):
            return ""
        return PLACE.sub(lambda match: found[match[1]] or "", text)

    def _value(self, word: str, event: int, step: Derivation | None) -> str | None:
        e = self.view.graph.events[event]
        if word == "place":
            return self.names.place(e)
        return self._role(event, step) if word == "role" else capacity(word, e)

    def _role(self, event: int, step: Derivation | None) -> str | None:
        """Return what the first set says that has a role for an event and that a derivation uses."""
        for part in step.walk() if step is not None else ():
            said = self.view.said(part.term, "role") if part.fact == (event,) else None
            if said is not None and (text := self.filled(said.text, part.fact)):
                return text
        return None

    def _reads(self, step: Derivation | None) -> str:
        """Return which reads a derivation uses: `C reads from B and …`."""
        terms = self.view.model.terms
        steps = [s for s in step.walk() if terms[s.term].name == "rf" and s.holds] if step is not None else []
        reads = dict.fromkeys(s.fact for s in steps)
        return " and ".join(f"{self.names.prose(r)} reads from {self.names.prose(w)}" for w, r in reads)

    # ------------------------------------------------------------ what holds

    def chain(self, step: Derivation | None) -> tuple[Statement, ...]:
        """Return the sentences of a derivation, each once, in the order in which it happens.

        Of what happens at one event what has `@first` comes first; the rest goes by the order of the text.
        """
        found: dict[Statement, tuple[int, int]] = {}
        for part in step.walk() if step is not None else ():
            said = self.view.said(part.term, "says") if part.holds and part.member else None
            if said is None or any(self.view.said(s.term, "says") for s in _same(part)):
                continue
            if text := self.filled(said.text, part.fact, part):
                turn = self._turns.index(said.definition.name)
                claim = SentenceClaim(part.term, part.fact, holds=True)
                sentence = Statement(text, self.cited(said, part, part.fact), claims=(claim,))
                found.setdefault(sentence, (self._rank[part.fact[-1]], turn))
        return tuple(sorted(found, key=found.__getitem__))

    @cached_property
    def _turns(self) -> list[str]:
        said = sorted(self.view.saying("says"), key=lambda said: said.definition.remark("first") is None)
        return [s.definition.name for s in said]

    @cached_property
    def _rank(self) -> dict[int, int]:
        """When each event happens: its place in what pictures show as the first `@order`, if that is acyclic."""
        orders = self.view.saying("order")
        order = self.view.drawn(self.view.order_name(orders[0])) if orders else rel.EMPTY
        found = in_order(order) if order and rel.is_acyclic(order) else []
        rest = [e for e in range(self.view.size) if e not in found]
        return {e: place for place, e in enumerate([*found, *rest])}

    def label(self, index: int) -> str:
        """Return under which name a term stands for itself on a path; nothing if it does not."""
        said = self.view.said(index, "path")
        term = self.view.model.terms[index]
        edge = term.op is Op.BASE and primitives(self.view.model.levels)[term.name].part is FactRole.EDGE
        return said.text if said is not None else term.name * edge

    def path(self, step: Derivation) -> tuple[PathEdge, ...]:
        """Return a derivation of a pair as a path along relations with names of their own."""
        term = self.view.model.terms[step.term]
        if len(step.fact) == 1 or term.op is Op.IDENTITY:
            return ()
        first, last = step.fact
        known = primitives(self.view.model.levels)
        if first == last and term.op is Op.BASE and known[term.name].part is FactRole.FILTER:
            return ()
        label = self.label(step.term)
        if label and label not in self._orders:
            return (PathEdge(first, label, last),)
        steps = self._steps(step, term)
        if steps is not None and not (label and (not steps or self._plainness(steps)[1])):
            return steps
        name = label or next((d.name for d in self.view.defined(step.term)), term.name)
        return (PathEdge(first, name or "…", last),)

    def _steps(self, step: Derivation, term: Term) -> tuple[PathEdge, ...] | None:
        """Return the path of a derivation of a pair by what it is made of; None if that is no path."""
        match term.op:
            case Op.INVERSE:
                return tuple(
                    PathEdge(e.second, e.label, e.first, not e.back) for e in reversed(self.path(step.because[0]))
                )
            case Op.SEQUENCE | Op.PLUS | Op.UNION | Op.FIX | Op.RECVAR:
                return tuple(edge for part in step.because for edge in self.path(part))
            case Op.DIFFERENCE:
                return self.path(step.because[0])
            case Op.INTERSECTION:
                paths = [self.path(part) for part in step.because]
                return min((p for p in paths if p), key=self._plainness, default=())
        return None

    @cached_property
    def _orders(self) -> frozenset[str]:
        """The names of the orders of events, of which a path shows the steps."""
        return frozenset(self.view.order_name(order) for order in self.view.saying("order"))

    def _plainness(self, path: tuple[PathEdge, ...]) -> tuple[bool, bool, int]:
        """Return how to choose among the parts of an intersection: rather a relation than a restriction."""
        known = [e.label in self.labels for e in path]
        return not any(known), not all(known), len(path)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The names of the relations that stand for themselves on paths."""
        edges = {p.name for p in primitives(self.view.model.levels).values() if p.part is FactRole.EDGE}
        return frozenset(edges | {said.text for said in self.view.saying("path")})

    # ------------------------------------------------------------ what is missing

    def missing(self, term: int, fact: Fact) -> tuple[Statement, ...]:
        """Return the links whose lack keeps a fact from holding: those of its nearest derivation, or else the fewest
        other annotations with which it would hold; none if it would hold with no other annotation.

        What is said is tried: with the changes that it names the fact holds.
        """
        step = self._nearest(term, fact)
        lacking = [(lack, above) for lack, above in _lacks(step, ())] if step is not None else []
        elsewhere = any(self._lacks_reading(lack) and lack.fact[1] == fact[1] for lack, _ in lacking)
        changes = None if elsewhere or not lacking else mends(self.view, term, fact, [lack for lack, _ in lacking])
        if changes is not None:
            reads = tuple((s.fact[0], s.fact[1]) for s, _ in lacking if self._lacks_reading(s))
            return self._links(lacking, SentenceClaim(term, fact, holds=True, changes=changes, reads=reads))
        changes = least(self.view, lambda some: changed(self.view, some).has(term, fact))
        claim = SentenceClaim(term, fact, holds=True, changes=changes or ())
        texts = dict.fromkeys(self.change_text(change) for change in changes or ())
        return tuple(Statement(text, lacking=True, claims=(claim,)) for text in texts)

    def _lacks_reading(self, step: Derivation) -> bool:
        return self.view.model.terms[step.term].name == "rf"

    def _links(self, lacking: list[Lacking], claim: SentenceClaim) -> tuple[Statement, ...]:
        """Return in words what a derivation lacks, what has the same meaning in one sentence."""
        lacking = sorted(self._distinct(lacking), key=lambda lack: self._rank[lack[0].fact[-1]])
        meanings: dict[tuple[int, Fact], tuple[str, ModelRule | None, tuple[SentenceClaim, ...]]] = {}
        for lack, above in lacking:
            known = meanings.setdefault((lack.term, lack.fact), ("", None, ()))
            meanings[lack.term, lack.fact] = known if known[0] else self._meaning(lack, above)
        texts: dict[tuple[str, ModelRule | None], list[str]] = {}
        claims: dict[tuple[str, ModelRule | None], list[SentenceClaim]] = {}
        for lack, _ in lacking:
            meaning, by, meant = meanings[lack.term, lack.fact]
            found = texts.setdefault((meaning, by), [])
            found += [text] if (text := self._lack_text(lack)) not in found else []
            claims.setdefault((meaning, by), [claim]).extend([SentenceClaim(lack.term, lack.fact, lack.holds), *meant])
        sentences = {key: " and ".join(found) + f", so {key[0]}" * bool(key[0]) for key, found in texts.items()}
        return tuple(
            Statement(sentence, key[1], lacking=True, claims=tuple(claims[key])) for key, sentence in sentences.items()
        )

    def _distinct(self, lacking: list[Lacking]) -> list[Lacking]:
        """Return what is lacking without tags of an operation of which a sentence about compatibility speaks."""
        terms = self.view.model.terms
        compared = {e for lack, _ in lacking if terms[lack.term].name in TAGS for e in lack.fact}
        none = tag_text(NONE_TAG)
        return [
            (lack, above)
            for lack, above in lacking
            if terms[lack.term].op is not Op.TAGGED or terms[lack.term].name == none or lack.fact[0] not in compared
        ]

    def change_text(self, change: AnnotationChange) -> str:
        """Return in words what an operation lacks."""
        return self._lacking_text(change.lack, (change.event,), {"name": change.name or "a wider"})

    def _nearest(self, term: int, fact: Fact) -> Derivation | None:
        """Return the lightest derivation that may use what is missing; the tags of an instruction count as lacking one
        thing, however many operations they part it from."""
        step = self.wishes.proof(term, fact)
        weight, known = self.wishes.weight(term, fact), lacks(self.view.model.levels)
        tags = max(known[name].price for name in TAGS) * LIGHT
        for proofs in self._retagged if step is not None else ():
            other = proofs.proof(term, fact)
            if other is not None and self._parted(other) * tags + LIGHT // 4 < weight:
                return other
        return step

    def _parted(self, step: Derivation) -> int:
        """Return how few instructions would have other tags, if tags are all that a derivation lacks."""
        events = self.view.graph.events
        pairs = [frozenset(events[e].instruction for e in lack.fact) for lack, _ in _lacks(step, ())]
        for count in range(1, len(pairs) + 1):
            for chosen in combinations(sorted(frozenset().union(*pairs)), count):
                if all(pair.intersection(chosen) for pair in pairs):
                    return count
        return 0

    @cached_property
    def _retagged(self) -> list[Proofs]:
        """For each instruction with tags, and for all of them, the derivations that may use what its tags break."""
        tagged = list(dict.fromkeys(e.instruction for e in self.view.graph.events if e.tags))
        sets = [frozenset([instruction]) for instruction in tagged] + [frozenset(tagged)] * (len(tagged) > 1)
        return [Proofs(self.view, price(self.view, instructions)) for instructions in sets]

    def _meaning(
        self, lack: Derivation, above: tuple[Derivation, ...]
    ) -> tuple[str, ModelRule | None, tuple[SentenceClaim, ...]]:
        """Return which relation of an event fails by what it lacks, the innermost one with `@lacks`, in words."""
        for outer in reversed(above):
            if not outer.holds and len(outer.fact) == 2 and set(lack.fact) & set(outer.fact):
                said = self.view.said(outer.term, "lacks")
                if said is not None:
                    cited = self.cited(said, outer, outer.fact, holds=False)
                    claim = SentenceClaim(outer.term, outer.fact, holds=False)
                    return self.filled(said.text, outer.fact, outer), cited, (claim,)
        return "", None, ()

    def _lack_text(self, step: Derivation) -> str:
        term = self.view.model.terms[step.term]
        known = {"name": term.name}
        if term.name.startswith("tag-compat"):
            known["conflict"] = self._conflict(term.name, *step.fact)
        return self._lacking_text(lack_name(term), step.fact, known)

    def _lacking_text(self, name: str, fact: Fact, known: Mapping[str, str]) -> str:
        """Return what is lacking in words; a plain access that is no release or acquire is not atomic,
        either, and a failed cmpxchg has the ordering of a failure."""
        e = self.view.graph.events[fact[0]]
        text = lacks(self.view.model.levels)[name].text
        if e.ordering is Ordering.NOT_ATOMIC:
            text = PLAIN.get(name, text)
        return self.filled(text + " where it fails" * (name == "ACQ" and e.cas is not None), fact, known=known)

    def _conflict(self, relation: str, first: int, second: int) -> str:
        """Return for which prefix two events have no tag in common; a plain access counts the tag of its space."""
        counted = {"d": data_tags, "s": explicit_tags}
        sides = relation.removeprefix("tag-compat").removeprefix("-") or "ss"
        events = self.view.graph.events
        left, right = (counted[side](events[e]) for side, e in zip(sides, (first, second), strict=True))
        for prefix in sorted({p for p, _ in left} & {p for p, _ in right}):
            a, b = ("/".join(sorted(suffix for p, suffix in tags if p == prefix)) for tags in (left, right))
            if not set(left) & {tag for tag in right if tag[0] == prefix}:
                return f" ({prefix}: {a} against {b})"
        return ""


def _same(step: Derivation) -> Iterator[Derivation]:
    """Yield the steps that say the same of a fact as one that follows from them alone: the parts of unions."""
    while len(step.because) == 1 and step.because[0].fact == step.fact:
        step = step.because[0]
        yield step


def _lacks(step: Derivation, above: tuple[Derivation, ...]) -> Iterator[Lacking]:
    """Yield the leaves of a derivation that do not hold, each with the steps above it, from the root."""
    if not step.because and step.holds != step.member:
        yield step, above
    for part in step.because:
        yield from _lacks(part, (*above, step))
