"""The public interface: its page's examples, its names, and that it is typed."""

from __future__ import annotations

import doctest
import inspect
import pkgutil
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import axmem

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
FUNCTIONS = ("compare", "diff", "explain", "lower", "outcomes", "refine", "repair", "verify")


def test_the_examples_of_the_page_print_what_it_shows() -> None:
    text = re.sub(r"^```(python)?$", "", PAGE, flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, "api.md", "docs/api.md", 0)
    assert len(examples.examples) > 20
    said: list[str] = []
    assert doctest.DocTestRunner().run(examples, out=said.append).failed == 0, "".join(said)


def test_every_public_name_is_there_and_on_the_page() -> None:
    for name in axmem.__all__:
        assert getattr(axmem, name).__doc__
        assert re.search(rf"\b{name}\b", PAGE), name


def test_the_site_has_every_public_name() -> None:
    site = (ROOT / "docs" / "python.rst").read_text(encoding="utf-8")
    assert set(re.findall(r"^\.\. auto(?:function|class):: (\w+)$", site, re.MULTILINE)) == set(axmem.__all__)


def test_the_page_names_the_options_of_every_function() -> None:
    """After the main arguments everything is given by name."""
    for name in FUNCTIONS:
        parameters = inspect.signature(getattr(axmem, name)).parameters.values()
        (shown,) = re.findall(rf"`{name}\(([^`]*)\)`", PAGE)
        words = [word.split("=")[0] for word in re.split(r",\s+", shown)]
        kinds = [p.kind for p in parameters]
        assert words[: words.index("*")] == [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD], name
        assert words[words.index("*") + 1 :] == [p.name for p in parameters if p.kind is p.KEYWORD_ONLY], name
        assert inspect.Parameter.VAR_KEYWORD not in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds


def test_no_module_has_the_name_of_a_public_name() -> None:
    """Importing a module of the package would hide the public name behind it."""
    modules = {module.name for module in pkgutil.iter_modules(axmem.__path__)}
    assert {"litmus", "explanations", "cli"} <= modules and not modules & set(axmem.__all__)


def test_nothing_is_imported_before_it_is_used() -> None:
    program = (
        "import sys, axmem\n"
        "loaded = {name for name in sys.modules if name.startswith('axmem.')}\n"
        "assert loaded == {'axmem.front', 'axmem.front.version'}, loaded\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_the_package_says_that_it_is_typed() -> None:
    assert resources.files("axmem").joinpath("py.typed").is_file()
