"""How much of what takes long `make test` tries: the first parts, or some cases; `make test-long` tries all of them.

Parts and cases are fixed by their numbers, so that both try the same, and what fails can be tried again. Who takes some
of several kinds steps through them so that each kind is met.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

Case = TypeVar("Case")

WHOLE = bool(os.environ.get("AXMEM_TEST_LONG"))
"""Whether this is `make test-long`, which runs every test file that asks for `parts`."""


SHARE = 8
"""One of so many is tried by `make test`, where a test does not say another share."""


def parts(count: int, *, of: int = SHARE) -> range:
    """Return the numbers of the parts that run now: all of so many, or one `of` so many, at least one."""
    return range(count if WHOLE else max(1, count // of))


def some(cases: Sequence[Case], *, of: int = SHARE) -> Sequence[Case]:
    """Return the cases that are tried now: all, or one of so many, from the first on."""
    return cases if WHOLE else cases[::of]


in_full = pytest.mark.skipif(not WHOLE, reason="takes long: make test-long")
"""Marks a test that only `make test-long` runs; others test a part of the same."""


def examples(count: int) -> int:
    """Return how many examples Hypothesis draws now."""
    return count if WHOLE else max(1, count // SHARE)
