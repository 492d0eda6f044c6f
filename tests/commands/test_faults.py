"""Every command on inputs that are no good and outputs that cannot be written: a covering sample (tests/faults.py).

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.front.source import ENOUGH
from axmem.front.spelling import COMMANDS
from tests.drawn import in_full, some
from tests.faults import FILELESS, cases, covering, end, folder, somebody


@pytest.fixture
def place() -> Iterator[None]:
    """A directory that anybody may enter, which those of pytest are not."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        with folder(Path(directory) / "cases"):
            yield


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("command", some([*COMMANDS], of=4))
def test_every_fault_is_told(command: str) -> None:
    sample = [case for case in covering(cases()) if case.command == command and case.fault != "large"]
    assert bool(sample) != (command in FILELESS)
    found = {case.name: problem for case in sample if (problem := end(case))}
    assert not found


@in_full
@pytest.mark.usefixtures("place")
def test_a_large_file() -> None:
    (case,) = (c for c in cases() if (c.command, c.slot, c.suffix, c.fault, c.output) == LARGEST)
    assert not end(case)


LARGEST = ("check", "paths", ".litmus", "large", "stdout")


@pytest.mark.parametrize(
    ("text", "suffix"),
    [("foo bar\n", ".litmus"), ("§ §\n", ".litmus"), ("let = po\n", ".cat"), ("§ §\n", ".cat")],
)
def test_of_very_many_errors_the_first_are_told(
    text: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_text("litmus L\n" * (suffix == ".litmus") + text * 3000, encoding="utf-8")
    assert main(["check", str(path)]) == 2
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith(str(path))]
    assert len(said) == ENOUGH + 1
    assert said[-1] == f"{path}: error: there are more than 100 errors; the others are not shown"


def test_somebody_may_not_read_or_write_what_is_locked(tmp_path: Path) -> None:
    """Else no case of an unreadable file, or of a directory that may not be written, would be one."""
    (tmp_path / "unreadable").write_text("text", encoding="utf-8")
    (tmp_path / "unreadable").chmod(0)
    tmp_path.chmod(0o555)
    with somebody():
        with pytest.raises(PermissionError):
            (tmp_path / "unreadable").read_text(encoding="utf-8")
        with pytest.raises(PermissionError):
            (tmp_path / "new").write_text("text", encoding="utf-8")
    tmp_path.chmod(0o755)
