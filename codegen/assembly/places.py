"""Where addresses lie: which location of a test, which cells, or memory that no other thread sees.

What goes in: addresses as numbers. What comes out: places in locations, and the cells there. As in `events.unroll`
threads are walked twice: first to find which bytes are accessed together, which makes the cells, then to use them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from axmem.codegen.assembly.values import (
    ARGUMENTS,
    LDS_APERTURE,
    OFFSETS,
    OUT,
    PACKET,
    PRIVATE_APERTURE,
    REGION,
    joined,
    sliced,
)
from axmem.events.graph import Cell, EventGraph, EventKind, address_of, location_at
from axmem.events.values import Constant, Expr, ReadOf
from axmem.front.records import dataclass, field
from axmem.litmus.syntax import AddressSpace, LitmusTest, Location


@dataclass(frozen=True, slots=True)
class BytePlace:
    """Bytes of a location (by its index), or of a region beside the test's memory: `out`, `arguments`, `private`, ….

    An LDS location has `lds` set.
    """

    region: str
    location: int
    offset: int
    lds: bool = False


_REGIONS = {OUT: "out", ARGUMENTS: "arguments", OFFSETS: "offsets", PRIVATE_APERTURE: "private", PACKET: "packet"}


@dataclass(slots=True)
class TestMemory:
    """The memory of a test. `cells` is empty in the first walk, in which `footprints` are collected.

    `widths` gives the bits of each read, which are numbered from 0; `lds` the byte at which each location begins that
    the wave which is executed has in LDS; `fixed` what locations hold, by index, that nothing writes.
    """

    test: LitmusTest
    graph: EventGraph
    lds: Mapping[str, int]
    cells: tuple[Cell, ...] = ()
    fixed: Mapping[int, int] = field(default_factory=dict)
    widths: dict[int, int] = field(default_factory=dict)
    footprints: set[tuple[int, int, int]] = field(default_factory=set)
    reads: int = 0

    def place(self, address: int, memory: str, size: int) -> BytePlace | None:
        """Return where an access lies, or None if that is nowhere; `memory` is how it goes there (`Transfer`)."""
        if memory == "private":
            return BytePlace("private", -1, address)
        if memory == "lds" or (memory == "flat" and address // REGION * REGION == LDS_APERTURE):
            return self._lds(address % REGION, size)
        region = _REGIONS.get(address // REGION * REGION)
        if region and address >= REGION:
            return BytePlace(region, -1, address % REGION)
        index, offset = location_at(address)
        if not 0 <= index < len(self.test.locations) or offset + size > self.size(index):
            return None
        return BytePlace("", index, offset, self.test.locations[index].space is AddressSpace.LDS)

    def _lds(self, byte: int, size: int) -> BytePlace | None:
        for index, location in enumerate(self.test.locations):
            start = self.lds.get(location.name)
            if start is not None and start <= byte and byte + size <= start + self.size(index):
                return BytePlace("", index, byte - start, lds=True)
        return None

    def lds_bytes(self, size: int) -> set[int]:
        """Return the aligned bytes of LDS at which an access of a size may begin."""
        ends = (start + self.size(index) for index, location in enumerate(self.test.locations)
                if (start := self.lds.get(location.name)) is not None)  # fmt: skip
        return set(range(0, max(ends, default=0) - size + 1, size))

    def lds_parts(self, byte: int, size: int) -> list[tuple[int, int]]:
        """Return how an access is divided among LDS locations, as first bytes and sizes; nothing if it is outside."""
        starts = {start: self.size(index) for index, location in enumerate(self.test.locations)
                  if (start := self.lds.get(location.name)) is not None}  # fmt: skip
        parts, at = [], byte
        while at < byte + size:
            inside = next((s + n - at for s, n in starts.items() if s <= at < s + n), 0)
            if not inside:
                return []
            parts.append((at - byte, min(inside, byte + size - at)))
            at += parts[-1][1]
        return parts

    def size(self, index: int) -> int:
        """Return how many bytes a location has."""
        type_ = self.test.locations[index].type
        assert type_ is not None
        return type_.size

    def address(self, name: str) -> int | None:
        """Return the address of a location by its name, or None if there is none."""
        for index, location in enumerate(self.test.locations):
            if location.name == name:
                return address_of(index)
        return None

    # ------------------------------------------------ cells

    def covered(self, place: BytePlace, size: int) -> list[tuple[int, Cell]]:
        """Return the cells of an access, with their numbers."""
        self.footprints.add((place.location, place.offset, size))
        name = self.test.locations[place.location].name
        if not self.cells:
            return [(-1, Cell(name, place.offset, size))]
        return [(number, cell) for number, cell in enumerate(self.cells) if cell.location == name
                and place.offset <= cell.offset and cell.offset + cell.size <= place.offset + size]  # fmt: skip

    def read(self, place: BytePlace, size: int) -> tuple[list[tuple[int, int]], Expr]:
        """Return a new read of each cell of an access, as (cell, read), and the value that the access returns."""
        found, parts, sizes = [], [], []
        for number, cell in self.covered(place, size):
            self.widths[self.reads] = cell.size * 8
            found.append((number, self.reads))
            parts.append(ReadOf(self.reads))
            sizes.append(cell.size * 8)
            self.reads += 1
        if place.location in self.fixed:  # whichever cache answers
            return found, Constant(self.fixed[place.location] >> 8 * place.offset & (1 << 8 * size) - 1)
        return found, joined(tuple(parts), tuple(sizes), self.widths)

    def decided(self) -> int:
        """Return a new read of what hardware decides."""
        self.widths[self.reads] = 32
        self.reads += 1
        return self.reads - 1

    def written(self, place: BytePlace, size: int, value: Expr) -> list[tuple[int, Expr, int]]:
        """Return what an access writes to each of its cells, and how many bits."""
        return [(number, sliced(value, 8 * (cell.offset - place.offset), 8 * cell.size, self.widths), 8 * cell.size)
                for number, cell in self.covered(place, size)]  # fmt: skip

    def second(self) -> TestMemory:
        """Return the memory for the second walk, cut where any access of the assembly or the test begins or ends."""
        cuts = {index: {0, self.size(index)} for index in range(len(self.test.locations))}
        for index, offset, size in self.footprints:
            cuts[index] |= {offset, offset + size}
        numbers = {location.name: index for index, location in enumerate(self.test.locations)}
        for cell in self.graph.cells:
            if cell.location in numbers:  # LDS that kernels declare lies in code as the compiler has laid it out
                cuts[numbers[cell.location]] |= {cell.offset, cell.offset + cell.size}
        cells = tuple(Cell(self.test.locations[index].name, start, end - start)
                      for index, ends in cuts.items() for start, end in pairwise(sorted(ends)))  # fmt: skip
        return TestMemory(self.test, self.graph, self.lds, cells, self.fixed)


def unwritten(graph: EventGraph, locations: Sequence[Location], but: Set[int]) -> dict[int, int]:
    """Return what locations hold that a test does not write, by index, `but` some, lowest byte first."""
    written = {graph.cells[event.cell].location for event in graph.events if event.kind is EventKind.WRITE}
    held: dict[str, dict[int, int]] = {}
    for event in graph.events:
        if event.kind is EventKind.INIT and isinstance(event.value, Constant) and isinstance(event.value.value, int):
            held.setdefault(graph.cells[event.cell].location, {})[graph.cells[event.cell].offset] = event.value.value
    whole = Counter(cell.location for cell in graph.cells)
    return {
        index: sum(value << 8 * offset for offset, value in held[location.name].items())
        for index, location in enumerate(locations)
        if location.space is AddressSpace.GLOBAL
        and location.name not in written
        and index not in but
        and len(held.get(location.name, ())) == whole[location.name]
    }
