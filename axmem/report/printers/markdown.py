"""Documents as Markdown, in the dialect of GitHub.

Invariant: a text is no markup, neither Markdown nor HTML. Tables are not padded, so that a change shows in its own
line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from axmem.front.typing import override
from axmem.report.printers.base import Printer
from axmem.report.tree import Image, Line, Program, Table


class Markdown(Printer):
    """Markdown."""

    @override
    def text(self, text: str) -> str:
        bare = text.lstrip("\u00a0")
        return "&nbsp;" * (len(text) - len(bare)) + self.later(bare)

    @override
    def later(self, text: str) -> str:
        return re.sub(r"([\\`*_|<>\[\]&~])", r"\\\1", text)

    @override
    def code(self, text: str) -> str:
        """Return a text as code, also inside a table: there a pipe would end the cell."""
        fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
        pad = " " if "`" in text else ""
        return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")

    @override
    def strong(self, text: str) -> str:
        return f"**{self.text(text)}**"

    @override
    def link(self, text: str, target: str) -> str:
        return f"[{self.text(text)}]({target})"

    @override
    def stacked(self, lines: Sequence[str], items: Sequence[str]) -> str:
        """Return lines with a list below; Markdown has no other list inside a table than HTML's."""
        listed = f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>" if items else ""
        return "<br>".join(lines) + listed

    @override
    def origin(self, origin: str) -> list[str]:
        return [f"<!-- {origin} -->"] if origin else []

    @override
    def heading(self, title: Line, level: int, anchor: str) -> list[str]:
        return [f"{'#' * level} {self.line(title)}"]

    @override
    def table(self, found: Table) -> Iterator[str]:
        heads = [self.line(column.head) for column in found.columns]
        rules = ["---:" if column.number else "---" for column in found.columns]
        for cells in (heads, rules, *([self.cell(cell) for cell in row] for row in found.rows)):
            yield f"| {' | '.join(cells)} |"

    @override
    def image(self, image: Image) -> Iterator[str]:
        yield f"![{self.text(image.shows)}]({image.path})"
        yield from ("", self.text(image.caption))

    @override
    def program(self, program: Program) -> Iterator[str]:
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("^`+", program.text, re.MULTILINE)), 3)
        yield f"{fence}{program.language}"
        yield from program.text.rstrip("\n").split("\n")
        yield fence


PRINTER = Markdown()
