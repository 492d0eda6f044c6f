"""Graphs for tests: the document's, and random ones with paths of lanes."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from axmem.convergence.graph import FlowGraph, flow_graph
from tests.paths import ROOT

VECTORS: dict[str, Any] = json.loads((ROOT / "tests" / "data" / "convergence.json").read_text(encoding="utf-8"))
"""The graphs, hierarchies and tables of the documents.

A cycle is `DEPTH ENTRIES : BLOCKS`, the header first among the entries. Each column of a table is a class of converged
instances; instances of one block that stand in two columns are not converged, and `because` names the header's
instance that keeps some of them apart.
"""


def written_graph(text: str) -> FlowGraph:
    """Return the graph `A: B C; B: …`."""
    parts = (part.split(":") for part in text.split(";"))
    return flow_graph({block.strip(): after.split() for block, after in parts})


def random_graph(random: Random, most: int = 9) -> FlowGraph:
    """Return a graph of a few blocks; the last ends the function, no edge leads to the entry."""
    count = random.randint(3, most)
    names = [f"b{number}" for number in range(count)]
    near = random.random() < 0.5

    def target(number: int) -> str:
        low, high = (max(1, number - 3), min(count - 1, number + 2)) if near else (1, count - 1)
        return names[random.randint(low, high)]

    found = {}
    for number, name in enumerate(names):
        degree = 0 if number == count - 1 else random.choices((1, 2, 3), (4, 8, 1))[0]
        found[name] = [target(number) for _ in range(degree)]
    return flow_graph(found)


def random_path(random: Random, graph: FlowGraph, most: int = 14) -> list[str]:
    """Return the blocks that a lane may execute, at most so many."""
    path = [graph.entry]
    while len(path) < most and graph.successors[path[-1]]:
        path.append(random.choice(graph.successors[path[-1]]))
    return path
