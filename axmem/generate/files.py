"""The files of generated tests.

What goes in: tests and a directory. What comes out: one `.litmus` file for each test and the list `@all`. Invariant: a
file is never a part of a test, no file is replaced unless that was asked for, and `@all` names files that are there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from axmem.front.output import write_directory
from axmem.litmus.syntax import LitmusTest

LIST = "@all"


class WrittenTest(Protocol):
    """A test with its text."""

    @property
    def test(self) -> LitmusTest:
        """The test."""

    @property
    def text(self) -> str:
        """What its file holds."""


def write_suite(tests: Iterable[WrittenTest], directory: str, *, force: bool = False) -> int:
    """Write the tests and their list; return how many tests. Raises InputError before anything has been replaced."""
    texts = {f"{generated.test.name}.litmus": generated.text for generated in tests}
    listing = "".join(f"{name}\n" for name in texts)
    write_directory({**texts, LIST: listing}, directory, force=force)
    return len(texts)
