"""Is a change of one row of operations sound in contexts of any size?

What goes in: the rows before and after. What comes out: a `Proof`: which operations correspond, by which rules the
others are covered, the facts of both; or why none was found. Invariant: a `Proof` is returned only if every condition
of the package's argument holds of its correspondence, whatever led to that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, count, islice

from axmem.events.values import Apply, Constant, Expr, ReadOf
from axmem.front.records import dataclass, replace
from axmem.litmus.words import Scope
from axmem.refinement.interface.dropped import Gone, Unproved
from axmem.refinement.interface.facts import STRICT, Fact, Side
from axmem.refinement.interface.obligations import Obligations, contradict, equal, others
from axmem.refinement.interface.operations import FENCE, LOAD, RMW, STORE, Operation, Row, mapped, read_by
from axmem.refinement.interface.paths import BRANCH, Condition, Path, plainer

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

    @property
    def alike(self) -> bool:
        """Whether both rows are one but for how they compute their values."""
        same = [
            (o.kind, o.ordering, o.level, o.cell, o.detail, o.volatile)
            for side in (self.before, self.after)
            for o in side
        ]
        half = len(self.before)
        return 2 * half == len(same) and same[:half] == same[half:] and self.paired

    @property
    def paired(self) -> bool:
        """Whether operations correspond in the order in which they stand; of fences only some are named."""
        names = dict(self.common)
        pairs = zip(self.before, self.after, strict=False)
        return all(o.is_fence or names.get(o.key) == p.key for o, p in pairs)


def proved(befores: Sequence[Path], after: Path) -> tuple[Proof, ...] | str:
    """Return proofs for the paths before along which executions before go where those after go along a path; or why the
    correspondence that comes nearest to one is none."""
    found: list[tuple[Path, _Matched]] = []
    left: list[Path] = []
    reasons: list[str] = []
    for each in befores:
        answer = _matched(each, after)
        if isinstance(answer, str):
            left.append(each)
            reasons.append(answer)
        else:
            found.append((each, answer))
    if not found:
        return min(reasons, key=lambda each: each == OTHER, default=OTHER)
    for (one, first), (other, second) in combinations(found, 2):
        at = _parting(one, other)
        read = read_by(each.value for each in one.conditions[: at + 1])
        if any(first.same.get(key) != second.same.get(key) for key in read):
            return "what branches rest on corresponds in several ways"
    for each, why in zip(left, reasons, strict=True):
        path, known = max(found, key=lambda pair: _parting(pair[0], each))
        if not _elsewhere(path, known, each, after):
            return why
    return tuple(known.proof for _, known in found)


@dataclass(frozen=True, slots=True)
class _Matched:
    """The proof for a pair of paths, and what the reads of the path before are after."""

    proof: Proof
    same: Mapping[int, Expr]


def _matched(before: Path, after: Path) -> _Matched | str:
    """Return a proof, or why the correspondence that comes nearest to one is none."""
    reason = "no operations correspond"
    for number, common in enumerate(islice(correspondences(before.row, after.row), MOST)):
        try:
            return _checked(before, after, common)
        except Unproved as why:
            reason = str(why) if not number else reason
    return reason


def _parting(one: Path, other: Path) -> int:
    """Return how many conditions two paths of one side begin with."""
    both = zip(one.conditions, other.conditions, strict=False)
    alike = min(len(one.conditions), len(other.conditions))
    return next((k for k, (mine, theirs) in enumerate(both) if mine != theirs), alike)


def _elsewhere(path: Path, known: _Matched, other: Path, after: Path) -> bool:
    """Whether an execution does not go along another path before, where that parts from one that is proved; or has
    undefined behaviour there, since parameters alone lead to it, and nothing before that may go on for ever."""
    at = _parting(path, other)
    ended = not other.whole and other.conditions[at:] and not any(o.volatile for o in other.row.operations)
    if ended and not read_by(each.value for each in other.conditions[at:]):
        return True
    ends = path.conditions[at : at + 1], other.conditions[at : at + 1]
    if not all(ends) or ends[0][0].value != ends[1][0].value:
        return False
    if ends[0][0].how != BRANCH:  # It ends as that which corresponds to it.
        return True
    ahead = [*after.conditions, *(_condition(each, known.same) for each in path.conditions[:at])]
    here = _condition(ends[1][0], known.same)
    if (here.value, 1 - here.number) in {(each.value, each.number) for each in ahead}:
        return True
    return contradict(_bits(after.row), ahead, here)


def _condition(condition: Condition, reads: Mapping[int, Expr]) -> Condition:
    """Return a condition of a path before in terms of what is read after."""
    here = plainer(mapped(condition.value, reads), condition.number)
    return here._replace(how=condition.how)


def _bits(row: Row) -> dict[int, int]:
    """Return how many bits operations read, by their keys."""
    return {o.key: 8 * o.cell.size for o in row.operations if o.cell is not None}


def _checked(one: Path, other: Path, common: Mapping[int, int]) -> _Matched:
    """Return the proof that a correspondence is; raise Unproved."""
    before, after = one.row, other.row
    levels = _levels((*before.operations, *after.operations))
    if one.whole and not other.whole:
        raise Unproved(OTHER)
    operations, same, sources = _read_as(before, after, common)
    operations, addresses = _rebased(operations, after, common)
    old, new = Side(operations, levels), Side(after.operations, levels)
    conditions = [_condition(each, same) for each in one.conditions]
    against = {(each.value, 1 - each.number) for each in other.conditions}
    if any((each.value, each.number) in against for each in conditions):
        raise Unproved(OTHER)
    for i, j in common.items():
        _no_weaker(old.by_key[i], new.by_key[j])
    met = set(common.values())
    for o in after.operations:
        if o.key not in met:
            _more(o, operations)
    gone = [o for o in operations if o.key not in common]
    idle = _same_values(one, other, conditions, common, same, addresses)
    about = Gone(old, common.keys(), sources, idle & {o.key for o in gone})
    for o in gone:
        about.cover(o)
    needed = old.facts([*common, *about.beside], {**{i: i for i in common}, **about.beside})
    had = new.facts(sorted(met), {j: i for i, j in common.items()})
    lacking = needed - had
    for fact in sorted(lacking):
        if fact[0] not in STRICT:
            raise Unproved(LOST + in_words(fact, old))
    proof = Proof(
        operations,
        after.operations,
        tuple(common.items()),
        tuple(about.rules.items()),
        tuple(about.beside.items()),
        frozenset(needed - lacking),
        about.merges or bool(lacking),
    )
    return _Matched(proof, same)


def _more(o: Operation, before: Sequence[Operation]) -> None:
    """Ask of an operation that only the row after has that nobody sees it, nor that its address may be undef."""
    if o.writes or o.volatile or o.compares:
        raise Unproved("the row after writes more, or has a volatile access more")
    based = o.cell is not None and o.cell.base is not None
    if based and not any(p.cell is not None and o.cell is not None and p.cell.base == o.cell.base for p in before):
        raise Unproved("the row after accesses what the row before does not, through a computed address")


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


def _read_as(
    before: Row, after: Row, common: Mapping[int, int]
) -> tuple[tuple[Operation, ...], dict[int, Expr], dict[int, int]]:
    """Return the operations before where they are in terms of what is read after; what each reads, which is what its
    counterpart reads or what stands for it; and for each load that goes the nearest access of its cell that stays."""
    found: dict[int, Expr] = {}
    sources: dict[int, int] = {}
    done: list[Operation] = []
    values = {o.key: o.value for o in before.operations}
    for o in before.operations:  # In order: what is written, and where, rests on what was read before.
        if o.cell is not None and o.cell.base is not None:
            o = replace(o, cell=replace(o.cell, base=mapped(o.cell.base, found)))
        done.append(o)
        if o.key in common:
            if o.reads:
                found[o.key] = ReadOf(common[o.key])
        elif o.kind == LOAD:
            p = next((p for p in reversed(done[:-1]) if p.cell == o.cell and p.key in common), None)
            if p is not None and p.detail[:1] == o.detail[:1]:
                sources[o.key] = p.key
                value = values[p.key]
                found[o.key] = found[p.key] if p.kind == LOAD or value is None else mapped(value, found)
    return tuple(done), found, sources


def _rebased(
    operations: tuple[Operation, ...], after: Row, common: Mapping[int, int]
) -> tuple[tuple[Operation, ...], dict[Expr, Expr]]:
    """Return operations before with the computed addresses of their counterparts, and which ones are to be the same."""
    by_key = {o.key: o for o in after.operations}
    found: dict[Expr, Expr] = {}
    for o in operations:
        mine, theirs = o.cell, by_key[common[o.key]].cell if o.key in common else o.cell
        if mine is None or theirs is None or mine == theirs:
            continue
        if mine.base is None or theirs.base is None or mine != replace(theirs, base=mine.base):
            raise Unproved("what is accessed is another address")
        if found.setdefault(mine.base, theirs.base) != theirs.base:
            raise Unproved("one address becomes several")
    moved = []
    for o in operations:
        cell = o.cell
        if cell is not None and cell.base in found:
            o = replace(o, cell=replace(cell, base=found[cell.base]))
        moved.append(o)
    return tuple(moved), found


def _same_values(
    one: Path,
    other: Path,
    conditions: Sequence[Condition],
    common: Mapping[int, int],
    same: Mapping[int, Expr],
    addresses: Mapping[Expr, Expr],
) -> set[int]:
    """Ask that both write and return the same, and branch on undef alike, where an execution goes along both.

    Return the operations before on whose reads nothing of that rests.
    """
    before, after = one.row, other.row
    olds = {o.key: o for o in before.operations}
    news = {o.key: o for o in after.operations}
    gone = [o for o in before.operations if o.key not in common]
    shown = [r for r in before.results if r in after.results] if one.whole and other.whole else []
    if any(len(before.results[r]) != len(after.results[r]) for r in shown):
        raise Unproved("results of other shapes")
    returned = [pair for r in shown for pair in zip(before.results[r], after.results[r], strict=True)]
    written = [(olds[i].value, news[j].value) for i, j in common.items() if olds[i].writes]
    bases = (o.cell.base for o in before.operations if o.cell is not None)
    values = [*(i for i, _ in (*returned, *written)), *(o.value for o in gone), *(c.value for c in one.conditions)]
    used = read_by((*values, *bases))
    if missing := [key for key in used if key not in same]:
        raise Unproved(f"nothing stands for the value of a load that goes ({len(missing)})")
    asked = _Values(_bits(after), conditions, other.conditions, same)
    for first, second in (*returned, *written, *addresses.items()):
        if first is not None and second is not None:
            asked.covers(first, second)
    asked.check()
    return {o.key for o in gone if o.reads and o.key not in used}


class _Values:
    """What is to be the same on both sides of a change; a solver is asked only if it is not seen."""

    def __init__(
        self,
        bits: Mapping[int, int],
        before: Sequence[Condition],
        after: Sequence[Condition],
        same: Mapping[int, Expr],
    ) -> None:
        self.reads, self.bits = same, bits
        self.known = _known((*before, *after))
        self.made = partial(Obligations, bits, before, after)
        self.asked: Obligations | None = None
        told = _known(before)
        branches = (mapped(each.value, {}, told) for each in after if each.how == BRANCH)
        settled = all(isinstance(each, Constant) and isinstance(each.value, int) for each in branches)
        if not settled or others(before, after):
            self.asked = self.made()

    def covers(self, before: Expr, after: Expr) -> None:
        """Ask that a value before may be what one after may be."""
        mine = mapped(before, self.reads)
        first, second = (mapped(each, {}, self.known) for each in (mine, after))
        if mine != after and first != second and not equal(self.bits, first, second):
            self.asked = self.asked or self.made()
            self.asked.covers(mine, after)

    def check(self) -> None:
        """Raise Unproved if something is not known to be so."""
        if self.asked is not None and not self.asked.hold():
            raise Unproved("what is written, or compared of the registers, or branched on, is another expression")


def _known(conditions: Iterable[Condition]) -> dict[Expr, Expr]:
    """Return what expressions are where branches go as they do, and none of them is on undef."""
    found: dict[Expr, Expr] = {}
    for each in conditions:
        if each.how != BRANCH:
            continue
        found[each.value] = Constant(each.number)
        if each.number and isinstance(each.value, Apply) and each.value.operation == "eq":
            one, other = each.value.arguments
            if not isinstance(one, ReadOf):
                one, other = other, one
            if isinstance(one, ReadOf) and one.event not in read_by([other]):
                found.setdefault(one, other)
    reads: dict[Expr, Expr] = {one: other for one, other in found.items() if isinstance(one, ReadOf)}
    return {mapped(one, {}, reads): other for one, other in found.items() if one not in reads} | found


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
            if all(o.key in used or (o.kind in (LOAD, FENCE) and not o.compares) for o in news):
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
    computed = any(o.cell is not None and o.cell.base is not None for o in (before, after))
    places = [o.cell and (o.cell.size if computed else o.cell) for o in (before, after)]
    alike = (before.detail, before.volatile, before.compares) == (after.detail, after.volatile, after.compares)
    return same and alike and places[0] == places[1]


def in_words(fact: Fact, side: Side) -> str:
    """Return a fact as a phrase; operations are counted from 1."""
    kind, _, _, first, last = fact
    where = {-1: "what stands before", -2: "what stands behind"}
    names = [where.get(k) or f"operation {side.at[k] + 1} ({side.by_key[k].kind})" for k in (first, last)]
    return f"{names[0]} {kind} {names[1]}"
