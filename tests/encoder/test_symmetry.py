"""Threads that change places: outcomes made of one order are those that every engine finds without.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import permutations, product

import pytest

from axmem.check.decide import decide
from axmem.check.results import outcomes, result_of
from axmem.encoder.engines import Engine
from axmem.encoder.solve import Limits, solve
from axmem.encoder.symmetry import Alike, classes, expanded
from axmem.events.unroll import events_under
from axmem.litmus.parser import parse
from axmem.model.library import load
from tests.drawn import parts, some

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
    """Return the columns of each class of threads that store the same."""
    test = parse(text)
    some = classes(events_under(test, load("amdgpu")))
    assert not any(value for each in some for value in each.own)
    return [each.columns for each in some]


def renamed(text: str) -> list[Alike]:
    test = parse(text)
    return [each for each in classes(events_under(test, load("amdgpu"))) if each.own[0]]


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
        program([BODIES[0], BODIES[1]], ["", ""]),
    ],
    ids=["place", "nothing shown", "statements"],
)
def test_threads_that_may_not_change_places(text: str) -> None:
    assert found(text) == []


def test_two_pairs_beside_each_other_change_places_and_so_do_the_two_of_a_pair() -> None:
    places = [" @ workgroup 0", " @ workgroup 0", " @ workgroup 1", " @ workgroup 1"]
    assert found(program([BODIES[2]] * 4, places)) == [((0,), (1,)), ((2,), (3,)), ((0, 1), (2, 3))]


def test_every_order_of_what_threads_show_once() -> None:
    row = ((1,), (2,), (1,), (5,))
    made = expanded([row], [Alike(((0,), (1,), (2,)), ((), (), ()))])
    assert {*made} == {(*order, (5,)) for order in permutations(row[:3])}
    made = expanded([row], [Alike(((0, 1), (2, 3)), ((), ()))])
    assert [*made] == [row, ((1,), (5,), (1,), (2,))]
    # With values of their own: each thread reads its own or another's, the last column shows one of the three, or 7.
    made = expanded([((1,), (1,), (3,), (2,))], [Alike(((0,), (1,), (2,)), ((1,), (2,), (3,)))])
    orders = [dict(zip((1, 2, 3), order, strict=True)) for order in permutations((1, 2, 3))]
    shown = [{to[1]: to[1], to[2]: to[1], to[3]: to[3]} for to in orders]
    assert {*made} == {((at[1],), (at[2],), (at[3],), (to[2],)) for to, at in zip(orders, shown, strict=True)}


WRITERS = (
    "store atomic {0}, x monotonic\n  r0 = load atomic x monotonic",
    "store atomic {0}, y monotonic\n  r0 = load atomic x acquire\n  store atomic {1}, x release",
    "store {0}, x",
    "r0 = atomicrmw xchg x, 9 monotonic\n  store atomic {0}, y monotonic",
    "r0 = load x\n  store r0, y\n  store atomic {0}, x monotonic",
)


def writers(body: str, values: Sequence[tuple[int, ...]], rest: str = "r0 = load x", initial: int = 0) -> str:
    text = program([*(body.format(*each) for each in values), rest], [""] * (len(values) + 1))
    return text.replace("x = 0", f"x = {initial}").replace("(P0:r0=1)", "(x=1)")


def test_threads_that_store_values_of_their_own_are_a_class() -> None:
    # Registers of P0 to P2, then that of P3, then x.
    three = [(1, 5), (2, 6), (3, 7)]
    assert renamed(writers(WRITERS[0], three)) == [Alike(((0,), (1,), (2,)), ((1,), (2,), (3,)))]
    assert renamed(writers(WRITERS[1], three)) == [Alike(((0,), (1,), (2,)), tuple(three))]
    assert renamed(writers(WRITERS[2], three)) == [Alike(((), (), ()), ((1,), (2,), (3,)))]
    # What all store alike stays.
    again = writers(WRITERS[1], [(1, 4), (2, 4), (3, 4)])
    assert renamed(again) == [Alike(((0,), (1,), (2,)), ((1,), (2,), (3,)))]


@pytest.mark.parametrize(
    "text",
    [
        writers(WRITERS[0], [(1,), (2,)]),
        writers(WRITERS[0], [(1,), (2,), (3,)], initial=2),
        writers(WRITERS[0], [(1,), (2,), (3,)], rest="r0 = load x\n  store 3, y"),
        writers(WRITERS[0], [(1,), (2,), (3,)], rest="r0 = 3").replace("(x=1)", "(P3:r0=3)"),
        writers(WRITERS[0], [(1,), (2,), (3,)], rest="r0 = load x\n  r1 = r0 + 1").replace(
            "(x=1)", "(P3:r1=1)"
        ),
        writers(WRITERS[0], [(1,), (2,), (3,)], rest="r0 = load x\n  if r0 == 1 {\n    store 4, y\n  }"),
        writers(WRITERS[0], [(1,), (2,), (3,)], rest="r0 = atomicrmw add x, 1 monotonic"),
        writers(WRITERS[1], [(1, 2), (2, 3), (3, 1)]),
        writers(WRITERS[1], [(1, 1), (2, 3), (4, 5)]),
        re.sub("(P0|P3) {", r"\1 @ workgroup 1 {", writers(WRITERS[0], [(1,), (2,), (3,)])),
    ],
    ids=[
        "two", "initial value", "stored elsewhere", "shown", "computed", "tested", "added to", "changed about",
        "merged", "place",
    ],
)  # fmt: skip
def test_threads_whose_values_may_not_change_places(text: str) -> None:
    assert [each for each in renamed(text) if len(each.columns) == 3] == []


@pytest.mark.parametrize("model", ["rc11", "llvm", "amdgpu"])
@pytest.mark.parametrize("seed", parts(3))
def test_outcomes_are_those_without_exchanges_of_values(model: str, seed: int) -> None:
    """Against brute force, and against the solver with nothing known of the threads."""
    draw = random.Random(f"{model} {seed} values")
    values = draw.sample(range(1, 9), 6)
    rest = draw.choice(["r0 = load atomic x acquire\n  r1 = load atomic y monotonic", "store 11, x", "r0 = load y"])
    body = draw.choice(WRITERS[:3] if "r0" in rest else WRITERS)
    test = parse(writers(body, [(values[k], values[k + 3]) for k in range(3)], rest))
    chosen = load(model)
    graph = events_under(test, chosen)
    assert any(each.own[0] for each in classes(graph))
    whole = result_of(test, chosen, graph, solve(graph, chosen, engine=Engine.ORACLE), 0.0)
    plain = result_of(test, chosen, graph, solve(graph, chosen), 0.0)
    for engine in (Engine.AUTO, Engine.Z3):
        alike = outcomes(test, chosen, engine=engine)
        assert alike.outcomes == plain.outcomes == whole.outcomes
        assert (alike.flags, alike.verdict, alike.positive) == (whole.flags, whole.verdict, whole.positive)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_what_threads_read_that_each_write_one_location_and_read_it(n: int) -> None:
    """Who reads from whom is a forest of n threads with roots that read their own: there are (n + 1)^(n - 1)."""
    text = program([WRITERS[0].format(k + 1) for k in range(n)], [""] * n)
    assert len(outcomes(text, "rc11").outcomes) == (n + 1) ** (n - 1)


@pytest.mark.parametrize("model", ["rc11", "llvm", "amdgpu"])
@pytest.mark.parametrize("seed", parts(6, of=2))
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


def kernel(body: str, launch: str, asked: str, memory: str = "global i32 x = 0\nglobal i32 y = 0") -> str:
    return f"litmus K\n{memory}\nkernel K() {launch} {{\nentry:\n  {body}\n  ret void\n}}\nexists ({asked})\n"


FIRST = "%a = load atomic x monotonic\n  %v = readfirstlane %a\n  store atomic %v, y monotonic"
COUNT = "%v = atomicrmw add x, 1 monotonic"
KERNELS = {
    "lanes": (kernel(COUNT, "lanes 3", "x=3"), 1),
    "workgroups": (kernel(COUNT, "workgroups 3, lanes 1", "x=3"), 1),
    "lanes of workgroups": (kernel(COUNT, "workgroups 2, lanes 2", "x=4"), 3),
    "own element": (
        kernel("store 1, own[workitem.id]\n  %v = load atomic x monotonic", "lanes 2", "x=0",
               "global <2 x i32> own = {0, 0}\nglobal i32 x = 0"), 1,
    ),
    "own element, another's initial value": (
        kernel("store 1, own[workitem.id]\n  %v = load atomic x monotonic", "lanes 2", "x=0",
               "global <2 x i32> own = {0, 4}\nglobal i32 x = 0"), 0,
    ),
    "own element, shown": (
        kernel("store 1, own[workitem.id]\n  %v = load atomic x monotonic", "lanes 2", "own[0]=1",
               "global <2 x i32> own = {0, 0}\nglobal i32 x = 0"), 0,
    ),
    "own number": (kernel("%v = atomicrmw xchg x, workitem.id + 1 monotonic", "lanes 3", "x=3"), 1),
    "computed with the lane": (kernel("%v = atomicrmw add x, workitem.id monotonic", "lanes 2", "x=1"), 0),
    "first lane": (
        kernel(FIRST, "lanes 2", "y=0"),
        0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_lanes_and_workgroups_are_classes(name: str) -> None:
    text, count = KERNELS[name]
    test = parse(text)
    for model in ("llvm", "amdgpu"):
        graph = events_under(test, load(model))
        assert len(classes(graph)) == count
        plain = result_of(test, load(model), graph, solve(graph, load(model)), 0.0)
        for engine in (Engine.AUTO, Engine.Z3):
            assert outcomes(test, load(model), engine=engine).outcomes == plain.outcomes


ASKED = ("x=3", "x!=3", "K.0.0.0:v=1", "K.0.0.2:v=3", "K.0.0.0:v=K.0.0.1:v", "x=2 \\/ x=1")
LANES = (COUNT, "%v = load atomic x monotonic\n  store atomic 1, x monotonic", "%v = load x\n  store 2, x")


@pytest.mark.parametrize(("body", "asked"), some([*product(LANES, ASKED)], of=4))
def test_a_verdict_alone_is_that_of_all_outcomes(body: str, asked: str) -> None:
    """What tells members of a class apart is asked of all of them."""
    test = parse(kernel(body, "lanes 3", asked))
    for model in ("llvm", "amdgpu"):
        graph = events_under(test, load(model))
        whole = result_of(test, load(model), graph, solve(graph, load(model), engine=Engine.ORACLE), 0.0)
        found = decide(test, model, engine=Engine.Z3)
        assert (found.verdict, found.flags, found.undefined) == (whole.verdict, whole.flags, whole.undefined)


@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
@pytest.mark.parametrize("seed", parts(8, of=8))
def test_outcomes_of_kernels_are_those_without_exchanges(model: str, seed: int) -> None:
    """Random kernels of a few lanes beside a thread, against brute force."""
    draw = random.Random(f"{model} {seed} kernels")
    steps = [
        "%r{n} = load atomic x monotonic", "store atomic {n}, y release", "%r{n} = atomicrmw add y, 1 acq_rel",
        "%r{n} = load y", "store workitem.id, x", "store atomic 7, own[workitem.id] monotonic",
        "%r{n} = load atomic own[workitem.id] acquire", "%r{n} = atomicrmw xchg x, workgroup.id acquire",
    ]  # fmt: skip
    body = "\n  ".join(draw.choice(steps).format(n=n) for n in range(draw.choice([1, 2])))
    launch = draw.choice(["lanes 2", "lanes 3", "workgroups 2, lanes 1", "workgroups 2, lanes 2"])
    memory = "global i32 x = 0\nglobal i32 y = 0\nglobal <4 x i32> own = {0, 0, 0, 0}"
    extra = draw.choice(["", "thread T {\n  s = load atomic y acquire\n  store 3, x\n}\n"])
    text = kernel(body, launch, "x=0", memory).replace("exists", f"{extra}exists")
    test, chosen = parse(text), load(model)
    graph = events_under(test, chosen)
    whole = result_of(test, chosen, graph, solve(graph, chosen, engine=Engine.ORACLE), 0.0)
    for engine in (Engine.AUTO, Engine.Z3):
        alike = outcomes(test, chosen, engine=engine)
        assert alike.outcomes == whole.outcomes and alike.flags == whole.flags
    assert decide(test, chosen, engine=Engine.Z3).verdict == whole.verdict


def test_n_factorial_outcomes_are_found_in_one() -> None:
    text = program([BODIES[2]] * 6, [""] * 6)
    found = outcomes(text, "rc11")
    assert found.complete and len(found.outcomes) == 720
    assert {tuple(lanes[0] for lanes in row) for row in found.outcomes} == set(permutations(range(6)))


def test_a_limit_of_outcomes_counts_what_is_there() -> None:
    text = program([BODIES[2]] * 4, [""] * 4)
    found = outcomes(text, "rc11", limits=Limits(outcomes=5))
    assert len(found.outcomes) == 5 and not found.complete
