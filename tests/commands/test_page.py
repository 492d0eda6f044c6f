"""`axmem doc page`: programs, outcomes under any models, reasons with links, pictures.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
from pathlib import Path

import docutils.core
import pytest

from axmem.cli import main
from tests.drawn import in_full
from tests.paths import CORPUS

PASSING = CORPUS / "base" / "MP+rel+acq.litmus"
PLAIN = """litmus Plain
"No synchronization, so that the read is a race."
global i32 x = 0
thread P0 @ agent 0, workgroup 1 {
  store 1, x
}
thread P1 @ agent 1, workgroup 0 {
  r0 = load x
}
exists (P1:r0=7)
"""
HOSTILE = """litmus Hostile
"</script><img src=q onerror=alert(1)>"
global i32 x = 0
thread P0 {
  store 1, x
}
thread P1 {
  r0 = load x
}
exists (P1:r0=1)
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "test.litmus"
    path.write_text(text, encoding="utf-8")
    return path


def paged(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["page", *map(str, words)]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_a_page_of_html_has_everything_inside(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = paged(capsys, written(tmp_path, PLAIN), "--models", "llvm,amdgpu,amdgpu-doc", "--format", "html")
    assert "thread P0 @ agent 0, workgroup 1" in page
    assert page.count("<svg") == 1
    for model in ("llvm", "amdgpu", "amdgpu-doc"):
        assert f"<code>{model}</code>" in page
    # Undef is equal to any value: the verdict says that it holds of nothing else.
    assert page.count("only undef satisfies the condition") == 3
    assert "returns undef by several-writes" in page
    assert "returns undef by unordered-write" in page
    assert 'href="https://llvm.org/docs/LangRef.html#memory-model-for-concurrent-operations"' in page


@in_full
def test_a_picture_is_a_file_beside_the_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for form, ending in (("myst", "md"), ("rst", "rst"), ("markdown", "md")):
        folder = tmp_path / form
        paged(capsys, PASSING, "--format", form, "-o", f"{folder}/", "--title", "A page")
        page = (folder / f"index.{ending}").read_text(encoding="utf-8")
        (picture,) = folder.glob("*.svg")
        assert picture.name in page
        assert ">hb<" in picture.read_text(encoding="utf-8")
        assert "A page" in page
        if form == "rst":
            settings = {"report_level": 2, "halt_level": 2}
            docutils.core.publish_string(page, writer="null", settings_overrides=settings)


def test_the_columns_are_those_of_the_models(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    models = "amdgpu,amdgpu[vis.instance=literal],sc"
    paged(capsys, PASSING, "--models", models, "--format", "myst", "-o", f"{tmp_path}/page/")
    page = (tmp_path / "page" / "index.md").read_text(encoding="utf-8")
    (head,) = (line for line in page.splitlines() if "`P1:r1` |" in line)
    assert re.findall("`([^`]+)`", head) == ["P1:r0", "P1:r1", *models.split(",")]
    (row,) = (line for line in page.splitlines() if line.startswith("| `0` | `1` |"))
    assert row == "| `0` | `1` | \u2014 | \u2014 | permitted |"


def test_relations_and_addresses_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--format", "html", "--show", "rf", "--models", "amdgpu", "--specification", "AMDGPU-MM=model.html")
    page = paged(capsys, PASSING, *words)
    assert 'href="model.html#location-order"' in page
    assert ">sw synchronizes" not in page
    assert "hb happens before" not in page


def test_what_a_test_says_is_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = paged(capsys, written(tmp_path, HOSTILE), "--format", "html")
    assert "&lt;/script&gt;&lt;img" in page
    assert "<img" not in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "pictures are files beside the page"),
        (["--format", "rst", "-o", "page.rst"], "pictures are files beside the page"),
        (["--format", "html", "--specification", "AMDGPU-MM"], "an address is KEY=URL"),
        (["--format", "html", "--specification", "X=javascript:alert(1)"], "begins with http"),
        (["--format", "html", "--show", "rf,hbb"], "llvm has no relation 'hbb'"),
        (["--format", "html", "--models", "llvn"], "unknown model 'llvn'"),
    ],
)
def test_wrong_options(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["page", str(PASSING), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_file_that_is_there_is_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kept = tmp_path / "index.md"
    kept.write_text("mine", encoding="utf-8")
    assert main(["page", str(PASSING), "-o", f"{tmp_path}/"]) == 2
    assert kept.read_text(encoding="utf-8") == "mine"
    assert not list(tmp_path.glob("*.svg"))
    assert main(["page", str(PASSING), "-o", f"{tmp_path}/", "--force"]) == 0


def test_two_tests_of_one_name_have_a_picture_each(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Of the second the condition is another, so that it is another picture."""
    first, second = tmp_path / "a.litmus", tmp_path / "b.litmus"
    first.write_text(PLAIN, encoding="utf-8")
    second.write_text(PLAIN.replace("exists (P1:r0=7)", "exists (P1:r0=undef)"), encoding="utf-8")
    paged(capsys, first, second, "--models", "llvm", "-o", f"{tmp_path}/page/")
    names = sorted(path.name for path in (tmp_path / "page").glob("*.svg"))
    assert names == ["Plain.llvm.1.svg", "Plain.llvm.2.svg"]
    page = (tmp_path / "page" / "index.md").read_text(encoding="utf-8")
    assert all(page.count(name) == 1 for name in names)
    inside = paged(capsys, first, second, "--models", "llvm", "--format", "html")
    anchors = re.findall(r' id="([^"]+)"', inside)
    assert len(anchors) == len(set(anchors)) and {"test-plain", "test-plain-2"} <= set(anchors)
