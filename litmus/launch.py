"""The lanes of kernels: their names, their places, what conditions call them.

What goes in: a kernel with a complete place. What comes out: its lanes in order, each a thread `K.workgroup.wave.lane`
at a place of its own. Invariant: a name is that of a kernel, of one of its workgroups, of a wave or of a lane, by how
many numbers follow the kernel's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from axmem.front.records import dataclass, replace
from axmem.litmus.kernels import IDS, Launch
from axmem.litmus.syntax import AddressSpace, Kernel, LitmusTest, Location, Placement, Thread
from axmem.litmus.words import Scope

WAVE, LANE = 2, 3
"""How many numbers the name of a wave has, and that of a lane."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane: the thread's name and place, and its numbers in the launch."""

    name: str
    placement: Placement
    workgroup: int
    wave: int
    lane: int

    def ids(self, kernel: Kernel) -> dict[str, int]:
        """Return the values of the registers of `IDS`."""
        item = self.wave * kernel.launch.lanes + self.lane
        return dict(zip(IDS, (item, self.workgroup, self.wave, self.lane), strict=True))


def lanes(kernel: Kernel) -> tuple[Lane, ...]:
    """Return the lanes of a kernel, by workgroup, wave and number."""
    if kernel.lane_of_thread:
        return (Lane(kernel.name, kernel.placement, 0, 0, 0),)
    launch, found = kernel.launch, []
    for group, wave, lane in product(range(launch.workgroups), range(launch.wavefronts), range(launch.lanes)):
        numbers = list(kernel.placement.numbers)
        at = Scope.WORKGROUP.depth - 1
        numbers[at:] = [(numbers[at] or 0) + group, wave, lane]
        found.append(Lane(f"{kernel.name}.{group}.{wave}.{lane}", Placement(tuple(numbers)), group, wave, lane))
    return tuple(found)


def counted_launch(launch: Launch) -> str:
    """Return a launch in words: `2 workgroups × 1 wave × 4 lanes`."""
    counts = (("workgroup", launch.workgroups), ("wave", launch.wavefronts), ("lane", launch.lanes))
    return " × ".join(f"{number} {word}{'s' * (number > 1)}" for word, number in counts)


def launches(test: LitmusTest) -> str:
    """Return the launches of a test's kernels in words, and that there is but one lane, or thread, if it is so.

    Empty if there are several threads and no kernel.
    """
    kernels = [kernel for kernel in test.kernels if not kernel.lane_of_thread]
    said = [f"{kernel.name}: {counted_launch(kernel.launch)}" for kernel in kernels]
    if len(test.threads) + sum(len(lanes(kernel)) for kernel in test.kernels) == 1:
        said.append("one lane alone" if kernels else "one thread alone")
    return ", ".join(said)


def names(kernel: Kernel, depth: int) -> tuple[str, ...]:
    """Return the names with this many numbers: the kernel itself, its workgroups, waves or lanes."""
    if kernel.lane_of_thread:
        return (kernel.name,)
    return tuple(dict.fromkeys(".".join(lane.name.split(".")[: depth + 1]) for lane in lanes(kernel)))


def lanes_named(kernel: Kernel, name: str) -> tuple[Lane, ...]:
    """Return the lanes that a name means: a lane's own, or those of a wave, a workgroup or the kernel."""
    return tuple(lane for lane in lanes(kernel) if f"{lane.name}.".startswith(f"{name}."))


def unit_named(test: LitmusTest, name: str) -> Thread | Kernel | None:
    """Return the thread that a name means, or the kernel of which it names lanes."""
    for thread in test.threads:
        if thread.name == name:
            return thread
    for kernel in test.kernels:
        if kernel.name == name or (name.startswith(f"{kernel.name}.") and lanes_named(kernel, name)):
            return kernel
    return None


def numbers_in(kernel: Kernel, name: str) -> int:
    """Return how many numbers follow the kernel's name: 0 of the kernel, 1 of a workgroup, `WAVE`, `LANE`."""
    return LANE if kernel.lane_of_thread else name.removeprefix(kernel.name).count(".")


# ---------------------------------------------------------------- memory


class MemoryInstance(NamedTuple):
    """An instance of memory that a kernel declares: the location, the name it is declared by, the lanes whose it is."""

    location: Location
    declared: str
    owners: tuple[Lane, ...]


def instances(kernel: Kernel) -> Iterator[MemoryInstance]:
    """Yield the instances of the memory that a kernel declares.

    One of several has the name of a workgroup or a lane before its own: `K.0.t`, `K.0.1.2.q`.
    """
    for location in kernel.memory:
        groups = _owners(kernel, location)
        for name, members in groups.items():
            shown = location.name if len(groups) == 1 else f"{name}.{location.name}"
            yield MemoryInstance(replace(location, name=shown), location.name, members)


def location_numbers(lane: Lane, shared: Mapping[str, int], memory: Iterable[MemoryInstance]) -> dict[str, int]:
    """Return the number of each location by the name that a lane has for it; `shared` numbers all by their own."""
    found = dict(shared)
    for instance in memory:
        if lane in instance.owners:
            found[instance.declared] = shared[instance.location.name]
    return found


def _owners(kernel: Kernel, location: Location) -> dict[str, tuple[Lane, ...]]:
    """Return the lanes that share an instance of a location, by the name of their workgroup, or of the one lane."""
    shared = location.space is AddressSpace.LDS and not kernel.lane_of_thread
    found: dict[str, tuple[Lane, ...]] = {}
    for lane in lanes(kernel):
        name = f"{kernel.name}.{lane.workgroup}" if shared else lane.name
        found[name] = (*found.get(name, ()), lane)
    return found


def final_names(test: LitmusTest) -> dict[str, tuple[str, str]]:
    """Return what a condition may call memory: the name of the instance, and that of its declaration."""
    found = {location.name: (location.name, location.name) for location in test.locations}
    for kernel in test.kernels:
        for location in kernel.memory:
            owners = _owners(kernel, location)
            for name in owners:
                full = f"{name}.{location.name}"
                found[full] = (location.name if len(owners) == 1 else full, location.name)
            if len(owners) == 1:
                found[location.name] = (location.name, location.name)
    return found
