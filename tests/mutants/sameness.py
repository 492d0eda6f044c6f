"""Which names mean the same on a test.

What goes in: a test's events and a model. What comes out: the pairs of a name and a neighbour of it (`NEIGHBOURS`) that
are in every candidate execution the same set or relation, whatever the model's rules say: their literals are the same.
Where a name is replaced by one that means the same, outside recursive definitions, the test cannot tell.
"""

from __future__ import annotations

from axmem.encoder.constraints import Encoding, encode
from axmem.events.graph import EventGraph
from axmem.model.terms import Model, Op
from tests.mutants.replacements import ALL, NEIGHBOURS

Exchange = tuple[str, str]


def same(graph: EventGraph, model: Model) -> frozenset[Exchange]:
    """Return the pairs of names of a model that mean the same on a test."""
    encoding = encode(graph, model, selectable=True)
    assert encoding is not None, "there is no limit of time"
    terms = {node.name: k for k, node in enumerate(model.terms) if node.op is Op.BASE}
    terms |= {definition.name: definition.term for definition in model.definitions}
    pairs = ((one, other) for one, others in NEIGHBOURS.items() for other in others)
    return frozenset(pair for pair in pairs if _alike(encoding, terms, *pair))


def _alike(encoding: Encoding, terms: dict[str, int], one: str, other: str) -> bool:
    if one not in terms or (other != ALL and other not in terms):
        return False
    literals, size = encoding.literals, encoding.literals.size
    first, every = terms[one], [(i, j) for i in range(size) for j in range(size)]
    if other == ALL:
        executed, both = encoding.literals.executed, encoding.circuit.both
        return all(literals.pair(first, i, j) == both(executed[i], executed[j]) for i, j in every)
    second = terms[other]
    kinds = {isinstance(literals.may[term], int) for term in (first, second)}
    if kinds == {True}:
        return all(literals.member(first, i) == literals.member(second, i) for i in range(size))
    return kinds == {False} and all(literals.pair(first, i, j) == literals.pair(second, i, j) for i, j in every)
