"""FileCheck in Python, as tests ask it."""

from __future__ import annotations

from pathlib import Path

import filecheck.main
import pytest


def passes(test: Path, output: Path, *options: str) -> bool:
    """Say whether an output is what the checks of a file ask for."""
    with pytest.raises(SystemExit) as ended:
        filecheck.main.main(["filecheck", str(test), "--input-file", str(output), "--dump-input=never", *options])
    return ended.value.code == 0
