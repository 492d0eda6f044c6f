"""What printers have in common: they walk a document and write each of its nodes.

What goes in: a document. What comes out: its text. A format says how it writes pieces of a line, cells and blocks; what
it does not say it takes from here. Invariant: a text is escaped by `text` of its format and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from axmem.report.tree import (
    Block,
    CellContent,
    Code,
    Document,
    Figure,
    Image,
    Inline,
    Line,
    Link,
    List,
    Paragraph,
    Program,
    Section,
    Stack,
    Strong,
    Table,
    pieces,
)


class Printer:
    """A format of markup. Blocks are lines, with an empty one between two blocks."""

    # ------------------------------------------------------------ within a line

    def text(self, text: str) -> str:
        """Return a plain text, in which nothing is markup."""
        raise NotImplementedError

    def later(self, text: str) -> str:
        """Return a plain text that does not begin its line."""
        return self.text(text)

    def code(self, text: str) -> str:
        """Return words of a language."""
        raise NotImplementedError

    def strong(self, text: str) -> str:
        """Return words that stand out."""
        raise NotImplementedError

    def link(self, text: str, target: str) -> str:
        """Return words that lead to a target."""
        raise NotImplementedError

    def line(self, line: Line) -> str:
        """Return a line of text."""
        return "".join(self.piece(piece, number) for number, piece in enumerate(pieces(line)))

    def piece(self, piece: Inline, number: int) -> str:
        """Return a piece of a line, by its number."""
        match piece:
            case str():
                return self.later(piece) if number else self.text(piece)
            case Code():
                return self.code(piece.text)
            case Strong():
                return self.strong(piece.text)
        return self.link(piece.text, piece.target)

    def cell(self, content: CellContent) -> str:
        """Return what stands in a cell of a table."""
        if isinstance(content, Program):
            return self.program_cell(content)
        if not isinstance(content, Stack):
            return self.line(content)
        lines = [self.line(line) for line in content.lines]
        return self.stacked(lines, [self.line(item) for item in content.items])

    def program_cell(self, program: Program) -> str:
        """Return a program in a cell: its lines as code."""
        lines = [line.replace(" ", "\u00a0") for line in program.text.rstrip("\n").split("\n")]
        return self.stacked([self.code(line) if line else "" for line in lines], [])

    def stacked(self, lines: Sequence[str], items: Sequence[str]) -> str:
        """Return lines of a cell, with a list of items below them if there are any."""
        raise NotImplementedError

    # ------------------------------------------------------------ blocks

    def document(self, found: Document) -> str:
        """Return a document as a text."""
        title = self.title(found.title) if found.title else []
        body = [*title, *([""] if title else []), *self.blocks(found.blocks, 2 if title else 1)]
        return "".join(f"{line}\n" for line in (*self.origin(found.origin), *body))

    def origin(self, origin: str) -> list[str]:
        """Return the comment at the head of a page that is generated."""
        raise NotImplementedError

    def title(self, title: str) -> list[str]:
        """Return the lines of a page's title."""
        return self.heading(title, 1, "")

    def heading(self, title: Line, level: int, anchor: str) -> list[str]:
        """Return the lines of a heading; level 1 is the topmost."""
        raise NotImplementedError

    def blocks(self, blocks: Iterable[Block], level: int = 1) -> Iterator[str]:
        """Yield the lines of blocks."""
        for number, block in enumerate(blocks):
            if number:
                yield ""
            yield from self.block(block, level)

    def block(self, block: Block, level: int) -> Iterator[str]:
        """Yield the lines of a block."""
        match block:
            case Paragraph():
                yield from self.paragraph(block)
            case List():
                yield from self.list(block)
            case Table():
                yield from self.table(block)
            case Program():
                yield from self.program(block)
            case Section():
                yield from self.section(block, level)
            case Figure():
                yield from self.figure(block)
            case Image():
                yield from self.image(block)

    def section(self, section: Section, level: int) -> Iterator[str]:
        """Yield the lines of a section."""
        yield from self.heading(section.title, level, section.anchor)
        if section.blocks:
            yield ""
            yield from self.blocks(section.blocks, level + 1)

    def paragraph(self, paragraph: Paragraph) -> Iterable[str]:
        """Return the lines of a paragraph."""
        return self.line(paragraph.content).split("\n")

    def list(self, found: List) -> Iterable[str]:
        """Return the lines of a list."""
        for number, item in enumerate(found.items, 1):
            mark = f"{number}. " if found.ordered else self.bullet
            below = [line for block in item.below for line in self.block(block, 1)]
            first, *rest = [*self.line(item.content).split("\n"), *below]
            yield mark + first
            yield from (" " * len(mark) + line if line else "" for line in rest)

    bullet = "- "
    """What stands before an item of a list that is not numbered."""

    def table(self, found: Table) -> Iterable[str]:
        """Return the lines of a table."""
        raise NotImplementedError

    def program(self, program: Program) -> Iterable[str]:
        """Return the lines of a program."""
        raise NotImplementedError

    def figure(self, figure: Figure) -> Iterable[str]:
        """Return the lines of a picture: a format that draws nothing has its text."""
        return self.program(Program("\n".join(figure.lines())))

    def image(self, image: Image) -> Iterable[str]:
        """Return a picture that is in a file of its own: a format without pictures leads to it."""
        return self.paragraph(Paragraph((Link(image.path, image.path), f": {image.caption}")))


__all__ = ["Printer"]
