"""Changes of rows in every context: by families of programs, and one context after the other."""

from __future__ import annotations

import pytest

from axmem.check.selection import loaded
from axmem.encoder.unroll import event_graph
from axmem.families.bound import Bound
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest, ModelChoice
from axmem.litmus.words import OperationKind, Ordering
from axmem.refinement.changed import Change
from axmem.refinement.contexts import HOLDS, REFUTED
from axmem.refinement.pairs import refine
from axmem.refinement.paths import paths
from axmem.refinement.rows import Winding
from axmem.refinement.rules import CORE
from axmem.refinement.soundness import tried
from axmem.refinement.transformed import paired_rows, sound_in_contexts, sound_in_families, sound_on_paths
from tests.transform.verdicts import VERDICTS, Verdict, alone

SMALL = Bound(
    kinds=(OperationKind.LOAD, OperationKind.STORE, OperationKind.FENCE),
    orderings=(Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.RELEASE),
    apart=True,
    finals=False,
)
LLVM, AMDGPU = ModelChoice("llvm"), ModelChoice("amdgpu")

STRAIGHT = tuple(v for v in VERDICTS if "if " not in v.before and "assume" not in v.before)
OTHER_OBSERVERS = {
    # A fence that goes up over the flag of an iteration before it takes that flag out of what it releases: who reads
    # the second flag need not see the first. The observers of the verdict do not look at both.
    "distribute: data and fence, then flag",
    "distribute: data, then flag, one fence after all data",
}


def change(case: Verdict) -> Change:
    """Return what a case does to its one thread, with nobody beside it."""
    return Change(parse(alone(case, "before"), "before"), parse(alone(case, "after"), "after"))


def test_most_bodies_are_straight() -> None:
    assert len(STRAIGHT) == 22
    for case in set(VERDICTS) - set(STRAIGHT):
        with pytest.raises(Winding):
            paired_rows(change(case))


@pytest.mark.parametrize("case", STRAIGHT, ids=lambda v: v.name)
def test_what_an_observer_refutes_is_refuted_in_some_context(case: Verdict) -> None:
    """Every observer of the verdicts has a context of two operations that does as well."""
    found = sound_in_families(paired_rows(change(case)), LLVM, 2, CORE)
    assert found.status == (HOLDS if case.sound and case.name not in OTHER_OBSERVERS else REFUTED), found.reasons
    if found.counterexample is not None:
        shown = found.counterexample
        assert refine(shown.before, shown.after, LLVM, explained=False).verdict == "unsound"
        # Two operations are needed: one alone cannot tell an order.
        assert found.events == 2


@pytest.mark.parametrize("case", STRAIGHT[::4], ids=lambda v: v.name)
def test_families_and_contexts_agree(case: Verdict) -> None:
    """Both ways find a context of one operation, or none; `tests.long` has those of two, of every body."""
    both = paired_rows(change(case))
    here = sound_in_families(both, AMDGPU, 1, SMALL)
    there = sound_in_contexts(change(case), AMDGPU, 1, SMALL)
    assert (here.status, here.events) == (there.status, there.events)


def test_they_agree_on_two_operations() -> None:
    (case,) = (v for v in STRAIGHT if v.name == "LICM: relaxed load over an acquire fence")
    here = sound_in_families(paired_rows(change(case)), LLVM, 2, SMALL)
    there = sound_in_contexts(change(case), LLVM, 2, SMALL)
    assert here.status == there.status == REFUTED


PROMOTED = """litmus p
global s = 0, f = 0
kernel K() {{
v = load s
w = v + 1
{}
}}
exists (true)
"""
STORED, FLAG = "store w, s", 'store atomic 1, f syncscope("{}") release'


@pytest.mark.parametrize("scope", ["wavefront", "workgroup", "cluster", "agent"])
def test_further_threads_are_with_the_kernel_at_the_levels_of_its_scopes(scope: str) -> None:
    """Who acquires a flag that is released at some scope is in that instance, and no further inside than need be."""
    flag = FLAG.format(scope)
    before, after = (PROMOTED.format("\n".join(row)) for row in ((STORED, flag), (flag, STORED)))
    both = Change(parse(before, "before"), parse(after, "after"))
    space = tried(both)
    assert [level.word for level in space.levels] == [scope]
    found = sound_in_contexts(both, LLVM, 2, space)
    assert (found.status, found.events) == (REFUTED, 2) and found.counterexample is not None
    placed = [t.placement for t in parse(found.counterexample.before, "shown").threads]
    kernel = next(p for p in event_graph(both.before).placements)
    assert [p.meeting(kernel).word for p in placed] == [scope]


BARRIER = """litmus b
global i32 D = 0
global i32 E = 0
thread P @ workgroup 0, wavefront 0 {{ {first}; {fences}; barrier b; {then} }}
thread Q @ workgroup 0, wavefront 1 {{ barrier b; fence syncscope("workgroup") acquire; r = load D }}
exists (true)
"""


def at_barrier(first: str, then: str = "", fences: str = 'fence syncscope("workgroup") release') -> str:
    text = BARRIER.format(first=first, then=then, fences=fences)
    return text.replace(";", "\n").replace("{ ", "{\n")


@pytest.mark.parametrize("model", [LLVM, AMDGPU], ids=["llvm", "amdgpu"])
def test_rows_meet_at_barriers(model: ModelChoice) -> None:
    """Who waits at a barrier behind a release fence has the store before it, by the documents' rule of barriers; a
    store behind the barrier races with the load. Two plain stores before the fence are one to everybody else."""
    before = parse(at_barrier("store 1, D; store 2, E"), "before")
    moved = parse(at_barrier("store 2, E", "store 1, D"), "after")
    swapped = parse(at_barrier("store 2, E; store 1, D"), "after")
    for after, sound in ((moved, False), (swapped, True)):
        both = Change(before, after)
        here = sound_in_families(paired_rows(both), model, 1, SMALL)
        there = sound_in_contexts(both, model, 1, SMALL)
        assert here.status == there.status == (HOLDS if sound else REFUTED)
        # A race with the load needs nobody else.
        assert here.events == there.events == int(sound)


def test_a_barrier_whose_fence_goes_orders_nothing() -> None:
    before = parse(at_barrier("store 1, D"), "before")
    after = parse(at_barrier("store 1, D", fences=""), "after")
    assert sound_in_families(paired_rows(Change(before, after)), LLVM, 0, CORE).status == REFUTED
    assert sound_in_families(paired_rows(Change(after, before)), LLVM, 0, CORE).status == HOLDS


def test_threads_that_meet_meet_everywhere() -> None:
    """Rows have barriers at which all their threads meet in one order; a third thread at one of two is refused."""
    text = at_barrier("barrier c").replace("exists", "thread S @ workgroup 0, wavefront 2 { barrier c }\nexists")
    test = parse(text, "test")
    with pytest.raises(Winding, match="meet"):
        paired_rows(Change(test, test))


def exchanging(body: str) -> LitmusTest:
    """A thread that compares and exchanges."""
    lines = body.replace("; ", "\n")
    return parse(f"litmus x\nglobal i32 F = 0, D = 0, E = 0\nthread P {{\n{lines}\n}}\nexists (true)\n", "x")


EXCHANGE = "r, ok = cmpxchg F, 0, 1 acq_rel acquire"


@pytest.mark.parametrize(
    ("before", "after", "sound"),
    [
        # Two plain stores, whichever way the exchange before them goes.
        (f"{EXCHANGE}; store 1, D; store 1, E", f"{EXCHANGE}; store 1, E; store 1, D", True),
        # Both ways acquire: whoever has released the value that is read has loaded D before.
        (f"{EXCHANGE}; store 1, D", f"store 1, D; {EXCHANGE}", False),
        # One way releases: whoever acquires the 1 sees the store before it.
        (f"store 1, D; {EXCHANGE}", f"{EXCHANGE}; store 1, D", False),
    ],
)
def test_compare_exchanges_go_both_ways(before: str, after: str, *, sound: bool) -> None:
    both = Change(exchanging(before), exchanging(after))
    split = sound_on_paths(both, LLVM, 2, SMALL)
    assert (split.status if split else None) == (HOLDS if sound else None)
    assert sound_in_contexts(both, LLVM, 2, SMALL).status == (HOLDS if sound else REFUTED)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (EXCHANGE, EXCHANGE.replace("0, 1", "2, 1"), "another, after it"),
        (EXCHANGE, "store 1, D", "is none"),
        ("store 1, D", EXCHANGE, "other compare-exchanges after"),
        (f"{EXCHANGE}; if ok {{ store 1, D }}", EXCHANGE, "a branch"),
        ("; ".join(EXCHANGE.replace("r, ok", f"r{k}, ok{k}") for k in range(7)), "", "more than 6"),
    ],
)
def test_what_has_no_ways(before: str, after: str, why: str) -> None:
    both = Change(exchanging(before), exchanging(after or before))
    with pytest.raises(Winding, match=why):
        list(paths(both, loaded(LLVM)))


def test_a_model_that_knows_failures_is_asked_otherwise() -> None:
    both = Change(exchanging(EXCHANGE), exchanging(EXCHANGE))
    with pytest.raises(Winding, match="fails"):
        list(paths(both, loaded(ModelChoice("tso"))))
    assert len(list(paths(both, loaded(LLVM)))) == 2
