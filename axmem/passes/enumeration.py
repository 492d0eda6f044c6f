"""All functions of a size, up to symmetry, and random ones.

What goes in: how many operations, and an alphabet. What comes out: fragments, in an order that depends on the arguments
alone, simpler shapes first. Two that differ only in the names of tags, of pointers or of values are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from random import Random

from axmem.front.records import dataclass, replace
from axmem.litmus.words import FAILURES, OperationKind, Ordering, atomic_for, legal_for
from axmem.passes.fragments import (
    BEHIND,
    FIRST,
    OTHER,
    PLAIN,
    SCOPES,
    TAGS,
    Fragment,
    FragmentOperation,
    FragmentShape,
    ModeMark,
)

UPDATES = ("add 1", "xchg 1", "or 0", "nand 1")
"""One that every target has, one that writes what it is given, one that changes nothing, one that is expanded."""
PLACES = (FIRST, BEHIND, OTHER)


@dataclass(frozen=True, slots=True)
class Alphabet:
    """What operations may be: `marks` besides orderings, `updates` of atomicrmw, of which the first has marks.

    `dead`: results that nobody uses; `weak`: compare-exchanges that may fail; `copies`: stores of what was read;
    `failures`: every pair of orderings of compare-exchanges.
    """

    name: str
    marks: tuple[ModeMark, ...]
    updates: tuple[str, ...]
    orderings: tuple[Ordering, ...] = tuple(Ordering)
    dead: bool = True
    weak: bool = True
    copies: bool = True
    failures: bool = True

    def operations(self) -> tuple[FragmentOperation, ...]:
        """Return every operation, but for the values of stores."""
        return tuple(self._operations())

    def _operations(self) -> Iterator[FragmentOperation]:
        for kind in (OperationKind.LOAD, OperationKind.STORE, OperationKind.FENCE):
            for ordering, mark in product(legal_for(kind), self.marks):
                if ordering in self.orderings and _legal(kind, ordering, mark):
                    yield from self._uses(FragmentOperation(kind, ordering, mark))
        for update in self.updates:
            marks = self.marks if update == self.updates[0] else self.marks[:1]
            for ordering, mark in product(legal_for(OperationKind.RMW), marks):
                if ordering in self.orderings:
                    yield from self._uses(FragmentOperation(OperationKind.RMW, ordering, mark, update=update))
        yield from self._exchanges()

    def _exchanges(self) -> Iterator[FragmentOperation]:
        """Yield compare-exchanges: each pair of orderings without a mark, each mark with the strongest pair."""
        pairs = [(o, f) for o in atomic_for(OperationKind.CMPXCHG) for f in FAILURES if {o, f} <= {*self.orderings}]
        for ordering, failure in pairs if self.failures else pairs[-1:]:
            for mark in self.marks if (ordering, failure) == pairs[-1] else self.marks[:1]:
                yield FragmentOperation(OperationKind.CMPXCHG, ordering, mark, failure)
        if self.weak:
            yield FragmentOperation(OperationKind.CMPXCHG, pairs[-1][0], failure=pairs[-1][1], weak=True)

    def _uses(self, operation: FragmentOperation) -> Iterator[FragmentOperation]:
        yield operation
        if operation.reads and self.dead:
            yield replace(operation, used=False)


def _legal(kind: OperationKind, ordering: Ordering, mark: ModeMark) -> bool:
    """Whether an operation may have a mark: scopes are of atomic operations, and fences are not volatile."""
    if mark in SCOPES:
        return ordering not in (PLAIN, Ordering.UNORDERED)
    return mark is not ModeMark.VOLATILE or kind is not OperationKind.FENCE


NONE = (ModeMark.NONE,)
WHOLE = Alphabet("whole", tuple(ModeMark), UPDATES)
TAGGED = Alphabet("tagged", (ModeMark.NONE, *TAGS), UPDATES[:1], weak=False)
SMALL = Alphabet(
    "small",
    NONE,
    UPDATES[:1],
    tuple(o for o in Ordering if o is not Ordering.UNORDERED and o is not Ordering.ACQ_REL),
    dead=False,
    weak=False,
    copies=False,
    failures=False,
)
"""Alphabets: of rows with up to two operations, of other shapes, and of rows of three."""
WHOLE_SIZE, LARGEST = 2, 3
"""Up to how many operations the whole alphabet is taken, and up to how many there is an enumeration."""
BRANCHING = (FragmentShape.GUARDED, FragmentShape.TESTED, FragmentShape.ARMS, FragmentShape.LOOP, FragmentShape.FRAMED)


def every(size: int) -> Iterator[Fragment]:
    """Yield all functions of so many operations, up to symmetry."""
    if size > WHOLE_SIZE:
        yield from of(SMALL, size)
        return
    yield from of(WHOLE, size)
    for shape in BRANCHING:
        yield from of(TAGGED, size, shape)
    if size == 1:
        yield from (replace(each, cast=True) for each in of(WHOLE, size) if _accesses(each.operations[0]))


def of(alphabet: Alphabet, size: int, shape: FragmentShape = FragmentShape.ROW) -> Iterator[Fragment]:
    """Yield all functions of so many operations of an alphabet, of one shape, up to symmetry."""
    words = alphabet.operations()
    for chosen in product(words, repeat=size):
        if not _fits(chosen, shape) or not _first_tag(chosen):
            continue
        for row in _valued(chosen, alphabet, shape):
            for places, apart in _placed(row):
                yield Fragment(row, places, shape, apart)


def _accesses(operation: FragmentOperation) -> bool:
    return operation.kind is not OperationKind.FENCE


def _fits(row: tuple[FragmentOperation, ...], shape: FragmentShape) -> bool:
    """Whether a shape can have a row: what is tested is read, arms are two."""
    if shape is FragmentShape.TESTED:
        return len(row) > 1 and row[0].reads and row[0].used
    return shape is not FragmentShape.ARMS or len(row) > 1


def _first_tag(row: Iterable[FragmentOperation]) -> bool:
    """Whether the first tag of a row is the first of the tags; the others are the same under other names."""
    return next((each.mark for each in row if each.mark in TAGS), TAGS[0]) == TAGS[0]


def _valued(
    row: tuple[FragmentOperation, ...], alphabet: Alphabet, shape: FragmentShape
) -> Iterator[tuple[FragmentOperation, ...]]:
    """Yield a row with every choice of what its stores write: numbers by their first use, or what was read before."""
    choices: list[list[tuple[FragmentOperation, int | None]]] = []
    for k, each in enumerate(row):
        if each.kind is not OperationKind.STORE:
            choices.append([(each, None)])
            continue
        stores = sum(other.kind is OperationKind.STORE for other in row[:k])
        numbers: list[int | None] = [*range(1, min(stores + 1, 2) + 1)]
        before = row[k - 1] if k else None
        if alphabet.copies and before is not None and before.reads and before.used and shape is not FragmentShape.ARMS:
            numbers.append(None)
        choices.append([(replace(each, value=number), number) for number in numbers])
    for chosen in product(*choices):
        written = [number for _, number in chosen if number is not None]
        if all(number <= len({*written[:k]}) + 1 for k, number in enumerate(written)):
            yield tuple(each for each, _ in chosen)


def _placed(row: tuple[FragmentOperation, ...]) -> Iterator[tuple[tuple[int, ...], bool]]:
    """Yield where the operations of a row may access memory, and whether the pointers are noalias."""
    for places in product(*[PLACES if _accesses(each) else (FIRST,) for each in row]):
        used = [place for each, place in zip(row, places, strict=True) if _accesses(each)]
        if BEHIND in used and FIRST not in used:
            continue  # The same as what the first pointer points to.
        if OTHER in used and BEHIND not in used and used[0] == OTHER:
            continue  # The pointers have changed their names.
        yield places, False
        if OTHER in used:
            yield places, True


def random(seed: int, most: int) -> Iterator[Fragment]:
    """Yield random functions of up to so many operations, without an end; the same for the same seed."""
    source = Random(f"passes {seed}")
    words = WHOLE.operations()
    kinds = {kind: [each for each in words if each.kind is kind] for kind in OperationKind}
    kinds = {kind: found for kind, found in kinds.items() if found}
    while True:
        size = source.randrange(1, most + 1)
        row = tuple(source.choice(kinds[source.choice([*kinds])]) for _ in range(size))
        plainer = source.random() < 0.5
        row = tuple(replace(each, mark=ModeMark.NONE) if plainer else each for each in row)
        shape = source.choice([FragmentShape.ROW, FragmentShape.ROW, FragmentShape.ROW, *BRANCHING])
        if not _fits(row, shape) or not _first_tag(row):
            continue
        row = source.choice([*_valued(row, WHOLE, shape)])
        places, apart = source.choice([*_placed(row)])
        yield Fragment(row, places, shape, apart, cast=source.random() < 0.1)
