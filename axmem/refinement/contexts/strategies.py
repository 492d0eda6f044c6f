"""Ways to answer an execution after a change by one before it, whatever the context is.

What goes in: one execution of each with the same context and outcome. What comes out: a `Strategy`: how the execution
before follows from the one after. Each read takes what a read after takes, or a fixed write, or is undef; writes that
only the program before has stand next to one that both have; branches go the way they went. Invariant: of the two
executions that it was made of the strategy makes the one from the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.execution import Execution
from axmem.encoder.opened import Followed
from axmem.events.graph import Choice, EventGraph, EventKind
from axmem.front.records import dataclass
from axmem.refinement.contexts.correspondence import Correspondence

LIKE, WRITE, LAST, UNREAD, PASSED = "like", "write", "last", "unread", "passed"
"""A read takes what another takes, or a write, or what is last in memory after, or is undef; or what a
read-modify-write passes on that only the program before has, where the read after takes what that one's read takes, and
else what the read after takes."""


class Reading(NamedTuple):
    """How a read comes by its source: the read after that it is like, the write that it takes."""

    how: str
    like: int = -1
    write: int = -1


class Standing(NamedTuple):
    """Where a write stands: next to one that both programs have (-1: before all), or behind what its own read takes, if
    it is that of a read-modify-write; whether behind the former; and its rank among those that stand there."""

    near: int
    read: int
    behind: bool
    rank: int


@dataclass(frozen=True, slots=True)
class Strategy:
    """How an execution before follows from one after.

    `reads[r]` is LIKE with a read after, WRITE with a write before, PASSED with both, or UNREAD; `order` are cells of
    which all writes have an order of their own; in the others `beside[w]` says where a write stands that the program
    after lacks; `arms` are the arms that the program's choices take, None for the same as those of the program
    after. Reads are undef where the model says so of what they would take, or `exact`ly those that were. `own` reads
    that are like one after take what the same write writes here, and not what that one returns: who has undefined
    behaviour before the change need not write what is written after it.
    """

    reads: tuple[tuple[int, Reading], ...]
    order: tuple[tuple[int, tuple[int, ...]], ...] = ()
    beside: tuple[tuple[int, Standing], ...] = ()
    arms: tuple[int, ...] | None = None
    exact: bool = False
    own: frozenset[int] = frozenset()


def same(
    before: EventGraph, pairs: Correspondence, reads: Sequence[int], own: tuple[Sequence[Choice], Sequence[Choice]]
) -> Strategy | None:
    """Return the strategy of doing the same, if everything that reads or writes before has its like after.

    `reads` are those that the model speaks of; `own` are the choices of both programs, which must have as many arms.
    """
    writes = (e.index for e in before.events if e.kind is EventKind.WRITE)
    if any(r not in pairs.after for r in reads) or any(w not in pairs.after for w in writes):
        return None
    if [len(choice.values) for choice in own[0]] != [len(choice.values) for choice in own[1]]:
        return None
    return Strategy(tuple((r, Reading(LIKE, pairs.after[r])) for r in reads))


Truth = Callable[[int], bool]


def learned(
    graph: EventGraph,
    pairs: Correspondence,
    candidates: tuple[Execution, Execution],
    undef: tuple[Mapping[int, int], Mapping[int, int]],
    truths: tuple[Truth, Truth],
    own_choices: int,
    *,
    exact: bool,
) -> Strategy:
    """Return the strategy by which an execution before follows from one after.

    `candidates`, `undef` (the literals of reads being undef) and `truths` are those before and after; with `exact` the
    strategy makes just these reads undef.
    """
    before, after = candidates
    here, there = truths
    halves = _halves(graph)
    passing: dict[int, int] = {}
    order: list[tuple[int, tuple[int, ...]]] = []
    beside: list[tuple[int, Standing]] = []
    last: dict[int, int] = {}
    writes = [e for e in graph.events if e.kind in (EventKind.WRITE, EventKind.INIT)]
    taking = {r: next((w for w, x in ws.items() if here(x)), None) for r, ws in before.sources.items()}
    for cell in sorted({e.cell for e in writes}):
        there_are = [e.index for e in writes if e.cell == cell and here(before.executed[e.index])]
        rank = {w: sum(here(before.order(x, w)) for x in there_are if x != w) for w in there_are}
        mine = sorted(there_are, key=rank.__getitem__)
        both = [w for w in mine if w in pairs.after and there(after.executed[pairs.after[w]])]
        if not all(
            there(after.order(pairs.after[a], pairs.after[b])) for i, a in enumerate(both) for b in both[i + 1 :]
        ):
            order.append((cell, tuple(w for w in mine if graph.events[w].kind is EventKind.WRITE)))
            continue
        last[cell] = both[-1] if both else -1
        for at, w in enumerate(mine):
            if w in both or graph.events[w].kind is EventKind.INIT:
                continue
            # The write of a read-modify-write stands directly behind what that reads.
            own = halves.get(w, -1)
            source = taking.get(own)
            if source in both and rank[source] == at - 1:
                passing[w] = source
                beside.append((w, Standing(-1, own, behind=True, rank=at)))
                continue
            later = next((x for x in mine[at:] if x in both), None)
            sooner = next((x for x in reversed(mine[:at]) if x in both), None)
            near = later if later is not None else -1 if sooner is None else sooner
            beside.append((w, Standing(near, -1, behind=later is None, rank=at)))
    reads = []
    for r in before.sources:
        q = pairs.after.get(r, -1)
        passed = next((w for w in passing if graph.events[w].cell == graph.events[r].cell), -1)
        if not here(before.executed[r]):
            # What it would read is asked of nobody.
            reads.append((r, Reading(LIKE, q) if q >= 0 else Reading(UNREAD)))
        elif (source := taking[r]) is None:
            alike = q >= 0 and (not exact or there(undef[1].get(q, FALSE)))
            reads.append((r, Reading(LIKE, q) if alike else Reading(UNREAD)))
        elif source in passing and _source(after, pairs, there, q) == passing[source]:
            reads.append((r, Reading(PASSED, q, source)))
        elif (
            graph.events[r].kind is EventKind.FINAL
            and passing.get(passed, source) != source
            and _source(after, pairs, there, q) == source
        ):
            # It would take what is passed on were that the last.
            reads.append((r, Reading(PASSED, q, passed)))
        else:
            found = _taken(graph, pairs, after, there, r, source)
            lasting = q < 0 and found.how == WRITE and last.get(graph.events[r].cell) == source
            reads.append((r, Reading(LAST) if lasting else found))
    taken = tuple(next((k for k, x in enumerate(arm) if here(x)), 0) for arm in before.arms[:own_choices])
    return Strategy(tuple(reads), tuple(order), tuple(beside), taken, exact)


def _halves(graph: EventGraph) -> dict[int, int]:
    """Return for the writes of read-modify-writes what these read."""
    reads = {(e.instruction, e.cell): e.index for e in graph.events if e.rmw and e.kind is EventKind.READ}
    writes = (e for e in graph.events if e.rmw and e.kind is EventKind.WRITE)
    return {e.index: reads[e.instruction, e.cell] for e in writes if (e.instruction, e.cell) in reads}


def _source(after: Execution, pairs: Correspondence, there: Truth, q: int) -> int | None:
    """Return the write before that is like what a read after takes."""
    found = next((w for w, x in after.sources.get(q, {}).items() if there(x)), -1)
    return pairs.before.get(found)


def _taken(graph: EventGraph, pairs: Correspondence, after: Execution, there: Truth, r: int, source: int) -> Reading:
    """Return how a read comes by its source: as its like does, as another read of its thread does, or by itself."""
    thread = graph.events[r].thread
    name = graph.threads[thread] if thread >= 0 else None
    names = {q: after.graph.events[q].thread for q in after.sources}
    alike = (q for q, t in names.items() if t >= 0 and after.graph.threads[t] == name)
    others = (q for q in alike if there(after.executed[q]))
    for q in (pairs.after.get(r, -1), *others):
        if _source(after, pairs, there, q) == source:
            return Reading(LIKE, q)
    return Reading(WRITE, write=source)


def followed(
    strategy: Strategy,
    graph: EventGraph,
    pairs: Correspondence,
    after: Execution,
    undef: Mapping[int, int],
    arms: Mapping[int, list[int]],
) -> Followed:
    """Return the execution before that a strategy makes of one after, as literals of the latter's circuit.

    `undef` are the literals that reads after are undef, `arms` those of the context's choices before.
    """
    circuit = after.circuit
    beside = dict(strategy.beside)

    def like(q: int) -> dict[int, int]:
        return {pairs.before[w]: x for w, x in after.sources.get(q, {}).items() if w in pairs.before}

    sources: dict[int, dict[int, int]] = {}
    unread: dict[int, int] = {}
    for r, (how, q, write) in sorted(strategy.reads, key=lambda each: each[1].how == PASSED):
        if how == LIKE:
            sources[r], unread[r] = like(q), undef.get(q, FALSE)
        elif how == WRITE:
            sources[r] = {write: TRUE}
        elif how == LAST:
            sources[r] = _last(graph, pairs, after, graph.events[r].cell)
        elif how == PASSED:
            first = sources[beside[write].read]
            here = {w: circuit.both(x, first.get(w, FALSE)) for w, x in like(q).items()}
            sources[r] = {w: circuit.both(x, -here[w]) for w, x in like(q).items()}
            sources[r][write] = circuit.disjunction(list(here.values()))
            unread[r] = undef.get(q, FALSE)
        else:
            sources[r], unread[r] = {}, TRUE
    mine: dict[int, list[int]] = dict(arms)
    for k in range(len(graph.choices) - len(arms)):
        if strategy.arms is None:
            mine[k] = list(after.arms[k])
        else:
            mine[k] = [_truth(strategy.arms[k] == arm) for arm in range(len(graph.choices[k].values))]
    implied = {
        x: frozenset((after.executed[q], after.executed[w])) for q, ws in after.sources.items() for w, x in ws.items()
    }
    return Followed(mine, sources, unread, _order(strategy, graph, pairs, after, sources), implied)


def _last(graph: EventGraph, pairs: Correspondence, after: Execution, cell: int) -> dict[int, int]:
    """Return the literals that writes before are like the last one to a cell after."""
    kinds = (EventKind.INIT, EventKind.WRITE)
    there_are = [e.index for e in after.graph.events if e.kind in kinds and e.index in pairs.before]
    mine = [q for q in there_are if graph.events[pairs.before[q]].cell == cell]
    sooner = {q: [after.circuit.either(-after.executed[x], after.order(x, q)) for x in mine if x != q] for q in mine}
    return {pairs.before[q]: after.circuit.conjunction([after.executed[q], *sooner[q]]) for q in mine}


def _order(
    strategy: Strategy,
    graph: EventGraph,
    pairs: Correspondence,
    after: Execution,
    sources: Mapping[int, Mapping[int, int]],
) -> Callable[[int, int], int]:
    """Return the order of writes that a strategy makes: a total one in each cell, whatever the literals are."""
    circuit = after.circuit
    beside = dict(strategy.beside)
    ranks = {w: k for _, writes in strategy.order for k, w in enumerate(writes)}
    fixed = {cell for cell, _ in strategy.order}
    known: dict[int, tuple[dict[int, int], tuple[int, int]]] = {}

    def place(w: int) -> tuple[dict[int, int], tuple[int, int]]:
        """Return next to which write of both programs one stands (-1: before all), each with its literal, and where."""
        if w in pairs.after and w not in beside:
            return {w: TRUE}, (1, 0)
        near, read, behind, rank = beside.get(w, Standing(-1, -1, behind=True, rank=w))
        if read < 0:
            return {near: TRUE}, (2 if behind else 0, rank)
        found = {s: x for s, x in sources[read].items() if s in pairs.after}
        return {**found, -1: circuit.conjunction([-x for x in found.values()])}, (2, rank)

    def order(a: int, b: int) -> int:
        if graph.events[a].cell in fixed:
            return _truth((ranks.get(a, len(ranks)), a) < (ranks.get(b, len(ranks)), b))
        (first, here), (second, there) = (known.setdefault(w, place(w)) for w in (a, b))
        ways = []
        for s, x in first.items():
            for t, y in second.items():
                if s == t:
                    before = _truth((here, a) < (there, b))
                elif min(s, t) < 0:
                    before = _truth(s < 0)
                else:
                    before = after.order(pairs.after[s], pairs.after[t])
                ways.append(circuit.conjunction((x, y, before)))
        return circuit.disjunction(ways)

    return order


def _truth(fact: bool) -> int:
    return TRUE if fact else FALSE


def likes(strategy: Strategy) -> dict[int, int]:
    """Return the reads after that reads are like, and return what these do."""
    return {r: each.like for r, each in strategy.reads if each.how == LIKE and each.like >= 0 and r not in strategy.own}
