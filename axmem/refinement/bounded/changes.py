"""Changes of programs: two programs of one skeleton, the second made from the first by a rule.

What goes in: a `Skeleton`. What comes out: a `ProgramPair`: the program before, any of the space, the program after,
and what the operations that only the program before has do in an execution that follows one of the program after.
Invariant: the pairs of programs that meet the clauses are those that one application of the rule makes, at any place,
in any context.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.front.records import dataclass, replace
from axmem.litmus.words import NONE_TAG, SYNCHRONIZING, OperationKind, Ordering, Scope, Tag, tag_text
from axmem.refinement.bounded.attributes import (
    FENCE_TAGS,
    OperationAttributes,
    free_attributes,
    in_reach,
    one_of,
    well_formed,
)
from axmem.refinement.bounded.bound import NAMED_TAGS
from axmem.refinement.bounded.execution import NOTHING, Substitution
from axmem.refinement.bounded.literals import UnsupportedModel
from axmem.refinement.bounded.skeleton import Skeleton
from axmem.refinement.bounded.vocabulary import Compatibility, SymbolicProgram

Word = TypeVar("Word")

LOAD, STORE, FENCE = OperationKind.LOAD, OperationKind.STORE, OperationKind.FENCE


@dataclass(frozen=True, slots=True)
class ProgramPair:
    """A program before and after a change."""

    before: SymbolicProgram
    after: SymbolicProgram
    substitution: Substitution = NOTHING


Change = Callable[[Skeleton, int], ProgramPair | None]
"""Makes the pairs of a rule applied at a slot of the skeleton; None if it cannot apply there."""


def any_operation(skeleton: Skeleton, slot: int) -> OperationAttributes:
    """Return any operation of the space at a slot."""
    (found,) = free_attributes(skeleton, (slot,))
    well_formed(skeleton, found)
    return found


def any_program(skeleton: Skeleton) -> SymbolicProgram:
    """Return any program of the space."""
    slots = free_attributes(skeleton, range(len(skeleton.slots)))
    for a in slots:
        well_formed(skeleton, a)
    in_reach(skeleton, slots)
    return SymbolicProgram(skeleton, slots, Compatibility(skeleton))


def unchanged(skeleton: Skeleton, _: int) -> ProgramPair:
    """Change nothing: for two models on one program."""
    program = any_program(skeleton)
    return ProgramPair(program, program)


def _changed(
    before: SymbolicProgram, new: Mapping[int, OperationAttributes], substitution: Substitution = NOTHING
) -> ProgramPair:
    """Return a program and the one that has other operations at some slots."""
    slots = [new.get(i, a) for i, a in enumerate(before.slots)]
    return ProgramPair(before, SymbolicProgram(before.skeleton, slots, before.compatibility), substitution)


def _gone(before: SymbolicProgram, slot: int) -> dict[int, OperationAttributes]:
    return {slot: replace(before.slots[slot], present=FALSE)}


def _retagged(a: OperationAttributes, tags: Mapping[Tag, int]) -> OperationAttributes:
    """Return an operation with other tags of the alphabet."""
    return replace(a, tags={**a.tags, **{tag: x for tag, x in tags.items() if tag in a.tags}})


# ---------------------------------------------------------------- changes of one operation


Modify = Callable[[Skeleton, OperationAttributes], OperationAttributes]


def altering(modify: Modify) -> Change:
    """Return the change of one operation into what `modify` makes of it; tags other than those it names stay."""

    def change(skeleton: Skeleton, slot: int) -> ProgramPair | None:
        before = any_program(skeleton)
        new = modify(skeleton, before.slots[slot])
        well_formed(skeleton, new)
        return _changed(before, {slot: new})

    return change


def _step(circuit: Circuit, old: Mapping[Word, int], allowed: Callable[[Word, Word], bool]) -> dict[Word, int]:
    """Return what one of a group of words becomes, if that is allowed."""
    new = one_of(circuit, list(old))
    for a, x in old.items():
        for b, y in new.items():
            if not allowed(a, b):
                circuit.add(-x, -y)
    return new


def rescoped(allowed: Callable[[Scope, Scope], bool]) -> Change:
    """Return the change of an operation's scope."""
    return altering(lambda skeleton, a: replace(a, scopes=_step(skeleton.circuit, a.scopes, allowed)))


def reordered_strength(allowed: Callable[[Ordering, Ordering], bool]) -> Change:
    """Return the change of an operation's ordering; a plain access gets or loses its scope, a volatile one stays one.

    A plain access that is volatile is store-available and load-visible at system scope, so an atomic one in its place
    has that scope.
    """

    def modify(skeleton: Skeleton, a: OperationAttributes) -> OperationAttributes:
        circuit = skeleton.circuit
        orderings, scopes = _step(circuit, a.orderings, allowed), one_of(circuit, list(a.scopes))
        new = replace(a, orderings=orderings, scopes=scopes)
        plain = circuit.both(a.plain, -a.av)
        for scope, x in a.scopes.items():
            circuit.add(-x, plain, new.plain, scopes[scope])
            circuit.add(-x, -a.av, scopes[scope])
        circuit.add(-plain, -a.volatile, scopes[Scope.SYSTEM])
        none = circuit.variable() if a.none != FALSE else FALSE
        circuit.add(-a.none, none, new.plain, -new.ordered(circuit, SYNCHRONIZING))
        circuit.add(-none, a.none)
        return replace(_retagged(new, {NONE_TAG: none}), av=circuit.both(a.av, new.plain))

    return altering(modify)


def atomic_instead_of_av() -> Change:
    """Return the change of an av intrinsic into a monotonic atomic of its scope."""

    def modify(skeleton: Skeleton, a: OperationAttributes) -> OperationAttributes:
        skeleton.circuit.add(a.av)
        return replace(a, orderings={o: TRUE if o is Ordering.MONOTONIC else FALSE for o in a.orderings}, av=FALSE)

    return altering(modify)


def without_none() -> Change:
    """Return the change that drops amdgcn-av:none."""

    def modify(skeleton: Skeleton, a: OperationAttributes) -> OperationAttributes:
        skeleton.circuit.add(a.none)
        return _retagged(a, {NONE_TAG: FALSE})

    return altering(modify)


# ---------------------------------------------------------------- tags


def without_prefix(skeleton: Skeleton, slot: int) -> ProgramPair:
    """Drop all tags of one prefix, or all tags, of an operation: it is compatible with what it was, and maybe more."""
    circuit = skeleton.circuit
    before = any_program(skeleton)
    a = before.slots[slot]
    tagged, none, keeps = circuit.variable(), circuit.variable(), circuit.variable()
    circuit.add(-tagged, a.tagging)
    circuit.add(-none, a.none)
    spaces = {tag: circuit.both(a.tags.get(tag, FALSE), keeps) for tag in FENCE_TAGS}
    for bit in spaces.values():
        circuit.add(-bit, tagged)
    new = replace(_retagged(a, {NONE_TAG: none, **spaces}), tagging=tagged)
    slots = [new if i == slot else x for i, x in enumerate(before.slots)]
    others = Compatibility(skeleton, before.compatibility.table, {slot: len(slots) + slot})
    for j in range(len(slots)):
        if j != slot:
            old = before.compatibility.between(before.slots, slot, j)
            circuit.add(-old, others.between(slots, slot, j))
    return ProgramPair(before, SymbolicProgram(skeleton, slots, others))


def _named_tags(a: OperationAttributes) -> list[int]:
    """Return the literals of the tags f:a and f:b; raise UnsupportedModel if the space lacks them."""
    for tag in NAMED_TAGS:
        if tag not in a.tags:
            raise UnsupportedModel(f"the space has no {tag_text(tag)}")
    return [a.tags[tag] for tag in NAMED_TAGS]


def without_tag(skeleton: Skeleton, slot: int) -> ProgramPair:
    """Drop one of the two tags f:a and f:b of an operation that has both."""
    before = any_program(skeleton)
    a, kept = before.slots[slot], skeleton.circuit.variable()
    for literal in _named_tags(a):
        skeleton.circuit.add(literal)
    return _changed(before, {slot: _retagged(a, dict(zip(NAMED_TAGS, (kept, -kept), strict=True)))})


# ---------------------------------------------------------------- changes of two or three operations in a row


def neighbours(skeleton: Skeleton, slot: int, count: int = 2) -> bool:
    """Tell whether as many operations stand in a row in one thread, from a slot on."""
    last = slot + count - 1
    return last < len(skeleton.slots) and skeleton.slots[slot].thread == skeleton.slots[last].thread


def _alike(skeleton: Skeleton, a: OperationAttributes, b: OperationAttributes, *, tags: bool) -> None:
    """Assert that two operations are of one kind, ordering, scope and place (and have the same av tag)."""
    mine, other = ((*x.kinds.values(), *x.orderings.values(), *x.scopes.values(), *x.locations) for x in (a, b))
    _same(skeleton.circuit, mine, other)
    _same(skeleton.circuit, (a.av, a.volatile, a.none), (b.av, b.volatile, b.none))
    if tags:
        _same(skeleton.circuit, a.marks, b.marks)


def _same(circuit: Circuit, mine: Sequence[int], other: Sequence[int]) -> None:
    """Assert that literals are equivalent, each to the one that stands in its place."""
    for x, y in zip(mine, other, strict=True):
        circuit.add(-x, y)
        circuit.add(x, -y)


def _compatible_alike(before: SymbolicProgram, one: int, other: int) -> None:
    """Assert that two operations are compatible with the same others."""
    between = before.compatibility.between
    rest = [j for j in range(len(before.slots)) if j not in (one, other)]
    mine, theirs = ([between(before.slots, i, j) for j in rest] for i in (one, other))
    _same(before.circuit, mine, theirs)


def _kind(skeleton: Skeleton, a: OperationAttributes, *kinds: OperationKind) -> None:
    skeleton.circuit.add(*[a.kinds.get(k, FALSE) for k in kinds])


def _plain(skeleton: Skeleton, a: OperationAttributes) -> None:
    skeleton.circuit.add(a.plain)
    for bit in (a.av, a.volatile):
        skeleton.circuit.add(-bit)


def swapped(
    first: Sequence[OperationKind], second: Sequence[OperationKind], *, plain: bool = True, incompatible: bool = False
) -> Change:
    """Return the change that swaps two neighbours that access different locations, if any; `plain` or `incompatible`
    ones alone."""

    def change(skeleton: Skeleton, slot: int) -> ProgramPair | None:
        if not neighbours(skeleton, slot):
            return None
        before = any_program(skeleton)
        a, b = before.slots[slot], before.slots[slot + 1]
        for attributes, kinds in ((a, first), (b, second)):
            _kind(skeleton, attributes, *kinds)
            if plain:
                _plain(skeleton, attributes)
        for x, y in zip(a.locations, b.locations, strict=True):
            skeleton.circuit.add(-x, -y)
        if incompatible:
            skeleton.circuit.add(-before.compatibility.between(before.slots, slot, slot + 1))
        renamed = {slot: slot + 1, slot + 1: slot}

        def order(i: int, j: int) -> int:
            return before.order(renamed.get(i, i), renamed.get(j, j))

        return ProgramPair(before, SymbolicProgram(skeleton, before.slots, before.compatibility, order))

    return change


Merge = Callable[[Circuit, Sequence[int], Sequence[int]], list[int]]
"""Gives the tags f:a and f:b of an operation that stands for two, from theirs."""


def union_prefixwise(circuit: Circuit, a: Sequence[int], b: Sequence[int]) -> list[int]:
    """All tags of a prefix that both have ([MMRA] "Merging")."""
    both = circuit.both(circuit.disjunction(a), circuit.disjunction(b))
    return [circuit.both(both, x) for x in union_plain(circuit, a, b)]


def union_plain(circuit: Circuit, a: Sequence[int], b: Sequence[int]) -> list[int]:
    """All tags of both."""
    return [circuit.either(x, y) for x, y in zip(a, b, strict=True)]


def intersection(circuit: Circuit, a: Sequence[int], b: Sequence[int]) -> list[int]:
    """The tags that both have."""
    return [circuit.both(x, y) for x, y in zip(a, b, strict=True)]


def merged(kind: OperationKind, merge: Merge) -> Change:
    """Return the change that makes one of two neighbours which differ in their tags at most."""

    def change(skeleton: Skeleton, slot: int) -> ProgramPair | None:
        if not neighbours(skeleton, slot):
            return None
        before = any_program(skeleton)
        a, b = before.slots[slot], before.slots[slot + 1]
        _kind(skeleton, b, kind)
        _alike(skeleton, a, b, tags=False)
        tags = dict(zip(NAMED_TAGS, merge(skeleton.circuit, *map(_named_tags, (a, b))), strict=True))
        new = _gone(before, slot) | {slot + 1: _retagged(b, tags)}
        return _changed(before, new, _in_place_of(skeleton, slot, slot + 1, kind, kind))

    return change


def _in_place_of(skeleton: Skeleton, gone: int, stays: int, kind: OperationKind, other: OperationKind) -> Substitution:
    """Let an operation that is gone have done what another does: a load reads what that reads or writes, a store is
    overwritten by it at once."""
    if kind is LOAD and other is LOAD:
        return Substitution(reading={skeleton.reading(gone): skeleton.reading(stays)})
    if kind is LOAD:
        return Substitution(forwarded={skeleton.reading(gone): skeleton.writing(stays)})
    return Substitution(writing={skeleton.writing(gone): skeleton.writing(stays)}) if kind is STORE else NOTHING


def removed(
    gone: OperationKind, other: OperationKind, *, later: bool, plain: bool, exactly_alike: bool = False
) -> Change:
    """Return the change that removes one of two neighbours on one location, whose part the other then plays.

    `gone` and `other` are the kinds of the one that is removed and the one that stays; `later` says that the second
    goes. A load that goes returns what the other reads or writes; a store that goes is overwritten at once.
    """

    def change(skeleton: Skeleton, slot: int) -> ProgramPair | None:
        if not neighbours(skeleton, slot):
            return None
        before = any_program(skeleton)
        mine, stays = (slot + 1, slot) if later else (slot, slot + 1)
        a, b = before.slots[mine], before.slots[stays]
        _kind(skeleton, a, gone)
        _kind(skeleton, b, other)
        _same(skeleton.circuit, a.locations, b.locations)
        if exactly_alike:
            _alike(skeleton, a, b, tags=True)
            _compatible_alike(before, mine, stays)
        if plain:
            _plain(skeleton, a)
        return _changed(before, _gone(before, mine), _in_place_of(skeleton, mine, stays, gone, other))

    return change


def without_idle_load(skeleton: Skeleton, slot: int) -> ProgramPair:
    """Drop a plain load whose value nobody uses."""
    before = any_program(skeleton)
    _kind(skeleton, before.slots[slot], LOAD)
    _plain(skeleton, before.slots[slot])
    return _changed(before, _gone(before, slot), Substitution(idle=frozenset((skeleton.reading(slot),))))


def hoisted_over_fence(skeleton: Skeleton, slot: int) -> ProgramPair | None:
    """Merge the second of two loads, which a fence of incompatible tags separates, into the first."""
    if not neighbours(skeleton, slot, 3):
        return None
    before = any_program(skeleton)
    a, f, b = before.slots[slot : slot + 3]
    _kind(skeleton, a, LOAD)
    _kind(skeleton, f, FENCE)
    _plain(skeleton, a)
    _alike(skeleton, a, b, tags=True)
    skeleton.circuit.add(-before.compatibility.between(before.slots, slot + 1, slot + 2))
    _compatible_alike(before, slot, slot + 2)
    return _changed(before, _gone(before, slot + 2), _in_place_of(skeleton, slot + 2, slot, LOAD, LOAD))
