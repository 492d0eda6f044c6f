"""What is read of files: regular ones, of a size, and of a model's includes those below its directory."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.front import files
from axmem.front.inputs import read_inputs
from axmem.front.options import megabytes

TEST = "litmus t\n\nglobal x = 0\n\nthread P0 {\n  store 1, x\n}\n\nexists (true)\n"
MODEL = 'include "{}"\nacyclic po | rf | co | fr as sc\n'
SECRET = "this line is nobody's business (\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_or_a_device_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody writes to the pipe, and the device never ends."""
    os.mkfifo(tmp_path / "pipe.litmus")
    (tmp_path / "zero.litmus").symlink_to("/dev/zero")
    (tmp_path / "null.ll").symlink_to("/dev/zero")
    (tmp_path / "good.litmus").write_text(TEST, encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert err.count("it is a pipe or a device, and no regular file") == 2 and "2 errors" in out
    os.mkfifo(tmp_path / "pipe.cat")
    assert main(["models", str(tmp_path / "pipe.cat")]) == 2
    assert "a pipe or a device" in capsys.readouterr().err


def test_what_is_too_large_is_said_with_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MEGABYTES", 0)
    (tmp_path / "a.litmus").write_text(TEST, encoding="utf-8")
    for stdin in (None, io.BytesIO(TEST.encode())):
        texts, wrong = read_inputs(["-" if stdin else str(tmp_path / "a.litmus")], stdin=stdin)
        assert not texts and "it has more than 64 MB" in wrong[0].message


@pytest.mark.parametrize("name", ["../outside.cat", "link.cat", "{}/outside.cat"])
def test_a_model_includes_what_lies_below_its_directory(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model from elsewhere quotes no file of this machine in a message."""
    (tmp_path / "models" / "below").mkdir(parents=True)
    (tmp_path / "outside.cat").write_text(SECRET, encoding="utf-8")
    (tmp_path / "models" / "link.cat").symlink_to(tmp_path / "outside.cat")
    path = tmp_path / "models" / "a.cat"
    path.write_text(MODEL.format(name.format(tmp_path)), encoding="utf-8")
    assert main(["models", str(path)]) == 2
    err = capsys.readouterr().err
    assert "cannot find the included file" in err and "business" not in err
    assert main(["models", str(path), "--include", str(tmp_path)]) == 2
    assert "business" in capsys.readouterr().err
    assert files.INCLUDE not in os.environ


def test_a_file_below_is_included_by_whom_it_includes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b.cat").write_text('include "../c.cat"\n', encoding="utf-8")
    (tmp_path / "c.cat").write_text("let c = po\n", encoding="utf-8")
    (tmp_path / "a.cat").write_text(MODEL.format("below/b.cat") + "acyclic c as cs\n", encoding="utf-8")
    assert main(["models", str(tmp_path / "a.cat")]) == 0, capsys.readouterr()
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.cat").write_text(MODEL.format("c.cat"), encoding="utf-8")
    assert main(["models", str(other / "a.cat")]) == 2
    assert main(["models", str(other / "a.cat"), "--include", str(tmp_path)]) == 0


def test_no_quoted_line_steers_a_terminal_behind_a_pipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.litmus").write_text("litmus \x1b[31mred\n", encoding="utf-8")
    assert main(["check", str(tmp_path / "a.litmus")]) == 2
    err = capsys.readouterr().err
    assert "\\x1b[31mred" in err and "\x1b" not in err


def test_more_memory_than_there_can_be_is_an_error_of_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["run", "x.litmus", "--memory", "9" * 20])
    assert "is more than 4294967296 megabytes" in capsys.readouterr().err
    assert megabytes("4294967296") == 2**32


def test_line_ends_of_the_system_are_canonical(tmp_path: Path) -> None:
    path = tmp_path / "a.litmus"
    path.write_bytes(TEST.replace("\n", "\r\n").encode())
    assert main(["fmt", "--check", str(path)]) == 0
    path.write_bytes(TEST.replace("store 1", "store   1").replace("\n", "\r\n").encode())
    assert main(["fmt", "--check", str(path)]) == 1
    assert main(["fmt", "-i", str(path)]) == 0
    assert path.read_bytes() == TEST.replace("\n", "\r\n").encode()
    path.write_bytes(TEST.replace("\n", "\r\n", 2).encode())
    assert main(["fmt", "--check", str(path)]) == 1
