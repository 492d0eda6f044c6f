"""What the operations of a family of programs are, each part a literal.

What goes in: a `Skeleton`. What comes out: `OperationAttributes` of its slots, open as far as the bound and LLVM
leave them open, and the clauses that make them operations of the bound (`well_formed`) and accesses of memory that is
there (`in_reach`). Invariant: every assignment that meets the clauses is a program that the test language can write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.front.records import dataclass, field, replace
from axmem.litmus.words import (
    AS_PREFIX,
    AV_PREFIX,
    NONE_TAG,
    SPACE_TAGS,
    SYNCHRONIZING,
    AddressSpace,
    OperationKind,
    Ordering,
    Scope,
    Tag,
    legal_for,
)
from axmem.refinement.bounded.bound import ACCESSES, MAKES
from axmem.refinement.bounded.skeleton import Skeleton

Word = TypeVar("Word")

FENCE_TAGS = (SPACE_TAGS[AddressSpace.GLOBAL], SPACE_TAGS[AddressSpace.LDS])
"""The tags that say which memory a fence orders."""


@dataclass(frozen=True, slots=True)
class OperationAttributes:
    """What an operation is: of each group of literals one holds.

    `tags` are the tags by name; `tagging` is the literal that it has tags besides those of amdgcn-av where they have no
    names (0 where they have). `present`: the program has the operation at all.
    """

    kinds: Mapping[OperationKind, int]
    orderings: Mapping[Ordering, int]
    scopes: Mapping[Scope, int]
    locations: tuple[int, ...]
    av: int = FALSE
    volatile: int = FALSE
    tags: Mapping[Tag, int] = field(default_factory=dict)
    tagging: int = 0
    present: int = TRUE

    def kind(self, circuit: Circuit, *kinds: OperationKind) -> int:
        """Return the literal that it is of one of these kinds."""
        return circuit.disjunction([self.kinds.get(k, FALSE) for k in kinds])

    def ordered(self, circuit: Circuit, orderings: Iterable[Ordering]) -> int:
        """Return the literal that it has one of these orderings."""
        return circuit.disjunction([self.orderings.get(o, FALSE) for o in orderings])

    @property
    def plain(self) -> int:
        """The literal that it is not atomic."""
        return self.orderings.get(Ordering.NOT_ATOMIC, FALSE)

    @property
    def none(self) -> int:
        """The literal of `amdgcn-av:none`."""
        return self.tags.get(NONE_TAG, FALSE)

    @property
    def marks(self) -> tuple[int, ...]:
        """The literals of everything that is no group."""
        return (self.av, self.volatile, *self.tags.values(), self.tagging or FALSE)

    def tagged(self, circuit: Circuit) -> int:
        """Return the literal that it has tags besides those of amdgcn-av."""
        return self.tagging or circuit.disjunction([x for (prefix, _), x in self.tags.items() if prefix != AV_PREFIX])

    def untagged(self) -> OperationAttributes:
        """Return the operation without tags besides those of amdgcn-av."""
        return replace(self, tags={t: x for t, x in self.tags.items() if t == NONE_TAG}, tagging=FALSE)


def one_of(circuit: Circuit, words: Sequence[Word]) -> dict[Word, int]:
    """Return literals of which exactly one holds."""
    if len(words) == 1:
        return {words[0]: TRUE}
    if len(words) == 2:
        first = circuit.variable()
        return {words[0]: first, words[1]: -first}
    literals = {word: circuit.variable() for word in words}
    circuit.exactly_one(list(literals.values()))
    return literals


def free_attributes(
    skeleton: Skeleton, slots: Iterable[int], *, first_use: bool = False
) -> tuple[OperationAttributes, ...]:
    """Return operations of which everything is open that the bound and LLVM leave open.

    With `first_use` locations are named in the order of slots, so that an early one reaches few.
    """
    bound, circuit, slots = skeleton.bound, skeleton.circuit, list(slots)
    allowed = {o for k in bound.kinds for o in legal_for(k) if k in MAKES or o in bound.orderings}
    orderings = [o for o in Ordering if o in allowed]
    plain = Ordering.NOT_ATOMIC in allowed
    scopes = sorted({*bound.scopes, *([Scope.SYSTEM] if plain else [])})
    alphabet = dict.fromkeys((*bound.tags, *[NONE_TAG] * bound.none, *FENCE_TAGS * bound.synchronize_as))

    kinds = [one_of(circuit, list(bound.kinds)) for _ in slots]
    locations = [
        _location(skeleton, kind, slot + 1 if first_use else len(skeleton.locations))
        for slot, kind in zip(slots, kinds, strict=True)
    ]
    groups = [one_of(circuit, orderings) for _ in slots], [one_of(circuit, scopes) for _ in slots]
    av = [circuit.variable() if bound.av and plain else FALSE for _ in slots]
    may_be_volatile = bound.volatile and (plain or bound.volatile_atomics)
    volatile = [circuit.variable() if may_be_volatile else FALSE for _ in slots]
    tags = [{tag: circuit.variable() for tag in alphabet} for _ in slots]
    tagging = [circuit.variable() if bound.any_tags else 0 for _ in slots]
    columns = zip(kinds, *groups, locations, av, volatile, tags, tagging, strict=True)
    return tuple(OperationAttributes(*row) for row in columns)


def _location(skeleton: Skeleton, kinds: Mapping[OperationKind, int], reach: int) -> tuple[int, ...]:
    """An access has one location, every other operation none."""
    circuit = skeleton.circuit
    nowhere = circuit.disjunction([x for kind, x in kinds.items() if kind not in ACCESSES])
    reachable = [k for k in skeleton.locations if k < reach]
    if nowhere == FALSE:
        chosen = one_of(circuit, reachable)
    else:
        chosen = {k: circuit.variable() for k in reachable}
        circuit.exactly_one([nowhere, *chosen.values()])
    return tuple(chosen.get(k, FALSE) for k in skeleton.locations)


def well_formed(skeleton: Skeleton, a: OperationAttributes) -> None:
    """Assert that an operation is one of the bound.

    What has no effect is fixed, so that a program is not met twice: the scope of a plain access, amdgcn-av:none on what
    does not synchronize, tags of what synchronizes nothing anyway.
    """
    circuit, bound = skeleton.circuit, skeleton.bound
    for kind, literal in a.kinds.items():
        # An operation has an ordering that LLVM gives its kind.
        for ordering, has in a.orderings.items():
            if ordering not in legal_for(kind):
                circuit.add(-literal, -has)
    makes = a.kind(circuit, *MAKES)
    if a.plain != FALSE:
        # A plain access stands at system scope; every other operation has a scope of the bound.
        circuit.add(-a.plain, a.av, makes, a.scopes[Scope.SYSTEM])
        if Scope.SYSTEM not in bound.scopes:
            circuit.add(a.plain, -a.scopes[Scope.SYSTEM])
            circuit.add(-a.av, -a.scopes[Scope.SYSTEM])
            circuit.add(-makes, -a.scopes[Scope.SYSTEM])
    # An av intrinsic is a plain access, and not volatile; what is volatile is an access.
    circuit.add(-a.av, a.plain)
    circuit.add(-a.volatile, a.kind(circuit, *ACCESSES) if bound.volatile_atomics else a.plain)
    circuit.add(-a.av, -a.volatile)
    if makes != FALSE:
        for mark in a.marks:
            circuit.add(-makes, -mark)
    _tagged(skeleton, a)
    for k, place in enumerate(a.locations):
        circuit.add(-place, -a.av, -skeleton.lds[k])


def _tagged(skeleton: Skeleton, a: OperationAttributes) -> None:
    """Assert which operations may carry which tags."""
    circuit, bound = skeleton.circuit, skeleton.bound
    if NONE_TAG in a.tags and NONE_TAG not in bound.tags:
        # Only synchronizing operations are marked amdgcn-av:none.
        circuit.add(-a.tags[NONE_TAG], a.ordered(circuit, SYNCHRONIZING))
    for tag, literal in a.tags.items():
        if tag in FENCE_TAGS and tag not in bound.tags:
            circuit.add(-literal, a.kinds.get(OperationKind.FENCE, FALSE))
        if bound.any_tags and tag[0] == AS_PREFIX:
            circuit.add(-literal, a.tagging)


def in_reach(skeleton: Skeleton, slots: Sequence[OperationAttributes]) -> None:
    """Assert that LDS is accessed from one workgroup alone: there are as many LDS as workgroups."""
    for i, j in combinations(range(len(slots)), 2):
        t, u = skeleton.slots[i].thread, skeleton.slots[j].thread
        if t != u:
            near = skeleton.same(Scope.WORKGROUP, t, u)
            for k, lds in enumerate(skeleton.lds):
                skeleton.circuit.add(-lds, -slots[i].locations[k], -slots[j].locations[k], near)
