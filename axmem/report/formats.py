"""The forms in which `axmem run` reports.

What goes in: the reports of a suite, one after another. What comes out: pieces of text, as early as the form allows.
Every form is a class with `begin`, `report` and `end`; together their texts are the whole document.
"""

from __future__ import annotations

from importlib import import_module  # noqa: TID251 -- of the form that is written
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from axmem.check.judging import Report
    from axmem.report.summary import Summary

FORMATS = ("text", "herd", "json", "junit", "sarif", "github")
VERDICTS = ("text", "junit", "sarif", "github")
"""Those that show no outcomes but those which differ from what is expected, unless they are asked for."""


class Format(Protocol):
    """One form of output."""

    def begin(self) -> str:
        """Return what stands before the first report."""

    def report(self, report: Report) -> str:
        """Return what is shown of a report at once."""

    def end(self, summary: Summary) -> str:
        """Return what stands after the last report."""


def format_named(name: str, **options: object) -> Format:
    """Return a form by its name; `options` are `names` (of all tests), `outcomes` (show them), `models` (how many)."""
    made: Format = import_module(f"axmem.report.{name}").Output(**options)
    return made
