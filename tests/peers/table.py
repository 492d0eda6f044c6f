"""The table of the peers' suites.

What goes in: what came of each case. What comes out: a row for each suite, kind and model, and the reasons of refusals
with how many files each has.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from axmem.front.output import MARK
from tests.peers.explained import Entry
from tests.peers.judging import DIFFERENT, REFUSED, SAME, UNKNOWN, Found
from tests.peers.suites import Case

COLUMNS = ("Suite", "Kind", "Model", "Files", "Read", "Same", "Different", "Explained", "Unknown", "Refused", "Seconds")
REASONS = 60
"""So many reasons of refusal are listed."""


def table(found: Mapping[Case, Found], known: tuple[Entry, ...]) -> str:
    """Return the rows, and the reasons of refusals."""
    rows = defaultdict(list)
    for case, one in found.items():
        rows[case.suite, case.kind, case.under or "none"].append((case, one))
    lines = [_row(COLUMNS), _row(["---"] * 3 + ["---:"] * 8)]
    lines += [_row([*key, *_numbers(some, known)]) for key, some in rows.items()]
    lines.append(_row(["all", "", "", *_numbers(list(found.items()), known)]))
    return "\n".join([*lines, "", *_reasons(found)])


def _row(cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"  # type: ignore[call-overload]


def _numbers(some: list[tuple[Case, Found]], known: tuple[Entry, ...]) -> list[str]:
    counts = Counter(one.status for _, one in some)
    explained = sum(one.status == DIFFERENT and any(e.explains(case) for e in known) for case, one in some)
    counted = [
        len(some), len(some) - counts[REFUSED], counts[SAME], counts[DIFFERENT] - explained, explained, counts[UNKNOWN],
        counts[REFUSED],
    ]  # fmt: skip
    return [*map(str, counted), f"{sum(one.seconds for _, one in some):.0f}"]


def _reasons(found: Mapping[Case, Found]) -> list[str]:
    files = defaultdict(set)
    for case, one in found.items():
        if one.status in (REFUSED, UNKNOWN):
            files[one.status, one.said].add((case.suite, case.file))
    ordered = sorted(files.items(), key=lambda item: (-len(item[1]), item[0]))
    lines = [_row(("Files", "Refused or unknown because")), _row(("---:", "---"))]
    lines += [_row((len(some), f"{said} ({status})".replace("|", "\\|"))) for (status, said), some in ordered[:REASONS]]
    rest = len(ordered) - REASONS
    return [*lines, *([_row(("", f"{rest} more reasons"))] if rest > 0 else [])]


def page(found: Mapping[Case, Found], known: tuple[Entry, ...]) -> str:
    """Return the page for results/."""
    return f"<!-- {MARK}make peers`. -->\n# The peers' suites\n\n{table(found, known)}\n"
