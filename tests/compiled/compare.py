"""Whether what llc makes of a test is sound, and if not by which known fault.

What goes in: the kind and the number of a test, llc. What comes out: a verdict for every target that has the test's
operations, with the pages that explain it where it is unsound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from axmem.codegen.machine.program import MachineProgram
from axmem.codegen.targets import Target, target
from axmem.formats.reading import parse_file
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.compiled import compiled, profile_of
from axmem.mapping.findings import pages
from axmem.mapping.suite import suite, suite_of
from axmem.mapping.verification import Exploration, Verification, verify_program
from axmem.model.library import load
from tests.compiled.numbers import floats
from tests.compiled.programs import arithmetic, pair, single

TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250")
OF_KERNELS = ("gfx900", *TARGETS)
"""Whole kernels are few, and compiled for one target more."""
KINDS = {"single": single, "pair": pair, "arithmetic": arithmetic, "floats": floats}
SUITE = "suite"
KERNELS = "kernels"
STATES = 200_000
"""States of the machine in each placement."""
WHOLE = tuple(sorted((Path(__file__).parent / KERNELS).glob("*.litmus")))
"""Whole kernels, with the loops in which they wait."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a test: `word` is that of axmem verify, or `refused`; `finding` explains an unsound one."""

    name: str
    target: str
    text: str
    word: str
    finding: str = ""
    said: str = ""


def case(kind: str, number: int) -> LitmusTest:
    """Return a test of the suite of axmem verify, a whole kernel, or a random program."""
    if kind == KERNELS:
        return parse_file(WHOLE[number])
    return suite()[number] if kind == SUITE else parse(KINDS[kind](number))


def verdicts(kind: str, llc: str, number: int) -> list[Verdict]:
    """Return what comes of one test on every target that has its operations."""
    test = case(kind, number)
    places = [target(name, "", profile_of(llc)) for name in (OF_KERNELS if kind == KERNELS else TARGETS)]
    return [_verdict(test, where, llc) for where in places if kind != SUITE or test.name in of_suite(where)]


def verified(program: MachineProgram, test: LitmusTest, where: Target) -> Verification:
    """Return what comes of a machine program of a test."""
    return verify_program(program, test, where, load("amdgpu"), Exploration(robust=False, limit=STATES))


def _verdict(test: LitmusTest, where: Target, llc: str) -> Verdict:
    name, text = where.name, print_test(test)
    try:
        program, assembly = compiled(test, where, llc)
        found = replace(verified(program, test, where), assembly=assembly)
        if found.verdict != "unsound":
            return Verdict(test.name, name, text, found.verdict, said="; ".join(found.incomplete))
        rows = "; ".join(f"{violation.row} in {violation.placement.text}" for violation in found.violations[:2])
        return Verdict(test.name, name, text, "unsound", ", ".join(pages(found, llc)), said=rows)
    except InputError as error:
        return Verdict(test.name, name, text, "refused", said=str(error))


@cache
def of_suite(where: Target) -> frozenset[str]:
    """Return the names of the suite's tests that a target has."""
    return frozenset(test.name for test in suite_of(where)[0])
