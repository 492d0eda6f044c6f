"""Natural loops by back edges are the cycles of the hierarchy, where that is reducible, and where not, both say so."""

from __future__ import annotations

from random import Random

import pytest

from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.graph import FlowGraph
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import Branch, Case, Return, Switch, Terminator
from axmem.litmus.natural import irreducible, natural_loops
from axmem.litmus.syntax import I1, I32, Number
from tests.convergence.graphs import random_graph, written_graph


def control_flow_of(graph: FlowGraph) -> ControlFlow:
    """Return empty blocks with the edges of a graph."""

    def terminator(after: tuple[str, ...]) -> Terminator:
        if not after:
            return Return()
        if len(after) < 3:
            return Branch(after, Number(1, I1) if len(after) == 2 else None)
        cases = tuple(Case(Number(value, I32), block) for value, block in enumerate(after[1:]))
        return Switch(Number(0, I32), after[0], cases)

    return ControlFlow(tuple(KernelBlock(name, (), (), terminator(after)) for name, after in graph.successors.items()))


def compared(graph: FlowGraph) -> bool:
    """Compare the two accounts of a graph; return whether it is reducible."""
    flow = control_flow_of(graph)
    cycles = list(llvm_hierarchy(graph).within())
    reducible = all(cycle.reducible for cycle in cycles)
    assert any(irreducible(flow, name) for name in graph.successors) != reducible
    loops = {(loop.header, loop.blocks) for loop in natural_loops(flow)}
    if reducible:
        assert loops == {(cycle.header, cycle.blocks) for cycle in cycles}
        for loop in natural_loops(flow):
            back = {b for b in loop.blocks if loop.header in graph.successors[b]}
            assert set(loop.latches) == back
    return reducible


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("E: H; H: H X; X:", {"H": (("H",), "H")}),
        ("E: H; H: B X; B: L; L: H; X:", {"H": (("L",), "BHL")}),
        ("E: H; H: A B; A: H; B: H X; X:", {"H": (("A", "B"), "ABH")}),
        ("E: H; H: I; I: I L; L: H X; X:", {"H": (("L",), "HIL"), "I": (("I",), "I")}),
        # Entered at A and at B: no block of it dominates the others.
        ("E: A B; A: B; B: A X; X:", {}),
    ],
)
def test_headers_latches_and_blocks(text: str, loops: dict[str, tuple[tuple[str, ...], str]]) -> None:
    graph = written_graph(text)
    found = natural_loops(control_flow_of(graph))
    assert {loop.header: (loop.latches, "".join(sorted(loop.blocks))) for loop in found} == loops
    compared(graph)


def test_random_graphs_have_the_loops_of_their_hierarchy() -> None:
    reducible = [compared(random_graph(Random(seed))) for seed in range(1000)]
    assert 200 < sum(reducible) < 900
