"""A test as the machine has it: cells in groups at one address, in LDS, of system scope; waves, and who is in which."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from axmem.codegen.machine.program import Group, Wave
from axmem.events.graph import Cell, EventGraph
from axmem.litmus.launch import lanes
from axmem.litmus.syntax import AddressSpace, LitmusTest, Ordering, Scope
from axmem.litmus.walk import statements


def lds_locations(test: LitmusTest) -> frozenset[str]:
    """Return the names of the locations in LDS."""
    return frozenset(location.name for location in test.locations if location.space is AddressSpace.LDS)


def system_cells(graph: EventGraph) -> frozenset[int]:
    """Return the cells that atomic or av operations of system scope access."""
    return frozenset(
        event.cell
        for event in graph.events
        if event.cell >= 0 and event.thread >= 0 and event.scope is Scope.SYSTEM
        and (event.av or event.ordering.at_least(Ordering.MONOTONIC))
    )  # fmt: skip


def grouped(
    cells: Sequence[Cell], together: Iterable[Sequence[int]], *, lds: Container[str], system: Container[int]
) -> tuple[tuple[Group, ...], Mapping[int, int]]:
    """Join the cells that accesses cover together; return the groups and the group of each cell.

    `lds` are the locations in LDS, `system` the cells that operations of system scope access.
    """
    leader = list(range(len(cells)))

    def find(cell: int) -> int:
        while leader[cell] != cell:
            cell = leader[cell]
        return cell

    for joined in together:
        for cell in joined[1:]:
            leader[find(cell)] = find(joined[0])
    members: dict[int, list[int]] = {}
    for cell in range(len(cells)):
        members.setdefault(find(cell), []).append(cell)
    groups = tuple(
        Group(_name(cells, m), tuple(m), lds=cells[m[0]].location in lds, system=any(c in system for c in m))
        for m in members.values()
    )
    return groups, {cell: k for k, group in enumerate(groups) for cell in group.cells}


def _name(cells: Sequence[Cell], members: Sequence[int]) -> str:
    first = cells[members[0]]
    whole = sum(cell.location == first.location for cell in cells) == len(members)
    return first.location if whole else f"{first.location}+{first.offset}"


def waves_of(test: LitmusTest) -> tuple[tuple[Wave, ...], tuple[int, ...]]:
    """Return the waves, and for each thread, then for each lane of the kernels, its own.

    A test that does not speak of clusters has one per workgroup.
    """
    everywhere = [t.placement for t in test.threads]
    everywhere += [lane.placement for kernel in test.kernels for lane in lanes(kernel)]
    spoken = (
        any(
            getattr(getattr(s, "mode", None), "scope", None) is not None and s.mode.scope.level is Scope.CLUSTER  # type: ignore[union-attr]
            for body in (*(t.body for t in test.threads), *(k.body for k in test.kernels))
            for s in statements(body)
        )
        or len({p[Scope.CLUSTER] for p in everywhere}) > 1
    )
    numbers: dict[tuple[int | None, ...], int] = {}
    waves: list[Wave] = []
    wave_of = []
    for p in everywhere:
        key = p.instance(Scope.WAVEFRONT)
        if key not in numbers:
            numbers[key] = len(waves)
            cluster = p[Scope.CLUSTER if spoken else Scope.WORKGROUP]
            waves.append(Wave(p[Scope.AGENT] or 0, cluster or 0, p[Scope.WORKGROUP] or 0))
        wave_of.append(numbers[key])
    return tuple(waves), tuple(wave_of)
