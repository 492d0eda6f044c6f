"""Malformed tests of herd's form: everything that is wrong is said, with its place.

`AXMEM_UPDATE_GOLDENS=1` before pytest writes the messages anew.
"""

from pathlib import Path

import pytest

from axmem.formats.reading import parse
from axmem.front.source import InputError
from tests.golden import compare_golden
from tests.paths import MALFORMED

FILES = sorted((MALFORMED / "herd").glob("*.litmus"))


def test_there_are_enough_for_each_reader() -> None:
    for form in ("c", "x86", "aarch64"):
        assert len([path for path in FILES if path.stem.startswith(f"{form}-")]) >= 8


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_messages(path: Path) -> None:
    with pytest.raises(InputError) as raised:
        parse(path.read_text(encoding="utf-8"), path.name)
    compare_golden(f"{raised.value}\n", path.with_suffix(".expected"))
