"""A test in which something is open, under a model, as one circuit.

What goes in: a test's events, its `Openings`, a model. What comes out: an `OpenEncoding`: the clauses that its
consistent executions satisfy, in the circuit of the openings, and the words of what is compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.encoder.bounds import Bounds, bounds
from axmem.encoder.circuit import Circuit
from axmem.encoder.constraints import assert_axiom, may_be_undef, refuse_unsupported, undef_of
from axmem.encoder.execution import EncodingSettings
from axmem.encoder.opened import OpenCandidate, OpenedLiterals
from axmem.encoder.openings import Openings
from axmem.encoder.statics import check_foreign, check_meanings, statics
from axmem.encoder.valued import ValuedExecution
from axmem.encoder.words import Word
from axmem.events.graph import EventGraph, Observed
from axmem.front.records import dataclass
from axmem.model.model import Model


@dataclass(frozen=True, slots=True)
class OpenEncoding:
    """The circuit of a test's consistent executions where something is open; `beyond` and `undefined` as `Encoding`."""

    circuit: Circuit
    candidate: OpenCandidate
    literals: OpenedLiterals
    lanes: tuple[Word, ...]
    undefined: dict[str, int]
    beyond: int


def encode_open(graph: EventGraph, model: Model, openings: Openings, known: Bounds | None = None) -> OpenEncoding:
    """Build the circuit of a test's consistent executions, in that of its openings; `known` are its bounds.

    Coherence orders all writes to a cell. What is compared is what the graph observes, lane by lane.
    """
    refuse_unsupported(model)
    check_meanings(model, "the solver", graph.levels)
    check_foreign(graph, model)
    circuit = openings.circuit
    found = known or bounds(graph, model, statics(graph), prune=True, spare=True, openings=openings)
    settings = EncodingSettings("Fin" not in model.base_names, thin_air=False)
    candidate = OpenCandidate(graph, found, openings, may_be_undef(model, found), settings)

    def primitive(name: str, i: int, j: int) -> int:
        return candidate.source(i, j) if name == "rf" else candidate.coherence(i, j)

    literals = OpenedLiterals(model, found, openings, candidate.executed, primitive)
    candidate.constrain_reads(undef_of(literals, candidate))
    lanes = tuple(word for o in graph.observed for word in shown(candidate, o))
    behaviour = candidate.undefined_behaviour()
    candidate.tie()
    candidate.constrain_control()
    for axiom in model.axioms:
        if not axiom.flag:
            assert_axiom(literals, axiom)
    candidate.order_all_writes()
    candidate.constrain_orders()
    if literals.unproved:
        circuit.cut_cycles()
    beyond = circuit.disjunction([candidate.guard(each.guard) for each in graph.beyond])
    return OpenEncoding(circuit, candidate, literals, lanes, behaviour, beyond)


def shown(candidate: ValuedExecution, observed: Observed) -> Iterator[Word]:
    """Yield the words of the lanes of what is compared."""
    bits = observed.type.element.bits
    return (candidate.value(lane).within(bits) for lane in observed.lanes)
