"""The scopes at which the threads of a test meet.

What goes in: a test whose places are filled in. What comes out: the levels of the smallest scope instances that hold
two of its threads. Invariant: an operation of any scope relates the same pairs of threads as one of the widest of these
levels that is no wider, so that no other scope need be tried. A cluster counts only in a test that speaks of clusters:
where it does not, workgroups may lie in clusters of their own.
"""

from __future__ import annotations

from itertools import combinations

from axmem.litmus.launch import lanes
from axmem.litmus.syntax import AccessMode, LitmusTest, Make, Placement, Scope, Statement, SyncScope
from axmem.litmus.walk import statements, units


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
