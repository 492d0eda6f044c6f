"""A printer for each format that documents are printed in.

What goes in: a document. What comes out: its text. A printer is loaded when something is printed in its format.
"""

from __future__ import annotations

from importlib import import_module  # noqa: TID251 -- of the format that is written
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from axmem.report.printers.base import Printer
    from axmem.report.tree import Document

MARKUP = ("rst", "markdown", "html", "latex")
"""The formats that documentation is written in."""


def printer(format_: str) -> Printer:
    """Return the printer of a format: `text`, one of `MARKUP`, `json`, `svg` or `dot`."""
    made: Printer = import_module(f"axmem.report.printers.{format_}").PRINTER
    return made


def printed(found: Document, format_: str) -> str:
    """Return a document in a format."""
    return printer(format_).document(found)
