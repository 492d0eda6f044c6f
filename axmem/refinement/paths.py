"""A test before and after a change whose threads are straight but for compare-exchanges: a row for each way they go.

What goes in: a `Change`. What comes out: for each way in which its compare-exchanges may succeed or fail its rows side
by side (`PairedRows`): one that succeeds is a read-modify-write whose write depends on what is read, one that fails is
a load. Invariant: in what comes out of one way each compare-exchange goes the same way before and after, so that what
holds of the rows of all ways, whatever is read, holds of the test. The contrary does not hold: the rows may read what
would have sent the compare-exchange the other way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from axmem.encoder.branching import Arms
from axmem.encoder.events import EventGraph
from axmem.encoder.instances import Noting
from axmem.encoder.unroll import unrolled
from axmem.encoder.values import Apply, Constant, Expr, Pick, ReadOf
from axmem.families.left_out import spoken
from axmem.litmus import syntax as ast
from axmem.model.terms import Model
from axmem.model.vocabulary import FAILURES, PRIMITIVES
from axmem.refinement.changed import Change
from axmem.refinement.paired import PairedRows, paired
from axmem.refinement.rows import Instance, Winding, instances_of, rows

MOST = 6
"""How many compare-exchanges are followed both ways."""

Asked = frozenset[tuple[int, str, Expr]]
"""What a compare-exchange asks of what it reads: for each arm the comparison, and with what."""


def paths(change: Change, model: Model) -> Iterator[PairedRows]:
    """Yield the rows of every way that the compare-exchanges of a test go.

    Raise Winding if something else in it is not straight, if compare-exchanges before and after do not correspond, or
    if the model tells one that fails from a load.
    """
    if any(PRIMITIVES[name].needs == FAILURES for name in spoken(model, frozenset())):
        raise Winding("the model tells a compare-exchange that fails from a load")
    first, second = _forks(change.before, Noting(change.first)), _forks(change.after, Noting(change.second))
    partner = _partners(first, second)
    if len(partner) > MOST:
        raise Winding(f"there are more than {MOST} compare-exchanges")
    for chosen in product((0, 1), repeat=len(partner)):
        arms: Arms = dict(zip(partner, chosen, strict=True))
        others: Arms = {partner[choice]: arm for choice, arm in arms.items()}
        before, after = Noting(change.first), Noting(change.second)
        yield paired(rows(change.before, before, arms), rows(change.after, after, others))


def _forks(test: ast.LitmusTest, noting: Noting) -> dict[Instance, tuple[int, Asked]]:
    """Return for the registers that compare-exchanges return into their choices and what is asked of their reads."""
    walk = unrolled(test, noting=noting)
    graph = walk.graph()
    asked = _asked(graph)
    if any(choice.expr is not None or choice.guard or choice.index not in asked for choice in graph.choices):
        raise Winding("a branch or an address depends on what is read")
    found = {}
    for instance, lanes in instances_of(walk, noting, test).items():
        match lanes[0]:
            case Apply("depending", _, (Pick(choice, (ReadOf(), ReadOf())), *_)) | Pick(choice, (ReadOf(), ReadOf())):
                found[instance] = choice, asked[choice]
    if {choice for choice, _ in found.values()} != set(asked):
        raise Winding("what a compare-exchange reads is in no register")
    return found


def _asked(graph: EventGraph) -> Mapping[int, Asked]:
    """Return what the requirements of a graph ask of reads, by choices; raise Winding if they ask something else."""
    found: dict[int, set[tuple[int, str, Expr]]] = {}
    for require in graph.requires:
        match require.guard, require.expr:
            case ((choice, arm),), Apply("eq" | "ne" as comparison, _, (ReadOf(), Constant() as expected)):
                found.setdefault(choice, set()).add((arm, comparison, expected))
            case _:
                raise Winding("what is asked of a read is no comparison with a constant")
    return {choice: frozenset(asked) for choice, asked in found.items()}


def _partners(
    first: Mapping[Instance, tuple[int, Asked]], second: Mapping[Instance, tuple[int, Asked]]
) -> dict[int, int]:
    """Return for the choices before those after; raise Winding unless each has one that asks the same."""
    found: dict[int, int] = {}
    for instance, (choice, asked) in first.items():
        mine = {other for key, other in second.items() if key.stands_for(instance)}
        if mine != {(found.get(choice, next(iter(mine))[0] if mine else -1), asked)}:
            raise Winding("a compare-exchange before the change is none, or another, after it")
        found[choice] = next(iter(mine))[0]
    if len(set(found.values())) < len(found) or {c for c, _ in second.values()} != set(found.values()):
        raise Winding("there are other compare-exchanges after the change than before")
    return found
