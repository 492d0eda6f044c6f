"""The shapes of contexts, the places and values of their operations, and the space that they are of.

What goes in: both programs' events, a model, a number of operations. What comes out: the shapes of so many operations,
none twice that differ in the order of further threads; what contexts access and write; the widest space of operations
of which the model speaks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from axmem.events.graph import EventGraph
from axmem.events.values import Constant, ReadOf
from axmem.front.records import replace
from axmem.litmus.words import AS_PREFIX, AV_PREFIX, NONE_TAG, AddressSpace, Tag
from axmem.model.model import Model
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.constructs import widest
from axmem.refinement.bounded.skeleton import shapes as partitions
from axmem.refinement.contexts.placeholders import APART, Meeting, Memory, Shape
from axmem.refinement.contexts.places import Place, pieces, wholes

ELSE = "else"
"""A suffix that the programs do not have, for each prefix that they have."""


def shapes(size: int, threads: Sequence[str], meeting: Meeting | None = None) -> Iterator[Shape]:
    """Yield the ways to share so many operations: before and after each thread, and among further threads, which may
    take part in a meeting."""
    for counts in product(range(size + 1), repeat=2 * len(threads)):
        left = size - sum(counts)
        if left < 0:
            continue
        first = dict(zip(threads, counts[: len(threads)], strict=True))
        last = dict(zip(threads, counts[len(threads) :], strict=True))
        for beside in partitions(left) if left else ((),):
            yield Shape(first, last, tuple(beside), meeting)


def anywhere(size: int, threads: Sequence[str]) -> Shape:
    """Return the shape of so many operations of which it is open where they stand."""
    return Shape({}, {}, (1,) * size, around=tuple(threads))


def memory_of(graphs: Sequence[EventGraph], known: set[str]) -> Memory:
    """Return what contexts access and write beside two programs; `known` are the locations that they may access."""
    found = (*pieces(*graphs), *wholes(*graphs))
    places = tuple(p for p in found if p.location in known and p.space is not AddressSpace.PRIVATE)
    written = {e.value.value for g in graphs for e in g.events if isinstance(e.value, Constant)}
    numbers = {v for v in written if isinstance(v, int) and v < APART}
    fresh = max((v for v in numbers if v < 100), default=0) + 1
    return Memory(places, fresh, _decides(graphs))


def _decides(graphs: Sequence[EventGraph]) -> bool:
    """Whether what is read decides something: which way a program goes, or what it computes."""
    for graph in graphs:
        if any(choice.expr is not None for choice in graph.choices) or graph.requires or graph.undefined:
            return True
        if any(e.address_reads for e in graph.events):
            return True
        values = [e.value for e in graph.events] + [lane for o in graph.observed for lane in o.lanes]
        if any(v is not None and not isinstance(v, Constant | ReadOf) for v in values):
            return True
    return False


def space_of(model: Model, graphs: Sequence[EventGraph], places: Sequence[Place]) -> Bound:
    """Return the widest space of operations of which a model speaks, with the tags that two programs carry."""
    used = {tag for graph in graphs for e in graph.events for tag in e.tags}
    named = {t for t in used if t[0] not in (AS_PREFIX, AV_PREFIX)}
    found = widest([model], max(1, len(places)))
    tags = {*named, *((prefix, ELSE) for prefix, _ in named)} if found.any_tags else set[Tag]()
    return replace(
        found,
        tags=tuple(sorted({*found.tags, *tags})),
        none=found.none or any(NONE_TAG in e.tags for g in graphs for e in g.events),
        lds=any(p.space is AddressSpace.LDS for p in places),
        one_as="OneAs" in model.base_names and _apart(graphs, places),
    )


def _apart(graphs: Sequence[EventGraph], places: Sequence[Place]) -> bool:
    """Whether programs tell address spaces apart: they have memory in several, tags that name one, or one-as scopes."""
    spaces = {place.space for place in places}
    named = (e.one_as or any(prefix == AS_PREFIX for prefix, _ in e.tags) for g in graphs for e in g.events)
    return len(spaces) > 1 or any(named)
