"""What a test becomes on targets, and the machine's verdict on it, for the page of the test.

What goes in: a test and the targets of an `Asked`. What comes out: blocks, and entries of the test's record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from axmem.codegen.program import LoweredTest, lower
from axmem.codegen.targets import target
from axmem.front.source import InputError
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.cases import VerificationCase
from axmem.report.listing import document, listing
from axmem.report.site.found import Asked
from axmem.report.tree import Block, CellContent, Code, Paragraph, Program, Section, Strong, table
from axmem.report.verification import answer

STATES = 200_000
"""How many states of the machine are looked at in each placement: more make a verdict unknown."""
MODEL = "amdgpu"
"""The model whose outcomes the machine may have."""


def machine_blocks(test: LitmusTest, asked: Asked, record: dict[str, Any]) -> Iterator[Block]:
    """Yield the instructions of each target, side by side, and what the machine may do with them."""
    lowered: list[LoweredTest] = []
    rows: list[list[CellContent]] = []
    refused: list[Block] = []
    for name in asked.contents.targets:
        on = target(name, "", asked.contents.profile)
        try:
            lowered.append(lower(test, on))
            found = answer(_case(asked, name))
        except InputError as error:
            refused.append(Paragraph((Code(on.label), f": {error.diagnostics[0].message}")))
            record["targets"].append({"target": on.label, "verdict": ""})
            continue
        record["targets"].append({"target": on.label, "verdict": found.word})
        rows.append([Code(on.label), Strong(found.word, found.verdict), Program(found.text)])
    if not asked.contents.targets:
        return
    blocks: list[Block] = [*refused]
    if rows:
        blocks.append(table(["Target", "Verdict", f"The machine against {MODEL}"], rows, row_heads=1))
    yield Section("Machine code", (*blocks, *(document(lowered).blocks if lowered else ())), "machine")
    if lowered:
        reasons = "\n".join(map(listing, lowered))
        yield Section("Why each instruction stands there", (Program(reasons),), "instructions")


def _case(asked: Asked, name: str) -> VerificationCase:
    contents = asked.contents
    return VerificationCase(
        name=asked.name, text=asked.text, target=name, mode="", profile=contents.profile, model=MODEL, placement="all",
        switches=(), divergent=False, format="text", limit=STATES, seconds=contents.seconds,
        form=contents.form,
    )  # fmt: skip
