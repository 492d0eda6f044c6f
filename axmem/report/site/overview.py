"""The overview of a site, the pages of its families, and the rows by which a browser searches and filters.

What goes in: the records of tests. What comes out: documents by their addresses, and the text of `tests.js`. Invariant:
no page holds more than `ROWS` rows, however many tests there are; the script shows as many at a time.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from axmem.front.output import counted
from axmem.front.records import dataclass
from axmem.report.site.addresses import family_address, family_of, root_of
from axmem.report.site.found import PROBLEMS
from axmem.report.site.frame import ORIGIN
from axmem.report.site.paging import paged
from axmem.report.tree import (
    Block,
    CellContent,
    Code,
    Column,
    Document,
    Line,
    Link,
    Paragraph,
    Section,
    Strong,
    listed,
    table,
)

ROWS = 250
"""How many tests a page of a family lists."""
FAMILIES = 400
"""How many families the overview lists; tests of the others are found by the search."""
FOREMOST = 20
"""How many tests a list at the head of the overview names."""
VERDICTS = ("never", "sometimes", "always", "undefined", "unknown")

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Overview:
    """What the overview is of. `left` is how many tests nobody answered, since the run was interrupted.

    `changed` are the keys of tests that differ from an older run, None if there is none.
    """

    title: str
    models: tuple[str, ...]
    targets: tuple[str, ...]
    tests: tuple[Record, ...]
    left: int = 0
    changed: tuple[str, ...] | None = None


def differs(test: Record) -> bool:
    """Tell whether the models of a site differ on a test."""
    return any(each["relation"] not in ("", "same") for each in test["models"])


def pages(found: Overview) -> Iterator[tuple[str, Document]]:
    """Yield the overview and the pages of the families, with their addresses."""
    families: dict[str, list[Record]] = defaultdict(list)
    for test in found.tests:
        families[family_of(test["key"])].append(test)
    yield "index.html", _index(found, families)
    for family, tests in families.items():
        yield from _family(found, family, tests)


# ---------------------------------------------------------------- the overview


def _index(found: Overview, families: dict[str, list[Record]]) -> Document:
    differing = [test for test in found.tests if differs(test)]
    wrong = [test for test in found.tests if test["status"] in PROBLEMS]
    parts = [counted(len(found.tests), "test"), f"{len(differing):,} on which the models differ"]
    parts.append(f"{len(wrong):,} with a problem" if wrong else "no problem")
    blocks: list[Block] = [Paragraph(", ".join(parts) + ".")]
    if found.left:
        said = f"The run was interrupted: {counted(found.left, 'test was', 'tests were')} not answered."
        blocks.append(Paragraph((Strong(said, "unknown"),)))
    if found.changed is not None:
        way = Link("What changed against the older run", "changes.html")
        blocks.append(Paragraph((way, f": {counted(len(found.changed), 'test')}.")))
    blocks.append(Section("Find tests", (Paragraph("The families below list all tests."),), "find"))
    if wrong:
        blocks.append(Section("Problems", tuple(_foremost(found, wrong, "status")), "problems"))
    if differing:
        blocks.append(Section("What differs", tuple(_foremost(found, differing, "")), "differs"))
    blocks.append(Section("Verdicts", (_verdicts(found),), "verdicts"))
    if found.targets:
        blocks.append(Section("Machine code", (_targets(found),), "machine"))
    blocks.append(Section("Families", tuple(_families(found, families)), "families"))
    return Document(tuple(blocks), title=found.title)


def _foremost(found: Overview, tests: Sequence[Record], what: str) -> Iterator[Block]:
    """Yield the first of some tests, and how many more there are."""
    rows: list[list[CellContent]] = []
    for test in tests[:FOREMOST]:
        said = "; ".join(test["errors"]) or test["condition"]
        verdicts = listed(
            (f"{each['model']} ", _verdict(each)) for each in test["models"] if each["model"] in found.models
        )
        head: Line = (Link(test["key"], test["address"]),)
        rows.append([head, Strong(test["status"], test["status"]) if what else Code(said), verdicts])
    yield table(["Test", "Problem" if what else "Condition", "Verdicts"], rows)
    if len(tests) > FOREMOST:
        yield Paragraph(f"{len(tests) - FOREMOST:,} more: choose them under Find tests, or by their families.")


def _verdict(each: Record) -> Strong:
    return Strong(each["verdict"], each["verdict"])


def _of_model(test: Record, label: str) -> Record | None:
    return next((each for each in test["models"] if each["model"] == label), None)


def _verdicts(found: Overview) -> Block:
    """Return how often each model has which verdict, and how it stands to the first."""
    rows: list[list[CellContent]] = []
    for label in found.models:
        some = [each for test in found.tests if (each := _of_model(test, label)) is not None]
        count = Counter(each["verdict"] for each in some)
        stands = Counter(each["relation"] for each in some)
        relation = ", ".join(f"{number:,} {word}" for word, number in sorted(stands.items()) if word)
        wrong = sum(each["status"] == "mismatch" for each in some)
        rows.append([Code(label), *(f"{count[verdict]:,}" for verdict in VERDICTS), f"{wrong:,}", relation])
    numbers = [Column(verdict, number=True) for verdict in (*VERDICTS, "mismatches")]
    return table(["Model", *numbers, f"Against {found.models[0]}"], rows, row_heads=1)


def _targets(found: Overview) -> Block:
    rows: list[list[CellContent]] = []
    for label in found.targets:
        said = [each["verdict"] for test in found.tests for each in test["targets"] if each["target"] == label]
        count = Counter(said)
        text = ", ".join(f"{number:,} {word or 'not lowered'}" for word, number in sorted(count.items()))
        rows.append([Code(label), text])
    return table(["Target", "Verdicts of the machine"], rows, row_heads=1)


def _families(found: Overview, families: dict[str, list[Record]]) -> Iterator[Block]:
    rows: list[list[CellContent]] = []
    for family, tests in list(families.items())[:FAMILIES]:
        wrong = sum(test["status"] in PROBLEMS for test in tests)
        counts = (len(tests), sum(map(differs, tests)), wrong)
        rows.append([(Link(family, family_address(family)),), *(f"{count:,}" for count in counts)])
    numbers = [Column(word, number=True) for word in ("Tests", "Differing", "Problems")]
    yield table(["Family", *numbers], rows, row_heads=1)
    if len(families) > FAMILIES:
        yield Paragraph(f"{len(families) - FAMILIES:,} more families: their tests are found under Find tests.")


# ---------------------------------------------------------------- a family


def _family(found: Overview, family: str, tests: Sequence[Record]) -> Iterator[tuple[str, Document]]:
    """Yield the pages of a family, `ROWS` tests on each."""
    for page, some, links in paged(tests, ROWS, partial(family_address, family)):
        address = family_address(family, page)
        rows = [_row(found, test, root_of(address)) for test in some]
        heads: list[Line | Column] = ["Test", Column("What it shows", long=True), "Condition", *map(Code, found.models)]
        blocks = [Paragraph(counted(len(tests), "test") + "."), *links, table(heads, rows, row_heads=1)]
        yield address, Document(tuple(blocks), title=f"Family {family}" + (f", page {page}" if page > 1 else ""))


def _row(found: Overview, test: Record, root: str) -> list[CellContent]:
    cells: list[CellContent] = []
    for label in found.models:
        each = _of_model(test, label)
        if each is None:
            cells.append((Strong(test["status"], test["status"]),))
            continue
        relation = f" ({each['relation']})" if each["relation"] not in ("", "same") else ""
        wrong = (" ", Strong("mismatch", "mismatch")) if each["status"] == "mismatch" else ()
        cells.append((_verdict(each), relation, *wrong))
    return [(Link(test["name"], root + test["address"]),), test["shows"], Code(test["condition"]), *cells]


# ---------------------------------------------------------------- the rows of the search


def search_rows(found: Overview) -> str:
    """Return the text of `tests.js`: what the script of the overview searches, a row for each test."""
    changed = set(found.changed or ())
    rows = [
        [
            test["address"],
            test["key"],
            test["shows"],
            test["condition"],
            test["status"],
            [each["verdict"] if (each := _of_model(test, label)) else "" for label in found.models],
            [each["relation"] if (each := _of_model(test, label)) else "" for label in found.models],
            [_of_target(test, label) for label in found.targets],
            int(test["key"] in changed),
            " ".join(_rules(test)),
        ]
        for test in found.tests
    ]
    head = {"models": found.models, "targets": found.targets, "compared": found.changed is not None}
    lines = ",\n".join(json.dumps(row, ensure_ascii=True, separators=(",", ":")) for row in rows)
    return f"// {ORIGIN}\nconst axmemSite = {json.dumps(head)};\nconst axmemTests = [\n{lines}\n];\n"


def _rules(test: Record) -> Iterable[str]:
    return dict.fromkeys(name for each in test["models"] for name in (*each["core"], *each["undef"]))


def _of_target(test: Record, label: str) -> str:
    return next((each["verdict"] for each in test["targets"] if each["target"] == label), "")
