"""Docstrings, comments and pages name modules, files and functions that there are: renaming leaves none behind.

What goes in: the docstrings and comments of every module, and every page that is not generated. What a page says of
other projects, and of files that a user makes, is in `ELSEWHERE`. A failure prints the place and the name.
"""

from __future__ import annotations

import ast
import io
import os
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.paths import ROOT

ROOMS = ("axmem", "benchmarks", "codegen", "convergence", "docs", "editors", "encoder", "events", "litmus", "model",
         "playground", "results", "tests", "transform")  # fmt: skip
"""The folders at the top."""
PATH = re.compile(rf"(?<![\w/.@:~-])((?:{'|'.join(ROOMS)})/[\w./+-]*\w)")
MODULE = re.compile(r"\baxmem((?:\.[a-z_]\w*)+)")
FILE = re.compile(r"(?<![\w/.{*-])([a-z_][\w/]*\.py)\b")
NAME = re.compile(r"`([A-Za-z]\w*)(?:\(\))?`")
PLACEHOLDER = re.compile(r"(?<![A-Z+])[A-Z]{4,}(?![A-Z+])")
"""A part of a name that stands for any, such as `NAME.cat`."""
ELSEWHERE = {
    "axmem.sarif", "axmem.toml", "axmem.vsix", "axmem.cdx.json", "axmem.command", "benchmarks/opencl",
    "codegen/ir_", "convergent_unroll_22", "ds_atomic", "tests/MP.litmus", "VisitorC11", "lit.cfg.py",
}  # fmt: skip
"""What is no name of ours: files that a user makes, beginnings of names, and what other projects have."""


def tracked() -> Iterator[Path]:
    """Yield the files of the repository: no link is followed, no folder that begins with a point is looked at."""
    for top in sorted(path for path in ROOT.iterdir() if path.name in ROOMS or path.suffix == ".md"):
        if top.is_file():
            yield top
        for folder, inner, names in os.walk(top):
            inner[:] = [each for each in inner if not each.startswith((".", "__pycache__", "node_modules", "build"))]
            yield from (Path(folder, name) for name in sorted(names))


@cache
def files() -> tuple[str, ...]:
    return tuple(str(path.relative_to(ROOT)) for path in tracked())


@cache
def prose(name: str) -> tuple[tuple[int, str], ...]:
    """Return the docstrings and comments of a module, with their lines."""
    return tuple(said_in((ROOT / name).read_text(encoding="utf-8")))


def said_in(text: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


@cache
def words_of_code() -> frozenset[str]:
    """Return the names that occur outside docstrings, comments and pages: in code, in strings, in models and tables."""
    found: set[str] = set()
    for name in files():
        if name.endswith((".py", ".cat", ".toml", ".litmus", ".ll", ".json", ".td", ".proof", ".c", ".h")):
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            if name.endswith(".py"):
                for _, said in prose(name):
                    text = text.replace(said, "")
            found.update(re.findall(r"[A-Za-z_]\w*", text))
    return frozenset(found)


@cache
def is_there(name: str) -> bool:
    """Say whether a path is one, of a file or a folder, perhaps without its end."""
    paths = (ROOT / name, ROOT / "axmem" / name, ROOT / f"{name}.py")
    return any(path.exists() for path in paths) or any(each.endswith(f"/{name}") for each in files())


def is_module(parts: list[str]) -> bool:
    """Say whether `axmem.litmus.parser.parse` begins with a module, or with what the package itself has."""
    folder = ROOT / "axmem"
    for part in parts:
        if (folder / part).is_dir():
            folder /= part
            continue
        own = folder / "__init__.py"
        known = re.search(rf"\b{part}\b", own.read_text(encoding="utf-8")) if own.exists() else None
        return (folder / f"{part}.py").exists() or known is not None
    return True


def stale(text: str, *, code: bool) -> Iterator[str]:
    """Yield what a docstring or a page names and there is not; only docstrings name functions and classes."""
    for match in PATH.finditer(text):
        if not PLACEHOLDER.search(match[1]) and not is_there(match[1]):
            yield match[1]
    for match in MODULE.finditer(text):
        if not is_module(match[1][1:].split(".")):
            yield f"axmem{match[1]}"
    for match in FILE.finditer(text):
        if not PLACEHOLDER.search(match[1]) and not is_there(match[1]):
            yield match[1]
    for match in NAME.finditer(text) if code else ():
        if "_" in match[1].strip("_") and match[1] not in words_of_code():
            yield match[1]


def test_docstrings_and_comments_name_what_there_is() -> None:
    found = []
    for name in files():
        if name.endswith(".py") and "/goldens/" not in name:
            for line, said in prose(name):
                found += [f"{name}:{line}: {each}" for each in stale(said, code=True) if each not in ELSEWHERE]
    assert found == []


def test_pages_name_what_there_is() -> None:
    found = []
    for name in files():
        if name.endswith(".md") and not name.startswith(("CHANGELOG", "results/")):
            text = (ROOT / name).read_text(encoding="utf-8")
            found += [f"{name}: {each}" for each in stale(text, code=False) if each not in ELSEWHERE]
    assert found == []


def test_a_name_that_is_left_behind_is_found() -> None:
    gone = ["axmem/bounded/words.py", "axmem.contexts.slots", "gone_from_here.py"]
    assert set(stale("see `{}`, {} and `{}`".format(*gone), code=False)) == set(gone)
    function = "_".join(("gone", "function", "here"))  # No code has it, not even this.
    assert list(stale(f"`{function}` does it", code=True)) == [function]
    assert list(stale("`axmem/cli.py`, `axmem.litmus.parser`, `test_named.py`, `is_there`", code=True)) == []
