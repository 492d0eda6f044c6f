"""Who arrives at the barriers of a kernel, and what is wrong where not everyone does.

What goes in: for each instance of `s.barrier` in a workgroup, of each lane the expression that says whether it comes
there. What comes out: undefined behaviour, each with its reason. Converged instances meet, so that every lane of the
workgroup must come to one instance: `barrier-wave-divergent` if some lanes of a wave do and others do not,
`barrier-mismatch` if a wave arrives at another instead, at which this one does not, `barrier-missing` if at none. Other
operations on barriers are of whole waves, too, which is all that is asked of them here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from axmem.events.graph import Guard, Undefined
from axmem.events.values import UNDEF, ZERO, Constant, Expr, apply
from axmem.front.records import dataclass
from axmem.front.source import Span

ONE = Constant(1)


@dataclass(frozen=True, slots=True)
class Arrival:
    """One instance of a barrier in one workgroup: for each wave, of each lane 1 where it comes there, else 0."""

    waves: tuple[tuple[Expr, ...], ...]
    span: Span

    def some(self, wave: int) -> Expr:
        """Return whether some lane of a wave comes."""
        return any_of(self.waves[wave])

    def every(self, wave: int) -> Expr:
        """Return whether every lane of a wave comes."""
        return all_of(self.waves[wave])


class Arrivals:
    """The barriers of one kernel as they are met, by workgroup."""

    def __init__(self, lanes: int, wavefronts: int) -> None:
        self.lanes = lanes
        self.wavefronts = wavefronts
        self.found: dict[int, list[Arrival]] = {}
        self.waits: list[Arrival] = []

    def add(self, here: Mapping[int, Expr], span: Span) -> None:
        """Note an instance with the lanes that may come, by their numbers in the kernel."""
        for group, arrival in self._arrivals(here, span):
            self.found.setdefault(group, []).append(arrival)

    def waiting(self, here: Mapping[int, Expr], span: Span) -> None:
        """Note an operation on a barrier that needs nobody but the lanes of a wave."""
        self.waits += [arrival for _, arrival in self._arrivals(here, span)]

    def _arrivals(self, here: Mapping[int, Expr], span: Span) -> Iterator[tuple[int, Arrival]]:
        size = self.lanes * self.wavefronts
        for group in dict.fromkeys(number // size for number in here):
            first = group * size
            waves = tuple(
                tuple(here.get(first + wave * self.lanes + lane, ZERO) for lane in range(self.lanes))
                for wave in range(self.wavefronts)
            )
            yield group, Arrival(waves, span)

    def undefined(self) -> Iterator[Undefined]:
        """Yield the undefined behaviour of all barriers, where there may be some."""
        for arrivals in self.found.values():
            for arrival in arrivals:
                for reason, condition in (*self._parted(arrival), *self._wrong(arrival, arrivals)):
                    yield from undefined_where(condition, reason, arrival.span)
        for arrival in self.waits:
            for reason, condition in self._parted(arrival):
                yield from undefined_where(condition, reason, arrival.span)

    def _parted(self, arrival: Arrival) -> Iterator[tuple[str, Expr]]:
        """Yield that some lanes of a wave come and others do not."""
        waves = range(self.wavefronts)
        split = [all_of((arrival.some(wave), negated(arrival.every(wave)))) for wave in waves]
        yield "barrier-wave-divergent", any_of(split)

    def _wrong(self, arrival: Arrival, others: Sequence[Arrival]) -> Iterator[tuple[str, Expr]]:
        """Yield what is wrong with the waves that do not come, each reason with whether it holds."""
        waves = range(self.wavefronts)
        for wave in waves:
            for other in waves:
                absent = all_of((arrival.some(wave), negated(arrival.some(other))))
                if wave == other or absent == ZERO:
                    continue
                elsewhere = any_of([all_of((a.some(other), negated(a.some(wave)))) for a in others if a is not arrival])
                yield "barrier-mismatch", all_of((absent, elsewhere))
                yield "barrier-missing", all_of((absent, negated(elsewhere)))


def undefined_where(condition: Expr, reason: str, span: Span, guard: Guard = ()) -> Iterator[Undefined]:
    """Yield undefined behaviour where a condition holds, unless it never does."""
    if condition != ZERO:
        yield Undefined(guard, apply("select", 1, condition, Constant(UNDEF), ZERO), reason, span)


def negated(expr: Expr) -> Expr:
    """Return the negation of a truth."""
    return apply("xor", 1, expr, ONE)


def any_of(parts: Sequence[Expr]) -> Expr:
    """Return whether some of the truths holds."""
    if ONE in parts:
        return ONE
    return reduce(lambda a, b: apply("or", 1, a, b), [part for part in parts if part != ZERO] or [ZERO])


def all_of(parts: Sequence[Expr]) -> Expr:
    """Return whether all of the truths hold."""
    if ZERO in parts:
        return ZERO
    return reduce(lambda a, b: apply("and", 1, a, b), [part for part in parts if part != ONE] or [ONE])
