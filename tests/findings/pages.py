"""What a page of docs/findings says that can be checked.

What goes in: the text of a page. What comes out: its `Shown` commands with their output, and its `Claim`s: for a test,
a target and a version of LLVM the verdict that `axmem verify --llc` has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.paths import ROOT

FINDINGS = ROOT / "docs" / "findings"
VERSIONS = {"LLVM 22.1.8": "llc-22", "LLVM 24.0.0git": "llc-24"}
"""What heads a column, with the compiler that it is about."""
_SHOWN = re.compile(r"^```\n\$ ((?:llc-\d+|opt-\d+|grep) [^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"^\| \[[^]]+\]\((\S+\.litmus)\) \|(.*)\|\n\|[ -|]+\|\n((?:\|.*\|\n)+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Shown:
    """A command of a page, and what the page says that it prints."""

    page: str
    command: str
    output: str


@dataclass(frozen=True, slots=True)
class Claim:
    """What a page says that comes of a test on a target with a compiler."""

    page: str
    test: str
    target: str
    compiler: str
    verdict: str


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page."""
    for path in sorted(FINDINGS.glob("*.md")):
        yield path.stem, path.read_text(encoding="utf-8")


def shown(page: str, text: str) -> Iterator[Shown]:
    """Yield the commands of LLVM that a page shows."""
    for match in _SHOWN.finditer(text):
        yield Shown(page, match[1], match[2])


def claims(page: str, text: str) -> Iterator[Claim]:
    """Yield what a page says of versions and targets, in tables whose first column is headed by a test."""
    for test, head, rows in _TABLE.findall(text):
        compilers = [VERSIONS[cell.strip()] for cell in head.split("|")]
        for row in rows.splitlines():
            targets, *verdicts = (cell.strip() for cell in row.strip("|").split("|"))
            for target in targets.split(", "):
                for compiler, verdict in zip(compilers, verdicts, strict=True):
                    yield Claim(page, test, target, compiler, verdict)


def beside(page: str) -> Iterator[Path]:
    """Yield the IR that stands beside a page."""
    yield from sorted(path for path in FINDINGS.glob("*.ll") if path.name.partition(".")[0] == page)
