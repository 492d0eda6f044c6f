"""Enumerate the outcomes of a test.

What goes in: a test, a model, limits. What comes out: every outcome that some consistent execution has, or those found
before a limit was reached, with the limit named. Outcomes, not executions, are enumerated. Where the choices of an
execution have few combinations, tables of all of them answer, else the solver; or the engine that is named.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import islice
from math import prod
from operator import getitem
from typing import Any, Protocol

from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.constraints import Encoding, encode
from axmem.encoder.engines import AnySession, Engine, KeptSession
from axmem.encoder.execution import OneHot
from axmem.encoder.limits import NO_EXECUTION, SAT, TIME_LIMIT, UNKNOWN, Limit, Reason
from axmem.encoder.symmetry import Alike, canonical, expanded
from axmem.encoder.tables import COMBINATIONS, FEW, Group, tables
from axmem.events.graph import EventGraph
from axmem.events.values import UNDEF, Value
from axmem.front import clock
from axmem.front.records import dataclass, replace
from axmem.model.model import Model

Row = tuple[tuple[Value, ...], ...]


class EngineAnswer(Protocol):
    """What an engine answers about the solutions of a circuit."""

    clauses: int
    checks: int
    why: Reason | None

    def check(self, assumptions: Sequence[int] = (), timeout_ms: int = 0) -> int:
        """Return SAT, UNSAT, or UNKNOWN, and then `why`."""

    def enumerate(self, found: Callable[[tuple[int, ...]], bool], assumptions: Sequence[int], timeout_ms: int) -> int:
        """Call `found` with each combination of literals of the groups; return the answer of the last check."""

    def close(self) -> None:
        """End the query."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a test may cost: seconds (None: no limit), of a processor if `worked`, and outcomes (None: no limit).

    By a processor the load of a machine changes no answer; by the clock others at work count, too.
    """

    seconds: float | None = None
    outcomes: int | None = None
    worked: bool = True


UNLIMITED = Limits()
ONE = Limits(outcomes=1)
LEAST, MOST_LOAD = 0.1, 8.0
"""Seconds of work that say nothing of a machine's load, and as how many machines one has at most."""
QUESTIONS = frozenset({"no-race", "some-race"})
"""The rules by which models ask for executions without races, or with some; what they exclude is not inconsistent."""
TOO_MANY = Reason(Limit.CHOICES, f"more than {COMBINATIONS:,} combinations of choices, or tables that are too large")


@dataclass(frozen=True, slots=True)
class Solved:
    """What the solver found. `incomplete` is empty if the `rows` are all outcomes there are, else says what cut them.

    `possible` answers the literals that were asked about, for certain if `decided`. `clauses`, `variables` and
    `checks` measure the work, whatever the machine; `by_tables` says that truth tables answered, and not Z3.
    """

    rows: tuple[Row, ...] = ()
    flags: frozenset[str] = frozenset()
    undefined: frozenset[str] = frozenset()
    incomplete: tuple[Reason, ...] = ()
    variables: int = 0
    clauses: int = 0
    checks: int = 0
    possible: tuple[bool, ...] = ()
    decided: bool = False
    by_tables: bool = False

    @property
    def outcomes(self) -> frozenset[Row]:
        """The rows, of which each is there once, without an order."""
        return frozenset(self.rows)


class Deadline:
    """When to stop: `seconds` from now, or never; and not after the limit that the running block has (`clock.left`).

    If `worked`, a processor's seconds count, so that the load of a machine changes no answer; else those of the clock.
    """

    def __init__(self, seconds: float | None, *, worked: bool = True) -> None:
        self.now = time.process_time if worked else time.monotonic
        self.started, self.begun, self.worked = self.now(), time.monotonic(), worked
        limits = [limit for limit in (seconds, clock.left()) if limit is not None]
        self.end = self.started + min(limits) if limits else None

    def left(self) -> float | None:
        """Return the seconds that are left, 0 at least; None if there is no limit."""
        return None if self.end is None else max(0.0, self.end - self.now())

    def milliseconds(self) -> int:
        """Return what is left by the clock, at least 1; 0 stands for no limit."""
        if self.end is None:
            return 0
        left = self.end - self.now()
        if self.worked:  # As long by the clock as the work took until now.
            load = (time.monotonic() - self.begun) / max(LEAST, self.now() - self.started)
            left *= min(MOST_LOAD, max(1.0, load))
        return max(1, int(left * 1000))

    def passed(self) -> bool:
        """Tell whether the time is over."""
        return self.left() == 0


def solve(
    graph: EventGraph,
    model: Model,
    limits: Limits = UNLIMITED,
    session: AnySession = None,
    engine: Engine = Engine.AUTO,
    *,
    blocking: bool = False,
    alike: Sequence[Alike] = (),
) -> Solved:
    """Return every outcome of a test's events under a model, within limits.

    Each row has a tuple of lanes for each of `graph.observed`. The oracle heeds no limit; `blocking` as for `answer`.
    Of the threads that are `alike` one order is tried, unless outcomes are limited.
    """
    if engine is Engine.ORACLE:
        from axmem.encoder.oracle import enumerate_outcomes  # noqa: PLC0415 -- seldom asked

        rows = enumerate_outcomes(graph, model)
        found = Solved((*rows.outcomes,), rows.flags, rows.undefined, rows.incomplete)
        return answered(found, graph, model, engine)
    deadline = Deadline(limits.seconds, worked=limits.worked)
    encoding = encode(graph, model, expired=deadline.passed)
    if encoding is None:
        return Solved(incomplete=(TIME_LIMIT,))
    tried = () if limits.outcomes is not None else alike
    questions = Questions(
        tuple(range(len(encoding.lanes))), canonical=canonical(encoding.circuit, encoding.lanes, tried)
    )
    found = answer(
        encoding=encoding, questions=questions, limits=limits, deadline=deadline, session=session, engine=engine,
        blocking=blocking,
    )  # fmt: skip
    return answered(_whole(found, tried, deadline) if tried else found, graph, model, engine)


def answered(found: Solved, graph: EventGraph, model: Model, engine: Engine = Engine.AUTO) -> Solved:
    """Return what was found; that no execution is consistent is a reason why it answers nothing.

    That there are some, but none of those that a rule asks for (`QUESTIONS`), is an answer.
    """
    if found.rows or found.undefined or any(found.possible) or found.incomplete:
        return found
    rules = tuple(axiom for axiom in model.axioms if axiom.name not in QUESTIONS)
    if len(rules) < len(model.axioms) and solve(graph, replace(model, axioms=rules), ONE, engine=engine).rows:
        return found
    return replace(found, incomplete=(NO_EXECUTION,), decided=False)


def _whole(found: Solved, alike: Sequence[Alike], deadline: Deadline) -> Solved:
    """Return what was found with the outcomes in which threads that are alike have changed places."""
    outcomes: set[Row] = set()
    for number, row in enumerate(expanded(found.rows, alike)):
        outcomes.add(row)
        if number % 1024 == 0 and deadline.passed():
            reasons = tuple(dict.fromkeys((*found.incomplete, TIME_LIMIT)))
            return replace(found, rows=(*outcomes,), incomplete=reasons)
    return replace(found, rows=(*outcomes,))


@dataclass(frozen=True, slots=True)
class Questions:
    """What to ask of an encoding: the outcomes, projected to some observed values; and whether literals can hold.

    `assume` are literals that hold in all that is asked, and so are the `canonical` ones, which hold of one outcome at
    least of each that exchanges of threads make of each other: what is asked must be the same of all of these, as flags
    are. `literals` are asked one by one. With None for columns nothing is enumerated.
    """

    columns: tuple[int, ...] | None = None
    assume: tuple[int, ...] = ()
    literals: tuple[int, ...] = ()
    canonical: tuple[int, ...] = ()


def answer(
    encoding: Encoding,
    questions: Questions,
    limits: Limits,
    deadline: Deadline,
    session: AnySession = None,
    engine: Engine = Engine.AUTO,
    *,
    blocking: bool = False,
) -> Solved:
    """Return what an engine says to questions about an encoding, within limits.

    The rows of the result have the lanes of the columns that were asked for, and no order; a `deadline` that is over,
    or a limit of outcomes, is noted in `incomplete`. With limits on outcomes the session is not used, so that what
    is found before the limit depends on nothing earlier. The solver enumerates inside one call, or, if it is to be
    `blocking`, by repeated calls.
    """
    lanes = tuple(encoding.lanes[k] for k in questions.columns or ())
    groups = [list(lane.values()) for column in lanes for lane in column]
    named = {**encoding.flags, **{f"!{reason}": literal for reason, literal in encoding.undefined.items()}}
    asked = [x for group in groups for x in group] + [*named.values(), encoding.beyond]
    asked += encoding.reasons.values()
    asked += [*questions.assume, *questions.literals, *questions.canonical]
    enumerated = questions.columns is not None
    query: EngineAnswer | None = None
    if engine is not Engine.Z3:
        most = COMBINATIONS if enumerated or engine is Engine.TABLE else FEW
        # Where threads are alike the solver finds the few outcomes that are left sooner than choices are joined.
        thinkable = 0 if questions.canonical else prod(map(len, groups))
        query = tables(encoding.circuit, asked, groups, most, thinkable)
        if query is None and engine is Engine.TABLE:
            return Solved(incomplete=(*encoding.limits, TOO_MANY))
    by_tables = query is not None
    if query is None:
        clauses = encoding.circuit.all_clauses([x for x in asked if abs(x) != TRUE], whole=enumerated)
        kept = None if limits.outcomes is not None else session  # What is found then depends on nothing earlier.
        query = _solver_query(kept, encoding.circuit.variables, clauses, groups, blocking=blocking)
    search = _Search(query, lanes, limits, deadline)
    inside = [*([] if encoding.beyond == FALSE else [-encoding.beyond]), *questions.assume, *questions.canonical]
    raised = {name for name, literal in named.items() if search.possible(inside, literal)}
    for reason, literal in encoding.reasons.items():
        if search.possible([], literal):
            search.stop(reason)
    possible = tuple(search.possible(inside, literal) for literal in questions.literals)
    decided = not search.reasons
    if enumerated:
        search.run(inside)
    query.close()
    return Solved(
        rows=(*search.rows,),
        flags=frozenset(n for n in raised if not n.startswith("!")),
        undefined=frozenset(n[1:] for n in raised if n.startswith("!")),
        incomplete=(*encoding.limits, *search.reasons),
        variables=encoding.circuit.variables,
        clauses=query.clauses,
        checks=query.checks,
        possible=possible,
        decided=decided and not encoding.limits,
        by_tables=by_tables,
    )


def _solver_query(
    session: AnySession, variables: int, clauses: Sequence[tuple[int, ...]], groups: Sequence[Group], *, blocking: bool
) -> EngineAnswer:
    """Return a query of the solver."""
    from axmem.encoder.search import BlockingEnumerator, Enumerator  # noqa: PLC0415 -- heavy, and most tests need none

    used = session if session is not None else KeptSession()
    method = BlockingEnumerator if blocking else Enumerator
    return method(used.get() if isinstance(used, KeptSession) else used, variables, clauses, groups)


class _Search:
    """The questions asked of one encoding, and what was found."""

    def __init__(
        self, query: EngineAnswer, lanes: tuple[tuple[OneHot, ...], ...], limits: Limits, deadline: Deadline
    ) -> None:
        self.query = query
        self.limits = limits
        self.deadline = deadline
        self.rows: list[Row] = []
        self.reasons: list[Reason] = []
        self.lanes = lanes
        meaning: list[dict[int, Any]] = [
            {literal: value for value, literal in lane.items()} for column in lanes for lane in column
        ]
        self.open = [number for number, each in enumerate(meaning) if TRUE not in each]
        self.single = all(len(column) == 1 for column in lanes)
        if self.single:  # Outcomes share what they show.
            meaning = [{literal: (value,) for literal, value in each.items()} for each in meaning]
        self.values = [each.get(TRUE, UNDEF) for each in meaning]
        self.meaning = [meaning[number] for number in self.open]

    def possible(self, assumptions: list[int], literal: int) -> bool:
        """Tell whether a literal holds in some consistent execution that meets the assumptions; note a limit."""
        if literal == FALSE or FALSE in assumptions:
            return False
        wanted = [x for x in (*assumptions, literal) if x != TRUE]
        answer = self._ask(lambda limit: self.query.check(wanted, limit))
        if answer == UNKNOWN:
            self.stop(self.query.why)
        return answer == SAT

    def _ask(self, ask: Callable[[int], int]) -> int:
        """Return what the solver says within a limit: it counts the clock, and is asked again if that is early."""
        while True:
            self.rows.clear()
            answer = ask(self.deadline.milliseconds())
            if answer != UNKNOWN or self.query.why != TIME_LIMIT or self.deadline.passed() or self.reasons:
                return answer

    def run(self, assumptions: list[int]) -> None:
        """Enumerate the outcomes under assumptions, unless a limit has been reached already."""
        if self.deadline.passed():
            self.stop(TIME_LIMIT)
        if TIME_LIMIT in self.reasons or self._full() or FALSE in assumptions:
            return
        wanted = [x for x in assumptions if x != TRUE]
        answer = self._ask(lambda limit: self.query.enumerate(self._note, wanted, limit))
        if answer == UNKNOWN:
            self.stop(self.query.why)

    def _note(self, chosen: tuple[int, ...]) -> bool:
        """Note the outcome of a combination of value literals; tell whether to go on."""
        values = [*map(getitem, self.meaning, chosen)]
        if len(values) < len(self.values):
            for number, value in zip(self.open, values, strict=True):
                self.values[number] = value
            values = self.values
        cells = iter(values)
        self.rows.append(tuple(cells) if self.single else tuple([(*islice(cells, len(c)),) for c in self.lanes]))
        if self.deadline.passed():
            self.stop(TIME_LIMIT)
            return False
        return not self._full()

    def _full(self) -> bool:
        limit = self.limits.outcomes
        if limit is None or len(self.rows) < limit:
            return False
        self.stop(Reason(Limit.OUTCOMES, f"the limit of {limit} outcomes was reached"))
        return True

    def stop(self, reason: Reason | None) -> None:
        """Note why the answer is not complete."""
        if reason is not None and reason not in self.reasons:
            self.reasons.append(reason)
