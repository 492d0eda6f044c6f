"""`--bound N`: the bound of loops, for every command that looks at the executions of given tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main

TWICE = """\
litmus twice-round

global x = 0

thread P0 {
  s = 0
  r = 0
  while r < 2 {
    r = load atomic x monotonic
    s = s + 1
  }
}

thread P1 {
  store atomic 1, x monotonic
  store atomic 2, x monotonic
}

bound 2
exists (P0:s=3)
"""
"""The first test of r is of a constant: s=3 is within a bound of three, and not of two."""


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(list(arguments))
    return capsys.readouterr().out.replace("\xa0", " ")


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "twice.litmus"
    file.write_text(TWICE)
    return str(file)


@pytest.mark.parametrize(
    ("command", "within", "beyond"),
    [
        (("run", "--model", "sc", "--outcomes"), "P0:r=2  P0:s=3", ""),
        (("run", "--model", "sc", "--condition-only"), "sometimes", "unknown"),
        (("table", "--models", "sc", "--outcomes"), "P0:r=2  P0:s=3", ""),
        (("compare", "--models", "sc,sc"), "beyond 3 iterations", "beyond 2 iterations"),
        (("explain", "--model", "sc"), "allowed", "unknown"),
        (("graph", "--model", "sc"), "<svg", ""),
        (("trace", "--model", "sc", "--stage", "outcomes"), "P0:s=3", ""),
    ],
    ids=lambda given: given[0] if isinstance(given, tuple) else "",
)
def test_the_bound_is_that_of_the_command_line(
    capsys: pytest.CaptureFixture[str], path: str, command: tuple[str, ...], within: str, beyond: str
) -> None:
    name, *options = command
    assert within not in (cut := printed(capsys, name, path, *options)) and beyond in cut
    assert within in printed(capsys, name, path, *options, "--bound", "3")


def test_refine_takes_the_bound_for_both_tests(capsys: pytest.CaptureFixture[str], path: str) -> None:
    """With a bound every loop of which something goes on is cut, so that nothing is said to be sound."""
    assert "unknown" in printed(capsys, "refine", path, path, "--closed", "--model", "sc", "--bound", "3")
    assert "beyond 3 iterations" in printed(capsys, "refine", path, path, "--closed", "--model", "sc", "--bound", "3")
    assert main(["refine", "--rule", "merge-loads", "--bound", "3"]) == 2
    assert "--bound" in capsys.readouterr().err
