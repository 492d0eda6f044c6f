"""Limits that count what a processor works, and not the clock."""

from __future__ import annotations

import time

from axmem.encoder.limits import SAT, TIME_LIMIT, UNKNOWN
from axmem.encoder.solve import Deadline, Limits, _Search


def test_who_waits_does_not_work() -> None:
    worked, clock = Deadline(0.05), Deadline(0.05, worked=False)
    time.sleep(0.1)
    assert clock.passed() and not worked.passed()
    assert 1 <= worked.milliseconds() <= 400  # As long by the clock as the work took, on eight machines at most.
    while not worked.passed():
        sum(range(1000))
    assert worked.milliseconds() == 1


class Late:
    """A solver that the clock stops twice before it knows."""

    why = TIME_LIMIT

    def __init__(self) -> None:
        self.asked = 0

    def check(self, assumptions: list[int], timeout_ms: int) -> int:
        self.asked += 1
        return SAT if self.asked > 2 else UNKNOWN


def test_a_solver_that_the_clock_stops_is_asked_again() -> None:
    for worked, answers in ((True, 3), (False, 1)):
        query = Late()
        deadline = Deadline(60.0 if worked else 0.0, worked=worked)
        search = _Search(query, (), Limits(), deadline)  # type: ignore[arg-type]
        assert search.possible([], 5) is worked
        assert query.asked == answers and bool(search.reasons) is not worked
