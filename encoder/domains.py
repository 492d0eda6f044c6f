"""Which values each read can return.

What goes in: an `EventGraph`. What comes out: for every cell event a finite set of values, closed under what the
program computes along chains that pass each write at most once, which is every value there is where no value comes
out of thin air. A read that may depend on itself is also given every value that its writes can have whatever is read,
or, where these have no bound, the constants of the test and of its condition.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count, product
from math import prod

from axmem.encoder.limits import Limit, Reason
from axmem.encoder.packed import LARGEST
from axmem.events.graph import EventGraph, EventKind, compatible
from axmem.events.parts import deciding_reads
from axmem.events.values import (
    UNDEF,
    Apply,
    Constant,
    Expr,
    Pick,
    ReadOf,
    Value,
    apply_operation,
    evaluate,
    fold,
    possible_values,
    reads_of,
)
from axmem.front.records import dataclass
from axmem.litmus.undef import POISONED, order_of

Domain = frozenset[Value]
Written = Sequence[Expr | None]
"""What each event writes, if anything."""

THIN_AIR = Reason(Limit.VALUES, "values out of thin air were tried from the constants of the test only")
"""What cuts the outcomes of a test where values form a cycle in a consistent execution, and nothing bounds them."""

LIMIT = 512
"""The largest domain; beyond it values are cut, and the result says so."""


@dataclass(frozen=True, slots=True)
class Domains:
    """`reads[e]` is the domain of read e.

    `looping` are the reads that may depend on themselves through memory, so that only a model forbids them values out
    of thin air; `unbounded` those of them whose values the program does not bound. `cut`: a domain was cut at `LIMIT`.
    """

    reads: dict[int, Domain]
    looping: frozenset[int]
    cut: bool
    unbounded: frozenset[int] = frozenset()


def domains(
    graph: EventGraph, sources: Mapping[int, Iterable[int]], undef: Container[int], *, thin_air: bool
) -> Domains:
    """Return the domains of the reads, by their events: the finite set of values that each may return.

    `sources` are the writes that each may read from; a domain that is too large, or not closed, is cut, and says so.
    Reads in `undef` may also return undef without reading a write. With `thin_air` a read that may depend on itself may
    also return what its writes can have at all, or any constant of the test.
    """
    values = tuple(e.value for e in graph.events)
    asked = tuple((r, tuple(writes), r in undef) for r, writes in sources.items())
    make = _kept_domains if len(values) <= LARGEST else _domains
    return make(values, asked, graph.constants if thin_air else None, LIMIT)


def _domains(
    written: Written, asked: tuple[tuple[int, tuple[int, ...], bool], ...], constants: Domain | None, limit: int
) -> Domains:
    """Return the domains of reads, each with its sources and whether it may return undef without them.

    `constants` are those of which values may come from thin air, None where they may not.
    """
    sources, undef = {r: writes for r, writes, _ in asked}, {r for r, _, unread in asked if unread}
    looping = self_dependent(written, sources)
    bounded = _whatever_is_read(written, sources, limit) if constants is not None and looping else {}
    guessed = {r: bounded.get(r, constants) for r in looping} if constants is not None else {}
    reads: dict[int, Domain] = {
        r: (frozenset((UNDEF,)) if r in undef else frozenset()) | guessed.get(r, frozenset()) for r in sources
    }
    values = {index: value for index, value in enumerate(written) if value is not None}
    cut = False
    longest = len(reads) if constants is not None else _longest_chain(values, sources)
    for passed in count():
        found = _Values(reads)
        cache: dict[int, Domain] = {w: found.of(expr) for w, expr in values.items()}
        new = {r: reads[r].union(*(cache[w] for w in ws)) for r, ws in sources.items()}
        if passed > longest:  # No chain is longer, but for one that makes values undef by what does not decide them.
            new = {r: reads[r] | (domain & {POISONED}) for r, domain in new.items()}
        cut = cut or any(len(d) > limit for d in new.values())
        if new == reads:
            break
        reads = {r: _bounded(d, limit) for r, d in new.items()}
    return Domains(reads, looping, cut, frozenset(looping - bounded.keys()))


def _longest_chain(written: Mapping[int, Expr], sources: Mapping[int, tuple[int, ...]]) -> int:
    """Return how many writes at most a number passes that are computed from what is read, each of them once.

    Writes of which none is computed from another, directly or by way of others, are on no common chain.
    """
    computed = {w: deciding for w, expr in written.items() if (deciding := deciding_reads(expr))}
    group = {w: {w} for w in computed}
    for w, reads in computed.items():
        for other in {x for r in reads for x in sources.get(r, ()) if x in computed} - group[w]:
            group[w] |= group[other]
            group |= dict.fromkeys(group[other], group[w])
    return max(map(len, group.values()), default=0)


_kept_domains = lru_cache(maxsize=256)(_domains)


def _whatever_is_read(written: Written, sources: Mapping[int, Iterable[int]], limit: int) -> dict[int, Domain]:
    """Return the values of the reads to whose cells nothing else can be written, whatever all reads return.

    That of a write is known if its operations bound it, or if it is made of such reads.
    """
    found: dict[int, Domain] = {}
    while True:
        new: dict[int, Domain] = {}
        for r, writes in sources.items():
            values = [_bounded_values(written[w], found, limit) for w in writes] if r not in found else [None]
            known = [v for v in values if v is not None]
            if len(known) == len(values) and sum(map(len, known)) <= limit:
                new[r] = frozenset[Value]().union(*known)
        if not new:
            return found
        found |= new


def _bounded_values(expr: Expr | None, reads: dict[int, Domain], limit: int) -> Domain | None:
    """Return the values that an expression can have, given those of some reads; None if there is no bound."""
    if expr is None:
        return frozenset()
    needed = reads_of(expr)
    if reads.keys() >= needed and _combinations(reads[r] for r in needed) <= limit:
        return _Values(reads).of(expr)
    return possible_values(expr)


def sources_of(graph: EventGraph) -> dict[int, list[int]]:
    """Return for every read (and final read) the writes it may read from: to its cell, not of its own instruction."""
    writes: dict[int, list[int]] = {}
    for e in graph.events:
        if e.kind in (EventKind.WRITE, EventKind.INIT):
            writes.setdefault(e.cell, []).append(e.index)
    events = graph.events
    return {
        e.index: [
            w
            for w in writes.get(e.cell, ())
            if events[w].instruction != e.instruction and compatible(events[w].guard, e.guard)
        ]
        for e in events
        if e.kind in (EventKind.READ, EventKind.FINAL)
    }


def self_dependent(written: Written, sources: Mapping[int, Iterable[int]]) -> frozenset[int]:
    """Return the reads from which, through data and reads-from, a read may be reached again; by what events write."""
    feeds: dict[int, frozenset[int]] = {}
    for r, writes in sources.items():
        values = [written[w] for w in writes]
        feeds[r] = frozenset().union(*(reads_of(v) for v in values if v is not None))
    looping = set()
    for r in feeds:
        seen: set[int] = set()
        stack = list(feeds[r])
        while stack:
            other = stack.pop()
            if other not in seen:
                seen.add(other)
                stack.extend(feeds.get(other, ()))
        if r in seen:
            looping.add(r)
    return frozenset(looping)


class _Values:
    """The values of expressions from those of reads."""

    def __init__(self, reads: dict[int, Domain]) -> None:
        self.reads = reads
        self.known: dict[Expr, Domain] = {}
        self._joint: dict[frozenset[int], tuple[tuple[dict[int, Value], dict[Expr, Value]], ...]] = {}

    def of(self, expr: Expr) -> Domain:
        """Return the values that an expression can have."""
        return fold(expr, self._of, self.known)

    def _of(self, expr: Expr) -> Domain:
        match expr:
            case Constant(value):
                return frozenset((value,))
            case ReadOf(event):
                return self.reads[event]
            case Pick(arms=arms):
                return frozenset().union(*(self.known[a] for a in arms))
            case Apply("depending", _, (value, *_)):
                return self.known[value]
            case Apply("whole", _, (value, *others)):
                undef = any(POISONED in self.known[other] for other in others)
                return self.known[value] | {POISONED} if undef else self.known[value]
            case Apply(operation, bits, arguments, parameters):
                sets = [self.known[a] for a in arguments]
                # Where arguments read the same, fewer combinations of what is read than of arguments are left.
                if not expr.choices and _combinations(sets) > _combinations(self.reads[r] for r in expr.reads):
                    return frozenset(
                        evaluate(expr, values.__getitem__, _no_arm, known) for values, known in self._read(expr.reads)
                    )
                return combine(sets, lambda values: apply_operation(operation, bits, parameters, values))

    def _read(self, reads: frozenset[int]) -> tuple[tuple[dict[int, Value], dict[Expr, Value]], ...]:
        """Return every combination of what reads return, each with the values of expressions under it."""
        if reads not in self._joint:
            combinations = product(*(self.reads[r] for r in reads))
            self._joint[reads] = tuple((dict(zip(reads, values, strict=True)), {}) for values in combinations)
        return self._joint[reads]


def _combinations(sets: Iterable[Domain]) -> int:
    return prod(map(len, sets))


def _no_arm(_: int) -> None:
    """No choice is asked for."""


def combine(sets: list[Domain], function: Callable[[tuple[Value, ...]], Value]) -> Domain:
    """Return the values of a function on every combination of arguments."""
    return frozenset(function(values) for values in product(*sets))


def _bounded(domain: Domain, limit: int) -> Domain:
    """Cut a domain that has grown too large, keeping what is undef and the smallest values."""
    if len(domain) <= limit:
        return domain
    return frozenset(sorted(domain, key=order_of)[:limit]) | (domain & {UNDEF, POISONED})
