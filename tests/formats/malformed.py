"""Malformed tests in the forms of other tools, each beside exactly what the user is told about it.

`python -m tests.formats.malformed FORM SUFFIX` writes the expected texts of a form's folder anew, for review.
"""

from __future__ import annotations

import sys
from pathlib import Path

from axmem.formats.reading import parse
from axmem.front.source import InputError
from tests.paths import MALFORMED


def cases(form: str, suffix: str) -> list[Path]:
    """Return the malformed texts of a form."""
    return sorted((MALFORMED / form).glob(f"*{suffix}"))


def told(path: Path, form: str) -> str:
    """Return what the user is told about a text, ending in a newline."""
    try:
        parse(path.read_text(encoding="utf-8"), path.name, form)
    except InputError as error:
        return f"{error}\n"
    return "nothing is wrong with it\n"


def expected(path: Path) -> str:
    """Return what stands beside a text."""
    return path.with_suffix(".expected").read_text(encoding="utf-8")


if __name__ == "__main__":
    for case in cases(sys.argv[1], sys.argv[2]):
        case.with_suffix(".expected").write_text(told(case, sys.argv[1]), encoding="utf-8")
