"""What the checker says of a program that the search has found, and the plainest program like it.

What goes in: a program and two models. What comes out: whether the checker, which knows nothing of the search, finds
the models different on the program's test; a program as small that differs in the same way and none of whose marks can
be dropped or weakened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from axmem.check.compare import unmatched
from axmem.check.results import Result, outcomes
from axmem.encoder.solve import Row
from axmem.encoder.solver import Session
from axmem.front.records import dataclass, replace
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from axmem.litmus.words import NONE_TAG, OperationKind, Ordering, Scope
from axmem.model.model import Model
from axmem.refinement.bounded.bound import Bound, operations
from axmem.refinement.bounded.operations import BoundedOperation, BoundedProgram
from axmem.refinement.bounded.placements import canonical, placements
from axmem.refinement.bounded.programs import litmus_test

_STRENGTH = (
    Ordering.NOT_ATOMIC,
    Ordering.MONOTONIC,
    Ordering.ACQUIRE,
    Ordering.RELEASE,
    Ordering.ACQ_REL,
    Ordering.SEQ_CST,
    Ordering.UNORDERED,
)
"""Orderings from the plainest to the most remarkable, for a reader."""

_COMMON = sorted(Scope, key=lambda scope: (scope.rare, -scope))


class SearchDisagreement(Exception):
    """The checker does not find the difference that the search has found: one of them is wrong. Has the test's text."""


@dataclass(frozen=True, slots=True)
class ModelPair:
    """Two models, the one that permits an outcome first, and the solver's session to ask with."""

    permitting: Model
    refusing: Model
    session: Session

    def unmatched(self, program: BoundedProgram, finals: tuple[int, ...] | None = None) -> list[Row]:
        """Return the outcomes of the first model that the second does not match, even with undef in more places."""
        first, second = self.results(litmus_test(program, "candidate", finals=finals))
        return unmatched(first.outcomes, second.outcomes)

    def results(self, test: LitmusTest) -> tuple[Result, Result]:
        """Return the outcomes of a test under both models."""
        return outcomes(test, self.permitting, session=self.session), outcomes(
            test, self.refusing, session=self.session
        )


def shown_finals(bound: Bound, program: BoundedProgram) -> tuple[int, ...]:
    """Return the locations whose final values outcomes show under a bound."""
    return tuple(range(program.locations)) if bound.finals else ()


def plainest(program: BoundedProgram, bound: Bound, pair: ModelPair) -> BoundedProgram:
    """Return a program that differs likewise, and that differs no more with anything in it made plainer.

    Raises Disagreement if the checker finds no difference on the program itself.
    """
    program = checked(program, bound, pair)
    while (plainer := _plainer(program, bound, pair)) is not None:
        program = plainer
    return canonical(program, bound.tags)


def checked(program: BoundedProgram, bound: Bound, pair: ModelPair) -> BoundedProgram:
    """Return the canonical form of a program; raise Disagreement if the checker finds no difference on it."""
    if not pair.unmatched(program, shown_finals(bound, program)):
        raise SearchDisagreement(print_test(litmus_test(program, "disagreement")))
    return canonical(program, bound.tags)


def _plainer(program: BoundedProgram, bound: Bound, pair: ModelPair) -> BoundedProgram | None:
    score = _score(program, bound)
    tried = sorted(((_score(p, bound), p.rank, p) for p in set(_neighbours(program, bound))), key=lambda row: row[:2])
    for other, _, candidate in tried:
        if other < score and pair.unmatched(candidate, shown_finals(bound, candidate)):
            return candidate
    return None


def _score(program: BoundedProgram, bound: Bound) -> tuple[int, ...]:
    """Return how remarkable a program is, the worst first."""
    ops = [op for body in program.threads for op in body]
    everywhere = list(placements(len(program.threads), bound))
    apart = tuple((0, 0, t, 0) for t in range(len(program.threads)))
    place = -1 if program.places == apart else everywhere.index(program.places)
    return (
        sum(op.av or op.volatile for op in ops),
        sum(len(op.tags) for op in ops),
        sum(op.kind is OperationKind.RMW for op in ops),
        program.locations,
        sum(_STRENGTH.index(op.ordering) for op in ops),
        len({op.scope for op in ops if op.ordering is not Ordering.NOT_ATOMIC or op.av}),
        sum(_COMMON.index(op.scope) for op in ops),
        place,
    )


def _neighbours(program: BoundedProgram, bound: Bound) -> Iterator[BoundedProgram]:
    """Yield programs with one thing changed: an operation, all scopes, a location, the placement."""
    allowed = {op for x in range(-1, bound.locations) for op in operations(bound, x)}
    for t, body in enumerate(program.threads):
        for k, op in enumerate(body):
            for other in _changes(op, bound):
                if other in allowed:
                    changed = (*body[:k], other, *body[k + 1 :])
                    yield replace(program, threads=(*program.threads[:t], changed, *program.threads[t + 1 :]))
    for scope in bound.scopes:
        yield _each(program, partial(_rescoped, scope))
    for x in range(1, program.locations):
        yield _each(program, partial(_merged, x))
    for places in placements(len(program.threads), bound):
        yield replace(program, places=places)


def _rescoped(scope: Scope, op: BoundedOperation) -> BoundedOperation:
    return replace(op, scope=scope) if op.av or op.ordering is not Ordering.NOT_ATOMIC else op


def _merged(location: int, op: BoundedOperation) -> BoundedOperation:
    """Return the operation with a location made one with the one before it."""
    return replace(op, location=op.location - (op.location >= location))


def _each(program: BoundedProgram, change: Callable[[BoundedOperation], BoundedOperation]) -> BoundedProgram:
    return replace(program, threads=tuple(tuple(change(op) for op in body) for body in program.threads))


def _changes(op: BoundedOperation, bound: Bound) -> Iterator[BoundedOperation]:
    yield replace(op, av=False, volatile=False, scope=Scope.SYSTEM)
    for ordering in bound.orderings:
        kept = op.tags if ordering not in (Ordering.NOT_ATOMIC, Ordering.MONOTONIC) else op.tags - {NONE_TAG}
        plain = ordering is Ordering.NOT_ATOMIC
        scope = Scope.SYSTEM if plain and not op.av else op.scope
        yield replace(op, ordering=ordering, scope=scope, tags=kept, av=op.av and plain)
    for scope in bound.scopes:
        yield replace(op, scope=scope)
    for tag in op.tags:
        yield replace(op, tags=op.tags - {tag})
    if op.kind is OperationKind.RMW:
        yield from (replace(op, kind=kind) for kind in (OperationKind.LOAD, OperationKind.STORE))
