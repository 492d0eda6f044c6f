"""Text, code and tables in the formats that documentation is written in.

What goes in: plain text. What comes out: the same text escaped as reStructuredText, Markdown, HTML or LaTeX, in which
nothing of it is markup; and tables of cells that are written in a format already.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Markup:
    """How a format writes text, code, emphasis, and several lines in one cell."""

    text: Callable[[str], str]
    code: Callable[[str], str]
    strong: Callable[[str], str]
    lines: Callable[[list[str]], str]


def _rst_text(text: str) -> str:
    """Return a text in which nothing is markup, nor the beginning of a list or the announcement of a literal block."""
    escaped = re.sub(r"([\\`*_|<>\[\]:])", r"\\\1", text)
    return escaped if re.match(r"[^\W\d_]+(?![.)\w])", text) or not text else f"\\ {escaped}"


def _rst_code(text: str) -> str:
    return _rst_text(text) if "`" in text else f"``{text}``"


RST = Markup(
    text=_rst_text,
    code=_rst_code,
    strong=lambda text: f"**{text}**",
    lines=lambda lines: lines[0] if len(lines) == 1 else "\n".join(f"| {line}" for line in lines),
)


def rst_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a list-table whose cells are reStructuredText already; the first row is its head."""
    out = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        for index, cell in enumerate(row):
            first, *rest = cell.split("\n")
            out.append(f"   {'*' if index == 0 else ' '} - {first}".rstrip())
            out += [f"       {line}" for line in rest]
    return "\n".join(out) + "\n"


def github_text(text: str) -> str:
    """Return a text in which nothing is Markdown or HTML."""
    return re.sub(r"([\\`*_|<>\[\]&~])", r"\\\1", text)


def github_code(text: str) -> str:
    """Return a text as code, also inside a table: there a pipe would end the cell."""
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


GITHUB = Markup(text=github_text, code=github_code, strong=lambda text: f"**{text}**", lines="<br>".join)


def github_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose cells are Markdown already; without padding, so that a change shows in its own line."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


HTML = Markup(
    text=html.escape,
    code=lambda text: f"<code>{html.escape(text)}</code>",
    strong=lambda text: f"<strong>{html.escape(text)}</strong>",
    lines="<br>".join,
)

_TEX = {
    "\\": r"\textbackslash{}", "[": "{[}", "]": "{]}",
    "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip


def _tex_text(text: str) -> str:
    return "".join(_TEX.get(c, c) for c in text)


LATEX = Markup(
    text=_tex_text,
    code=lambda text: f"\\texttt{{{_tex_text(text)}}}",
    strong=lambda text: f"\\textbf{{{_tex_text(text)}}}",
    lines=lambda lines: lines[0] if len(lines) == 1 else "\\shortstack[l]{" + r" \\ ".join(lines) + "}",
)


def tabulated(headers: Sequence[str], rows: Sequence[Sequence[str]], format_: str) -> str:
    """Return a table of cells that are written in the format already: rst, github or html."""
    if format_ == "rst":
        return rst_table([headers, *rows])
    if format_ == "github":
        return github_table(headers, rows)
    out = ["<table>", f"<thead><tr>{''.join(f'<th>{cell}</th>' for cell in headers)}</tr></thead>", "<tbody>"]
    out += [f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows]
    return "\n".join([*out, "</tbody>", "</table>", ""])


MARKUPS = {"rst": RST, "github": GITHUB, "html": HTML}
"""The formats that `tabulated` knows."""
