"""Where waves run: every placement of a program's waves that agrees with the places of its threads.

What goes in: a machine program. What comes out: placements, one for each way to partition the waves at every level of
the machine: agents as the test says, then L2s or shader arrays, then CUs. Placements that differ only in the numbers
of units are one.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.codegen.machine.families import Machine, machine_of
from axmem.codegen.machine.program import MachineProgram, Wave
from axmem.codegen.tables import families
from axmem.front.records import dataclass

Place = tuple[int, ...]
"""A wave's unit numbers, the agent first, then one for each of the machine's `units`; each counts within the one
before."""


@dataclass(frozen=True, slots=True)
class WavePlacement:
    """A place for each wave. `units` names the numbers of a place; `l2` says how many L2s an agent has."""

    units: tuple[str, ...]
    places: tuple[Place, ...]
    l2: str = "one"

    @property
    def text(self) -> str:
        """The placement in one word: for each wave its numbers, such as `0.0.0/0.0.1`."""
        waves = "/".join(".".join(map(str, place)) for place in self.places)
        return waves if self.l2 == "one" else f"{waves}/{self.l2}"

    def unit(self, wave: int, unit: str) -> Place:
        """Return the unit that a wave runs in, as the numbers down to it."""
        return self.places[wave][: self.units.index(unit) + 1]


def placements(program: MachineProgram) -> Iterator[WavePlacement]:
    """Yield every placement, those that share most first."""
    machine = machine_of(program.family)
    for l2 in families()[program.family].l2:
        units = ("agent", *machine.units)
        for places in _spread(program, machine, l2, ()):
            yield WavePlacement(units, places, l2)


def _spread(
    program: MachineProgram, machine: Machine, l2: str, placed: tuple[Place, ...]
) -> Iterator[tuple[Place, ...]]:
    """Place one wave after the other: in a unit that is used, or in the first that is not."""
    if len(placed) == len(program.waves):
        if l2 == "one" or len({place[:2] for place in placed}) > len({place[:1] for place in placed}):
            yield placed
        return
    wave = program.waves[len(placed)]
    for place in _places(machine, l2, (wave.agent,), placed):
        if _allowed(program, (*placed, place)):
            yield from _spread(program, machine, l2, (*placed, place))


def _places(machine: Machine, l2: str, within: Place, placed: tuple[Place, ...]) -> Iterator[Place]:
    """Yield the ways down from a unit."""
    depth = len(within)
    if depth > len(machine.units):
        yield within
        return
    used = len({place[depth] for place in placed if place[:depth] == within})
    numbers = range(1) if machine.units[depth - 1] == "l2" and l2 == "one" else range(used + 1)
    for number in numbers:
        yield from _places(machine, l2, (*within, number), placed)


def _allowed(program: MachineProgram, placed: tuple[Place, ...]) -> bool:
    """Tell whether the last wave's place agrees with those of the waves that it shares a workgroup or cluster with."""
    machine = machine_of(program.family)
    last, place = program.waves[len(placed) - 1], placed[-1]
    for wave, other in zip(program.waves, placed[:-1], strict=False):
        if _workgroup(wave) == _workgroup(last) and not _together(program.mode, machine, place, other):
            return False
        clustered = machine.clusters and (wave.agent, wave.cluster) == (last.agent, last.cluster)
        if clustered and place[:2] != other[:2]:
            return False
    return program.mode != "wgp" or _paired(program, placed)


def _together(mode: str, machine: Machine, place: Place, other: Place) -> bool:
    if mode == "cu":
        return place == other
    return place[:-1] == other[:-1]


def _workgroup(wave: Wave) -> tuple[int, int, int]:
    return wave.agent, wave.cluster, wave.workgroup


def _paired(program: MachineProgram, placed: tuple[Place, ...]) -> bool:
    """Tell whether the CUs that workgroups connect are at most the two of a workgroup processor."""
    parts: list[tuple[set[tuple[int, int, int]], set[Place]]] = []
    for wave, place in zip(program.waves, placed, strict=False):
        joined = ({_workgroup(wave)}, {place})
        rest = []
        for groups, units in parts:
            if groups & joined[0] or units & joined[1]:
                joined = (joined[0] | groups, joined[1] | units)
            else:
                rest.append((groups, units))
        parts = [*rest, joined]
    return all(len(units) <= 2 for _, units in parts)
