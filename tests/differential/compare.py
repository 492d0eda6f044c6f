"""The engines on one test under one model: the solver and, where they are fit, tables, each against brute force.

The solver and tables answer about one encoding: that it is made the same way twice needs no second look.

What goes in: a test and a loaded model. What comes out: a `Comparison`: what one engine found and the other did not,
empty if they agree, and whether they called their answers complete. An engine that fails has a difference too.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from axmem.encoder.constraints import encode
from axmem.encoder.engines import Engine
from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.solve import TOO_MANY, UNLIMITED, Deadline, Questions, Solved, answer
from axmem.encoder.solver import Session
from axmem.events.conventions import Conventions, conventions
from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.litmus.syntax import LitmusTest
from axmem.model.library import load
from axmem.model.model import Model

ENGINES = (("solver", Engine.Z3), ("table", Engine.TABLE))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What distinguishes the engines, as lines of text; `complete` is false where a bound cut an answer that
    brute force has whole."""

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


def answers(graph: EventGraph, model: Model, session: Session) -> list[tuple[str, Solved]]:
    """Return what the solver finds, and what tables do where there are few combinations of choices."""
    encoding = encode(graph, model)
    assert encoding is not None
    questions = Questions(tuple(range(len(encoding.lanes))))
    found = [
        (name, answer(encoding, questions, UNLIMITED, Deadline(None), session, engine)) for name, engine in ENGINES
    ]
    return [(name, solved) for name, solved in found if TOO_MANY not in solved.incomplete]


def compare(test: LitmusTest | Subject, model: Model, session: Session) -> Comparison:
    """Run the engines; where one is incomplete, only what it did find must be confirmed."""
    graph = (test if isinstance(test, Subject) else Subject(test)).graph(model)
    try:
        found = answers(graph, model, session)
    except Exception as error:
        return Comparison((f"the solver fails: {type(error).__name__}: {error}",), complete=True)
    try:
        oracle = enumerate_outcomes(graph, model)
    except Exception as error:
        return Comparison((f"the oracle fails: {type(error).__name__}: {error}",), complete=True)
    columns = " ".join(o.name for o in graph.observed)
    lines: dict[str, None] = {}
    for name, solved in found:
        for what, here, there in (
            (f"outcome ({columns})", solved.outcomes, oracle.outcomes),
            ("flag", solved.flags, oracle.flags),
            ("undefined behaviour", solved.undefined, oracle.undefined),
        ):
            lines |= dict.fromkeys(sorted(f"only the {name} has {what} {x}" for x in here - there))
            if not solved.incomplete:
                lines |= dict.fromkeys(sorted(f"only the oracle has {what} {x}" for x in there - here))
    whole = all(set(solved.incomplete) <= set(oracle.incomplete) for _, solved in found)
    return Comparison(tuple(lines), whole)


def random_variants(rng: Random, name: str) -> dict[str, str]:
    """Return a random choice of a few of a model's variants."""
    switches = [v for v in load(name).variants if len(v.values) > 1]
    chosen = rng.sample(switches, min(len(switches), rng.randrange(1, 5)))
    return {v.name: rng.choice([value for value in v.values if value != v.default]) for v in chosen}
