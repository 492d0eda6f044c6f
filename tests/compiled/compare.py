"""Whether what llc makes of a random test is sound, and if not by which known fault.

What goes in: the text of a test, a target, llc. What comes out: nothing if it is sound, else the page of the finding
that explains it, as far as the reason it gives, taken away, makes the test sound; or that nothing does.
"""

from __future__ import annotations

from dataclasses import dataclass

from axmem.codegen.machine.program import MachineProgram
from axmem.codegen.targets import Target, target
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.compiled import compiled, profile_of
from axmem.mapping.verification import Verification, verify_program
from axmem.model.library import load
from tests.compiled.programs import pair, single

TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250")
KINDS = {"single": single, "pair": pair}
STATES = 200_000
"""States of the machine in each placement."""
REPLAYED = "docs/findings/replayed-read-modify-write.md"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a test: `word` is that of axmem verify, or `refused`; `finding` explains an unsound one."""

    target: str
    text: str
    word: str
    finding: str = ""
    said: str = ""


def verdict(kind: str, llc: str, number: int) -> list[Verdict]:
    """Return what comes of one random test on every target."""
    text = KINDS[kind](number)
    return [_verdict(text, name, llc) for name in TARGETS]


def _verdict(text: str, name: str, llc: str) -> Verdict:
    where = target(name, "", profile_of(llc))
    test = parse(text)
    try:
        program, _ = compiled(test, where, llc)
        found = verified(program, test, where)
    except InputError as error:
        return Verdict(name, text, "refused", said=str(error))
    if found.verdict != "unsound":
        return Verdict(name, text, found.verdict, said="; ".join(found.incomplete))
    rows = "; ".join(f"{violation.row} in {violation.placement.text}" for violation in found.violations[:2])
    if verified(program, test, where, xnack_replay="off").verdict == "sound":
        return Verdict(name, text, "unsound", REPLAYED)
    return Verdict(name, text, "unsound", said=rows)


def verified(program: MachineProgram, test: LitmusTest, where: Target, **switches: str) -> Verification:
    """Return what comes of a machine program of a test under the switches named."""
    return verify_program(program, test, where, load("amdgpu"), changed=switches, robust=False, limit=STATES)
