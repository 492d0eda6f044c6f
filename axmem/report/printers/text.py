"""Documents as plain text for a terminal: what is below something is indented, tables are aligned.

Invariant: a document is a sequence of lines without spaces at their ends; a section is separated by an empty line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.report.tree import (
    Block,
    CellContent,
    Document,
    Figure,
    Line,
    List,
    Paragraph,
    Program,
    Section,
    Stack,
    Table,
    pieces,
)


def words(line: Line) -> str:
    """Return the words of a line."""
    return "".join(piece if isinstance(piece, str) else piece.text for piece in pieces(line))


class Text:
    """Plain text."""

    def document(self, found: Document) -> str:
        """Return a document as a text."""
        return "".join(f"{line}\n" for line in lines(found))


PRINTER = Text()


def lines(found: Document | Iterable[Block]) -> Iterator[str]:
    """Yield the lines of a document, or of blocks."""
    blocks = found.blocks if isinstance(found, Document) else found
    yield from (line.rstrip() for line in _sequence(blocks, first=True))


def _sequence(blocks: Iterable[Block], *, first: bool) -> Iterator[str]:
    """Yield the lines of blocks: sections and programs stand between empty lines, but not `first` of all."""
    apart = False
    for block in blocks:
        if not first and (apart or isinstance(block, Section | Program)):
            yield ""
        yield from _lines(block)
        first, apart = False, isinstance(block, Program)


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield from ("  " * block.aside + line for line in words(block.content).split("\n"))
        case List():
            for number, item in enumerate(block.items, 1):
                yield f"{number}. " * block.ordered + words(item.content)
                yield from (f"{' ' * block.indent}{line}" for below in item.below for line in _lines(below))
        case Table():
            yield from aligned([[words(column.head) for column in block.columns], *_rows(block)], _numbers(block))
        case Program():
            yield from block.text.rstrip("\n").split("\n")
        case Section():
            yield words(block.title)
            yield from (f"  {line}" for line in _sequence(block.blocks, first=False))
        case Figure():
            yield from block.lines()


def _rows(table: Table) -> list[list[str]]:
    return [[_cell(cell) for cell in row] for row in table.rows]


def _cell(cell: CellContent) -> str:
    if isinstance(cell, Program):
        return "; ".join(filter(None, cell.text.split("\n")))
    return "; ".join(map(words, (*cell.lines, *cell.items))) if isinstance(cell, Stack) else words(cell)


def _numbers(table: Table) -> list[bool]:
    return [column.number for column in table.columns]


def aligned(rows: list[list[str]], numbers: list[bool]) -> Iterator[str]:
    """Yield rows with their columns aligned, numbers to the right; a head without words is left out."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows if any(rows[0]) else rows[1:]:
        cells = zip(row, wide, numbers, strict=True)
        yield "  ".join(f"{cell:>{width}}" if number else f"{cell:<{width}}" for cell, width, number in cells).rstrip()
