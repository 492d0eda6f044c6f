"""Texts that are kept in files; `AXMEM_UPDATE_GOLDENS=1` before pytest writes them anew."""

from __future__ import annotations

import os
from pathlib import Path


def compare_golden(found: str, golden: Path) -> None:
    """Fail if a text is not that of a file."""
    if os.environ.get("AXMEM_UPDATE_GOLDENS"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")
