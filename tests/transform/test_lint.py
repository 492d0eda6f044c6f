"""Warnings of loop metadata that LLVM 22 makes something else of: the consequences of CONVERGENCE f4, and mending."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main
from axmem.litmus.parser import parse
from axmem.transform.lint import metadata_warnings
from tests.loopmd.shapes import Generated, nest_lines, single_lines, text_of


def warnings(shape: str, *attributes: str, bound: str = "%n") -> list[tuple[str, str]]:
    given = Generated(shape, (attributes,), single_lines(shape, bound))
    return [(w.message, w.hint) for w in metadata_warnings(parse(text_of([given])))]


def around(*attributes: str, shape: str = "sums") -> list[tuple[str, str]]:
    given = Generated(shape, ((), attributes), nest_lines(shape, ["%n", "%m"]))
    return [(w.message, w.hint) for w in metadata_warnings(parse(text_of([given])))]


@pytest.mark.parametrize("asked", ["unroll.enable", "unroll.full"])
def test_the_vectorizer_takes_the_loop_first(asked: str) -> None:
    ((message, hint),) = warnings("map", asked)
    assert message == f"from O2 on LLVM 22 vectorizes this loop before {asked} counts, and unrolls nothing"
    assert "llvm.loop.unroll.count" in hint and "llvm.loop.vectorize.enable" in hint
    assert warnings("map", asked, "unroll.count=4") == []
    assert warnings("map", asked, "vectorize.enable=0") == []
    assert warnings("map", asked, bound="8") == []
    assert warnings("recurrence", asked) == []  # no vectorizer takes it


def test_vectorize_only_then_unroll() -> None:
    ((message, hint),) = warnings("map", "vectorize.enable=1", "vectorize.followup_vectorized={unroll.enable}")
    assert message.startswith("LLVM 22 does not unroll a vectorized loop without a count")
    assert "llvm.loop.unroll.count" in hint
    assert warnings("map", "vectorize.enable=1", "vectorize.followup_vectorized={unroll.count=4}") == []


def test_a_successful_distribution_is_warned_of() -> None:
    ((message, hint),) = warnings("apart", "distribute.enable=1", bound="8")
    assert message == "each loop that the distribution makes asks for it again, and is warned of"
    assert hint == "add llvm.loop.distribute.followup_coincident and llvm.loop.distribute.followup_sequential"
    assert warnings("apart", "distribute.enable=1", "distribute.followup_all={user}", bound="8") == []


def test_a_distribution_that_fails_is_warned_of_twice() -> None:
    ((message, hint),) = warnings("fence", "distribute.enable=1", bound="8")
    assert message == "this loop is not distributed (a fence stands in it), and LLVM 22 warns of that twice"
    assert hint == "leave distribute.enable out"


def test_distribute_enable_needs_its_value() -> None:
    found = warnings("apart", "distribute.enable", "distribute.followup_all={user}", bound="8")
    assert found == [("LLVM 22 reads the value of distribute.enable without looking for it", "write i1 true after it")]


def test_a_successful_jam_is_warned_of() -> None:
    assert around("unroll_and_jam.count=4") == [
        (
            "the loop that unroll-and-jam makes asks for it again, and is warned of",
            "add llvm.loop.unroll_and_jam.followup_outer",
        )
    ]
    assert around("unroll_and_jam.count=4", "unroll_and_jam.followup_outer={user}") == []


def test_followups_of_the_outer_remainder_are_ignored() -> None:
    ((message, _),) = around("unroll_and_jam.followup_remainder_outer={user}")
    assert message.startswith("LLVM 22 ignores this followup")


def test_interchange_disregards_disable_nonforced() -> None:
    ((message, _),) = around("disable_nonforced")
    assert message.startswith("LLVM 22 interchanges loops in spite of disable_nonforced")
    assert around("disable_nonforced", shape="atomics") == []
    assert warnings("map", "disable_nonforced") == []


def test_axmem_check_warns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.litmus"
    path.write_text(text_of([Generated("map", (("unroll.enable",),), single_lines("map", "%n"))]), encoding="utf-8")
    assert main(["check", str(path)]) == 0
    assert "warning: from O2 on LLVM 22 vectorizes this loop before unroll.enable counts" in capsys.readouterr().err
