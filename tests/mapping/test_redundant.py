"""Random programs that contain what the tables of necessity call redundant: a sample of `tests.long.redundant`."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from axmem.codegen.program import lower
from axmem.codegen.targets import NEWEST_LLVM, target
from axmem.litmus.parser import parse
from axmem.mapping.rules import words
from tests.drawn import parts
from tests.long.redundant import Asked, asked, survival
from tests.mapping.drawn_programs import program

OPERATIONS = (
    "load acquire agent global", "load monotonic agent-one-as global", "load seq_cst workgroup lds", "load generic",
    "load acquire system global amdgcn-av:none", "av-load agent global", "store release workgroup global",
    "store generic", "rmw acq_rel agent global", "rmw release workgroup lds (result)", "cmpxchg seq_cst system global",
    "fence acquire agent-one-as",
)  # fmt: skip


@pytest.mark.parametrize("operation", OPERATIONS)
def test_programs_contain_the_operation(operation: str) -> None:
    """Whatever the number, and the same text for the same number."""
    for number in range(5):
        text = program(operation, number)
        lowered = lower(parse(text), target("gfx1250", "", NEWEST_LLVM))
        assert operation in {words(s.operation) for t in lowered.threads for s in t.statements if s.operation}
        assert text == program(operation, number)


def test_no_program_is_drawn_for_what_is_not_known() -> None:
    with pytest.raises(ValueError, match="no program is drawn for 'barrier'"):
        program("barrier", 0)


def test_what_is_redundant_survives() -> None:
    for question in islice(asked("gfx942"), parts(60, of=10)[-1] + 1):
        found = survival(question)
        assert found.has and not found.needs and not found.together, found.text


def test_what_is_needed_is_found_out() -> None:
    """A CU's L1 keeps what it has until an acquire drops it: some of a few programs must see the old value without."""
    needed = ("load acquire agent global", "buffer_wbinvl1_vol", 0)
    question = Asked("gfx90a", needed[0], 0, frozenset({needed}), frozenset())
    found = [survival(replace(question, number=number)) for number in range(8)]
    assert any(one.needs == (needed,) for one in found)
    jointly = [survival(replace(question, number=number, together=frozenset({needed}))) for number in range(8)]
    assert [one.needs for one in jointly] == [one.needs for one in found]
    assert all(one.together is bool(one.needs) for one in jointly)
