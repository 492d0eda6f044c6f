from __future__ import annotations

from random import Random

import pytest

from axmem.convergence.cycles import Hierarchy, hierarchies, llvm_hierarchy
from axmem.convergence.graph import Dominators, FlowGraph, components, flow_graph, predecessors, preorder
from tests.convergence.graphs import VECTORS, random_graph, written_graph

GRAPHS = sorted(VECTORS["graphs"])


def written(hierarchy: Hierarchy) -> list[str]:
    found = []
    for cycle in hierarchy.within():
        depth = sum(cycle.blocks <= c.blocks for c in hierarchy.around[cycle.header])
        found.append(f"{depth} {' '.join(cycle.entries)} : {' '.join(sorted(cycle.blocks))}")
    return found


@pytest.mark.parametrize("name", GRAPHS)
def test_the_documents_graphs_have_their_hierarchies(name: str) -> None:
    graph = written_graph(VECTORS["graphs"][name]["graph"])
    assert written(llvm_hierarchy(graph)) == VECTORS["graphs"][name]["llvm"]
    found = hierarchies(graph)
    assert found.exact
    assert sorted(map(written, found.found)) == sorted(VECTORS["graphs"][name]["all"])
    # The superset that is used where there are too many searches is the set itself here.
    more = hierarchies(graph, limit=0)
    assert set(more.found) == set(found.found)
    assert not more.exact or len(more.found) == 1


def test_the_order_of_a_branch_decides_the_header() -> None:
    forth = flow_graph({"E": "PR", "P": "Q", "Q": "RS", "R": "S", "S": "PX", "X": ""})
    back = flow_graph({"E": "RP", "P": "Q", "Q": "RS", "R": "S", "S": "PX", "X": ""})
    assert llvm_hierarchy(forth).name == "R(S)"
    assert llvm_hierarchy(back).name == "P"
    assert set(hierarchies(forth).found) != {llvm_hierarchy(back)}
    assert {h.name for h in hierarchies(forth).found} == {h.name for h in hierarchies(back).found} == {"P", "R(S)"}


def test_all_hierarchies_are_within_the_superset() -> None:
    random = Random(1)
    several = 0
    for _ in range(150):
        graph = random_graph(random, most=8)
        exact, more = hierarchies(graph), hierarchies(graph, limit=0)
        assert exact.exact and set(exact.found) <= set(more.found)
        assert exact.found[0] == more.found[0] == llvm_hierarchy(graph)
        several += len(exact.found) > 1
    assert several > 20


def by_components(graph: FlowGraph, region: frozenset[str], depth: int = 1) -> list[str]:
    """Return the cycles of LLVM's search by the definition: components, and those of one without its header."""
    found = []
    order = preorder(graph.successors, graph.entry)
    before = predecessors(graph)
    places = list(graph.successors)
    for blocks in sorted(components(graph.successors, region), key=lambda c: min(map(places.index, c))):
        header = min(blocks, key=order.index)
        others = [b for b in places if b in blocks - {header} and not blocks.issuperset(before[b])]
        found.append(f"{depth} {' '.join([header, *others])} : {' '.join(sorted(blocks))}")
        found += by_components(graph, blocks - {header}, depth + 1)
    return found


def test_the_cycles_of_a_search_are_components() -> None:
    random = Random(3)
    graphs = [random_graph(random, most=most) for most in [9] * 100 + [40] * 10]
    for graph in graphs:
        assert written(llvm_hierarchy(graph)) == by_components(graph, frozenset(graph.successors))


def test_headers_stand_outermost_first() -> None:
    graph = written_graph(VECTORS["graphs"]["cycle1"]["graph"])
    assert llvm_hierarchy(graph).headers("A") == ("B", "C", "A")
    assert llvm_hierarchy(graph).headers("Exit") == ()


def test_what_the_entry_does_not_reach_takes_no_part() -> None:
    graph = flow_graph({"E": "H", "H": "HX", "X": "", "Lost": "HX"})
    assert "Lost" not in graph.successors
    assert written(llvm_hierarchy(graph)) == ["1 H : H"]


def test_dominators() -> None:
    random = Random(2)
    for _ in range(40):
        graph = random_graph(random)
        dominators = Dominators(graph)
        for above in graph.successors:
            # A block dominates those that are not reached without it.
            rest = {block: [s for s in after if s != above] for block, after in graph.successors.items()}
            without = flow_graph(rest).successors if above != graph.entry else {}
            for below in graph.successors:
                expected = below == above or below not in without
                assert dominators.dominates(above, below) == expected
                assert dominators.strictly(above, below) == (expected and above != below)


def test_predecessors_are_named_once() -> None:
    assert predecessors(flow_graph({"E": "AA", "A": "A"})) == {"E": (), "A": ("E", "A")}
