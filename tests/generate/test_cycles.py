"""Cycles: reading, orientation, families, names, enumeration, places."""

from __future__ import annotations

import re
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axmem.front.source import InputError
from axmem.generate.cycles import Cycle, faults, oriented, parse_cycle
from axmem.generate.edges import SIMPLE, CycleEdge, matching_edges, parse_edge
from axmem.generate.enumeration import Decorations, cycles, decorated
from axmem.generate.families import FAMILIES, family_cycle, family_name
from axmem.generate.marks import PLAIN, mark_text, parse_mark, parse_scope
from axmem.generate.names import name_of
from axmem.generate.places import all_places, distinct_places, places_text
from axmem.generate.suites import Placing, suite

EVERY_EDGE = [*SIMPLE, "Fence.sc.dWR", "Fence.acq_rel.ag.sRW", "Fence.rel.wg-one-as#a:b!none.dWW"]
MARKS = [
    "P",
    "P.vol",
    "Un",
    "Mono.sy",
    "Acq.ag",
    "Rel.cl!none",
    "AcqRel.st.vol",
    "Sc.wv-one-as",
    "Av.wg#vulkan:private",
]


def edges(*patterns: str) -> tuple[CycleEdge, ...]:
    return tuple(dict.fromkeys(edge for pattern in patterns for edge in matching_edges(pattern)))


@pytest.mark.parametrize("word", EVERY_EDGE)
def test_edge_round_trip(word: str) -> None:
    assert parse_edge(word).text == word


@pytest.mark.parametrize("word", MARKS)
def test_mark_round_trip(word: str) -> None:
    assert parse_mark(mark_text(parse_mark(word))) == parse_mark(word)


def test_spellings_of_one_thing() -> None:
    assert parse_edge("Coe") == parse_edge("Wse")
    assert parse_edge("Fence.acq_rel.agentdWR") == parse_edge("Fence.AcqRel.ag.dWR")
    assert parse_mark("seq_cst.workgroup") == parse_mark("Sc.wg")
    assert parse_mark("Rel#amdgcn-av:none") == parse_mark("Rel!none")
    assert parse_cycle("Acq Rmw Rel PodWR Fre PodWW Rfe") == parse_cycle("AcqRel Rmw PodWR Fre PodWW Rfe")


def test_wildcards() -> None:
    assert len(edges("Pod**")) == 4
    assert len(edges("Fence.sc.d**")) == 4
    assert {edge.text for edge in edges("Fence.sc.sW*")} == {"Fence.sc.sWW", "Fence.sc.sWR"}
    assert {edge.text for edge in edges("Rf*")} == {"Rfe", "Rfi"}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_reached_from_its_cycle(name: str) -> None:
    assert family_name(family_cycle(name)) == name
    assert name_of(family_cycle(name)) == name


@pytest.mark.parametrize(
    ("name", "text"),
    [  # diy's own spelling of some of the cycles, begun elsewhere
        ("MP", "Rfe PodRR Fre PodWW"),
        ("S", "Rfe PodRW Coe PodWW"),
        ("R", "Coe PodWR Fre PodWW"),
        ("ISA2", "Rfe PodRW Rfe PodRR Fre PodWW"),
        ("IRIW", "PodRR Fre Rfe PodRR Fre Rfe"),
        ("W+RWC", "Fre PodWW Rfe PodRR Fre PodWR"),
        ("Z6.3", "PodRR Fre PodWW Wse PodWW Rfe"),
        ("CoWW", "Wsi PosWW"),
        ("W+RR+WW+WR", "Rfe PodRR Fre PodWW Wse PodWR Fre"),
    ],
)
def test_names_from_any_rotation(name: str, text: str) -> None:
    assert name_of(parse_cycle(text)) == name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("MP+plain", "P PodWW P Rfe P PodRR P Fre"),
        ("MP+rel.ag+acq.ag", "Rel.ag Rfe Acq.ag PodRR P Fre P PodWW"),
        ("MP+atomics+rel+acq", "Rel Rfe Acq PodRR Fre PodWW"),
        ("MP+atomics+rel+mono", "Rel Rfe PodRR Fre PodWW"),
        ("MP+sc-sc+sc-sc", "Sc Rfe Sc PodRR Sc Fre Sc PodWW"),
        ("MP+plain-rel+acq-mono", "Rel Rfe Acq PodRR Fre P PodWW"),
        ("MP+po+addr", "Rfe DpAddrdR Fre PodWW"),
        ("MP+fence.rel.ag.none-mono+acq", "Rfe Acq PodRR P Fre P Fence.rel.ag!none.dWW"),
        ("SB+sc+sc", "Sc PodWR Sc Fre Sc PodWR Sc Fre"),
        ("SB+sc-mono+sc-mono", "Sc PodWR Fre Sc PodWR Fre"),
        ("SB+fence.sc+po", "Fence.sc.dWR Fre PodWR Fre"),
        ("SB+rfi-po+rfi-po", "Rfi PodRR Fre Rfi PodRR Fre"),
        ("WRC+atomics+rel+acq-rel+acq", "Rel Rfe Acq PodRW Rel Rfe Acq PodRR Fre"),
        ("MP+av.ag+acq.ag.none", "P PodWW Av.ag Rfe Acq.ag!none PodRR P Fre"),
        ("CoRW2+rmw", "Rfe Rmw Wse"),
    ],
)
def test_names_of_decorated_cycles(name: str, text: str) -> None:
    assert name_of(parse_cycle(text)) == name


@given(st.sampled_from(list(cycles(edges("Rfe", "Fre", "Wse", "Po*", "Rmw", "Dp*"), 5))), st.integers(0, 20))
@settings(max_examples=200)
def test_orientation_and_text_lose_nothing(cycle: Cycle, turn: int) -> None:
    rotated = cycle.rotated(turn % len(cycle))
    assert oriented(rotated) == cycle
    assert parse_cycle(rotated.text) == cycle


@given(st.lists(st.sampled_from(EVERY_EDGE), min_size=2, max_size=5))
@settings(max_examples=300)
def test_any_edges_make_a_cycle_or_a_located_error(words: list[str]) -> None:
    try:
        cycle = parse_cycle(" ".join(words))
    except InputError as error:
        assert all(d.span.line == 1 and d.message for d in error.diagnostics)
    else:
        assert not faults(cycle)


# ---------------------------------------------------------------- enumeration


def test_two_threads_without_same_location_are_the_six_classical_shapes() -> None:
    found = [name_of(c) for c in cycles(edges("Rfe", "Fre", "Wse", "Pod**"), 4)]
    assert sorted(found) == sorted(["MP", "LB", "S", "SB", "R", "2+2W"])


def test_up_to_six_edges_every_three_thread_family_comes_once() -> None:
    found = [name_of(c) for c in cycles(edges("Rfe", "Fre", "Wse", "Pod**"), 6)]
    wanted = {n for n in FAMILIES if not n.startswith(("Co", "4."))}
    assert len(found) == len(set(found))
    assert set(found) == wanted


def test_coherence_shapes_between_threads() -> None:
    found = {name_of(c) for c in cycles(edges("Rfe", "Fre", "Wse", "Pos**"), 3)}
    assert found == {"CoRR", "CoRW2"}  # in CoWR one edge could stand for Fre Wse


def test_enumeration_has_no_rotation_twice_and_no_shortcut() -> None:
    found = list(cycles(edges("Rfe", "Fre", "Wse", "Rfi", "Po*", "Rmw"), 5))
    rotations = {oriented(c.rotated(k)) for c in found for k in range(len(c))}
    assert len(found) == len(set(found)) == len(rotations)
    for cycle in found:
        circular = f"{cycle.text} {cycle.edges[0].text}"
        assert not re.search(r"Rf[ei] Fr[ei]|Fr[ei] Ws[ei]|Ws[ei] Ws[ei]|Po\S+ Po", circular)
        assert len(cycle.threads()) >= 2


def test_order_is_the_same_every_time() -> None:
    first = [c.text for c in islice(cycles(edges("Rfe", "Fre", "Po**"), 6), 40)]
    assert first == [c.text for c in islice(cycles(edges("Rfe", "Fre", "Po**"), 6), 40)]


# ---------------------------------------------------------------- decorations, places


def test_orderings_fit_the_direction_and_combine() -> None:
    decorations = Decorations(PLAIN, tuple(map(parse_mark, ("Mono", "Acq", "Rel", "Sc"))))
    found = {name_of(c) for c in decorated(family_cycle("MP"), decorations)}
    assert found == {f"MP+{w}+{r}" for w in ("mono", "rel", "sc") for r in ("mono", "acq", "sc")}


def test_scopes_of_accesses_and_fences() -> None:
    scopes = tuple(map(parse_scope, ("ag", "wg")))
    found = {name_of(c) for c in decorated(parse_cycle("P Fence.rel.dWW Rfe PodRR P Fre"), Decorations(scopes=scopes))}
    assert found == {f"MP+fence.rel.{f}-mono.{w}+mono.{r}" for f, w, r in product(("ag", "wg"), repeat=3)}


def test_what_is_decorated_stays() -> None:
    orderings = (parse_mark("Sc"),)
    (only,) = decorated(parse_cycle("Rel Rfe Acq PodRR P Fre P PodWW"), Decorations(orderings=orderings))
    assert name_of(only) == "MP+rel+acq"


def test_updates_are_one_access() -> None:
    orderings = tuple(map(parse_mark, ("Acq", "Rel", "AcqRel")))
    found = list(decorated(parse_cycle("Rfe Rmw PodWR Fre PodWW"), Decorations(orderings=orderings)))
    assert {mark_text(c.mark(2)) for c in found} == {"Acq", "Rel", "AcqRel"}


def test_all_places_of_two_and_three_threads() -> None:
    assert [places_text(p) for p in all_places(2)] == ["0.0.0-0.0.0", "0.0.0-0.0.1", "0.0.0-0.1.0", "0.0.0-1.0.0"]
    # chains of three partitions of three threads, each as fine as the one before: 1 for all in one wavefront, …
    found = [places_text(p) for p in all_places(3)]
    assert len(found) == len(set(found)) == 22


def test_places_of_a_symmetric_cycle() -> None:
    # 3.SB looks alike from each thread, so it does not matter which of them is the one apart
    cycle = family_cycle("3.SB")
    found = [places_text(p) for p in distinct_places(cycle)]
    assert len(found) < 22
    assert "0.0.0-0.0.0-0.0.1" in found
    assert "0.0.0-0.0.1-0.0.1" not in found
    assert len(list(distinct_places(family_cycle("ISA2")))) == 22


def test_names_of_a_large_suite_are_unique_without_numbers() -> None:
    every = edges("Rfe", "Fre", "Wse", "Rfi", "Po*", "Dp*", "Rmw", "Fence.sc.d**", "Fence.acq_rel.ag.d**")
    orderings = tuple(map(parse_mark, ("Mono", "Acq", "Rel", "Sc")))
    plain = suite(cycles(every, 4), Decorations(), Placing())
    marked = suite(cycles(edges("Rfe", "Fre", "Wse", "Po*", "Rmw"), 4), Decorations(orderings=orderings), Placing())
    for tests in (plain, marked):
        names = [g.test.name for g in tests]
        assert len(names) > 100
        assert not [n for n in names if re.search(r"\+[0-9]+$", n) and not n.startswith("2+2W")]
        assert all(re.fullmatch(r"[A-Za-z0-9._+-]+", n) for n in names)


def test_names_that_would_be_one_are_numbered() -> None:
    texts = ("Rel#a:x Rfe Acq PodRR Fre PodWW", "Rel#b:x Rfe Acq PodRR Fre PodWW")
    names = [g.test.name for g in suite(map(parse_cycle, texts), Decorations(), Placing())]
    assert names == ["MP+atomics+rel.x+acq", "MP+atomics+rel.x+acq+2"]


def test_a_cycle_is_not_generated_twice() -> None:
    twice = (parse_cycle("Rfe PodRR Fre PodWW"), parse_cycle("PodRR Fre PodWW Rfe"))
    assert len(list(suite(twice, Decorations(), Placing()))) == 1


def test_cycles_compare_by_edges_and_marks() -> None:
    one = parse_cycle("Rfe PodRR Fre PodWW")
    assert one == Cycle(one.edges, one.marks)
    assert one != parse_cycle("Rel Rfe PodRR Fre PodWW")
