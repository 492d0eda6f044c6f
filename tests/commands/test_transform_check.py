"""`axmem transform --check`: verdicts, exit codes, JSON."""

from __future__ import annotations

import json

import pytest

from axmem.cli import main

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
