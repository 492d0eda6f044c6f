"""Which words of the language can tell two models apart at all.

What goes in: models. What comes out: the kinds, orderings, scopes, tags, marks and levels that at least one of them
speaks of. A word that none speaks of changes nothing, so a space without it stands for the space with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from axmem.encoder.statics import ORDERING_SETS
from axmem.front.records import dataclass, replace
from axmem.litmus.words import NONE_TAG, PLACED, OperationKind, Ordering, Scope, Tag, legal_for, tag_text
from axmem.model.model import Model
from axmem.model.primitives import PRIMITIVES
from axmem.model.terms import Op
from axmem.model.vocabulary import needs
from axmem.refinement.bounded.bound import NAMED_TAGS, Bound

T = TypeVar("T")

_KINDS = {"fences": OperationKind.FENCE, "rmw": OperationKind.RMW}
TAG_WORDS = frozenset(name for name, row in PRIMITIVES.items() if "tags" in row.speaks_of.split())


def spoken(models: Iterable[Model]) -> frozenset[str]:
    """Return the primitives that the models reach; `#prefix:suffix` for a tag that one names and that bounds have."""
    names: set[str] = set()
    for model in models:
        names |= model.base_names
        tagged = (model.terms[i] for i in model.reached if model.terms[i].op is Op.TAGGED)
        names |= {f"#{term.name}" for term in tagged if not needs(term)}
    return frozenset(names)


def features(words: Iterable[str]) -> frozenset[str]:
    """Return what primitives rest on, in the words of `SPOKEN`."""
    return frozenset(word for name in words if name in PRIMITIVES for word in PRIMITIVES[name].speaks_of.split())


def kinds(words: frozenset[str]) -> frozenset[OperationKind]:
    """Return the kinds of operations that matter: fences and read-modify-writes if the models know them."""
    spoken_of = features(words)
    return frozenset({OperationKind.LOAD, OperationKind.STORE} | {_KINDS[name] for name in _KINDS if name in spoken_of})


def orderings(words: frozenset[str], wanted: Iterable[OperationKind]) -> frozenset[Ordering]:
    """Return for each kind one ordering of those that the models cannot tell apart."""
    sets = {name: ordering for name, ordering in ORDERING_SETS.items() if name in words}
    if "orderings" in features(words):
        return frozenset(ordering for kind in wanted for ordering in legal_for(kind))
    found: set[Ordering] = set()
    for kind in wanted:
        found |= set(_representatives(legal_for(kind), lambda o: frozenset(n for n, x in sets.items() if x is o)))
    return frozenset(found)


def scopes(words: frozenset[str]) -> frozenset[Scope]:
    """Return the scopes that the models tell apart, `system` for those they do not."""
    order = sorted(Scope, reverse=True)
    if "scopes" in features(words):
        return frozenset(order)
    return frozenset(_representatives(order, lambda s: s.word if s.word in words else None))


def levels(words: frozenset[str]) -> tuple[Scope, ...]:
    """Return the levels at which it matters whether threads are together."""
    every = "placements" in features(words)
    return tuple(level for level in PLACED if every or f"same-{level.word}" in words)


def tags(words: frozenset[str]) -> tuple[Tag, ...]:
    """Return the alphabet of tags: two of a prefix nobody knows, and those that the models name."""
    named = sorted((t[1:].partition(":")[0], t[1:].partition(":")[2]) for t in words if t.startswith("#"))
    return (*(NAMED_TAGS if words & TAG_WORDS else ()), *[tag for tag in named if tag != NONE_TAG])


def none_tag(words: frozenset[str]) -> bool:
    """Tell whether `amdgcn-av:none` matters."""
    return f"#{tag_text(NONE_TAG)}" in words


def _representatives(values: Sequence[T], signature: Callable[[T], object]) -> list[T]:
    """Return the first of the values of each signature."""
    first: dict[object, T] = {}
    for value in values:
        first.setdefault(signature(value), value)
    return list(first.values())


NAMES = ("fences", "rmw", "unordered", "scopes", "placements", "tags", "av", "volatile")
"""The constructs that can be chosen; loads, stores and the other orderings are always there."""


@dataclass(frozen=True, slots=True)
class WantedBound:
    """What a user asks of a bound; None, or the number 0, where nothing is said."""

    events: int
    threads: int
    locations: int
    finals: bool = True
    constructs: frozenset[str] | None = None
    orderings: frozenset[Ordering] | None = None
    scopes: frozenset[Scope] | None = None
    tags: tuple[Tag, ...] | None = None
    levels: tuple[Scope, ...] | None = None


def bound_for(models: Iterable[Model], wanted: WantedBound) -> Bound:
    """Return the bound that a user asks for, with everything that the models speak of where nothing is said."""
    words = spoken(models)
    names = frozenset(NAMES) if wanted.constructs is None else wanted.constructs
    asked = {OperationKind.LOAD, OperationKind.STORE} | {kind for name, kind in _KINDS.items() if name in names}
    chosen = kinds(words) & asked
    found = orderings(words, chosen) - (frozenset() if "unordered" in names else {Ordering.UNORDERED})
    alphabet = tags(words) if "tags" in names else ()
    return Bound(
        events=wanted.events,
        threads=wanted.threads,
        locations=wanted.locations,
        kinds=chosen,
        orderings=wanted.orderings or found,
        scopes=wanted.scopes or (scopes(words) if "scopes" in names else frozenset({Scope.SYSTEM})),
        tags=alphabet if wanted.tags is None else wanted.tags,
        none=none_tag(words) and "av" in names,
        av="av" in features(words) and "av" in names,
        volatile="volatile" in features(words) and "volatile" in names,
        levels=wanted.levels if wanted.levels is not None else levels(words) if "placements" in names else (),
        finals=wanted.finals,
    )


def named_tags(models: Iterable[Model]) -> tuple[Tag, ...]:
    """Return the tags that models name themselves."""
    return tuple(tag for tag in tags(spoken(models)) if tag not in NAMED_TAGS)


def widest(models: Sequence[Model], locations: int) -> Bound:
    """Return the space of everything that models speak of, with every way in which tags may be compatible."""
    words = spoken(models)
    found = bound_for(models, WantedBound(events=0, threads=0, locations=locations))
    return replace(
        found,
        tags=named_tags(models),
        any_tags=bool(words & TAG_WORDS),
        synchronize_as="as-compat" in words,
        volatile_atomics=found.volatile,
    )


def narrowed(space: Bound, widest: Bound, wanted: WantedBound) -> Bound:
    """Return a space as a user wants it, with what is not said as it is.

    Constructs that are named choose from the `widest` space instead; its tags are those of the first.
    """
    if wanted.constructs is not None:
        space = _with(
            wanted.constructs, replace(widest, tags=space.tags, any_tags=space.any_tags, locations=space.locations)
        )
    changed: dict[str, Any] = {"orderings": wanted.orderings, "scopes": wanted.scopes, "levels": wanted.levels}
    changed |= {"locations": wanted.locations or None, "tags": wanted.tags}
    changed |= {"any_tags": None if wanted.tags is None else False}
    return replace(space, **{name: value for name, value in changed.items() if value is not None})


def _with(names: frozenset[str], space: Bound) -> Bound:
    """Return a space without the constructs that are not named."""
    return replace(
        space,
        kinds=frozenset(space.kinds) - {kind for name, kind in _KINDS.items() if name not in names},
        orderings=frozenset(space.orderings) - (frozenset() if "unordered" in names else {Ordering.UNORDERED}),
        scopes=space.scopes if "scopes" in names else (Scope.SYSTEM,),
        levels=space.levels if "placements" in names else (),
        tags=space.tags if "tags" in names else (),
        any_tags=space.any_tags and "tags" in names,
        synchronize_as=space.synchronize_as and "tags" in names,
        none=space.none and "av" in names,
        av=space.av and "av" in names,
        volatile=space.volatile and "volatile" in names,
        volatile_atomics=space.volatile_atomics and "volatile" in names,
    )


def silent(models: Iterable[Model]) -> tuple[str, ...]:
    """Return the constructs that neither model speaks of, so that leaving them out leaves out nothing."""
    words = spoken(models)
    speaks = {
        "fences": OperationKind.FENCE in kinds(words),
        "rmw": OperationKind.RMW in kinds(words),
        "unordered": Ordering.UNORDERED in orderings(words, kinds(words)),
        "scopes": len(scopes(words)) > 1,
        "placements": bool(levels(words)),
        "tags": bool(tags(words)),
        "av": none_tag(words) or "av" in features(words),
        "volatile": "volatile" in features(words),
    }
    return tuple(name for name in NAMES if not speaks[name])
