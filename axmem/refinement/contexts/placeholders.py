"""Contexts of which only the shape is fixed, as statements with which a program is walked.

What goes in: how many operations stand before and after each thread of a program and in threads of their own
(`Shape`), the memory that they may access. What comes out: one statement after the other for everything that an
operation may be (`placeholders`), known by their labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from axmem.events.graph import EventGraph
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.words import PLACED, OperationKind, Ordering
from axmem.refinement.bounded.operations import BoundedOperation
from axmem.refinement.bounded.programs import statement
from axmem.refinement.contexts.context import Context
from axmem.refinement.contexts.places import Place
from axmem.refinement.contexts.standing import AFTER, BEFORE, BESIDE

_FENCE = BoundedOperation(OperationKind.FENCE, ordering=Ordering.SEQ_CST)
NOTHING = statement(_FENCE, "", ast.Number(0), ast.Address(ast.AddressOf("")))
"""A fence that stands for something else."""
PLACES_MATTER = frozenset({"ctrl", "conv"})
"""The primitives that relate what stands behind a program's branches otherwise than a thread of its own."""
APART = 1000
"""Above every number of an instance that a test mentions."""


SLOT, BARRIER = "context slot", "context barrier"
"""How the labels of placeholders begin, which no text can have."""
REGISTER = "context "
"""How the registers of placeholders begin, which no text can have."""


class Meeting(NamedTuple):
    """A barrier at which further threads may meet a program: its name, how often each thread comes to it, and which."""

    name: str
    times: int
    threads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """How many operations stand before and after each thread of a program, by name, and in each further thread.

    Barriers are no operations: a further thread that takes part in a `meeting` comes to it as often as the program's
    threads, anywhere between its operations. Of threads `around` which more may stand it is open how many do: each
    operation, walked as a further thread of its own, stands before or after one of them, or beside them, with others or
    alone. In a `full` shape every operation is something: what contexts of fewer do is known.
    """

    first: Mapping[str, int]
    last: Mapping[str, int]
    beside: tuple[int, ...]
    meeting: Meeting | None = None
    around: tuple[str, ...] | None = None
    full: bool = False

    @property
    def barriers(self) -> int:
        """How often who takes part in the meeting comes to its barrier."""
        return self.meeting.times if self.meeting is not None else 0

    @property
    def size(self) -> int:
        """The number of operations."""
        return sum(self.first.values()) + sum(self.last.values()) + sum(self.beside)

    def runs(self) -> Iterator[tuple[str, int, int]]:
        """Yield the threads, where in them operations stand in a row, and how many, in the order of placeholders."""
        for name, count in self.first.items():
            yield name, BEFORE, count
            yield name, AFTER, self.last.get(name, 0)
        for k, count in enumerate(self.beside):
            yield beside(k), BESIDE, count

    def text(self) -> str:
        """Return it in words: where how many operations stand."""
        if self.around is not None:
            return f"contexts of {self.size}"
        parts = [f"{n} before {name}" for name, n in self.first.items() if n]
        parts += [f"{n} after {name}" for name, n in self.last.items() if n]
        parts += [f"{'+'.join(map(str, self.beside))} beside"] if self.beside else []
        return f"contexts of {self.size} ({', '.join(parts)})" if parts else "none"


@dataclass(frozen=True, slots=True)
class Memory:
    """What contexts access: places, and the first number of their own that they write where nobody looks at numbers.

    `decides`: what is read decides something. `initial` are locations that anybody may have written before the programs
    begin, `pointers` the places that hold pointers then, `own` locations that no context accesses, `unshared` those
    that nobody else writes while the program before runs (`unshared.py`). `alike`: the places are one like
    the other, so that operations mention them in order. `unwritten` are locations without a value at first, `addresses`
    the parameters that are pointers, and `astray` those of them that are the address of no location.
    """

    places: tuple[Place, ...]
    fresh: int
    decides: bool = True
    initial: frozenset[str] = frozenset()
    pointers: tuple[tuple[str, int], ...] = ()
    own: frozenset[str] = frozenset()
    unshared: frozenset[str] = frozenset()
    alike: bool = False
    unwritten: frozenset[str] = frozenset()
    addresses: frozenset[int] = frozenset()
    astray: frozenset[int] = frozenset()


def beside(number: int) -> str:
    """Return the name of a further thread while it is open, which no thread of a test can have."""
    return f"context {number}"


def placeholders(shape: Shape, memory: Memory) -> Context:
    """Return the context of a shape with every operation as all that it may be, one statement after the other.

    For each place that is an exchange, then a fence. Fences stand for the barriers that are between operations of a
    further thread, as many in each place as there may be.
    """
    numbers = iter(range(shape.size))

    def body(count: int) -> tuple[ast.Statement, ...]:
        return tuple(s for _ in range(count) for s in _placeholders(next(numbers), memory))

    def with_barriers(thread: int, count: int) -> tuple[ast.Statement, ...]:
        found = list(_barriers(thread, 0, shape.barriers))
        for at in range(count):
            found += (*body(1), *_barriers(thread, at + 1, shape.barriers))
        return tuple(found)

    # In the order in which `Setting` counts slots: thread by thread, what stands before and then what stands after.
    first, last = {}, {}
    for name, count in shape.first.items():
        first[name] = body(count)
        last[name] = body(shape.last.get(name, 0))
    threads = [
        ast.Thread(beside(k), ast.Placement((*[APART + k] * len(PLACED), APART + k)), with_barriers(k, count))
        for k, count in enumerate(shape.beside)
    ]
    return Context(threads, first, last)


def _placeholders(slot: int, memory: Memory) -> Iterator[ast.Statement]:
    """Yield what stands for an operation; labels say which of it they are."""
    exchange = BoundedOperation(OperationKind.RMW, 0, Ordering.MONOTONIC)
    for k, place in enumerate(memory.places):
        number = ast.Number(memory.fresh + slot, place.type)
        made = statement(exchange, f"{REGISTER}{slot}.{k}", number, place.address, place.type)
        yield replace(made, label=f"{SLOT} {slot} {k}")
    yield replace(NOTHING, label=f"{SLOT} {slot} {len(memory.places)}")


def _barriers(thread: int, gap: int, count: int) -> Iterator[ast.Statement]:
    """Yield what stands for the barriers of a further thread before its operation of a number."""
    return (replace(NOTHING, label=f"{BARRIER} {thread} {gap} {phase + 1}") for phase in range(count))


def labelled(graph: EventGraph, word: str) -> Iterator[tuple[int, list[int]]]:
    """Yield the events whose labels begin so, with the numbers that these have."""
    for e in graph.events:
        if e.label.startswith(word):
            yield e.index, [int(number) for number in e.label.removeprefix(word).split()]
