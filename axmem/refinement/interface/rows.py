"""Is a change of one row of operations sound in contexts of any size?

What goes in: the rows before and after. What comes out: a `Proof`: which operations correspond, by which rules the
others are covered, the facts of both; or why none was found. Invariant: a `Proof` is returned only if every condition
of docs/prove.md ("Rows") holds of its correspondence, whatever led to that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice

from axmem.front.records import dataclass
from axmem.litmus.words import Scope
from axmem.refinement.interface.dropped import Gone, Unproved
from axmem.refinement.interface.facts import STRICT, Fact, Side
from axmem.refinement.interface.operations import FENCE, LOAD, RMW, STORE, Operation, Row, Values
from axmem.refinement.interface.paths import Path

MOST, STEPS = 400, 20_000
"""So many correspondences of one pair are tried, and so many steps lead to them."""
OTHER = "the branches are others"
"""Why two paths do not correspond that are of other executions."""
LOST = "after lacks: "
"""How a reason begins that is a fact which the row after lacks."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a change of a row is sound in every context.

    `before` and `after` are the rows, `common` has the operations of both; `rules` say how each operation that goes is
    covered; `facts` are those of the row before. `merges`: seq_cst operations of contexts have no scopes of their own,
    and no tags.
    """

    before: tuple[Operation, ...]
    after: tuple[Operation, ...]
    common: tuple[tuple[int, int], ...]
    rules: tuple[tuple[int, str], ...]
    beside: tuple[tuple[int, int], ...]
    facts: frozenset[Fact]
    merges: bool


def proved(before: Path, after: Path, values: Values) -> Proof | str:
    """Return a proof, or why the correspondence that comes nearest to one is none."""
    reason = "no operations correspond"
    for number, common in enumerate(islice(correspondences(before.row, after.row), MOST)):
        try:
            return _checked(before, after, values, common)
        except Unproved as why:
            reason = str(why) if not number else reason
    return reason


def _checked(one: Path, other: Path, values: Values, common: Mapping[int, int]) -> Proof:
    """Return the proof that a correspondence is; raise Unproved."""
    before, after = one.row, other.row
    levels = _levels((*before.operations, *after.operations))
    old, new = Side(before.operations, levels), Side(after.operations, levels)
    for i, j in common.items():
        _no_weaker(old.by_key[i], new.by_key[j])
    met = set(common.values())
    for o in after.operations:
        if o.key not in met and (o.writes or o.volatile):
            raise Unproved("the row after writes more, or has a volatile access more")
    gone = [o for o in before.operations if o.key not in common]
    sources = dict(_sources(old, gone, common))
    same = _read_as(before, values, common, sources)
    idle = _same_values(one, other, values, common, same)
    about = Gone(old, common.keys(), sources, idle & {o.key for o in gone})
    for o in gone:
        about.cover(o)
    needed = old.facts([*common, *about.beside], {**{i: i for i in common}, **about.beside})
    had = new.facts(sorted(met), {j: i for i, j in common.items()})
    lacking = needed - had
    for fact in sorted(lacking):
        if fact[0] not in STRICT:
            raise Unproved(LOST + in_words(fact, old))
    merges = about.merges or bool(lacking)
    return Proof(
        before.operations,
        after.operations,
        tuple(common.items()),
        tuple(about.rules.items()),
        tuple(about.beside.items()),
        frozenset(needed - lacking),
        merges,
    )


def _levels(operations: Sequence[Operation]) -> list[int]:
    """Return the levels at which operations synchronize with other threads, and the widest."""
    own = {int(o.level) for o in operations if o.acquires or o.releases}
    return sorted((own | {int(Scope.SYSTEM)}) - {int(Scope.SINGLETHREAD)})


def _no_weaker(before: Operation, after: Operation) -> None:
    """Ask that an operation is as atomic, as wide, and in the order of seq_cst after a change if it was before it."""
    if after.atomicity < before.atomicity:
        raise Unproved("an access is less atomic after")
    if before.in_order and not after.in_order:
        raise Unproved("an operation leaves the order of seq_cst")
    if after.level < before.level and (before.atomicity or before.in_order):
        raise Unproved("an operation has a narrower scope after")


def _sources(side: Side, gone: Sequence[Operation], common: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield for each load that goes the nearest access before it of its cell that stays."""
    for o in gone:
        if o.kind == LOAD:
            earlier = [p.key for p in side.operations[: side.at[o.key]] if p.cell == o.cell and p.key in common]
            if earlier and side.by_key[earlier[-1]].detail[:1] == o.detail[:1]:
                yield o.key, earlier[-1]


def _read_as(before: Row, values: Values, common: Mapping[int, int], sources: Mapping[int, int]) -> Mapping[int, int]:
    """Return what each read before is after: what its counterpart reads, or what stands for its value."""
    found: dict[int, int] = {}
    by_key = {o.key: o for o in before.operations}
    for o in before.operations:  # In order: what is written rests on what was read before.
        if o.key in common:
            if o.reads:
                found[o.key] = values.read(common[o.key])
        elif (source := by_key.get(sources.get(o.key, -1))) is not None:
            found[o.key] = found[source.key] if source.kind == LOAD else values.mapped(source.value, found)
    return found


def _same_values(
    one: Path, other: Path, values: Values, common: Mapping[int, int], same: Mapping[int, int]
) -> set[int]:
    """Ask that both write and return the same, and branch on the same, in whatever order.

    Return the operations before on whose reads nothing of that rests. A branch that only the path after has may be on
    undef; one that only the path before has may go otherwise.
    """
    before, after = one.row, other.row
    olds = {o.key: o for o in before.operations}
    news = {o.key: o for o in after.operations}
    shown = [r for r in before.results if r in after.results]
    pairs = [(before.results[r], after.results[r]) for r in shown]
    pairs += [(olds[i].value, news[j].value) for i, j in common.items() if olds[i].writes]
    if any(values.mapped(i, same) != j for i, j in pairs):
        raise Unproved("what is written, or what is compared of the registers, is another expression")
    if {(values.mapped(value, same), number) for value, number in one.conditions} != other.conditions:
        raise Unproved(OTHER)
    pairs += [(value, value) for value, _ in one.conditions]
    gone = [o for o in before.operations if o.key not in common]
    written = (o.value for o in gone if o.writes)
    used = values.within(i for group in ((i for i, _ in pairs), written) for i in group)
    if missing := [key for key in used if key not in same]:
        raise Unproved(f"nothing stands for the value of a load that goes ({len(missing)})")
    return {o.key for o in gone if o.reads and o.key not in used}


def correspondences(before: Row, after: Row) -> Iterator[Mapping[int, int]]:
    """Yield which operations after a change are which before it, as far as kinds and places tell; likely ones first.

    Of fences only those of the order of seq_cst correspond: of others the roles alone are seen.
    """
    olds = [o for o in before.operations if not o.is_fence or o.in_order]
    news = [o for o in after.operations if not o.is_fence or o.in_order]
    steps = count()

    def further(k: int, used: frozenset[int]) -> Iterator[dict[int, int]]:
        if next(steps) > STEPS:
            return
        if k == len(olds):
            if all(o.key in used or o.kind in (LOAD, FENCE) for o in news):
                yield {}
            return
        o = olds[k]
        fitting = [p for p in news if p.key not in used and _fits(o, p)]
        fitting.sort(key=lambda p: (p.kind != o.kind, p.register != o.register, p.value != o.value, p.key))
        for p in fitting:
            for rest in further(k + 1, used | {p.key}):
                yield {o.key: p.key, **rest}
        yield from further(k + 1, used)

    return further(0, frozenset())


def _fits(before: Operation, after: Operation) -> bool:
    """Whether an operation may be another: a store may become an exchange."""
    same = before.kind == after.kind or (before.kind, after.kind) == (STORE, RMW)
    return same and (before.cell, before.detail, before.volatile) == (after.cell, after.detail, after.volatile)


def in_words(fact: Fact, side: Side) -> str:
    """Return a fact as a phrase; operations are counted from 1."""
    kind, _, _, first, last = fact
    where = {-1: "what stands before", -2: "what stands behind"}
    names = [where.get(k) or f"operation {side.at[k] + 1} ({side.by_key[k].kind})" for k in (first, last)]
    return f"{names[0]} {kind} {names[1]}"
