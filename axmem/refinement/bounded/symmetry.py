"""Programs that differ by names alone are met once.

What goes in: a skeleton and the operations of its programs. What comes out: clauses. Invariant: for every assignment of
the family there is one that meets the clauses and differs from it by a permutation of threads and one of locations;
models know neither kind of name, so that what holds of the one holds of the other.

Threads are sorted by the kinds and orderings of their operations, which do not depend on the names of locations, and
locations are then named in the order in which operations mention them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.refinement.bounded.attributes import OperationAttributes
from axmem.refinement.bounded.skeleton import Skeleton


def without_renamings(
    skeleton: Skeleton, slots: Sequence[OperationAttributes], apart: int | None = None, *, falling: bool = False
) -> None:
    """Assert that threads of one size are sorted and locations are named in order.

    `apart` is a slot whose thread is not like the others, since a rule is applied there. The order of threads is
    `falling` or rising; which of two equal programs is met depends on it, and nothing else.
    """
    _locations(skeleton, slots)
    kept = None if apart is None else skeleton.slots[apart].thread
    in_order(skeleton, slots, [t for t in range(len(skeleton.threads)) if t != kept], falling=falling)


def in_order(
    skeleton: Skeleton,
    slots: Sequence[OperationAttributes],
    threads: Iterable[int],
    *,
    falling: bool = False,
    where: int = TRUE,
) -> None:
    """Assert that of some threads those of one size are sorted, `where` a literal holds."""
    last: dict[int, list[int]] = {}
    for thread in threads:
        size = skeleton.threads[thread]
        mine = [
            literal
            for slot, a in zip(skeleton.slots, slots, strict=True)
            if slot.thread == thread
            for literal in (*a.kinds.values(), *a.orderings.values())
        ]
        if size in last:
            words = (mine, last[size]) if falling else (last[size], mine)
            _not_after(skeleton.circuit, *words, where)
        last[size] = mine


def _not_after(circuit: Circuit, first: Sequence[int], second: Sequence[int], where: int) -> None:
    """Assert that, where a literal holds, the first word of bits does not come after the second in dictionary order."""
    equal = where
    for a, b in zip(first, second, strict=True):
        circuit.add(-equal, -a, b)
        agree = circuit.either(circuit.both(a, b), circuit.both(-a, -b))
        equal = circuit.both(equal, agree)


def locations_in_order(circuit: Circuit, slots: Sequence[OperationAttributes]) -> None:
    """Assert that a location is mentioned after the one before it."""
    for i, a in enumerate(slots):
        for k, literal in enumerate(a.locations):
            if k and literal != FALSE:
                circuit.add(-literal, *[b.locations[k - 1] for b in slots[:i]])


def _locations(skeleton: Skeleton, slots: Sequence[OperationAttributes]) -> None:
    """Assert that locations are mentioned in order; what nobody mentions is global and initialised."""
    circuit, bound = skeleton.circuit, skeleton.bound
    locations_in_order(circuit, slots)
    for k in skeleton.locations if bound.lds or bound.uninitialised else ():
        used = circuit.disjunction([a.locations[k] for a in slots])
        circuit.add(used, skeleton.initialised[k])
        circuit.add(used, -skeleton.lds[k])
