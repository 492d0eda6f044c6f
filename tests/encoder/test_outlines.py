"""What is kept of outlines and marks is what the events themselves give, whatever tests were asked before.

The vocabulary's meanings are functions of events. Each is evaluated here on the whole events of a test; what the
engines use is evaluated on events of which all but an outline, or all but the marks, is at its default, and kept.
"""

from __future__ import annotations

import pytest

from axmem.encoder.outlines import OUTLINE, StaticRelations, relations, shape_of
from axmem.encoder.statics import MARKS, Statics, sets
from axmem.events.conventions import Conventions
from axmem.events.graph import Event
from axmem.events.unroll import Unroller, cut_cells, event_graph, whole_locations
from axmem.front.records import names_of, replace
from axmem.litmus.parser import parse
from axmem.litmus.words import Ordering, Scope
from tests.corpus import corpus_test
from tests.paths import CORPUS_TESTS

TESTS = [corpus_test(path) for path in CORPUS_TESTS[::12]]


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_relations_depend_on_outlines_and_sets_on_marks(test) -> None:  # type: ignore[no-untyped-def]
    graph = event_graph(test)
    whole, statics = StaticRelations(graph.events, graph.placements, graph.levels), Statics(graph)
    for name in relations(graph.levels):
        assert statics.relation_of(name) == whole.relation_of(name), name
    for name, inside in sets(graph.levels).items():
        assert statics.set_of(name) == sum(1 << e.index for e in graph.events if inside(e)), name


BASE = """litmus t
global x = 0
global y = 0
thread P0 {
  store 1, x release
  r0 = atomicrmw add y, 1 syncscope("agent") acquire
}
thread P1 @ workgroup 1 {
  r0 = load y acquire
  store r0, x monotonic
}
"""


def test_tests_of_one_outline_share_their_relations() -> None:
    shape = shape_of(event_graph(parse(BASE)))
    for other in (("release", "monotonic"), ("agent", "workgroup"), ("add y, 1", "add y, 2"), ("store 1,", "store 7,")):
        assert shape_of(event_graph(parse(BASE.replace(*other)))) is shape
    for other in (
        ("workgroup 1", "workgroup 2"), ("r0 = load y", "r0 = load x"), ("  store r0, x monotonic\n", ""),
        ("atomicrmw add y, 1", "load y"), ('"agent"', '"agent-one-as"'), ("global x", "lds x"),
        ("store 1, x release", "store 1, x release # vulkan:private"), ("global y = 0", "global y"),
    ):  # fmt: skip
        assert shape_of(event_graph(parse(BASE.replace(*other)))) is not shape


def test_every_part_of_an_event_is_in_the_key_or_at_its_default() -> None:
    graph = event_graph(parse(BASE))
    shape = shape_of(graph)
    assert all(getattr(e, name) == getattr(g, name) for e, g in zip(shape.events, graph.events, strict=True)
               for name in OUTLINE)  # fmt: skip
    plain = Event(0, 0, graph.events[0].kind, 0, 0, 0)
    for name in {*names_of(Event)} - {*OUTLINE}:
        assert all(getattr(e, name) == getattr(plain, name) for e in shape.events)
    assert {*MARKS} <= {*names_of(Event)}


def test_sets_follow_what_differs_in_one_event() -> None:
    graph = event_graph(parse(BASE))
    at = next(e.index for e in graph.events if e.ordering is Ordering.RELEASE)
    for changes, gone, come in (
        ({"ordering": Ordering.SEQ_CST}, "REL", "SC"),
        ({"scope": Scope.AGENT}, "system", "agent"),
        ({"volatile": True}, "", "Vol"),
        ({"tags": frozenset({("vulkan", "private")})}, "", "Tagged"),
    ):
        events = [replace(e, **changes) if e.index == at else e for e in graph.events]
        before, after = Statics(graph), Statics(replace(graph, events=tuple(events)))
        assert not before.set_of(come) >> at & 1 and after.set_of(come) >> at & 1
        assert not gone or before.set_of(gone) >> at & 1 > after.set_of(gone) >> at & 1


@pytest.mark.parametrize("decided", [Conventions(), Conventions(undef_memory=True), Conventions(tearing=True)])
def testwhole_locations_are_the_cells_that_a_walk_finds(decided: Conventions) -> None:
    found = [(test, whole_locations(test, decided)) for test in TESTS]
    for test, cells in found:
        if cells is not None:
            walk = Unroller(test, {}, decided)
            walk.run()
            assert cut_cells(walk.builder.test, walk.builder.footprints) == cells
    assert any(cells is not None for _, cells in found) is not decided.tearing
