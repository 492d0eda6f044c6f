"""A picture of an execution as TikZ, to be read by a document in LaTeX.

What goes in: a document. What comes out: its first execution as a `tikzpicture`.
"""

from __future__ import annotations

from axmem.report.executions import Execution
from axmem.report.pictures.execution_tikz import as_tikz
from axmem.report.printers.latex import PRINTER as LATEX
from axmem.report.tree import Document


class Tikz:
    """TikZ."""

    def document(self, found: Document) -> str:
        """Return the first execution of a document."""
        shown = next(block for block in found.blocks if isinstance(block, Execution))
        return "".join(f"{line}\n" for line in as_tikz(shown, LATEX.text))


PRINTER = Tikz()
