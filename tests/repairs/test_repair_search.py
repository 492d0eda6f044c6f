"""The search for minimal points against brute force, and the laws of the order of annotations."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axmem.codegen.targets import target
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.syntax import Ordering, Scope, SyncScope
from axmem.repairs.costs import DEFAULTS, EDITS, Costs, kinds, parse_weights
from axmem.repairs.minimal import EditSearch, Point, SiteOrder
from axmem.repairs.sites import OWN, Site
from axmem.repairs.spaces import repair_space, weaken_space
from axmem.repairs.strength import Strength, at_least, steps
from axmem.repairs.wording import EDIT_KINDS

CHAIN = (0b1, 0b11, 0b111)
DIAMOND = (0b1, 0b11, 0b101, 0b1111)
FORK = (0b1, 0b11, 0b101)
SHAPES = (CHAIN, DIAMOND, FORK)

orders = st.lists(
    st.sampled_from(SHAPES).flatmap(
        lambda below: st.lists(st.integers(0, 5), min_size=len(below), max_size=len(below)).map(
            lambda costs: SiteOrder(below, ((0, 0), *((c, 1) for c in costs[1:])), (0, *([1] * (len(below) - 1))))
        )
    ),
    min_size=1,
    max_size=4,
)


def reaches(found: tuple[SiteOrder, ...], high: Point, low: Point) -> bool:
    return all(order.below[a] >> b & 1 for order, a, b in zip(found, high, low, strict=True))


def total(found: tuple[SiteOrder, ...], point: Point) -> int:
    return sum(order.costs[state][0] for order, state in zip(found, point, strict=True))


@given(orders, st.data())
@settings(max_examples=150)
def test_the_minimal_points_are_found_in_the_order_of_their_cost(shape: list[SiteOrder], data: st.DataObject) -> None:
    sites = tuple(shape)
    every = list(product(*(range(len(order.below)) for order in sites)))
    seeds = data.draw(st.lists(st.sampled_from(every), max_size=4))
    holding = [point for point in every if any(reaches(sites, point, seed) for seed in seeds)]
    least = {p for p in holding if not any(q != p and reaches(sites, p, q) for q in holding)}
    for monotone in (True, False):
        search = EditSearch(sites, lambda point: point in holding, monotone=monotone)
        found = list(search.points())
        assert set(found) == least and len(found) == len(least) and search.exhausted and not search.doubtful
        assert [total(sites, point) for point in found] == sorted(total(sites, point) for point in found)


@given(orders, st.data())
@settings(max_examples=100)
def test_the_number_of_edits_is_bounded(shape: list[SiteOrder], data: st.DataObject) -> None:
    sites = tuple(shape)
    every = list(product(*(range(len(order.below)) for order in sites)))
    seeds = data.draw(st.lists(st.sampled_from(every), max_size=4))
    holding = [point for point in every if any(reaches(sites, point, seed) for seed in seeds)]
    least = {p for p in holding if not any(q != p and reaches(sites, p, q) for q in holding)}
    found = set(EditSearch(sites, lambda point: point in holding, most=1).points())
    assert found == {point for point in least if sum(map(bool, point)) <= 1}


@given(orders, st.data())
@settings(max_examples=100)
def test_what_nobody_can_tell_is_never_found_and_never_passed_over(shape: list[SiteOrder], data: st.DataObject) -> None:
    sites = tuple(shape)
    every = list(product(*(range(len(order.below)) for order in sites)))
    seeds = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=3))
    dark = set(data.draw(st.lists(st.sampled_from(every), max_size=6)))
    holding = {point for point in every if any(reaches(sites, point, seed) for seed in seeds)}
    search = EditSearch(sites, lambda point: None if point in dark else point in holding)
    found = set(search.points())
    least = {p for p in holding if not any(q != p and reaches(sites, p, q) for q in holding)}
    assert not found & dark and found <= holding
    assert search.doubtful or found == least


def test_a_predicate_that_is_not_monotone_is_found_out() -> None:
    pair = (SiteOrder(CHAIN, ((0, 0), (1, 1), (2, 2)), (0, 1, 1)),) * 2
    crooked = EditSearch(pair, lambda point: point in {(1, 0), (2, 1)})
    assert not list(crooked.points()) and not crooked.contradicted
    assert crooked.try_point((1, 0)) and crooked.contradicted
    steady = EditSearch(pair, lambda point: point[0] >= 1)
    assert list(steady.points()) == [(1, 0)] and steady.try_point((2, 2)) and not steady.contradicted
    bent = EditSearch(pair, lambda point: point in {(1, 0), (1, 1), (2, 0), (2, 2)})
    assert list(bent.points()) == [(1, 0)]
    assert not bent.try_point((2, 1)) and bent.contradicted


# ---------------------------------------------------------------- the order of annotations

TEST = parse(
    """litmus S
global x = 0
global f = 0
thread P0 @ workgroup 0 {
  store 1, x # a:b c:d
  store volatile 2, x
  store atomic 1, f syncscope("workgroup-one-as") release # amdgcn-av:none
  r0 = atomicrmw add f, 1 monotonic # amdgcn-av:none
  r1, ok = cmpxchg f, 1, 2 syncscope("workgroup") acq_rel acquire
  fence syncscope("workgroup") acquire # amdgpu-synchronize-as:local
  make.visible syncscope("wavefront")
}
thread P1 @ workgroup 1 {
  r2 = load x # amdgpu-synchronize-as:local
  r3 = load atomic f unordered
}
thread P2 @ agent 1 {
  av.store.b32 3, x syncscope("agent")
  fence seq_cst
}
exists (P0:r0=1)
""",
    "S.litmus",
)
COSTS = Costs(parse_weights(""), target("gfx942"))
SPACES = {
    "repair": repair_space(TEST, COSTS),
    "silent": repair_space(TEST, COSTS, frozenset(EDIT_KINDS)),
    "weaken": weaken_space(TEST, COSTS, availability=True),
}


@pytest.mark.parametrize("name", SPACES)
def test_the_order_of_states_is_a_partial_order_with_a_least_element(name: str) -> None:
    sites = SPACES[name]
    assert len(sites) >= 8
    for site in sites:
        below = site.below
        assert all(mask & 1 for mask in below)
        for a, b in product(range(len(below)), repeat=2):
            assert a == b or not (below[a] >> b & 1 and below[b] >> a & 1)
            assert not below[a] >> b & 1 or below[a] | below[b] == below[a]


@pytest.mark.parametrize("name", SPACES)
def test_what_is_stronger_is_a_larger_edit_and_never_cheaper_for_the_machine(name: str) -> None:
    for site in SPACES[name]:
        below = site.below
        volatile = any(s.strength is not None and s.strength.volatile for s in site.states)
        for a, b in product(range(len(site.states)), repeat=2):
            if a != b and below[a] >> b & 1:
                assert site.states[a].size > site.states[b].size or name == "silent"
                assert len(site.states[a].changes) >= len(site.states[b].changes) or name == "weaken"
                assert volatile or site.states[a].machine >= site.states[b].machine


def test_a_repair_starts_from_the_text_and_a_weakening_leads_up_to_it() -> None:
    for site in SPACES["repair"]:
        assert site.original == 0 and site.states[0].changes == () and all(s.changes for s in site.states[1:])
    for site in SPACES["weaken"]:
        assert site.states[site.original].changes == ()
        assert site.below[site.original] == (1 << len(site.states)) - 1


def words(sites: tuple[Site, ...], path: tuple[int, int]) -> set[str]:
    return {word for site in sites if site.path == path and site.slot == OWN for s in site.states for word in s.changes}


def test_the_states_of_statements_are_those_of_llvm() -> None:
    repairs = SPACES["repair"]
    assert {"plain → release at agent", "plain → av at system", "without tags of a", "without tags of c"} <= words(
        repairs, (0, 0)
    )
    volatile = words(repairs, (0, 1))
    assert volatile and all(word.endswith("at system") for word in volatile if word.startswith("plain → "))
    assert "without amdgcn-av:none" in words(repairs, (0, 2)) and "release → seq_cst" in words(repairs, (0, 2))
    assert "workgroup-one-as → workgroup" in words(repairs, (0, 2))
    assert "on failure acquire → seq_cst" in words(repairs, (0, 4))
    assert "without tags of amdgpu-synchronize-as" in words(repairs, (0, 5))
    (load,) = [site for site in repairs if site.path == (1, 0) and site.slot == OWN]
    tagged = [state for state in load.states if state.strength and (state.strength.plain or state.strength.av)]
    assert len(tagged) > 1 and all(state.strength and state.strength.tags for state in tagged)


ORDERINGS = list(Ordering)
strengths = st.builds(
    Strength,
    ordering=st.sampled_from(ORDERINGS),
    av=st.just(False),
    scope=st.builds(SyncScope, st.sampled_from(list(Scope)), st.booleans()),
    volatile=st.just(False),
    failure=st.sampled_from([Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.SEQ_CST]),
    silent=st.booleans(),
    tags=st.frozensets(st.sampled_from([("a", "1"), ("a", "2"), ("b", "1")])),
)


@given(strengths, strengths, strengths)
@settings(max_examples=400)
def test_at_least_is_transitive_and_reflexive(a: Strength, b: Strength, c: Strength) -> None:
    assert at_least(a, a)
    if at_least(a, b) and at_least(b, c):
        assert at_least(a, c)
    if at_least(a, b) and a != b:
        assert steps(a, b, tuple(Scope)) >= 0


# ---------------------------------------------------------------- costs


def test_costs_are_counted_in_counters_and_cache_operations() -> None:
    release = TEST.threads[0].body[2]
    counted = kinds(COSTS.instructions(release))
    assert COSTS.machine(release) == sum(DEFAULTS[kind] * n * DEFAULTS["workgroup"] for kind, n in counted.items()) > 0
    fence = TEST.threads[2].body[1]
    assert kinds(COSTS.instructions(fence)) == {"writeback": 1, "wait": 2, "invalidate": 1}
    assert COSTS.machine(fence) == 8 * (8 + 2 + 4)
    assert Costs(parse_weights("wait=0,system=3"), target("gfx942")).machine(fence) == 3 * (8 + 4)
    assert Costs(parse_weights("edits"), target("gfx942")).machine(fence) == 0 and EDITS["edit"] == 1
    assert Costs(parse_weights(""), None).machine(fence) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wiat=1", "--cost:1:1: error: nothing is called 'wiat'"),
        ("wait=1,system", "--cost:1:8: error: 'system' is no weight"),
        ("wait=-1", "is no weight"),
        ("wait=9999999", "a weight is at most 1000000"),
        ("wait=1,,edit=1", "'' is no weight"),
    ],
)
def test_bad_weights_are_refused_where_they_stand(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_weights(text)
    assert message in str(error.value)
