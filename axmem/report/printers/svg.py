"""Pictures as SVG: the executions, timelines and other pictures of documents.

What goes in: a document, of which the first picture is drawn, or a picture. What comes out: the text of a document.
"""

from __future__ import annotations

from axmem.report.executions import Execution
from axmem.report.pictures.execution_svg import as_svg
from axmem.report.tree import Document, Figure


class Svg:
    """SVG."""

    def document(self, found: Document) -> str:
        """Return the first picture of a document."""
        pictures = (drawn(block) for block in found.blocks if isinstance(block, Figure))
        return next(picture for picture in pictures if picture is not None)


PRINTER = Svg()


def drawn(figure: Figure) -> str | None:
    """Return a picture as an SVG document, None if there is nothing to draw."""
    match figure:
        case Execution():
            return as_svg(figure)
    return None
