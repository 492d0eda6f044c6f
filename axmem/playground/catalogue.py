"""What the page offers to choose from: tests, models with their readings, targets, and the words of the languages.

What goes in: nothing, or the label of a model. What comes out: plain data. `make playground` writes the catalogue into
a file of the page, which so has its menus before the checker is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axmem.codegen.tables import families
from axmem.editor.words import words
from axmem.formats.forms import FORMS
from axmem.front.shipped import shipped_files
from axmem.front.version import __version__
from axmem.model.library import load, names, written
from axmem.playground.link import LONGEST, TABS

IR = "llvm-ir"
"""The form whose words are coloured apart; the page tells it by the lines that only it has."""
TESTS = (".litmus", ".ll", ".test")
"""What the names of files that the editor takes end with."""


def catalogue() -> dict[str, Any]:
    """Return all there is to choose from, with the texts of the tests, and what the page has to know of links."""
    tests = {name: path.read_text(encoding="utf-8") for name, path in shipped_files().items() if name.endswith(TESTS)}
    return {
        "version": __version__,
        "longest": LONGEST,
        "tabs": TABS,
        "tests": tests,
        "models": [_model(name) for name in names()],
        "targets": sorted({name for family in families().values() for name in family.targets}),
        "words": words(),
        "ir": next(form.line for form in FORMS if form.key == IR),
    }


def _model(name: str) -> dict[str, Any]:
    found = load(name)
    readings = [
        {"name": v.name, "values": list(v.values), "default": v.default, "decides": v.text}
        for v in sorted(found.variants, key=lambda v: v.name)
    ]
    return {"name": found.name, "title": found.title, "readings": readings}


def text_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the text of a model, as one file."""
    return {"text": written(str(request["name"]))}
