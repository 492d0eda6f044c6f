"""Words of an execution that follows from one that is proposed.

What goes in: the execution after a change, which reads here are like which there. What comes out: the words of the one
before, and what they rest on. Undef is at most what it may be here. Invariant: where an execution before a change shows
what one after it does, each use of undef after it has one before it that may be taken for the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.encoder.bounds import Bounds
from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.execution import EncodingSettings
from axmem.encoder.openings import Openings
from axmem.encoder.terms import Terms
from axmem.encoder.valued import Proposal, ValuedExecution
from axmem.encoder.words import NOTHING, Word
from axmem.events.graph import EventGraph
from axmem.events.values import Apply, Constant, Expr, Pick, ReadOf, fold
from axmem.front.records import dataclass
from axmem.front.typing import override


@dataclass(frozen=True, slots=True)
class World:
    """What an execution follows: the one after, the reads there that reads here are like, which writes correspond."""

    after: Proposal
    likes: Mapping[int, int]
    writes: Mapping[int, int]
    terms: Terms


class ValuedFollower(ValuedExecution):
    """An execution that follows from one that is proposed: what undef may be is at most what it can be.

    `facts` are what its words rest on: that a read that is like another may return what that returns.
    """

    over = False

    def __init__(
        self,
        graph: EventGraph,
        found: Bounds,
        circuit: Circuit,
        undef: frozenset[int],
        settings: EncodingSettings,
        openings: Openings,
        world: World,
    ) -> None:
        super().__init__(graph, found, circuit, undef, settings, openings)
        self.world = world
        self.facts: list[int] = []
        self.circular = False
        """Whether some value is computed from itself, so that nothing follows."""
        self._busy: set[int] = set()
        self._alike: dict[Expr, Expr | None] = {}

    @override
    def _decided(self, expr: Expr, test: Expr, word: Word) -> Word:
        """Return the truth value by which a select goes: of undef, that by which one with the same goes after."""
        like = self.like(test)
        pick = self.world.after.picks.get(like) if like is not None else None
        if pick is None:
            return word
        taken = self.words.mux(word.undef(0), pick, word.bit(0))
        return word._replace(bits=(taken,), free=(), other=(self.words.xor(taken, word.undef(0)),))

    @override
    def _returned(self, r: int) -> Word:
        if r in self.world.likes:
            return self._like(r)
        if r not in self.looping:
            return self._from_sources(r)
        if r in self._busy:
            self.circular = True
            return NOTHING
        self._busy.add(r)
        found = self._from_sources(r)
        self._busy.discard(r)
        return found

    def _like(self, r: int) -> Word:
        """Return what the read that it is like returns; that its source may be that is a fact to be shown."""
        after, either = self.world.after, self.circuit.either
        q = self.world.likes[r]
        theirs, sure, nothing = after.read(q), after.surely.read(q), self.unread(r)
        free = tuple(either(sure.undef(i), nothing) for i in range(self.width(r)))
        mask = free if any(f != FALSE for f in free) else ()
        found = Word(theirs.bits, mask, self.circuit.both(theirs.poison, -nothing), self.executed[r])
        self._reads[r] = found
        for w, x in self.sources[r].items():
            there = self.world.writes.get(w)
            if there is not None and there in after.sources.get(q, {}):
                shows = self.shows_write(w, there)
            else:
                shows = self.words.covers(self.value_of_write(w), theirs._replace(there=self.executed[r]))
            self.facts.append(either(-x, shows))
        return found

    def shows_write(self, w: int, there: int) -> int:
        """Return the literal that what a write writes may be taken for what one after does."""
        after = self.world.after
        words = self.value_of_write(w), after.value_of_write(there)
        mine, theirs = self.graph.events[w].value, after.graph.events[there].value
        if w in self.written or there in after.written or mine is None or theirs is None:
            return self.words.covers(*words)
        return self.shows(mine, theirs, words)

    # ------------------------------------------------------------ what is the same

    def like(self, expr: Expr) -> Expr | None:
        """Return the expression after that computes the same of reads that those here are like, if every one is."""

        def made(part: Expr) -> Expr | None:
            match part:
                case ReadOf(event):
                    return ReadOf(self.world.likes[event]) if event in self.world.likes else None
                case Constant():
                    return part
                case Apply(operation, bits, arguments, parameters):
                    parts = tuple(each for a in arguments if (each := self._alike[a]) is not None)
                    return Apply(operation, bits, parts, parameters) if len(parts) == len(arguments) else None
                case Pick(choice, arms):
                    parts = tuple(each for a in arms if (each := self._alike[a]) is not None)
                    return Pick(choice, parts) if len(parts) == len(arms) else None

        return fold(expr, made, self._alike)

    def shows(self, mine: Expr, theirs: Expr, words: tuple[Word, Word]) -> int:
        """Return the literal that a value may be taken for one after, given the words of both.

        What is computed as it is after it, of reads like those there, is undef where that is. So is a number that is
        the same whatever is read (`Terms`), if each read that may be undef is used once there: here all uses take it
        for the same.
        """
        after, circuit = self.world.after, self.circuit
        one, other = words
        literal = self.words.covers(one, other)
        like = self.like(mine) if literal != TRUE else None
        if like is None:
            return literal
        there = circuit.either(one.there, -other.there)
        if like == theirs:
            choices = sorted(mine.choices) if isinstance(mine, Apply | Pick) else []
            if any(k >= len(after.arms) or len(after.arms[k]) != len(self.arms[k]) for k in choices):
                return literal
            same = [
                circuit.disjunction([circuit.both(a, b) for a, b in zip(self.arms[k], after.arms[k], strict=True)])
                for k in choices
            ]
            return circuit.either(literal, circuit.conjunction([*same, there]))
        uses = self.world.terms.same(like, theirs)
        if uses is None:
            return literal
        defined = [-self.words.undefined(after.value(leaf)) for leaf, count in uses.items() if count > 1]
        return circuit.either(literal, circuit.conjunction([*defined, -other.poison, there]))

    def controlled(self) -> int:
        """Return the literal that choices go the way their values say, that what is required holds, and that reads
        return what they are taken to return. To be asked when every value that is wanted is known."""
        circuit, facts = self.circuit, []
        for choice in self.graph.choices:
            if choice.expr is None:
                continue
            word = self.value(choice.expr)
            arises, undef = circuit.both(self.guard(choice.guard), word.there), self.words.undefined(word)
            taken = [circuit.both(x, self._arm(choice, k, word)) for k, x in enumerate(self.arms[choice.index])]
            facts.append(circuit.disjunction([-arises, undef, *taken]))
        facts += [circuit.either(-self.guard(q.guard), self.passes(q.expr)) for q in self.graph.requires]
        return FALSE if self.circular else circuit.conjunction([*facts, *self.facts])
