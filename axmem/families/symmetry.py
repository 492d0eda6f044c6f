"""Programs that differ by names alone are met once.

What goes in: a skeleton and the operations of its programs. What comes out: clauses. Invariant: for every assignment of
the family there is one that meets the clauses and differs from it by a permutation of threads and one of locations;
models know neither kind of name, so that what holds of the one holds of the other.

Threads are sorted by the kinds and orderings of their operations, which do not depend on the names of locations, and
locations are then named in the order in which operations mention them.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.encoder.circuit import TRUE, Circuit
from axmem.families.program import Attributes
from axmem.families.skeleton import Skeleton


def without_renamings(skeleton: Skeleton, slots: Sequence[Attributes], apart: int | None) -> None:
    """Assert that threads of one size are sorted and locations are named in order.

    `apart` is a slot whose thread is not like the others, since a rule is applied there.
    """
    kept = None if apart is None else skeleton.slots[apart].thread
    last: dict[int, list[int]] = {}
    for thread, size in enumerate(skeleton.threads):
        if thread == kept:
            continue
        mine = [
            literal
            for slot, a in zip(skeleton.slots, slots, strict=True)
            if slot.thread == thread
            for literal in (*a.kinds.values(), *a.orderings.values())
        ]
        if size in last:
            _sorted(skeleton.circuit, last[size], mine)
        last[size] = mine
    _locations(skeleton, slots)


def _sorted(circuit: Circuit, first: Sequence[int], second: Sequence[int]) -> None:
    """Assert that the first row of literals is, as a number in binary, at least the second."""
    equal = TRUE
    for x, y in zip(first, second, strict=True):
        circuit.add(-equal, x, -y)
        equal = circuit.conjunction((equal, circuit.either(x, -y), circuit.either(-x, y)))


def _locations(skeleton: Skeleton, slots: Sequence[Attributes]) -> None:
    circuit = skeleton.circuit
    for k in range(skeleton.space.locations):
        if k:
            for i, a in enumerate(slots):
                circuit.add(-a.locations[k], *[b.locations[k - 1] for b in slots[:i]])
        used = circuit.disjunction([a.locations[k] for a in slots])
        circuit.add(used, skeleton.initialised[k])
        circuit.add(used, -skeleton.lds[k])
