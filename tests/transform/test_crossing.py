"""What may change places in a thread: against the rules as documents state them, and against the search of contexts."""

from __future__ import annotations

import pytest

from axmem.litmus.parser import parse
from axmem.litmus.syntax import Statement
from axmem.refinement.bounded_check import HOLDS, REFUTED
from axmem.transform.crossing import hindrance
from tests.drawn import some
from tests.transform.crossing import OPERATIONS, SMALL, reason, verdict

# Roach motels: "may move before a release store, after an acquire load; never the reverse; no fence crossing unless
# vacuous". What a fence does not order it is vacuous for: a release fence a load behind it, and what is not atomic; an
# acquire fence a store before it, and what is not atomic.
ALLOWED = [
    ("load", "load"),
    ("store", "load monotonic"),
    ("store monotonic", "store monotonic"),
    ("store release", "load"),
    ("store release", "store"),
    ("store release", "load acquire"),
    ("load", "load acquire"),
    ("store monotonic", "load acquire"),
    ("store", "load seq_cst"),
    ("store seq_cst", "load"),
    ("xchg monotonic", "load acquire"),
    ("fence release", "load"),
    ("fence release", "store"),
    ("fence release", "load monotonic"),
    ("load", "fence acquire"),
    ("store monotonic", "fence acquire"),
]
REFUSED = [
    ("load acquire", "load", "up over an acquire"),
    ("load acquire", "store", "up over an acquire"),
    ("load seq_cst", "store", "up over an acquire"),
    ("xchg acq_rel", "load", "up over an acquire"),
    ("fence acquire", "load", "up over an acquire"),
    ("fence seq_cst", "load", "up over an acquire"),
    ("load", "store release", "down over a release"),
    ("store", "store seq_cst", "down over a release"),
    ("store", "xchg acq_rel", "down over a release"),
    ("store", "fence release", "down over a release"),
    ("load", "fence seq_cst", "down over a release"),
    ("store release", "store release", "down over a release"),
    ("store seq_cst", "load seq_cst", "in one order"),
    ("load monotonic", "fence acquire", "before an acquire fence"),
    ("xchg monotonic", "fence acquire", "before an acquire fence"),
    ("fence release", "store monotonic", "behind a release fence"),
    ("fence release", "xchg monotonic", "behind a release fence"),
]


@pytest.mark.parametrize(("first", "second"), ALLOWED, ids=" / ".join)
def test_what_may_change_places(first: str, second: str) -> None:
    assert reason(first, second) == ""


@pytest.mark.parametrize(("first", "second", "why"), REFUSED, ids=lambda part: part)
def test_what_must_stay_in_order(first: str, second: str, why: str) -> None:
    assert why in reason(first, second)


def test_accesses_that_meet() -> None:
    """One of them writes, or both are atomic loads, whose coherence the order of the program is part of."""
    assert reason("load", "load", meet=True) == reason("load", "load monotonic", meet=True) == ""
    assert "stay in order" in reason("load monotonic", "load monotonic", meet=True)
    for first, second in (("load", "store"), ("store", "load"), ("store", "store"), ("xchg monotonic", "load")):
        assert "one of them writes" in reason(first, second, meet=True)


@pytest.mark.parametrize(
    ("first", "second", "meet", "model"),
    some([
        ("store", "load acquire", False, "llvm"),
        ("store release", "load", False, "amdgpu"),
        ("load", "load monotonic", True, "llvm"),
        ("load", "store", True, "amdgpu"),
    ], of=2),
)
def test_a_sample_in_every_context(first: str, second: str, *, meet: bool, model: str) -> None:
    """What the table allows is sound, and what it refuses is not; the whole table takes `tests.long.crossing`."""
    expected = REFUTED if reason(first, second, meet=meet) else HOLDS
    assert verdict((first, second), model, 1, meet=meet, space=SMALL) == expected


def body(text: str) -> tuple[Statement, ...]:
    header = "litmus t\nglobal x = 0\nglobal y = 0\nlds t = 0\n"
    test = parse(f"{header}kernel K() lanes 2 {{\n{text}\nret void\n}}\n", "t")
    return test.kernels[0].body


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("fence acquire  # f:a\nr = load x  # f:b", True),
        ("fence acquire  # f:a\nr = load x  # f:a f:b", False),
        ("fence acquire  # f:a\nr = load x", False),
        ("fence acquire  # f:a\nr = load x  # g:b", False),
        ("fence acquire  # amdgpu-synchronize-as:local\nr = load x", True),
        ("fence acquire  # amdgpu-synchronize-as:local\nr = load t", False),
        ('r = load atomic t syncscope("workgroup-one-as") acquire\nq = load x', True),
        ('r = load atomic t syncscope("workgroup") acquire\nq = load x', False),
    ],
)
def test_tags_that_are_incompatible_order_nothing(text: str, *, free: bool) -> None:
    """[MMRA] "Compatibility"; an access carries the tag of its address space where it names none."""
    first, second = body(text)[:2]
    assert (hindrance(first, second, meet=False) == "") == free


def test_tags_do_not_make_accesses_of_one_location_commute() -> None:
    first, second = body("store 1, x  # f:a\nr = load x  # f:b")[:2]
    assert "one of them writes" in hindrance(first, second, meet=True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("s.barrier\nr = ballot 1", "convergent operation stays behind"),
        ("s.barrier\nfence acquire", "a barrier and a fence"),
        ("fence release\ns.barrier", "a barrier and a fence"),
        ("r = ballot 1\nfence acquire", ""),
        ("s.barrier\nr = load x", ""),
        ("r = load x\ns.barrier", ""),
        ("r = load volatile x\nstore volatile 1, y", "volatile"),
        ("r = load volatile x\nstore 1, y", ""),
        ("fence acq_rel\nfence acq_rel", ""),
        ("fence acquire\nfence release", "up over an acquire"),
        ("make.available\nr = load x", "not known"),
    ],
)
def test_what_is_no_access(text: str, why: str) -> None:
    first, second = body(text)[:2]
    found = hindrance(first, second, meet=False)
    assert why in found and bool(why) == bool(found)


def test_every_operation_has_a_word_in_the_table() -> None:
    """No pair is left without an answer, and an operation crosses itself only where order says nothing."""
    for first in OPERATIONS:
        for second in OPERATIONS:
            assert isinstance(reason(first, second), str)
    assert reason("load", "load") == "" and reason("load acquire", "load acquire") != ""
