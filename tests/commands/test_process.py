"""The command as a process: exit codes, signals, pipes, files, and what it imports.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from axmem.cli import main
from tests.drawn import some
from tests.paths import INPUTS, PATIENCE, ROOT

HEAVY = {"z3", "networkx", "tabulate"}

SLOW = "litmus Slow\nglobal x = 0\n" + "".join(
    f"thread P{i} {{\n  r0 = atomicrmw add x, 1 monotonic\n  r1 = atomicrmw add x, 1 monotonic\n}}\n" for i in range(8)
) + "exists (P0:r0=1)\n"  # fmt: skip


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "axmem", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, cwd=INPUTS, env=environment(), timeout=PATIENCE, input=text
    )


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("axmem 0.")
    told = run("--help")
    assert told.returncode == 0
    assert all(word in told.stdout for word in ("run", "check", "fmt", "models", "exit codes:"))
    assert "exit codes:" in run("run", "--help").stdout


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["models", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    lines = (
        "import sys, axmem.cli",
        f"try: axmem.cli.main({arguments!r})",
        "except SystemExit: pass",
        f"print(*sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, env=environment(), timeout=PATIENCE
    )
    assert (done.returncode, done.stderr.strip()) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["SB.litmus"], 0),
        (["SB.litmus", "Wrong.litmus"], 1),
        (["Wrong.litmus", "Broken.litmus"], 2),
        (["Wrong.litmus", "none.litmus"], 2),
        (["Unexpected.litmus", "--max-outcomes", "1"], 3),
        (["Unexpected.litmus", "Wrong.litmus", "--timeout", "3600", "--max-outcomes", "2"], 1),
        (["SB.litmus", "--max-outcomes", "1", "none.litmus"], 2),
    ],
)
@pytest.mark.parametrize("form", ["text", "herd", "json", "junit"])
def test_exit_codes(arguments: list[str], code: int, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(INPUTS)
    assert main(["run", *arguments, "--model", "two.cat", "--format", form]) == code


@pytest.mark.parametrize(
    "arguments",
    [["nothing"], [], ["run"], ["run", "x", "-j", "-1"], ["run", "x", "--timeout", "0"],
     ["run", "x", "--timeout", "nan"],
     ["run", "x", "--max-outcomes", "0"], ["run", "x", "--memory", "much"], ["run", "x", "--format", "xml"],
     ["run", "x", "--mod", "sc"], ["fmt", "x", "--check", "-i"]],
)  # fmt: skip
def test_wrong_options(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2


def test_standard_input() -> None:
    text = (INPUTS / "SB.litmus").read_text(encoding="utf-8")
    done = run("run", "-", "--model", "two.cat", text=text)
    assert (done.returncode, done.stdout.split()[:4]) == (0, ["SB", "two", "never", "ok"])
    done = run("run", "-", text="litmus L\n")
    assert done.stderr.startswith("<stdin>:") or done.returncode == 0


def test_nobody_reads_the_output() -> None:
    process = subprocess.Popen(
        command("run", ".", "--model", "two.cat", "--outcomes"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=INPUTS,
        env=environment(),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=PATIENCE) == 141
    assert "Traceback" not in said
    assert "Exception" not in said


@pytest.fixture
def background(request: pytest.FixtureRequest) -> Iterator[None]:
    """Start what a test starts as a shell starts what runs in the background, deaf to interrupts; or not so."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN if request.param else signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("background", "sent"),
    [(False, signal.SIGINT), (False, signal.SIGTERM), (True, signal.SIGTERM)],
    indirect=["background"],
)
@pytest.mark.usefixtures("background")
def test_an_interrupt_leaves_whole_output(tmp_path: Path, workers: str, sent: signal.Signals) -> None:
    for index, text in enumerate([(INPUTS / "SB.litmus").read_text(encoding="utf-8"), SLOW, SLOW, SLOW]):
        (tmp_path / f"{index}.litmus").write_text(text, encoding="utf-8")
    log = tmp_path / "log"
    with log.open("w", encoding="utf-8") as stream:
        process = subprocess.Popen(
            command("run", ".", "--model", str(INPUTS / "two.cat"), "--format", "json", "-j", workers),
            stdout=stream,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env=environment(),
        )
    try:
        while "SB" not in log.read_text(encoding="utf-8") and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(sent)
        _, said = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 128 + sent
    assert said == "axmem: interrupted: 3 of 4 tests were not run (1 were)\n"
    document = json.loads(log.read_text(encoding="utf-8"))
    assert [r["file"] for r in document["results"]] == ["0.litmus", "0.litmus"]
    assert document["summary"]["not_run"] == 3


@pytest.mark.parametrize("background", [False], indirect=True)
@pytest.mark.usefixtures("background")
def test_an_interrupt_of_the_solver_is_one(tmp_path: Path) -> None:
    """The solver is at work for a minute; wherever the interrupt finds the process, it ends it."""
    adders = "".join(f"thread P{i} {{\n r = atomicrmw add x, {1 << i} monotonic\n}}\n" for i in range(9))
    (tmp_path / "adders.litmus").write_text(f"litmus adders\nglobal x = 0\n{adders}exists (P0:r=0)\n", encoding="utf-8")
    with subprocess.Popen(
        command("run", str(tmp_path / "adders.litmus"), "--model", "llvm", "--engine", "z3", "--outcomes"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    ) as process:  # fmt: skip
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signal.SIGINT
    assert said == "axmem: interrupted: 1 of 1 tests were not run (0 were)\n"
    assert "1 not run" in out


@pytest.mark.parametrize(
    ("background", "workers"), some([*product((False, True), ("1", "2"))], of=3), indirect=["background"]
)
@pytest.mark.usefixtures("background")
def test_a_request_to_end_leaves_the_verdicts_that_were_found(tmp_path: Path, workers: str) -> None:
    with subprocess.Popen(
        command("verify", "--suite", "--target", "gfx942", "-j", workers),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signal.SIGTERM
    assert "  gfx942  amdgpu  sound" in first
    assert re.fullmatch(r"axmem: \d+ of \d+ tests were verified\naxmem: interrupted\n", said)
    assert re.search(r"^\d+ tests?: \d+ sound", out, re.MULTILINE)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("background", [True], indirect=True)
@pytest.mark.usefixtures("background")
def test_a_request_to_end_a_search_leaves_what_it_found(workers: str) -> None:
    with subprocess.Popen(
        command("diff", "amdgpu", "amdgpu[vis.instance=literal]", "--registers-only", "-j", workers),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        while "1 operation: " not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        out, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert said == "axmem: interrupted\n"
    assert "before the search was interrupted\n" in out


# ---------------------------------------------------------------- files


def test_output_goes_to_a_file_at_once(tmp_path: Path) -> None:
    target = tmp_path / "log.json"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    done = run("run", "SB.litmus", "--model", "two.cat", "--format", "json", "-o", str(target))
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads(target.read_text(encoding="utf-8"))["summary"]["tests"] == 1
    assert target.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["log.json"]


def test_output_to_a_link_a_device_and_nowhere(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    assert main(["run", str(INPUTS / "Unexpected.litmus"), "-o", str(tmp_path / "link")]) == 0
    assert (tmp_path / "link").is_symlink()
    assert "1 test" in (tmp_path / "real").read_text(encoding="utf-8")
    assert main(["run", str(INPUTS / "Unexpected.litmus"), "-o", os.devnull]) == 0
    assert Path(os.devnull).is_char_device()
    assert main(["run", str(INPUTS / "Unexpected.litmus"), "-o", str(tmp_path / "no" / "such")]) == 2


def test_junit_is_xml_whatever_the_names(tmp_path: Path) -> None:
    odd = tmp_path / "a<&>\"'\x01.litmus"
    odd.write_text((INPUTS / "Wrong.litmus").read_text(encoding="utf-8"), encoding="utf-8")
    target = tmp_path / "report.xml"
    assert main(["run", str(odd), "--model", str(INPUTS / "two.cat"), "--format", "junit", "-o", str(target)]) == 1
    suite = ET.parse(target).getroot()[0]
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["1", "1", "0", "0"]
    assert suite[1].get("classname", "").endswith("a<&>\"'�")


def test_names_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    (tmp_path / "é.litmus").write_text("litmus é", encoding="utf-8")
    done = subprocess.run(
        command("run", str(tmp_path)),
        capture_output=True,
        text=True,
        env={**environment(), "PYTHONIOENCODING": "ascii"},
        timeout=PATIENCE,
    )
    assert "Traceback" not in done.stderr


def test_fmt_in_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, commented = tmp_path / "a.litmus", tmp_path / "b.litmus"
    plain.write_text((INPUTS / "SB.litmus").read_text(encoding="utf-8"), encoding="utf-8")
    text = (INPUTS / "Long.litmus").read_text(encoding="utf-8")
    commented.write_text(text, encoding="utf-8")
    assert main(["fmt", "--check", str(plain)]) == 1
    assert main(["fmt", "-i", str(tmp_path)]) == 2
    assert main(["fmt", "--check", str(plain)]) == 0
    assert commented.read_text(encoding="utf-8") == text
    assert "this file has 2 lines with comments" in capsys.readouterr().err
    assert main(["fmt", "-i", "--drop-comments", str(tmp_path)]) == 0
    assert main(["fmt", "--check", str(tmp_path)]) == 0
    assert not main(["fmt", str(plain)])
    assert capsys.readouterr().out == plain.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "found"),
    [("; x", True), ("  # x", True), ("store 1, x # a:b", False), ("store 1, x # a:b ; x", True),
     ('"a ; b # c"', False), ('"a" ; b', True), ("", False), ('!0 = !{!"a;b"}', False), ("x ;", True)],
)  # fmt: skip
def test_comments_are_seen(line: str, found: bool) -> None:
    from axmem.formats.canonical import comment_lines

    assert comment_lines(f"litmus L\n{line}\n") == ((2,) if found else ())


UNUSED = {
    "z3", "networkx", "tabulate", "distributed", "multiprocessing", "concurrent", "logging", "dataclasses", "inspect",
    "json", "tempfile", "subprocess", "importlib.resources", "axmem.encoder.oracle", "axmem.encoder.search",
    "axmem.check.run.batch", "axmem.check.run.cluster", "axmem.check.run.known_results", "axmem.model.elaborate",
    "axmem.model.parser", "axmem.model.syntax",
}  # fmt: skip
"""What one small test under a model that was kept loads nothing of."""


@pytest.mark.parametrize(
    ("arguments", "further"),
    [
        (["run", "SB.litmus", "--model", "llvm"], set[str]()),
        (["fmt", "SB.litmus"], {"axmem.encoder", "axmem.model", "axmem.check", "pickle", "hashlib"}),
        (["--help"], {"axmem.litmus", "axmem.model", "axmem.check"}),
    ],
)
def test_a_small_command_loads_what_it_uses(arguments: list[str], further: set[str], tmp_path: Path) -> None:
    """The answer comes from tables, this process does the work, and an earlier one has elaborated the model."""
    code = "import sys; from axmem.cli import main\n"
    code += f"try: main({arguments!r})\nexcept SystemExit: pass\n"
    code += f"print(sorted({UNUSED | further!r} & sys.modules.keys()))"
    settings = {**environment(), "AXMEM_CACHE": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True, cwd=INPUTS, env=settings
        )
    assert done.stdout.endswith("[]\n")
