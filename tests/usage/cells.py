"""Tables of reStructuredText, row by row, and the cells with code in them.

What goes in: a text. What comes out: for each table that has a name the rows, each with its line and the lines of its
cells; and of a cell with code the numbered steps, each with its text and the notes below it. Both simple tables, as
LLVM's documents have them, and grid tables are read. `Unread` says at which line something is not as expected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from axmem.commands.pages.usage_layout import MARKS
from axmem.front.records import dataclass, field

COLUMNS = 5
NAME = re.compile(r"\s*:name: \S*code-sequences-(\S+?)(-table)?$")


class Unread(ValueError):
    """Something in a table that is not understood, at a line."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"{line}: {what}")
        self.line, self.what = line, what


@dataclass(frozen=True, slots=True)
class Row:
    """A row: the line where it begins, and the lines of its cells."""

    line: int
    cells: tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class Step:
    """A numbered step, or what stands before the first (`number` is empty): its words, and the notes below it."""

    number: str
    text: str
    notes: list[str] = field(default_factory=list)


def tables(text: str) -> dict[str, list[Row]]:
    """Return the rows of each table of code sequences, by the name of its families."""
    found: dict[str, list[Row]] = {}
    lines = text.split("\n")
    for at, line in enumerate(lines):
        match = NAME.match(line)
        if match and "scopes" not in match[1]:
            found[match[1]] = list(_rows(lines, at + 1))
    return found


def _rows(lines: Sequence[str], at: int) -> Iterator[Row]:
    """Yield the rows of the table that begins below a line."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    if at == len(lines):
        raise Unread(at, "no table follows its name")
    rule = lines[at]
    yield from _grid(lines, at) if rule.strip().startswith("+") else _simple(lines, at)


def _grid(lines: Sequence[str], at: int) -> Iterator[Row]:
    rule, begun, heads = lines[at], at + 1, True
    bars = [match.start() for match in re.finditer(r"\+", rule)]
    if len(bars) != COLUMNS + 1:
        raise Unread(at + 1, f"the table has {len(bars) - 1} columns, not {COLUMNS}")
    while at + 1 < len(lines) and lines[at + 1].strip():
        at += 1
        if not re.fullmatch(r"\s*\+[-=+]+", lines[at]):
            continue
        body = lines[begun:at]
        if not heads and not body[0].strip(" |").startswith("**"):
            cells = [tuple(line[a + 2 : b - 1].rstrip() for line in body) for a, b in pairwise(bars)]
            yield Row(begun + 1, tuple(cells))
        begun, heads = at + 1, False


def _simple(lines: Sequence[str], at: int) -> Iterator[Row]:
    rule = lines[at]
    columns = [(match.start(), match.end()) for match in re.finditer("=+", rule)]
    if len(columns) != COLUMNS:
        raise Unread(at + 1, f"the table has {len(columns)} columns, not {COLUMNS}")
    rules = [number for number in range(at, len(lines)) if lines[number] == rule][:3]
    if len(rules) < 3:
        raise Unread(at + 1, "the table has no end")
    begun, cells = 0, [list[str]() for _ in columns]
    for number in range(rules[1] + 1, rules[2]):
        line = lines[number]
        section = line.strip().startswith("**") or re.fullmatch(r"\s*-{20,}", line)
        if (section or line[slice(*columns[0])].strip()) and begun:
            yield Row(begun, tuple(map(tuple, cells)))
            begun = 0
        if section:
            continue
        if not begun:
            begun, cells = number + 1, [[] for _ in columns]
        for cell, (start, end) in zip(cells, (*columns[:-1], (columns[-1][0], len(line))), strict=True):
            cell.append(line[start:end].rstrip())
    if begun:
        yield Row(begun, tuple(map(tuple, cells)))


def words(cell: Sequence[str]) -> tuple[str, ...]:
    """Return the items of a cell: of a list, or the one that it has; none of `*none*`."""
    text = " ".join(" ".join(cell).replace("*", "").split())
    return () if text == "none" else tuple(part.strip() for part in re.split(r"(?:^|\s)- ", text) if part.strip())


def marked(cell: Sequence[str], mark: str) -> Sequence[str]:
    """Return the part of a cell for accesses with a mark, if it tells them apart."""
    at = {line.strip().removeprefix("- "): number for number, line in enumerate(cell) if line.strip().startswith("- ")}
    at = {name: number for name, number in at.items() if name in MARKS}
    if not mark or not at:
        return cell
    return cell[at[mark] + 1 : min((number for number in at.values() if number > at[mark]), default=len(cell))]


def steps(lines: Sequence[str]) -> list[Step]:
    """Return the steps of a cell, the first of which is what stands before them."""
    found = [Step("", "")]
    fresh = True
    for line in lines:
        text = line.strip()
        number = re.match(r"(\d+)\.? +(?=\S)(?!-)", text)
        if not text:
            fresh = True
        elif number:
            found.append(Step(number[1], text[number.end() :]))
        elif text.startswith("- "):
            found[-1].notes.append(text[2:])
        elif found[-1].notes and not (fresh and text.startswith("*")):
            found[-1].notes[-1] += f" {text}"
        else:
            found[-1].text = f"{found[-1].text} {text}".strip()
        fresh = fresh and not text
    return found
