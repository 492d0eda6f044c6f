"""LaTeX compiles with the packages that docs/commands.md names alone, and nothing in it is wider than a line."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.report.printers import printed
from axmem.report.printers.latex import PRINTER
from axmem.report.printers.latex_columns import Columns
from axmem.report.tree import (
    Code,
    Column,
    Document,
    Item,
    Line,
    Link,
    List,
    Paragraph,
    Program,
    Section,
    Stack,
    Strong,
    Table,
    table,
)
from tests.drawn import in_full, some
from tests.paths import CORPUS, ROOT

DOCUMENT = r"""\documentclass{article}
\usepackage{%s}
\begin{document}
\input{page.tex}
\end{document}
"""
TOO_WIDE = 1.0
"""Points by which nothing is wider than a line: a third of a millimetre is not seen."""
HOSTILE = (
    r"\input{/etc/passwd}", r"\end{verbatim}", "50% of $x$ & #1_2^3 ~ {a} [b] *c*", "a -- b --- c '' `` ?` !`",
    "\u00e9\u00fc\u00e7\u00f1 \u2200x\u2208\u03a3 \u2192 \u2026 \u4f60 \U0001f642",
    "<|>", "* star", "[b]", "\\\\", "%", "^^M",
    '"quoted"', "a_name.that-is/long:and=has+no@space" * 4, "x" * 30,
)  # fmt: skip
FAMILIES = ("base", "amdgpu", "barriers", "convergence", "kernels", "orders")


def packages() -> list[str]:
    """Return the packages that the documentation names."""
    text = " ".join((ROOT / "docs" / "commands.md").read_text(encoding="utf-8").split())
    named = re.search(r"reads that of LaTeX by `\\input`, with the packages ([^.]*)\.", text)
    assert named is not None
    return re.findall(r"`(\w+)`", named[1])


def compiled(text: str, folder: Path) -> tuple[list[str], list[float]]:
    """Return the errors of pdflatex, and by how many points lines are too wide."""
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex (Debian: texlive-latex-base and texlive-pictures)")
    (folder / "page.tex").write_text(text, encoding="utf-8")
    (folder / "document.tex").write_text(DOCUMENT % ",".join(packages()), encoding="utf-8")
    # The second run knows the widths of columns, and links.
    for _ in range(2):
        command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "document.tex"]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    said = done.stdout.decode("utf-8", errors="replace")
    wide = map(float, re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", said))
    assert (folder / "document.pdf").is_file()
    return re.findall(r"(?m)^!.*(?:\n.*){2}", said), [points for points in wide if points > TOO_WIDE]


def written(*asked: str, folder: Path) -> str:
    """Return what a command writes as LaTeX."""
    made = folder / "made.tex"
    assert main([*asked, "--format", "latex", "-o", str(made)]) == 0
    return made.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", some(["amdgpu/MP+st-rel.none+acq-ld", "base/IRIW+sc", "convergence/All+lanes"], of=3))
def test_a_page_compiles(name: str, tmp_path: Path) -> None:
    models = "llvm,amdgpu,sc,amdgpu-doc"
    text = written("page", str(CORPUS / f"{name}.litmus"), "--models", models, folder=tmp_path)
    assert compiled(text, tmp_path) == ([], [])


@pytest.mark.parametrize("family", some(FAMILIES, of=6))
@pytest.mark.parametrize("more", some([("--outcomes",), ()], of=2))
def test_a_table_of_a_suite_compiles(family: str, more: tuple[str, ...], tmp_path: Path) -> None:
    if not (CORPUS / family).is_dir():
        pytest.skip(f"the corpus has no {family}")
    text = written("table", str(CORPUS / family), "--models", "llvm,amdgpu,sc", *more, folder=tmp_path)
    assert compiled(text, tmp_path) == ([], [])


@in_full
def test_tables_of_the_lowering_compile(tmp_path: Path) -> None:
    assert compiled(written("table", "--lowering", folder=tmp_path), tmp_path) == ([], [])


def test_whatever_stands_in_a_document_compiles(tmp_path: Path) -> None:
    """Each hostile text in each place where a text can stand."""
    blocks: list[object] = []
    for text in HOSTILE:
        line: Line = (text, Code(text), Strong(text), Link(text, f"https://example.org/{text}#a%20b&c_d"))
        cells = [line, Stack((Code(text), text), (text,)), Program(f"  {text}\n\n    {text}   {text}")]
        blocks.append(Section((text, Code(text)), (
            Paragraph(line), List((Item(line, (List((Item(text),)),)),)),
            Program(f"{text}\n  {text}   {text}\n\n{text}"),
            table([text, Column(Code(text), number=True), text], [cells, cells[::-1]]), table([text], [[text], [text]]),
        )))  # fmt: skip
    document = Document(tuple(blocks), title="Hostile")  # type: ignore[arg-type]
    errors, _ = compiled(printed(document, "latex"), tmp_path)
    assert not errors


def test_no_text_is_a_command() -> None:
    for text in HOSTILE:
        for made in (PRINTER.text(text), PRINTER.code(text), "\n".join(PRINTER.program(Program(text)))):
            assert r"\input{" not in made and r"\end{verbatim}" not in made and "^^" not in made


@pytest.mark.parametrize("columns", range(1, 13))
@pytest.mark.parametrize("length", [1, 12, 60, 300])
def test_columns_share_the_line(columns: int, length: int) -> None:
    text = " ".join(["exists", "P1:r0=1"] * length)
    row = [text[: 1 + (length * number) % len(text)] for number in range(columns)]
    for cells in (row, [Stack((each,)) for each in row]):
        shares = [float(each) for each in re.findall(r"dimexpr([\d.]+)", Columns(table(row, [cells])).format)]
        assert sum(shares) <= 1 and all(share > 0 for share in shares) and len(shares) in (0, columns)


def test_a_table_that_fits_is_as_wide_as_its_texts() -> None:
    found = Table((Column("a"), Column("b", number=True)), (("x", "1"),))
    assert Columns(found).format == "lr"


@in_full
def test_what_is_too_wide_is_found(tmp_path: Path) -> None:
    """The control of the trials above."""
    errors, wide = compiled("\\noindent\\mbox{" + 90 * "x" + "}\n\n\\textquotedbl{} \\nonsense", tmp_path)
    assert len(errors) == 2 and wide
