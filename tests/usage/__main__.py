"""`python -m tests.usage AMDGPUUsage.rst`: LLVM's tables of code sequences beside those that axmem prints.

What goes in: the document of LLVM 22, `llvm/docs/AMDGPUUsage.rst`. Every row of its tables is compared with the row
that `axmem doc table --lowering --layout amdgpu-usage --profile llvm-22` prints, in every case that the row is of:
family, mode, scope, address space, one-as or not, with and without result. What comes out: how many rows say the same
in every case, and where one does not, what the document says, what axmem prints, and what llc-22 emits (as recorded in
tests/lowering). With `--results` the page results/usage.md. Exit code 1 if axmem and llc-22 differ, 2 for a document
that is not read.

Not compared: the bit of a read-modify-write that returns the old value (`sc0`, `glc`, `th:TH_ATOMIC_RETURN`), which the
document names in some rows; constant memory; marks on unordered atomics; fences with a tag whose scope is not one-as,
of which the document has no sequences; generic addresses on GFX6, which has none.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from axmem.codegen.operations import Operation
from axmem.codegen.targets import Target
from axmem.commands.pages.usage_conditions import Conditions
from axmem.commands.pages.usage_layout import Case, UsageRow, UsageTable, cases, usage_tables
from axmem.commands.pages.usage_tables import printed
from axmem.front.records import dataclass, field
from tests.lowering.cross import operations
from tests.lowering.record import read as recorded
from tests.paths import RESULTS
from tests.spread import ended
from tests.usage import document, ours
from tests.usage.cells import Row, Unread, tables

PROFILE = "llvm-22"
RESULT = RESULTS / "usage.md"
NONE = "no such operation"
LACKING = "no row"

Sequence_ = tuple[str, ...] | str
"""A sequence, or words where there is none."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Cases of a row of which three do not say the same: the document, axmem and llc-22."""

    where: str
    document: Sequence_
    printed: Sequence_
    llc: Sequence_
    cases: int

    @property
    def apart(self) -> bool:
        """Whether llc-22 emits something else than axmem says; what targets lack llc does not always refuse."""
        return self.printed not in (self.llc, NONE)


@dataclass(slots=True)
class Compared:
    """A table compared: of each row in how many cases, and where it differs; and how many cases were not compared."""

    table: UsageTable
    rows: list[tuple[UsageRow, int, list[Difference]]] = field(default_factory=list)
    left_out: int = 0
    extra: list[str] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print the page, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", type=Path, help="AMDGPUUsage.rst")
    parser.add_argument("--results", action="store_true", help="write results/usage.md")
    options = parser.parse_args(arguments)
    try:
        found = list(compared(options.document.read_text(encoding="utf-8")))
    except (OSError, UnicodeError, Unread) as error:
        place = f"{options.document}:{error}" if isinstance(error, Unread) else f"{options.document}: {error}"
        print(f"{place}\n  hint: give llvm/docs/AMDGPUUsage.rst of LLVM 22", file=sys.stderr)
        return 2
    page = "\n".join(_page(found))
    print(page, end="")
    if options.results:
        RESULT.write_text(page, encoding="utf-8")
    return 1 if any(each.apart for one in found for *_, some in one.rows for each in some) else 0


def compared(text: str, chosen: Sequence[UsageTable] | None = None) -> Iterator[Compared]:
    """Compare each of our tables, or those chosen, with the document's. Raises Unread."""
    theirs, said = tables(text), list[tuple[UsageTable, document.Document]]()
    for table in chosen or usage_tables():
        if table.name not in theirs:
            raise Unread(1, f"there is no table of code sequences of {table.title}")
        rows = document.read(theirs[table.name])
        said.append((table, document.Document(rows, document.instruction_scopes(text, table.name))))
    for table, each in said:
        yield _compared(table, each, _printed(table.name), _made(table.name))


@cache
def _made(name: str) -> Mapping[str, Mapping[Operation, Sequence_]]:
    """Return what llc-22 makes of each operation, on each target of one of our tables."""
    (table,) = [table for table in usage_tables() if table.name == name]
    llc = recorded()
    return {
        target.label: dict(zip(operations(target, thin=True), llc[f"{target.name} {target.mode}"], strict=True))
        for target in _targets(table)
    }


@cache
def _printed(name: str) -> Sequence[Row]:
    """Return the rows of one of our tables."""
    chosen = [table for table in usage_tables() if table.name == name]
    return tables(printed(PROFILE, chosen=chosen))[name]


def _compared(
    table: UsageTable, said: document.Document, own: Sequence[Row], made: Mapping[str, Mapping[Operation, Sequence_]]
) -> Compared:
    found = Compared(table)
    left = set(said.rows)
    for row, mine in zip(table.rows, own, strict=True):
        every = list(cases(table, row, PROFILE))
        groups: dict[tuple[Sequence_, Sequence_, Sequence_], int] = {}
        count = 0
        for index, case in enumerate(every):
            key = _key(row, case)
            left.discard(key)
            if case.words["fenced"] not in ("", "fence of all") and case.words["width"] != "one-as scope":
                found.left_out += 1
                continue
            count += 1
            triple = _triple(key, case, said, mine, made)
            if triple[0] != triple[1] or triple[1] not in (triple[2], NONE):
                groups[triple] = groups.get(triple, 0) | 1 << index
        if not every:
            left -= {key for key in left if key[:2] == (row.kind, row.ordering.value)}
        conditions = Conditions([case.words for case in every])
        differences = [
            Difference(conditions.said(bits, conditions.all), *triple, bits.bit_count())
            for triple, bits in groups.items()
        ]
        found.rows.append((row, count, differences))
    found.extra += [" ".join(filter(None, key)) for key in said.rows if key in left and key[-1] != "constant"]
    return found


def _targets(table: UsageTable) -> list[Target]:
    return [Target(f.targets[0], f, mode, PROFILE) for f in table.families for mode in f.modes]


def _key(row: UsageRow, case: Case) -> document.Key:
    """Return by what the document's rows are found: of a row of any scope and space by neither."""
    scope = case.words["scope"].removesuffix("scope").strip()
    where = ("any", "any") if row.whole else (scope, case.words["space"])
    return (row.kind, row.ordering.value, *where)


def _triple(
    key: document.Key,
    case: Case,
    said: document.Document,
    mine: Row,
    made: Mapping[str, Mapping[Operation, Sequence_]],
) -> tuple[Sequence_, Sequence_, Sequence_]:
    """Return what the document, axmem and llc-22 say of a case."""
    theirs: Sequence_
    try:
        sequence = said.sequence(key, case.words)
        theirs = NONE if sequence is None else _plain(sequence, case)
    except KeyError:
        theirs = LACKING
    sequence = ours.sequence(mine.cells[-1], case.words)
    printed_ = NONE if sequence is None else _plain(sequence, case)
    llc: Sequence_ = _plain(made[case.target.label][case.operation], case)
    return theirs, printed_, llc


def _plain(sequence: Sequence[str], case: Case) -> tuple[str, ...]:
    """Return a sequence as it is compared: each access under one name, bits in order, no bit that returns a value."""
    found = []
    for item in sequence:
        name, *bits = item.split()
        if name == "wait":
            found.append(item)
            continue
        kind = name.rpartition("_")[2]
        access = kind in ("load", "store", "atomic")
        result = case.target.family.result if case.operation.kind == "rmw" else ""
        found.append(" ".join([kind if access else name, *sorted(bit for bit in bits if not access or bit != result)]))
    return tuple(found)


# ---------------------------------------------------------------- the page

HEAD = """\
<!-- Generated by `make usage DOCUMENT=AMDGPUUsage.rst`; change the tables in `codegen/families/`, not this page. -->
# The tables of AMDGPUUsage

The code-sequence tables of LLVM 22's *User Guide for AMDGPU Backend*, and what
`axmem doc table --lowering --layout amdgpu-usage --profile llvm-22` prints, compared row by row. Each row is asked in
every case that it is of: family, mode, scope, address space, one-as or not, with and without a returned value. The
document leaves an instruction out for OpenCL where the scope is one-as; a fence's address space is that of its tags.
Accesses stand under one name. Not compared: the bit that returns a value, constant memory, marks on unordered atomics,
fences with tags whose scope is not one-as.
"""


def _page(found: Sequence[Compared]) -> Iterator[str]:
    yield HEAD
    yield "| Table | Rows | Different rows | Cases | Different cases | Cases where llc-22 is not with axmem |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for one in found:
        numbers = (
            len(one.rows),
            sum(bool(some) for *_, some in one.rows),
            sum(count for _, count, _ in one.rows),
            sum(each.cases for *_, some in one.rows for each in some),
            sum(each.cases for *_, some in one.rows for each in some if each.apart),
        )
        yield f"| {one.table.title} | {' | '.join(map(str, numbers))} |"
    yield from ("", "## Rows that differ", "")
    yield "| Table | Row | Where | Document | axmem | llc-22 |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for one in found:
        for row, _, differences in one.rows:
            for each in differences:
                cells = (
                    one.table.title,
                    _label(row),
                    each.where or "always",
                    *map(_code, (each.document, each.printed, each.llc)),
                )
                yield f"| {' | '.join(cells)} |"
        for key in one.extra:
            yield f"| {one.table.title} | {key} | | a row | no row | |"
    yield ""


def _label(row: UsageRow) -> str:
    scopes = "any" if row.whole else ", ".join(row.scopes)
    spaces = "" if row.whole else ", ".join(row.spaces)
    parts = [f"{row.kind} {row.ordering.value}", scopes, spaces]
    return "; ".join(part for part in parts if part).replace("_", "\\_")


def _code(sequence: Sequence_) -> str:
    if isinstance(sequence, str):
        return sequence
    return "<br>".join(f"`{item}`" for item in sequence) or "nothing"


if __name__ == "__main__":
    sys.exit(ended(main))
