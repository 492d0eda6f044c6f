"""Limits of questions are seconds of a processor, whatever a solver counts."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from axmem.encoder.circuit import Circuit
from axmem.encoder.limits import SAT, STEP_LIMIT, TIME_LIMIT, UNKNOWN, Reason
from axmem.refinement.bounded.query import CircuitQuery, Unanswered


class Loaded:
    """A solver on a machine that others use: it stops when its time by the clock is over, having worked for a part of
    it; `needs` are the milliseconds of work after which it knows."""

    def __init__(self, needs: int, monkeypatch: pytest.MonkeyPatch, why: Reason = TIME_LIMIT) -> None:
        self.worked, self.needs, self.why, self.asked = 0.0, needs, why, list[int]()
        monkeypatch.setattr(time, "process_time", lambda: self.worked / 1000)
        monkeypatch.setattr(time, "monotonic", lambda: sum(self.asked) / 1000)

    def add(self, variables: int, clauses: Sequence[tuple[int, ...]]) -> None:
        """Do nothing."""

    def check(self, assumptions: Sequence[int], milliseconds: int) -> int:
        self.asked.append(milliseconds)
        self.worked += milliseconds / 30
        return SAT if self.worked >= self.needs else UNKNOWN


def asked(solver: Loaded) -> CircuitQuery:
    found = CircuitQuery(Circuit(), None)
    found.query = solver  # type: ignore[assignment]
    return found


def test_the_load_of_the_machine_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = Loaded(900, monkeypatch)
    assert asked(solver).check([], 1000)
    assert len(solver.asked) == 2  # What begins anew too often comes to no end.
    late = Loaded(1100, monkeypatch)
    with pytest.raises(Unanswered):
        asked(late).check([], 1000)
    assert 999 <= late.worked <= 1001
    with pytest.raises(Unanswered):
        asked(Loaded(1100, monkeypatch)).possible(1, 1.0)


def test_another_limit_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = Loaded(900, monkeypatch, STEP_LIMIT)
    with pytest.raises(Unanswered):
        asked(solver).check([], 1000)
    assert solver.asked == [1000]
