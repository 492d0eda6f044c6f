"""A small document of our own, with tables as AMDGPUUsage has them, for tests of what reads that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from axmem.commands.pages.usage_layout import usage_tables

WIDTHS = (12, 12, 14, 10, 40)
RULE = "     " + " ".join("=" * width for width in WIDTHS)

Cells = tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[str], Sequence[str]]

ACQUIRE: Cells = (
    ["load atomic"], ["acquire"], ["- workgroup"], ["- generic"],
    [
        "1. flat_load  sc0=1",
        "2. s_waitcnt lgkm/vmcnt(0)",
        "",
        "  - Use lgkmcnt(0) if not TgSplit",
        "    execution mode and vmcnt(0) if TgSplit",
        "    execution mode.",
        "  - If OpenCL, omit lgkmcnt(0).",
        "",
        "3. buffer_inv sc0=1",
        "",
        "  - If not TgSplit execution mode, omit.",
        "  - Ensures that nobody errs.",
        "",
    ],
)  # fmt: skip


def document(rows: Mapping[str, Sequence[Cells]]) -> str:
    """Return a document with all tables, each with the rows that are given for it by its name."""
    return "\n".join(line for table in usage_tables() for line in _table(table.name, rows.get(table.name, ())))


def _table(name: str, rows: Sequence[Cells]) -> list[str]:
    lines = [f"  .. table:: {name}", f"     :name: amdgpu-amdhsa-memory-model-code-sequences-{name}-table", "", RULE]
    lines += [_line(("LLVM Instr", "Ordering", "Sync Scope", "Space", "Machine Code")), RULE, "     **Atomic**"]
    lines.append("     " + "-" * (sum(WIDTHS) + 4))
    for cells in rows:
        height = max(map(len, cells))
        lines += [_line([cell[n] if n < len(cell) else "" for cell in cells]) for n in range(height)]
    return [*lines, RULE, ""]


def _line(words: Sequence[str]) -> str:
    return ("     " + " ".join(word.ljust(width) for word, width in zip(words, WIDTHS, strict=True))).rstrip()
