"""The named barriers of a workgroup, as the explorer executes them.

What goes in: what a workgroup's waves have done to its barriers, and a wave's next operation. What comes out: the same
after it, None while a wave waits, or `Fault` with the reason of undefined behaviour. The rules are those of executions
(docs/language.md): a wave counts the phases itself, and what must come before an operation must *execute before* it,
along waves and from the arrivals of a phase to its waits, whatever order memory gives. Invariant: what a wave knows is
what executes before its next operation; phases that no wave can name any more are forgotten, so that a loop that goes
on comes back to its state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

Fact: TypeAlias = tuple[str, int, int, int]
"""Something that executes before: what, the number of the barrier, of the wave, of the phase (0: of none)."""
Facts: TypeAlias = frozenset[Fact]

INIT, JOIN, ARRIVE, LEAVE, WAIT = "init", "join", "signal", "leave", "wait"
NOTHING: Facts = frozenset()


class BarrierFault(Exception):
    """Behaviour is undefined, for this reason."""


class TooManyWaves(Exception):
    """More waves arrive in a phase than are expected: which of them are of this phase is not known."""


class Arriving(NamedTuple):
    """A wave's arrival in a phase: a signal, or that it left, which counts in later phases too; and what it knew."""

    phase: int
    wave: int
    leaves: bool
    knew: Facts

    @property
    def fact(self) -> Fact:
        """That it executed, without the barrier's number."""
        return (LEAVE, 0, self.wave, 0) if self.leaves else (ARRIVE, 0, self.wave, self.phase)


class BarrierState(NamedTuple):
    """One barrier: how many it expects, who has initialised it, whether it was used, who has arrived.

    `counts` has of each wave twice the last phase in which it took part, and one more if it has only arrived there.
    """

    counts: tuple[int, ...]
    expected: int = 0
    initialised: frozenset[int] = frozenset()
    used: bool = False
    arrivals: frozenset[Arriving] = frozenset()

    def counted(self, phase: int) -> frozenset[Arriving]:
        """Return what counts as arrivals in a phase, of one wave each signal and its leaving once."""
        found = (a for a in self.arrivals if a.phase == phase or (a.leaves and a.phase < phase))
        return frozenset({(a.wave, a.leaves): a for a in found}.values())


class BarrierGroup(NamedTuple):
    """The barriers of a workgroup, which of them each wave has joined (0: none), and what each wave knows.

    Of the workgroup's own barrier: what those know who have arrived, what each wave will know when it waits, and
    whether it is decided which wave is the first.
    """

    barriers: tuple[BarrierState, ...]
    joined: tuple[int, ...]
    knows: tuple[Facts, ...]
    collected: Facts = NOTHING
    due: tuple[Facts, ...] = ()
    decided: bool = False

    # ------------------------------------------------------------ the workgroup's own barrier

    def arrived(self, wave: int, *, last: bool) -> BarrierGroup:
        """Return the group after a wave has executed the first half of the workgroup's barrier."""
        collected = self.collected | self.knows[wave]
        if not last:
            return self._replace(collected=collected)
        return self._replace(collected=NOTHING, due=(collected,) * len(self.joined), decided=False)

    def waited(self, waves: Iterable[int]) -> BarrierGroup:
        """Return the group after waves have executed the second half."""
        knows = list(self.knows)
        for wave in waves:
            knows[wave] |= self.due[wave]
        return self._replace(knows=tuple(knows))

    # ------------------------------------------------------------ named ones

    def initialise(self, number: int, wave: int, expected: int) -> BarrierGroup:
        """Return the group after a barrier was initialised; everything else must come after it."""
        barrier = self.barriers[number]
        if barrier.used:
            raise BarrierFault("barrier-uninitialized")
        initialised = barrier.initialised | {wave}
        after = self._with(number, barrier._replace(expected=expected, initialised=initialised))
        return after._knowing(wave, [(INIT, number, wave, 0)])

    def join(self, number: int, wave: int) -> BarrierGroup:
        """Return the group after a wave has joined a barrier."""
        after = self._ready(number, wave)._knowing(wave, [(JOIN, number, wave, 0)])
        return after._replace(joined=_put(after.joined, wave, number + 1))

    def arrive(self, number: int, wave: int, *, leaves: bool) -> BarrierGroup:
        """Return the group after a wave has signalled, or left; raise `TooManyWaves` if it cannot be of its phase."""
        after = self._ready(number, wave)
        barrier, knows = after.barriers[number], self.knows[wave]
        phase = barrier.counts[wave] // 2 + 1
        if phase > 1 and not _ended(barrier, number, phase - 1, knows):
            raise BarrierFault("barrier-mismatch")
        if any(what == WAIT and (which, of) == (number, phase) for what, which, _, of in knows):
            raise BarrierFault("barrier-missing")
        arrival = Arriving(phase, wave, leaves, knows)
        if len({(a.wave, a.leaves) for a in barrier.counted(phase)} | {(wave, leaves)}) > barrier.expected:
            raise TooManyWaves
        barrier = barrier._replace(
            counts=_put(barrier.counts, wave, 2 * phase + 1), arrivals=barrier.arrivals | {arrival}
        )
        after = after._with(number, barrier)._knowing(wave, [_of(number, arrival)])
        return after._replace(joined=_put(after.joined, wave, 0)) if leaves else after

    def wait(self, wave: int) -> BarrierGroup | None:
        """Return the group after a wave has waited at the barrier that it joined, None while too few have arrived."""
        number = self.joined[wave] - 1
        if number < 0:
            raise BarrierFault("barrier-not-joined")
        after = self._ready(number, wave)
        barrier = after.barriers[number]
        last, arrived = divmod(barrier.counts[wave], 2)
        phase = last if arrived else last + 1
        if len(barrier.counted(phase)) < barrier.expected:
            return None
        of_phase = [a for a in barrier.arrivals if a.phase == phase]
        if not any((JOIN, number, wave, 0) in a.knew for a in of_phase):
            raise BarrierFault("barrier-not-joined")
        known = {fact for a in of_phase for fact in (*a.knew, _of(number, a))}
        after = after._with(number, barrier._replace(counts=_put(barrier.counts, wave, 2 * phase)))
        return after._knowing(wave, [*known, (WAIT, number, wave, phase)])

    def _ready(self, number: int, wave: int) -> BarrierGroup:
        """Return the group in which a barrier is used; whatever initialises it must come before."""
        barrier = self.barriers[number]
        before = {(INIT, number, other, 0) for other in barrier.initialised}
        if not before or not before <= self.knows[wave]:
            raise BarrierFault("barrier-uninitialized")
        return self._with(number, barrier._replace(used=True))

    def _with(self, number: int, barrier: BarrierState) -> BarrierGroup:
        return self._replace(barriers=(*self.barriers[:number], barrier, *self.barriers[number + 1 :]))

    def _knowing(self, wave: int, facts: Iterable[Fact]) -> BarrierGroup:
        return self._replace(knows=_put(self.knows, wave, self.knows[wave].union(facts)))

    # ------------------------------------------------------------ what is forgotten

    def normal(self, ended: Sequence[bool]) -> BarrierGroup:
        """Return the group without what decides nothing any more, given which waves have ended."""
        group = self._replace(knows=tuple(NOTHING if over else k for over, k in zip(ended, self.knows, strict=True)))
        for number, barrier in enumerate(group.barriers):
            counts = tuple(0 if over else count for over, count in zip(ended, barrier.counts, strict=True))
            group = group._with(number, barrier._replace(counts=counts))
            before = min((count // 2 for over, count in zip(ended, counts, strict=True) if not over), default=0) - 1
            if before > 0:
                group = group._shifted(number, before)
        return group

    def _shifted(self, number: int, by: int) -> BarrierGroup:
        """Return the group whose phases of a barrier begin so many later; none of those before is named again."""

        def facts(some: Facts) -> Facts:
            kept = (f for f in some if f[1] != number or not f[3] or f[3] > by)
            return frozenset((*f[:3], f[3] - by) if f[1] == number and f[3] else f for f in kept)

        def arrival(a: Arriving) -> Arriving:
            return a._replace(phase=max(0, a.phase - by), knew=facts(a.knew))

        barriers = [
            b._replace(arrivals=frozenset(a._replace(knew=facts(a.knew)) for a in b.arrivals)) for b in self.barriers
        ]
        own = barriers[number]
        barriers[number] = own._replace(
            counts=tuple(max(0, count - 2 * by) for count in own.counts),
            arrivals=frozenset(arrival(a) for a in own.arrivals if a.phase > by or a.leaves),
        )
        return self._replace(
            barriers=tuple(barriers), knows=tuple(map(facts, self.knows)), collected=facts(self.collected),
            due=tuple(map(facts, self.due)),
        )  # fmt: skip


def group(barriers: int, waves: int) -> BarrierGroup:
    """Return a workgroup in which nobody has done anything."""
    return BarrierGroup(
        (BarrierState((0,) * waves),) * barriers, (0,) * waves, (NOTHING,) * waves, due=(NOTHING,) * waves
    )


def _of(number: int, arrival: Arriving) -> Fact:
    what, _, wave, phase = arrival.fact
    return what, number, wave, phase


def _ended(barrier: BarrierState, number: int, phase: int, knows: Facts) -> bool:
    """Say whether a phase ends before what a wave does next: a wait for it is before that, or all its arrivals are."""
    if any(what == WAIT and (which, of) == (number, phase) for what, which, _, of in knows):
        return True
    arrivals = barrier.counted(phase)
    return len(arrivals) == barrier.expected and all(_of(number, a) in knows for a in arrivals)


def _put(values: tuple, index: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:index], value, *values[index + 1 :])
