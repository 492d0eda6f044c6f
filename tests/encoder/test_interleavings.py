"""Under the model `sc` the solver finds what running a test step by step finds.

The other comparisons share the events; this one shares only the parser, and so checks unrolling, cells, values,
control, final values and the axioms of sequential consistency together. `make test-long` tries more programs.
"""

from __future__ import annotations

import pytest

from axmem.encoder.limits import NO_EXECUTION
from axmem.encoder.solve import Row, solve
from axmem.encoder.solver import Session
from axmem.events.conventions import Conventions
from axmem.events.graph import EventKind
from axmem.events.unroll import event_graph
from axmem.litmus import syntax as ast
from axmem.litmus.parser import parse
from axmem.litmus.undef import shown as shown_value
from axmem.model.library import load
from tests.differential.interleaving import Lanes, Runner, from_bytes
from tests.differential.programs import Size, program
from tests.drawn import parts

CHUNK = 50
CHUNKS = 16
FIRST = 2_000_000
SESSION = Session()
Outcomes = tuple[set[Row], set[str]]


def unsuitable(test: ast.LitmusTest) -> str:
    """Say why a test cannot be compared: a step is one statement, which accesses all its bytes at once."""
    if len(test.threads) == 1:
        return ""
    graph = event_graph(test, Conventions(undef_memory=True))
    if any(e.kind is EventKind.BARRIER for e in graph.events):
        return "a barrier"
    return "elementwise" if "elementwise" in test.source.text else ""


def solved(test: ast.LitmusTest) -> Outcomes:
    graph = event_graph(test, Conventions(undef_memory=True))
    found = solve(graph, load("sc"), session=SESSION)
    assert set(found.incomplete) <= {NO_EXECUTION}  # Of an assumption that never holds.
    return set(found.outcomes), set(found.undefined)


def ran(test: ast.LitmusTest) -> Outcomes:
    """Run the test; show what the solver's outcomes show."""
    runner = Runner(test)
    places = {x.name: i for i, x in enumerate(test.locations)}
    threads = {t.name: i for i, t in enumerate(test.threads)}
    shown = [(o.observable, o.type) for o in event_graph(test, Conventions(undef_memory=True)).observed]
    rows = set()
    for state in runner.final_states():
        row: list[Lanes] = []
        for observable, type_ in shown:
            if isinstance(observable, ast.RegisterOf):
                registers = dict(state.registers[threads[observable.thread]])
                count = 2 if type_.pair else max(1, type_.lanes)
                row.append(tuple(map(shown_value, registers.get(observable.register, (0,) * count))))
            else:
                offset = (observable.index or 0) * type_.size
                content = state.memory[places[observable.location]]
                row.append(tuple(map(shown_value, from_bytes(content[offset : offset + type_.size], type_))))
        rows.add(tuple(row))
    return rows, runner.undefined


@pytest.mark.parametrize("number", parts(CHUNKS))
def test_sc_is_interleaving(number: int) -> None:
    compared = 0
    for seed in range(FIRST + number * CHUNK, FIRST + (number + 1) * CHUNK):
        test = parse(program(seed, Size(candidates=300, orders=120)))
        if unsuitable(test):
            continue
        try:
            expected = ran(test)
        except NotImplementedError:
            continue
        assert solved(test) == expected, test.source.text
        compared += 1
    assert compared >= CHUNK // 3
