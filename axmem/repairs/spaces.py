"""The spaces that are searched: what a repair may strengthen, and what a test may go without.

What goes in: a test, costs, which edits are allowed. What comes out: its `Site`s. A repair's states begin with the text
as it is and go up; a weakening's begin with the weakest annotations and go up to the text. Invariant: every state is
well formed, and the target has its operation.
Scopes are tried at the levels at which two threads of the test meet: an operation of any other scope relates the same
pairs of threads as one of the widest of these that is no wider. A cluster counts only in a test that speaks of
clusters: where it does not, workgroups may lie in clusters of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, combinations, product

from axmem.front.records import replace
from axmem.litmus.edit import edited
from axmem.litmus.kernels import Call
from axmem.litmus.launch import lanes
from axmem.litmus.resolution import resolve
from axmem.litmus.syntax import (
    AccessMode,
    CmpXchg,
    Fence,
    LitmusTest,
    Load,
    Make,
    Placement,
    Statement,
    Store,
)
from axmem.litmus.walk import Path, located, statements, units
from axmem.litmus.words import AV_PREFIX, FAILURES, NONE_TAG, OperationKind, Ordering, Scope, SyncScope, Tag, legal_for
from axmem.repairs.costs import Costs
from axmem.repairs.sites import AVAILABLE, BARRIER, FENCE, OWN, VISIBLE, Site, SiteState, kernel_points, points
from axmem.repairs.strength import ANNOTATED, Annotated, Strength, annotated, at_least, steps, strength_of
from axmem.repairs.wording import DEFAULT_KINDS, changes, words

_KINDS = {Load: OperationKind.LOAD, Store: OperationKind.STORE, Fence: OperationKind.FENCE}

_BARRIER_SIZE = 6
"""The steps of a barrier: its own two, and those of its fences."""

Mark = tuple[Ordering, bool, Ordering]
"""What decides whether a statement is well formed: ordering, whether it is av, ordering of failure."""


def repair_space(test: LitmusTest, costs: Costs, allowed: frozenset[str] = DEFAULT_KINDS) -> tuple[Site, ...]:
    """Return the sites of a repair, in the order of the text; `allowed` are the kinds of edits."""
    space = _Space(test, costs, meeting_levels(test))
    sites = [
        space.strengthened(path, statement, allowed)
        for path, statement in located(test)
        if isinstance(statement, ANNOTATED)
    ]
    for number, thread in enumerate(test.threads):
        for path in points(thread.body, (number,)):
            sites += space.insertions(path, allowed)
    for number, kernel in enumerate(test.kernels, len(test.threads)):
        meets = "barrier" in allowed and kernel.launch.wavefronts * kernel.launch.lanes > 1
        for path, once in kernel_points(kernel, number):
            sites += space.insertions(path, allowed)
            sites += [space.barrier(path)] if meets and once else []
    return _in_order(sites)


def weaken_space(test: LitmusTest, costs: Costs, *, availability: bool) -> tuple[Site, ...]:
    """Return the sites of a weakening, in the order of the text.

    Without `availability` no av operation is weakened and no amdgcn-av:none added: no model that judges looks at them.
    """
    space = _Space(test, costs, meeting_levels(test))
    sites = [
        space.weakened(path, statement, availability)
        for path, statement in located(test)
        if isinstance(statement, ANNOTATED)
    ]
    return _in_order(sites)


def _in_order(sites: list[Site]) -> tuple[Site, ...]:
    """Return the sites that have a choice, in the order of the text."""
    return tuple(sorted((s for s in sites if len(s.states) > 1), key=lambda site: (site.path, site.slot)))


class _Space:
    """Makes the sites of one test."""

    def __init__(self, test: LitmusTest, costs: Costs, levels: tuple[Scope, ...]) -> None:
        self.test = test
        self.costs = costs
        self.levels = levels
        # Of kernels' many executions few are told apart by one order of all seq_cst operations, which costs most.
        self.left_out = (Ordering.SEQ_CST,) * bool(test.kernels)

    # ------------------------------------------------ repairs

    def strengthened(self, path: Path, statement: Annotated, allowed: frozenset[str]) -> Site:
        """Return the site of a statement: as it is, and everything stronger."""
        before = strength_of(statement)
        fits = self.wellformed(path, statement)
        options = [statement]
        scopes = {SyncScope(level) for level in self.levels}
        if before.scope is not None:
            scopes |= {SyncScope(level, before.scope.one_as) for level in self.levels}
            scopes |= {before.scope, replace(before.scope, one_as=False)}
        silences = (before.silent, False, *([True] if _may_be_silent(before, allowed) else []))
        for strength in _candidates(statement, before, scopes, _dropped(before.tags), silences):
            if strength.ordering in self.left_out and strength.ordering is not before.ordering:
                continue
            if strength.silent != before.silent and not strength.synchronizes:
                continue
            stronger = annotated(statement, strength)
            kinds = {kind for kind, _ in changes(before, strength)}
            if stronger not in options and at_least(strength, before) and kinds <= allowed and fits(strength):
                options.append(stronger)
        states = (self.state(option, statement, steps(strength_of(option), before, self.levels)) for option in options)
        return Site(path, OWN, tuple(s for s in states if s.statement == statement or self.offered(s)), 0)

    def insertions(self, path: Path, allowed: frozenset[str]) -> Iterator[Site]:
        """Yield the three sites of a point."""
        scopes = [SyncScope(level) for level in self.levels]
        tags = (frozenset((NONE_TAG,)), frozenset[Tag]()) if "silent" in allowed else (frozenset[Tag](),)
        orderings = [o for o in legal_for(OperationKind.FENCE) if o not in self.left_out]
        fences = [Fence(AccessMode(o, s, tags=t)) for o in orderings for s in scopes for t in tags]
        offers: tuple[tuple[int, str, list[Annotated]], ...] = (
            (AVAILABLE, "make", [Make(False, scope) for scope in scopes]),
            (FENCE, "fence", [*fences]),
            (VISIBLE, "make", [Make(True, scope) for scope in scopes]),
        )
        for slot, kind, offered in offers:
            made = [self.state(s, None, steps(strength_of(s), None, self.levels)) for s in offered if kind in allowed]
            nothing = SiteState(None, None, 0, 0, ())
            yield Site(path, slot, (nothing, *(state for state in made if self.offered(state))), 0)

    def barrier(self, path: Path) -> Site:
        """Return the site of a barrier, which orders what stands before it in the workgroup before what follows."""
        scope = SyncScope(Scope.WORKGROUP)
        before, after = (Fence(AccessMode(each, scope)) for each in (Ordering.RELEASE, Ordering.ACQUIRE))
        strength = strength_of(Fence(AccessMode(Ordering.ACQ_REL, scope)))
        cost = self.costs.machine(before) + self.costs.machine(after) + 1
        made = SiteState(Call("s.barrier"), strength, cost, _BARRIER_SIZE, ("inserted",), (before, after))
        return Site(path, BARRIER, (SiteState(None, None, 0, 0, ()), made), 0)

    # ------------------------------------------------ weakenings

    def weakened(self, path: Path, statement: Annotated, availability: bool) -> Site:
        """Return the site of a statement: the weakest that it may be, and everything up to what it is."""
        before = strength_of(statement)
        fits = self.wellformed(path, statement)
        scopes: set[SyncScope] = set()
        if before.scope is not None:
            narrow = {*self.levels, Scope.SINGLETHREAD, before.scope.level}
            scopes = {SyncScope(level, before.scope.one_as) for level in narrow}
        silences = (before.silent, True) if availability and not _has(before.tags, AV_PREFIX) else (before.silent,)
        found: dict[Statement, Strength] = {statement: _quiet(before)}
        for strength in _candidates(statement, before, scopes, (before.tags,), silences):
            written = strength if strength.synchronizes else replace(strength, silent=before.silent)
            weaker = annotated(statement, written)
            bound = availability or not (before.av or isinstance(statement, Make))
            if at_least(before, written) and bound and fits(written) and (availability or not written.av):
                found.setdefault(weaker, _quiet(written))
        removable = isinstance(statement, Fence) or (isinstance(statement, Make) and availability)
        return self.raised(path, statement, found, removable)

    def raised(self, path: Path, statement: Statement, found: dict[Statement, Strength], removable: bool) -> Site:
        """Return the site of a weakening, the weakest state first."""
        lowest = None if removable else _lowest(found)
        states = [] if not removable else [SiteState(None, None, 0, 0, self.words(None, statement))]
        ordered = sorted(found, key=lambda s: self.distance(found, s, lowest))
        for option in ordered:
            made = self.state(option, statement, self.distance(found, option, lowest))
            made = replace(made, strength=found[option])
            if option == statement or self.offered(made):
                states.append(made)
        index = next(n for n, state in enumerate(states) if state.statement == statement)
        return Site(path, OWN, tuple(states), index)

    def distance(self, found: dict[Statement, Strength], option: Statement, lowest: Statement | None) -> int:
        """Return how many steps an option is above the weakest one."""
        return steps(found[option], None if lowest is None else found[lowest], (Scope.SINGLETHREAD, *self.levels))

    # ------------------------------------------------ both

    def state(self, statement: Statement, original: Statement | None, size: int) -> SiteState:
        """Return a state with what it costs and what it changes."""
        assert isinstance(statement, ANNOTATED)
        strength = strength_of(statement)
        return SiteState(statement, strength, self.costs.machine(statement), size, self.words(statement, original))

    def words(self, new: Statement | None, original: Statement | None) -> tuple[str, ...]:
        """Return what is different from the text, in words."""
        before = strength_of(original) if isinstance(original, ANNOTATED) else None
        after = strength_of(new) if isinstance(new, ANNOTATED) else None
        return words(before, after)

    def offered(self, state: SiteState) -> bool:
        """Say whether the target has the operation of a state."""
        return state.statement is None or self.costs.offered(state.statement)

    def wellformed(self, path: Path, statement: Annotated) -> Callable[[Strength], bool]:
        """Return what says whether the statement may have an ordering."""
        known: dict[Mark, bool] = {}

        def fits(strength: Strength) -> bool:
            mark = (strength.ordering, strength.av, strength.failure)
            if mark not in known:
                changed = edited(self.test, {path: (annotated(statement, strength),)})
                known[mark] = not resolve(changed)[1]
            return known[mark]

        return fits


def _candidates(
    statement: Annotated,
    before: Strength,
    scopes: set[SyncScope],
    tags: tuple[frozenset[Tag], ...],
    silences: tuple[bool, ...],
) -> Iterator[Strength]:
    """Yield everything that a statement of this kind may have, well formed or not, in a fixed order."""
    legal = (o for o in legal_for(_KINDS.get(type(statement), OperationKind.RMW)) if o is not Ordering.UNORDERED)
    orderings = dict.fromkeys((before.ordering, *legal))
    marks = [(ordering, False) for ordering in orderings]
    if isinstance(statement, Make):
        marks = [(before.ordering, True)]
    elif isinstance(statement, Load | Store):
        marks.insert(1, (Ordering.NOT_ATOMIC, True))
    failures = dict.fromkeys((before.failure, *FAILURES)) if isinstance(statement, CmpXchg) else [before.failure]
    wide = sorted(scopes, key=lambda s: (s.level, not s.one_as))
    for (ordering, av), failure, kept, silent in product(marks, failures, tags, dict.fromkeys(silences)):
        scoped = av or ordering is not Ordering.NOT_ATOMIC
        for scope in wide if scoped else [None]:
            yield Strength(
                ordering=ordering,
                av=av,
                scope=scope,
                volatile=before.volatile,
                failure=failure,
                silent=silent,
                tags=kept,
            )


def _dropped(tags: frozenset[Tag]) -> tuple[frozenset[Tag], ...]:
    """Return the tags with every set of prefixes left out, none first."""
    prefixes = sorted({prefix for prefix, _ in tags})
    sets = chain.from_iterable(combinations(prefixes, n) for n in range(len(prefixes) + 1))
    return tuple(frozenset(tag for tag in tags if tag[0] not in gone) for gone in sets)


def _may_be_silent(before: Strength, allowed: frozenset[str]) -> bool:
    """Say whether an ordering that is new may carry amdgcn-av:none."""
    return "silent" in allowed and not before.synchronizes and not _has(before.tags, AV_PREFIX)


def _has(tags: frozenset[Tag], prefix: str) -> bool:
    return any(tag[0] == prefix for tag in tags)


def _quiet(strength: Strength) -> Strength:
    """Return the strength in which what has nothing to say counts as silent, so that there is a weakest one."""
    return strength if strength.synchronizes else replace(strength, silent=True)


def _lowest(found: dict[Statement, Strength]) -> Statement:
    """Return the statement that all the others are at least as strong as."""
    return next(low for low in found if all(at_least(other, found[low]) for other in found.values()))


def meeting_levels(test: LitmusTest) -> tuple[Scope, ...]:
    """Return the levels in ascending order; a test of one thread has singlethread alone."""
    places = _places(test)
    levels = {a.meeting(b) for a, b in combinations(places, 2)}
    if Scope.CLUSTER in levels and not _has_clusters(test):
        levels = levels - {Scope.CLUSTER} | {Scope.AGENT}
    return tuple(sorted(levels)) or (Scope.SINGLETHREAD,)


def _places(test: LitmusTest) -> list[Placement]:
    """Return where the threads and the lanes of a test are."""
    return [each.placement for each in test.threads] + [lane.placement for k in test.kernels for lane in lanes(k)]


def _has_clusters(test: LitmusTest) -> bool:
    """Say whether a test speaks of clusters: by its places, or by a scope."""
    places = _places(test)
    if len({p.instance(Scope.CLUSTER) for p in places}) > len({p.instance(Scope.AGENT) for p in places}):
        return True
    scopes = [scope_of(statement) for unit in units(test) for statement in statements(unit.body)]
    return any(scope is not None and scope.level is Scope.CLUSTER for scope in scopes)


def scope_of(statement: Statement) -> SyncScope | None:
    """Return the scope that a statement has, if its kind has one."""
    if isinstance(statement, Make):
        return statement.scope
    mode = getattr(statement, "mode", None)
    return mode.scope if isinstance(mode, AccessMode) else None
