"""The tabs beside the editor that ask no solver: machine code and LLVM IR. They need no library.

What goes in: a request. What comes out: a record with `html`, made by the printers of `axmem.report`, or `text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from axmem.codegen.ir_module import module
from axmem.codegen.program import lower as lowered
from axmem.codegen.targets import target
from axmem.formats.reading import parse
from axmem.playground.outcomes import NAME
from axmem.report.listing import document as lowering
from axmem.report.listing import listing
from axmem.report.printers import printer
from axmem.report.tree import Block, Program, Section


def html(blocks: Iterable[Block]) -> str:
    """Return blocks as HTML, without a style sheet: the page has its own."""
    return "\n".join(printer("html").blocks(blocks, 3))


def lower(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the instructions of a target, in a table, and below it each with its reasons."""
    found = lowered(parse(str(request["text"]), NAME), target(str(request["target"])))
    return {"html": html([*lowering([found]).blocks, Section("Reasons", (Program(listing(found)),))])}


def ir(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the test as LLVM IR that axmem reads back."""
    return {"text": module(parse(str(request["text"]), NAME), annotated=True).text}
