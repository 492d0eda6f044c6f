"""The extension of Sphinx and the lexers of Pygments: what pages show of tests, in reStructuredText and MyST.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from pygments.token import Error
from sphinx.application import Sphinx

from axmem.commands.pygments_lexers import CatLexer, LitmusLexer
from tests.drawn import some
from tests.paths import CORPUS_TESTS, ROOT

CONFIGURATION = 'extensions = ["myst_parser", "axmem.commands.sphinx_directives"]\nproject = "pages"\n'
PAGE = """
Tests
=====

.. axmem-outcomes:: MP.litmus
   :models: llvm,amdgpu
   :program:

.. axmem-execution:: @corpus/amdgpu/MP+st-rel.none+acq-ld.litmus
   :show: rf,hb

.. toctree::

   second
"""
MYST = """
# Second

```{axmem-outcomes}
:models: amdgpu[vis.instance=literal]

litmus own
"Shows `*what*` <script>alert(1)</script>"
global x = 0
thread P0 { store atomic 1, x monotonic }
exists (x=1)
```
"""


def built(folder: Path, builder: str, **pages: str) -> tuple[dict[str, str], str]:
    """Build pages of a folder; return what was written for each, and the warnings."""
    (folder / "conf.py").write_text(CONFIGURATION, encoding="utf-8")
    (folder / "MP.litmus").write_text(
        (ROOT / "litmus/corpus/amdgpu/MP+st-rel.none+acq-ld.litmus").read_text(encoding="utf-8"), encoding="utf-8"
    )
    for name, text in pages.items():
        suffix = "md" if text.startswith("\n# ") else "rst"
        (folder / f"{name}.{suffix}").write_text(text, encoding="utf-8")
    out, warnings = folder / "out" / builder, StringIO()
    Sphinx(folder, folder, out, out / "doctrees", builder, status=None, warning=warnings).build()
    ending = {"html": "html", "text": "txt"}[builder]
    # A second application in one process warns of the nodes that the first has registered.
    said = re.sub(r"\x1b\[[\d;]*m", "", warnings.getvalue())
    kept = [line for line in said.splitlines() if line and "is already registered" not in line]
    return {name: (out / f"{name}.{ending}").read_text(encoding="utf-8") for name in pages}, "\n".join(kept)


def test_pages_show_outcomes_and_executions(tmp_path: Path) -> None:
    pages, warnings = built(tmp_path, "html", index=PAGE, second=MYST)
    assert warnings == ""
    index = re.sub(r"<[^>]+>", "", pages["index"].split("<svg")[0]).replace("\xa0", " ")
    assert "store atomic 1, f" in index and "amdgcn-av:none" in index
    assert "never" in index and "sometimes" in index and "P1:r0=1  P1:r1=undef" in index
    assert pages["index"].count("<svg ") == 1 and "Graphviz" not in pages["index"]
    assert "always" in pages["second"] and "amdgpu[vis.instance=literal]" in pages["second"]


def test_what_a_test_says_is_no_markup(tmp_path: Path) -> None:
    pages, _ = built(tmp_path, "html", index=PAGE, second=MYST)
    assert "<script>alert" not in pages["second"] and "&lt;script&gt;alert(1)" in pages["second"]
    assert "`*what*`" in pages["second"]


def test_builders_without_pictures_have_the_execution_as_text(tmp_path: Path) -> None:
    pages, warnings = built(tmp_path, "text", index=PAGE, second=MYST)
    assert warnings == "" and "<svg" not in pages["index"]
    assert re.search(r"C +R\[acquire agent\] f=1 +from B", pages["index"])


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        (
            ".. axmem-outcomes::\n\n   litmus bad\n   thread P0 { r0 = load x }\n",
            "no location or register is named 'x'",
        ),
        (".. axmem-outcomes:: none.litmus\n", "there is no test 'none.litmus'"),
        (".. axmem-outcomes:: @corpus/none.litmus\n", "nothing that comes with axmem has this name"),
        (".. axmem-outcomes:: MP.litmus\n   :models: amdgup\n", "amdgup"),
        (".. axmem-outcomes::\n", "takes a test as its content, or the path of one as its argument"),
        (".. axmem-execution:: MP.litmus\n   :model: llvm,amdgpu\n", "draws an execution of one model"),
        (".. axmem-execution:: MP.litmus\n   :outcome: P1:r9=1\n", "r9"),
    ],
)
def test_mistakes_are_errors_of_the_build(directive: str, message: str, tmp_path: Path) -> None:
    _, warnings = built(tmp_path, "html", index=f"T\n=\n\n{directive}")
    assert "index.rst:4: ERROR: " in warnings and message in warnings and "Traceback" not in warnings


def test_lexers_know_every_word_of_the_corpus_and_of_the_models() -> None:
    for path in (*some(CORPUS_TESTS), *sorted((ROOT / "model").rglob("*.cat"))):
        text = path.read_text(encoding="utf-8")
        lexer = CatLexer() if path.suffix == ".cat" else LitmusLexer()
        tokens = list(lexer.get_tokens(text))
        assert "".join(value for _, value in tokens).strip() == text.strip()
        assert [value for kind, value in tokens if kind is Error] == [], path.name


def test_pygments_finds_the_lexers_by_name() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = project[project.index('[project.entry-points."pygments.lexers"]') :].split("\n\n")[0]
    assert '"axmem.commands.pygments_lexers:LitmusLexer"' in section
    assert '"axmem.commands.pygments_lexers:CatLexer"' in section
    assert LitmusLexer.aliases == ["litmus"] and CatLexer.aliases == ["cat-model"]
