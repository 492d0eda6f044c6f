"""A graph unrolled up to a bound, with keys as its nodes.

What goes in: a graph, the headers around its blocks in one or several hierarchies, a bound. What comes out: an acyclic
graph in which two paths meet where their keys are equal, under every one of the hierarchies. Invariant: two lanes'
instances are converged under each hierarchy if and only if they are the same node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from axmem.convergence.graph import FlowGraph
from axmem.convergence.keys import Headers, Key, next_key
from axmem.front.clock import check
from axmem.front.records import dataclass

Node: TypeAlias = tuple[Key, ...]
"""The keys of an instance, one for each hierarchy."""


@dataclass(frozen=True, slots=True)
class Unrolled:
    """The nodes with what follows them, in topological order; `cut` are those after which some path goes beyond."""

    successors: Mapping[Node, tuple[Node, ...]]
    cut: frozenset[Node]

    @property
    def entry(self) -> Node:
        """The node in which every lane begins."""
        return next(iter(self.successors))


def unrolled(graph: FlowGraph, hierarchies: Sequence[Headers], bound: int) -> Unrolled:
    """Return the paths on which no header is executed more than `bound` times per entry into its cycle."""
    first = tuple(next_key(graph.entry, None, headers) for headers in hierarchies)
    found: dict[Node, tuple[Node, ...]] = {}
    cut: set[Node] = set()
    order: list[Node] = []
    stack: list[tuple[Node, bool]] = [(first, False)]
    while stack:
        check()
        node, done = stack.pop()
        if done:
            order.append(node)
        elif node not in found:
            after = [
                tuple(next_key(block, key, headers) for key, headers in zip(node, hierarchies, strict=True))
                for block in dict.fromkeys(graph.successors[node[0].block])
            ]
            kept = tuple(n for n in after if not any(is_beyond(key, bound) for key in n))
            if len(kept) < len(after):
                cut.add(node)
            found[node] = kept
            stack.append((node, True))
            stack.extend((n, False) for n in kept)
    return Unrolled({node: found[node] for node in reversed(order)}, frozenset(cut))


def is_beyond(key: Key, bound: int) -> bool:
    """Whether a block is a header that was executed more than `bound` times since its cycle was entered."""
    count, last = 1, key.last
    while last is not None:
        count += last.block == key.block
        last = last.last
    return count > bound
