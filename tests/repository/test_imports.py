"""No import hides in a string: what is imported by name is an import statement, which the contracts on imports see."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT

COMPUTED = {
    "axmem/__init__.py",
    "axmem/cli.py",
    "axmem/formats/reading.py",
    "axmem/front/extras.py",
    "axmem/playground/answers.py",
    "axmem/report/formats.py",
    "axmem/report/printers/__init__.py",
}
"""Where the name of a module is computed, by what is asked for: these say so where they import `import_module`."""


def sources() -> Iterator[Path]:
    """Yield the files of the package, each once: `rglob` follows no link."""
    for room in sorted(path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"):
        yield from sorted(room.rglob("*.py"))


def hidden(text: str) -> Iterator[str]:
    """Yield the imports of a text that are no import statements, as they stand there."""
    if not any(name in text for name in ("import_module", "__import__")):
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Constant(), *_]):
                if name in ("import_module", "__import__"):
                    yield ast.unparse(node)
            case ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module" | "__import__"):
                yield ast.unparse(node)


def test_no_import_hides() -> None:
    found = {path.relative_to(ROOT).as_posix(): list(hidden(path.read_text(encoding="utf-8"))) for path in sources()}
    assert len(found) > 400
    literal = {path: calls for path, calls in found.items() if any("(" in call for call in calls)}
    assert not literal
    assert {path for path, calls in found.items() if calls} == COMPUTED


@pytest.mark.parametrize(
    "text",
    [
        "from importlib import import_module\nimport_module('axmem.litmus')",
        "import importlib\nimportlib.import_module('axmem.litmus').words",
        "__import__('axmem.litmus')",
        "import importlib\nload = importlib.import_module\nload('axmem.litmus')",
    ],
)
def test_what_hides_is_found(text: str) -> None:
    assert list(hidden(text))
