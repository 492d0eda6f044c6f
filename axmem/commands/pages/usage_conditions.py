"""In which cases something is there, said as briefly as possible.

What goes in: cases, each a word for each of some names (`mode`: `cu mode`), and those of them in which it is there.
What comes out: `only tgsplit mode`, `not one-as scope; fence of global and cu mode`, or nothing if it is there always:
alternatives between `;`, each of words that hold together, of which each is one of those with `or` between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

from axmem.front.records import dataclass

_MOST = 3
"""Up to how many names one alternative speaks of, if that is enough."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Cases with one of some words for each of some names; `held` has a bit for each case that is one of them."""

    words: tuple[tuple[str, ...], ...]
    held: int

    @property
    def text(self) -> str:
        """The alternative in words."""
        return " and ".join(" or ".join(some) for some in self.words)

    @property
    def size(self) -> tuple[int, int]:
        """How much there is to read."""
        return len(self.words), sum(map(len, self.words))


class Conditions:
    """What can be said of the cases of one row; what can be said without the words of `usual` is."""

    def __init__(self, cases: Sequence[Mapping[str, str]], usual: Iterable[str] = ()) -> None:
        self._cases = cases
        self._usual = frozenset(usual)
        self.all = (1 << len(cases)) - 1
        values = {name: list(dict.fromkeys(case[name] for case in cases)) for name in cases[0]} if cases else {}
        self._values = {name: words for name, words in values.items() if len(words) > 1}
        self._every: list[list[Alternative]] = []

    def said(self, held: int, among: int) -> str:
        """Return in which of some cases something is there; nothing if in all. Cases are bits."""
        if held & among == among:
            return ""
        only, without = self._cover(held & among, among), self._cover(among & ~held, among)
        which, word = (only, "only") if self._length(only) <= self._length(without) else (without, "not")
        return f"{word} " + "; ".join(each.text for each in which)

    def _cover(self, wanted: int, among: int) -> tuple[Alternative, ...]:
        """Return alternatives that hold in just the wanted ones of some cases: at each step the one with most more."""
        found: list[Alternative] = []
        left = wanted
        for size in range(1, len(self._values) + 1):
            fitting = [each for each in self._of(size) if not each.held & among & ~wanted]
            while left and (size >= _MOST or not found or size == 1):
                best = max(fitting, key=lambda each: ((each.held & left).bit_count(), -each.size[1]), default=None)
                if best is None or not best.held & left:
                    break
                found.append(best)
                left &= ~best.held
            if not left:
                break
            if size < _MOST:  # a longer alternative may say it alone
                single = [each for each in self._of(size + 1) if each.held & among == wanted]
                if single:
                    return (min(single, key=lambda each: each.size),)
        return tuple(found)

    def _length(self, alternatives: Sequence[Alternative]) -> tuple[int, int]:
        """Return how long alternatives are: how many words there are to read, and how many of them are usual."""
        words = [word for each in alternatives for some in each.words for word in some]
        return sum(each.size[0] for each in alternatives), len(words) + len(self._usual.intersection(words))

    def _of(self, size: int) -> list[Alternative]:
        """Return the alternatives that speak of so many names."""
        while len(self._every) < size:
            self._every.append(list(self._made(len(self._every) + 1)))
        return self._every[size - 1]

    def _made(self, size: int) -> Iterator[Alternative]:
        for names in combinations(self._values, size):
            for words in product(*(_some(self._values[name]) for name in names)):
                held = 0
                for index, case in enumerate(self._cases):
                    if all(case[name] in some for name, some in zip(names, words, strict=True)):
                        held |= 1 << index
                if held:
                    yield Alternative(words, held)


def _some(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield some of the words, but not all: of many, those next to each other."""
    for count in range(1, len(words)):
        for chosen in combinations(range(len(words)), count):
            if len(words) < 4 or chosen[-1] - chosen[0] == count - 1:
                yield tuple(words[index] for index in chosen)


def holds(said: str, words: Iterable[str]) -> bool:
    """Say whether something of which this is said is there in a case with these words."""
    if not said:
        return True
    kind, _, rest = said.partition(" ")
    known = set(words)
    there = any(
        all(known & set(some.split(" or ")) for some in alternative.split(" and ")) for alternative in rest.split("; ")
    )
    return there if kind == "only" else not there
