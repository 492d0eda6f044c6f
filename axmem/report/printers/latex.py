"""Documents as LaTeX: parts of a document that loads `longtable`, `array`, `hyperref` and `tikz`.

Invariant: a text has no character that LaTeX reads as a command. Tables break across pages and repeat their heads; a
picture is no wider than a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from axmem.front.typing import override
from axmem.report.executions import Execution
from axmem.report.pictures.execution_tikz import as_tikz
from axmem.report.printers.base import Printer
from axmem.report.tree import Figure, Line, List, Program, Table

_TEX = {
    "\\": r"\textbackslash{}", "[": "{[}", "]": "{]}",
    "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "\u00a0": r"\nobreakspace{}", "→": r"\ensuremath{\rightarrow}", "—": "---", "…": r"\dots{}",
}  # fmt: skip
_HEADINGS = ("section", "subsection", "subsubsection", "paragraph")


class Latex(Printer):
    """LaTeX."""

    @override
    def text(self, text: str) -> str:
        return "".join(_TEX.get(c, c) for c in text)

    @override
    def code(self, text: str) -> str:
        return f"\\texttt{{{self.text(text)}}}"

    @override
    def strong(self, text: str) -> str:
        return f"\\textbf{{{self.text(text)}}}"

    @override
    def link(self, text: str, target: str) -> str:
        if target.startswith("#"):
            return f"\\hyperref[{target[1:]}]{{{self.text(text)}}}"
        return f"\\href{{{target}}}{{{self.text(text)}}}"

    @override
    def stacked(self, lines: Sequence[str], items: Sequence[str]) -> str:
        shown = [*lines, *items]
        return shown[0] if len(shown) == 1 else "\\shortstack[l]{" + r" \\ ".join(shown) + "}"

    @override
    def origin(self, origin: str) -> list[str]:
        return [f"% {origin}"] if origin else []

    @override
    def heading(self, title: Line, level: int, anchor: str) -> list[str]:
        label = f"\\label{{{anchor}}}" if anchor else ""
        return [f"\\{_HEADINGS[min(level, 4) - 1]}{{{self.line(title)}}}{label}"]

    @override
    def list(self, found: List) -> Iterator[str]:
        kind = "enumerate" if found.ordered else "itemize"
        yield f"\\begin{{{kind}}}"
        for item in found.items:
            yield f"\\item {self.line(item.content)}"
            for block in item.below:
                yield from self.block(block, len(_HEADINGS))
        yield f"\\end{{{kind}}}"

    @override
    def table(self, found: Table) -> Iterator[str]:
        kinds = ["p{0.3\\textwidth}" if c.long else "r" if c.number else "l" for c in found.columns]
        yield f"\\begin{{longtable}}{{{''.join(kinds)}}}"
        yield r"\hline"
        yield self._row([self.line(column.head) for column in found.columns])
        yield from (r"\hline", r"\endhead", r"\hline", r"\endfoot")
        yield from (self._row([self.cell(cell) for cell in row]) for row in found.rows)
        yield r"\end{longtable}"

    @staticmethod
    def _row(cells: Sequence[str]) -> str:
        return f" {' & '.join(cells)} \\\\"

    @override
    def program(self, program: Program) -> Iterator[str]:
        yield from (r"\begin{verbatim}", *program.text.rstrip("\n").split("\n"), r"\end{verbatim}")

    @override
    def figure(self, figure: Figure) -> Iterable[str]:
        if not isinstance(figure, Execution):
            return super().figure(figure)
        return [
            r"\begin{center}\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            *as_tikz(figure, self.text), r"}\end{center}",
        ]  # fmt: skip


PRINTER = Latex()
