"""DMA operations: their events, the engines on programs that have them, and what the drafts claim of them.

`make test-long` draws more programs.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random

import pytest

import axmem
from axmem.check.selection import loaded
from axmem.codegen.ir_module import module
from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.solve import solve
from axmem.encoder.statics import Statics
from axmem.events.graph import EventGraph, EventKind
from axmem.events.unroll import event_graph, events_under
from axmem.front.source import InputError, Source
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest
from axmem.model import relation as rel
from axmem.model.library import load, load_text
from axmem.model.model import Model
from axmem.model.primitives import DMA_OPERATIONS
from axmem.model.vocabulary import rules_of
from axmem.refinement.bounded.left_out_constructs import vanishing
from axmem.refinement.bounded.sharing import TermNames
from axmem.refinement.properties import BOUNDED, CHAIN, INSIDE, NECESSARY
from tests.corpus import corpus_test
from tests.differential.dma import dma_program
from tests.differential.programs import program
from tests.drawn import parts, some
from tests.encoder.test_semantics import compared, executions
from tests.paths import CORPUS

DMA_TESTS = sorted((CORPUS / "dma").glob("*.litmus"))
MODELS = (
    "llvm", "amdgpu", "amdgpu-next", "amdgpu-doc", "sc", "amdgpu-next[lo.hb=no]", "amdgpu-next[dma.lds=workgroup]",
    "amdgpu-next[mmra=endtoend]",
)  # fmt: skip


def graph_of(text: str) -> EventGraph:
    return event_graph(parse(f"litmus t\nglobal x = 0, y = 0\nlds t, u\n{text}\nexists (x=0)\n"))


# ---------------------------------------------------------------- events


def test_an_operation_is_a_thread_of_its_own_in_no_instance_below_its_scope() -> None:
    graph = graph_of("dma workgroup\nthread P0 {\n  load.async.to.lds x, t\n}")
    inside = [e for e in graph.events if e.thread == 1]
    assert [e.kind.value for e in inside] == ["in", "R", "W", "F"] and graph.threads == ("P0", "P0.dma1")
    statics, members = Statics(graph), sum(1 << e.index for e in inside)
    initiation = next(e.index for e in graph.events if e.kind is EventKind.INITIATE)
    for level, together in (("wavefront", False), ("workgroup", True), ("cluster", True)):
        same = statics.relation_of(f"same-{level}")
        assert all(bool(same[e.index]) == together for e in inside)
        assert bool(same[initiation] & members) == together
    assert statics.relation_of("initiates")[initiation] == 1 << inside[0].index
    assert rel.closure(statics.relation_of("po"))[inside[0].index] == members & ~(1 << inside[0].index)


@pytest.mark.parametrize(
    ("body", "completed"),
    [
        ("{0}; asyncmark; {1}; asyncmark; wait.asyncmark 0", [2]),
        ("{0}; asyncmark; {1}; asyncmark; wait.asyncmark 1", [1]),
        ("{0}; asyncmark; {1}; asyncmark; wait.asyncmark 2", [0]),
        ("{0}; asyncmark; {1}; wait.asyncmark 0", [1]),
        ("{0}; {1}; asyncmark; wait.asyncmark 1; wait.asyncmark 0", [0, 2]),
        ("asyncmark; {0}; wait.asyncmark 0; asyncmark; {1}; wait.asyncmark 1; wait.asyncmark 0", [0, 0, 1]),
        ("{0}; asyncmark; wait.asyncmark 0; {1}; asyncmark; wait.asyncmark 1", [1, 1]),
    ],
)
def test_a_wait_completes_what_came_before_a_mark_that_is_gone(body: str, completed: list[int]) -> None:
    lines = body.format("load.async.to.lds x, t", "store.async.from.lds y, u").replace("; ", "\n")
    graph = graph_of(f"thread P0 {{\n{lines}\n}}")
    assert [len(e.after) for e in graph.events if e.kind is EventKind.WAIT] == completed


def test_loads_arrive_in_the_phase_of_the_next_barrier() -> None:
    text = """
barrier b (P0, P1)
thread P0 {
  barrier b
  load.async.to.lds x, t
  store.async.from.lds y, u
  async.barrier.arrive b
  barrier b
}
thread P1 {
  barrier b
  barrier b
}"""
    graph = graph_of(text)
    assert [len(e.after) for e in graph.events if e.kind is EventKind.BARRIER] == [0, 1, 0, 1]


# ---------------------------------------------------------------- engines


@pytest.mark.parametrize("first", [5 * part for part in parts(8, of=8)])
def test_the_engines_agree_on_random_programs(first: int) -> None:
    for seed in range(first, first + 5):
        test = parse(dma_program(seed))
        for name in (MODELS[seed % 8], MODELS[(seed + 3) % 8]):
            model = loaded(name)
            graph = events_under(test, model)
            found, wanted = solve(graph, model), enumerate_outcomes(graph, model)
            assert found.outcomes == wanted.outcomes and found.flags == wanted.flags, (seed, name)


@pytest.mark.parametrize("first", [12 * part for part in parts(10, of=10)])
@pytest.mark.parametrize("name", some(["llvm", "amdgpu", "amdgpu-next"], of=2))
def test_definitions_mean_what_the_rules_say(name: str, first: int) -> None:
    completed = 0
    for seed in range(first, first + 12):
        graph = event_graph(parse(dma_program(seed)))
        for execution in executions(Random(seed), graph, enters=name == "amdgpu-next"):
            if all(a != b for a, b in execution.hb):
                compared(name, execution)
                completed += bool(execution.dma_sw)
    assert completed > 6


@pytest.mark.parametrize("other", ["amdgpu", "amdgpu-next"])
def test_without_dma_operations_the_two_are_one_model(other: str) -> None:
    """What is left of each rule is the same: so are the outcomes of every program that has no DMA operation."""
    names, without, left = TermNames(), frozenset({DMA_OPERATIONS}), []
    for model in (load("amdgpu"), load(other)):
        rest = names.of(model, vanishing(model, without))
        left.append([(rule.name, rest[rule.term]) for rule in rules_of(model)])
    assert left[0] == left[1]


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_without_dma_operations_the_two_have_the_same_outcomes(first: int) -> None:
    for seed in range(first, first + 10):
        test = parse(program(seed))
        rows = [solve(events_under(test, model), model).outcomes for model in (load("amdgpu"), load("amdgpu-next"))]
        assert rows[0] == rows[1], seed


# ---------------------------------------------------------------- what the drafts claim


CLAIMS = {
    "property 1": NECESSARY.format(order="(ahb | IW * _)"), "property 2": INSIDE, "property 3": BOUNDED,
    "property 5": CHAIN.replace("(hb & same)", "(ahb & same)"),
}  # fmt: skip
"""The properties of the document, as cat text that asserts the contrary of an execution."""


def denied(claim: str, **variants: str) -> Model:
    """Return the drafts' model with a property denied."""
    text = f'"claim"\ninclude "amdgpu-next.cat"\n{CLAIMS[claim]}\n'
    return load_text(Source("claim.cat", text), {name.replace("_", "."): value for name, value in variants.items()})


def refuted(test: LitmusTest, model: Model) -> bool:
    return bool(solve(events_under(test, model), model).outcomes)


@pytest.mark.parametrize("path", DMA_TESTS, ids=lambda p: p.stem)
def test_property_1_fails_where_visibility_passes_through_an_operation(path: Path) -> None:
    test = corpus_test(path)
    assert refuted(test, denied("property 1", lo_hb="no")) == (path.stem == "Property1")
    assert not refuted(test, denied("property 1", lo_hb="no", dma_hb="through"))
    assert not refuted(test, denied("property 1"))


@pytest.mark.parametrize("claim", ["property 2", "property 3", "property 5"])
def test_the_other_properties_hold(claim: str) -> None:
    models = [denied(claim), denied(claim, lo_hb="no")]
    tests = [*map(corpus_test, DMA_TESTS), *(parse(dma_program(seed)) for seed in parts(80))]
    for test, model in product(tests, models):
        assert not refuted(test, model), test.name


# ---------------------------------------------------------------- who does not know them


def test_who_knows_no_dma_operations_refuses_them_where_they_stand() -> None:
    text = "litmus t\nglobal x = 0\nlds t\nthread P0 {\n  load.async.to.lds x, t\n}\nexists (x=0)\n"
    strange = load_text(Source("strange.cat", '"strange"\nacyclic po | rf | co as order\n'))
    engines: dict[str, Callable[[], object]] = {
        "lowering": lambda: axmem.lower(text, "gfx1250"),
        "LLVM IR": lambda: module(parse(text), "gfx1250"),
        "axmem repair": lambda: axmem.repair(text, target=None, forbid="x=0"),
        "strange": lambda: axmem.outcomes(text, strange),
        "verify": lambda: axmem.verify(text, "gfx1250"),
    }
    for engine, act in engines.items():
        with pytest.raises(InputError) as caught:
            act()
        assert "5:3: error:" in str(caught.value) and "DMA operation" in str(caught.value), engine
