"""Loops that wait, in the corpus: their last iteration alone has the outcomes of two and of three.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.graph import flow_graph
from axmem.encoder.solve import solve
from axmem.events.awaits import awaits
from axmem.litmus.blocks import control_flow
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest
from tests.corpus import corpus_test
from tests.drawn import some
from tests.events.kernels import MODELS, graph_of
from tests.paths import CORPUS_TESTS


def waiting(test: LitmusTest) -> bool:
    """Say whether some kernel of a test has a loop that only waits."""
    flows = map(control_flow, test.kernels)
    return any(awaits(flow, llvm_hierarchy(flow_graph(flow.successors))) for flow in flows)


WAITING = [path for path in CORPUS_TESTS if waiting(corpus_test(path))]


def test_there_are_flags_locks_and_tickets() -> None:
    assert {"Await+flag", "Await+lock", "Await+ticket", "Await+chain"} <= {path.stem for path in WAITING}


@pytest.mark.parametrize("path", some(WAITING, of=4), ids=lambda path: path.stem)
def test_a_loop_that_waits_has_the_outcomes_of_more_iterations(path: Path) -> None:
    test, model = corpus_test(path), MODELS["llvm"]
    exact = solve(graph_of(test, model), model)
    assert not exact.incomplete
    for bound in (2, 3):
        cut = solve(graph_of(replace(test, bound=bound), model, awaits=False), model)
        assert cut.incomplete
        assert (cut.outcomes, cut.undefined) == (exact.outcomes, exact.undefined)


@pytest.mark.parametrize(("load", "waits"), [
    ("load atomic f acquire", True), ("load atomic volatile f acquire", False), ("load f", False),
    ("load volatile f", False),
])  # fmt: skip
def test_every_iteration_counts_of_a_loop_that_reads_volatile_memory(load: str, waits: bool) -> None:
    """Such a read is seen from outside: its iterations are followed one by one, and so are those of plain loads."""
    text = (
        "litmus w\nglobal f = 0\nkernel K() workgroups 2 {\n  r = 0\n  while r == 0 {\n"
        f"    r = {load}\n  }}\n}}\nobserve f\n"
    )
    assert waiting(parse(text)) is waits
