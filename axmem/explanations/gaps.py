"""What keeps an event from being ordered before another.

What goes in: two events of an execution that the model does not order. What comes out: statements: which order fails
first, how far the first event gets, what is missing, and, where that would not be enough, what else is. Each change
that is named was tried (`mending.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.events.graph import EventKind
from axmem.explanations.concrete import CitedRemark, Fact, ModelView
from axmem.explanations.mending import changed, widening
from axmem.explanations.names import EventNames
from axmem.explanations.statements import SentenceClaim, Statement
from axmem.explanations.words import ExecutionWords
from axmem.front.records import replace
from axmem.model.relation import bits

NO_CHAIN = "no other ordering, scope or tag of what is here would order them"
"""Said of two events that the strongest annotations of all operations do not order."""


class Gaps:
    """What is missing in one execution."""

    def __init__(self, view: ModelView, names: EventNames, words: ExecutionWords) -> None:
        self.view = view
        self.names = names
        self.words = words
        self.orders = view.saying("order")

    def between(self, a: int, b: int) -> list[Statement]:
        """Return what keeps an event from being ordered before another, for it is not."""
        failing = next(i for i, order in enumerate(self.orders) if not self.view.has(order.term, (a, b)))
        holding, term = self.orders[:failing], self.orders[failing].term
        why = self.words.missing(term, (a, b)) or (self.hopeless(term, (a, b)),)
        why += self._even_then(a, b, why)
        head = self._unlike(a, b, holding[-1] if holding else None, self.orders[failing])
        if not holding:
            return [head, *why]
        known = self.words.chain(self.words.proofs.proof(holding[-1].term, (a, b)))
        narrow: dict[int, Statement] = {}
        reach = self._reach(a, b, narrow)
        self._too_narrow(self.orders[-1].term, a, b, narrow)
        return [*known, head, *reach, *narrow.values(), *why]

    def each_other(self, a: int, b: int) -> list[Statement]:
        """Return how two events are ordered with each other that the last order does not order: by another, or not."""
        ways = [(order, pair) for order in self.orders[:-1] for pair in ((a, b), (b, a))]
        for order, pair in ways:
            if self.view.has(order.term, pair):
                narrow: dict[int, Statement] = {}
                self._too_narrow(self.orders[-1].term, *pair, narrow)
                return [self._unlike(*pair, order, self.orders[-1]), *narrow.values()]
        text = f"{self.names.prose(a)} and {self.names.prose(b)} are not ordered with each other"
        pairs = [(order.term, pair) for order in self.orders for pair in ((a, b), (b, a))]
        return [Statement(text, lacking=True, claims=tuple(SentenceClaim(*each, holds=False) for each in pairs))]

    def _unlike(self, a: int, b: int, holding: CitedRemark | None, failing: CitedRemark) -> Statement:
        """Return that one order holds of two events, if any does, and another one fails."""
        first, last, denied = self.names.prose(a), self.names.prose(b), failing.remark.texts[1]
        fails = SentenceClaim(failing.term, (a, b), holds=False)
        if holding is None:
            return Statement(f"{first} {denied} {last}", lacking=True, claims=(fails,))
        claims = (fails, SentenceClaim(holding.term, (a, b), holds=True))
        return Statement(f"{first} {holding.text} {last}, but {denied} it", lacking=True, claims=claims)

    def _even_then(self, a: int, b: int, why: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """Return what is still missing once the first order is mended that fails, for the last one to hold."""
        last = self.orders[-1]
        mended = next((claim for s in why for claim in s.claims if claim.changes or claim.reads), None)
        if mended is None or mended.term == last.term:
            return ()
        after = changed(self.view, mended.changes, mended.reads)
        if after.has(last.term, (a, b)):
            return ()
        text = f"even then {self.names.prose(a)} {last.remark.texts[1]} {self.names.prose(b)}"
        head = Statement(text, lacking=True, claims=(replace(mended, term=last.term, holds=False),))
        more = tuple(
            replace(s, claims=tuple(_on_top(mended, claim) for claim in s.claims))
            for s in ExecutionWords(after, self.names).missing(last.term, (a, b))
        )
        return (head, *(more or (self.hopeless(last.term, (a, b)),)))

    def hopeless(self, term: int, fact: Fact) -> Statement:
        """Return that no other annotations would order two events."""
        return Statement(NO_CHAIN, lacking=True, claims=(SentenceClaim(term, fact, holds=False, hopeless=True),))

    def denial(self, order: CitedRemark, fact: Fact) -> Statement:
        """Return that an order does not order two events."""
        return self._unlike(fact[0], fact[-1], None, order)

    def _reach(self, write: int, read: int, narrow: dict[int, Statement]) -> list[Statement]:
        """Return how far a write gets that is not ordered before a read: by itself, and by the operations that the
        model's text names; note the scopes that are too narrow."""
        words, proofs = self.words, self.words.proofs
        sets = [said.term for said in self.view.saying("says") if self.view.model.terms[said.term].is_set]
        alone = [s for term in sets for s in words.chain(proofs.proof(term, (write,)))]
        found = [*alone, *self._apart(write, read)] if alone else []
        none = []
        for said in self.view.saying("reach"):
            reached = self._reached(said, write)
            for e in reached:
                found += words.chain(proofs.proof(said.term, (write, e)))
                found += self._late(e, read)
            found += self._falls_short(said, write, read, narrow)
            if not reached and not alone:
                text = words.filled(said.text, (write,))
                none.append(
                    Statement(text, words.cited(said), claims=(SentenceClaim(said.term, (write,), holds=False),))
                )
        return [*found, *none]

    def _apart(self, write: int, read: int) -> list[Statement]:
        """Return what keeps a write that gets somewhere by itself from a read that looks there by itself."""
        return [
            Statement(self.words.filled(said.text, (write, read)), self.words.cited(said), lacking=True)
            for said in self.view.saying("within")
            for value in (self.view.value(said.remark.names[-1]),)
            if self.view.has(said.term, (write,))
            and self.view.has(said.term, (read,))
            and not isinstance(value, int)
            and not (value and value[write] >> read & 1)
        ]

    def _falls_short(
        self, reach: CitedRemark, write: int, read: int, narrow: dict[int, Statement]
    ) -> Iterable[Statement]:
        """Return which operation comes too early in the thread of the read to carry a write further; note which scopes
        are too narrow for that."""
        early: dict[str, Statement] = {}
        happens, po = self.orders[0], self.view.statics.relation_of("po")
        for said in self._carrying(reach):
            for e in bits(self._carriers(said) & ~sum(1 << x for x in self._reached(reach, write))):
                before = self.view.has(happens.term, (write, e))
                if before and (e == read or self.view.has(happens.term, (e, read))):
                    self._too_narrow(reach.term, write, e, narrow, said)
                elif not before and self._is_apart(e) and po[e] >> read & 1:
                    told = self.words.filled(said.text, (write, e))
                    text = f"{self.names.prose(write)} {happens.remark.texts[1]} {self.names.prose(e)}, so {told}"
                    terms = (happens.term, reach.term)
                    claims = tuple(SentenceClaim(term, (write, e), holds=False) for term in terms)
                    early[said.definition.name] = Statement(text, self.words.cited(said), lacking=True, claims=claims)
        return early.values()

    def _carrying(self, reach: CitedRemark) -> list[CitedRemark]:
        """Return what is said where an operation does not carry a write further, for it or the relation it cites."""
        names = (reach.definition.name, *reach.remark.names)
        definitions = [self.view.definitions[name] for name in names if name in self.view.definitions]
        return [CitedRemark(d, remark) for d in definitions if (remark := d.remark("lacks")) is not None]

    def _carriers(self, said: CitedRemark) -> int:
        """Return the operations of the sets that a remark names."""
        values = [self.view.value(name) for name in said.remark.names]
        return next((value for value in values if isinstance(value, int)), 0)

    def _is_apart(self, event: int) -> bool:
        return self.view.graph.events[event].kind not in (EventKind.READ, EventKind.WRITE)

    def _too_narrow(
        self, term: int, write: int, last: int, narrow: dict[int, Statement], said: CitedRemark | None = None
    ) -> None:
        """Note that a scope does not contain an event, where a write would be related to an operation if it did: that
        of the operation not the write, or that of another one, which carries the write, not the operation."""
        reached = [e for reach in self.view.saying("reach") for e in self._reached(reach, write)]
        levels = list(self.view.graph.levels)
        for operation in dict.fromkeys((last, *reached)):
            e, inside = self.view.graph.events[operation], write if operation == last else last
            if e.scope is levels[-1] or self.view.statics.relation_of(f"same-{e.scope.word}")[operation] >> inside & 1:
                continue
            for level in levels[levels.index(e.scope) + 1 :]:
                change = widening(e, level)
                if operation not in narrow and changed(self.view, (change,)).has(term, (write, last)):
                    claim = SentenceClaim(term, (write, last), holds=True, changes=(change,))
                    claims = (claim, SentenceClaim(term, (write, last), holds=False))
                    narrow[operation] = self._not_inside(operation, inside, said, (write, last), claims)

    def _not_inside(
        self, operation: int, inside: int, said: CitedRemark | None, fact: Fact, claims: tuple[SentenceClaim, ...]
    ) -> Statement:
        """Return that the scope instance of an operation does not contain an event, and what fails by that."""
        scope = self.view.graph.events[operation].scope
        instance = "own thread" if scope is next(iter(self.view.graph.levels)) else scope.word
        text = f"{self.names.prose(operation)}'s {instance} does not contain {self.names.prose(inside)}"
        if said is None:
            return Statement(text, lacking=True, claims=claims)
        return Statement(f"{text}, so {self.words.filled(said.text, fact)}", self.words.cited(said), True, claims)

    def _reached(self, reach: CitedRemark, write: int) -> list[int]:
        """Return the operations that carry a write further."""
        row = self.view.relation_of(reach.term)
        return list(bits(row[write])) if row else []

    def _late(self, operation: int, read: int) -> list[Statement]:
        """Return that an operation comes after a read in its thread, if it does."""
        if not self.view.statics.relation_of("po")[read] >> operation & 1:
            return []
        later, earlier = self.names.prose(operation), self.names.prose(read)
        return [Statement(f"{later} follows {earlier} in program order, and does nothing for it", lacking=True)]


def _on_top(mended: SentenceClaim, claim: SentenceClaim) -> SentenceClaim:
    """Return what is claimed of an execution that is changed already."""
    return replace(claim, changes=mended.changes + claim.changes, reads=mended.reads + claim.reads)
