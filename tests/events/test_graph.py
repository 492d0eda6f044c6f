"""The events of a test: which there are, what they access, when they execute, what they depend on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axmem.encoder.domains import domains, sources_of
from axmem.encoder.solve import solve
from axmem.encoder.statics import Statics
from axmem.events.conventions import Conventions
from axmem.events.graph import Event, EventGraph, EventKind, compatible
from axmem.events.unroll import event_graph
from axmem.events.values import UNDEF, Apply, Constant, ReadOf, apply_operation, evaluate, possible_values
from axmem.front.source import InputError
from axmem.litmus.floats import BRAIN_UPDATES, FLOAT_UPDATES
from axmem.litmus.parser import parse
from axmem.litmus.spelling import RMW_OPERATIONS
from axmem.litmus.syntax import Ordering, Scope
from axmem.litmus.undef import POISONED
from axmem.model.library import load
from tests.differential.interleaving import update


def graph_of(*threads: str, globals_: str = "global x = 0, y = 0", question: str = "") -> EventGraph:
    bodies = "\n".join(f"thread P{i} {{\n{body}\n}}" for i, body in enumerate(threads))
    return event_graph(parse(f"litmus T\n{globals_}\n{bodies}\n{question}\n"))


def of(graph: EventGraph, *kinds: EventKind) -> list[Event]:
    return [e for e in graph.events if e.kind in kinds]


def related(graph: EventGraph, name: str) -> set[tuple[int, int]]:
    rows = Statics(graph).relation_of(name)
    return {(i, j) for i, row in enumerate(rows) for j in range(row.bit_length()) if row >> j & 1}


# ---------------------------------------------------------------- cells


def test_a_location_is_cut_where_accesses_differ() -> None:
    body = "r0 = load i16, x[1]\nstore i64 1, x"
    graph = graph_of(body, globals_="global i64 x = 5, <2 x i32> y = {1, 2}")
    assert [(c.offset, c.size) for c in graph.cells if c.location == "x"] == [(0, 2), (2, 2), (4, 4)]
    assert [(c.offset, c.size) for c in graph.cells if c.location == "y"] == [(0, 8)]
    (read,) = of(graph, EventKind.READ)
    assert graph.cells[read.cell].offset == 2 and len(read.footprint) == 1
    writes = of(graph, EventKind.WRITE)
    assert len(writes) == 3 and len({w.access for w in writes}) == 1 and all(len(w.footprint) == 3 for w in writes)


def test_the_lanes_of_a_vector_are_cells_and_one_access_unless_elementwise() -> None:
    text = "store atomic {mode} <2 x i32> {{1, 2}}, x monotonic"
    together = of(graph_of(text.format(mode=""), globals_="global <2 x i32> x = 0"), EventKind.WRITE)
    apart = of(graph_of(text.format(mode="elementwise"), globals_="global <2 x i32> x = 0"), EventKind.WRITE)
    assert [w.value for w in together] == [w.value for w in apart] == [Constant(1), Constant(2)]
    assert len({w.access for w in together}) == 1 and {len(w.footprint) for w in together} == {2}
    assert len({w.access for w in apart}) == 2 and {len(w.footprint) for w in apart} == {1}
    assert len({w.instruction for w in apart}) == 1


def test_initial_values_are_cut_into_cells_from_the_lowest_byte() -> None:
    graph = graph_of("r0 = load i8, x\nr1 = load i8, x[3]", globals_="global i32 x = 0x04030201")
    values = {graph.cells[e.cell].offset: e.value for e in of(graph, EventKind.INIT)}
    assert values == {0: Constant(1), 1: Constant(0x0302), 3: Constant(4)}


def test_uninitialised_memory_has_no_initial_write_unless_it_is_asked_for() -> None:
    test = parse("litmus T\nglobal x\nglobal y = undef\nthread P0 {\nr0 = load x\nr1 = load y\n}\n")
    assert [e.value for e in of(event_graph(test), EventKind.INIT)] == [Constant(UNDEF)]
    written = event_graph(test, Conventions(undef_memory=True))
    assert [e.value for e in of(written, EventKind.INIT)] == [Constant(UNDEF)] * 2


def test_final_reads_are_made_for_what_is_shown_alone() -> None:
    assert not of(graph_of("store 1, x"), EventKind.FINAL)
    (final,) = of(graph_of("store 1, x", question="exists (x=1 /\\ x!=2)"), EventKind.FINAL)
    assert final.thread == -1 and final.cell == 0


# ---------------------------------------------------------------- read-modify-writes, choices


def test_an_atomicrmw_is_a_read_and_a_write_of_what_follows_from_it() -> None:
    graph = graph_of("r0 = atomicrmw add x, 2 acq_rel")
    (read,), (write,) = of(graph, EventKind.READ), of(graph, EventKind.WRITE)
    assert write.value == Apply("add", 32, (ReadOf(read.index), Constant(2)))
    assert related(graph, "rmw") == {(read.index, write.index)} and (read.index, write.index) in related(graph, "po")
    assert related(graph, "data") == {(read.index, write.index)}
    assert write.index not in sources_of(graph)[read.index]


def test_a_cmpxchg_forks() -> None:
    graph = graph_of("r0, ok = cmpxchg x, 0, 1 acq_rel monotonic")
    failed, read = of(graph, EventKind.READ)
    (write,) = of(graph, EventKind.WRITE)
    assert failed.ordering is Ordering.MONOTONIC and failed.cas is Ordering.ACQ_REL and not failed.rmw
    assert read.ordering is write.ordering is Ordering.ACQ_REL and read.cas is None
    assert not compatible(failed.guard, read.guard) and read.guard == write.guard
    assert related(graph, "rmw") == {(read.index, write.index)}
    assert {r.guard for r in graph.requires} == {failed.guard, read.guard}
    assert len(graph_of("r0, ok = cmpxchg weak x, 0, 1 monotonic").requires) == 1


def test_branches_guard_events_and_control_what_follows() -> None:
    graph = graph_of("r0 = load x\nif r0 == 1 {\nA: store 1, y\n} else {\nB: store 2, y\n}\nC: store 3, y")
    a, b, c = of(graph, EventKind.WRITE)
    labels = {e.label: e for e in (a, b, c)}
    assert set(labels) == {"A", "B", "C"}
    assert not compatible(labels["A"].guard, labels["B"].guard) and not labels["C"].guard
    (read,) = of(graph, EventKind.READ)
    assert related(graph, "ctrl") == {(read.index, e.index) for e in (a, b, c)}
    assert related(graph, "guard") == {(read.index, labels[x].index) for x in "AB"}
    order = related(graph, "po")
    assert {(labels[x].index, labels["C"].index) for x in "AB"} <= order
    assert (labels["A"].index, labels["B"].index) not in order and (labels["B"].index, labels["A"].index) not in order


def test_a_condition_that_is_known_is_no_branch() -> None:
    graph = graph_of("r0 = 1\nif r0 == 1 {\nstore 1, x\n} else {\nstore 2, x\n}")
    assert [e.value for e in of(graph, EventKind.WRITE)] == [Constant(1)] and not graph.choices


def test_a_register_merged_after_a_branch_depends_on_what_decided_it() -> None:
    graph = graph_of("r0 = load x\nr1 = 1\nif r0 == 1 {\nr1 = 2\n}\nstore r1, y")
    (read,), (write,) = of(graph, EventKind.READ), of(graph, EventKind.WRITE)
    assert (read.index, write.index) in related(graph, "data")
    assert write.value is not None
    for taken, expected in ((0, 1), (1, 2)):
        assert evaluate(write.value, lambda _: 1, lambda _, arm=taken: arm) == expected  # type: ignore[misc]


# ---------------------------------------------------------------- addresses


def test_a_false_address_dependency_leads_to_one_place() -> None:
    graph = graph_of("r0 = load x\nr1 = load y[r0 ^ r0]")
    first, second = of(graph, EventKind.READ)
    assert not second.guard and related(graph, "addr") == {(first.index, second.index)}


def test_an_address_that_is_read_leads_to_every_place_it_may_be() -> None:
    graph = graph_of("r0 = load y\nr1 = load i32, x[r0 & 1]", globals_="global <4 x i32> x = 0\nglobal y = 0")
    reads = [e for e in of(graph, EventKind.READ) if e.guard]
    assert [graph.cells[e.cell].offset for e in reads] == [0, 4]
    assert not compatible(reads[0].guard, reads[1].guard)
    assert {u.reason for u in graph.undefined} == {"access through an undef address", "access outside every location"}


POINTERS = "global x = 0, y = 0, z = 0, w = 0"


@pytest.mark.parametrize(
    ("declared", "body", "pointed"),
    [
        ("global ptr p = &x", "", {"x"}),
        ("global ptr p = null, q = &z", "store ptr &x, p", {"x", "z"}),
        ("global ptr p = &y", "a = &x\nstore i32 1, y", {"x", "y"}),
        ("global ptr p = null", "s = load ptr p\nif s == &z {\nstore ptr (select s == s, &x, &y), p\n}", set("xyz")),
        ("global ptr p = null", "r0 = cmpxchg ptr p, null, &w monotonic", {"w"}),
        ("global ptr p = null", "store 1, x", {"x", "y", "z", "w"}),
    ],
)  # fmt: skip
def test_a_loaded_pointer_points_where_an_address_is_a_value(declared: str, body: str, pointed: set[str]) -> None:
    """If no address is, nothing is known, and an access may be anywhere."""
    graph = graph_of(f"v = load ptr p\nif v != null {{\nr = load i32 v\n}}\n{body}", globals_=f"{POINTERS}\n{declared}")
    reads = [e for e in of(graph, EventKind.READ) if e.address_reads]
    assert {graph.cells[e.cell].location for e in reads} - {"p", "q"} == pointed


def test_an_access_outside_every_location_is_refused() -> None:
    with pytest.raises(InputError, match="outside"):
        graph_of("p = &x\nr0 = load i64, p", globals_="global x = 0")


# ---------------------------------------------------------------- barriers, placement


def test_barriers_meet_by_object_and_phase() -> None:
    text = "litmus T\nglobal x = 0\n" + "".join(
        f"thread P{i} @ agent 0, workgroup {w} {{\nbarrier\nbarrier\n}}\n" for i, w in enumerate((0, 0, 1, 1))
    )
    graph = event_graph(parse(text))
    barriers = of(graph, EventKind.BARRIER)
    met = {(a.thread, b.thread) for a in barriers for b in barriers if a.phase == b.phase}
    assert met == {(a, b) for a in range(4) for b in range(4) if (a < 2) == (b < 2)}
    first, second = [b for b in barriers if b.thread == 0]
    assert first.phase != second.phase


@pytest.mark.parametrize("level", list(Scope))
def test_events_share_an_instance_if_they_agree_down_to_its_level(level: Scope) -> None:
    places = [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0), (1, 0, 0, 0)]
    text = "litmus T\nglobal x = 0\n" + "".join(
        f"thread P{i} @ agent {a}, cluster {c}, workgroup {g}, wavefront {w} {{\nstore 1, x\n}}\n"
        for i, (a, c, g, w) in enumerate(places)
    )
    graph = event_graph(parse(text))
    depth = {Scope.SYSTEM: 0, Scope.AGENT: 1, Scope.CLUSTER: 2, Scope.WORKGROUP: 3, Scope.WAVEFRONT: 4}.get(level, 5)
    writes = of(graph, EventKind.WRITE)
    expected = {
        (a.index, b.index)
        for a in writes
        for b in writes
        if (*places[a.thread], a.thread)[:depth] == (*places[b.thread], b.thread)[:depth]
    }
    inside = {w.index for w in writes}
    found = {(a, b) for a, b in related(graph, f"same-{level.word}") if {a, b} <= inside}
    assert found == expected


# ---------------------------------------------------------------- values


@given(
    st.sampled_from(sorted(RMW_OPERATIONS - {"xchg", *FLOAT_UPDATES, *BRAIN_UPDATES})),
    st.sampled_from([8, 16, 32]),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
)
def test_updates_follow_the_table_of_langref(operation: str, bits: int, old: int, operand: int) -> None:
    old, operand = old % 2**bits, operand % 2**bits
    assert apply_operation(operation, bits, (), (old, operand)) == update(operation, bits, old, operand)


@given(st.integers(0, 15), st.integers(0, 2**32 - 1))
def test_possible_values_hold_every_value_of_a_masked_read(mask: int, read: int) -> None:
    expr = Apply("add", 32, (Apply("and", 32, (ReadOf(0), Constant(mask))), Constant(7)))
    possible = possible_values(expr)
    assert possible is not None and evaluate(expr, lambda _: read, lambda _: 0) in possible


def domain_of(graph: EventGraph, **options: bool) -> dict[str, set[object]]:
    """Return the domain of each read by its label."""
    found = domains(graph, sources_of(graph), frozenset(), thin_air=options.get("thin_air", False))
    return {e.label: set(found.reads[e.index]) for e in of(graph, EventKind.READ) if e.label}


def test_domains_follow_values_from_write_to_read() -> None:
    graph = graph_of("A: r0 = load x\nstore r0 + 1, y", "B: r1 = load y\nstore 7, x")
    assert domain_of(graph) == {"A": {0, 7}, "B": {0, 1, 8}}


def test_two_increments_give_three_values() -> None:
    graph = graph_of("A: r0 = atomicrmw add x, 1 monotonic", "B: r0 = atomicrmw add x, 1 monotonic")
    found = domain_of(graph)
    assert {0, 1} <= found["A"] and {0, 1} <= found["B"]


def test_no_value_is_incremented_more_often_than_there_are_increments() -> None:
    graph = graph_of(*["A: r0 = atomicrmw add x, 1 monotonic"] * 3, *["r1 = load atomic x monotonic"] * 9)
    found = domains(graph, sources_of(graph), frozenset(), thin_air=False)
    assert set().union(*found.reads.values()) == {0, 1, 2, 3}


@pytest.mark.parametrize("word", ["undef", "poison"])
def test_poison_passes_what_does_not_decide_a_value(word: str) -> None:
    """The lower byte becomes 0 whatever is read, and poison where the upper one is, which comes along three writes."""
    masked = "r0 = load i16, x\nr1 = r0 & 0xff00\nstore i16 r1, x"
    graph = graph_of(masked, masked, masked, f"store i8 {word}, x[1]", globals_="global i16 x = 0x0205")
    found = domains(graph, sources_of(graph), frozenset(), thin_air=False)
    low, high = ({0, 5, POISONED}, {2, POISONED}) if word == "poison" else ({0, 5}, {2, UNDEF})
    assert {frozenset(d) for d in found.reads.values()} == {frozenset(low), frozenset(high)}


def test_a_byte_of_a_word_has_the_values_that_are_made_of_its_own() -> None:
    """As partword loops write it: of four bytes the lowest is incremented, and the others are put back."""
    body = "r0 = load i32, x\nr1 = r0 + 7\nr2 = r1 & 255\nr3 = r0 & 0xffffff00\nr4 = r2 | r3\n"
    loop = body + "r5 = cmpxchg x, r0, r4 monotonic monotonic"
    graph = graph_of(loop, loop, "store i8 9, x[1]", globals_="global i32 x = 0x04030201")
    found = domains(graph, sources_of(graph), frozenset(), thin_air=False)
    assert {frozenset(d) for d in found.reads.values()} == {
        frozenset(d) for d in ({1, 8, 15}, {2, 9}, {0x0403})
    }  # fmt: skip


def test_values_out_of_thin_air_are_the_constants_of_the_test() -> None:
    graph = graph_of("A: r0 = load x\nstore r0, y", "B: r1 = load y\nstore r1, x\nr2 = 42\nstore r2, z",
                     globals_="global x = 0, y = 0, z = 0")  # fmt: skip
    assert domain_of(graph) == {"A": {0}, "B": {0}}
    assert domain_of(graph, thin_air=True)["A"] >= {0, 42}
    assert domains(graph, sources_of(graph), frozenset(), thin_air=True).looping == {
        e.index for e in of(graph, EventKind.READ)
    }


def test_an_expression_that_reads_the_same_twice_has_the_values_of_one_read() -> None:
    """Else the domain would have some hundred million combinations of what four readers of one value might have."""
    graph = graph_of("A: r0 = load x\nr1 = r0 * 3 - r0\nstore (r1 ^ r1) + 2, x", globals_="global x = 0")
    assert domain_of(graph, thin_air=True)["A"] == {0, 2}


def test_a_domain_that_grows_too_large_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("axmem.encoder.domains.LIMIT", 8)
    doubling = "\n".join(f"atomicrmw add x, {1 << i} monotonic" for i in range(5))
    graph = graph_of(doubling, globals_="global x = 0")
    found = domains(graph, sources_of(graph), frozenset(), thin_air=False)
    assert found.cut and max(map(len, found.reads.values())) == 8
    assert "a value's domain was cut" in map(str, solve(graph, load("sc")).incomplete)


def test_an_address_may_begin_before_its_location() -> None:
    """`a[i - 1]` is `(&a - 4)[i]` to a compiler: what is accessed is `a`, not what lies before it."""
    text = """litmus before
global b = 1
global <2 x i32> a = {0, 0}
thread P {
  r0 = load atomic b monotonic
  store atomic 7, (&a + -4)[r0] monotonic
}
exists (a={7,0})
"""
    graph = event_graph(parse(text))
    written = {graph.cells[e.cell].location for e in graph.events if e.kind is EventKind.WRITE}
    assert written == {"a"}
