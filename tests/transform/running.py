"""Kernels before and after transformations, run."""

from __future__ import annotations

from dataclasses import replace

from axmem.check.results import format_lanes
from axmem.encoder.solve import Row, solve
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest, RegisterOf
from axmem.litmus.walk import observed
from axmem.transform.applying import Transformed, apply_all
from tests.encoder.kernels import MODELS, graph_of


def kernel_test(
    body: str, observe: str = "x, y", head: str = "kernel K(i32 %n = 3, i32 %m in {0, 1, 2, 5})"
) -> LitmusTest:
    """Return a test with a kernel of this body; all iterations are within its bound."""
    declared = "global x = 0, y = 0\nglobal <4 x i32> a = {0, 0, 0, 0}\ndeclare void @conv() convergent"
    return parse(f"litmus k\n\n{declared}\n\n{head} {{\n{body}\n}}\n\nbound 9\nobserve {observe}\nexists (true)\n")


def asked(test: LitmusTest) -> set[str]:
    """Return the registers that a test asks for."""
    return {each.register for each in observed(test) if isinstance(each, RegisterOf)}


def transformed(test: LitmusTest, apply: str, *, force: bool = False) -> tuple[LitmusTest, Transformed]:
    """Return a test with its kernel transformed, which is what its text is read as."""
    (kernel,) = test.kernels
    made = apply_all(kernel, apply, force=force, observed=asked(test))
    after = replace(test, kernels=(made.kernel,))
    assert parse(print_test(after)) == after
    return after, made


def results(test: LitmusTest, model: str = "llvm") -> set[str]:
    """Return the outcomes of a test, restricted to what it asks for and parameters; none goes beyond the bound."""
    graph = graph_of(test, MODELS[model])
    solved = solve(graph, MODELS[model])
    assert not solved.incomplete and not solved.undefined
    wanted = {f"{o.thread}:{o.register}" if isinstance(o, RegisterOf) else o.location for o in observed(test)}
    wanted |= {f"K:{p.name}" for p in test.kernels[0].parameters if p.choice}
    chosen = [n for n, each in enumerate(graph.observed) if each.name in wanted]
    assert len(chosen) == len(wanted)

    def line(row: Row) -> str:
        cells = ((graph.observed[n], row[n]) for n in chosen)
        return "  ".join(f"{o.name}={format_lanes(lanes, o.type, graph.locations)}" for o, lanes in cells)

    return set(map(line, solved.outcomes))
