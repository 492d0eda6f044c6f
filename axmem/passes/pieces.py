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

from axmem.front.records import replace
from axmem.passes.blocks import Pair, rows
from axmem.passes.modules import LOCAL, ModuleFunction, defined, operands, said
from axmem.passes.parts import FunctionSide, keeps, side_of

MOST = 60
"""How many lines a function may have that is cut."""
Piece = tuple[Pair, tuple[Pair, ...]]
"""A piece, with its frames if there are fences in it, which order nothing by themselves."""


def pieces(one: ModuleFunction, other: ModuleFunction) -> tuple[Piece, ...] | None:
    """Return the pieces of a change; None for functions that are not written as functions of a trial are."""
    first, second = side_of(one), side_of(other)
    if first is None or second is None or len(first.returned) != len(second.returned):
        return None
    if max(len(one.body), len(other.body)) > MOST:
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
_FRAMES = (
    ("  store i32 1, ptr %first.at, align 4", "  store atomic i32 1, ptr %last.at monotonic, align 4"),
    ("  %first = load atomic i32, ptr %first.at monotonic, align 4", "  %last = load i32, ptr %last.at, align 4"),
    (
        "  store atomic i32 1, ptr %first.at monotonic, align 4",
        "  %last = load atomic i32, ptr %last.at monotonic, align 4",
    ),
)
"""What a fence may order: what it releases, what it acquires, and a store before a load if it is seq_cst."""
Cut = tuple[int, int]


class _Cutting:
    """Cuts two functions. A cut is a place in each."""

    def __init__(self, one: FunctionSide, other: FunctionSide, values: Sequence[tuple[str, str]]) -> None:
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

    def _kept(self, first: Cut, last: Cut) -> list[tuple[str, str]]:
        """Return the results, before and after, that a part computes, and the value that it hands to the next."""
        own = self.one.results(first[0], last[0]), self.other.results(first[1], last[1])
        handed = [(f"%{v}", f"%{x}") for v, x in (self.handed.get(last, ("", "")),) if x]
        return [
            pair for pair in dict.fromkeys((*self.values, *handed))
            if any(side.needed(value) & names for side, value, names in zip(self.sides, pair, own, strict=True))
        ]  # fmt: skip

    def _piece(self, first: Cut, last: Cut) -> tuple[Pair, tuple[Pair, ...]]:
        kept = self._kept(first, last)
        ranges = ((first[0], last[0]), (first[1], last[1]))
        given = self._given(first, last)
        pair = self._parts(ranges, kept, given, ("", ""))
        if not any(
            side.line(k).startswith("  fence ") for side, r in zip(self.sides, ranges, strict=True) for k in range(*r)
        ):
            return pair, ()
        return pair, tuple(self._parts(ranges, kept, given, frame) for frame in _FRAMES)

    def _parts(
        self, ranges: tuple[Cut, Cut], kept: Sequence[tuple[str, str]], given: tuple[str, str], frame: tuple[str, str]
    ) -> Pair:
        read = tuple(f"%{name}" for line in frame if (name := defined(line)))
        one, other = (
            side.part(*ranges[k], [*(pair[k] for pair in kept), *read], given[k], frame)
            for k, side in enumerate(self.sides)
        )
        one, other = _rebased(one, other)
        if not any(frame):
            return one, other
        framing = tuple(f"ptr noalias %{name}" for name in _PLACES)
        return replace(one, parameters=(*one.parameters, *framing)), replace(
            other, parameters=(*other.parameters, *framing)
        )


def _rebased(one: ModuleFunction, other: ModuleFunction) -> Pair:
    """Return functions in which a pointer that is only used with one number of bytes added to it is used as it is."""
    for name in one.names:
        used = {
            said(line) for each in (one, other) for line in each.body if name[1:] in operands(line)
        }  # fmt: skip
        if len(used) == 1 and next(iter(used)).startswith("getelementptr "):
            one, other = (_without(each, name) for each in (one, other))
    return one, other


def _without(function: ModuleFunction, pointer: str) -> ModuleFunction:
    """Return a function that uses a pointer for what is computed from it."""
    gone = {defined(line) for line in function.body if pointer[1:] in operands(line)}
    kept = (line for line in function.body if pointer[1:] not in operands(line))
    names = dict.fromkeys(gone, pointer)
    return replace(function, body=tuple(LOCAL.sub(lambda m: names.get(m[1], m[0]), line) for line in kept))
