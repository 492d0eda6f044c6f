"""The differences from the peers' expectations that are explained: `explained.txt`.

What goes in: the file. A reason `likewise` is that of the entry before. A line that is not empty and no comment (`#`)
is an entry: the key of a case, in which `*` stands for anything, then a colon and why the answers differ, with what
decides. What comes out: the entries.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from axmem.front.records import dataclass
from tests.peers.suites import Case

FILE = Path(__file__).with_name("explained.txt")


@dataclass(frozen=True, slots=True)
class Entry:
    """Which cases are explained, why, and the line of the file."""

    pattern: str
    reason: str
    line: int

    def explains(self, case: Case) -> bool:
        """Tell whether a case is one of these."""
        return fnmatchcase(case.key, self.pattern.replace("[", "[[]"))


def entries(file: Path) -> tuple[Entry, ...]:
    """Return the entries of a file. Raises ValueError for a line that is none."""
    found: list[Entry] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        pattern, colon, reason = line.partition(": ")
        if not colon or not reason.strip():
            raise ValueError(f"{file.name}:{number}: an entry is a key, a colon and a reason")
        if reason.strip() == "likewise":
            reason = found[-1].reason if found else reason
        found.append(Entry(pattern.strip(), reason.strip(), number))
    return tuple(found)
