"""What generated tests mean: their programs, and the verdicts of models on their conditions.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axmem.check.results import outcomes
from axmem.generate.cycles import Cycle, parse_cycle
from axmem.generate.edges import matching_edges
from axmem.generate.enumeration import Decorations, cycles, decorated
from axmem.generate.families import FAMILIES, family_cycle
from axmem.generate.marks import PLAIN, parse_mark
from axmem.generate.names import name_of
from axmem.generate.places import all_places
from axmem.generate.programs import litmus_test
from axmem.generate.suites import Placing, suite
from axmem.litmus.lint import warnings
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import AccessMode
from tests.drawn import examples


def text_of(cycle: str) -> str:
    return print_test(litmus_test(parse_cycle(cycle), "T"))


def verdict(cycle: str | Cycle, model: str, sequentially: bool = False) -> str:
    parsed = parse_cycle(cycle) if isinstance(cycle, str) else cycle
    if sequentially:
        (parsed,) = decorated(parsed, Decorations(access=parse_mark("Sc"), orderings=(parse_mark("Sc"),)))
    result = outcomes(litmus_test(parsed, "T"), model)
    assert result.complete
    return result.verdict


def body(text: str) -> list[str]:
    """Return the statements and the condition, without declarations."""
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(("litmus", '"', "global", "thread"))]


# ---------------------------------------------------------------- programs


def test_message_passing() -> None:
    assert body(text_of("Rel.ag Rfe Acq.ag PodRR P Fre P PodWW")) == [
        "store 1, x",
        'store atomic 1, y syncscope("agent") release',
        "}",
        'r0 = load atomic y syncscope("agent") acquire',
        "r1 = load x",
        "}",
        "exists (P1:r0=1 /\\ P1:r1=0)",
    ]


def test_the_description_is_the_cycle() -> None:
    test = litmus_test(parse_cycle("Rel Rfe Acq PodRR Fre PodWW"), "T")
    assert test.description == "Cycle: PodWW Rel Rfe Acq PodRR Fre"
    assert parse_cycle(test.description.removeprefix("Cycle: ")) == parse_cycle("Rel Rfe Acq PodRR Fre PodWW")


def test_dependencies_fences_and_updates() -> None:
    address = body(text_of("Rfe DpAddrdR Fre Fence.rel.ag!none.dWW"))
    assert address[1] == 'fence syncscope("agent") release # amdgcn-av:none'
    assert "r1 = load atomic x[r0 ^ r0] monotonic" in address
    assert "store atomic (r0 ^ r0) + 1, y monotonic" in body(text_of("Rfe DpDatadW Rfe PodRW"))
    control = body(text_of("Rfe DpCtrldW Rfe PodRW"))
    assert control[control.index("if r0 == 1 {") + 1].startswith("store atomic 1")
    assert "r0 = atomicrmw xchg y, 2 acq_rel" in body(text_of("Rfe Acq Rmw Rel PodWR Fre PodWW"))


def test_a_branch_holds_all_that_follows() -> None:
    lines = body(text_of("Rfe DpCtrldR PodRW Wse PodWW"))
    branch = lines.index("if r0 == 1 {")
    assert lines[branch + 1 : branch + 5] == [
        "r1 = load atomic z monotonic",
        "store atomic 1, x monotonic",
        "}",
        "}",
    ]


def test_two_writes_are_ordered_by_the_final_value() -> None:
    assert body(text_of("PodWW Wse PodWW Wse"))[-1] == "exists (x=2 /\\ y=2)"


def test_three_writes_are_ordered_by_an_observer() -> None:
    lines = body(text_of("PodWW Wse PosWW Rfe PodRR Fre"))
    assert lines[-4:] == [
        "r0 = load atomic y monotonic",
        "r1 = load atomic y monotonic",
        "}",
        "exists (P2:r0=3 /\\ P2:r1=0 /\\ P3:r0=1 /\\ P3:r1=2 /\\ y=3)",
    ]


def test_places_are_kept() -> None:
    places = list(all_places(2))[1]
    test = litmus_test(family_cycle("MP"), "T", places)
    assert [t.placement.numbers for t in test.threads] == [
        (0, 0, 0, 0, 0),
        (0, 0, 0, 1, 0),
    ]


COMMUNICATIONS = ("Rfe", "Fre", "Wse", "Rfi", "Fri", "Wsi")
EVERY_EDGE = (*COMMUNICATIONS, "Rmw", "Po*", "Dp*", "Fence.sc.d**", "Fence.acq.ag#amdgpu-synchronize-as:local.s**")
EVERY_CYCLE = list(cycles(tuple(dict.fromkeys(e for w in EVERY_EDGE for e in matching_edges(w))), 4))


ACCESSES = [PLAIN, parse_mark("Av.ag"), parse_mark("P.vol#amdgpu-synchronize-as:global")]


@given(st.sampled_from(EVERY_CYCLE), st.sampled_from(ACCESSES))
@settings(max_examples=examples(150))
def test_generated_text_is_canonical_and_without_warnings(cycle: Cycle, access: AccessMode) -> None:
    for generated in suite([cycle], Decorations(access), Placing(every=True)):
        test = parse(generated.text)
        assert test == generated.test
        assert print_test(test) == generated.text
        assert not warnings(test)


# ---------------------------------------------------------------- meaning


@pytest.mark.parametrize("name", FAMILIES)
def test_no_family_is_sequentially_consistent(name: str) -> None:
    assert verdict(family_cycle(name), "sc", sequentially=True) == "never"


@pytest.mark.parametrize("cycle", EVERY_CYCLE[:: max(1, len(EVERY_CYCLE) // 80)], ids=lambda c: c.text)
def test_no_cycle_is_sequentially_consistent(cycle: Cycle) -> None:
    assert verdict(cycle, "sc", sequentially=True) == "never"


@pytest.mark.parametrize("cycle", ["Wse PosWW Wse PodWR Fre PodWW", "Rfe PosRW Wse PosWW Wse PodWR Fre PodWW"])
def test_observed_cycles_are_not_sequentially_consistent_but_possible(cycle: str) -> None:
    assert verdict(cycle, "sc") == "never"
    assert verdict(cycle, "llvm") == "sometimes"


# Monotonic accesses are ordered by coherence alone: every family over several locations may happen, among them LB,
# whose stores depend on nothing; none at a single location may.
@pytest.mark.parametrize("name", [n for n in FAMILIES if not n.startswith("4.")])
def test_families_with_monotonic_accesses(name: str) -> None:
    expected = "never" if name.startswith("Co") else "sometimes"
    assert verdict(family_cycle(name), "llvm") == expected
    assert verdict(family_cycle(name), "amdgpu") == expected


# seq_cst accesses alone, without other orderings, are sequentially consistent in C++20, and so in LLVM.
@pytest.mark.parametrize("name", ["MP", "SB", "LB", "S", "R", "2+2W", "WRC", "RWC", "ISA2", "3.SB", "Z6.3"])
def test_families_with_seq_cst_accesses(name: str) -> None:
    assert verdict(family_cycle(name), "llvm", sequentially=True) == "never"


@pytest.mark.parametrize(
    ("cycle", "expected"),
    [
        # release and acquire order what they synchronize: MP, WRC and ISA2 are causal, SB and IRIW are not
        ("Rel Rfe Acq PodRR Fre PodWW", "never"),
        ("Rfe Acq PodRW Rel Rfe Acq PodRR Fre", "never"),
        ("PodWW Rel Rfe Acq PodRW Rel Rfe Acq PodRR Fre", "never"),
        ("Rel PodWR Acq Fre Rel PodWR Acq Fre", "sometimes"),
        ("Rel Rfe Acq PodRR Acq Fre Rel Rfe Acq PodRR Acq Fre", "sometimes"),
        # half of the pair is not enough
        ("Rel Rfe PodRR Fre PodWW", "sometimes"),
        ("Rfe Acq PodRR Fre PodWW", "sometimes"),
        # fences in the place of orderings
        ("Fence.rel.dWW Rfe Fence.acq.dRR Fre", "never"),
        ("Fence.sc.dWR Fre Fence.sc.dWR Fre", "never"),
        ("Fence.acq_rel.dWR Fre Fence.acq_rel.dWR Fre", "sometimes"),
        # a value out of thin air would depend on itself; one dependency is not yet a circle
        ("DpDatadW Rfe DpAddrdW Rfe", "never"),
        ("DpDatadW Rfe PodRW Rfe", "sometimes"),
        ("DpCtrldW Rfe DpCtrldW Rfe", "never"),
        # a dependency orders nothing else
        ("Rfe DpAddrdR Fre Fence.rel.dWW", "sometimes"),
        # the update reads what is immediately before its write, and so the other write is before or after both
        ("Rmw Wse PosWW Rfe", "never"),
    ],
)
def test_orderings_in_llvm(cycle: str, expected: str) -> None:
    assert verdict(cycle, "llvm") == expected


@pytest.mark.parametrize(
    ("index", "expected"),
    # agent scope: the same wavefront, another wavefront, another workgroup; not another agent
    [(0, "never"), (1, "never"), (2, "never"), (3, "sometimes")],
)
def test_places_decide_scopes(index: int, expected: str) -> None:
    places = list(all_places(2))[index]
    test = litmus_test(parse_cycle("Rel.ag Rfe Acq.ag PodRR Fre PodWW"), "T", places)
    assert outcomes(test, "llvm").verdict == expected


def test_an_opt_out_makes_plain_data_unavailable() -> None:
    # the store is neither available nor visible, so the read of it is undef, which satisfies the condition
    cycle = "Rel.ag!none Rfe Acq.ag!none PodRR P Fre P PodWW"
    assert verdict(cycle, "llvm") == "never"
    assert verdict(cycle, "amdgpu") == "sometimes"
    assert name_of(parse_cycle(cycle)) == "MP+rel.ag.none+acq.ag.none"
