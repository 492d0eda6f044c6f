"""Documents as reStructuredText, for Sphinx.

Invariant: a text is no markup, nor the beginning of a list or the announcement of a literal block. Tables are
list-tables, so that their diffs stay line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from axmem.front.typing import override
from axmem.report.printers.base import Printer
from axmem.report.tree import Image, Line, List, Paragraph, Program, Table, pieces

_RULES = "=-~^"
"""What headings are underlined with, from the topmost on."""


class RestructuredText(Printer):
    """reStructuredText."""

    bullet = "* "

    @override
    def paragraph(self, paragraph: Paragraph) -> list[str]:
        """Return the lines of a paragraph; a colon between two words announces nothing."""
        return re.sub(r"(?<=\w)\\: (?=\w)", ": ", self.line(paragraph.content)).split("\n")

    @override
    def text(self, text: str) -> str:
        escaped = self.later(text)
        return escaped if re.match(r"[^\W\d_]+(?![.)\w])|\d+$", text) or not text else f"\\ {escaped}"

    @override
    def later(self, text: str) -> str:
        return re.sub(r"([\\`*_|<>\[\]:])", r"\\\1", text)

    @override
    def code(self, text: str) -> str:
        return self.text(text) if "`" in text else f"``{text}``"

    @override
    def strong(self, text: str) -> str:
        return f"**{text}**"

    @override
    def link(self, text: str, target: str) -> str:
        return f"`{self.later(text)} <{target}>`__"

    @override
    def program_cell(self, program: Program) -> str:
        return "\n".join(self.program(program)) if program.text else ""

    @override
    def stacked(self, lines: Sequence[str], items: Sequence[str]) -> str:
        shown = lines[0] if len(lines) == 1 else "\n".join(f"| {line}" for line in lines)
        return "\n".join([shown, "", *(f"* {item}" for item in items)]) if items else shown

    @override
    def origin(self, origin: str) -> list[str]:
        return [f".. {origin}", ""] if origin else []

    @override
    def title(self, title: str) -> list[str]:
        rule = "=" * len(title)
        return [rule, title, rule]

    @override
    def heading(self, title: Line, level: int, anchor: str) -> list[str]:
        # A line above a rule is no item of a list, whatever it begins with.
        shown = "".join(self.piece(piece, 1) for piece in pieces(title))
        return [*([f".. _{anchor}:", ""] if anchor else []), shown, _RULES[level - 1] * len(shown)]

    @override
    def list(self, found: List) -> Iterator[str]:
        for number, item in enumerate(found.items, 1):
            mark = f"{number}. " if found.ordered else self.bullet
            first, *rest = self.line(item.content).split("\n")
            yield mark + first
            for block in item.below:
                rest += ["", *self.block(block, 1), ""]
            yield from (" " * len(mark) + line if line else "" for line in rest)

    @override
    def table(self, found: Table) -> Iterator[str]:
        caption = f" {self.text(found.caption)}" if found.caption else ""
        yield from (f".. list-table::{caption}", "   :header-rows: 1")
        if found.heads:
            yield f"   :stub-columns: {found.heads}"
        yield ""
        for row in ([column.head for column in found.columns], *found.rows):
            for index, cell in enumerate(row):
                first, *rest = self.cell(cell).split("\n")
                yield f"   {'*' if index == 0 else ' '} - {first}".rstrip()
                yield from (f"       {line}".rstrip() for line in rest)

    @override
    def image(self, image: Image) -> Iterator[str]:
        yield from (f".. figure:: {image.path}", f"   :alt: {image.shows}")
        yield from ("", f"   {self.text(image.caption)}")

    @override
    def program(self, program: Program) -> Iterator[str]:
        yield from (f".. code-block:: {program.language}", "")
        yield from (f"   {line}".rstrip() for line in program.text.rstrip("\n").split("\n"))


PRINTER = RestructuredText()
