"""Executions and relations of a test that leaves something open.

What goes in: the events of a test, their bounds, its `Openings`. What comes out: the literals of its candidate
executions (`OpenCandidate`) and of a model's relations on them (`OpenedLiterals`), in the circuit of the openings; and
executions that are no choice of their own, but follow from literals that are there already (`Follower`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise

from axmem.encoder.bounds import Bounds
from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.execution import EncodingSettings
from axmem.encoder.openings import Openings, key_of
from axmem.encoder.stations import OpenLiterals
from axmem.encoder.valued import Proposal
from axmem.encoder.valued_follower import ValuedFollower, World
from axmem.events.graph import Choice, Event, EventGraph, EventKind
from axmem.front.records import dataclass, field
from axmem.front.typing import override
from axmem.model.model import Model


class OpenCandidate(Proposal):
    """A candidate execution in which the arms of open choices are given."""

    def __init__(
        self, graph: EventGraph, found: Bounds, openings: Openings, undef: frozenset[int], settings: EncodingSettings
    ) -> None:
        self._openings = openings
        super().__init__(graph, found, undef, settings, openings)

    @override
    def _arms_of(self, choice: Choice) -> list[int]:
        given = self._openings.arms.get(choice.index)
        return super()._arms_of(choice) if given is None else [*given]


class OpenedLiterals(OpenLiterals):
    """Literals of a model's terms where some primitives are open."""

    def __init__(
        self,
        model: Model,
        found: Bounds,
        openings: Openings,
        executed: list[int],
        primitive: Callable[[str, int, int], int],
        like: OpenedLiterals | None = None,
    ) -> None:
        """`like` are those of another execution of the same events: facts that no source bears on are its."""
        super().__init__(model, found, openings.circuit, executed, primitive)
        self._openings = openings
        self._open_pairs: dict[int, Mapping[tuple[int, int], int]] = {}
        if like is not None and like.executed == executed:
            fixed = _fixed(model)
            for term in fixed:
                self._pairs[term], self._members[term] = like._pairs[term], like._members[term]
            self._closures = {key: table for key, table in like._closures.items() if key in fixed}

    @override
    def static_member(self, term: int, i: int) -> int:
        """Return the literal that an event is in a primitive set that may hold it."""
        open_here = self._openings.members.get(key_of(self.terms[term]), {})
        return self.circuit.both(self.executed[i], open_here.get(i, TRUE))

    @override
    def static_pair(self, term: int, i: int, j: int) -> int:
        """Return the literal that two events are in a static primitive relation that may relate them."""
        open_here = self._open_pairs.get(term)
        if open_here is None:
            open_here = self._open_pairs[term] = self._openings.pairs.get(key_of(self.terms[term]), {})
        both = self.circuit.both
        return both(both(self.executed[i], self.executed[j]), open_here.get((i, j), TRUE))


@lru_cache(maxsize=16)
def _fixed(model: Model) -> frozenset[int]:
    """Return the terms that depend on the test alone; members of a fixpoint do as it does."""
    return frozenset(i for i in model.analyses.order if model.analyses.stages[i] == 0)


@dataclass(frozen=True, slots=True)
class Followed:
    """What an execution that follows from others is made of, in the circuit of these.

    `arms[c]` are the literals of the arms of every choice, `sources[r]` for every read (and final read) that the model
    speaks of those of the writes it reads from, of which at most one holds, `unread[r]` the literal that it is undef
    without one; `order` gives the literal that one write of a cell comes before another. `implied` says of literals
    which others hold where they do.
    """

    arms: Mapping[int, Sequence[int]]
    sources: Mapping[int, Mapping[int, int]]
    unread: Mapping[int, int]
    order: Callable[[int, int], int]
    implied: Mapping[int, frozenset[int]] = field(default_factory=dict)


class Follower(ValuedFollower):
    """A candidate execution in which nothing is chosen: nothing about it is asserted either."""

    def __init__(
        self,
        graph: EventGraph,
        found: Bounds,
        openings: Openings,
        followed: Followed,
        settings: EncodingSettings,
        world: World,
    ) -> None:
        self._followed = followed
        undef = frozenset(r for r, literal in followed.unread.items() if literal != FALSE)
        super().__init__(graph, found, openings.circuit, undef, settings, openings, world)

    @override
    def _arms_of(self, choice: Choice) -> list[int]:
        return [*self._followed.arms[choice.index]]

    @override
    def _read_from(self, found: Bounds) -> None:
        for r, writes in self._followed.sources.items():
            here = {w: x for w, x in writes.items() if x != FALSE and found.rf and found.rf[w] >> r & 1}
            self.sources[r] = {w: self._where(x, (self.executed[w], self.executed[r])) for w, x in here.items()}

    def _where(self, literal: int, others: tuple[int, int]) -> int:
        """Return the literal that it and others hold: it itself where it implies them, so that equal facts are one."""
        implied = self._followed.implied.get(literal, ())
        return self.circuit.conjunction([literal, *(x for x in others if x not in implied)])

    @override
    def order(self, a: int, b: int) -> int:
        """Return the literal that write a comes before write b in their cell's total order."""
        events = self.graph.events
        if events[a].kind is EventKind.INIT or events[b].kind is EventKind.INIT:
            return TRUE if events[a].kind is EventKind.INIT else FALSE
        return self._followed.order(a, b)

    def read_well(self, undef: Mapping[int, int]) -> int:
        """Return the literal that every read that executes is undef just where it must be, or else has one source.

        `undef` are the literals that the model says of reads that they are undef.
        """
        circuit = self.circuit
        facts = []
        for r, sources in self.sources.items():
            if r in self._co_finals:
                continue
            unread = self._followed.unread.get(r, FALSE)
            must = undef.get(r, FALSE)
            taken = circuit.disjunction(list(sources.values()))
            well = circuit.either(circuit.both(unread, must), circuit.both(-must, taken))
            facts.append(circuit.either(-self.executed[r], well))
        return circuit.conjunction(facts)

    def whole(self) -> int:
        """Return the literal that accesses of several cells are ordered alike in all of them, and that no loop goes on
        beyond its bound."""
        circuit, facts = self.circuit, [-self.guard(each.guard) for each in self.graph.beyond]
        writes: dict[int, list[Event]] = {}
        for e in self.graph.events:
            if e.kind is EventKind.WRITE and len(e.footprint) > 1:
                writes.setdefault(e.access, []).append(e)
        for one, other in combinations(writes.values(), 2):
            cells = {e.cell: e.index for e in other} if one[0].footprint == other[0].footprint else {}
            literals = [self.order(e.index, cells[e.cell]) for e in one if e.cell in cells]
            there = circuit.both(self.executed[one[0].index], self.executed[other[0].index])
            facts += [
                circuit.disjunction([-there, circuit.both(a, b), circuit.both(-a, -b)]) for a, b in pairwise(literals)
            ]
        return circuit.conjunction(facts)
