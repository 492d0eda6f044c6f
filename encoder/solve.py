"""Enumerate the outcomes of an encoding with the solver.

What goes in: a test, a model, limits. What comes out: every outcome that some consistent execution has, or those found
before a limit was reached, with the limit named. Outcomes, not executions, are blocked.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.constraints import Encoding, encode
from axmem.encoder.events import EventGraph
from axmem.encoder.execution import OneHot
from axmem.encoder.solver import SAT, UNKNOWN, Query, Session
from axmem.encoder.values import Value
from axmem.model.terms import Model

Row = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a test may cost: seconds (None: no limit) and outcomes (None: no limit)."""

    seconds: float | None = None
    outcomes: int | None = None


UNLIMITED = Limits()


@dataclass(frozen=True, slots=True)
class Solved:
    """What the solver found. `incomplete` is empty if the outcomes are all there are, else says what cut them.

    `clauses`, `variables` and `checks` measure the work, whatever the machine.
    """

    outcomes: frozenset[Row]
    flags: frozenset[str]
    undefined: frozenset[str]
    incomplete: tuple[str, ...]
    variables: int
    clauses: int
    checks: int


TIME_LIMIT = "the time limit was reached"


class _Deadline:
    def __init__(self, seconds: float | None) -> None:
        self.end = None if seconds is None else time.monotonic() + seconds

    def milliseconds(self) -> int:
        """Return what is left, at least 1; 0 stands for no limit."""
        return 0 if self.end is None else max(1, int((self.end - time.monotonic()) * 1000))

    def passed(self) -> bool:
        return self.end is not None and time.monotonic() >= self.end


def solve(graph: EventGraph, model: Model, limits: Limits = UNLIMITED, session: Session | None = None) -> Solved:
    """Return every outcome of a test's events under a model, within limits."""
    deadline = _Deadline(limits.seconds)
    encoding = encode(graph, model, expired=deadline.passed)
    if encoding is None:
        return Solved(frozenset(), frozenset(), frozenset(), (TIME_LIMIT,), 0, 0, 0)
    observed = [x for lanes in encoding.lanes for lane in lanes for x in lane.values() if abs(x) != TRUE]
    named = {**encoding.flags, **{f"!{k}": v for k, v in encoding.undefined.items()}}
    asked = [*observed, *named.values(), encoding.beyond]
    clauses = encoding.circuit.all_clauses(asked)
    query = Query(session or Session(), encoding.circuit.variables, clauses)
    search = _Search(query, encoding, limits, deadline)
    raised = {name for name, literal in named.items() if search.possible(literal)}
    search.run()
    return Solved(
        outcomes=frozenset(search.outcomes),
        flags=frozenset(n for n in raised if not n.startswith("!")),
        undefined=frozenset(n[1:] for n in raised if n.startswith("!")),
        incomplete=(*encoding.limits, *search.reasons),
        variables=encoding.circuit.variables,
        clauses=len(clauses),
        checks=query.checks,
    )


class _Search:
    """The enumeration loop."""

    def __init__(self, query: Query, encoding: Encoding, limits: Limits, deadline: _Deadline) -> None:
        self.query = query
        self.encoding = encoding
        self.limits = limits
        self.deadline = deadline
        self.outcomes: set[Row] = set()
        self.reasons: list[str] = []
        self.inside = [] if encoding.beyond == FALSE else [-encoding.beyond]

    def possible(self, literal: int) -> bool:
        """Tell whether a literal holds in some consistent execution; a limit reached is noted."""
        if literal == FALSE:
            return False
        answer = self.query.check([*self.inside, literal], self.deadline.milliseconds())
        if answer == UNKNOWN:
            self._stop(self.query.why)
        return answer == SAT

    def run(self) -> None:
        """Find a solution, note its outcome, block the outcome, until there is none."""
        lanes = [lane for lanes in self.encoding.lanes for lane in lanes]
        while not self.reasons:
            if self.limits.outcomes is not None and len(self.outcomes) >= self.limits.outcomes:
                self._stop(f"the limit of {self.limits.outcomes} outcomes was reached")
                return
            if self.deadline.passed():
                self._stop(TIME_LIMIT)
                return
            answer = self.query.check(self.inside, self.deadline.milliseconds())
            if answer == UNKNOWN:
                self._stop(self.query.why)
                return
            if answer != SAT:
                break
            self._note(lanes)
        if self.encoding.beyond != FALSE and not self.reasons:
            self._look_beyond()

    def _note(self, lanes: list[OneHot]) -> None:
        truth = self.query.solution([x for lane in lanes for x in lane.values() if x != TRUE])
        truth[TRUE] = True
        chosen = [next((v, x) for v, x in lane.items() if truth[x]) for lane in lanes]
        values = iter([value for value, _ in chosen])
        row = tuple(tuple(next(values) for _ in lanes) for lanes in self.encoding.lanes)
        self.outcomes.add(row)
        self.query.block([x for _, x in chosen if x != TRUE])

    def _look_beyond(self) -> None:
        """Ask whether an execution has a value outside the finite domains."""
        answer = self.query.check([self.encoding.beyond], self.deadline.milliseconds())
        if answer == SAT:
            self._stop("a value lies outside the finite domains")
        elif answer == UNKNOWN:
            self._stop(self.query.why)

    def _stop(self, reason: str) -> None:
        if reason not in self.reasons:
            self.reasons.append(reason)
