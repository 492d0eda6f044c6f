"""Changes of programs: two programs of one skeleton, the second made from the first by a rule.

What goes in: a `Skeleton`. What comes out: a `Pair`: the program before, any of the space, the program after, and what
the operations that only the program before has do in an execution that follows one of the program after. Invariant: the
pairs of programs that meet the clauses are those that one application of the rule makes, at any place, in any context.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.families.execution import NOTHING, Mimicry
from axmem.families.program import (
    Attributes,
    Compatibility,
    Program,
    free_attributes,
    in_reach,
    well_formed,
)
from axmem.families.skeleton import Skeleton
from axmem.litmus.words import SYNCHRONIZING, Ordering, Scope

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Pair:
    """A program before and after a change."""

    before: Program
    after: Program
    mimicry: Mimicry = NOTHING


Change = Callable[[Skeleton, int], Pair | None]
"""Makes the pairs of a rule applied at a slot of the skeleton; None if it cannot apply there."""


def program_of(skeleton: Skeleton, compatibility: Compatibility | None = None) -> Program:
    """Return any program of the space."""
    slots = tuple(free_attributes(skeleton) for _ in skeleton.slots)
    in_reach(skeleton, slots)
    return Program(skeleton, slots, compatibility or Compatibility(skeleton))


def unchanged(skeleton: Skeleton, _: int) -> Pair:
    """Change nothing: for two models on one program."""
    program = program_of(skeleton)
    return Pair(program, program)


# ---------------------------------------------------------------- changes of one operation


Modify = Callable[[Skeleton, Attributes], Attributes]


def altering(modify: Modify) -> Change:
    """Return the change of one operation into what `modify` makes of it; tags other than those it names stay."""

    def change(skeleton: Skeleton, slot: int) -> Pair | None:
        before = program_of(skeleton)
        new = modify(skeleton, before.slots[slot])
        slots = tuple(new if i == slot else a for i, a in enumerate(before.slots))
        well_formed(skeleton, new)
        return Pair(before, Program(skeleton, slots, before.compatibility))

    return change


def _fresh(circuit: Circuit, group: Mapping[Key, int]) -> dict[Key, int]:
    return {key: circuit.variable() for key in group}


def _steps(
    circuit: Circuit, old: Mapping[Key, int], new: Mapping[Key, int], allowed: Callable[[Key, Key], bool]
) -> None:
    """Assert that what was one of a group becomes one that is allowed."""
    for a, x in old.items():
        for b, y in new.items():
            if not allowed(a, b):
                circuit.add(-x, -y)


def rescoped(allowed: Callable[[Scope, Scope], bool]) -> Change:
    """Return the change of an operation's scope."""

    def modify(skeleton: Skeleton, a: Attributes) -> Attributes:
        scopes = _fresh(skeleton.circuit, a.scopes)
        _steps(skeleton.circuit, a.scopes, scopes, allowed)
        return replace(a, scopes=scopes)

    return altering(modify)


def reordered_strength(allowed: Callable[[Ordering, Ordering], bool]) -> Change:
    """Return the change of an operation's ordering; a plain access gets or loses its scope, a volatile one stays one.

    A plain access that is volatile is store-available and load-visible at system scope, so an atomic one in its place
    has that scope.
    """

    def modify(skeleton: Skeleton, a: Attributes) -> Attributes:
        circuit = skeleton.circuit
        orderings, scopes = _fresh(circuit, a.orderings), _fresh(circuit, a.scopes)
        _steps(circuit, a.orderings, orderings, allowed)
        plain = circuit.both(a.orderings[Ordering.NOT_ATOMIC], -a.av)
        becomes = orderings[Ordering.NOT_ATOMIC]
        for scope, x in a.scopes.items():
            circuit.add(-x, plain, becomes, scopes[scope])
            circuit.add(-x, -a.av, scopes[scope])
        circuit.add(-plain, -a.volatile, scopes[Scope.SYSTEM])
        none = circuit.variable() if a.none != FALSE else FALSE
        circuit.add(-a.none, none, becomes, -circuit.disjunction([orderings.get(o, FALSE) for o in SYNCHRONIZING]))
        circuit.add(-none, a.none)
        av = circuit.both(a.av, becomes)
        return replace(a, orderings=orderings, scopes=scopes, none=none, av=av)

    return altering(modify)


def atomic_instead_of_av() -> Change:
    """Return the change of an av intrinsic into a monotonic atomic of its scope."""

    def modify(skeleton: Skeleton, a: Attributes) -> Attributes:
        circuit = skeleton.circuit
        circuit.add(a.av)
        orderings = {o: TRUE if o is Ordering.MONOTONIC else FALSE for o in a.orderings}
        return replace(a, orderings=orderings, av=FALSE)

    return altering(modify)


def without_none() -> Change:
    """Return the change that drops amdgcn-av:none."""

    def modify(skeleton: Skeleton, a: Attributes) -> Attributes:
        skeleton.circuit.add(a.none)
        return replace(a, none=FALSE)

    return altering(modify)


# ---------------------------------------------------------------- tags


def without_prefix(skeleton: Skeleton, slot: int) -> Pair:
    """Drop all tags of one prefix, or all tags, of an operation: it is compatible with what it was, and maybe more."""
    circuit = skeleton.circuit
    before = program_of(skeleton)
    a = before.slots[slot]
    tagged, none, keeps = circuit.variable(), circuit.variable(), circuit.variable()
    circuit.add(-tagged, a.tagged)
    circuit.add(-none, a.none)
    sync_as = (circuit.both(a.sync_as[0], keeps), circuit.both(a.sync_as[1], keeps))
    new = replace(a, tagged=tagged, none=none, sync_as=sync_as)
    for bit in sync_as:
        circuit.add(-bit, tagged)
    others = Compatibility(skeleton, dict(before.compatibility.table))
    slots = tuple(new if i == slot else x for i, x in enumerate(before.slots))
    for j in range(len(slots)):
        if j != slot:
            pair = (min(slot, j), max(slot, j))
            old = before.compatibility.between(before.slots, slot, j)
            others.table.pop(pair, None)
            circuit.add(-old, others.between(slots, slot, j))
    _share(before, others, slot)
    return Pair(before, Program(skeleton, slots, others))


def _share(before: Program, others: Compatibility, slot: int) -> None:
    """Let two programs have the same compatibilities where the changed operation takes no part."""
    count = len(before.slots)
    for i in range(count):
        for j in range(i):
            if slot not in (i, j):
                before.compatibility.between(before.slots, i, j)
                if (j, i) in before.compatibility.table:
                    others.table[j, i] = before.compatibility.table[j, i]


def without_tag(skeleton: Skeleton, slot: int) -> Pair:
    """Drop one of the two tags f:a and f:b of an operation that has both."""
    circuit = skeleton.circuit
    before = program_of(skeleton)
    a = before.slots[slot]
    kept = circuit.variable()
    for bit in a.suffixes:
        circuit.add(bit)
    new = replace(a, suffixes=(kept, -kept))
    slots = tuple(new if i == slot else x for i, x in enumerate(before.slots))
    return Pair(before, Program(skeleton, slots, before.compatibility))


# ---------------------------------------------------------------- changes of two or three operations in a row


def neighbours(skeleton: Skeleton, slot: int, count: int = 2) -> bool:
    """Tell whether as many operations stand in a row in one thread, from a slot on."""
    last = slot + count - 1
    return last < len(skeleton.slots) and skeleton.slots[slot].thread == skeleton.slots[last].thread


def _alike(skeleton: Skeleton, a: Attributes, b: Attributes, *, tags: bool) -> None:
    """Assert that two operations are of one kind, ordering, scope and place (and have the same av tag)."""
    circuit = skeleton.circuit
    for first, second in ((a.kinds, b.kinds), (a.orderings, b.orderings), (a.scopes, b.scopes)):
        for key, x in first.items():
            _same(circuit, x, second[key])  # type: ignore[index]
    for x, y in zip((*a.locations, a.av, a.volatile, a.none), (*b.locations, b.av, b.volatile, b.none), strict=True):
        _same(circuit, x, y)
    if tags:
        for x, y in zip((a.tagged, *a.suffixes, *a.sync_as), (b.tagged, *b.suffixes, *b.sync_as), strict=True):
            _same(circuit, x, y)


def _same(circuit: Circuit, x: int, y: int) -> None:
    circuit.add(-x, y)
    circuit.add(x, -y)


def _kind(skeleton: Skeleton, a: Attributes, *kinds: str) -> None:
    skeleton.circuit.add(*[a.kinds.get(k, FALSE) for k in kinds])


def _plain(skeleton: Skeleton, a: Attributes) -> None:
    skeleton.circuit.add(a.orderings[Ordering.NOT_ATOMIC])
    for bit in (a.av, a.volatile):
        skeleton.circuit.add(-bit)


def _event(skeleton: Skeleton, slot: int, part: str) -> int:
    return next(e.index for e in skeleton.events if e.slot == slot and e.part == part)


def swapped(first: Sequence[str], second: Sequence[str], *, plain: bool = True) -> Change:
    """Return the change that swaps two neighbours that access different locations."""

    def change(skeleton: Skeleton, slot: int) -> Pair | None:
        if not neighbours(skeleton, slot):
            return None
        before = program_of(skeleton)
        a, b = before.slots[slot], before.slots[slot + 1]
        for attributes, kinds in ((a, first), (b, second)):
            _kind(skeleton, attributes, *kinds)
            if plain:
                _plain(skeleton, attributes)
        for x, y in zip(a.locations, b.locations, strict=True):
            skeleton.circuit.add(-x, -y)
        renamed = {slot: slot + 1, slot + 1: slot}
        stands = before.order
        after = Program(
            skeleton,
            before.slots,
            before.compatibility,
            lambda i, j: stands(renamed.get(i, i), renamed.get(j, j)),
        )
        return Pair(before, after)

    return change


Merge = Callable[[Circuit, Attributes, Attributes], tuple[int, int]]
"""Gives the tags f:a and f:b of an operation that stands for two."""


def union_prefixwise(circuit: Circuit, a: Attributes, b: Attributes) -> tuple[int, int]:
    """All tags of a prefix that both have ([MMRA] "Merging")."""
    both = circuit.both(circuit.disjunction(a.suffixes), circuit.disjunction(b.suffixes))
    found = [circuit.both(both, circuit.either(x, y)) for x, y in zip(a.suffixes, b.suffixes, strict=True)]
    return found[0], found[1]


def union_plain(circuit: Circuit, a: Attributes, b: Attributes) -> tuple[int, int]:
    """All tags of both."""
    found = [circuit.either(x, y) for x, y in zip(a.suffixes, b.suffixes, strict=True)]
    return found[0], found[1]


def intersection(circuit: Circuit, a: Attributes, b: Attributes) -> tuple[int, int]:
    """The tags that both have."""
    found = [circuit.both(x, y) for x, y in zip(a.suffixes, b.suffixes, strict=True)]
    return found[0], found[1]


def merged(kind: str, merge: Merge) -> Change:
    """Return the change that makes one of two neighbours which differ in their tags at most."""

    def change(skeleton: Skeleton, slot: int) -> Pair | None:
        if not neighbours(skeleton, slot):
            return None
        circuit = skeleton.circuit
        before = program_of(skeleton)
        a, b = before.slots[slot], before.slots[slot + 1]
        _kind(skeleton, b, kind)
        _alike(skeleton, a, b, tags=False)
        suffixes = merge(circuit, a, b)
        new = replace(b, suffixes=suffixes, tagged=circuit.disjunction(suffixes))
        slots = tuple(
            replace(x, present=FALSE) if i == slot else new if i == slot + 1 else x for i, x in enumerate(before.slots)
        )
        return Pair(before, Program(skeleton, slots, before.compatibility), _as_next(skeleton, slot, kind))

    return change


def _as_next(skeleton: Skeleton, slot: int, kind: str) -> Mimicry:
    """Let an operation that is gone have done what the next one does."""
    if kind == "load":
        return Mimicry({_event(skeleton, slot, "read"): _event(skeleton, slot + 1, "read")}, {})
    if kind == "store":
        return Mimicry({}, {_event(skeleton, slot, "write"): _event(skeleton, slot + 1, "write")})
    return NOTHING


def removed(gone: str, other: str, *, later: bool, plain: bool, exactly_alike: bool = False) -> Change:
    """Return the change that removes one of two neighbours on one location, whose part the other then plays.

    `gone` and `other` are the kinds of the one that is removed and the one that stays; `later` says that the second
    goes. A load that goes returns what the other reads or writes; a store that goes is overwritten at once.
    """

    def change(skeleton: Skeleton, slot: int) -> Pair | None:
        if not neighbours(skeleton, slot):
            return None
        before = program_of(skeleton)
        mine, stays = (slot + 1, slot) if later else (slot, slot + 1)
        a, b = before.slots[mine], before.slots[stays]
        _kind(skeleton, a, gone)
        _kind(skeleton, b, other)
        for x, y in zip(a.locations, b.locations, strict=True):
            _same(skeleton.circuit, x, y)
        if exactly_alike:
            _alike(skeleton, a, b, tags=True)
            for j in range(len(before.slots)):
                if j not in (mine, stays):
                    between = before.compatibility.between
                    _same(skeleton.circuit, between(before.slots, mine, j), between(before.slots, stays, j))
        if plain:
            _plain(skeleton, a)
        slots = tuple(replace(x, present=FALSE) if i == mine else x for i, x in enumerate(before.slots))
        part = {"load": "read", "store": "write", "fence": "read"}
        mimics: dict[int, int] = {_event(skeleton, mine, part[gone]): _event(skeleton, stays, part[other])}
        mimicry = Mimicry(mimics, {}) if gone == "load" else Mimicry({}, mimics) if gone == "store" else NOTHING
        return Pair(before, Program(skeleton, slots, before.compatibility), mimicry)

    return change


def without_idle_load(skeleton: Skeleton, slot: int) -> Pair:
    """Drop a plain load whose value nobody uses."""
    before = program_of(skeleton)
    _kind(skeleton, before.slots[slot], "load")
    _plain(skeleton, before.slots[slot])
    slots = tuple(replace(x, present=FALSE) if i == slot else x for i, x in enumerate(before.slots))
    mimicry = Mimicry({}, {}, frozenset((_event(skeleton, slot, "read"),)))
    return Pair(before, Program(skeleton, slots, before.compatibility), mimicry)


def hoisted_over_fence(skeleton: Skeleton, slot: int) -> Pair | None:
    """Merge the second of two loads, which a fence of incompatible tags separates, into the first."""
    if not neighbours(skeleton, slot, 3):
        return None
    before = program_of(skeleton)
    a, f, b = before.slots[slot : slot + 3]
    _kind(skeleton, a, "load")
    _kind(skeleton, f, "fence")
    _plain(skeleton, a)
    _alike(skeleton, a, b, tags=True)
    between = before.compatibility.between
    skeleton.circuit.add(-between(before.slots, slot + 1, slot + 2))
    for j in range(len(before.slots)):
        if j not in (slot, slot + 2):
            _same(skeleton.circuit, between(before.slots, slot, j), between(before.slots, slot + 2, j))
    slots = tuple(replace(x, present=FALSE) if i == slot + 2 else x for i, x in enumerate(before.slots))
    mimicry = Mimicry({_event(skeleton, slot + 2, "read"): _event(skeleton, slot, "read")}, {})
    return Pair(before, Program(skeleton, slots, before.compatibility), mimicry)
