from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import pytest

from axmem.convergence.cycles import Hierarchy, hierarchies
from axmem.convergence.declarative import Pair, converged_pairs, convergence_before, obstacles
from axmem.convergence.keys import Headers, Instance, classes, keys
from tests.convergence.graphs import VECTORS, random_graph, random_path, written_graph

TABLES = VECTORS["tables"]


class Table:
    """A table of the document: paths, and the names of their instances."""

    def __init__(self, lanes: list[str]) -> None:
        self.names = {Instance(i, k): n for i, lane in enumerate(lanes) for k, n in enumerate(lane.split())}
        self.instances = {name: instance for instance, name in self.names.items()}
        self.paths = [[name.rstrip("'0123456789") for name in lane.split()] for lane in lanes]

    def columns(self, text: str) -> set[frozenset[Instance]]:
        return {frozenset(self.instances[name] for name in column.split()) for column in text.split("|")}


def of_header(table: Any) -> Hierarchy:
    graph = written_graph(VECTORS["graphs"][table["graph"]]["graph"])
    (found,) = [h for h in hierarchies(graph).found if h.cycles[0].header == table["header"]]
    return found


@pytest.mark.parametrize("table", TABLES, ids=[t["name"] for t in TABLES])
def test_the_documents_tables(table: Any) -> None:
    hierarchy, drawn = of_header(table), Table(table["lanes"])
    columns = drawn.columns(table["columns"])
    headers = hierarchy.all_headers()
    assert {frozenset(column) for column in classes(drawn.paths, headers).values()} == columns
    assert converged_pairs(drawn.paths, headers) == pairs(columns)
    for apart, header in table["because"].items():
        a, b = (drawn.instances[name] for name in apart.split("!~"))
        assert drawn.names[obstacles(drawn.paths, headers)[frozenset((a, b))]] == header


def test_nothing_keeps_converged_instances_apart() -> None:
    drawn = Table(TABLES[0]["lanes"])
    found = obstacles(drawn.paths, of_header(TABLES[0]).all_headers())
    assert frozenset((drawn.instances["H1"], drawn.instances["H2"])) not in found


def test_the_documents_convergence_before() -> None:
    table = VECTORS["before"]
    drawn = Table(table["lanes"])
    before = convergence_before(drawn.paths, pairs(drawn.columns(table["converged"])))
    for edge in table["edges"].split("|"):
        a, b = (drawn.instances[name] for name in edge.split())
        assert b in before[a] and a not in before[b]


def test_keys_are_the_declarative_definition_on_random_paths() -> None:
    assert compared(Random(3), 120) > 10


def pairs(columns: set[frozenset[Instance]]) -> set[Pair]:
    return {frozenset(pair) for column in columns for pair in combinations(column, 2)}


def compared(random: Random, count: int) -> int:
    """Compare keys with the definition on so many (graph, hierarchy, paths); return how many graphs had several."""
    several = done = 0
    while done < count:
        graph = random_graph(random)
        found = hierarchies(graph).found
        several += len(found) > 1
        for hierarchy in found:
            paths = [random_path(random, graph) for _ in range(random.randint(2, 4))]
            compare(paths, hierarchy.all_headers())
            done += 1
    return several


def compare(paths: list[list[str]], headers: Headers) -> None:
    by_key = {frozenset(c) for c in classes(paths, headers).values()}
    converged = converged_pairs(paths, headers)
    assert converged == pairs(by_key), (paths, headers)
    assert all(len({i.lane for i in column}) == len(column) for column in by_key), (paths, headers)
    assert all(a not in after for a, after in convergence_before(paths, converged).items()), (paths, headers)
    assert all(len(set(keys(path, headers))) == len(path) for path in paths), (paths, headers)
