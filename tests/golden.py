"""Texts that are kept in files; `AXMEM_UPDATE_GOLDENS=1` before pytest writes them anew.

What a command did is kept as its arguments, the exit code, the standard output and the standard error. Times, counts of
work and the list of built-in models are replaced, since they are no part of the answer.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from axmem.cli import main

VARYING = (
    (re.compile(r"\d+\.\d\d s$", re.MULTILINE), "# s"),
    (re.compile(r'"seconds": [\d.e-]+'), '"seconds": #'),
    (re.compile(r'time="[\d.]+"'), 'time="#"'),
    (re.compile(r'timestamp="[\dT:-]+"'), 'timestamp="#"'),
    (re.compile(r"^(Time \S+) [\d.]+$", re.MULTILINE), r"\1 #"),
    (re.compile(r'"(variables|clauses)": \d+'), r'"\1": #'),
    (re.compile(r"known: .*; or give"), "known: #; or give"),
    (re.compile(r'("work": .*"checks"): \d+'), r"\1: #"),
)


def shown(arguments: str, code: int, out: str, err: str) -> str:
    """Return all that a command did, as the text of a golden file."""
    for pattern, replacement in VARYING:
        out, err = pattern.sub(replacement, out), pattern.sub(replacement, err)
    return f"$ axmem {arguments}\n[{code}]\n---- output\n{out}---- errors\n{err}"


def compare_golden(found: str, golden: Path) -> None:
    """Fail if a text is not that of a file."""
    if os.environ.get("AXMEM_UPDATE_GOLDENS"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")


def compare_command(arguments: str, golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a command and fail if what it did is not that of a file. Conditions are written without spaces."""
    try:
        code = main([word.replace("/\\", " /\\ ") for word in arguments.split()])
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    compare_golden(shown(arguments, code, captured.out, captured.err), golden)
