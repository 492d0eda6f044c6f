"""`axmem kernel loopmd`: what it prints beside what its page shows, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axmem.cli import main
from tests.paths import ROOT

ENABLE = str(ROOT / "litmus" / "examples" / "unroll-enable.litmus")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["loopmd", *arguments]) == 0
    return capsys.readouterr().out


def test_the_same_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    (kernel,) = json.loads(printed(capsys, ENABLE, "--format", "json", "--do", "vectorize(plain)@h"))["kernels"]
    (case,) = kernel["nests"][0]["cases"]
    assert [stage["pass"] for stage in case["stages"]] == kernel["passes"]
    assert [loop["name"] for loop in case["stages"][-1]["loops"]] == ["h.vectorized", "h.epilogue"]
    origins = {each["name"]: each["origin"] for each in case["stages"][-1]["loops"][0]["attributes"]}
    assert origins["llvm.loop.unroll.enable"] == "!0"
    assert origins["llvm.loop.isvectorized"] == "added by vectorize"
    assert [warning["loop"] for warning in case["warnings"]] == ["h.vectorized", "h.epilogue"]
    assert case["warnings"][0]["text"].startswith("loop not unrolled: the optimizer was unable to perform")


def test_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = printed(capsys, ENABLE, "--format", "svg", "--dont", "vectorize@h")
    assert drawn.startswith("<svg") and drawn.endswith("</svg>\n")
    assert ">h.unrolled</text>" in drawn and ">unroll.disable<title>added by unroll</title></text>" in drawn


def test_a_kernel_without_loops(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "k.litmus").write_text("litmus K\nkernel K() {\n  ret\n}\n", encoding="utf-8")
    assert printed(capsys, str(tmp_path / "k.litmus")).splitlines()[1:] == ["  no loops"]


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["--pipeline", "O7"], "no pipeline or pass is named 'O7'", ""),
        (
            ["--pipeline", "distribute,vectorise"],
            "no pipeline or pass is named 'vectorise'",
            "did you mean 'vectorize'?",
        ),
        (["--do", "vectorize@g"], "vectorize comes to no loop 'g'", "it comes to h"),
        (["--do", "vectorize@h.vectorised"], "vectorize comes to no loop 'h.vectorised'", "it comes to h"),
        (["--dont", "interchange@h"], "the pipeline has no pass 'interchange'", "it has unroll-full"),
        (["--do", "unroll(0)@h", "--dont", "vectorize@h"], "unroll does not leave 0 of 'h'", "possible: "),
        (["--kernel", "L"], "no kernel is named 'L'", ""),
    ],
)
def test_what_is_refused(arguments: list[str], message: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["loopmd", ENABLE, *arguments]) == 2
    said = capsys.readouterr()
    assert message in said.err and hint in said.err and not said.out
