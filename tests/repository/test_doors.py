"""How many modules of a room others import, its doors, and how many rooms import which: both may become fewer."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.paths import ROOT
from tests.repository.test_imports import sources

DOORS = {
    "check": 14, "codegen": 10, "convergence": 16, "editor": 3, "encoder": 27, "events": 12, "explanations": 7,
    "formats": 11, "front": 20, "generate": 2, "litmus": 46, "mapping": 15, "model": 21, "passes": 8, "playground": 2,
    "refinement": 30, "repairs": 6, "report": 29, "transform": 17,
}  # fmt: skip
"""So many modules of each room others may import; who needs fewer lowers it."""
ARROWS = 125
"""So many pairs of rooms there may be of which the first imports the second."""
PARTS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where statements have statements."""


def room_of(path: Path) -> str:
    """Return the room of a file: a folder at the top, or in axmem/; "" of a file beside the rooms."""
    parts = path.relative_to(ROOT).parts
    parts = parts[1:] if parts[0] == "axmem" else parts
    return parts[0] if len(parts) > 1 else ""


@cache
def modules(room: str) -> set[str]:
    """Return the modules and folders of a room."""
    return {each.stem for folder in (ROOT, ROOT / "axmem") for each in (folder / room).glob("*")}


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements below a node, of which expressions have none."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        inner = (each for field in PARTS for each in getattr(node, field, ()))
        waiting += (each for each in inner if isinstance(each, ast.stmt | ast.excepthandler | ast.match_case))
        yield node


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the rooms and modules that a file imports; what a room has itself is of its `__init__`."""
    for node in statements(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            short = node.module.count(".") == 1  # Of a room its modules are imported, or what it has itself.
            names = [f"{node.module}.{each.name}" for each in node.names] if short else [node.module]
        for name in names:
            package, room, module = [*name.split("."), "", ""][:3]
            if package == "axmem" and room:
                yield room, module if module in modules(room) else "__init__"


@cache
def found() -> tuple[dict[str, set[str]], set[tuple[str, str]]]:
    """Return the modules of each room that others import, and the pairs of rooms."""
    rooms = {room_of(path) for path in sources()} - {""}
    doors: dict[str, set[str]] = defaultdict(set)
    arrows: set[tuple[str, str]] = set()
    for path in sources():
        here = room_of(path)
        for room, module in imported(ast.parse(path.read_text(encoding="utf-8"))):
            if room in rooms and room != here:
                doors[room].add(module)
                arrows |= {(here, room)} if here else set()
    return doors, arrows


def test_rooms_have_no_more_doors() -> None:
    doors, _ = found()
    assert set(doors) == set(DOORS)
    assert not {room: sorted(modules) for room, modules in doors.items() if len(modules) > DOORS[room]}


def test_no_more_rooms_import_each_other() -> None:
    assert len(found()[1]) <= ARROWS


def test_what_is_imported_is_found() -> None:
    text = "import axmem.litmus.parser\nfrom axmem.model import library\nfrom axmem.front.source import mistake\n"
    assert set(imported(ast.parse(text))) == {("litmus", "parser"), ("model", "library"), ("front", "source")}
