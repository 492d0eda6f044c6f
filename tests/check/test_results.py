"""Outcomes as results show them."""

from __future__ import annotations

from random import Random

import pytest

from axmem.check.results import in_order
from axmem.encoder.solve import Row
from axmem.events.values import UNDEF, Value


def test_many_outcomes_are_in_the_order_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Column by column, lane by lane, undef after numbers."""
    rng = Random(1)
    values: tuple[Value, ...] = (0, 1, 300, UNDEF)

    def cell(lanes: int) -> tuple[Value, ...]:
        return tuple(rng.choice(values) for _ in range(lanes))

    rows: list[Row] = [*{(cell(1), cell(2), cell(1)) for _ in range(200)}]
    expected = sorted(rows, key=lambda row: [[1000 if v is UNDEF else v for v in lanes] for lanes in row])
    assert list(in_order(rows)) == expected
    monkeypatch.setattr("axmem.check.results._SORTED", 2)
    assert list(in_order(rows)) == expected
    assert in_order([()]) == ((),) and in_order([]) == ()
