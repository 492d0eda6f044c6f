"""The columns of a table in LaTeX, which is no wider than a line.

What goes in: a table. What comes out: the column formats of a `longtable`. A table that fits has columns as wide as
their texts. In another one they share the line: each has the width of its longest word, if there is room for that, and
the rest by the lengths of their texts; the letters are smaller then. Widths are those of the letters of Computer Modern
on a line of the class `article`, the narrowest that is usual; shares of the line are right for any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.report.tree import CellContent, Code, Line, Program, Stack, Strong, Table, pieces

BREAKS = re.compile(r"(?<=[/.,:;=+_@|&\])}>-])(?=[^\s/.,:;=+_@|&\])}>-])")
"""Where long words may be broken: behind punctuation."""
LONG = re.compile(r"\S{12,}")
"""The words that may be broken there."""
LINE = 34.5
"""The width of a line, in units of the font's size: 345 of 10 points."""
LETTER, TYPED, BOLD = 0.53, 0.53, 0.6
"""The width of a letter, mostly, of one of code, and of one that stands out."""
BETWEEN, CLOSE = 1.2, 0.6
"""The width between two columns, and that in a table that does not fit."""
HANGING = 1.0
"""How far a line of several in a cell is moved to the right where it goes on below."""
SMALLER = (("small", 0.93), ("footnotesize", 0.85), ("scriptsize", 0.77))
"""The sizes for tables that do not fit, and how wide their letters are: the first in which no word has to be broken."""


class Columns:
    """How the columns of a table are written: their formats, and what stands before and after the table."""

    def __init__(self, found: Table) -> None:
        measured = [[_measured(cell) for cell in column] for column in _columns(found)]
        natural = [max(width for width, _ in cells) + 0.2 for cells in measured]
        words = [max(word for _, word in cells) + 0.2 for cells in measured]
        stacked = any(isinstance(cell, Stack | Program) for row in found.rows for cell in row)
        room = LINE - BETWEEN * len(natural)
        self.before: tuple[str, ...] = ()
        self.after: tuple[str, ...] = ()
        if sum(natural) <= room and not stacked:
            self.format = "".join("r" if column.number else "l" for column in found.columns)
            return
        widths, line, between = natural, LINE, BETWEEN
        if sum(natural) > room:
            room = LINE - CLOSE * len(natural)
            size, factor = next((each for each in SMALLER if sum(words) <= room / each[1]), SMALLER[-1])
            widths, line, between = _shared(natural, words, room / factor), LINE / factor, CLOSE / factor
            self.before = (f"\\begingroup\\{size}\\setlength{{\\tabcolsep}}{{{5 * CLOSE:g}pt}}",)
            self.after = (r"\endgroup",)
        shares = [(width + between) / line for width in widths]
        self.format = "".join(map(_format, shares, (column.number for column in found.columns)))


def _format(share: float, number: bool) -> str:
    """Return the format of a column that has a share of a line, with the space around it."""
    side = "left" if number else "right"
    # Shares are rounded down, so that all of them are no more than the line.
    width = f"\\dimexpr{int(share * 10_000) / 10_000:.4f}\\linewidth-2\\tabcolsep\\relax"
    return f">{{\\ragged{side}\\arraybackslash}}p{{{width}}}"


def _shared(natural: list[float], words: list[float], room: float) -> list[float]:
    """Return widths of columns that fill the room."""
    if sum(words) > room:
        return [word * room / sum(words) for word in words]
    rest = room - sum(words)
    wanted = [max(0.0, width - word) for width, word in zip(natural, words, strict=True)]
    total = sum(wanted) or 1.0
    return [word + rest * more / total for word, more in zip(words, wanted, strict=True)]


def _columns(found: Table) -> Iterator[list[CellContent]]:
    """Yield the cells of each column, with its head."""
    for number, column in enumerate(found.columns):
        yield [column.head, *(row[number] for row in found.rows if number < len(row))]


def _measured(cell: CellContent) -> tuple[float, float]:
    """Return the width of the longest line of a cell, and of its longest word."""
    match cell:
        case Program():
            lines: list[Line] = [*map(Code, cell.text.split("\n"))]
        case Stack():
            lines = [*cell.lines, *cell.items]
        case _:
            lines = [cell]
    found = [_measured_line(line) for line in lines] or [(0.0, 0.0)]
    # Of several lines, one that goes on below is further to the right there.
    hanging = HANGING if isinstance(cell, Program | Stack) else 0.0
    return max(width for width, _ in found), max(word for _, word in found) + hanging


def _measured_line(line: Line) -> tuple[float, float]:
    width = longest = 0.0
    for piece in pieces(line):
        text = piece if isinstance(piece, str) else piece.text
        letter = TYPED if isinstance(piece, Code) else BOLD if isinstance(piece, Strong) else LETTER
        width += letter * len(text)
        parts = (part for word in text.split() for part in (BREAKS.split(word) if LONG.match(word) else [word]))
        longest = max([longest, *(letter * len(part) for part in parts)])
    return width, longest
