"""What `axmem lower` and `axmem doc table --lowering` print, word for word.

Each case runs in `goldens/lower/inputs` and is compared with a file of `goldens/lower`.
`AXMEM_UPDATE_GOLDENS=1 pytest tests/codegen/test_lowering_command.py` writes the files anew.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from docutils.core import publish_doctree

from axmem.cli import main
from axmem.commands.pages.lowering_tables import write_pages
from axmem.front.source import InputError
from tests.drawn import in_full
from tests.golden import compare_command
from tests.paths import GOLDENS

FOLDER = GOLDENS / "lower"
INPUTS = FOLDER / "inputs"

CASES = {
    "text": "lower MP.litmus --target gfx942",
    "text-two": "lower MP.litmus Visible.litmus --target gfx1030 --mode cu",
    "llvm-22": "lower MP.litmus --target gfx1250 --profile llvm-22",
    "divergent": "lower Visible.litmus --target gfx1200 --divergent",
    "rst": "lower MP.litmus --target gfx90a --target gfx1100 --format rst",
    "markdown": "lower MP.litmus --target gfx90a --target gfx1100 --format markdown",
    "html": "lower Visible.litmus --target gfx90a --target gfx1100 --format html",
    "json": "lower Visible.litmus --target gfx1250 --format json",
    "svg": "lower MP.litmus --target gfx942 --target gfx12 --format svg",
    "error-target": "lower MP.litmus --target gfx943",
    "error-mode": "lower MP.litmus --target gfx942 --mode wgp",
    "error-all-modes": "lower MP.litmus --target all --mode cu",
    "error-profile": "lower MP.litmus --target gfx942 --profile llvm22",
    "error-lacks": "lower MP.litmus Visible.litmus --target gfx803",
    "error-later": "lower Visible.litmus --target gfx942 --profile llvm-22",
    "error-file": "lower Nowhere.litmus --target gfx942",
    "error-table": "table MP.litmus --lowering",
    "error-table-format": "table --lowering --format csv",
    "error-table-paths": "table",
    "error-profile-of-table": "table --lowering --profile llvm-99",
    "error-profile-without-lowering": "table MP.litmus --profile llvm-22",
    "error-layout": "table --layout amdgpu-usage",
    "error-layout-unknown": "table --lowering --layout isa",
    "error-layout-format": "table --lowering --layout amdgpu-usage --format html",
    "error-layout-results": "table --lowering --layout amdgpu-usage --results out",
    "error-reasons": "table --lowering --reasons",
}


@pytest.mark.parametrize("name", CASES)
def test_prints(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command prints what its golden file says."""
    monkeypatch.chdir(INPUTS)
    monkeypatch.setenv("COLUMNS", "100")
    compare_command(CASES[name], FOLDER / f"{name}.txt", capsys)


def test_no_golden_is_forgotten() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CASES)


def output(arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments.split()) == 0
    return capsys.readouterr().out


def test_all_targets_stand_side_by_side(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A target that is named twice has one column."""
    test = tmp_path / "plain.litmus"
    test.write_text("litmus plain\nglobal x = 0\nthread P0 {\n  store 1, x\n}\n", encoding="utf-8")
    head = output(f"lower {test} --target gfx10 --target all --format markdown", capsys).splitlines()[0]
    assert head.startswith("| Thread | Line | Source | gfx10 | gfx6 | gfx7 | gfx9 | gfx90a | gfx90a-tgsplit |")
    assert head.endswith("| gfx942-tgsplit | gfx10-cu | gfx11 | gfx11-cu | gfx12 | gfx12-cu | gfx1250 |")


def test_the_picture_is_well_formed(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(f"lower {INPUTS / 'MP.litmus'} --target gfx942 --target gfx1250 --format svg", capsys)
    picture = ElementTree.fromstring(text)
    width = int(picture.attrib["width"])
    boxes = [e for e in picture.iter("{http://www.w3.org/2000/svg}rect") if "x" in e.attrib]
    assert len(boxes) == 4
    assert all(int(box.attrib["x"]) + int(box.attrib["width"]) <= width for box in boxes)
    assert "<title>buffer_inv: makes visible to later loads" in text


@in_full
def test_a_table_of_all_operations_in_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    rst = output("table --lowering --format rst", capsys)
    first = rst[: rst.index("GFX7 and GFX8\n=")]
    publish_doctree(first, settings_overrides={"report_level": 2, "halt_level": 2})
    html = output("table --lowering --format html", capsys)
    assert html.count("<table ") == html.count("</table>") == rst.count(".. list-table::")
    document = json.loads(output("table --lowering --format json", capsys))
    assert [family["family"] for family in document["families"]][-2:] == ["gfx12", "gfx1250"]
    assert output("table --lowering --format markdown", capsys).count("\n## ") == sum(
        len(family["tables"]) for family in document["families"]
    )


def test_pages_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "lowering").write_text("a file")
    with pytest.raises(InputError, match="cannot write here"):
        write_pages(tmp_path, "llvm-24")
