"""Outcomes as results show them."""

from __future__ import annotations

from random import Random

import pytest

from axmem.check.judging import Question, report_of
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


def test_a_model_without_undef_says_so_where_a_condition_asks_for_it() -> None:
    text = "litmus t\nglobal x = 0\nthread P0 {\n  store 1, x\n}\nthread P1 {\n  r = load x\n}\n"
    text += "exists (P1:r=undef)\n"
    said = {"vulkan": True, "rc11": True, "sc": True, "llvm": False, "vulkan[races=undef]": False}
    for model, noted in said.items():
        (answer,) = report_of(Question("t", text, (model,))).answers
        assert bool(answer.notes) == noted, model
        (answer,) = report_of(Question("t", text.replace("undef", "1"), (model,))).answers
        assert not answer.notes
