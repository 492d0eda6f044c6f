"""A pair of accesses of a test that race under a model, and promises that are broken.

What goes in: a test, a model that reports races (by a flag `race`). What comes out: a pair of accesses that race in
some consistent execution that the filter keeps, with their lanes and lines, or why it is not known that there is none.
A pair counts if it decides what some read of the program returns: one of the two is a read, or a third reads there;
writes where nobody reads are told apart. Invariant: what is called a race is one in an execution within the bound;
without one and without limits there is none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from axmem.check.decide import Asker
from axmem.check.limits import limited
from axmem.encoder.constraints import Encoding, encode
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import UNLIMITED, Deadline, Questions, Solved, answer
from axmem.events.conventions import conventions, undef_in_conditions
from axmem.events.graph import Event, EventGraph, EventKind
from axmem.events.unroll import event_graph
from axmem.front.exits import OutOfTime
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError
from axmem.litmus import walk
from axmem.litmus.printer import statement_line
from axmem.litmus.syntax import LitmusTest
from axmem.model.model import Model

FLAG = "race"


@dataclass(frozen=True, slots=True)
class RacingAccess:
    """One access of a race: whose, on which line (0: of a program that has none), and the statement."""

    lane: str
    line: int
    operation: str


@dataclass(frozen=True, slots=True)
class RaceSearch:
    """What was found: a racing pair, or none, or why that is not known. `model` is by whose rules.

    `undefined` says which promises (`noalias`) some execution breaks. `unread` are writes that race where no read of
    the program looks, asked for where no other pair was found: who reads there afterwards reads undef. `faults` are
    reasons why a program without such a pair has undefined behaviour in some execution of the model.
    """

    model: str
    pair: tuple[RacingAccess, RacingAccess] | None = None
    limits: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    unread: tuple[RacingAccess, RacingAccess] | None = None
    faults: tuple[str, ...] = ()


def race(test: LitmusTest, model: Model, seconds: float | None = None) -> RaceSearch:
    """Return a pair that races in some execution of a test under a model."""
    terms = [axiom.term for axiom in model.axioms if axiom.flag and axiom.name == FLAG]
    if not terms:
        return RaceSearch(model.name, limits=(f"{model.name} says of no execution that it has a race",))
    deadline = Deadline(seconds)
    try:
        with limited(deadline):
            return _race(test, model, terms, deadline)
    except OutOfTime:
        return RaceSearch(model.name, limits=(str(TIME_LIMIT),))
    except InputError as error:
        return RaceSearch(model.name, limits=(error.diagnostics[0].message,))


def _race(test: LitmusTest, model: Model, terms: Sequence[int], deadline: Deadline) -> RaceSearch:
    graph = event_graph(test, replace(conventions(model), hidden=test.filter is None, stutters=True, settled=True))
    encoding = encode(graph, model, expired=deadline.passed)
    if encoding is None:
        return RaceSearch(model.name, limits=(str(TIME_LIMIT),))
    kept = Asker(encoding, graph, undef_in_conditions(model)).ask(test.filter)[:1] if test.filter is not None else ()
    read = {event.cell for event in graph.events if event.kind is EventKind.READ}
    pairs = {pair: encoding.literals.pair(term, *pair) for term in terms for pair in _pairs(graph, encoding, term)}
    told, unread = ([p for p in pairs if (graph.events[p[0]].cell in read) is whether] for whether in (True, False))
    some = tuple(encoding.circuit.disjunction([pairs[pair] for pair in each]) for each in (told, unread))
    asked = _asked(encoding, some, kept, deadline)
    limits, broken = tuple(map(str, asked.incomplete)), broken_promises(graph, asked.undefined)
    faults = tuple(dict.fromkeys(asked.undefined)) if not asked.possible[0] else ()
    if not any(asked.possible):
        return RaceSearch(model.name, limits=limits, undefined=broken, faults=faults)
    chosen = told if asked.possible[0] else unread
    possible = _asked(encoding, tuple(pairs[pair] for pair in chosen), kept, deadline).possible
    first = next((pair for pair, holds in zip(chosen, possible, strict=True) if holds), None)
    if first is None:
        return RaceSearch(model.name, limits=(str(TIME_LIMIT),), undefined=broken)
    one, other = (_access(test, graph, graph.events[i]) for i in first)
    if asked.possible[0]:
        return RaceSearch(model.name, (one, other), undefined=broken)
    return RaceSearch(model.name, limits=limits, undefined=broken, unread=(one, other), faults=faults)


def broken_promises(graph: EventGraph, reasons: Collection[str]) -> tuple[str, ...]:
    """Return those of some reasons of undefined behaviour that are promises of the program, which it breaks."""
    return tuple(dict.fromkeys(each.reason for each in graph.undefined if each.promise and each.reason in reasons))


def _pairs(graph: EventGraph, encoding: Encoding, term: int) -> list[tuple[int, int]]:
    """Return the pairs that may race, those of a read first."""

    def rank(pair: tuple[int, int]) -> tuple[int, int, int]:
        return (all(graph.events[i].kind is not EventKind.READ for i in pair), *pair)

    found = {(min(i, j), max(i, j)): (i, j) for i, j in reversed(encoding.literals.possible(term))}
    return sorted(found.values(), key=rank)


def _asked(encoding: Encoding, literals: tuple[int, ...], kept: tuple[int, ...], deadline: Deadline) -> Solved:
    return answer(encoding, Questions(literals=literals, assume=kept), UNLIMITED, deadline)


def _access(test: LitmusTest, graph: EventGraph, event: Event) -> RacingAccess:
    """Return whose access an event is, and where it stands."""
    statement = next((s for path, s in walk.located(test) if path == event.path), None)
    shown = "" if statement is None else statement_line(test, statement)
    return RacingAccess(graph.threads[event.thread], event.span.line if event.span is not None else 0, shown)
