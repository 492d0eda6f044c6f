"""Who arrives at the barriers of a kernel, and what is wrong where not everyone does.

What goes in: for each instance of `s.barrier` in a workgroup, of each lane the expression that says whether it comes
there. What comes out: undefined behaviour, each with its reason. Converged instances meet, so that every lane of the
workgroup must come to one instance: `barrier-wave-divergent` if some lanes of a wave do and others do not,
`barrier-mismatch` if a wave arrives at another instead, at which this one does not, `barrier-missing` if at none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from axmem.encoder.events import Undefined
from axmem.encoder.values import UNDEF, ZERO, Constant, Expr, apply
from axmem.front.source import Span

ONE = Constant(1)


@dataclass(frozen=True, slots=True)
class Arrival:
    """One instance of a barrier in one workgroup: for each wave, of each lane 1 where it comes there, else 0."""

    waves: tuple[tuple[Expr, ...], ...]
    span: Span

    def some(self, wave: int) -> Expr:
        """Return whether some lane of a wave comes."""
        return _any(self.waves[wave])

    def every(self, wave: int) -> Expr:
        """Return whether every lane of a wave comes."""
        return _all(self.waves[wave])


class Arrivals:
    """The barriers of one kernel as they are met, by workgroup."""

    def __init__(self, lanes: int, wavefronts: int) -> None:
        self.lanes = lanes
        self.wavefronts = wavefronts
        self.found: dict[int, list[Arrival]] = {}

    def add(self, here: Mapping[int, Expr], span: Span) -> None:
        """Note an instance with the lanes that may come, by their numbers in the kernel."""
        size = self.lanes * self.wavefronts
        for group in dict.fromkeys(number // size for number in here):
            first = group * size
            waves = tuple(
                tuple(here.get(first + wave * self.lanes + lane, ZERO) for lane in range(self.lanes))
                for wave in range(self.wavefronts)
            )
            self.found.setdefault(group, []).append(Arrival(waves, span))

    def undefined(self) -> Iterator[Undefined]:
        """Yield the undefined behaviour of all barriers, where there may be some."""
        for arrivals in self.found.values():
            for arrival in arrivals:
                for reason, condition in self._wrong(arrival, arrivals):
                    if condition != ZERO:
                        where = apply("select", 1, condition, Constant(UNDEF), ZERO)
                        yield Undefined((), where, reason, arrival.span)

    def _wrong(self, arrival: Arrival, others: Sequence[Arrival]) -> Iterator[tuple[str, Expr]]:
        """Yield the reasons, each with whether it holds."""
        waves = range(self.wavefronts)
        split = [_all((arrival.some(wave), _not(arrival.every(wave)))) for wave in waves]
        yield "barrier-wave-divergent", _any(split)
        for wave in waves:
            for other in waves:
                absent = _all((arrival.some(wave), _not(arrival.some(other))))
                if wave == other or absent == ZERO:
                    continue
                elsewhere = _any([_all((a.some(other), _not(a.some(wave)))) for a in others if a is not arrival])
                yield "barrier-mismatch", _all((absent, elsewhere))
                yield "barrier-missing", _all((absent, _not(elsewhere)))


def _not(expr: Expr) -> Expr:
    return apply("xor", 1, expr, ONE)


def _any(parts: Sequence[Expr]) -> Expr:
    """Return the disjunction of truths."""
    if ONE in parts:
        return ONE
    return reduce(lambda a, b: apply("or", 1, a, b), [part for part in parts if part != ZERO] or [ZERO])


def _all(parts: Sequence[Expr]) -> Expr:
    """Return the conjunction of truths."""
    if ZERO in parts:
        return ZERO
    return reduce(lambda a, b: apply("and", 1, a, b), [part for part in parts if part != ONE] or [ONE])
