"""The two engines on one test under one model.

What goes in: a test and a loaded model. What comes out: a `Comparison`: what one engine found and the other did not,
empty if they agree, and whether the solver called its answer complete. An engine that fails has a difference too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from random import Random

from axmem.encoder.events import EventGraph
from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.solve import Limits, solve
from axmem.encoder.solver import Session
from axmem.encoder.unroll import Conventions, conventions, event_graph
from axmem.litmus.syntax import LitmusTest
from axmem.model.library import load
from axmem.model.terms import Model


@dataclass(frozen=True, slots=True)
class Comparison:
    """What distinguishes the engines, as lines of text; `complete` is false where a bound cut the solver's answer."""

    lines: tuple[str, ...]
    complete: bool

    @property
    def agree(self) -> bool:
        return not self.lines


class Subject:
    """A test with its events, which several models ask for."""

    def __init__(self, test: LitmusTest, graph: EventGraph | None = None) -> None:
        self.test = test
        self._graphs: dict[Conventions, EventGraph] = {} if graph is None else {Conventions(): graph}

    def graph(self, model: Model) -> EventGraph:
        """Return the events as the model has them."""
        decided = conventions(model)
        if decided not in self._graphs:
            self._graphs[decided] = event_graph(self.test, decided)
        return self._graphs[decided]


def compare(test: LitmusTest | Subject, model: Model, session: Session) -> Comparison:
    """Run both engines; where the solver is incomplete, only what it did find must be confirmed."""
    graph = (test if isinstance(test, Subject) else Subject(test)).graph(model)
    try:
        solved = solve(graph, model, Limits(), session)
    except Exception as error:
        return Comparison((f"the solver fails: {type(error).__name__}: {error}",), complete=True)
    try:
        oracle = enumerate_outcomes(graph, model)
    except Exception as error:
        return Comparison((f"the oracle fails: {type(error).__name__}: {error}",), complete=True)
    complete = not solved.incomplete
    columns = " ".join(o.name for o in graph.observed)
    lines = [
        *_differences(f"outcome ({columns})", solved.outcomes, oracle.outcomes, complete),
        *_differences("flag", solved.flags, oracle.flags, complete),
        *_differences("undefined behaviour", solved.undefined, oracle.undefined, complete),
    ]
    return Comparison(tuple(lines), complete)


def _differences(what: str, solver: Collection[object], oracle: Collection[object], complete: bool) -> Iterable[str]:
    yield from sorted(f"only the solver has {what} {x}" for x in solver if x not in oracle)
    if complete:
        yield from sorted(f"only the oracle has {what} {x}" for x in oracle if x not in solver)


def random_variants(rng: Random, name: str) -> dict[str, str]:
    """Return a random choice of a few of a model's variants."""
    switches = [v for v in load(name).variants if len(v.values) > 1]
    chosen = rng.sample(switches, min(len(switches), rng.randrange(1, 5)))
    return {v.name: rng.choice([value for value in v.values if value != v.default]) for v in chosen}
