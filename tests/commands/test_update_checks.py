"""`axmem fmt --lit`, and lit, which runs what it writes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.front.shipped import shipped
from axmem.report.filecheck import NOTE
from tests.documents.pages import sections
from tests.paths import PATIENCE, ROOT

TEST = """; RUN: axmem fmt %s --drop-comments | FileCheck %s
litmus A
global x = 0
thread P0 { store 1, x }
exists (x=1)
expect llvm always
"""


def test_writes_once_and_finds_nothing_to_do_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "A.litmus"
    file.write_text(TEST, encoding="utf-8")
    assert main(["update-checks", str(file), "--check"]) == 1
    assert file.read_text(encoding="utf-8") == TEST
    assert main(["update-checks", str(file)]) == 0
    made = file.read_text(encoding="utf-8")
    assert made.startswith(f"{TEST}\n{NOTE}\n; CHECK: {{{{^}}}}litmus A{{{{$}}}}\n; CHECK-EMPTY:\n")
    assert main(["update-checks", str(file), "--check"]) == 0
    assert capsys.readouterr().out == f"{file}: not up to date\n{file}: updated\n{file}: up to date\n"


FAILS = """{file}:1:3: error: this command ends with exit code 2, with which lit would stop
  ; RUN: axmem fmt %S/B.litmus | FileCheck %s
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: {folder}/B.litmus: error: no such file
"""


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("axmem fmt %S/B.litmus", FAILS),
        ("not axmem fmt %s", "{file}:1:3: error: this command ends with exit code 0, with which lit would stop\n"),
        ("axmem fmt --check - < %S", "{file}:1:3: error: '<' is not understood here: "),
        ("axmem fmt -i %S/C.litmus", "{file}:1:3: error: this command prints nothing that could be compared\n"),
        ("not axmem fmt --check - < %s 2>&1", ""),
    ],
)
def test_what_lit_would_stop_at_is_not_written(
    command: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "A.litmus"
    text = TEST.replace("axmem fmt %s --drop-comments", command)
    for path in (file, tmp_path / "C.litmus"):
        path.write_text(text[text.index("litmus A") :] if path.stem == "C" else text, encoding="utf-8")
    assert main(["update-checks", str(file)]) == (2 if message else 0)
    assert capsys.readouterr().err.startswith(message.format(file=file, folder=tmp_path))
    assert (file.read_text(encoding="utf-8") == text) is bool(message)


def test_a_file_without_a_run_line_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "A.ll"
    file.write_text("define void @f() {\n  ret void\n}\n", encoding="utf-8")
    assert main(["update-checks", str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"{file}: error: no RUN line has the output of axmem compared with this")


def test_lit_runs_the_files_with_the_configuration_of_the_page(tmp_path: Path) -> None:
    page = sections(ROOT / "docs" / "ci.md")["lit"]
    (configuration,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    right = Path(shipped("examples/checked.litmus")).read_text(encoding="utf-8")
    folder = tmp_path / "tests"
    folder.mkdir()
    wrong = right.replace("reader:r0=1  reader:r1=1", "reader:r0=1  reader:r1=0")
    for name, text in {"lit.cfg.py": configuration, "right.litmus": right, "wrong.litmus": wrong}.items():
        (folder / name).write_text(text, encoding="utf-8")
    tools = tmp_path / "bin"
    tools.mkdir()
    command = tools / "axmem"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m axmem "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-c", "from lit.main import main; main()", "-v", "-j", "1", str(folder)],
        env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.findall(r"^(PASS|FAIL): litmus tests :: (\w+)", done.stdout, re.MULTILINE) == [
        ("PASS", "right"), ("FAIL", "wrong"),
    ], done.stdout  # fmt: skip
    assert 'match "reader:r0=1  reader:r1=0"' in done.stdout
