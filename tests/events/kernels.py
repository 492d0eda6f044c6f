"""Outcomes of kernels, on which both engines agree."""

from __future__ import annotations

from dataclasses import replace

from axmem.check.results import format_lanes
from axmem.check.selection import loaded
from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.solve import Row, solve
from axmem.events.conventions import conventions
from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest, ModelChoice
from axmem.model.model import Model

MODELS = {name: loaded(ModelChoice(name)) for name in ("llvm", "amdgpu", "sc")}


def graph_of(test: LitmusTest, model: Model, *, awaits: bool = True) -> EventGraph:
    return event_graph(test, replace(conventions(model), awaits=awaits))


def shown(graph: EventGraph, rows: frozenset[Row]) -> set[str]:
    def line(row: Row) -> str:
        cells = zip(graph.observed, row, strict=True)
        return "  ".join(f"{o.name}={format_lanes(lanes, o.type, graph.locations)}" for o, lanes in cells)

    return set(map(line, rows))


def outcomes(text: str, name: str) -> set[str]:
    """Return the outcomes of a kernel under a model, on which both engines agree."""
    graph = graph_of(parse(text), MODELS[name])
    solved, found = solve(graph, MODELS[name]), enumerate_outcomes(graph, MODELS[name])
    assert (solved.outcomes, solved.undefined, solved.flags) == (found.outcomes, found.undefined, found.flags)
    assert set(map(str, solved.incomplete)) == set(map(str, found.incomplete))
    return shown(graph, solved.outcomes)


def undefined(text: str, name: str = "llvm") -> set[str]:
    """Return why the behaviour of a kernel is undefined, on which both engines agree."""
    graph = graph_of(parse(text), MODELS[name])
    solved, found = solve(graph, MODELS[name]), enumerate_outcomes(graph, MODELS[name])
    assert (solved.outcomes, solved.undefined) == (found.outcomes, found.undefined)
    return set(map(str, solved.undefined))
