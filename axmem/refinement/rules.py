"""The rules of `axmem refine --rule`: transformations that compilers make, or might.

Each has a name, what it does, the change of programs, and the space in which its contexts are taken. Where a rule is
about tags by name, they are f:a and f:b; elsewhere tags are any.
"""

from __future__ import annotations

from axmem.front.records import dataclass, field, replace
from axmem.litmus.words import PLACED, OperationKind, Ordering, Scope
from axmem.refinement.bounded import changes
from axmem.refinement.bounded.bound import KINDS, NAMED_TAGS, Bound
from axmem.refinement.bounded.changes import Change
from axmem.refinement.patterns import Pattern

FULL = Bound(
    kinds=KINDS,
    scopes=tuple(Scope),
    levels=PLACED,
    apart=True,
    finals=False,
    any_tags=True,
    none=True,
    av=True,
    volatile=True,
    volatile_atomics=True,
    synchronize_as=True,
    lds=True,
    uninitialised=True,
)
"""Every attribute that the rules of this page speak of; make operations aside."""

CORE = Bound(
    kinds=(OperationKind.LOAD, OperationKind.STORE, OperationKind.FENCE),
    orderings=(Ordering.NOT_ATOMIC, Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.RELEASE),
    scopes=(Scope.WORKGROUP, Scope.AGENT, Scope.SYSTEM),
    levels=(Scope.WORKGROUP,),
    apart=True,
    finals=False,
    any_tags=True,
)
"""A small space in which long searches end."""

NAMED = replace(CORE, any_tags=False, tags=NAMED_TAGS)


@dataclass(frozen=True, slots=True)
class Rule:
    """A transformation of `size` operations in a row. `one_wave` restricts placements to threads of one workgroup being
    in one wavefront. `pattern` is what the user wrote of a rule that is none of these."""

    name: str
    text: str
    change: Change
    space: Bound = field(default=FULL)
    one_wave: bool = False
    size: int = 1
    pattern: Pattern | None = None


def _wider(a: Scope, b: Scope) -> bool:
    return a <= b


def _narrower(a: Scope, b: Scope) -> bool:
    return a >= b


def _demoted(a: Scope, b: Scope) -> bool:
    return (a, b) == (Scope.WORKGROUP, Scope.WAVEFRONT)


def _stronger(a: Ordering, b: Ordering) -> bool:
    """Return whether b only strengthens a: a plain store may come first among modifications, an unordered one not."""
    return b.at_least(a) and (a, b) != (Ordering.NOT_ATOMIC, Ordering.UNORDERED)


def _weaker(a: Ordering, b: Ordering) -> bool:
    return a.at_least(b)


_ACCESSES = (OperationKind.LOAD, OperationKind.STORE)

RULES = (
    Rule("drop-tag", "delete one MMRA tag of an operation that has two of one prefix", changes.without_tag, NAMED),
    Rule("drop-prefix", "delete all MMRA tags of one prefix of an operation, or all its tags", changes.without_prefix),
    Rule(
        "merge-fences-prefixwise",
        "make one of two fences that differ in tags at most, with the prefix-wise union",
        changes.merged(OperationKind.FENCE, changes.union_prefixwise),
        NAMED,
        size=2,
    ),
    Rule(
        "merge-fences-intersection",
        "make one of two fences, with the intersection of their tags",
        changes.merged(OperationKind.FENCE, changes.intersection),
        NAMED,
        size=2,
    ),
    Rule(
        "merge-fences-union",
        "make one of two fences, with all tags of both",
        changes.merged(OperationKind.FENCE, changes.union_plain),
        NAMED,
        size=2,
    ),
    Rule(
        "merge-loads-prefixwise",
        "make one of two loads of one location, with the prefix-wise union of their tags",
        changes.merged(OperationKind.LOAD, changes.union_prefixwise),
        NAMED,
        size=2,
    ),
    Rule(
        "merge-loads-intersection",
        "make one of two loads of one location, with the intersection of their tags",
        changes.merged(OperationKind.LOAD, changes.intersection),
        NAMED,
        size=2,
    ),
    Rule(
        "merge-loads-union",
        "make one of two loads of one location, with all tags of both",
        changes.merged(OperationKind.LOAD, changes.union_plain),
        NAMED,
        size=2,
    ),
    Rule(
        "merge-stores-prefixwise",
        "drop a store that the next overwrites, with the prefix-wise union of their tags",
        changes.merged(OperationKind.STORE, changes.union_prefixwise),
        NAMED,
        size=2,
    ),
    Rule(
        "reorder-plain",
        "swap neighbouring plain accesses of different locations",
        changes.swapped(_ACCESSES, _ACCESSES),
        replace(CORE, locations=3),
        size=2,
    ),
    Rule(
        "reorder-atomic",
        "swap neighbouring accesses of different locations, atomic or not",
        changes.swapped(_ACCESSES, _ACCESSES, plain=False),
        CORE,
        size=2,
    ),
    Rule(
        "hoist-over-incompatible-fence",
        "merge a plain load into an equal one before a fence of incompatible tags",
        changes.hoisted_over_fence,
        CORE,
        size=3,
    ),
    Rule(
        "drop-idle-load",
        "drop a plain load whose value nobody uses",
        changes.without_idle_load,
        replace(CORE, locations=3),
    ),
    Rule(
        "drop-repeated-load",
        "r1 = load x; r2 = load x becomes r1 = load x; r2 = r1 (the second load being plain)",
        changes.removed(OperationKind.LOAD, OperationKind.LOAD, later=True, plain=True, exactly_alike=True),
        CORE,
        size=2,
    ),
    Rule(
        "forward-store",
        "store v, x; r = load x becomes store v, x; r = v (the load being plain)",
        changes.removed(OperationKind.LOAD, OperationKind.STORE, later=True, plain=True),
        CORE,
        size=2,
    ),
    Rule(
        "drop-overwritten-store",
        "store v, x; store w, x becomes store w, x (the first store being plain)",
        changes.removed(OperationKind.STORE, OperationKind.STORE, later=False, plain=True),
        CORE,
        size=2,
    ),
    Rule(
        "drop-repeated-fence",
        "drop a fence that the next one repeats",
        changes.removed(OperationKind.FENCE, OperationKind.FENCE, later=False, plain=False, exactly_alike=True),
        replace(CORE, orderings=(*CORE.orderings, Ordering.SEQ_CST)),
        size=2,
    ),
    Rule("widen-scope", "widen the scope of an operation", changes.rescoped(_wider)),
    Rule("narrow-scope", "narrow the scope of an operation", changes.rescoped(_narrower), CORE),
    Rule(
        "demote-workgroup",
        "demote an operation from workgroup to wavefront scope",
        changes.rescoped(_demoted),
        replace(CORE, scopes=(Scope.WAVEFRONT, Scope.WORKGROUP), levels=(Scope.WAVEFRONT, Scope.WORKGROUP)),
    ),
    Rule(
        "demote-workgroup-of-one-wave",
        "the same where the workgroup is one wavefront",
        changes.rescoped(_demoted),
        one_wave=True,
    ),
    Rule(
        "strengthen-ordering",
        "strengthen the ordering of an operation",
        changes.reordered_strength(_stronger),
    ),
    Rule("weaken-ordering", "weaken the ordering of an operation", changes.reordered_strength(_weaker), CORE),
    Rule(
        "atomic-instead-of-av",
        "replace an av access by a monotonic atomic of its scope",
        changes.atomic_instead_of_av(),
    ),
    Rule("drop-av-none", "drop amdgcn-av:none from an operation", changes.without_none()),
)

SWAPS = (
    Rule(
        "swap-incompatible",
        "swap neighbouring operations of incompatible tags, of different locations if they have one, whatever they are",
        changes.swapped(KINDS, KINDS, plain=False, incompatible=True),
        replace(CORE, kinds=KINDS, orderings=tuple(Ordering), scopes=(Scope.WORKGROUP, Scope.SYSTEM)),
        size=2,
    ),
    Rule(
        "swap-any",
        "the same whatever the tags are",
        changes.swapped(KINDS, KINDS, plain=False),
        replace(CORE, kinds=KINDS, orderings=tuple(Ordering), scopes=(Scope.WORKGROUP, Scope.SYSTEM)),
        size=2,
    ),
    Rule(
        "strengthen-atomic",
        "strengthen the ordering of an operation that has one",
        changes.reordered_strength(lambda a, b: a is not Ordering.NOT_ATOMIC and b.at_least(a)),
    ),
)
"""Rules of theorems that nobody makes for a program's sake."""

BY_NAME = {rule.name: rule for rule in (*RULES, *SWAPS)}
