"""Places of a text as readers say them, and as the language server protocol does.

What goes in: a text and a `Span` of it: 1-based line and column, where lines end with a line feed, and a length that
may run over lines. What comes out: the 0-based positions of the protocol, whose columns count UTF-16 units and whose
lines end as editors end them, and back. Invariant: a span of a text is a range of it; positions outside are cut.
"""

from __future__ import annotations

import bisect
import re
from functools import lru_cache
from typing import NamedTuple

from axmem.front.source import Source, Span

_END = re.compile(r"\r\n|\r|\n")


class Position(NamedTuple):
    """A line and a column in UTF-16 units, both from 0."""

    line: int
    character: int


class Range(NamedTuple):
    """What lies between two positions."""

    start: Position
    end: Position


class TextPlaces:
    """The lines of a text, as readers and as editors count them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in _END.finditer(text))]
        self._ends = [*(match.start() for match in _END.finditer(text)), len(text)]
        self._feeds = [0, *(index + 1 for index, character in enumerate(text) if character == "\n")]

    def position(self, offset: int) -> Position:
        """Return the position of a character."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect.bisect_right(self._starts, offset) - 1
        return Position(line, _units(self.text[self._starts[line] : min(offset, self._ends[line])]))

    def offset(self, line: int, character: int) -> int:
        """Return the index of the character at a position; inside a pair of surrogates it is the character's own."""
        if line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[max(line, 0)], self._ends[max(line, 0)]
        units = 0
        for index in range(start, end):
            if units >= character:
                return index if units == character else index - 1
            units += 1 + (self.text[index] > "\uffff")
        return end

    def offsets(self, span: Span) -> tuple[int, int]:
        """Return where a span begins and ends; one that is of no line begins the text."""
        if not 1 <= span.line <= len(self._feeds):
            end = self._ends[0]
            return 0, end
        start = min(self._feeds[span.line - 1] + max(span.column, 1) - 1, len(self.text))
        return start, min(start + max(span.length, 1), len(self.text))

    def range(self, span: Span) -> Range:
        """Return the range of a span."""
        start, end = self.offsets(span)
        return Range(self.position(start), self.position(end))

    def span(self, offset: int, length: int = 1) -> Span:
        """Return the span of so many characters from an index on."""
        line = bisect.bisect_right(self._feeds, offset)
        return Span(line, offset - self._feeds[line - 1] + 1, length)

    @property
    def whole(self) -> Range:
        """The range of all of the text."""
        return Range(Position(0, 0), self.position(len(self.text)))


@lru_cache(maxsize=64)
def places(text: str) -> TextPlaces:
    """Return the places of a text, which are kept while it is asked about."""
    return TextPlaces(text)


def range_in(source: Source, span: Span) -> Range:
    """Return the range of a span in a source."""
    return places(source.text).range(span)


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)
