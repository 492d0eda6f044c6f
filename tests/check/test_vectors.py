"""Conditions on vectors: asked of the solver lane by lane, which is the same as of all lanes at once."""

from __future__ import annotations

from itertools import product

import pytest

import axmem
from axmem.check import conditions
from axmem.check.decide import decide

NARROW = """litmus halves
global <2 x i32> x = {0, 0}
thread P0 { store atomic elementwise <2 x i32> {1, 1}, x monotonic }
thread P1 { store atomic elementwise <2 x i32> {2, 2}, x monotonic }
"""
ASKED = [f"x {op} {{{a}, {b}}}" for op, a, b in product(("=", "!="), (0, 1, 2, "undef"), (1, 2))]
"""Each half is what one of the threads stored: four of sixteen vectors, of which x is one, or another."""


def test_equal_is_what_is_equal_in_each_lane() -> None:
    for asked in (*ASKED, "x = 1", "x != 1"):
        test = f"{NARROW}exists ({asked})"
        assert decide(test, "llvm").verdict == axmem.outcomes(test, "llvm").verdict, asked


def test_a_long_vector_is_not_tried_with_all_values_of_all_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 32 lanes with two values each there are four thousand million."""
    tried = 0

    def counted(*args: object, **named: object) -> conditions.ConditionTruth:
        nonlocal tried
        tried += 1
        return in_lane(*args, **named)  # type: ignore[arg-type]

    in_lane = conditions.holds_in_lane
    monkeypatch.setattr(conditions, "holds_in_lane", counted)
    zeros, ones = (f"{{{', '.join([number] * 32)}}}" for number in "01")
    test = (
        f"litmus long\nglobal <32 x i8> x = {zeros}\nthread P0 {{ store <32 x i8> {ones}, x }}\nexists (x = {ones})\n"
    )
    assert decide(test, "llvm").verdict == "always"
    assert 0 < tried <= 64
