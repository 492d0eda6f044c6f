"""Documents as LaTeX: parts of a document that loads `longtable`, `array`, `hyperref` and `tikz`, in any font encoding.

Invariants: a text has no character that LaTeX reads as a command. Tables break across pages, repeat their heads and are
no wider than a line (`latex_columns.py`); nor are pictures and programs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from axmem.front.typing import override
from axmem.report.executions import Execution
from axmem.report.pictures.execution_tikz import as_tikz
from axmem.report.printers.base import Printer
from axmem.report.printers.latex_columns import BREAKS, HANGING, LONG, Columns
from axmem.report.tree import Code, Figure, Inline, Line, List, Paragraph, Program, Table, pieces

_TEX = {
    "\\": r"\textbackslash{}", "[": "{[}", "]": "{]}", "*": "{*}",
    "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"{\char34}",
    "\u00a0": r"\nobreakspace{}", "\u2014": "---", "\u2013": "--", "\u2026": r"\dots{}", "\u2018": "`", "\u2019": "'",
    **{sign: f"\\ensuremath{{\\{name}}}" for sign, name in {
        "\u2192": "rightarrow", "\u2190": "leftarrow", "\u21d2": "Rightarrow", "\u2264": "leq", "\u2265": "geq",
        "\u2260": "neq", "\u222a": "cup", "\u2229": "cap", "\u2286": "subseteq", "\u2208": "in", "\u2209": "notin",
        "\u2205": "emptyset", "\u2200": "forall", "\u2203": "exists", "\u00ac": "neg", "\u2227": "wedge",
        "\u2228": "vee", "\u00d7": "times", "\u00b7": "cdot", "\u00b1": "pm", "\u03b1": "alpha", "\u03b2": "beta",
        "\u03bb": "lambda", "\u03bc": "mu", "\u00b5": "mu",
    }.items()},
}  # fmt: skip
_ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030c": "v ", "\u0327": "c "}
"""The commands of accents, which pdfTeX has in any encoding."""
_LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=`)(?=`)|(?<=,)(?=,)|(?<=[?!])(?=`)")
"""Where two characters would become another one."""
_HEADINGS = ("section", "subsection", "subsubsection", "paragraph")


class Latex(Printer):
    """LaTeX."""

    @override
    def text(self, text: str) -> str:
        return "{}".join("".join(map(_character, part)) for part in _LIGATURES.split(text))

    def broken(self, text: str) -> str:
        """Return a plain text whose long words may be broken behind punctuation, and any line between two words."""
        parts, at = [], 0
        for word in LONG.finditer(text):
            parts += [self.text(text[at : word.start()]), r"\allowbreak{}".join(map(self.text, BREAKS.split(word[0])))]
            at = word.end()
        return "".join([*parts, self.text(text[at:])]).replace(r"\nobreakspace{}", r"\ ")

    @override
    def code(self, text: str) -> str:
        return f"\\texttt{{{self.broken(text)}}}"

    @override
    def strong(self, text: str) -> str:
        return f"\\textbf{{{self.broken(text)}}}"

    @override
    def link(self, text: str, target: str) -> str:
        if target.startswith("#"):
            return f"\\hyperref[{target[1:]}]{{{self.broken(text)}}}"
        address = re.sub(r"[\\{}^~\s]", lambda match: f"%{ord(match[0]):02X}", target)
        return f"\\href{{{re.sub('[%#&]', lambda match: chr(92) + match[0], address)}}}{{{self.broken(text)}}}"

    @override
    def piece(self, piece: Inline, number: int) -> str:
        return self.broken(piece) if isinstance(piece, str) else super().piece(piece, number)

    @override
    def stacked(self, lines: Sequence[str], items: Sequence[str]) -> str:
        # A line that goes on below is not two lines: it is further to the right there.
        return r" \par ".join(f"\\hangindent{HANGING:g}em\\relax {line}" for line in [*lines, *items])

    @override
    def program_cell(self, program: Program) -> str:
        lines = program.text.rstrip("\n").split("\n")
        return self.stacked([self._code_line(line) for line in lines], [])

    def _code_line(self, line: str) -> str:
        """Return a line of a program, which keeps its spaces and may be broken between words."""
        bare = line.expandtabs().lstrip(" ")
        indent = len(line.expandtabs()) - len(bare)
        spaces = f"\\hspace*{{{indent / 2:g}em}}" if indent and bare else ""
        return spaces + (f"\\texttt{{{re.sub('(?<= ) ', lambda _: chr(92) + ' ', self.broken(bare))}}}" if bare else "")

    @override
    def origin(self, origin: str) -> list[str]:
        return [f"% {origin}"] if origin else []

    @override
    def heading(self, title: Line, level: int, anchor: str) -> list[str]:
        # A heading also stands in outlines, which know no places to break at.
        written = "".join(
            f"\\texttt{{{self.text(piece.text)}}}" if isinstance(piece, Code)
            else self.text(piece if isinstance(piece, str) else piece.text)
            for piece in pieces(title)
        )  # fmt: skip
        label = f"\\label{{{anchor}}}" if anchor else ""
        return [f"\\{_HEADINGS[min(level, 4) - 1]}{{{written}}}{label}"]

    @override
    def paragraph(self, paragraph: Paragraph) -> Iterable[str]:
        # What has words that cannot be divided has wide spaces rather than a line that is too long.
        return [r"\begin{sloppypar}", *super().paragraph(paragraph), r"\end{sloppypar}"]

    @override
    def list(self, found: List) -> Iterator[str]:
        kind = "enumerate" if found.ordered else "itemize"
        yield f"\\begin{{{kind}}}\\sloppy"
        for item in found.items:
            yield f"\\item {self.line(item.content)}"
            for block in item.below:
                yield from self.block(block, len(_HEADINGS))
        yield f"\\end{{{kind}}}"

    @override
    def table(self, found: Table) -> Iterator[str]:
        columns = Columns(found)
        yield from columns.before
        yield f"\\begin{{longtable}}{{{columns.format}}}"
        yield r"\hline"
        yield self._row([self.line(column.head) for column in found.columns])
        yield from (r"\hline", r"\endhead", r"\hline", r"\endfoot")
        yield from (self._row([self.cell(cell) for cell in row]) for row in found.rows)
        yield r"\end{longtable}"
        yield from columns.after

    @staticmethod
    def _row(cells: Sequence[str]) -> str:
        return f" {' & '.join(cells)} \\\\"

    @override
    def program(self, program: Program) -> Iterator[str]:
        """Yield lines as they are, of which those that are too long go on below, further to the right."""
        yield r"\begin{flushleft}\small\frenchspacing"
        for line in program.text.rstrip("\n").split("\n"):
            yield f"{self._code_line(line)}\\strut\\hangindent4em\\par"
        yield r"\end{flushleft}"

    @override
    def figure(self, figure: Figure) -> Iterable[str]:
        if not isinstance(figure, Execution):
            return super().figure(figure)
        return [
            r"\begin{center}\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            *as_tikz(figure, self.text), r"}\end{center}",
        ]  # fmt: skip


def _character(character: str) -> str:
    """Return a character as pdfTeX and its successors set it, in any encoding of fonts."""
    if character in _TEX or character.isascii():
        return _TEX.get(character, character)
    parts = unicodedata.normalize("NFD", character)
    if len(parts) == 2 and parts[0].isascii() and parts[1] in _ACCENTS:
        return f"\\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    # XeTeX and LuaTeX, which know \Umathchar, take characters from fonts; pdfTeX has none for this one.
    return f"{{\\ifdefined\\Umathchar {character}\\else U+{ord(character):04X}\\fi}}"


PRINTER = Latex()
