"""Threads that change places: outcomes made of one order are those that every engine finds without."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from axmem.check.results import outcomes, result_of
from axmem.encoder.engines import Engine
from axmem.encoder.solve import Limits, solve
from axmem.encoder.symmetry import classes, expanded
from axmem.encoder.unroll import events_under
from axmem.litmus.parser import parse
from axmem.model.library import load

BODIES = (
    "r0 = load atomic x monotonic\n  r1 = load atomic y acquire",
    "store atomic 1, x release\n  r0 = load atomic y monotonic",
    "r0 = atomicrmw add x, 1 monotonic",
    "r0 = load x\n  store 1, y",
    "r0 = load atomic x acquire\n  if r0 == 1 {\n    store atomic 2, y monotonic\n  }",
    'r0 = load atomic x syncscope("workgroup") acquire\n  r1 = load y',
)
PLACES = ("", " @ workgroup 0", " @ workgroup 1", " @ agent 1")


def program(bodies: list[str], places: list[str]) -> str:
    threads = "".join(
        f"thread P{n}{place} {{\n  {body}\n}}\n" for n, (body, place) in enumerate(zip(bodies, places, strict=True))
    )
    return f"litmus T\nglobal x = 0, y = 0\n{threads}exists (P0:r0=1)\n"


def found(text: str) -> list[tuple[tuple[int, ...], ...]]:
    test = parse(text)
    return [*classes(test, events_under(test, load("amdgpu")))]


def test_threads_with_the_same_statements_are_a_class() -> None:
    assert found(program([BODIES[2]] * 3, [""] * 3)) == [((0,), (1,), (2,))]
    assert found(program([BODIES[0], BODIES[1], BODIES[0]], [""] * 3)) == [((0, 1), (3, 4))]


@pytest.mark.parametrize(
    "text",
    [
        # A third thread is beside one of the two alone.
        program([BODIES[0], BODIES[0], BODIES[1]], [" @ workgroup 0", " @ workgroup 1", " @ workgroup 0"]),
        # Outcomes show a register of one of the two alone.
        "litmus T\nglobal x = 0\nthread P0 {\n  store 1, x\n}\nthread P1 {\n  store 1, x\n}\nexists (x=1)\n",
        "litmus T\nlds x = 0\nthread P0 {\n  r = load x\n}\nthread P1 {\n  r = load x\n}\nexists (P0:r=1)\n",
        program([BODIES[0], BODIES[1]], ["", ""]),
    ],
    ids=["place", "nothing shown", "lds", "statements"],
)
def test_threads_that_may_not_change_places(text: str) -> None:
    assert found(text) == []


def test_two_pairs_beside_each_other_change_places_within_the_pair() -> None:
    places = [" @ workgroup 0", " @ workgroup 0", " @ workgroup 1", " @ workgroup 1"]
    assert found(program([BODIES[2]] * 4, places)) == [((0,), (1,)), ((2,), (3,))]


def test_every_order_of_what_threads_show_once() -> None:
    row = ((1,), (2,), (1,), (5,))
    made = [*expanded([row], [((0,), (1,), (2,))])]
    assert len(made) == 3 and set(made) == {(*order, (5,)) for order in permutations(row[:3])}
    assert [*expanded([row], [((0, 1), (2, 3))])] == [row, ((1,), (5,), (1,), (2,))]


@pytest.mark.parametrize("model", ["rc11", "llvm", "amdgpu"])
@pytest.mark.parametrize("seed", range(6))
def test_outcomes_are_those_without_exchanges(model: str, seed: int) -> None:
    """Against brute force, and against either engine with nothing known of the threads."""
    draw = random.Random(f"{model} {seed}")
    kinds = draw.sample(BODIES if model != "rc11" else BODIES[:5], 2)
    bodies = [kinds[0], *(draw.choice(kinds) for _ in range(2))]
    places = [draw.choice(PLACES[: 1 if model == "rc11" else 4]) for _ in bodies]
    test, chosen = parse(program(bodies, places)), load(model)
    graph = events_under(test, chosen)
    whole = result_of(test, chosen, graph, solve(graph, chosen, engine=Engine.ORACLE), 0.0)
    for engine in (Engine.AUTO, Engine.TABLE, Engine.Z3):
        alike = outcomes(test, chosen, engine=engine)
        plain = result_of(test, chosen, graph, solve(graph, chosen, engine=engine), 0.0)
        assert alike.outcomes == plain.outcomes == whole.outcomes
        assert (alike.flags, alike.undefined, alike.verdict, alike.positive) == (
            whole.flags, whole.undefined, whole.verdict, whole.positive,
        )  # fmt: skip


def test_n_factorial_outcomes_are_found_in_one() -> None:
    text = program([BODIES[2]] * 6, [""] * 6)
    found = outcomes(text, "rc11")
    assert found.complete and len(found.outcomes) == 720
    assert {tuple(lanes[0] for lanes in row) for row in found.outcomes} == set(permutations(range(6)))


def test_a_limit_of_outcomes_counts_what_is_there() -> None:
    text = program([BODIES[2]] * 4, [""] * 4)
    found = outcomes(text, "rc11", limits=Limits(outcomes=5))
    assert len(found.outcomes) == 5 and not found.complete
