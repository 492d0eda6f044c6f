"""Tables in every format: what stands in them, and that no text can break out of its cell.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from hypothesis import example, given, settings
from hypothesis import strategies as st

from axmem.check.results import outcomes
from axmem.cli import main
from axmem.formats.reading import parse, parse_file
from axmem.front.typing import override
from axmem.report.outcome_tables import FORMATS, OutcomeCell, OutcomeTable, TableRow, render, row_of
from axmem.report.printers.markdown import PRINTER
from tests.drawn import examples, in_full, some
from tests.paths import CORPUS

NONAV = CORPUS / "amdgpu" / "MP+st-rel.none+acq-ld.litmus"
PLAIN = CORPUS / "base" / "MP+rel+acq.litmus"
MODELS = ("llvm", "amdgpu")

NASTY = [
    "a | b",
    "*emphasis* **strong** `role` ``literal`` |sub| name_ __anon__ [1]_ <http://x.y>",
    "- item",
    "1. item",
    "(a) item",
    "A. item",
    "mix) item",
    "A write",
    "Text::",
    ".. directive:: x",
    ":field: x",
    "back\\slash \\",
    "<b>&amp;</b>",
    "$x^2$ #1 50% {a} ~ \"q\"",
    "+ plus",
    "=====",
    "",
]  # fmt: skip


def table_of(*paths: Path) -> OutcomeTable:
    tests = [parse_file(p) for p in paths]
    return OutcomeTable(MODELS, tuple(row_of(t, [outcomes(t, m) for m in MODELS]) for t in tests))


@pytest.fixture(scope="module")
def found() -> OutcomeTable:
    return table_of(PLAIN, NONAV)


def nasty(text: str) -> OutcomeTable:
    cell = OutcomeCell(
        "never", "weaker", False, (("P1:r0=1  P1:r1=undef", True), ("x=0", False)), (text,) if text else ()
    )
    return OutcomeTable(("llvm",), (TableRow("family", "MP+rel+acq", text, r"exists (x=1 /\ y=1)", (cell,)),))


# ---------------------------------------------------------------- reStructuredText


def rst_cells(text: str) -> list[list[str]]:
    """Parse a table with docutils, every complaint an error, and return the text of its cells."""
    document = publish_doctree(text, settings_overrides={"halt_level": 2, "report_level": 1, "warning_stream": False})
    rows = document.findall(nodes.row)
    return [[" ".join(entry.astext().split()) for entry in row.findall(nodes.entry)] for row in rows]


@pytest.mark.parametrize("show", ["verdicts", "outcomes"])
def test_rst_parses_without_complaint(found: OutcomeTable, show: str) -> None:
    head, plain, nonav = rows = rst_cells(render(found, "rst", show))
    if show == "outcomes":
        programs = [row.pop(2) for row in rows]
        assert programs[0] == "Program" and "thread P1 @ agent 0, workgroup 1 {" in programs[2]
    assert head == ["Test", "What it shows", "Condition", "llvm", "amdgpu"]
    assert plain[0] == "MP+rel+acq" and plain[2] == r"exists (P1:r0=1 /\ P1:r1=0)"
    assert nonav[3].startswith("never") and nonav[4].startswith("sometimes (weaker)")
    assert ("P1:r0=1 P1:r1=undef (new)" in nonav[4]) == (show == "outcomes")


@given(st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=40))
@example("a`")
@settings(max_examples=examples(150))
def test_no_description_is_markup_in_rst(text: str) -> None:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    row = rst_cells(render(nasty(line), "rst", "outcomes"))[1]
    assert row[1] == line


@pytest.mark.parametrize("text", NASTY)
def test_nasty_texts_in_rst(text: str) -> None:
    row = rst_cells(render(nasty(text), "rst", "outcomes"))[1]
    assert row[1] == text and row[0] == "MP+rel+acq"
    assert row[4] == " ".join(f"never (weaker) {text} P1:r0=1 P1:r1=undef x=0 (new)".split())


@in_full
def test_the_whole_corpus_parses_as_rst() -> None:
    text = (CORPUS.parent.parent / "results" / "outcomes.rst").read_text(encoding="utf-8")
    assert len(rst_cells(text)) > 200


# ---------------------------------------------------------------- HTML, Markdown, LaTeX


class Cells(HTMLParser):
    """The cells of a table, line breaks as spaces, and the elements that occur."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.elements: set[str] = set()

    @override
    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag == "br":
            self.rows[-1][-1] += " "

    @override
    def handle_data(self, data: str) -> None:
        if data.strip() and self.rows:
            self.rows[-1][-1] += data


@pytest.mark.parametrize("text", NASTY)
def test_html_is_escaped(text: str) -> None:
    cells = Cells()
    cells.feed(render(nasty(text), "html", "outcomes"))
    assert cells.rows[1][1] == text
    known = {"table", "thead", "tbody", "tr", "th", "td", "code", "strong", "br", "ul", "li", "style", "div"}
    assert cells.elements <= known


@pytest.mark.parametrize(
    ("form", "item"),
    [
        ("rst", "* ``P1:r0=1\u00a0\u00a0P1:r1=undef``\n"),
        ("markdown", "<li>`P1:r0=1\u00a0\u00a0P1:r1=undef`</li>"),
        ("html", "<li><code>P1:r0=1\u00a0\u00a0P1:r1=undef</code></li>"),
    ],
)
def test_an_outcome_is_one_item_in_which_no_line_is_broken(form: str, item: str) -> None:
    assert item in render(nasty("a"), form, "outcomes")


def test_html_has_a_style_for_the_screen_the_dark_and_paper() -> None:
    text = render(nasty("a"), "html")
    style, table = text.split("</style>\n")
    assert "prefers-color-scheme: dark" in style and "@media print" in style and "white-space: nowrap" in style
    assert table.startswith('<div class="axmem-wide"><table class="axmem">')


@pytest.mark.parametrize("text", NASTY)
def test_a_markdown_row_keeps_its_columns(text: str) -> None:
    head, rule, row, end = render(nasty(text), "markdown", "outcomes").split("\n")
    assert (head, rule, end) == ("| Test | What it shows | Condition | llvm |", "| --- | --- | --- | --- |", "")
    cells = [c.strip() for c in re.split(r"(?<!\\)(?:\\\\)*\|", row)][1:-1]
    assert len(cells) == 4
    assert re.sub(r"\\(.)", r"\1", cells[1]) == text


@pytest.mark.parametrize(
    ("text", "code"), [("a", "`a`"), ("a|b", "`a\\|b`"), ("a`b", "`` a`b ``"), ("``", "``` `` ```")]
)
def test_code_in_markdown(text: str, code: str) -> None:
    assert PRINTER.code(text) == code


def test_text_in_markdown() -> None:
    assert PRINTER.text("a_b*c|d<e>") == r"a\_b\*c\|d\<e\>"


@pytest.mark.parametrize("text", NASTY)
def test_latex_has_no_raw_specials(text: str) -> None:
    out = render(nasty(text), "latex", "outcomes")
    row = next(line for line in out.splitlines() if "MP+rel+acq" in line)
    plain = row.replace(r"\\", "").replace(r"\&", "").replace(r"\#", "").replace(r"\%", "").replace(r"\$", "")
    assert plain.count("&") == 3 and not re.search(r"[#%$~^]", plain)
    assert row.count("{") == row.count("}")
    assert "\\begin{longtable}{" in out and "\\end{longtable}\n" in out


# ---------------------------------------------------------------- CSV and JSON


def test_csv(found: OutcomeTable) -> None:
    head, plain, nonav = csv.reader(io.StringIO(render(found, "csv", "outcomes")))
    assert head[:4] == ["Family", "Test", "What it shows", "Condition"]
    assert head[4:] == ["llvm", "llvm outcomes", "amdgpu", "amdgpu against llvm", "amdgpu outcomes"]
    assert plain[:2] == ["base", "MP+rel+acq"] and plain[7] == "same"
    assert nonav[6:] == ["sometimes", "weaker", "P1:r0=0  P1:r1=undef; P1:r0=1  P1:r1=undef"]


@pytest.mark.parametrize("text", NASTY)
def test_csv_quotes(text: str) -> None:
    _, row = csv.reader(io.StringIO(render(nasty(text), "csv")))
    assert row == ["family", "MP+rel+acq", text, r"exists (x=1 /\ y=1)", "never"]


def test_json(found: OutcomeTable) -> None:
    document = json.loads(render(found, "json", "outcomes"))
    assert document["models"] == ["llvm", "amdgpu"]
    llvm, amdgpu = document["tests"][1]["results"]
    assert (llvm["relation"], amdgpu["relation"]) == (None, "weaker")
    assert amdgpu["outcomes"] == ["P1:r0=0  P1:r1=undef", "P1:r0=1  P1:r1=undef"]
    assert "outcomes" not in json.loads(render(found, "json"))["tests"][0]["results"][0]


# ---------------------------------------------------------------- rows and the command


def test_a_description_is_one_line() -> None:
    test = parse('litmus T\n"one \\0A two\\01"\nglobal x = 0\nthread P0 {\n  r0 = load x\n}\nexists (P0:r0=0)\n')
    assert row_of(test, [outcomes(test, "llvm")]).description == "one two"


def test_undefined_behaviour_is_noted() -> None:
    row = table_of(CORPUS / "base" / "Undef+branch.litmus").rows[0]
    assert row.cells[0].verdict == "undefined" and "branch on undef" in row.cells[0].notes


@pytest.mark.parametrize("format_", some(sorted(FORMATS), of=3))
def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path, found: OutcomeTable, format_: str) -> None:
    arguments = ["table", str(PLAIN), str(NONAV), "--format", format_, "--outcomes"]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed == render(found, format_, "outcomes")
    assert main([*arguments, "-o", str(tmp_path / "t"), "-j", "2"]) == 0
    assert (tmp_path / "t").read_text(encoding="utf-8") == printed
    assert [p.name for p in tmp_path.iterdir()] == ["t"]


def test_any_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", str(PLAIN), "--models", "sc,amdgpu[coh=langref],llvm", "--format", "csv"]) == 0
    head = capsys.readouterr().out.splitlines()[0]
    assert head.endswith("sc,amdgpu[coh=langref],amdgpu[coh=langref] against sc,llvm,llvm against sc")


def test_errors(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["table", str(tmp_path / "none"), "--format", "csv"]) == 2
    assert "no such file" in capsys.readouterr().err
    assert main(["table", str(PLAIN), "-o", str(tmp_path / "no" / "t")]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert main(["table", str(PLAIN), "--results", str(tmp_path)]) == 2
    assert "one directory" in capsys.readouterr().err


def test_results_of_what_cannot_be_read_or_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "latin.litmus").write_bytes(b"litmus caf\xe9\n")
    assert main(["table", str(corpus), "--results", str(tmp_path / "results")]) == 2
    message = capsys.readouterr().err
    assert "latin.litmus" in message and "this file is not UTF-8 (byte 10)" in message
    (corpus / "latin.litmus").write_bytes(b"litmus cafe\n  loda x\n")
    assert main(["table", str(corpus), "--results", str(tmp_path / "results")]) == 2
    assert "latin.litmus:2:3: error:" in capsys.readouterr().err
    (corpus / "latin.litmus").write_bytes(PLAIN.read_bytes())
    (tmp_path / "results").write_text("a file", encoding="utf-8")
    assert main(["table", str(corpus), "--results", str(tmp_path / "results")]) == 2
    assert "cannot write here" in capsys.readouterr().err
