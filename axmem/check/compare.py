"""Two models compared on one test.

What goes in: a test and two models, each under a choice of variants. What comes out: a `Comparison`: whether the
second model is the same, weaker, stronger or incomparable, which outcomes are new in it and which are lost, and by
which rules the other model excludes them. Undef stands above every number: an outcome is matched by one that agrees
with it wherever it is not undef, so a model is stronger than another if each of its outcomes is matched by one of the
other's. Undefined behaviour stands above every outcome.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from axmem.check.results import Result, outcomes
from axmem.check.selection import AnyModel, label, loaded
from axmem.encoder.solve import UNLIMITED, Limits, Row
from axmem.events.unroll import events_under
from axmem.events.values import Value
from axmem.formats.reading import as_test
from axmem.front.records import dataclass
from axmem.litmus.syntax import LitmusTest
from axmem.litmus.undef import free_bits, known_bits
from axmem.model.model import Model
from axmem.model.terms import Doc

if TYPE_CHECKING:
    from axmem.encoder.solver import Session

RELATIONS = ("same", "weaker", "stronger", "incomparable", "unknown")
"""What the second model may be against the first; `unknown` if the outcomes of either are not complete."""

EXPLAINED = 16
"""How many outcomes of either kind are given their rules; each costs a search for a minimal set."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A rule of a model that takes part in excluding an outcome: its name and what its doc comment says."""

    name: str
    doc: Doc


@dataclass(frozen=True, slots=True)
class Difference:
    """An outcome that one model has and the other has not.

    `matched`: an outcome of the other, with undef in more places, covers it, so it does not count in the relation.
    `rules` are the rules of the other model that together exclude it; None where no search was made.
    """

    state: str
    matched: bool
    rules: tuple[Exclusion, ...] | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the second model is against the first on one test.

    `new` are the outcomes of the second alone, `lost` those of the first alone; both in the order of the results.
    """

    test: str
    labels: tuple[str, str]
    results: tuple[Result, Result]
    relation: str
    new: tuple[Difference, ...]
    lost: tuple[Difference, ...]

    @property
    def exact(self) -> bool:
        """Whether the two sets of outcomes are equal, rather than up to undef."""
        return not self.new and not self.lost


def compare(
    test: str | LitmusTest,
    first: AnyModel,
    second: AnyModel,
    *,
    results: tuple[Result, Result] | None = None,
    limits: Limits = UNLIMITED,
    session: Session | None = None,
) -> Comparison:
    """Return what the second model is against the first on a test; `results` are those of the two, if they are known.

    Raises InputError for what is wrong with the test, a model or a variant.
    """
    test = as_test(test)
    models = loaded(first), loaded(second)
    one, other = results or [outcomes(test, model, limits=limits, session=session) for model in models]
    relation = relation_of(one, other)
    known = relation != "unknown"
    return Comparison(
        test=test.name,
        labels=(label(first), label(second)),
        results=(one, other),
        relation=relation,
        new=_differences(test, other, one, models[0], session) if known else (),
        lost=_differences(test, one, other, models[1], session) if known else (),
    )


def relation_of(first: Result, second: Result) -> str:
    """Return what the second of two results of one test is against the first, one of `RELATIONS`."""
    if not (first.complete and second.complete):
        return "unknown"
    if first.undefined or second.undefined:
        return "same" if first.undefined and second.undefined else "stronger" if first.undefined else "weaker"
    below = not unmatched(first.outcomes, second.outcomes)
    above = not unmatched(second.outcomes, first.outcomes)
    if below:
        return "same" if above else "weaker"
    return "stronger" if above else "incomparable"


def unmatched(rows: Iterable[Row], others: Iterable[Row]) -> list[Row]:
    """Return the rows that no row of the others matches, in order."""
    by_mask: dict[tuple[int, ...], set[tuple[tuple[int, int], ...]]] = {}
    for other in others:
        lanes = [v for value in other for v in value]
        mask = tuple(map(free_bits, lanes))
        by_mask.setdefault(mask, set()).add(_known(lanes, mask))
    found = []
    for row in rows:
        lanes = [v for value in row for v in value]
        if not any(_known(lanes, mask) in known for mask, known in by_mask.items()):
            found.append(row)
    return found


def _known(lanes: list[Value], mask: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Return what lanes are beside the bits that a mask leaves open."""
    return tuple([(known_bits(v) & ~free, free_bits(v) & ~free) for v, free in zip(lanes, mask, strict=True)])


def _differences(
    test: LitmusTest, having: Result, lacking: Result, model: Model, session: Session | None
) -> tuple[Difference, ...]:
    """Return the outcomes that one result has and the other has not; `model` is that of the other.

    Undefined behaviour under the other model matches them all, and then no rule excludes them.
    """
    from axmem.encoder.cores import excluding_rules  # noqa: PLC0415 -- heavy, and relations of results need no solver

    has = set(lacking.outcomes)
    rows = [(row, state) for row, state in zip(having.outcomes, having.states(), strict=True) if row not in has]
    if lacking.undefined:
        return tuple(Difference(state, True, None) for _, state in rows)
    missing = set(unmatched(having.outcomes, lacking.outcomes))
    graph = events_under(test, model)
    return tuple(
        Difference(
            state=state,
            matched=row not in missing,
            rules=tuple(Exclusion(r.name, r.doc) for r in excluding_rules(graph, model, row, session))
            if index < EXPLAINED
            else None,
        )
        for index, (row, state) in enumerate(rows)
    )
