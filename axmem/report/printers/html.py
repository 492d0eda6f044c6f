"""Documents as HTML: a part of a page, with how it looks on a light screen, a dark one, and paper.

Invariant: a text is escaped; sections have anchors, heads of columns and rows say what they are heads of, code has the
class of its language, wide tables scroll within the page.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence

from axmem.front.typing import override
from axmem.report.printers.base import Printer
from axmem.report.tree import (
    CellContent,
    Document,
    Figure,
    Image,
    Inline,
    Line,
    List,
    Paragraph,
    Program,
    Section,
    Strong,
    Table,
    anchor_of,
)

STYLE = """\
<style>
div.axmem-wide { overflow-x: auto }
table.axmem { border-collapse: collapse; font: 15px/1.4 system-ui, sans-serif; color: #1c1e21; background: #fff }
table.axmem th, table.axmem td { border: 1px solid #c4c9d0; padding: .35em .6em; text-align: left; vertical-align: top }
table.axmem thead th { background: #eef1f5; position: sticky; top: 0 }
table.axmem .number { text-align: right }
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


class Html(Printer):
    """HTML."""

    @override
    def text(self, text: str) -> str:
        return html.escape(text)

    @override
    def code(self, text: str) -> str:
        return f"<code>{html.escape(text)}</code>"

    @override
    def piece(self, piece: Inline, number: int) -> str:
        if isinstance(piece, Strong) and piece.kind:
            return f'<strong class="{html.escape(piece.kind)}">{html.escape(piece.text)}</strong>'
        return super().piece(piece, number)

    @override
    def strong(self, text: str) -> str:
        return f"<strong>{html.escape(text)}</strong>"

    @override
    def link(self, text: str, target: str) -> str:
        return f'<a href="{html.escape(target)}">{html.escape(text)}</a>'

    @override
    def program_cell(self, program: Program) -> str:
        return "\n".join(self.program(program))

    @override
    def stacked(self, lines: Sequence[str], items: Sequence[str]) -> str:
        listed = f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>" if items else ""
        return "<br>".join(lines) + listed

    @override
    def document(self, found: Document) -> str:
        return STYLE + super().document(found)

    @override
    def origin(self, origin: str) -> list[str]:
        return [f"<!-- {origin} -->"] if origin else []

    @override
    def heading(self, title: Line, level: int, anchor: str) -> list[str]:
        level = min(level, 6)
        return [f'<h{level} id="{html.escape(anchor or anchor_of(title))}">{self.line(title)}</h{level}>']

    @override
    def section(self, section: Section, level: int) -> Iterator[str]:
        yield from self.heading(section.title, level, section.anchor)
        yield from self.blocks(section.blocks, level + 1)

    @override
    def paragraph(self, paragraph: Paragraph) -> Iterable[str]:
        return [f"<p{' class=aside' if paragraph.aside else ''}>{self.line(paragraph.content)}</p>"]

    @override
    def list(self, found: List) -> Iterator[str]:
        kind = "ol" if found.ordered else "ul"
        yield f"<{kind}>"
        for item in found.items:
            below = [line for block in item.below for line in self.block(block, 6)]
            yield "\n".join([f"<li>{self.line(item.content)}", *below]) + "</li>"
        yield f"</{kind}>"

    @override
    def table(self, found: Table) -> Iterator[str]:
        numbers = [' class="number"' if column.number else "" for column in found.columns]
        heads = zip(found.columns, numbers, strict=True)
        yield '<div class="axmem-wide"><table class="axmem">'
        if found.caption:
            yield f"<caption>{self.text(found.caption)}</caption>"
        head = "".join(f"<th{number}>{self.line(column.head)}</th>" for column, number in heads)
        yield f"<thead><tr>{head}</tr></thead>"
        yield "<tbody>"
        for row in found.rows:
            cells = [self._cell(cell, index < found.heads, numbers[index]) for index, cell in enumerate(row)]
            yield f"<tr>{''.join(cells)}</tr>"
        yield from ("</tbody>", "</table></div>")

    def _cell(self, content: CellContent, head: bool, number: str) -> str:
        name, scope = ("th", ' scope="row"') if head else ("td", "")
        return f"<{name}{scope}{number}>{self.cell(content)}</{name}>"

    @override
    def program(self, program: Program) -> Iterator[str]:
        anchor = f' id="{html.escape(program.anchor)}"' if program.anchor else ""
        text = program.text.rstrip()
        shown = []
        at = 0
        for start, end, target in program.links:
            shown += [html.escape(text[at:start]), self.link(text[start:end], target)]
            at = end
        shown.append(html.escape(text[at:]))
        yield f'<pre{anchor}><code class="language-{program.language}">{"".join(shown)}</code></pre>'

    @override
    def figure(self, figure: Figure) -> Iterable[str]:
        from axmem.report.printers.svg import drawn  # noqa: PLC0415 -- pages without pictures do without

        picture = drawn(figure)
        return super().figure(figure) if picture is None else ["<figure>", picture.rstrip("\n"), "</figure>"]

    @override
    def image(self, image: Image) -> Iterator[str]:
        yield f'<figure><img src="{html.escape(image.path)}" alt="{html.escape(image.shows)}">'
        yield f"<figcaption>{self.text(image.caption)}</figcaption></figure>"


PRINTER = Html()
