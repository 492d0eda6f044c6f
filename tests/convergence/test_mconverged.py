from __future__ import annotations

from itertools import product
from random import Random

import networkx

from axmem.convergence.cycles import hierarchies, llvm_hierarchy
from axmem.convergence.graph import FlowGraph, flow_graph
from axmem.convergence.keys import keys
from axmem.convergence.mconverged import disagreements, joins, reported
from axmem.convergence.unrolling import unrolled
from tests.convergence.graphs import VECTORS, random_graph, random_path, written_graph

PQRS = written_graph(VECTORS["graphs"]["pqrs"]["graph"])


def test_where_the_documents_figures_depend_on_the_hierarchy() -> None:
    found = hierarchies(PQRS)
    # A branch at Q parts lanes that come from one entry; R is the header in one hierarchy, not in the other.
    assert "S" in disagreements(PQRS, found, {"Q"}, 3)
    # A branch at Entry lets one lane enter at P and another at R.
    assert {"P", "Q", "R", "S"} == set(disagreements(PQRS, found, {"Entry"}, 3))
    # If only S diverges, lanes part after whole rounds: P, not R, is where they come again.
    assert "Exit" not in disagreements(PQRS, found, {"Entry", "Q", "S"}, 3)
    assert disagreements(PQRS, found, set(), 3) == {}


def test_the_paths_of_a_disagreement_are_converged_in_some_hierarchies_only() -> None:
    random = Random(5)
    seen = 0
    for _ in range(60):
        graph = random_graph(random, 6)
        found = hierarchies(graph)
        branches = {b for b, after in graph.successors.items() if len(set(after)) > 1}
        for block, witness in disagreements(graph, found, branches, 2).items():
            ends = [[keys(path, h.all_headers())[-1] for path in witness.paths] for h in found.found]
            assert all(end.block == block for both in ends for end in both)
            assert tuple(i for i, (a, b) in enumerate(ends) if a == b) == witness.converged_in
            assert 0 < len(witness.converged_in) < len(found.found)
            seen += 1
    assert seen > 10


def test_the_criterion_on_the_documents_figures() -> None:
    (one_cycle,) = (h for h in hierarchies(PQRS).found if h.name == "P")
    (nested,) = (h for h in hierarchies(PQRS).found if h.name == "R(S)")
    every = set(PQRS.successors)
    # Branch Q, join S, entry R between them: R is on a diverged path, unless P dominates, which it does not.
    for hierarchy in (one_cycle, nested):
        assert reported(PQRS, hierarchy, {"Q"}) == every - {"P", "Q", "R", "S"}
        assert reported(PQRS, hierarchy, {"Entry"}) == every - {"P", "Q", "R", "S"}
        assert reported(PQRS, hierarchy, ()) == every


def test_reducible_graphs_are_m_converged() -> None:
    graph = written_graph(VECTORS["graphs"]["natural"]["graph"])
    assert reported(graph, llvm_hierarchy(graph), {"H", "L"}) == set(graph.successors)
    assert disagreements(graph, hierarchies(graph), {"H", "L"}, 3) == {}


def test_joins_are_where_disjoint_paths_lead() -> None:
    random = Random(6)
    for _ in range(60):
        graph = random_graph(random, 7)
        for branch in graph.successors:
            assert joins(graph, branch) == disjoint(graph, branch), (graph, branch)


def disjoint(graph: FlowGraph, branch: str) -> set[str]:
    """Return the joins by enumerating simple paths."""
    edges: networkx.DiGraph[str] = networkx.DiGraph()
    edges.add_nodes_from(graph.successors)
    edges.add_edges_from((b, s) for b, after in graph.successors.items() for s in after if b != branch)
    edges.add_edges_from(("start", s) for s in graph.successors[branch])
    found = set()
    for join in graph.successors:
        paths = list(networkx.all_simple_paths(edges, "start", join)) if "start" in edges else []
        inner = [set(path[1:-1]) for path in paths]
        if any(not inner[i] & inner[k] for i, k in product(range(len(paths)), repeat=2) if i < k):
            found.add(join)
    return found


def unrolled_as_paths(random: Random, count: int) -> None:
    """Compare the nodes of random graphs, unrolled, with the keys of random paths; assert that they are acyclic."""
    for _ in range(count):
        graph = random_graph(random, 6)
        headers = [hierarchy.all_headers() for hierarchy in hierarchies(graph).found]
        nodes = unrolled(graph, headers, 3)
        place = {node: number for number, node in enumerate(nodes.successors)}
        assert all(place[node] < place[after] for node, many in nodes.successors.items() for after in many)
        for _ in range(5):
            path = random_path(random, graph, 12)
            node = nodes.entry
            for number, keyed in enumerate(zip(*(keys(path, h) for h in headers), strict=True)):
                if number:
                    if keyed not in nodes.successors[node]:
                        assert node in nodes.cut
                        break
                    node = keyed
                assert node == keyed


def test_unrolled_nodes_are_the_keys_of_paths() -> None:
    unrolled_as_paths(Random(7), 60)


def test_a_bound_counts_executions_of_a_header_since_its_cycle_was_entered() -> None:
    graph = flow_graph({"E": "H", "H": "IX", "I": "IH", "X": ""})
    nodes = unrolled(graph, [llvm_hierarchy(graph).all_headers()], 2)
    # H runs at most twice; I at most twice for each time that H was left for it.
    assert [node[0].block for node in nodes.successors].count("H") == 2
    assert [node[0].block for node in nodes.successors].count("I") == 4
    assert {node[0].block for node in nodes.cut} == {"I"}
