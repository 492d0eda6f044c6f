"""Each malformed model in `malformed/cat` gives exactly the diagnostics beside it.

`python -m tests.model.test_malformed` writes the expected files anew, for review.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.front.source import InputError, Source
from axmem.model.elaborate import elaborate
from tests.paths import MALFORMED

CASES = sorted((MALFORMED / "cat").glob("*.cat"))


def source(path: Path) -> Source:
    return Source(path.name, path.read_text(encoding="utf-8"))


def include(name: str, _including: Source) -> Source | None:
    path = CASES[0].parent / name
    return source(path) if path.is_file() else None


def diagnostics(path: Path) -> str:
    """Return what the user is told about a model, ending in a newline."""
    with pytest.raises(InputError) as caught:
        elaborate(source(path), {}, include)
    return str(caught.value) + "\n"


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_diagnostics(path: Path) -> None:
    assert diagnostics(path) == path.with_suffix(".expected").read_text(encoding="utf-8")


def test_cases_and_expectations_pair_up() -> None:
    expected = sorted(p.stem for p in CASES[0].parent.glob("*.expected"))
    assert expected == sorted(p.stem for p in CASES) and len(CASES) >= 40


if __name__ == "__main__":
    for case in CASES:
        case.with_suffix(".expected").write_text(diagnostics(case), encoding="utf-8")
