"""The tables in the layout of AMDGPUUsage say what the lowering does; what compares them with the document notices.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from axmem.codegen.lowering import lower_operation
from axmem.commands.pages.usage_conditions import Conditions, holds
from axmem.commands.pages.usage_layout import USUAL, UsageRow, UsageTable, cases, usage_tables
from axmem.commands.pages.usage_tables import cell, printed
from axmem.litmus.words import SCOPE_OF, Ordering, atomic_for
from tests.drawn import in_full, some
from tests.lowering.canonical import canonical
from tests.usage.__main__ import compared, main
from tests.usage.cells import Unread, tables
from tests.usage.document import read
from tests.usage.made_up import ACQUIRE, Cells, document
from tests.usage.ours import sequence

TABLES = {table.name: table for table in usage_tables()}
RNG = random.Random(0)


@pytest.fixture(scope="module", params=some(("llvm-24", "llvm-22"), of=2))
def text(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The tables of a profile, and its name."""
    return printed(request.param), request.param


@pytest.mark.parametrize("name", TABLES)
def test_what_is_printed_is_what_is_emitted(name: str, text: tuple[str, str]) -> None:
    """Each row is read back, in every family, mode, scope, space, with and without tags and results."""
    table, rows, count = TABLES[name], tables(text[0])[name], 0
    assert len(read(rows)) > 170
    for row, found in zip(table.rows, rows, strict=True):
        for case in cases(table, row, text[1]):
            said = sequence(found.cells[-1], case.words)
            emitted = None if case.missing else _plain(canonical(lower_operation(case.operation, case.target)))
            assert (said if said is None else _plain(said)) == emitted, (found.line, case.words)
            count += 1
    assert count > 600


def _plain(items: Iterable[str]) -> tuple[str, ...]:
    """Return a sequence with accesses under one name, since a cell names those of all spaces, and bits in order."""
    found = []
    for item in items:
        name, *rest = item.split()
        kind = name.rpartition("_")[2]
        found.append(" ".join([f"access_{kind}" if kind in ("load", "store", "atomic") else name, *sorted(rest)]))
    return tuple(found)


@pytest.mark.parametrize("name", TABLES)
def test_every_operation_stands_in_one_row(name: str) -> None:
    """LDS is asked about up to its workgroup's scope, and clusters where the document has them."""
    rows = TABLES[name].rows
    clusters = any("cluster" in row.scopes for row in rows if not row.whole)
    scopes = [scope for scope in SCOPE_OF if clusters or scope != "cluster"]
    wanted = Counter(
        (kind, ordering, scope, space)
        for kind in ("load", "store", "rmw", "fence")
        for ordering in set(atomic_for(kind)) - {Ordering.UNORDERED}
        for scope, space in product(scopes, ("",) if kind == "fence" else ("global", "local", "generic"))
        if space != "local" or scope in ("singlethread", "wavefront", "workgroup")
    )
    found = Counter(
        (row.kind, row.ordering, scope, space)
        for row in rows
        if row.scopes and not row.whole
        for scope, space in product(row.scopes, row.spaces or ("",))
    )
    assert not wanted - found and max(found.values()) == 1


def test_a_cell_with_reasons() -> None:
    table = TABLES["gfx942"]
    assert cell(table, _row(table, "load", "acquire", ("workgroup",), ("generic",)), "llvm-22", reasons=True) == [
        "1. ``flat_load sc0``",
        "",
        "   - ``sc0``: reads what is visible at the scope: the vector",
        "     L1 serves it only where the whole workgroup is on its CU",
        "",
        "2. ``s_waitcnt vmcnt(0) lgkmcnt(0)``",
        "",
        "   - ``vmcnt(0)``: only tgsplit mode",
        "   - ``lgkmcnt(0)``: not tgsplit mode; one-as scope",
        "   - ``vmcnt(0)``: the value has been read before anything",
        "     after the operation runs",
        "   - ``lgkmcnt(0)``: the access may have gone to LDS, which",
        "     has a queue of its own",
        "",
        "3. ``buffer_inv sc0``",
        "",
        "   - only tgsplit mode",
        "   - makes visible to later loads what is available at the",
        "     scope: drops the lines of the CU's vector L1",
    ]


def _row(table: UsageTable, *keys: object) -> UsageRow:
    return next(row for row in table.rows if (row.kind, row.ordering.value, row.scopes, row.spaces) == keys)


@pytest.mark.parametrize("name", some(["gfx6-gfx9", "gfx12"], of=2))
def test_docutils_reads_the_tables(name: str) -> None:
    """Of one family and of several, of one mode and of two."""
    some = printed("llvm-24", reasons=True, chosen=[TABLES[name]])
    tree = publish_doctree(some, settings_overrides={"report_level": 2, "halt_level": 2})
    rows = list(tree.findall(nodes.row))
    assert len(rows) == 1 + len(TABLES[name].rows) + len({row.ordering for row in TABLES[name].rows})


def test_nothing_is_held_back_of_conditions() -> None:
    """Of random parts of random cases what is said is true of just these; what is said briefly is brief."""
    every = [
        {"mode": mode, "scope": scope, "space": space, "width": width}
        for mode, scope, space, width in product(
            ("cu mode", "tgsplit mode"), ("agent scope", "system scope", "workgroup scope"), ("global", "local"),
            ("scope of all spaces", "one-as scope"),
        )
    ]  # fmt: skip
    conditions = Conditions(every, USUAL)
    for _ in range(300):
        held, among = RNG.getrandbits(len(every)), RNG.getrandbits(len(every)) | 1
        said = conditions.said(held, among)
        for index, case in enumerate(every):
            if among >> index & 1:
                assert holds(said, case.values()) == bool(held >> index & 1), said
    one_as = sum(1 << n for n, case in enumerate(every) if case["width"] == "one-as scope")
    assert conditions.said(one_as, conditions.all) == "only one-as scope"
    assert conditions.said(conditions.all ^ one_as, conditions.all) == "not one-as scope"
    assert conditions.said(conditions.all, conditions.all) == ""


# ---------------------------------------------------------------- what compares them with the document


def differences(rows: dict[str, list[Cells]]) -> list[tuple[str, object, object, object]]:
    """Return what differs in the rows that a document has, of gfx942."""
    (found,) = compared(document(rows), [TABLES["gfx942"]])
    return [(e.where, e.document, e.printed, e.llc) for *_, some in found.rows for e in some if e.document != "no row"]


def changed(old: str, new: str) -> Cells:
    *keys, code = ACQUIRE
    assert any(old in line for line in code)
    return (*keys, [line.replace(old, new) for line in code])  # type: ignore[return-value]


@in_full
def test_a_row_that_says_the_same_differs_nowhere() -> None:
    assert differences({"gfx942": [ACQUIRE]}) == []


@pytest.mark.parametrize(
    ("old", "new", "where", "said"),
    [
        ("buffer_inv sc0=1", "buffer_inv sc1=1", "only tgsplit mode", ("load sc0", "wait vmcnt", "buffer_inv sc1")),
        ("If not TgSplit", "If TgSplit", "", None),
        ("flat_load  sc0=1", "flat_load", "", None),
        ("If OpenCL, omit lgkmcnt(0).", "", "only cu mode and one-as scope", ("load sc0", "wait lgkmcnt")),
    ],
)
def test_a_row_that_says_something_else_differs(old: str, new: str, where: str, said: tuple[str, ...] | None) -> None:
    found = differences({"gfx942": [changed(old, new)]})
    assert found and all(printed_ == llc != theirs for _, theirs, printed_, llc in found)
    assert said is None or [(place, theirs) for place, theirs, *_ in found] == [(where, said)]


@pytest.mark.parametrize(
    ("rows", "line", "said"),
    [
        ([changed("If OpenCL", "If Vulkan")], 29, "'if Vulkan' is not understood"),
        ([changed("If OpenCL, omit lgkmcnt(0)", "If OpenCL, omit it")], 29, "'If OpenCL, omit it.' is not understood"),
        ([changed("Ensures that", "Sees to it that")], 29, "'Sees to it that nobody errs.' is not understood"),
        ([changed("flat_load", "ds_load")], 29, "'ds_load  sc0' reaches no generic memory"),
        ([changed("buffer_inv", "buffer_drop")], 29, "'buffer_drop sc0' is not understood"),
        ([changed("lgkm/vmcnt(0)", "lgkm(0)")], 29, "' lgkm(0)' is not understood"),
        ([changed("Use lgkmcnt(0) if not", "Ensures")], 29, "nothing says which of 'lgkm/vmcnt' is waited for"),
        ([ACQUIRE, ACQUIRE], 42, "load acquire workgroup generic stands in line 29 too"),
        ([(["cmpxchg"], *ACQUIRE[1:])], 29, "'cmpxchg acquire' is no operation"),
    ],
)
def test_what_is_not_understood_is_named(rows: list[Cells], line: int, said: str) -> None:
    with pytest.raises(Unread) as refused:
        differences({"gfx942": rows})
    assert (refused.value.line, refused.value.what) == (line, said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"A page.\n", "1: there is no table of code sequences of GFX6-GFX9"),
        (b"  :name: code-sequences-gfx6-gfx9-table\n", "2: no table follows its name"),
        (b"  :name: code-sequences-gfx6-gfx9-table\n\n  == ==\n  a  b\n", "3: the table has 2 columns, not 5"),
        (b"  :name: code-sequences-gfx6-gfx9-table\n\n  == == == == ==\n", "3: the table has no end"),
        (b"\xff\n", "invalid start byte"),
        (None, "No such file or directory"),
    ],
)
def test_what_is_no_such_document_is_refused(
    content: bytes | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "usage.rst"
    if content is not None:
        path.write_bytes(content)
    assert main([str(path)]) == 2
    first = capsys.readouterr().err.partition("\n")[0]
    assert first.startswith(f"{path}:") and said in first
