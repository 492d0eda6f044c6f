"""Khronos' form: tests of our own with the answers that their comments derive, under both engines; what is refused.

Each question of a test is an expectation of it. The comments say why from the relations of the formal model: what is
ordered, available and visible, and which cycle or race follows.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.check.compare import compare
from axmem.check.results import outcomes
from axmem.encoder.engines import Engine
from axmem.formats.reading import parse, parse_file
from axmem.formats.vulkan.losses import losses
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from tests.formats.judged import ENGINES, states
from tests.formats.malformed import cases, expected, told

TESTS = sorted((Path(__file__).parent / "khronos").glob("*.test"))


@pytest.mark.parametrize("engine", ENGINES, ids=lambda e: e.value)
@pytest.mark.parametrize("path", TESTS, ids=lambda p: p.stem)
def test_every_question_has_the_answer_that_it_expects(path: Path, engine: Engine) -> None:
    assert states(parse_file(path), engine) == {"ok"}


@pytest.mark.parametrize("path", TESTS, ids=lambda p: p.stem)
def test_what_is_printed_is_the_same_test(path: Path) -> None:
    test = parse_file(path)
    assert parse(print_test(test)) == test


def test_there_are_enough() -> None:
    assert len(TESTS) >= 25 and len(cases("khronos", ".test")) >= 8


@pytest.mark.parametrize("path", cases("khronos", ".test"), ids=lambda p: p.stem)
def test_diagnostics(path: Path) -> None:
    assert told(path, "khronos") == expected(path)


BY_RULES = {
    "barriers-in-two-orders": "AMDGPU's models do not ask in which order a thread meets two barriers",
    "order-that-is-not-transitive": "AMDGPU's modification order binds pairs in scope, and need be no order of these",
}
"""Where AMDGPU's reading of Vulkan differs from Vulkan's own model although nothing is lost, and why."""


@pytest.mark.parametrize("path", TESTS, ids=lambda p: p.stem)
def test_vulkan_and_the_translation_agree_where_nothing_is_lost(path: Path) -> None:
    test = parse_file(path)
    found = compare(test, "vulkan[races=undef]", "amdgpu-vulkan").relation
    assert (found == "same") == (not list(losses(test)) and path.stem not in BY_RULES)


ACCESS = "NEWWG\nNEWSG\nNEWTHREAD\n{}\n"


def first(text: str) -> LitmusTest:
    return parse(ACCESS.format(text))


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("st.sc0 x = 1", "store 1, x # sc0:vulkan vulkan:private"),
        ("st.nonpriv.sc1 x = 1", "store 1, x # amdgpu-synchronize-as:local sc1:vulkan"),
        ("st.av.scopewg.sc0 x = 1", 'av.store.b32 1, x syncscope("workgroup") # sc0:vulkan'),
        ("ld.vis.scopedev.sc0 x", 'r0 = av.load.b32 x syncscope("agent") # sc0:vulkan'),
        ("rmw.scopeqf.sc0 x = 0 2", 'r0 = atomicrmw xchg x, 2 syncscope("cluster") monotonic # sc0:vulkan'),
        (
            "st.atom.rel.scopedev.sc0.semsc0 x = 1",
            'store atomic 1, x syncscope("agent") release '
            "# amdgcn-av:none amdgpu-synchronize-as:global sc0:vulkan semsc0:vulkan",
        ),
        (
            "membar.acq.rel.scopesg.semsc0.semsc1.semav.semvis",
            'fence syncscope("wavefront") acq_rel '
            "# semav:vulkan semsc0:vulkan semsc1:vulkan semvis:vulkan vulkan:nonprivate",
        ),
        ("avdevice", "make.available # avdevice:vulkan"),
    ],
)
def test_an_instruction_is_a_statement_with_what_else_it_says_as_tags(line: str, printed: str) -> None:
    text = print_test(first(line))
    body = text[text.index("{") + 1 : text.index("}")].strip()
    assert " ".join(body.split()) == printed


def test_values_that_are_not_given_are_new_ones() -> None:
    test = first("st.sc0 x\nst.sc0 y = 1\nld.sc0 x")
    assert [state.split() for state in outcomes(test, "vulkan").states()] == [["P0:r0=2"]]
