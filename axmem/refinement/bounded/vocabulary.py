"""The primitives of a model's vocabulary on a program of a family.

What goes in: a `Skeleton` and the attributes of its slots. What comes out: a `SymbolicProgram`: for each primitive
except `rf` and `co` the literal that an event is in the set, or a pair in the relation. Programs of one skeleton may
share most of their operations: one is the other after a change. Invariant: on the program of a solution these are the
sets and relations that `axmem.encoder.statics` computes from its test, of the events that execute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.statics import ORDERING_SETS
from axmem.front.records import dataclass, field
from axmem.litmus.words import AS_PREFIX, SCOPE_OF, SPACE_TAGS, AddressSpace, OperationKind, Scope, Tag
from axmem.model.primitives import CHOSEN, PRIMITIVES
from axmem.model.relation import Relation, relation
from axmem.model.terms import Op, Term
from axmem.refinement.bounded.attributes import OperationAttributes
from axmem.refinement.bounded.bound import ACCESSES, UNORDERED, Bound
from axmem.refinement.bounded.skeleton import READING, WRITING, EventRole, Skeleton, SymbolicEvent, halves

_GLOBAL, _LOCAL = SPACE_TAGS[AddressSpace.GLOBAL], SPACE_TAGS[AddressSpace.LDS]

Tagging = Mapping[Tag, int]
"""For each tag the literal that an event carries it."""

Test = Callable[["SymbolicProgram", SymbolicEvent], int]
PairTest = Callable[["SymbolicProgram", SymbolicEvent, SymbolicEvent], int]


@dataclass(slots=True)
class Compatibility:
    """Which operations have compatible tags of prefixes that nobody names: an open symmetric matrix.

    Any symmetric matrix is meant by some tags of one prefix: give each two compatible operations a suffix of their own.
    `homes` names for operations that have the tags of another which that is; `names` has what a rule calls its tags.
    """

    skeleton: Skeleton
    table: dict[tuple[int, int], int] = field(default_factory=dict)
    homes: Mapping[int, int] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)

    def home(self, i: int) -> int:
        """Return whose tags an operation has."""
        return self.homes.get(i, i)

    def between(self, slots: Sequence[OperationAttributes], i: int, j: int) -> int:
        """Return the literal that the tags of two operations, those of amdgpu-synchronize-as aside, are compatible."""
        a, b = slots[i], slots[j]
        if i == j or FALSE in (a.tagging, b.tagging):
            return TRUE
        if not self.skeleton.bound.any_tags:
            return compatible_tags(self.skeleton.circuit, _without(a.tags, AS_PREFIX), _without(b.tags, AS_PREFIX))
        i, j = self.home(i), self.home(j)
        if i == j:
            return TRUE
        key = (min(i, j), max(i, j))
        if key not in self.table:
            self.table[key] = self.skeleton.circuit.variable()
            self.skeleton.circuit.add(self.table[key], a.tagging)
            self.skeleton.circuit.add(self.table[key], b.tagging)
        return self.table[key]


class SymbolicProgram:
    """One program of a skeleton; `executed[e]` is the literal that it has event e.

    `order` gives for two slots of a thread whether the first comes before the second, by default as they stand.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        slots: Sequence[OperationAttributes],
        compatibility: Compatibility,
        order: Callable[[int, int], int] | None = None,
    ) -> None:
        self.skeleton = skeleton
        self.slots = tuple(slots)
        self.compatibility = compatibility
        self.circuit = skeleton.circuit
        self.order = order or self._as_it_stands
        self.executed = [self._exists(e) for e in skeleton.events]
        self._sets: dict[str, list[int]] = {}
        self._pairs: dict[str, list[list[int]]] = {}

    def _as_it_stands(self, i: int, j: int) -> int:
        a, b = self.skeleton.slots[i], self.skeleton.slots[j]
        return TRUE if a.thread == b.thread and a.position < b.position else FALSE

    def _exists(self, e: SymbolicEvent) -> int:
        if e.role is EventRole.INITIAL:
            return self.skeleton.initialised[e.location]
        return TRUE if e.role is EventRole.FINAL else self.of_kind(e, e.kinds)

    def of_kind(self, e: SymbolicEvent, kinds: frozenset[OperationKind]) -> int:
        """Return the literal that the program has an event of an operation of one of some kinds."""
        if e.slot < 0:
            return FALSE
        a = self.slots[e.slot]
        return self.circuit.both(a.present, a.kind(self.circuit, *(kinds & e.kinds)))

    def here(self, e: SymbolicEvent, mark: int) -> int:
        """Return the literal that an event of an operation with a mark executes."""
        return self.circuit.both(self.executed[e.index], mark)

    # ------------------------------------------------------------ sets

    def members(self, name: str) -> list[int]:
        """Return for each event the literal that it is in a set of the vocabulary."""
        if name not in self._sets:
            test = _nothing if name in empty_in(self.skeleton.bound) else SETS[name]
            self._sets[name] = [test(self, e) for e in self.skeleton.events]
        return self._sets[name]

    def tagged(self, text: str) -> list[int]:
        """Return for each event the literal that it carries a tag."""
        prefix, _, suffix = text.partition(":")
        return [self.here(e, self.explicit(e).get((prefix, suffix), FALSE)) for e in self.skeleton.events]

    def set_of(self, term: Term) -> list[int]:
        """Return for each event the literal that it is in the set of a term, a primitive or a tag."""
        if term.op is not Op.TAGGED:
            return self.members(term.name)
        key = f"#{term.name}"
        if key not in self._sets:
            self._sets[key] = self.tagged(term.name)
        return self._sets[key]

    def is_lds(self, e: SymbolicEvent) -> int:
        """Return the literal that the location of an event is in LDS."""
        lds = self.skeleton.lds
        if e.slot < 0:
            return lds[e.location]
        places = self.slots[e.slot].locations
        return self.circuit.disjunction([self.circuit.both(x, y) for x, y in zip(places, lds, strict=True)])

    # ------------------------------------------------------------ relations

    def pairs(self, name: str) -> list[list[int]]:
        """Return for each pair of events the literal that it is in a static relation of the vocabulary."""
        if name not in self._pairs:
            test = _nothing_of_two if name in empty_in(self.skeleton.bound) else RELATIONS[name]
            both, x, events = self.circuit.both, self.executed, self.skeleton.events
            self._pairs[name] = [[both(both(x[a.index], x[b.index]), test(self, a, b)) for b in events] for a in events]
        return self._pairs[name]

    def same_location(self, a: SymbolicEvent, b: SymbolicEvent) -> int:
        """Return the literal that two events access one location."""
        here, there = self.locations(a), self.locations(b)
        return self.circuit.disjunction([self.circuit.both(x, there[k]) for k, x in here.items() if k in there])

    def locations(self, e: SymbolicEvent) -> dict[int, int]:
        """Return for each location that an event may access the literal that it does."""
        if e.slot < 0:
            return {e.location: TRUE}
        return {k: x for k, x in enumerate(self.slots[e.slot].locations) if x != FALSE}

    def program_order(self, a: SymbolicEvent, b: SymbolicEvent) -> int:
        """Return the literal that an event stands before another in its thread."""
        if a.slot < 0 or a.thread != b.thread:
            return FALSE
        if a.slot == b.slot:
            return TRUE if (a.role, b.role) == (EventRole.FIRST, EventRole.SECOND) else FALSE
        return self.order(a.slot, b.slot)

    # ------------------------------------------------------------ tags

    def explicit(self, e: SymbolicEvent) -> Tagging:
        """Return the tags that an event has as a synchronizing operation."""
        return self.slots[e.slot].tags if e.slot >= 0 else {}

    def implied(self, e: SymbolicEvent) -> Tagging:
        """Return the tags that an event has as a plain access: besides, that of the memory of its location."""
        tags, circuit = self.explicit(e), self.circuit
        stated = [x for tag, x in tags.items() if tag[0] == AS_PREFIX and tag in self.skeleton.bound.tags]
        others = [k for k in self.skeleton.bound.kinds if k not in ACCESSES]
        access = TRUE if e.slot < 0 else -self.slots[e.slot].kind(circuit, *others)
        default, lds = circuit.conjunction([access, *[-x for x in stated]]), self.is_lds(e)
        found = dict(tags)
        for tag, there in ((_GLOBAL, -lds), (_LOCAL, lds)):
            if there != FALSE:
                found[tag] = circuit.either(tags.get(tag, FALSE), circuit.both(default, there))
        return found

    def compatible(self, a: SymbolicEvent, b: SymbolicEvent, left: Tagging, right: Tagging) -> int:
        """Return the literal that the tags of two events are compatible."""
        named = compatible_tags(self.circuit, left, right)
        if not self.skeleton.bound.any_tags or a.slot < 0 or b.slot < 0:
            return named
        return self.circuit.both(named, self.compatibility.between(self.slots, a.slot, b.slot))


def compatible_tags(circuit: Circuit, a: Tagging, b: Tagging) -> int:
    """Every prefix that both carry has a tag in common ([MMRA] "Compatibility")."""
    found = []
    for prefix in sorted({p for p, _ in a} & {p for p, _ in b}):
        left, right = _with(a, prefix), _with(b, prefix)
        common = circuit.disjunction([circuit.both(x, right.get(tag, FALSE)) for tag, x in left.items()])
        both = circuit.both(circuit.disjunction([*left.values()]), circuit.disjunction([*right.values()]))
        found.append(circuit.either(-both, common))
    return circuit.conjunction(found)


def _with(tags: Tagging, prefix: str) -> dict[Tag, int]:
    return {tag: x for tag, x in tags.items() if tag[0] == prefix}


def _without(tags: Tagging, prefix: str) -> dict[Tag, int]:
    return {tag: x for tag, x in tags.items() if tag[0] != prefix}


# ---------------------------------------------------------------- the meanings, by name


def _nothing(p: SymbolicProgram, e: SymbolicEvent) -> int:
    return FALSE


def _nothing_of_two(p: SymbolicProgram, a: SymbolicEvent, b: SymbolicEvent) -> int:
    return FALSE


def _of(*kinds: OperationKind, outer: tuple[EventRole, ...] = ()) -> Test:
    """Return the test of being of some kinds, or an event of a location in a role."""
    wanted = frozenset(kinds)
    return lambda p, e: p.executed[e.index] if e.role in outer else p.of_kind(e, wanted)


def _marked(mark: Callable[[OperationAttributes], int]) -> Test:
    return lambda p, e: p.here(e, mark(p.slots[e.slot])) if e.slot >= 0 else FALSE


def _write(p: SymbolicProgram, e: SymbolicEvent) -> int:
    if e.role is EventRole.FIRST and OperationKind.RMW in e.kinds:
        return FALSE
    return p.executed[e.index] if e.role is EventRole.INITIAL else p.of_kind(e, WRITING)


def _not_atomic(p: SymbolicProgram, e: SymbolicEvent) -> int:
    """Return whether it is a plain access; other operations have no ordering either."""
    others = set(UNORDERED) & set(p.skeleton.bound.kinds)
    if e.slot < 0 or not others:
        return _marked(lambda a: a.plain)(p, e)
    return p.circuit.both(p.of_kind(e, frozenset(ACCESSES)), p.slots[e.slot].plain)


def _in_memory(*, lds: bool) -> Test:
    def test(p: SymbolicProgram, e: SymbolicEvent) -> int:
        access = p.executed[e.index] if e.role is EventRole.INITIAL else p.of_kind(e, frozenset(ACCESSES))
        return FALSE if e.role is EventRole.FINAL else p.circuit.both(access, p.is_lds(e) if lds else -p.is_lds(e))

    return test


SETS: dict[str, Test] = {
    "_": lambda p, e: FALSE if e.role is EventRole.FINAL else p.executed[e.index],
    "R": lambda p, e: p.of_kind(e, READING) if e.role is EventRole.FIRST else FALSE,
    "W": _write,
    "M": _of(*ACCESSES, outer=(EventRole.INITIAL,)),
    "F": _of(OperationKind.FENCE),
    "BAR": _of(OperationKind.BARRIER),
    "IW": lambda p, e: p.executed[e.index] if e.role is EventRole.INITIAL else FALSE,
    "Fin": lambda p, e: TRUE if e.role is EventRole.FINAL else FALSE,
    "RMW": _of(OperationKind.RMW),
    "MKA": _of(OperationKind.MAKE_AVAILABLE),
    "MKV": _of(OperationKind.MAKE_VISIBLE),
    "GLOBAL": _in_memory(lds=False),
    "LDS": _in_memory(lds=True),
    **{
        name: _marked(lambda a, ordering=ordering: a.orderings.get(ordering, FALSE))  # type: ignore[misc]
        for name, ordering in ORDERING_SETS.items()
    },
    "NA": _not_atomic,
    **{word: _marked(lambda a, scope=scope: a.scopes.get(scope, FALSE)) for word, scope in SCOPE_OF.items()},  # type: ignore[misc]
    "Vol": _marked(lambda a: a.volatile),
    "AVI": _marked(lambda a: a.av),
    "Tagged": lambda p, e: p.here(e, p.slots[e.slot].tagged(p.circuit)) if e.slot >= 0 else FALSE,
}
"""The sets of the vocabulary on families of programs."""


def _truth(test: Callable[[SymbolicEvent, SymbolicEvent], bool]) -> PairTest:
    """Return the literal of what the skeleton decides."""
    return lambda p, a, b: _truth_of(test(a, b))


def _truth_of(fact: bool) -> int:
    return TRUE if fact else FALSE


def _level(scope: Scope) -> PairTest:
    return lambda p, a, b: p.skeleton.same(scope, a.thread, b.thread)


RELATIONS: dict[str, PairTest] = {
    "id": _truth(lambda a, b: a is b),
    "sa": _truth(lambda a, b: a is b),
    "si": _truth(lambda a, b: a is b or a.slot == b.slot >= 0),
    "po": SymbolicProgram.program_order,
    "int": _truth(lambda a, b: a.thread == b.thread >= 0),
    "ext": _truth(lambda a, b: a.thread != b.thread and EventRole.FINAL not in (a.role, b.role)),
    "rmw": _truth(halves),
    "loc": SymbolicProgram.same_location,
    # No location has a second name.
    "vloc": SymbolicProgram.same_location,
    "perf": SymbolicProgram.same_location,
    **{f"same-{word}": _level(scope) for word, scope in SCOPE_OF.items()},
    "tag-compat": lambda p, a, b: p.compatible(a, b, p.explicit(a), p.explicit(b)),
    "tag-compat-dd": lambda p, a, b: p.compatible(a, b, p.implied(a), p.implied(b)),
    "tag-compat-sd": lambda p, a, b: p.compatible(a, b, p.explicit(a), p.implied(b)),
    "as-compat": lambda p, a, b: compatible_tags(
        p.circuit, _with(p.explicit(a), AS_PREFIX), _with(p.explicit(b), AS_PREFIX)
    ),
    "covers": lambda p, a, b: _write(p, b),
}
"""The relations of the vocabulary on families of programs, of two events that execute."""


def meant(bound: Bound) -> frozenset[str]:
    """Return the primitives that have a meaning on the programs of a bound."""
    return frozenset({*SETS, *RELATIONS, *CHOSEN}) | empty_in(bound)


@lru_cache(maxsize=64)
def empty_in(bound: Bound) -> frozenset[str]:
    """Return the primitives that hold of nothing in any program of a bound: for want of a construct, or in families."""
    without = bound.without
    return frozenset(name for name, p in PRIMITIVES.items() if p.needs in without or p.not_in_families)


def masks(rows: Sequence[Sequence[int]], literal: Callable[[int], bool]) -> Relation:
    """Return the relation of the pairs whose literal passes a test."""
    return relation([mask(row, literal) for row in rows])


def mask(literals: Sequence[int], wanted: Callable[[int], bool]) -> int:
    """Return the set of the events whose literal passes a test."""
    return sum(1 << i for i, x in enumerate(literals) if wanted(x))
