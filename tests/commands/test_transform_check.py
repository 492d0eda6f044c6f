"""`axmem kernel transform --check`: verdicts, exit codes, JSON.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axmem.cli import main
from tests.drawn import in_full

KERNEL = "@examples/flag-then-data.litmus"


def test_a_kernel_is_printed_that_can_be_read_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transform", KERNEL, "--apply", "unroll(h, 2)"]) == 0
    assert capsys.readouterr().out.count("release") == 2


def test_the_same_row_is_sound_in_every_context(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["transform", KERNEL, "--apply", "unroll(h, 2)", "--check", "--progress", "fair", "--format", "json"]) == 0
    )
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert [o["verdict"] for o in kernel["outcomes"]] == ["sound", "sound"]
    assert kernel["participants"] == {"verdict": "sound", "reasons": []}
    assert [e["verdict"] for e in kernel["endings"]] == ["sound"]


def test_an_unknown_transformation_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transform", KERNEL, "--apply", "unrol(h, 2)", "--check"]) == 2
    assert "unrol" in capsys.readouterr().err


ASKED = """\
litmus asked
global <2 x i32> d = {0, 0}
kernel K() {
entry:
  br h
h:
  i = phi i32 [ 0, entry ], [ j, h ]
  j = i + 1
  store atomic j, d[i] monotonic
  br j < 2, h, exit, !llvm.loop !0
exit:
  ret void
}
!0 = distinct !{!0, !{!"llvm.loop.unroll.count", i32 2}}
exists (true)
"""


@pytest.mark.parametrize(("passes", "title"), [("unroll", "unroll(h)"), ("distribute", "no transformation")])
def test_what_metadata_asks_for_is_checked_under_its_name(
    passes: str, title: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "asked.litmus").write_text(ASKED, encoding="utf-8")
    asked = ["transform", str(tmp_path / "asked.litmus"), "--metadata", "--pipeline", passes]
    assert main([*asked, "--check", "--model", "llvm"]) == 0
    assert capsys.readouterr().out.startswith(f"{title}  llvm  sound in every context: the same row of operations\n")


def test_a_kernel_whose_metadata_asks_for_nothing_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "asked.litmus").write_text(ASKED, encoding="utf-8")
    asked = ["transform", str(tmp_path / "asked.litmus"), "--metadata", "--pipeline", "distribute"]
    assert main(asked) == 0
    printed = capsys.readouterr().out
    assert (printed.count("store atomic"), printed.count("unroll.count")) == (1, 1)
    assert main([*asked, "--weakest"]) == 2
    assert "--weakest: error: the metadata of 'K' asks for no transformation" in capsys.readouterr().err


OBSERVED = """\
litmus observed
global <2 x i32> d = {0, 0}
global <2 x i32> f = {0, 0}
kernel K() {
entry:
  br h
h:
  i = phi i32 [ 0, entry ], [ j, h ]
  j = i + 1
  store atomic 1, f[i] release
  store atomic 1, d[i] monotonic
  br j < 2, h, exit
exit:
  ret void
}
thread P {
  p = load atomic f[1] acquire
  if p == 1 {
    q = load atomic d[0] monotonic
  }
}
exists (true)
"""


@in_full
def test_how_strong_operations_may_be_is_said_of_what_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever acquires the second flag sees the first datum, until all flags are pulled before all data.

    A monotonic flag tells nothing, whatever the data are, nor does one released to the own workgroup, in which the
    thread is not; one released further does, even if the data are plain.
    """
    (tmp_path / "observed.litmus").write_text(OBSERVED, encoding="utf-8")
    asked = ["transform", str(tmp_path / "observed.litmus"), "--apply", "distribute(h, 1)", "--model", "llvm"]
    assert main(asked) == 1
    capsys.readouterr()
    assert main([*asked, "--weakest", "--events", "0"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "distribute(h, 1)  llvm  46 choices in contexts of up to 0 operations",
        "  sound up to",
        "    store atomic 1, f[i] monotonic",
        "    store atomic 1, d[i] seq_cst",
        "  sound up to",
        '    store atomic 1, f[i] syncscope("workgroup") seq_cst',
        '    store atomic 1, d[i] syncscope("workgroup") seq_cst',
        "  unsound from",
        '    store atomic 1, f[i] syncscope("agent") release',
        "    store 1, d[i]",
    ]


def test_strengths_with_which_a_transformation_does_not_exist_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Loads are merged if they have one ordering: of plain, and three times three atomic ones, 10 of 46 choices."""
    text = "litmus twice\nglobal d = 0\nkernel K() {\n  a = load atomic d monotonic\n  b = load atomic d monotonic\n}\n"
    (tmp_path / "twice.litmus").write_text(f"{text}exists (true)\n", encoding="utf-8")
    asked = ["transform", str(tmp_path / "twice.litmus"), "--apply", "merge(a, b)", "--model", "llvm"]
    assert main([*asked, "--weakest", "--events", "0"]) == 0
    assert "  36 choices for which it cannot be done\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--check", "--weakest"), "--weakest judges every strength"),
        (("--do", "vectorize@h"), "without --metadata there is nothing to decide"),
        (("--dont", "vectorize@h"), "without --metadata there is nothing to decide"),
        (("--progress", "fair"), "it is a part of --check"),
    ],
)
def test_options_without_effect_are_errors(
    given: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transform", KERNEL, "--apply", "unroll(h, 2)", *given]) == 2
    assert message in capsys.readouterr().err


MEETING = """\
litmus meeting
global x = 0, y = 0
kernel K() lanes 2 {
entry:
  s.barrier
  r = load x
  br lane.id == 0, then, end
then:
  store atomic r, y monotonic
  br end
end:
  ret void
}
exists (true)
"""


def test_what_contexts_lack_is_said_before_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "meeting.litmus").write_text(MEETING, encoding="utf-8")
    asked = ["transform", str(tmp_path / "meeting.litmus"), "--apply", "sink(r, then)", "--model", "llvm"]
    assert main([*asked, "--check", "--events", "1"]) == 0
    lack = "if contexts have none of barriers: no counterexample in contexts of up to 1 operation"
    assert f"sink(r, then)  llvm  {lack}" in capsys.readouterr().out
    assert main([*asked, "--check", "--events", "0"]) == 0
    assert "sink(r, then)  llvm  sound as it is" in capsys.readouterr().out


@in_full
def test_what_contexts_lack_is_said_in_a_record_and_of_strengths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "meeting.litmus").write_text(MEETING, encoding="utf-8")
    asked = ["transform", str(tmp_path / "meeting.litmus"), "--apply", "sink(r, then)", "--model", "llvm"]
    assert main([*asked, "--check", "--events", "1", "--format", "json"]) == 0
    ((outcome,),) = (k["outcomes"] for k in json.loads(capsys.readouterr().out)["kernels"])
    assert outcome["without"] == ["barriers"]
    assert main([*asked, "--weakest", "--events", "1"]) == 0
    assert "in contexts of up to 1 operation, which have none of barriers\n" in capsys.readouterr().out
