"""What keeps an event from being ordered before another.

What goes in: two events of an execution that the model does not order. What comes out: statements: which order fails
first, how far the first event gets, what is missing, and, where that would not be enough, what else is. Each change
that is named was tried (`mending.py`).
"""

from __future__ import annotations

from axmem.explanations.concrete import CitedRemark, Fact, ModelView
from axmem.explanations.mending import changed
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
        hopeless = Statement(NO_CHAIN, lacking=True, claims=(_hopeless(term, (a, b)),))
        why = self.words.missing(term, (a, b)) or (hopeless,)
        why += self._even_then(a, b, why)
        head = self._unlike(a, b, holding[-1] if holding else None, self.orders[failing])
        if not holding:
            return [head, *why]
        known = self.words.chain(self.words.proofs.proof(holding[-1].term, (a, b)))
        return [*known, head, *self._reach(a, b), *why]

    def each_other(self, a: int, b: int) -> Statement:
        """Return how two events are ordered with each other that the last order does not order: by another, or not."""
        ways = [(order, pair) for order in self.orders[:-1] for pair in ((a, b), (b, a))]
        for order, pair in ways:
            if self.view.has(order.term, pair):
                return self._unlike(*pair, order, self.orders[-1])
        text = f"{self.names.prose(a)} and {self.names.prose(b)} are not ordered with each other"
        pairs = [(order.term, pair) for order in self.orders for pair in ((a, b), (b, a))]
        return Statement(text, lacking=True, claims=tuple(SentenceClaim(*each, holds=False) for each in pairs))

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
        return (head, *(more or (Statement(NO_CHAIN, lacking=True, claims=(_hopeless(last.term, (a, b)),)),)))

    def _reach(self, write: int, read: int) -> list[Statement]:
        """Return how far a write gets that is not ordered before a read: by itself, and by the operations that the
        model's text names."""
        words, proofs = self.words, self.words.proofs
        sets = [said.term for said in self.view.saying("says") if self.view.model.terms[said.term].is_set]
        alone = [s for term in sets for s in words.chain(proofs.proof(term, (write,)))]
        found = [*alone, *self._apart(write, read)] if alone else []
        none = []
        for said in self.view.saying("reach"):
            row = self.view.relation_of(said.term)
            reached = list(bits(row[write])) if row else []
            for e in reached:
                found += words.chain(proofs.proof(said.term, (write, e)))
                found += self._late(e, read)
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

    def _late(self, operation: int, read: int) -> list[Statement]:
        """Return that an operation comes after a read in its thread, if it does."""
        if not self.view.statics.relation_of("po")[read] >> operation & 1:
            return []
        later, earlier = self.names.prose(operation), self.names.prose(read)
        return [Statement(f"{later} follows {earlier} in program order, and does nothing for it", lacking=True)]


def _hopeless(term: int, fact: Fact) -> SentenceClaim:
    return SentenceClaim(term, fact, holds=False, hopeless=True)


def _on_top(mended: SentenceClaim, claim: SentenceClaim) -> SentenceClaim:
    """Return what is claimed of an execution that is changed already."""
    return replace(claim, changes=mended.changes + claim.changes, reads=mended.reads + claim.reads)
