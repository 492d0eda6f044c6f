"""Documents as MyST, the Markdown of Sphinx: with captions, figures, and anchors that other pages can name.

Invariant: as Markdown's; what MyST adds is written as its directives, which need no extension that is not on by
default.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.front.typing import override
from axmem.report.printers.markdown import Markdown
from axmem.report.tree import Image, Line, Table


class Myst(Markdown):
    """MyST."""

    @override
    def heading(self, title: Line, level: int, anchor: str) -> list[str]:
        return [*([f"({anchor})="] if anchor else []), *super().heading(title, level, anchor)]

    @override
    def table(self, found: Table) -> Iterator[str]:
        if not found.caption:
            yield from super().table(found)
            return
        yield f"```{{table}} {self.text(found.caption)}"
        yield from super().table(found)
        yield "```"

    @override
    def image(self, image: Image) -> Iterator[str]:
        yield from (f"```{{figure}} {image.path}", f":alt: {image.shows}", "")
        yield from (self.text(image.caption), "```")


PRINTER = Myst()
