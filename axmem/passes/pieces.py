"""A change in pieces: what a pass has changed apart are changes of their own, and what it left is none.

What goes in: a function before and after. What comes out: pairs of functions, one after the other they are the whole.
Where both functions are cut, nothing behind needs a value from before but one that it stores or tests, every result is
of one side, and control goes on from one part to the next and nowhere else. So if each piece is sound in every context,
the whole is: the others are a context like any other. Of several ways to cut, the one is taken that leaves most
operations as they were; what has branches then is cut block by block. A piece keeps to the memory that it had, and
operations vanish in it only beside others of that memory, which may be why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from axmem.formats.ir.flow import used
from axmem.formats.ir.printer import computed
from axmem.formats.ir.renaming import with_values
from axmem.formats.ir.syntax import Function, Instruction, Parameter, Value
from axmem.formats.ir.types import IRType
from axmem.front.records import replace
from axmem.litmus.syntax import Register
from axmem.passes.blocks import Pair, rows
from axmem.passes.modules import body, module_of, names_of, with_body
from axmem.passes.parts import FunctionSide, keeps, side_of

MOST = 60
"""How many lines a function may have that is cut."""
Piece = tuple[Pair, tuple[Pair, ...]]
"""A piece, with its frames if there are fences in it, which order nothing by themselves."""


def pieces(one: Function, other: Function) -> tuple[Piece, ...] | None:
    """Return the pieces of a change; None for functions that are not written as functions of a trial are."""
    first, second = side_of(one), side_of(other)
    if first is None or second is None or len(first.returned) != len(second.returned):
        return None
    if max(len([*body(each)]) for each in (one, other)) > MOST:
        return None
    values = [*zip(first.returned, second.returned, strict=True)]
    if any(a != b and not (first.needed(a) or second.needed(b)) for a, b in values):
        return None  # Other numbers are returned: no piece has them.
    found = _Cutting(first, second, values).pieces()
    return tuple(piece for each in found for piece in _apart(each))


def _apart(piece: Piece) -> tuple[Piece, ...]:
    """Return the pieces of a piece, block by block; the piece if it has no branches, or is changed in its flow."""
    found = [pieces(*pair) for pair in rows(*piece[0]) or ()]
    return tuple(each for row in found for each in row or ()) if found and None not in found else (piece,)


_PLACES = ("first.at", "last.at")
_FRAMES = tuple(
    tuple(body(module_of(f"define void @f() {{\n  {one}, align 4\n  {other}, align 4\n}}").function("f")))
    for one, other in (
        ("store i32 1, ptr %first.at", "store atomic i32 1, ptr %last.at monotonic"),
        ("%first = load atomic i32, ptr %first.at monotonic", "%last = load i32, ptr %last.at"),
        ("store atomic i32 1, ptr %first.at monotonic", "%last = load atomic i32, ptr %last.at monotonic"),
    )
)
"""What a fence may order: what it releases, what it acquires, and a store before a load if it is seq_cst."""
Cut = tuple[int, int]


class _Cutting:
    """Cuts two functions. A cut is a place in each."""

    def __init__(self, one: FunctionSide, other: FunctionSide, values: Sequence[tuple[Value, Value]]) -> None:
        self.one, self.other, self.values = one, other, values
        self.sides = (one, other)
        self.handed: dict[Cut, tuple[str, str]] = {}

    def pieces(self) -> tuple[Piece, ...]:
        """Return the pieces that are changed."""
        begin, end = (0, 0), (self.one.count, self.other.count)
        cuts = [begin, *self._cuts(), end]
        best: dict[Cut, tuple[int, tuple[Cut, ...]]] = {begin: (0, (begin,))}
        for cut in cuts[1:]:
            ways = [
                (best[first][0] + score, (*best[first][1], cut))
                for first in cuts
                if first in best and first != cut and first[0] <= cut[0] and first[1] <= cut[1]
                and (score := self._score(first, cut)) is not None
            ]  # fmt: skip
            if ways:
                best[cut] = max(ways, key=lambda way: way[0])
        way = best[end][1] if end in best else (begin, end)
        found = [(first, last) for first, last in pairwise(way) if not self._same(first, last)]
        return tuple(self._piece(first, last) for first, last in found)

    def _cuts(self) -> Iterator[Cut]:
        """Yield the places where both functions can be cut; note the value that goes from one part to the next."""
        places = [
            {
                at: names
                for at in range(side.count + 1)
                if side.parts(at) and (names := side.handed(at, side.count, side.results(0, at))) is not None
            }
            for side in self.sides
        ]
        ends = ((0, 0), (self.one.count, self.other.count))
        for (i, names), (j, others) in product(places[0].items(), places[1].items()):
            cut = (i, j)
            handed = len(others) <= len(names) < 2 and not (names and self.one.given)
            if cut not in ends and handed and self._returns(cut):
                if names:
                    self.handed[cut] = (names[0], others[0] if others else "")
                yield cut

    def _returns(self, cut: Cut) -> bool:
        """Whether every result is computed on one side of a cut."""
        before = self.one.results(0, cut[0]), self.other.results(0, cut[1])
        for pair in self.values:
            where = set()
            for side, value, first in zip(self.sides, pair, before, strict=True):
                needed = side.needed(value)
                where |= {name in first for name in needed}
            if len(where) > 1:
                return False
        return True

    def _score(self, first: Cut, last: Cut) -> int | None:
        """Return how good a piece is; None for a piece that should be larger."""
        if self._same(first, last):
            return 100 * (last[0] - first[0])
        if first[1] == last[1] and self.one.idle(first[0], last[0]):
            return 2
        if first[0] == last[0]:
            return None  # A branch of its own, which asks about a value that nothing asked about.
        ranges = ((first[0], last[0]), (first[1], last[1]))
        return 1 if keeps(self.sides, ranges, ((0, first[0]), (last[0], self.one.count))) else None

    def _same(self, first: Cut, last: Cut) -> bool:
        """Whether a part is as it was, and returns what it returned."""
        if last[0] - first[0] != last[1] - first[1]:
            return False
        kept, given = self._kept(first, last), self._given(first, last)
        shown = [
            side.shown(first[k], last[k], [pair[k] for pair in kept], given[k]) for k, side in enumerate(self.sides)
        ]
        return shown[0] == shown[1]

    def _given(self, first: Cut, last: Cut) -> tuple[str, str]:
        """Return the value from before that a part has, in both functions; nothing if it has none."""
        given = self.handed.get(first, ("", ""))
        for k, side in enumerate(self.sides):
            if given[k] and given[k] in (side.taken(at)[0] for at in range(first[k], last[k])):
                return given
        return ("", "")

    def _kept(self, first: Cut, last: Cut) -> list[tuple[Value, Value]]:
        """Return the results, before and after, that a part computes, and the value that it hands to the next."""
        own = self.one.results(first[0], last[0]), self.other.results(first[1], last[1])
        handed = [(Register(v), Register(x)) for v, x in (self.handed.get(last, ("", "")),) if x]
        return [
            pair for pair in dict.fromkeys((*self.values, *handed))
            if any(side.needed(value) & names for side, value, names in zip(self.sides, pair, own, strict=True))
        ]  # fmt: skip

    def _piece(self, first: Cut, last: Cut) -> tuple[Pair, tuple[Pair, ...]]:
        kept = self._kept(first, last)
        ranges = ((first[0], last[0]), (first[1], last[1]))
        given = self._given(first, last)
        pair = self._parts(ranges, kept, given, ())
        if not any(side.fences(*each) for side, each in zip(self.sides, ranges, strict=True)):
            return pair, ()
        return pair, tuple(self._parts(ranges, kept, given, frame) for frame in _FRAMES)

    def _parts(
        self, ranges: tuple[Cut, Cut], kept: Sequence[tuple[Value, Value]], given: tuple[str, str],
        frame: tuple[Instruction, ...],
    ) -> Pair:  # fmt: skip
        read = tuple(Register(each.result) for each in frame if each.result)
        one, other = (
            side.part(*ranges[k], [*(pair[k] for pair in kept), *read], given[k], frame)
            for k, side in enumerate(self.sides)
        )
        one, other = _rebased(one, other)
        if not frame:
            return one, other
        framing = tuple(Parameter(name, IRType("ptr"), ("noalias",)) for name in _PLACES)
        return replace(one, parameters=(*one.parameters, *framing)), replace(
            other, parameters=(*other.parameters, *framing)
        )


def _rebased(one: Function, other: Function) -> Pair:
    """Return functions in which a pointer that is only used with one number of bytes added to it is used as it is."""
    for name in names_of(one):
        uses = {computed(line) for each in (one, other) for line in body(each) if name in used(line)}
        if len(uses) == 1 and next(iter(uses)).startswith("getelementptr "):
            one, other = (_without(each, name) for each in (one, other))
    return one, other


def _without(function: Function, pointer: str) -> Function:
    """Return a function that uses a pointer for what is computed from it."""
    gone = dict.fromkeys((line.result for line in body(function) if pointer in used(line)), Register(pointer))
    return with_body(function, (with_values(line, gone) for line in body(function) if pointer not in used(line)))
