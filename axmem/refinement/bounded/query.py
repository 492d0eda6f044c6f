"""Questions about all programs of a family at once.

What goes in: a circuit with what is asked asserted. What comes out: whether there is a solution, and the truth of the
literals that are wanted. This is the only module of the family that meets the solver.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.limits import SAT, TIME_LIMIT, UNKNOWN
from axmem.encoder.sat import empty_question
from axmem.encoder.solver import Query, Session


class Unanswered(Exception):
    """A limit was reached before the solver knew; the message says which."""


class CircuitQuery:
    """A circuit at a solver, which hears of what is added to the circuit when it is next asked.

    A `frozen` one hears of new gates only, and never of clauses that are asserted later. Gates are told in both
    directions if they are to be `whole`, or else in the one in which they are used (`Circuit.all_clauses`). With
    `sat` a SAT solver answers if one is installed.
    """

    def __init__(
        self,
        circuit: Circuit,
        session: Session | None,
        *,
        frozen: bool = False,
        whole: bool = True,
        sat: bool = False,
    ) -> None:
        self.circuit = circuit
        self.frozen = frozen
        self.whole = whole
        self.written: set[int] = set()
        self.since = 0
        self.clauses = 0
        self.query = empty_question(session) if sat else Query(session or Session(), 1, [])
        if whole:
            self._tell(())

    def _tell(self, asked: Iterable[int]) -> None:
        since = len(self.circuit.clauses) if self.frozen and self.since else self.since
        new = self.circuit.all_clauses(asked, whole=self.whole, since=since, written=self.written)
        self.since = len(self.circuit.clauses)
        self.clauses += len(new)
        if new:
            self.query.add(self.circuit.variables, new)

    def check(self, assumptions: Sequence[int], milliseconds: int) -> bool:
        """Tell whether there is a solution that meets assumptions; raise Unanswered."""
        self._tell(())
        return self._within(assumptions, milliseconds)

    def _within(self, assumptions: Sequence[int], milliseconds: int) -> bool:
        """Ask within so many milliseconds of the processor: who counts those of the clock is asked again."""
        started, worked = time.monotonic(), time.process_time()
        answer = self.query.check(assumptions, milliseconds)
        while answer == UNKNOWN and self.query.why == TIME_LIMIT:
            spent = time.process_time() - worked
            rest = milliseconds / 1000 - spent
            if rest <= 0:
                break
            # As long by the clock as that took until now: what begins anew too often comes to no end.
            load = (time.monotonic() - started) / max(spent, LEAST)
            answer = self.query.check(assumptions, min(FOREVER, max(1, int(1000 * rest * max(1.0, load)))))
        if answer == UNKNOWN:
            raise Unanswered(self.query.why)
        return answer == SAT

    def refuting(self) -> frozenset[int]:
        """Return assumptions of the last check for which there was no solution; others may be among them."""
        return self.query.refuting()

    def possible(self, literal: int, seconds: float | None = None) -> bool:
        """Tell whether a literal holds in some solution; raise Unanswered."""
        if literal == FALSE:
            return False
        self._tell([] if literal == TRUE else [literal])
        milliseconds = FOREVER if seconds is None else max(1, int(seconds * 1000))
        return self._within([] if literal == TRUE else [literal], milliseconds)

    def mention(self, literals: Iterable[int]) -> None:
        """Let the solver know what literals mean whose truth will be wanted."""
        self._tell([x for x in literals if abs(x) != TRUE])

    def truth(self, wanted: Iterable[int]) -> dict[int, bool]:
        """Return the truth of literals in the last solution; they were asserted, mentioned or asked about before."""
        found = self.query.solution(sorted({abs(x) for x in wanted if abs(x) != TRUE}))
        return {TRUE: True, FALSE: False, **found, **{-x: not value for x, value in found.items()}}

    def implied(self, pairs: Iterable[tuple[int, int]], steps: int) -> bool | None:
        """Tell whether the first literal of each pair implies the second; None if so many steps cannot tell."""
        broken = self.circuit.disjunction([self.circuit.both(a, -b) for a, b in pairs])
        self.query.limit_steps(steps)
        try:
            return not self.possible(broken)
        except Unanswered:
            return None
        finally:
            self.query.limit_steps(0)


LEAST = 0.001
"""Seconds of a processor below which nothing is said of the load of a machine."""
FOREVER = 0x7FFFFFFF
"""The longest time limit that the solver knows, in milliseconds: more than three weeks."""


def left(end: float | None) -> int:
    """Return how many milliseconds are left until a time of the processor; raise Unanswered if there are none."""
    if end is None:
        return FOREVER
    seconds = end - time.process_time()
    if seconds <= 0:
        raise Unanswered(TIME_LIMIT)
    return max(1, int(seconds * 1000))
