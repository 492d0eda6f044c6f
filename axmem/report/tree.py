"""The tree that everything printed is made as: sections, paragraphs, lists, tables, programs, executions.

What goes in: what a capability found. What comes out: a `Document`, which knows no format; `axmem.report.printers` has
a printer for each. Invariants: texts are plain, nothing in them is markup; a picture is data that a printer draws; the
`data` of a document is the record that its JSON has, as docs/schema describes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from axmem.front.records import dataclass, field

# ---------------------------------------------------------------- within a line


@dataclass(frozen=True, slots=True)
class Code:
    """Words of a language: an instruction, an outcome, a name of the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Words that stand out; `kind` says of what kind they are (`never`, `mismatch`), for formats that have colours."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to an address, or to the anchor `#name` of a section."""

    text: str
    target: str


Inline: TypeAlias = "str | Code | Strong | Link"
Line: TypeAlias = "Inline | tuple[Inline, ...]"
"""A line of text, or its pieces."""

_PROSE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)")


def pieces(line: Line) -> tuple[Inline, ...]:
    """Return the pieces of a line."""
    return line if isinstance(line, tuple) else (line,)


def prose(text: str) -> tuple[Inline, ...]:
    """Return a sentence of ours, with `code`, **strong** words and [links](target), as pieces."""
    found: list[Inline] = []
    at = 0
    for match in _PROSE.finditer(text):
        code, strong, words, target = match.groups()
        found += [text[at : match.start()], Code(code) if code else Strong(strong) if strong else Link(words, target)]
        at = match.end()
    return tuple(piece for piece in (*found, text[at:]) if piece)


def listed(lines: Iterable[Line], between: str = ", ") -> tuple[Inline, ...]:
    """Return lines as one, with a text between them."""
    found: list[Inline] = []
    for line in lines:
        found += [*([between] if found else []), *pieces(line)]
    return tuple(found)


# ---------------------------------------------------------------- blocks


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line of text. An `aside` says something about what stands above it; plain text indents it."""

    content: Line
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list, with what stands below it."""

    content: Line
    below: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class List:
    """Items, numbered if they are `ordered`. Plain text has no bullets, and indents what is below by `indent`."""

    items: tuple[Item, ...]
    ordered: bool = False
    indent: int = 2


@dataclass(frozen=True, slots=True)
class Stack:
    """A cell of several lines, with a list of `items` below them."""

    lines: tuple[Line, ...]
    items: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its head, whether it has numbers, and whether its texts are so long that they wrap."""

    head: Line
    number: bool = False
    long: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under the heads of columns; the first `heads` cells of a row are its own head."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[CellContent, ...], ...]
    heads: int = 0
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """Text of a language: `litmus`, `cat`, `llvm`, `amdgcn`, or just `text`.

    `anchor` names it for links. `links` are parts of the text that lead somewhere, in order: where they begin and end,
    and the target.
    """

    text: str
    language: str = "text"
    anchor: str = ""
    links: tuple[tuple[int, int, str], ...] = ()


CellContent: TypeAlias = "Line | Stack | Program"
"""What stands in a cell of a table."""


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under a heading, which `anchor` names for links."""

    title: Line
    blocks: tuple[Block, ...] = ()
    anchor: str = ""


class Figure:
    """What is drawn: the base of executions, timelines and other pictures, which are data."""

    __slots__ = ()

    def lines(self) -> Iterable[str]:
        """Return the picture as lines of plain text."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a file beside the page: its path from there, what it shows in words, and what stands below it."""

    path: str
    shows: str
    caption: str


Block: TypeAlias = "Paragraph | List | Table | Program | Section | Figure | Image"


@dataclass(frozen=True, slots=True)
class Document:
    """A page, or an answer: its blocks, and the record of the same in JSON. `origin` says what generates the page."""

    blocks: tuple[Block, ...]
    data: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    origin: str = ""


# ---------------------------------------------------------------- how to make them


def bullets(lines: Iterable[Line], *, ordered: bool = False) -> List:
    """Return a list of lines."""
    return List(tuple(Item(line) for line in lines), ordered)


def table(heads: Iterable[Line | Column], rows: Iterable[Sequence[CellContent]], *, row_heads: int = 0) -> Table:
    """Return a table; the heads of columns that need nothing said of them are lines."""
    columns = tuple(head if isinstance(head, Column) else Column(head) for head in heads)
    return Table(columns, tuple(map(tuple, rows)), row_heads)


def codes(lines: Iterable[str]) -> Stack:
    """Return lines of a language as a cell."""
    return Stack(tuple(map(Code, lines)))


def anchor_of(title: Line) -> str:
    """Return the anchor of a heading: its words in small letters, with `-` between them."""
    words = "".join(piece if isinstance(piece, str) else piece.text for piece in pieces(title))
    return re.sub(r"[^\w]+", "-", words.lower()).strip("-")
