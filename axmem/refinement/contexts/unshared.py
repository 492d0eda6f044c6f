"""What nobody else may access while the program before a change runs.

What goes in: the program before in a context, an execution of it, the order that the model calls happens-before. What
comes out: the literal that something beside the program accesses a byte that the program accesses behind a `noalias`
pointer, one of the two writing it, while the program runs: neither before something that stands before the program in
its thread, nor after something that stands behind it. Such an execution has undefined behaviour. Source: [LangRef]
"Parameter Attributes": `noalias`; what is meant by a function's running is decided in docs/references.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axmem.encoder.circuit import FALSE
from axmem.encoder.literals import Literals
from axmem.events.graph import Event, EventGraph, EventKind
from axmem.refinement.contexts.correspondence import OperationPlace
from axmem.refinement.contexts.operations import Operations
from axmem.refinement.contexts.standing import AFTER, BEFORE, BESIDE

ORDER = "happens-before"
"""The name of the axiom whose relation says what is before the program, and what is after it."""


def changed_meanwhile(
    graph: EventGraph, setting: Operations, parts: Mapping[int, OperationPlace], literals: Literals
) -> dict[str, int]:
    """Return the literals that somebody conflicts with what is done behind a `noalias` pointer while the program runs.

    `parts` are the events of the context. Each literal stands under how the registers begin whose values nothing of the
    conflict rests on: those of a read that conflicts, and behind which its thread does nothing more; "" for none.
    Nobody conflicts as far as is known where the model has no such order. A barrier in the program that orders the
    context with what stands behind it does so while the program runs.
    """
    order = next((axiom.term for axiom in literals.model.axioms if axiom.name == ORDER), None)
    if order is None or not setting.memory.unshared:
        return {}
    circuit = literals.circuit
    accesses = [*_unshared(graph, setting)]
    own = [e for e in accesses if e.index not in parts]
    found: dict[str, list[int]] = {}
    for x in accesses:
        if x.index not in parts:
            continue
        conflicting = [e for e in own if e.cell == x.cell and EventKind.WRITE in (e.kind, x.kind)]
        met = circuit.disjunction([literals.executed[e.index] for e in conflicting])
        if met == FALSE:
            continue
        ordered = []
        for e, (slot, _) in parts.items():
            ordered += [
                circuit.both(setting.stands(slot, BEFORE), literals.pair(order, x.index, e)),
                circuit.both(setting.stands(slot, AFTER), literals.pair(order, e, x.index)),
            ]
        slot = parts[x.index][0]
        happens = [literals.executed[x.index], setting.stands(slot, BESIDE), met]
        meanwhile = circuit.conjunction([*happens, *(-before for before in ordered)])
        found.setdefault("", []).append(meanwhile)
        if x.kind is EventKind.READ:
            found.setdefault(setting.register(slot), []).append(circuit.both(meanwhile, setting.ends(slot)))
    made = {own: circuit.disjunction(some) for own, some in found.items()}
    return {own: literal for own, literal in made.items() if literal != FALSE}


def _unshared(graph: EventGraph, setting: Operations) -> Iterator[Event]:
    """Yield the events of threads that access what is behind `noalias` pointers."""
    for e in graph.events:
        if e.kind not in (EventKind.READ, EventKind.WRITE):
            continue
        if e.thread >= 0 and e.cell >= 0 and graph.cells[e.cell].location in setting.memory.unshared:
            yield e
