"""Kernels transformed as their metadata asks for: what is done to code is what is decided about the loops."""

from __future__ import annotations

import pytest

from axmem.cli import main
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.ssa import single_assignment
from axmem.transform.executed import executed
from axmem.transform.loops import loops
from axmem.transform.metadata import MetadataQuestion, loop_metadata
from tests.loopmd.shapes import Generated, nest_lines, single_lines, text_of
from tests.paths import ROOT
from tests.transform.metadata import written

ENABLE = str(ROOT / "litmus" / "examples" / "unroll-enable.litmus")


def single(shape: str, bound: str, *attributes: str) -> str:
    return text_of([Generated(shape, (attributes,), single_lines(shape, bound))])


def nest(*attributes: str) -> str:
    return text_of([Generated("sums", (("user",), attributes), nest_lines("sums", ["%n", "%m"]))])


CASES = [
    (single("map", "%n", "unroll.count=2", "user"), MetadataQuestion(pipeline="O1"), "unroll(h, 2)"),
    (single("map", "%n", "unroll.count=3"), MetadataQuestion(pipeline="unroll"), "unroll(h, 3)"),
    (single("map", "8", "unroll.full"), MetadataQuestion(pipeline="unroll-full"), "unroll(h)"),
    (single("map", "8", "unroll.count=4", "user"), MetadataQuestion(pipeline="unroll"), "unroll(h, 4)"),
    (single("map", "8", "unroll.count=3", "user"), MetadataQuestion(pipeline="unroll"), "unroll(h, 3, tests)"),
    (
        single("map", "%n", "vectorize.enable=1", "vectorize.followup_vectorized={unroll.count=2}"),
        MetadataQuestion(
            pipeline="O2", do=("vectorize(plain,2)@h", "unroll(2)@h.vectorized"), dont=("unroll@h.epilogue",)
        ),
        "vectorize(h, 2); unroll(h.vector.1, 2)",
    ),
    (nest("unroll_and_jam.count=2"), MetadataQuestion(pipeline="unroll-and-jam"), "jam(o, 2)"),
]


@pytest.mark.parametrize(("text", "question", "applied"), CASES)
def test_code_has_the_loops_that_were_decided(text: str, question: MetadataQuestion, applied: str) -> None:
    kernel = parse(text).kernels[0]
    said, after = executed(kernel, question)
    assert said == applied
    (report,) = loop_metadata(kernel, question).nests
    (case,) = report.cases
    decided = [[written(a) for a in tree.attributes] for root in case.loops for tree in root.walk()]
    found = [loop.identity for loop in loops(single_assignment(after.kernel))]
    assert sorted([] if each is None else [*map(written, each.attributes)] for each in found) == sorted(decided)


def test_costs_must_not_leave_cases_open() -> None:
    with pytest.raises(InputError) as refused:
        executed(parse(single("map", "%n", "user")).kernels[0], MetadataQuestion())
    (found,) = refused.value.diagnostics
    assert found.message.startswith("costs leave") and "--dont" in found.hint


def test_a_factor_must_be_known() -> None:
    question = MetadataQuestion(pipeline="vectorize", do=("vectorize(plain)@h",))
    with pytest.raises(InputError) as refused:
        executed(parse(single("map", "%n", "user")).kernels[0], question)
    (found,) = refused.value.diagnostics
    assert found.message == "by which factor vectorize takes 'h' is not known"


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transform", ENABLE, "--metadata", "--pipeline", "O1", "--do", "unroll(2)@h"]) == 0
    printed = capsys.readouterr().out
    assert "br h.left.2 >= 2, h, h.rest.1, !llvm.loop !1" in printed
    assert '!{!"llvm.loop.unroll.disable"}' in printed and "unroll.enable" not in printed
    assert main(["transform", ENABLE, "--metadata"]) == 2
    assert "costs leave 3 cases" in capsys.readouterr().err
