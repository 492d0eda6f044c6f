"""No file outside tests/ has more than 400 lines, but tables, which are read row by row."""

from __future__ import annotations

from tests.paths import ROOT

MOST = 400
TABLES = frozenset({"litmus/syntax.py"})
"""The records of the tree."""
ROOMS = ("axmem", "benchmarks", "codegen", "convergence", "encoder", "events", "litmus", "model", "transform")
ENDS = {".py", ".cat", ".toml", ".proof"}
PAGE = ("index.html", "style.css", "build.py", "compile.mjs", "src/*.js")


def test_files_are_short() -> None:
    paths = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in ENDS]
    paths += [path for name in PAGE for path in (ROOT / "playground").glob(name)]
    assert len(paths) > 500
    lengths = {path.resolve().relative_to(ROOT).as_posix(): len(path.read_bytes().splitlines()) for path in paths}
    assert {name for name, length in lengths.items() if length > MOST} == TABLES
