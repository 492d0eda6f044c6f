"""Code from which something was taken: a message without one of the things that pass it on, registers without a wait.

The shapes are those of message passing in the suite, at the scope that its places need. What has to be there is said by
[AMDGPUUsage]: the release waits for the store of the message, and writes it back where a cache that others do not have
may keep it; the acquire waits for the flag, and then drops what its caches had before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.mutants import elements, without
from axmem.codegen.program import lower
from axmem.codegen.targets import NEWEST_LLVM, target
from axmem.mapping.suite import suite
from axmem.mapping.verification import CodeSource, verify, verify_program
from axmem.model.library import load
from tests.codegen.test_registers import CODE, DEP
from tests.controls import Control
from tests.exploring import VERDICT_ALONE

SCOPES = {"wg": "workgroup", "ag": "agent", "sy": "system"}
TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250")


@dataclass(frozen=True)
class Needed:
    """What is taken: of which tests on which targets, of which thread, the instruction and its part, and why not."""

    shapes: str
    targets: str
    thread: int
    instruction: str
    part: str
    why: str


UNAWAITED = "the acquire may drop its lines before the flag is there, and load the message from a line of between"
STALE = "the consumer's cache may hold the message's line from before, and nothing drops it"
EARLY = "the flag may be seen while the message's store is on its way in another channel"
KEPT = "a cache that the consumer does not have may keep the message: nothing writes it back"
NEEDED = (
    Needed("MP.ag MP.sy", "gfx90a gfx942", 1, "s_waitcnt", "vmcnt", UNAWAITED),
    Needed("MP.wg MP.ag MP.sy", "gfx1030 gfx1100", 1, "s_waitcnt", "vmcnt", UNAWAITED),
    Needed("MP.wg MP.ag MP.sy", "gfx1200", 1, "s_wait_loadcnt", "loadcnt", UNAWAITED),
    Needed("MP.ag MP.sy", "gfx1250", 1, "s_wait_loadcnt", "loadcnt", UNAWAITED),
    Needed("MP.ag MP.sy", "gfx90a", 1, "buffer_wbinvl1_vol", "", STALE),
    Needed("MP.sy", "gfx90a", 1, "buffer_invl2", "", STALE),
    Needed("MP.ag MP.sy", "gfx942", 1, "buffer_inv", "", STALE),
    Needed("MP.sy", "gfx942", 1, "buffer_inv", "sc0", f"{STALE}: L2 holds what is not local"),
    Needed("MP.sy", "gfx942", 1, "buffer_inv", "sc1", STALE),
    Needed("MP.wg MP.ag MP.sy", "gfx1030 gfx1100", 1, "buffer_gl0_inv", "", STALE),
    Needed("MP.ag MP.sy", "gfx1030 gfx1100", 1, "buffer_gl1_inv", "", STALE),
    Needed("MP.wg MP.ag MP.sy", "gfx1200", 1, "global_inv", "", STALE),
    Needed("MP.ag MP.sy", "gfx1250", 1, "global_inv", "", STALE),
    Needed("MP.ag MP.sy", "gfx90a gfx942", 0, "s_waitcnt", "vmcnt", EARLY),
    Needed("MP.wg MP.ag MP.sy", "gfx1030 gfx1100", 0, "s_waitcnt_vscnt", "vscnt", EARLY),
    Needed("MP.wg MP.ag MP.sy", "gfx1200", 0, "s_wait_storecnt", "storecnt", EARLY),
    Needed("MP.wg", "gfx1250", 0, "s_wait_storecnt", "storecnt", EARLY),
    Needed("MP.sy", "gfx90a", 0, "buffer_wbl2", "", KEPT),
    Needed("MP.ag MP.sy", "gfx942", 0, "buffer_wbl2", "", KEPT),
    Needed("MP.sy", "gfx1200", 0, "global_wb", "", KEPT),
    Needed("MP.ag MP.sy", "gfx1250", 0, "global_wb", "", KEPT),
)
REGISTERS = (
    ("s_waitcnt vmcnt(0)", "v1 is stored before the load has returned it"),
    ("s_waitcnt lgkmcnt(0)", "s[0:1] is an address before the scalar load has returned it"),
)


def controls() -> Iterator[Control]:
    """Yield the controls of `axmem verify`."""
    for needed in NEEDED:
        for name in needed.targets.split():
            for shape in needed.shapes.split():
                what = " ".join(part for part in (needed.instruction, needed.part) if part)
                scope = SCOPES[shape.rpartition(".")[2]]
                title = f"{shape} on {name} without {what} of P{needed.thread}"
                ask = partial(_mutant, shape, name, needed)
                yield Control("verify", title, scope, "", needed.why, ask)
    for wait, why in REGISTERS:
        yield Control("verify --asm", f"dep without {wait}", "agent", "", why, partial(_unawaited, wait))


def _mutant(shape: str, name: str, needed: Needed) -> str:
    """Return what is said of the lowering of a test without what is needed, the first of its kind."""
    (test,) = (t for t in suite() if t.name == shape)
    where = target(name, "", NEWEST_LLVM)
    program = machine_program(lower(test, where))
    taken = next(
        e for e in elements(program)
        if e.thread == needed.thread and e.part == needed.part
        and program.instruction(e).mnemonic == needed.instruction
    )  # fmt: skip
    return verify_program(without(program, [taken]), test, where, load("amdgpu"), VERDICT_ALONE).verdict


def _unawaited(wait: str) -> str:
    """Return what is said of assembly without a wait."""
    return verify(DEP, "gfx942", code=CodeSource(("dep.s", re.sub(rf"  {re.escape(wait)}\n", "", CODE)))).verdict
