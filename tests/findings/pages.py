"""What a page of docs/findings says that can be checked.

What goes in: the text of a page. What comes out: its sections; its `Repro`, the command that shows the fault with what
a right and a wrong version print; its other `Shown` commands with their output; and its `Claim`s: for a test, a target
and a version of LLVM the verdict that `axmem verify --llc` has.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.paths import ROOT

FINDINGS = ROOT / "docs" / "findings"
VERSIONS = {"LLVM 22.1.8": "22", "LLVM 24.0.0git": "24"}
"""What heads a column or begins a row, with the suffix of the programs that it is about."""
WRONG, RIGHT = "wrong", "right"
"""What a version does with the command of a page."""
_BLOCK = re.compile(r"(?:^(LLVM [\w.]+):\n\n)?^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHOWN = re.compile(r"^```\n\$ ((?:llc|opt|clang|lli)-\d+ [^\n]*)\n((?!```).+?)^```$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"^\| \[[^]]+\]\((\S+\.litmus)\) \|(.*)\|\n\|[ -|]+\|\n((?:\|.*\|\n)+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Shown:
    """A command of a page, and what the page says that it prints."""

    page: str
    command: str
    output: str


@dataclass(frozen=True, slots=True)
class Repro:
    """The command that shows the fault of a page, what each version does (`versions`), and what it prints then."""

    page: str
    command: str
    versions: dict[str, str]
    right: dict[str, str]
    wrong: dict[str, str]

    def of(self, version: str) -> str:
        """Return the command for a version of LLVM."""
        return re.sub(r"\b(llc|opt|clang|lli)-22\b", rf"\g<1>-{version}", self.command)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a page says that comes of a test on a target with a compiler."""

    page: str
    test: str
    target: str
    compiler: str
    verdict: str


def ran(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a page shows it."""
    return subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name of each page, with `fixed/` of those that are there, and its text."""
    for path in sorted([*FINDINGS.glob("*.md"), *FINDINGS.glob("fixed/*.md")]):
        if path.stem != "README":
            yield str(path.relative_to(FINDINGS).with_suffix("")), path.read_text(encoding="utf-8")


def sections(text: str) -> dict[str, str]:
    """Return what stands under each heading of a page, in order."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def repro(page: str, text: str) -> Repro | None:
    """Return the command of a page of a fault of LLVM, nothing of a page on a document."""
    found = sections(text)
    if "Command" not in found:
        return None
    (command,) = re.findall(r"^```\n\$ (.*)\n```$", found["Command"], re.MULTILINE)
    rows = re.findall(r"^\| (LLVM [^|]*?) \| ([^|]*?) \|$", found["Versions"], re.MULTILINE)
    versions = {VERSIONS[name]: done for name, done in rows}
    return Repro(page, command, versions, _printed(found["Expected"]), _printed(found["Actual"]))


def _printed(section: str) -> dict[str, str]:
    """Return what versions print: a block that no version heads is of all that have none of their own."""
    blocks = _BLOCK.findall(section)
    of_all = next((block for name, block in blocks if not name), None)
    named = {VERSIONS[name]: block for name, block in blocks if name}
    return {each: block for each in VERSIONS.values() if (block := named.get(each, of_all)) is not None}


def shown(page: str, text: str) -> Iterator[Shown]:
    """Yield the commands of LLVM that a page shows with their output."""
    for match in _SHOWN.finditer(text):
        yield Shown(page, match[1], match[2])


def claims(page: str, text: str) -> Iterator[Claim]:
    """Yield what a page says of versions and targets, in tables whose first column is headed by a test."""
    for test, head, rows in _TABLE.findall(text):
        compilers = [f"llc-{VERSIONS[cell.strip()]}" for cell in head.split("|")]
        for row in rows.splitlines():
            targets, *verdicts = (cell.strip() for cell in row.strip("|").split("|"))
            for target in targets.split(", "):
                for compiler, verdict in zip(compilers, verdicts, strict=True):
                    yield Claim(page, test, target, compiler, verdict)


def files(page: str) -> Iterator[Path]:
    """Yield the files that stand beside a page."""
    name = page.rpartition("/")[2]
    folder = (FINDINGS / page).parent
    yield from sorted(path for path in folder.glob(f"{name}.*") if path.suffix != ".md")
