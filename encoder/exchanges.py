"""Which threads of a test may change places: automorphisms of its events.

What goes in: the events of a test, and two rows of threads, such as two lanes, or the lanes of two workgroups. What
comes out: whether exchanging these rows, event by event, maps the events onto themselves, and what becomes of what
outcomes show. Invariant: what is returned maps every event, choice and constraint to one that is there, with all that
a model is told of it; nothing is assumed of the text. So no model can tell an execution from its image.

An exchange may move cells (a lane's own memory, an element for each lane), with their initial writes and final reads.
Values stay, but for numbers that only one of the two stores (`Exchange.values`), where nothing computes with values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from axmem.events.graph import Event, EventGraph, EventKind, Guard
from axmem.events.values import Apply, Constant, Expr, Pick, ReadOf, Value, choices_of, fold, reads_of
from axmem.front.records import dataclass

_PLAIN = (
    "kind", "position", "space", "ordering", "scope", "one_as", "volatile", "nontemporal", "av", "rmw", "cas", "tags",
    "phase", "arrives", "waits", "within",
)  # fmt: skip
"""What of an event says nothing of others: it has to be the same."""
_NUMBERED = ("instruction", "access", "instance")
"""What of an event is a number that it shares with others: which ones share it has to be the same."""


_OTHERS = ("address_reads", "guard_reads", "control_reads", "after")
"""What of an event names others."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What an exchange makes of outcomes: columns come from others, and of some pairs of numbers each is the other."""

    columns: dict[int, int]
    values: dict[Value, Value]


class Exchanges:
    """The exchanges of one test's threads."""

    def __init__(self, graph: EventGraph) -> None:
        self.graph = graph
        self.events: dict[int, list[Event]] = {number: [] for number in range(-1, len(graph.threads))}
        for event in graph.events:
            self.events[event.thread].append(event)
        self.outer = {
            (event.kind, event.cell): event
            for event in self.events[-1]
            if event.kind in (EventKind.INIT, EventKind.FINAL)
        }
        self.shapes = {number: tuple(map(_shape, events)) for number, events in self.events.items()}
        self.columns: dict[tuple[Expr, ...], list[int]] = {}
        for number, observed in enumerate(graph.observed):
            self.columns.setdefault(observed.lanes, []).append(number)

    @cached_property
    def sharing(self) -> dict[tuple[str, int], set[int]]:
        """Which threads have events with each number, by what it numbers."""
        found: dict[tuple[str, int], set[int]] = {}
        for event in self.graph.events:
            for name in _NUMBERED:
                found.setdefault((name, getattr(event, name)), set()).add(event.thread)
            for cell in {event.cell, *event.footprint, *(event.covers or ())}:
                found.setdefault(("cell", cell), set()).add(event.thread)
        return found

    def of(self, one: Sequence[int], other: Sequence[int]) -> Exchange | None:
        """Return the exchange of two rows of threads, which have none in common; None if it maps no events to others.

        Stored numbers that differ are in its values; whether they may is for the caller to know.
        """
        pairs = [*zip(one, other, strict=True), *zip(other, one, strict=True)]
        if any(self.shapes[a] != self.shapes[b] for a, b in pairs) or not self._same_places(dict(pairs)):
            return None
        return _Mapping(self, dict(pairs)).exchange()

    def _same_places(self, image: dict[int, int]) -> bool:
        """Tell whether any two threads share as many levels as their images, from the outermost."""
        placements = self.graph.placements
        shared = _Levels(placements[k].numbers for k in range(len(placements)))
        return all(
            shared.of(a, c) == shared.of(b, image.get(c, c)) for a, b in image.items() for c in range(len(placements))
        )


class _Levels:
    """How many levels two threads share an instance of."""

    def __init__(self, numbers: Iterable[Sequence[int | None]]) -> None:
        self.numbers = [*numbers]

    def of(self, one: int, other: int) -> int:
        """Return the count, from the outermost level."""
        count = 0
        for a, b in zip(self.numbers[one], self.numbers[other], strict=True):
            if a is None or a != b:
                break
            count += 1
        return count


def _shape(event: Event) -> tuple[object, ...]:
    return (*[getattr(event, name) for name in _PLAIN], len(event.guard), event.value is None)


class _Mapping:
    """One exchange on its way: what becomes of events, choices, cells and numbers; what is not here stays."""

    def __init__(self, whole: Exchanges, threads: dict[int, int]) -> None:
        self.whole = whole
        self.graph = whole.graph
        self.threads = threads
        self.events: dict[int, Event] = {}
        self.choices: dict[int, int] = {}
        self.numbers: dict[tuple[str, int], int] = {}
        self.values: dict[Value, Value] = {}
        self.images: dict[Expr, Expr] = {}

    def exchange(self) -> Exchange | None:
        """Return what becomes of outcomes, if this is an automorphism."""
        if not self._paired() or not all(self._fits(event) for event in self._affected()):
            return None
        if not self._choices_fit() or not self._constraints_fit():
            return None
        columns = self._columns()
        return None if columns is None else Exchange(columns, self.values)

    # ------------------------------------------------ pairing

    def _paired(self) -> bool:
        """Pair events, choices, cells and numbers; tell whether each has one image, and is the image of that."""
        for one, other in self.threads.items():
            for event, image in zip(self.whole.events[one], self.whole.events[other], strict=True):
                self.events[event.index] = image
        for index, image in self.events.items():
            event = self.graph.events[index]
            named = [(name, getattr(event, name), getattr(image, name)) for name in _NUMBERED]
            named.append(("cell", event.cell, image.cell))
            if not all(self._pair(*each) for each in named) or not self._pair_choices(event, image):
                return False
        return self._pair_outer()

    def _pair(self, name: str, number: int, image: int) -> bool:
        """Pair two numbers; those that change must be of the exchanged threads alone."""
        if self.numbers.setdefault((name, number), image) != image or self.numbers.get((name, image), number) != number:
            return False
        return number == image or self.whole.sharing[name, number] <= {*self.threads, -1}

    def _pair_choices(self, event: Event, image: Event) -> bool:
        """Pair the choices of two events, which stand in the order of their making."""
        pairs = [*zip(event.guard, image.guard, strict=True)]
        found = [(a[0], b[0]) for a, b in pairs]
        if event.value is not None and image.value is not None:
            asked = sorted(choices_of(event.value)), sorted(choices_of(image.value))
            if len(asked[0]) != len(asked[1]):
                return False
            found += zip(*asked, strict=True)
        return all(self.choices.setdefault(a, b) == b and self.choices.setdefault(b, a) == a for a, b in found)

    def _pair_outer(self) -> bool:
        """Pair the initial writes and final reads of cells that move; tell whether whole locations move with them."""
        for (kind, cell), event in self.whole.outer.items():
            image = self.whole.outer.get((kind, self._cell(cell)))
            if image is None or self.graph.cells[cell].size != self.graph.cells[image.cell].size:
                return False
            self.events[event.index] = image
            if not all(self._pair(name, getattr(event, name), getattr(image, name)) for name in _NUMBERED):
                return False
        images = self._locations()
        return len(images) == len({*images.values()}) == len(self.graph.locations)

    def _locations(self) -> dict[str, frozenset[str]]:
        """Return the locations in which the images of a location's cells are."""
        found: dict[str, frozenset[str]] = {}
        for number, cell in enumerate(self.graph.cells):
            image = self.graph.cells[self._cell(number)].location
            found[cell.location] = found.get(cell.location, frozenset()) | {image}
        return found

    # ------------------------------------------------ whether all of it fits

    def _affected(self) -> list[Event]:
        """Return the events whose images may be others: those that move, and those that speak of what moves."""
        moved = {number for (name, number), image in self.numbers.items() if name == "cell" and number != image}
        return [
            event
            for event in self.graph.events
            if event.index in self.events
            or event.after & self.events.keys()
            or not moved.isdisjoint((event.cell, *event.footprint, *(event.covers or ())))
            or (event.value is not None and not self.events.keys().isdisjoint(reads_of(event.value)))
            or any(choice in self.choices for choice, _ in event.guard)
        ]

    def _fits(self, event: Event) -> bool:
        """Tell whether an event's image is what all that is said of the event becomes."""
        image = self.events.get(event.index, event)
        return (
            image.thread == self.threads.get(event.thread, event.thread)
            and self._cell(event.cell) == image.cell
            and frozenset(map(self._cell, event.footprint)) == image.footprint
            and (event.covers is None) == (image.covers is None)
            and frozenset(map(self._cell, event.covers or ())) == (image.covers or frozenset())
            and self._guard(event.guard) == frozenset(image.guard)
            and all(frozenset(map(self._event, getattr(event, n))) == getattr(image, n) for n in _OTHERS)
            and self._value_fits(event, image)
        )

    def _value_fits(self, event: Event, image: Event) -> bool:
        if event.value is None or image.value is None:
            return event.value is image.value
        if event.kind is EventKind.WRITE and isinstance(event.value, Constant) and isinstance(image.value, Constant):
            one, other = event.value.value, image.value.value
            if one != other:
                return self.values.setdefault(one, other) == other and self.values.setdefault(other, one) == one
        return self._expr(event.value) == image.value

    def _choices_fit(self) -> bool:
        """Tell whether the images of all choices are choices; those that mention nothing that moves stay."""
        for choice in self.graph.choices:
            image = self.graph.choices[self.choices.get(choice.index, choice.index)]
            expr = None if choice.expr is None else self._expr(choice.expr)
            if (self._guard(choice.guard), expr, choice.values) != (frozenset(image.guard), image.expr, image.values):
                return False
        return True

    def _constraints_fit(self) -> bool:
        """Tell whether what is required, undefined and beyond the bound stays the same."""
        graph = self.graph
        rows: list[list[tuple[Guard, Expr | None]]] = [
            [(each.guard, each.expr) for each in graph.requires],
            [(each.guard, each.expr) for each in graph.undefined],
            [(each.guard, None) for each in graph.beyond],
            [(each.guard, each.expr) for each in graph.taken_back],
        ]
        for row in rows:
            before = Counter((frozenset(guard), expr) for guard, expr in row)
            after = Counter((self._guard(g), None if expr is None else self._expr(expr)) for g, expr in row)
            if before != after:
                return False
        return True

    def _columns(self) -> dict[int, int] | None:
        """Return which other column shows what a column showed, None if one has no image."""
        found: dict[int, int] = {}
        for number, observed in enumerate(self.graph.observed):
            image = tuple(map(self._expr, observed.lanes))
            if image == observed.lanes:
                continue
            same = self.whole.columns.get(image, [])
            others = self.whole.columns[observed.lanes]
            if len(same) != len(others):
                return None
            other = same[others.index(number)]
            if self.graph.observed[other].type != observed.type:
                return None
            found[number] = other
        return found

    # ------------------------------------------------ images

    def _cell(self, cell: int) -> int:
        return self.numbers.get(("cell", cell), cell)

    def _event(self, index: int) -> int:
        found = self.events.get(index)
        return index if found is None else found.index

    def _guard(self, guard: Guard) -> frozenset[tuple[int, int]]:
        return frozenset((self.choices.get(choice, choice), arm) for choice, arm in guard)

    def _expr(self, expr: Expr) -> Expr:
        return fold(expr, self._part, self.images)

    def _part(self, part: Expr) -> Expr:
        if isinstance(part, ReadOf):
            return ReadOf(self._event(part.event))
        if isinstance(part, Apply):
            return Apply(part.operation, part.bits, tuple(self.images[a] for a in part.arguments), part.parameters)
        if isinstance(part, Pick):
            return Pick(self.choices.get(part.choice, part.choice), tuple(self.images[a] for a in part.arms))
        return part
