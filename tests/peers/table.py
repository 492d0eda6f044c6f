"""The table of the peers' suites.

What goes in: what came of each case. What comes out: a row for each suite, kind and model, and the reasons of refusals
with how many files each has.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from axmem.check.run.fingerprint import digest_of
from axmem.front.output import MARK
from tests.peers.explained import Entry
from tests.peers.judging import DIFFERENT, REFUSED, SAME, UNKNOWN, Found
from tests.peers.suites import Case

COLUMNS = ("Suite", "Kind", "Model", "Files", "Read", "Same", "Different", "Explained", "Unknown", "Refused", "Seconds")
HEAD = """The tests that Dartagnan, herd7 and Khronos publish, read in place, under their models (`NAME.cat`) and
ours, against what their lists, logs and statements say. *Same* answers are theirs; *explained* ones differ
for a reason below; a *refused* test is not read, or the model has no word for it. Under `fair`, `hsa` and
so on it is asked whether every execution ends (`axmem kernel progress`). A file may be in several lists. Seconds
are of a processor."""
"""What the page says first."""
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
    files = {(case.suite, case.file): case.path for case in found}
    counts = Counter(suite for suite, _ in files)
    editions = [f"- {suite}: {count} files, {_edition(suite, files)}" for suite, count in counts.items()]
    parts = [
        f"<!-- {MARK}peers PEERS=DIR`. -->", "# The peers' suites", "", HEAD, "", *editions, "",
        table(found, known), "", _row(("Explained", "Why")), _row(("---", "---")),
        *(_row((f"`{entry.pattern}`", entry.reason)) for entry in known),
    ]  # fmt: skip
    return "".join(f"{part}\n" for part in parts)


def _edition(suite: str, files: Mapping[tuple[str, str], str]) -> str:
    """Return a digest of the tests of a suite, by which its edition is known again."""
    texts = sorted(
        digest_of(Path(path).read_text(encoding="utf-8", errors="replace"))
        for (of, _), path in files.items() if of == suite and Path(path).is_file()
    )  # fmt: skip
    return f"digest {digest_of(''.join(texts))[:12]}"
