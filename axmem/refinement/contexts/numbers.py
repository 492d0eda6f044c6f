"""The numbers that a context leaves open, as words: what its operations write, memory at first, parameters.

What goes in: the memory that contexts access, the programs. What comes out: for each operation the bits of what it
writes, of which a cell takes its own, so that halves, torn bytes and addresses come by themselves; for each byte of
memory that anybody may have written before its bits; for each parameter a word, which may be undef, or poison, where
the text permits that. Invariant: no number is an address of memory that is the programs' own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.words import Word, digits
from axmem.events.graph import ADDRESS_SHIFT, EventGraph, EventKind, address_of
from axmem.events.values import GIVEN, UNDEF, Apply, Constant, Expr, may_be_undef, operands
from axmem.refinement.contexts.placeholders import Memory

POINTER = 8
"""The bytes of an address, in every address space."""
Byte = tuple[str, int]


class Numbers:
    """What is open of values; the same calls make the same literals in every circuit.

    Where the programs do not look at values, each operation writes a number of its own: more tell nothing more. What
    memory holds at first is open there, too: a program may store just that.
    """

    def __init__(self, circuit: Circuit, memory: Memory, graphs: Sequence[EventGraph], numbers: Sequence[int]) -> None:
        """`numbers` are those by which placeholders count the operations."""
        self.circuit = circuit
        bits = 8 * max((p.size for p in memory.places), default=4)
        self.written: list[tuple[int, ...]] = []
        self.initial: dict[Byte, tuple[int, ...]] = {}
        for number in numbers:
            own = digits(memory.fresh + number)
            fixed = (*own, *[FALSE] * bits)[:bits]
            self.written.append(self._free(bits) if memory.decides else fixed)
        for byte in sorted(_held(graphs, memory)):
            self.initial[byte] = self._free(8)
        for location, offset in memory.pointers:
            self._address(location, offset, graphs)
        self.given = {expr.parameters[0]: self._given(expr) for expr in given(graphs)}
        self._apart(graphs, memory)

    def _free(self, bits: int) -> tuple[int, ...]:
        return tuple(self.circuit.variable() for _ in range(bits))

    def _given(self, expr: Apply) -> Word:
        if not may_be_undef(expr):
            return Word(self._free(expr.bits))
        undef, poison = self._free(2)
        return Word(self._free(expr.bits), (undef,) * expr.bits, poison)

    def defined(self) -> Iterator[int]:
        """Yield the literals that parameters which may be undef, or poison, are numbers."""
        for word in self.given.values():
            yield from (-x for x in dict.fromkeys((*word.free, word.poison)) if x != FALSE)

    def held(self, location: str, offset: int, size: int) -> tuple[int, ...] | None:
        """Return the bits of memory at first; None if its text says what it holds."""
        bytes_ = [self.initial.get((location, offset + at)) for at in range(size)]
        return tuple(x for each in bytes_ for x in each or ()) if None not in bytes_ else None

    def _address(self, location: str, offset: int, graphs: Sequence[EventGraph]) -> None:
        """Assert that memory that holds a pointer at first holds null or the address of a location."""
        held = self.held(location, offset, POINTER)
        names = {name: k for graph in graphs for k, name in enumerate(graph.locations)}
        if held is not None:
            self.circuit.add(*(_equal(self.circuit, held, n) for n in (0, *map(address_of, sorted(names.values())))))

    def _apart(self, graphs: Sequence[EventGraph], memory: Memory) -> None:
        """Assert that nobody guesses the addresses of memory that is the programs' own, nor any where that is said."""
        if not any(e.address_reads for graph in graphs for e in graph.events):
            return
        places = {k for graph in graphs for k, _ in enumerate(graph.locations)}
        own = {k for graph in graphs for k, name in enumerate(graph.locations) if name in memory.own}
        for index in memory.astray & self.given.keys():
            self._none_of(self.given[index].bits, places)
        words = [*self.written, *(word.bits for index, word in self.given.items() if index in memory.addresses)]
        starts = {(location, offset - offset % POINTER) for location, offset in self.initial}
        words += [held for start in sorted(starts) if (held := self.held(*start, POINTER)) is not None]
        for word in words:
            self._none_of(word, own)

    def _none_of(self, word: Sequence[int], places: Collection[int]) -> None:
        """Assert that no part of a word is an address of these locations."""
        for low in range(0, len(word), 8 * POINTER):
            high = word[low + ADDRESS_SHIFT : low + 8 * POINTER]
            for k in sorted(places if high else ()):
                self.circuit.add(-_equal(self.circuit, high, address_of(k) >> ADDRESS_SHIFT))


def _equal(circuit: Circuit, bits: Sequence[int], number: int) -> int:
    return circuit.conjunction([x if number >> i & 1 else -x for i, x in enumerate(bits)])


def _held(graphs: Sequence[EventGraph], memory: Memory) -> Iterator[Byte]:
    """Yield the bytes of memory that anybody may have written before; what nobody did stays undef."""
    undef = Constant(UNDEF)
    for graph in graphs:
        for e in graph.events:
            cell = graph.cells[e.cell] if e.kind is EventKind.INIT and e.value != undef else None
            if cell is not None and cell.location in memory.initial:
                yield from ((cell.location, cell.offset + at) for at in range(cell.size))


def given(graphs: Sequence[EventGraph]) -> list[Apply]:
    """Return the parameters that programs use, in one order."""
    found: dict[tuple[int, ...], Apply] = {}
    seen: set[Expr] = set()
    ahead = [expr for graph in graphs for expr in _expressions(graph)]
    while ahead:
        expr = ahead.pop()
        if expr in seen:
            continue
        seen.add(expr)
        if isinstance(expr, Apply) and expr.operation == GIVEN:
            found[expr.parameters] = expr
        ahead += operands(expr)
    return [found[key] for key in sorted(found)]


def _expressions(graph: EventGraph) -> Iterator[Expr]:
    yield from (e.value for e in graph.events if e.value is not None)
    yield from (choice.expr for choice in graph.choices if choice.expr is not None)
    yield from (require.expr for require in graph.requires)
    yield from (each.expr for each in graph.undefined if each.expr is not None)
    yield from (lane for observed in graph.observed for lane in observed.lanes)


def read_off(bits: Sequence[int], truth: Mapping[int, bool]) -> int:
    """Return the number that bits are in a solution."""
    return sum(1 << i for i, x in enumerate(bits) if x == TRUE or (x != FALSE and truth[x]))
