"""What the pages of documentation show that can be checked.

What goes in: a page of Markdown. What comes out: its fenced blocks, the commands of a block with the output that the
page shows for each, and the sections that links may name.

A block that shows commands begins with a line `$ COMMAND`; what stands between one such line and the next is the
output. A line that holds four blanks and an ellipsis stands for any lines, an ellipsis within a line for any
characters of it; a remark after two blanks and `#` is not part of the command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.paths import ROOT

PAGES = tuple(sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]))
"""Every page at the top and in docs/."""
ANY = "    …"
"""The line that stands for any lines of an output."""
_BLOCK = re.compile(r"^( *)```([\w-]*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_TIME = re.compile(r"\d+\.\d+ s\b")
_CODE = re.compile(r"`(axmem [^`\n]*)`")
_ANY_LINES = re.compile(r"(?:\\ ){4}…(?:\\\n|$)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its page, the line of its fence (from 1), its language or "", its text without indent."""

    page: str
    line: int
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A command that a page shows, without prompt and remark, its line, and the output below it."""

    page: str
    line: int
    command: str
    output: str


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        inner = re.sub(rf"^{match[1]}", "", match[3], flags=re.MULTILINE)
        yield Block(str(page.relative_to(ROOT)), text.count("\n", 0, match.start()) + 1, match[2], inner)


def without_blocks(text: str) -> str:
    """Return a text with an end of a paragraph in the place of each fenced block."""
    return _BLOCK.sub("\n\n", text)


def shown(block: Block) -> Iterator[Shown]:
    """Yield the commands of a block with their output; a block that does not begin with `$ ` shows none.

    What pytest prints may have lines that begin so: its block is one command.
    """
    if not block.text.startswith("$ "):
        return
    line = block.line + 1
    one = block.text.startswith("$ pytest ")
    for part in [block.text] if one else re.split(r"^(?=\$ )", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield Shown(block.page, line, re.sub(r"  +# .*$", "", command.removeprefix("$ ")), output)
        line += part.count("\n")


def named(page: Path) -> Iterator[Shown]:
    """Yield the command lines that a page names and does not run: in its sentences, and in blocks without a prompt."""
    text = page.read_text(encoding="utf-8")
    name = str(page.relative_to(ROOT))
    for match in _CODE.finditer(_BLOCK.sub(lambda found: "\n" * found[0].count("\n"), text)):
        yield Shown(name, text.count("\n", 0, match.start()) + 1, match[1], "")
    for block in blocks(page):
        for at, line in enumerate(block.text.splitlines()):
            if line.startswith("axmem "):
                yield Shown(name, block.line + 1 + at, re.sub(r"   +.*$|  +# .*$", "", line), "")


def seconds(text: str) -> str:
    """Return a text with every time in it replaced."""
    return _TIME.sub("T s", text)


def agrees(printed: str, output: str) -> bool:
    """Say whether a command printed what a page shows, whatever time it took."""
    pattern = _ANY_LINES.sub("(?s:.*)", re.escape(seconds(output.rstrip("\n")))).replace("…", "[^\n]*")
    return re.fullmatch(pattern, seconds(printed.rstrip("\n"))) is not None


def sections(page: Path) -> dict[str, str]:
    """Return the text of each section of a page by the anchor that GitHub gives its heading."""
    text = _BLOCK.sub(lambda found: re.sub(r"^#", " #", found[0], flags=re.MULTILINE), page.read_text(encoding="utf-8"))
    heads = list(re.finditer(r"^(#+) (.*)$", text, re.MULTILINE))
    result: dict[str, str] = {}
    for at, head in enumerate(heads):
        later = (each.start() for each in heads[at + 1 :] if len(each[1]) <= len(head[1]))
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head[2]).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        again = sum(re.fullmatch(rf"{re.escape(anchor)}(-\d+)?", each) is not None for each in result)
        result[f"{anchor}-{again}" if again else anchor] = text[head.start() : next(later, len(text))]
    return result
