"""What nobody else may change while the program before a change runs.

What goes in: the program before in a context, an execution of it, the order that the model calls happens-before. What
comes out: the literal that something beside the program writes what the program only reads behind a `noalias` pointer,
and does so while the program runs: neither before something that stands before the program in its thread, nor after
something that stands behind it. Such an execution has undefined behaviour. Source: [LangRef] "Parameter Attributes":
`noalias`; what is meant by a function's running is decided in docs/references.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axmem.contexts.correspondence import OperationPlace
from axmem.contexts.operations import Operations
from axmem.contexts.standing import AFTER, BEFORE, BESIDE
from axmem.encoder.circuit import FALSE
from axmem.encoder.literals import Literals
from axmem.events.graph import Event, EventGraph, EventKind

ORDER = "happens-before"
"""The name of the axiom whose relation says what is before the program, and what is after it."""


def changed_meanwhile(
    graph: EventGraph, setting: Operations, parts: Mapping[int, OperationPlace], literals: Literals
) -> int:
    """Return the literal that somebody changes what is behind a `noalias` pointer while the program runs.

    `parts` are the events of the context. Nobody does as far as is known where the model has no such order, and where
    barriers may order the context with the program.
    """
    order = next((axiom.term for axiom in literals.model.axioms if axiom.name == ORDER), None)
    if order is None or not setting.memory.unshared or setting.shape.meeting is not None:
        return FALSE
    circuit = literals.circuit
    reads = [e for e in _unshared(graph, setting) if e.index not in parts and e.kind is EventKind.READ]
    found = []
    for w in _unshared(graph, setting):
        if w.index not in parts or w.kind is not EventKind.WRITE:
            continue
        read = circuit.disjunction([literals.executed[r.index] for r in reads if r.cell == w.cell])
        ordered = []
        for e, (slot, _) in parts.items():
            ordered += [
                circuit.both(setting.stands(slot, BEFORE), literals.pair(order, w.index, e)),
                circuit.both(setting.stands(slot, AFTER), literals.pair(order, e, w.index)),
            ]
        beside = setting.stands(parts[w.index][0], BESIDE)
        happens = [literals.executed[w.index], beside, read]
        found.append(circuit.conjunction([*happens, *(-x for x in ordered)]))
    return circuit.disjunction(found)


def _unshared(graph: EventGraph, setting: Operations) -> Iterator[Event]:
    """Yield the events of threads that access what is behind `noalias` pointers."""
    for e in graph.events:
        if e.thread >= 0 and e.cell >= 0 and graph.cells[e.cell].location in setting.memory.unshared:
            yield e
