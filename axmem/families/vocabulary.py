"""The primitives of a model's vocabulary on a symbolic program.

What goes in: events and attributes. What comes out: for each primitive except `rf` and `co` the literal that an event
is in the set, or a pair in the relation; TRUE and FALSE where the layout decides. Invariant: on the program of a
solution these are the sets and relations that `axmem.encoder.statics` computes from its litmus test (for the events
that execute).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.statics import ORDERING_SETS
from axmem.families.attributes import Attributes
from axmem.families.bound import WITHOUT
from axmem.families.layout import READING, WRITING, Role, SlotEvent
from axmem.families.operations import Kind
from axmem.litmus.words import AS_PREFIX, AV_PREFIX, SCOPE_OF, SPACE_TAGS, AddressSpace, Scope, Tag
from axmem.model.relation import Relation, relation
from axmem.model.terms import Op, Term
from axmem.model.vocabulary import CHOSEN, PRIMITIVES

_NOTHING = frozenset(name for name, p in PRIMITIVES.items() if p.needs in WITHOUT)
_OUTER = (Role.INITIAL, Role.FINAL)
_GLOBAL = SPACE_TAGS[AddressSpace.GLOBAL]

Tagging = dict[Tag, int]
"""For each tag the literal that an event carries it."""


class Vocabulary:
    """Literals of the primitives; `executed[e]` is that of event e executing (or being outside every thread)."""

    def __init__(self, attributes: Attributes, events: Sequence[SlotEvent]) -> None:
        self.attributes = attributes
        self.circuit = attributes.circuit
        self.events = events
        self.size = len(events)
        self.executed = [self._of_kind(e, e.kinds) if e.slot >= 0 else TRUE for e in events]
        self._pairs: dict[str, list[list[int]]] = {}
        self._sets: dict[str, list[int]] = {}
        self._same: dict[str, Callable[[SlotEvent, SlotEvent], bool]] = {
            "id": lambda a, b: a.index == b.index,
            "si": lambda a, b: a.index == b.index or (a.slot >= 0 and a.slot == b.slot),
            "sa": lambda a, b: a.index == b.index,
        }

    def bounds(self, term: Term) -> tuple[int | Relation, int | Relation]:
        """Return what a BASE or TAGGED term may be and what it is whatever the program."""
        if term.is_set:
            members = self.set_of(term)
            return _mask(members, lambda x: x != FALSE), _mask(members, lambda x: x == TRUE)
        rows = self.relation_of(term.name)
        may = relation([_mask(row, lambda x: x != FALSE) for row in rows])
        return may, relation([_mask(row, lambda x: x == TRUE) for row in rows])

    # ------------------------------------------------------------ sets

    def set_of(self, term: Term) -> list[int]:
        """Return for each event the literal that it is in a set."""
        key = f"#{term.name}" if term.op is Op.TAGGED else term.name
        if key not in self._sets:
            if term.op is Op.TAGGED:
                prefix, _, suffix = term.name.partition(":")
                self._sets[key] = [self._carries(e, (prefix, suffix)) for e in self.events]
            else:
                self._sets[key] = [self._member(term.name, e) for e in self.events]
        return self._sets[key]

    def _of_kind(self, e: SlotEvent, kinds: frozenset[Kind]) -> int:
        return self.attributes.is_kind(e.slot, *(kinds & e.kinds))

    def _member(self, name: str, e: SlotEvent) -> int:
        if name == "_":
            return FALSE if e.role is Role.FINAL else self.executed[e.index]
        if name == "IW":
            return TRUE if e.role is Role.INITIAL else FALSE
        if name == "Fin":
            return TRUE if e.role is Role.FINAL else FALSE
        if name in ("W", "M", "GLOBAL") and e.role is Role.INITIAL:
            return TRUE
        if e.role in _OUTER or name in _NOTHING:
            return FALSE
        return self._slot_member(name, e)

    def _slot_member(self, name: str, e: SlotEvent) -> int:
        attributes, circuit = self.attributes, self.circuit
        here = self.executed[e.index]
        match name:
            case "R":
                return self._of_kind(e, READING) if e.role is Role.SLOT else FALSE
            case "W":
                return self._of_kind(e, WRITING) if e.role is Role.SECOND or Kind.UPDATE not in e.kinds else FALSE
            case "M" | "GLOBAL":
                return self._of_kind(e, READING | WRITING)
            case "F":
                return self._of_kind(e, frozenset({Kind.FENCE}))
            case "RMW":
                return self._of_kind(e, frozenset({Kind.UPDATE}))
            case "Vol":
                return circuit.both(here, attributes.volatile[e.slot])
            case "AVI":
                return circuit.both(here, attributes.av[e.slot])
            case "Tagged":
                tags = [x for (prefix, _), x in attributes.tags[e.slot].items() if prefix != AV_PREFIX]
                return circuit.both(here, circuit.disjunction(tags))
        if name in ORDERING_SETS:
            return circuit.both(here, attributes.has_ordering(e.slot, (ORDERING_SETS[name],)))
        if name in SCOPE_OF:
            return circuit.both(here, attributes.scope[e.slot].get(SCOPE_OF[name], FALSE))
        raise AssertionError(f"the vocabulary has no set {name}")

    def _carries(self, e: SlotEvent, tag: Tag) -> int:
        if e.slot < 0:
            return FALSE
        return self.circuit.both(self.executed[e.index], self.attributes.tags[e.slot].get(tag, FALSE))

    # ------------------------------------------------------------ relations

    def relation_of(self, name: str) -> list[list[int]]:
        """Return for each pair of events the literal that it is in a relation."""
        if name not in self._pairs:
            fact = self._fact(name)
            both = self.circuit.both
            x = self.executed
            self._pairs[name] = [
                [both(both(x[a.index], x[b.index]), fact(a, b)) for b in self.events] for a in self.events
            ]
        return self._pairs[name]

    def _fact(self, name: str) -> Callable[[SlotEvent, SlotEvent], int]:
        """Return what says of two events that execute whether they are related."""
        if name in self._same:
            same = self._same[name]
            return lambda a, b: TRUE if same(a, b) else FALSE
        if name in _NOTHING:
            return lambda a, b: FALSE
        if name.startswith("same-"):
            level = name.removeprefix("same-")
            return lambda a, b: self._together(level, a, b)
        explicit, implied = self.explicit, self.implied
        tags = {
            "tag-compat": (explicit, explicit),
            "tag-compat-dd": (implied, implied),
            "tag-compat-sd": (explicit, implied),
        }
        if name in tags:
            left, right = tags[name]
            return lambda a, b: self._compatible(left(a), right(b))
        simple: dict[str, Callable[[SlotEvent, SlotEvent], int]] = {
            "po": lambda a, b: TRUE if a.thread == b.thread >= 0 and a.index < b.index else FALSE,
            "int": lambda a, b: TRUE if a.thread == b.thread >= 0 else FALSE,
            "ext": lambda a, b: TRUE if a.thread != b.thread and Role.FINAL not in (a.role, b.role) else FALSE,
            "rmw": lambda a, b: (
                TRUE if a.slot == b.slot >= 0 and (a.role, b.role) == (Role.SLOT, Role.SECOND) else FALSE
            ),
            "loc": self.same_location,
            "perf": self.same_location,
            "covers": lambda a, b: self._member("W", b),
            "as-compat": lambda a, b: self._compatible(*(_with_prefix(self.explicit(e), AS_PREFIX) for e in (a, b))),
        }
        if name not in simple:
            raise AssertionError(f"the vocabulary has no relation {name}")
        return simple[name]

    def same_location(self, a: SlotEvent, b: SlotEvent) -> int:
        """Return the literal that two events access one location."""
        here, there = self.locations(a), self.locations(b)
        return self.circuit.disjunction([self.circuit.both(x, there[k]) for k, x in here.items() if k in there])

    def locations(self, e: SlotEvent) -> dict[int, int]:
        """Return for each location the literal that an event accesses it."""
        return {e.location: TRUE} if e.slot < 0 else self.attributes.location[e.slot]

    def _together(self, level: str, a: SlotEvent, b: SlotEvent) -> int:
        if level == Scope.SYSTEM.word:
            return TRUE
        if a.thread < 0 or b.thread < 0:
            return FALSE
        if level == Scope.SINGLETHREAD.word:
            return TRUE if a.thread == b.thread else FALSE
        return self.attributes.together(level, a.thread, b.thread)

    # ------------------------------------------------------------ tags

    def explicit(self, e: SlotEvent) -> Tagging:
        """Return the tags that an event has as a synchronizing operation."""
        return self.attributes.tags[e.slot] if e.slot >= 0 else {}

    def implied(self, e: SlotEvent) -> Tagging:
        """Return the tags that an event has as a plain access: all memory here is global."""
        tags = self.explicit(e)
        stated = [x for (prefix, _), x in tags.items() if prefix == AS_PREFIX]
        access = TRUE if e.slot < 0 else -self.attributes.is_kind(e.slot, Kind.FENCE)
        default = self.circuit.conjunction([access, *[-x for x in stated]])
        return {**tags, _GLOBAL: self.circuit.either(tags.get(_GLOBAL, FALSE), default)}

    def _compatible(self, a: Tagging, b: Tagging) -> int:
        """Every prefix that both carry has a tag in common ([MMRA] "Compatibility")."""
        circuit = self.circuit
        found = []
        for prefix in sorted({p for p, _ in a} & {p for p, _ in b}):
            left, right = _with_prefix(a, prefix), _with_prefix(b, prefix)
            common = circuit.disjunction([circuit.both(x, right.get(tag, FALSE)) for tag, x in left.items()])
            both = circuit.both(circuit.disjunction(left.values()), circuit.disjunction(right.values()))
            found.append(circuit.either(-both, common))
        return circuit.conjunction(found)


KNOWN = frozenset({
    *_NOTHING, *ORDERING_SETS, *SCOPE_OF, *(f"same-{level}" for level in SCOPE_OF), *CHOSEN,
    "_", "IW", "Fin", "R", "W", "M", "GLOBAL", "F", "RMW", "Vol", "AVI", "Tagged", "id", "si", "sa", "po", "int", "ext",
    "rmw", "loc", "perf", "covers", "as-compat", "tag-compat", "tag-compat-dd", "tag-compat-sd",
})  # fmt: skip
"""The primitives that have a meaning on a symbolic program."""


def _with_prefix(tags: Tagging, prefix: str) -> Tagging:
    return {tag: x for tag, x in tags.items() if tag[0] == prefix}


def _mask(literals: Sequence[int], wanted: Callable[[int], bool]) -> int:
    return sum(1 << i for i, x in enumerate(literals) if wanted(x))
