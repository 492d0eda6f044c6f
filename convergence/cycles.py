"""Cycles of a control flow graph, and the hierarchies that they form ([ConvergenceAndUniformity]).

What goes in: a `FlowGraph`. What comes out: the `Hierarchy` that LLVM builds, or all that some depth-first search
gives. A cycle is a largest set of blocks on common closed paths; its header is its first block in the search; its
children are the cycles of what remains without the header. Only where a set has several entries the search decides.
Invariant: equal hierarchies are equal values, whatever search they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from math import factorial, prod

from axmem.convergence.graph import FlowGraph, components, predecessors, preorder
from axmem.front.records import dataclass, field

EXACT = 2**12
"""The number of depth-first searches up to which all hierarchies of a graph are found exactly."""


@dataclass(frozen=True, slots=True)
class ControlCycle:
    """A cycle: its header, its entries (the header first), all its blocks, and the cycles inside it."""

    header: str
    entries: tuple[str, ...]
    blocks: frozenset[str]
    children: tuple[ControlCycle, ...]

    @property
    def reducible(self) -> bool:
        """Whether it is entered at its header alone."""
        return len(self.entries) == 1

    def within(self) -> Iterator[ControlCycle]:
        """Return this cycle and those inside it, outer ones first."""
        yield self
        for child in self.children:
            yield from child.within()


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The outermost cycles of a graph, and around each block its cycles, outermost first."""

    cycles: tuple[ControlCycle, ...]
    around: Mapping[str, tuple[ControlCycle, ...]] = field(compare=False, hash=False, repr=False)

    def headers(self, block: str) -> tuple[str, ...]:
        """Return the headers of the cycles around a block, outermost first."""
        return tuple(cycle.header for cycle in self.around[block])

    def all_headers(self) -> dict[str, frozenset[str]]:
        """Return the headers of the cycles around each block."""
        return {block: frozenset(c.header for c in cycles) for block, cycles in self.around.items()}

    @property
    def name(self) -> str:
        """The cycles as their headers, those inside another in parentheses after it."""
        return _written(self.cycles) or "no cycle"

    def within(self) -> Iterator[ControlCycle]:
        """Return all cycles, outer ones first."""
        for cycle in self.cycles:
            yield from cycle.within()


@dataclass(frozen=True, slots=True)
class Hierarchies:
    """All hierarchies of a graph, LLVM's first; if not `exact`, some that no search gives may be among them."""

    found: tuple[Hierarchy, ...]
    exact: bool


def llvm_hierarchy(graph: FlowGraph) -> Hierarchy:
    """Return the hierarchy that LLVM builds, whose search takes the last successor first."""
    return _Search(graph).of_order(preorder(graph.successors, graph.entry))


def hierarchies(graph: FlowGraph, limit: int = EXACT) -> Hierarchies:
    """Return the hierarchies that depth-first searches give, one for each order of every block's successors.

    They are exact if there are at most `limit` orders. Otherwise they are a superset: any entry of a cycle that has a
    predecessor in the cycle around it may be the header, and cycles beside each other choose independently.
    """
    first = llvm_hierarchy(graph)
    if all(cycle.reducible for cycle in first.within()):
        return Hierarchies((first,), exact=True)
    search = _Search(graph)
    choices = [tuple(dict.fromkeys(after)) for after in graph.successors.values()]
    exact = prod(factorial(len(after)) for after in choices) <= limit
    if exact:
        orders = product(*(permutations(after) for after in choices))
        searched = (dict(zip(graph.successors, order, strict=True)) for order in orders)
        distinct = dict.fromkeys(tuple(preorder(successors, graph.entry)) for successors in searched)
        found: Iterable[Hierarchy] = (search.of_order(order) for order in distinct)
    else:
        found = search.of_entries()
    return Hierarchies(tuple(dict.fromkeys([first, *found])), exact)


class _Search:
    """Builds hierarchies of one graph."""

    def __init__(self, graph: FlowGraph) -> None:
        self._graph = graph
        self._before = predecessors(graph)
        self._components: dict[frozenset[str], list[frozenset[str]]] = {}
        self._place = {block: index for index, block in enumerate(graph.successors)}

    def of_order(self, order: Sequence[str]) -> Hierarchy:
        """Return the hierarchy of the depth-first search that visits blocks in this order.

        A block is a header if one that was found below it leads back to it; its cycle is what comes back to it by
        blocks below it. A last header has no other inside, so that later cycles take those before them in whole.
        """
        place = {block: index for index, block in enumerate(order)}
        before = [[place[b] for b in self._before[block]] for block in order]
        first = [self._place[block] for block in order]
        outermost = list(range(len(order)))
        cycles: dict[int, ControlCycle] = {}
        for header, end in reversed(list(enumerate(self._ends(order)))):
            work = [b for b in before[header] if header <= b < end]
            if not work:
                continue
            inside, entries = {header: None}, set[str]()
            while work:
                part = outermost[work.pop()]
                if part in inside:
                    continue
                inside[part] = None
                for block in cycles[part].entries if part in cycles else (order[part],):
                    above = before[place[block]]
                    work += [b for b in above if header <= b < end]
                    if any(not header <= b < end for b in above):
                        entries.add(block)
            first[header] = min(first[part] for part in inside)
            children = tuple(cycles.pop(p) for p in sorted(inside, key=first.__getitem__) if p in cycles)
            blocks = frozenset(order[part] for part in inside).union(*(child.blocks for child in children))
            ordered = (order[header], *sorted(entries, key=self._place.__getitem__))
            cycles[header] = ControlCycle(order[header], ordered, blocks, children)
            for block in blocks:
                outermost[place[block]] = header
        return self._hierarchy(tuple(cycles[header] for header in sorted(cycles, key=first.__getitem__)))

    def _ends(self, order: Sequence[str]) -> list[int]:
        """Return for each place of the order that after the last block which the search found below the block there."""
        ends = [len(order)] * len(order)
        path: list[int] = []
        for index, block in enumerate(order):
            # A block was found from the last one on the path that leads to it; the search had done with those after it.
            while path and block not in self._graph.successors[order[path[-1]]]:
                ends[path.pop()] = index
            path.append(index)
        return ends

    def of_entries(self) -> Iterator[Hierarchy]:
        """Return a hierarchy for each choice of headers among entries."""
        blocks = frozenset(self._graph.successors)
        return map(self._hierarchy, self._cycles(blocks, blocks))

    def _hierarchy(self, cycles: tuple[ControlCycle, ...]) -> Hierarchy:
        around: dict[str, list[ControlCycle]] = {block: [] for block in self._graph.successors}
        for cycle in (inner for outer in cycles for inner in outer.within()):
            for block in cycle.blocks:
                around[block].append(cycle)
        return Hierarchy(cycles, {block: tuple(found) for block, found in around.items()})

    def _cycles(self, region: frozenset[str], outer: frozenset[str]) -> Iterator[tuple[ControlCycle, ...]]:
        """Return the cycles of `region` for each choice of headers; `outer` is the cycle that it is a part of."""
        options = []
        for blocks in self._parts(region):
            entries = self._entries(blocks)
            options.append(
                [
                    ControlCycle(header, (header, *(e for e in entries if e != header)), blocks, children)
                    for header in entries
                    if any(b in outer - blocks for b in self._before[header])
                    for children in self._cycles(blocks - {header}, blocks)
                ]
            )
        return product(*options)

    def _parts(self, region: frozenset[str]) -> list[frozenset[str]]:
        """Return the components of a region in the order of the graph."""
        found = self._components.get(region)
        if found is None:
            found = components(self._graph.successors, region)
            found.sort(key=lambda part: min(self._place[block] for block in part))
            self._components[region] = found
        return found

    def _entries(self, region: frozenset[str]) -> list[str]:
        """Return the blocks of a region with a predecessor outside, in the order of the graph; the entry is one."""
        found = (b for b in region if b == self._graph.entry or any(p not in region for p in self._before[b]))
        return sorted(found, key=self._place.__getitem__)


def _written(cycles: Iterable[ControlCycle]) -> str:
    return " ".join(c.header + (f"({_written(c.children)})" if c.children else "") for c in cycles)
