"""Text, code and tables in the formats that documentation is written in.

What goes in: plain text. What comes out: the same text escaped as reStructuredText, Markdown, HTML or LaTeX, in which
nothing of it is markup; and tables of cells that are written in a format already.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence

from axmem.front.records import dataclass


@dataclass(frozen=True, slots=True)
class Markup:
    """How a format writes text, code, emphasis, several lines in one cell, and lines with a list of items below."""

    text: Callable[[str], str]
    code: Callable[[str], str]
    strong: Callable[[str], str]
    lines: Callable[[list[str]], str]
    listed: Callable[[list[str], list[str]], str]


def _rst_text(text: str) -> str:
    """Return a text in which nothing is markup, nor the beginning of a list or the announcement of a literal block."""
    escaped = re.sub(r"([\\`*_|<>\[\]:])", r"\\\1", text)
    return escaped if re.match(r"[^\W\d_]+(?![.)\w])", text) or not text else f"\\ {escaped}"


def _rst_code(text: str) -> str:
    return _rst_text(text) if "`" in text else f"``{text}``"


def _rst_lines(lines: list[str]) -> str:
    return lines[0] if len(lines) == 1 else "\n".join(f"| {line}" for line in lines)


def _rst_listed(lines: list[str], items: list[str]) -> str:
    return "\n".join([_rst_lines(lines), "", *(f"* {item}" for item in items)])


RST = Markup(
    text=_rst_text, code=_rst_code, strong=lambda text: f"**{text}**", lines=_rst_lines, listed=_rst_listed
)


def rst_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a list-table whose cells are reStructuredText already; the first row is its head."""
    out = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        for index, cell in enumerate(row):
            first, *rest = cell.split("\n")
            out.append(f"   {'*' if index == 0 else ' '} - {first}".rstrip())
            out += [f"       {line}".rstrip() for line in rest]
    return "\n".join(out) + "\n"


def github_text(text: str) -> str:
    """Return a text in which nothing is Markdown or HTML."""
    return re.sub(r"([\\`*_|<>\[\]&~])", r"\\\1", text)


def github_code(text: str) -> str:
    """Return a text as code, also inside a table: there a pipe would end the cell."""
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def _html_listed(lines: list[str], items: list[str]) -> str:
    """Return lines with a list below; Markdown has no other list inside a table either."""
    return f"{'<br>'.join(lines)}<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


GITHUB = Markup(
    text=github_text,
    code=github_code,
    strong=lambda text: f"**{text}**",
    lines="<br>".join,
    listed=_html_listed,
)


def github_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose cells are Markdown already; without padding, so that a change shows in its own line."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


HTML = Markup(
    text=html.escape,
    code=lambda text: f"<code>{html.escape(text)}</code>",
    strong=lambda text: f"<strong>{html.escape(text)}</strong>",
    lines="<br>".join,
    listed=_html_listed,
)

_TEX = {
    "\\": r"\textbackslash{}", "[": "{[}", "]": "{]}",
    "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip


def _tex_text(text: str) -> str:
    return "".join(_TEX.get(c, c) for c in text)


def _tex_lines(lines: list[str]) -> str:
    return lines[0] if len(lines) == 1 else "\\shortstack[l]{" + r" \\ ".join(lines) + "}"


LATEX = Markup(
    text=_tex_text,
    code=lambda text: f"\\texttt{{{_tex_text(text)}}}",
    strong=lambda text: f"\\textbf{{{_tex_text(text)}}}",
    lines=_tex_lines,
    listed=lambda lines, items: _tex_lines([*lines, *items]),
)


def tabulated(headers: Sequence[str], rows: Sequence[Sequence[str]], format_: str) -> str:
    """Return a table of cells that are written in the format already: rst, markdown or html."""
    if format_ == "rst":
        return rst_table([headers, *rows])
    if format_ == "markdown":
        return github_table(headers, rows)
    head = "".join(f"<th>{cell}</th>" for cell in headers)
    out = ['<table class="axmem">', f"<thead><tr>{head}</tr></thead>", "<tbody>"]
    out += [f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows]
    return "\n".join([*out, "</tbody>", "</table>", ""])


STYLE = """\
<style>
table.axmem { border-collapse: collapse; font: 15px/1.4 system-ui, sans-serif; color: #1c1e21; background: #fff }
table.axmem th, table.axmem td { border: 1px solid #c4c9d0; padding: .35em .6em; text-align: left; vertical-align: top }
table.axmem thead th { background: #eef1f5; position: sticky; top: 0 }
table.axmem ul { margin: .2em 0 0; padding-left: 1.2em }
table.axmem li code { white-space: nowrap }
@media (prefers-color-scheme: dark) {
  table.axmem { color: #e3e6ea; background: #16181c }
  table.axmem th, table.axmem td { border-color: #444a53 }
  table.axmem thead th { background: #23272e }
}
@media print {
  table.axmem { font-size: 9pt; color: #000; background: #fff }
  table.axmem thead th { background: #fff; position: static }
  table.axmem tr { break-inside: avoid }
}
</style>
"""
"""How tables in HTML look: on a light screen, a dark one, and paper."""


def styled(text: str, format_: str) -> str:
    """Return tables in a format, in HTML with how they look."""
    return STYLE + text if format_ == "html" else text


def unbroken(text: str) -> str:
    """Return a text that no line is broken in: its spaces are no-break spaces."""
    return text.replace(" ", "\u00a0")


MARKUPS = {"rst": RST, "markdown": GITHUB, "html": HTML}
"""The formats that `tabulated` knows."""
