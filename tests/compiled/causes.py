"""Why what llc makes of a test is unsound: which of the findings it is.

What goes in: a test, a target, llc's assembly of the test, which is unsound. What comes out: the page of the finding
which, mended in that assembly as the page says, leaves it sound; several pages where it takes all of their changes.
Where the lowering of the tables is unsound as well, it is what docs/verify.md has of that target.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.program import MachineProgram
from axmem.codegen.program import lower
from axmem.codegen.targets import Target
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.compiled import assembled, compiled
from axmem.mapping.verification import Verification, verify_program
from axmem.model.library import load

STATES = 200_000
"""States of the machine in each placement."""
FINDINGS = "docs/findings/"
OPEN = "docs/verify.md#what-is-found"
LIMITS = "docs/verify.md#limits"
"""Of one thread the tables are unsound only as the machine replays a store without what comes after it."""
UNAWAITED, OVERTAKEN = "unawaited-scalar-load", "overtaken-scalar-load"
"""The same wait is missing in both, before a release, or before a store of the same thread to what the load reads."""
WAITS = (
    ("missing-wait-after-writeback", "gfx9", r"(\tbuffer_wbl2[^\n]*\n)", r"\1\ts_waitcnt vmcnt(0)\n"),
    ("unawaited-invalidate", "gfx90a", r"(\tbuffer_invl2[^\n]*\n)", r"\1\ts_waitcnt vmcnt(0)\n"),
    ("unawaited-invalidate", "gfx10", r"(\tbuffer_gl1_inv[^\n]*\n)", r"\1\ts_waitcnt vmcnt(0)\n"),
    ("unawaited-invalidate", "gfx11", r"(\tbuffer_gl1_inv[^\n]*\n)", r"\1\ts_waitcnt vmcnt(0)\n"),
    ("replayed-store", "gfx1250", r"(\tglobal_wb)", r"\ts_wait_storecnt 0x0\n\1"),
    ("replayed-read-modify-write", "gfx1250", r"(\t(global|flat)_atomic)", r"\ts_wait_xcnt 0x0\n\1"),
    (UNAWAITED, "gfx12", r"(\ts_load_b\d+[^\n]*\n)", r"\1\ts_wait_kmcnt 0x0\n"),
    (UNAWAITED, "gfx11", r"(\ts_load_b\d+[^\n]*\n)", r"\1\ts_waitcnt lgkmcnt(0)\n"),
    (UNAWAITED, "gfx10", r"(\ts_load_dword[^\n]*\n)", r"\1\ts_waitcnt lgkmcnt(0)\n"),
    (UNAWAITED, "gfx9", r"(\ts_load_dword[^\n]*\n)", r"\1\ts_waitcnt lgkmcnt(0)\n"),
)
"""Findings with the targets that have them, what is looked for, and what is put in its place."""
SCALAR = "stale-scalar-load"
VECTOR = re.compile(r"\ts_load_(dword|b32) (s\d+), (s\[\d+:\d+\]), 0x0\n")
"""A scalar load of what a location may be."""


def cause(test: LitmusTest, where: Target, text: str, llc: str) -> str:
    """Return the pages that explain why an assembly is unsound, or nothing."""
    changes = [change for change in WAITS if where.name.startswith(change[1]) and re.search(change[2], text)]
    for page, _, found, instead in changes:
        if _is_sound(assembled(test, where, re.sub(found, instead, text), page), test, where):
            return f"{FINDINGS}{OVERTAKEN if page == UNAWAITED and _alone(test) else page}.md"
    if "s_load" in text and _is_sound(_without_scalar_loads(test, where, text, llc), test, where):
        return f"{FINDINGS}{SCALAR}.md"
    if not test.kernels and not _is_sound(machine_program(lower(test, where)), test, where):
        return LIMITS if _alone(test) else OPEN
    return ", ".join(_together(changes, test, where, text))


def _alone(test: LitmusTest) -> bool:
    """Tell whether a test has one thread, which nobody can see release anything."""
    return len(test.threads) == 1 and not test.kernels


def _without_scalar_loads(test: LitmusTest, where: Target, text: str, llc: str) -> MachineProgram:
    """Return what a test is without scalar loads: as llc makes it then, or, of kernels, with vector loads instead."""
    if not test.kernels:
        return compiled(test, where, llc, divergent=True)[0]
    wait = "s_wait_loadcnt 0x0" if where.name.startswith("gfx12") else "s_waitcnt vmcnt(0)"
    load = rf"\tv_mov_b32_e32 v250, 0\n\tglobal_load_\1 v251, v250, \3\n\t{wait}\n\tv_readfirstlane_b32 \2, v251\n"
    return assembled(test, where, VECTOR.sub(load, text), SCALAR)


def _together(changes: list[tuple[str, str, str, str]], test: LitmusTest, where: Target, text: str) -> Iterator[str]:
    """Yield the pages of all changes, if it takes several."""
    for _, _, found, instead in changes:
        text = re.sub(found, instead, text)
    if _is_sound(assembled(test, where, text, "all"), test, where):
        yield from (f"{FINDINGS}{page}.md" for page, *_ in changes)


def _is_sound(program: MachineProgram, test: LitmusTest, where: Target) -> bool:
    return verified(program, test, where).verdict == "sound"


def verified(program: MachineProgram, test: LitmusTest, where: Target) -> Verification:
    """Return what comes of a machine program of a test."""
    return verify_program(program, test, where, load("amdgpu"), robust=False, limit=STATES)
