"""The operations of a context, as events of the programs that stand in it.

What goes in: programs that were walked with the placeholders of a shape (`placeholders.py`), and the
`Operations` of a context. What comes out: what the events of the placeholders become (`Setting`): events under choices
whose arms are the kinds and places of an operation, with `Openings` for its ordering, scope, tags, what it writes and
where its thread stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.openings import Key, Openings
from axmem.encoder.outlines import data_tags, explicit_tags
from axmem.encoder.statics import ORDERING_SETS
from axmem.encoder.words import Word
from axmem.events.graph import Choice, Event, EventGraph, EventKind
from axmem.events.values import UNDEF, Constant
from axmem.front.records import replace
from axmem.litmus.words import (
    AS_PREFIX,
    PLACED,
    SCOPE_OF,
    SPACE_TAGS,
    OperationKind,
    Ordering,
    Scope,
    Tag,
)
from axmem.model.model import Model
from axmem.model.terms import Op
from axmem.refinement.bounded.attributes import OperationAttributes
from axmem.refinement.bounded.vocabulary import Tagging, compatible_tags
from axmem.refinement.contexts.admitted import ADMITS, EXCLUDES, admitted
from axmem.refinement.contexts.annotations import aligned
from axmem.refinement.contexts.correspondence import OperationPlace
from axmem.refinement.contexts.operations import Operations
from axmem.refinement.contexts.placeholders import BARRIER, SLOT, labelled
from axmem.refinement.contexts.standing import AFTER, BEFORE, Standing

LOAD, STORE, RMW, FENCE = OperationKind.LOAD, OperationKind.STORE, OperationKind.RMW, OperationKind.FENCE


class Setting(Operations):
    """The operations of a context, and programs among them."""

    def opened(self, graph: EventGraph, model: Model) -> tuple[EventGraph, Openings]:
        """Return the events of a program in the placeholders with what is open about them."""
        choices, arms = list(graph.choices), {}
        base = len(choices)
        for k, a in enumerate(self.slots):
            for literals in (
                [-self.reads(k), self.reads(k)],
                [-self.writes(k), self.writes(k)],
                [-self.fences(k), self.fences(k)],
                [*a.locations] or [TRUE],
            ):
                arms[len(choices)] = literals
                choices.append(Choice(len(choices), (), None, tuple(range(len(literals)))))
        meeting_arms: dict[tuple[int, int], int] = {}
        for k, gaps in enumerate(self.gaps):
            for phase, literals in enumerate([[-self.meets[k], self.meets[k]], *gaps] if gaps else ()):
                meeting_arms[k, phase] = len(choices)
                arms[len(choices)] = literals
                choices.append(Choice(len(choices), (), None, tuple(range(len(literals)))))
        events, slot_of, written = [], {}, dict(self._held(graph))
        found = self.parts = dict(self._slots_of(graph))
        barriers = dict(self._barriers_of(graph))
        for e in graph.events:
            if e.index in barriers:
                k, gap, phase = barriers[e.index]
                guard = (*e.guard, (meeting_arms[k, 0], 1), (meeting_arms[k, phase], gap))
                plain = replace(e, label="", kind=EventKind.BARRIER, ordering=Ordering.NOT_ATOMIC, scope=Scope.SYSTEM)
                events.append(replace(plain, guard=guard, phase=(self._object(graph), phase)))
                continue
            if e.index not in found:
                events.append(e)
                continue
            slot, place = found[e.index]
            slot_of[e.index] = slot
            at = base + 4 * slot
            if e.kind is EventKind.READ:
                event = replace(e, guard=(*e.guard, (at, 1), (at + 3, place)))
            elif e.kind is EventKind.WRITE:
                event = replace(e, guard=(*e.guard, (at + 1, 1), (at + 3, place)))
                low = 8 * (graph.cells[e.cell].offset - self.memory.places[place].offset)
                word = self.numbers.written[slot][low : low + 8 * graph.cells[e.cell].size]
                written[e.index] = Word(word)
            else:
                event = replace(e, guard=(*e.guard, (at, 0), (at + 1, 0), (at + 2, 1)))
            events.append(event)
        opened = replace(graph, events=tuple(events), choices=tuple(choices))
        members = dict(self._members(opened, slot_of, model))
        self._annotate(graph, {**found, **barriers}, members)
        pairs = dict(self._pairs(opened, slot_of, model))
        found_here = Openings(self.circuit, members, pairs, arms, written, self.numbers.given, self.unknown)
        if not {name for _, name in (ADMITS, EXCLUDES)}.isdisjoint(model.base_names):
            pairs |= {key: made for key, made in admitted(opened, found_here) if key[1] in model.base_names}
        return opened, found_here

    def _held(self, graph: EventGraph) -> Iterator[tuple[int, Word]]:
        """Yield the words of memory at first, where they are open."""
        for e in graph.events:
            if e.kind is EventKind.INIT and e.value != Constant(UNDEF):
                cell = graph.cells[e.cell]
                if (held := self.numbers.held(cell.location, cell.offset, cell.size)) is not None:
                    yield e.index, Word(held)

    def _slots_of(self, graph: EventGraph) -> Iterator[tuple[int, OperationPlace]]:
        """Yield for the events of placeholders which operation they are of, with the place of an access."""
        for e, (slot, place) in labelled(graph, SLOT):
            yield e, (self.number[slot], place)

    def _barriers_of(self, graph: EventGraph) -> Iterator[tuple[int, tuple[int, int, int]]]:
        """Return for events that stand for barriers the further thread, before which operation, the phase from 1."""
        return ((e, (thread, gap, phase)) for e, (thread, gap, phase) in labelled(graph, BARRIER))

    def _object(self, graph: EventGraph) -> str:
        """Return the barrier object of the meeting in a program."""
        meeting = self.shape.meeting
        assert meeting is not None
        mine = (e for e in graph.events if e.phase is not None and graph.threads[e.thread] in meeting.threads)
        return next(e.phase[0] for e in mine if e.phase is not None)

    def _members(
        self, graph: EventGraph, slot_of: Mapping[int, int], model: Model
    ) -> Iterator[tuple[Key, dict[int, int]]]:
        """Yield for each set that an operation may be in the literals of its events."""
        circuit = self.circuit
        tagged = {t.name for i in model.reached if (t := model.terms[i]).op is Op.TAGGED}
        for key in [*((False, n) for n in SETS if n in model.base_names), *((True, n) for n in tagged)]:
            found = {}
            for e, slot in slot_of.items():
                a = self.slots[slot]
                if key[0]:
                    prefix, _, suffix = key[1].partition(":")
                    found[e] = a.tags.get((prefix, suffix), FALSE)
                else:
                    found[e] = SETS[key[1]](a, graph.events[e], circuit)
            yield key, found

    def _annotate(self, graph: EventGraph, other: Mapping[int, object], members: dict[Key, dict[int, int]]) -> None:
        """Add the literals that a program's own events have the orderings and scopes that are open; `other` are those
        of the context."""
        if self.annotations is None:
            return
        for e, group in aligned(graph, other, 0 if graph is self.graphs[0] else 1, self.annotations):
            for name, ordering in ORDERING_SETS.items():
                if (False, name) in members:
                    members[False, name][e] = self.orderings[group].get(ordering, FALSE)
            for word, scope in SCOPE_OF.items():
                if (False, word) in members:
                    members[False, word][e] = self.scopes[group][scope]

    def _pairs(
        self, graph: EventGraph, slot_of: Mapping[int, int], model: Model
    ) -> Iterator[tuple[Key, dict[tuple[int, int], int]]]:
        """Yield for each relation in which operations may be the literals of their events' pairs."""
        here = {e.index: self.thread_of(graph, e.thread) for e in graph.events}
        apart = [
            (a, b, t, u)
            for a, t in here.items()
            for b, u in here.items()
            if min(t, u) >= 0 and t != u and (t in self.free or u in self.free)
        ]
        standing = () if self.standing is None else [*self._program_order(apart, slot_of, self.standing)]
        yield from standing
        alike = dict(standing).get((False, f"same-{Scope.SINGLETHREAD.word}"), {})
        for scope in PLACED:
            if f"same-{scope.word}" in model.base_names:
                found = {(a, b): self.skeleton.same(scope, t, u) for a, b, t, u in apart}
                if scope not in self.space.levels:  # Where who stands in one thread need not be together.
                    found = {pair: self.circuit.either(x, alike.get(pair, FALSE)) for pair, x in found.items()}
                yield (False, f"same-{scope.word}"), found
        for name, (left, right) in _COMPATIBLE.items():
            if name in model.base_names:
                yield (False, name), dict(self._compatible(graph, slot_of, (left, right), name != "as-compat"))

    def _program_order(
        self, apart: Sequence[tuple[int, int, int, int]], slot_of: Mapping[int, int], standing: Standing
    ) -> Iterator[tuple[Key, dict[tuple[int, int], int]]]:
        """Yield the literals of what depends on where operations stand: which thread they are of, their order there."""
        order: dict[tuple[int, int], int] = {}
        same: dict[tuple[int, int], int] = {}
        for a, b, t, u in apart:
            i, j = slot_of.get(a), slot_of.get(b)
            if i is not None and j is not None:
                same[a, b] = standing.together(min(i, j), max(i, j))
                order[a, b] = same[a, b] if i < j else FALSE
            elif i is not None:
                same[a, b], order[a, b] = standing.inside(i, u), standing.at[i].get((u, BEFORE), FALSE)
            elif j is not None:
                same[a, b], order[a, b] = standing.inside(j, t), standing.at[j].get((t, AFTER), FALSE)
        yield (False, "po"), order
        yield (False, "int"), same
        yield (False, f"same-{Scope.SINGLETHREAD.word}"), same
        yield (False, "ext"), {pair: -x for pair, x in same.items()}

    def _compatible(
        self, graph: EventGraph, slot_of: Mapping[int, int], implied: tuple[bool, bool], every: bool
    ) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield the literals that tags are compatible: all, or those of amdgpu-synchronize-as alone."""
        known: dict[tuple[object, object], int] = {}
        tags: dict[tuple[int, bool], tuple[object, Tagging]] = {}
        for e in graph.events:
            for data in (False, True):
                tags[e.index, data] = self._tags(e, slot_of.get(e.index), data, every)
        for a in graph.events:
            for b in graph.events:
                i, j = slot_of.get(a.index), slot_of.get(b.index)
                if (i is None and j is None) or (i == j):
                    continue
                (one, left), (other, right) = tags[a.index, implied[0]], tags[b.index, implied[1]]
                if (one, other) not in known:
                    literal = compatible_tags(self.circuit, left, right)
                    if every and i is not None and j is not None and self.space.any_tags:
                        literal = self.circuit.both(literal, self.compatibility.between(self.slots, i, j))
                    known[one, other] = literal
                yield (a.index, b.index), known[one, other]

    def _tags(self, e: Event, slot: int | None, data: bool, every: bool) -> tuple[object, Tagging]:
        """Return the tags of an event, by a key of those that are equal."""
        if slot is None:
            known = (data_tags(e) if data else explicit_tags(e)) if every else e.tags
            named = frozenset(t for t in known if every or t[0] == AS_PREFIX)
            return named, dict.fromkeys(named, TRUE)
        mine: dict[Tag, int] = {t: x for t, x in self.slots[slot].tags.items() if every or t[0] == AS_PREFIX}
        if every and self.one_as[slot] != FALSE and e.space in SPACE_TAGS:
            tag = SPACE_TAGS[e.space]
            mine[tag] = self.circuit.either(mine.get(tag, FALSE), self.one_as[slot])
        if data and e.space in SPACE_TAGS:
            tag = SPACE_TAGS[e.space]
            none = self.circuit.conjunction([-x for t, x in mine.items() if t[0] == AS_PREFIX])
            mine[tag] = self.circuit.either(mine.get(tag, FALSE), none)
        return (slot, e.space if data or self.one_as[slot] != FALSE else None), mine


_COMPATIBLE = {
    "tag-compat": (False, False),
    "tag-compat-dd": (True, True),
    "tag-compat-sd": (False, True),
    "as-compat": (False, False),
}
"""The relations of tags, and on which side an access has the tag of its memory, too."""

Member = Callable[[OperationAttributes, Event, Circuit], int]
"""The literal that an event of an operation, if it executes, is in a set."""


def _ordered(ordering: Ordering) -> Member:
    return lambda a, e, circuit: a.orderings.get(ordering, FALSE)


def _scoped(scope: Scope) -> Member:
    return lambda a, e, circuit: a.scopes.get(scope, FALSE)


SETS: dict[str, Member] = {
    **{name: _ordered(ordering) for name, ordering in ORDERING_SETS.items()},
    **{word: _scoped(scope) for word, scope in SCOPE_OF.items()},
    "RMW": lambda a, e, circuit: a.kinds.get(RMW, FALSE) if e.cell >= 0 else FALSE,
    "Vol": lambda a, e, circuit: a.volatile,
    "AVI": lambda a, e, circuit: a.av,
    "Tagged": lambda a, e, circuit: a.tagged(circuit),
}
"""The sets of the vocabulary that rest on what a context leaves open; in the others events are whatever it chooses."""
