"""Copies of the sources in which a recipe of CONTRIBUTING.md was followed, and their commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.paths import ROOT

ROOMS = ("axmem", "litmus", "model", "events", "encoder", "convergence", "transform", "codegen")
Edit = tuple[str, str, str]
"""A file of the sources, what stands in it once, and what stands there afterwards."""


def copied(place: Path) -> None:
    """Copy the sources to a place, as links to their files; the corpus is left out."""
    for room in ROOMS:
        ignored = shutil.ignore_patterns("__pycache__", "corpus")
        shutil.copytree(ROOT / room, place / room, symlinks=True, ignore=ignored, copy_function=os.symlink)


def rewritten(path: Path, text: str) -> None:
    """Give a file of a copy another text."""
    path.unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8")


def edited(place: Path, edits: Iterable[Edit], made: Mapping[str, str] | None = None) -> None:
    """Carry edits out in a copy, and write the files that are made."""
    for name, before, after in edits:
        text = (place / name).read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{name}: {before}"
        rewritten(place / name, text.replace(before, after))
    for name, text in (made or {}).items():
        assert not (place / name).exists(), name
        rewritten(place / name, text)


def ran(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the sources at a place."""
    cache = str(place.parent / "cache")
    environment = {**os.environ, "AXMEM_CACHE": cache, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-P", "-m", "axmem", *words]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)


def recipe(kind: str) -> str:
    """Return what CONTRIBUTING says of how to add something: the paragraph that begins so."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return page[page.index(f"**{kind}.**") :].split("\n\n")[0]
