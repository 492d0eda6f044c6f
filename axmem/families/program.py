"""A program of a family: what each operation is, as literals, and the static facts of a model's vocabulary about it.

What goes in: a `Skeleton`. What comes out: a `Program` with every set and static relation of the vocabulary as
literals. Programs of one skeleton may share the literals of most of their operations: one is the other after a change.
Invariant: every assignment that meets the clauses is a program that the test language can write, and every program of
the space is such an assignment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.statics import ORDERING_SETS
from axmem.families.skeleton import Skeleton, Space, SymbolicEvent
from axmem.litmus.words import NONE_TAG, SCOPE_OF, SYNCHRONIZING, OperationKind, Ordering, Scope, legal_for, tag_text
from axmem.model.vocabulary import CHOSEN, PRIMITIVES


@dataclass(frozen=True, slots=True)
class Attributes:
    """What an operation is, each part a literal.

    `tagged`: it has tags besides those of amdgcn-av; `suffixes` are literals of f:a and f:b where tags are those two;
    `sync_as` those of amdgpu-synchronize-as:global and :local. `present`: the program has the operation at all.
    """

    kinds: Mapping[str, int]
    orderings: Mapping[Ordering, int]
    scopes: Mapping[Scope, int]
    locations: tuple[int, ...]
    av: int = FALSE
    volatile: int = FALSE
    none: int = FALSE
    tagged: int = FALSE
    suffixes: tuple[int, ...] = ()
    sync_as: tuple[int, int] = (FALSE, FALSE)
    present: int = TRUE

    @property
    def access(self) -> tuple[int, ...]:
        """The kinds that access memory."""
        return tuple(self.kinds.get(k, FALSE) for k in ("load", "store", "rmw"))


def free_attributes(skeleton: Skeleton) -> Attributes:
    """Return an operation of which everything is open that the space and LLVM's rules leave open."""
    space, circuit = skeleton.space, skeleton.circuit
    kinds = {kind: circuit.variable() for kind in space.kinds}
    orderings = {o: circuit.variable() for o in space.orderings}
    orderings.setdefault(Ordering.NOT_ATOMIC, circuit.variable())
    scopes = {s: circuit.variable() for s in space.scopes}
    scopes.setdefault(Scope.SYSTEM, circuit.variable())
    found = Attributes(
        kinds,
        orderings,
        scopes,
        tuple(circuit.variable() for _ in range(space.locations)),
        av=circuit.variable() if space.av else FALSE,
        volatile=circuit.variable() if space.volatile else FALSE,
        none=circuit.variable() if space.none else FALSE,
        tagged=circuit.variable() if space.tags != "none" else FALSE,
        suffixes=(circuit.variable(), circuit.variable()) if space.tags == "two" else (),
        sync_as=(circuit.variable(), circuit.variable()) if space.synchronize_as else (FALSE, FALSE),
    )
    well_formed(skeleton, found)
    return found


def well_formed(skeleton: Skeleton, a: Attributes) -> None:
    """Assert that an operation can be written.

    What has no effect is fixed, so that a program is not met twice: the scope of a plain access, a place to go for what
    goes nowhere, amdgcn-av:none on what does not synchronize, tags of what synchronizes nothing anyway.
    """
    circuit = skeleton.circuit
    for group in (a.kinds, a.orderings, a.scopes):
        circuit.exactly_one(list(group.values()))
    for kind, literal in a.kinds.items():
        circuit.add(-literal, *[a.orderings[o] for o in legal_for(OperationKind(kind)) if o in a.orderings])
    plain, access = a.orderings[Ordering.NOT_ATOMIC], circuit.disjunction(a.access)
    make = circuit.disjunction([a.kinds.get("make.available", FALSE), a.kinds.get("make.visible", FALSE)])
    circuit.exactly_one([-access, *a.locations])
    circuit.add(-a.av, plain)
    circuit.add(-a.av, circuit.both(access, -a.volatile))
    circuit.add(-a.volatile, access)
    circuit.add(-plain, a.av, make, a.scopes[Scope.SYSTEM])
    synchronizing = circuit.disjunction([a.orderings.get(o, FALSE) for o in SYNCHRONIZING])
    circuit.add(-a.none, synchronizing)
    circuit.add(-make, -a.tagged)
    fence = a.kinds.get("fence", FALSE)
    for bit in a.sync_as:
        circuit.add(-bit, fence)
        circuit.add(-bit, a.tagged)
    if a.suffixes:
        circuit.add(-a.tagged, *a.suffixes, *a.sync_as)
        for bit in a.suffixes:
            circuit.add(-bit, a.tagged)
    for k, place in enumerate(a.locations):
        circuit.add(-place, -a.av, -skeleton.lds[k])


def in_reach(skeleton: Skeleton, slots: tuple[Attributes, ...]) -> None:
    """Assert that LDS is accessed from one workgroup alone: there are as many LDS as workgroups."""
    circuit = skeleton.circuit
    for i, a in enumerate(slots):
        for j in range(i + 1, len(slots)):
            t, u = skeleton.slots[i].thread, skeleton.slots[j].thread
            if t == u:
                continue
            for k, lds in enumerate(skeleton.lds):
                near = skeleton.together[Scope.WORKGROUP, t, u]
                circuit.add(-lds, -a.locations[k], -slots[j].locations[k], near)


@dataclass(slots=True)
class Compatibility:
    """Which operations have compatible tags: an open symmetric matrix, or what the tags f:a and f:b say.

    Any symmetric matrix is meant by some tags of one prefix: give each two compatible operations a suffix of their own.
    `homes` names for operations that have the tags of another which that is.
    """

    skeleton: Skeleton
    table: dict[tuple[int, int], int] = field(default_factory=dict)
    homes: Mapping[int, int] = field(default_factory=dict)

    def between(self, slots: tuple[Attributes, ...], i: int, j: int) -> int:
        """Return the literal that the tags of two operations, those of amdgpu-synchronize-as aside, are compatible."""
        circuit, a, b = self.skeleton.circuit, slots[i], slots[j]
        if i == j or FALSE in (a.tagged, b.tagged):
            return TRUE
        if a.suffixes:
            here, there = circuit.disjunction(a.suffixes), circuit.disjunction(b.suffixes)
            shared = [circuit.both(x, y) for x, y in zip(a.suffixes, b.suffixes, strict=True)]
            return circuit.disjunction([-here, -there, *shared])
        i, j = self.homes.get(i, i), self.homes.get(j, j)
        if i == j:
            return TRUE
        key = (min(i, j), max(i, j))
        if key not in self.table:
            self.table[key] = circuit.variable()
            circuit.add(self.table[key], a.tagged)
            circuit.add(self.table[key], b.tagged)
        return self.table[key]


class Program:
    """One program of a skeleton, with the sets and static relations of the vocabulary as literals.

    `order` gives for each thread the slots in program order, by default as they stand.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        slots: tuple[Attributes, ...],
        compatibility: Compatibility,
        order: Callable[[int, int], int] | None = None,
    ) -> None:
        self.skeleton = skeleton
        self.slots = slots
        self.compatibility = compatibility
        self.circuit: Circuit = skeleton.circuit
        self.order = order or self._as_it_stands
        self._members: dict[str, tuple[int, ...]] = {}
        self._pairs: dict[str, tuple[tuple[int, ...], ...]] = {}

    def _as_it_stands(self, i: int, j: int) -> int:
        a, b = self.skeleton.slots[i], self.skeleton.slots[j]
        return TRUE if a.thread == b.thread and a.position < b.position else FALSE

    # ------------------------------------------------------------ events

    def of(self, e: SymbolicEvent) -> Attributes:
        """Return the attributes of the operation that an event is of."""
        return self.slots[e.slot]

    def exists(self, e: SymbolicEvent) -> int:
        """Return the literal that the program has an event."""
        if e.part == "final":
            return TRUE
        if e.part == "initial":
            return self.skeleton.initialised[e.location]
        return self.circuit.both(self.of(e).present, self.circuit.disjunction(self._kinds(e).values()))

    def _kinds(self, e: SymbolicEvent) -> dict[str, int]:
        """Return the kinds of operation for which an event stands, with their literals."""
        kinds = self.of(e).kinds
        wanted = ("store", "rmw") if e.part == "write" else tuple(k for k in kinds if k != "store")
        return {k: kinds[k] for k in wanted if k in kinds}

    def kind(self, e: SymbolicEvent, *kinds: str) -> int:
        """Return the literal that an event of an operation exists and is of one of the kinds."""
        if e.slot < 0:
            return FALSE
        known = self._kinds(e)
        one = self.circuit.disjunction([known[k] for k in kinds if k in known])
        return self.circuit.both(self.of(e).present, one)

    def accesses(self, e: SymbolicEvent, location: int) -> int:
        """Return the literal that an event accesses a location."""
        if e.slot < 0:
            return self.exists(e) if e.location == location else FALSE
        here = self.of(e).locations[location]
        return self.circuit.both(here, self.kind(e, "load", "store", "rmw"))

    # ------------------------------------------------------------ sets

    def members(self, name: str) -> tuple[int, ...]:
        """Return the literals that the events are in a set of the vocabulary."""
        if name not in self._members:
            self._members[name] = tuple(self._member(name, e) for e in self.skeleton.events)
        return self._members[name]

    def _member(self, name: str, e: SymbolicEvent) -> int:
        if name in ("_", "W", "M", "IW", "Fin") and e.slot < 0:
            named = {"initial": ("_", "W", "M", "IW"), "final": ("Fin",)}[e.part]
            return self.exists(e) if name in named else FALSE
        if name in ("GLOBAL", "LDS") and e.part == "initial":
            lds = self.skeleton.lds[e.location]
            return self.circuit.both(self.exists(e), lds if name == "LDS" else -lds)
        if e.slot < 0:
            return FALSE
        return self._of_operation(name, e)

    def _of_operation(self, name: str, e: SymbolicEvent) -> int:
        both, a = self.circuit.both, self.of(e)
        access = self.kind(e, "load", "store", "rmw")
        if name in _KINDS:
            if (name == "R" and e.part != "read") or (name == "W" and e.part != "write"):
                return FALSE
            return self.kind(e, *_KINDS[name])
        if name in ORDERING_SETS:
            holder = access if name == "NA" else self.kind(e, "load", "store", "rmw", "fence")
            return both(holder, a.orderings.get(ORDERING_SETS[name], FALSE))
        if name in SCOPE_OF:
            return both(self.exists(e), a.scopes.get(SCOPE_OF[name], FALSE))
        if name == tag_text(NONE_TAG):
            return both(self.exists(e), a.none)
        match name:
            case "_":
                return self.exists(e)
            case "Vol":
                return both(access, a.volatile)
            case "AVI":
                return both(access, a.av)
            case "Tagged":
                return both(self.exists(e), a.tagged)
            case "LDS" | "GLOBAL":
                lds = self.circuit.disjunction(
                    [both(x, y) for x, y in zip(a.locations, self.skeleton.lds, strict=True)]
                )
                return both(access, lds if name == "LDS" else -lds)
        return FALSE

    # ------------------------------------------------------------ relations

    def pairs(self, name: str) -> tuple[tuple[int, ...], ...]:
        """Return the literals that two events are in a static relation of the vocabulary."""
        if name not in self._pairs:
            events = self.skeleton.events
            exist = [self.exists(e) for e in events]
            test = self._relation(name)
            conjunction = self.circuit.conjunction
            self._pairs[name] = tuple(
                tuple(
                    conjunction((exist[a.index], exist[b.index], x)) if (x := test(a, b)) != FALSE else FALSE
                    for b in events
                )
                for a in events
            )
        return self._pairs[name]

    def _relation(self, name: str) -> Callable[[SymbolicEvent, SymbolicEvent], int]:
        """Return the literal of a relation of two events that exist."""
        if name.startswith("same-"):
            level = SCOPE_OF[name.removeprefix("same-")]
            return lambda a, b: self.skeleton.same(level, a, b)
        return {
            "po": self._po,
            "loc": self._loc,
            "perf": self._loc,
            "id": lambda a, b: TRUE if a is b else FALSE,
            "sa": lambda a, b: TRUE if a is b else FALSE,
            "si": lambda a, b: TRUE if a is b or (a.slot >= 0 and a.slot == b.slot) else FALSE,
            "int": lambda a, b: TRUE if self._thread(a) == self._thread(b) >= 0 else FALSE,
            "ext": lambda a, b: FALSE if self._thread(a) == self._thread(b) or "final" in (a.part, b.part) else TRUE,
            "rmw": lambda a, b: TRUE if a.slot == b.slot >= 0 and (a.part, b.part) == ("read", "write") else FALSE,
            "tag-compat": lambda a, b: self._compatible(a, b, False, False),
            "tag-compat-sd": lambda a, b: self._compatible(a, b, False, True),
            "tag-compat-dd": lambda a, b: self._compatible(a, b, True, True),
            "as-compat": lambda a, b: self._spaces_meet(a, b, False, False),
            "covers": lambda a, b: TRUE if b.part in ("write", "initial") else FALSE,
        }.get(name, lambda a, b: FALSE)

    def _thread(self, e: SymbolicEvent) -> int:
        return self.skeleton.slots[e.slot].thread if e.slot >= 0 else -1

    def _po(self, a: SymbolicEvent, b: SymbolicEvent) -> int:
        if a.slot < 0 or b.slot < 0:
            return FALSE
        if a.slot == b.slot:
            return TRUE if (a.part, b.part) == ("read", "write") else FALSE
        return self.order(a.slot, b.slot)

    def _loc(self, a: SymbolicEvent, b: SymbolicEvent) -> int:
        both = self.circuit.both
        places = range(self.skeleton.space.locations)
        if a is b:
            return self.circuit.disjunction([self.accesses(a, k) for k in places])
        return self.circuit.disjunction([both(self.accesses(a, k), self.accesses(b, k)) for k in places])

    def _compatible(self, a: SymbolicEvent, b: SymbolicEvent, left: bool, right: bool) -> int:
        """Return the literal that tags are compatible; `left` and `right` say whose address space counts as a tag."""
        meet = self._spaces_meet(a, b, left, right)
        if a.slot < 0 or b.slot < 0 or a.slot == b.slot:
            return meet
        return self.circuit.both(meet, self.compatibility.between(self.slots, a.slot, b.slot))

    def _spaces_meet(self, a: SymbolicEvent, b: SymbolicEvent, left: bool, right: bool) -> int:
        circuit = self.circuit
        (g, l_), (h, m) = self._spaces(a, left), self._spaces(b, right)
        shared = circuit.either(circuit.both(g, h), circuit.both(l_, m))
        return circuit.disjunction([shared, -circuit.either(g, l_), -circuit.either(h, m)])

    def _spaces(self, e: SymbolicEvent, data: bool) -> tuple[int, int]:
        """Return the literals of amdgpu-synchronize-as:global and :local, as written or as the location implies."""
        if e.slot < 0:
            if not data:
                return FALSE, FALSE
            return -self.skeleton.lds[e.location], self.skeleton.lds[e.location]
        a = self.of(e)
        if not data:
            return a.sync_as
        either = self.circuit.either
        return (
            either(a.sync_as[0], self._of_operation("GLOBAL", e)),
            either(a.sync_as[1], self._of_operation("LDS", e)),
        )


_KINDS = {
    "R": ("load", "rmw"),
    "W": ("store", "rmw"),
    "M": ("load", "store", "rmw"),
    "F": ("fence",),
    "RMW": ("rmw",),
    "MKA": ("make.available",),
    "MKV": ("make.visible",),
}
KNOWN = frozenset({
    *_KINDS, *SCOPE_OF, *ORDERING_SETS, *CHOSEN, *(f"same-{level}" for level in SCOPE_OF),
    "_", "IW", "Fin", "GLOBAL", "LDS", "Vol", "AVI", "Tagged", "po", "loc", "perf", "id", "sa", "si", "int", "ext",
    "rmw", "tag-compat", "tag-compat-sd", "tag-compat-dd", "as-compat", "covers",
})  # fmt: skip
"""The primitives that have a meaning on a family of programs."""


def empty_in(space: Space) -> frozenset[str]:
    """Return the primitives that hold of nothing in any program of a space, for want of a construct."""
    return frozenset(name for name, p in PRIMITIVES.items() if p.needs in space.without)
