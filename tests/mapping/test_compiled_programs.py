"""The random programs that `make oracle` gives to llc: tests, all, and sound as the tables lower them."""

from __future__ import annotations

import pytest

from axmem.codegen.machine.build import machine_program
from axmem.codegen.program import lower
from axmem.codegen.targets import target
from axmem.litmus.parser import parse
from tests.compiled.compare import KINDS, TARGETS, verified
from tests.drawn import parts

WORDS = {
    "arithmetic": ("atomicrmw", "shr <", "sext", "[1]"),
    "floats": ("fma ", "fsub <2 x half>", "fptosi.sat double", "fcmp u", "fneg float (fabs", "uitofp"),
}
"""What random programs of a kind have among them."""


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_tables_make_sound_code_of_them(kind: str) -> None:
    """For one of the targets each, so that all come in turn."""
    for number in parts(18):
        test, where = parse(KINDS[kind](number)), target(TARGETS[number % len(TARGETS)])
        found = verified(machine_program(lower(test, where)), test, where)
        assert found.verdict == "sound", (where.name, KINDS[kind](number))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_they_differ_in_shape(kind: str) -> None:
    texts = [KINDS[kind](number) for number in range(60)]
    words = " ".join(texts)
    assert len({text.split("\n", 1)[1] for text in texts}) > 55
    assert all(word in words for word in WORDS.get(kind, ("atomicrmw", "cmpxchg", "seq_cst")))
    assert [parse(text).name for text in texts] == [f"{kind}-{number}" for number in range(60)]
    assert texts == [KINDS[kind](number) for number in range(60)]
