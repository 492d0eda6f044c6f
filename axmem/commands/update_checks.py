"""`axmem fmt --lit`: the output of a test's RUN lines as its CHECK lines."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import axmem
from axmem.front.exits import INTERNAL_ERROR, MISMATCH, OK, ExitCodes
from axmem.front.inputs import STDIN, InputText, read_inputs
from axmem.front.options import Subparsers, add_command
from axmem.front.source import Diagnostic, InputError, Source, mistake

if TYPE_CHECKING:
    from axmem.formats.lit import RunLine

DESCRIPTION = """\
Run the commands of a file's RUN lines, axmem … | FileCheck %s, and write what they print as CHECK lines at its end,
so that lit tests it. Lines that were written before are replaced.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="update-checks",
        examples=("axmem fmt --lit --check @examples/checked.litmus", "axmem fmt --lit tests"),
        description=DESCRIPTION,
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a .litmus or .ll file, a directory, or @list")
    parser.add_argument(
        "--check", action="store_true", help="name the files that are not up to date, and exit with 1 if there are any"
    )
    parser.add_argument("--force", action="store_true", help="replace CHECK lines that this command did not write")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    codes = ExitCodes()
    texts, errors = read_inputs(options.paths, (".litmus", ".ll"))
    codes.errors(errors)
    for text in texts:
        with codes.part():
            codes.add(_update(options, text))
    return codes.code


def _update(options: argparse.Namespace, text: InputText) -> int:
    """Do what was asked with one file; return its exit code."""
    from axmem.formats.lit import run_lines
    from axmem.front.output import write_whole
    from axmem.report.filecheck import updated

    if text.name == STDIN:
        raise mistake(STDIN, "CHECK lines are written into a file", "name one")
    source = Source(text.name, text.text)
    runs, warnings = run_lines(source)
    for warning in warnings:
        print(warning, file=sys.stderr)
    path = Path(text.name).absolute()
    outputs = [_printed(source, run, path, path.parent) for run in runs]
    new = updated(source, runs, outputs, force=options.force)
    if new == text.text:
        print(f"{text.name}: up to date")
        return OK
    if options.check:
        print(f"{text.name}: not up to date")
        return MISMATCH
    _try(Source(text.name, new), runs, outputs)
    write_whole(text.name, new)
    print(f"{text.name}: updated")
    return OK


def _try(source: Source, runs: tuple[RunLine, ...], outputs: list[tuple[str, ...]]) -> None:
    """Raise InputError if the commands print something else of a text in which that is written."""
    import tempfile

    folder = Path(source.name).absolute().parent
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / Path(source.name).name
        copy.write_bytes(source.text.encode("utf-8"))
        for run, output in zip(runs, outputs, strict=True):
            if _printed(source, run, copy, folder) != output:
                message = "this prints something else each time, or once its CHECK lines are written"
                raise InputError([Diagnostic(source, run.span, message)])


def _printed(source: Source, run: RunLine, path: Path, folder: Path) -> tuple[str, ...]:
    """Return what a command prints, as FileCheck's patterns; raise InputError if lit would not get as far."""
    import subprocess

    from axmem.report.filecheck import normal

    arguments = run.substituted(str(path), str(folder))
    root = str(Path(axmem.__file__).parent.parent)
    there = os.environ.get("PYTHONPATH")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "axmem", *arguments],
        input=path.read_text(encoding="utf-8") if run.reads else "",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if run.errors else subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{there}" if there else root},
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    lines = normal(done.stdout, [str(path.parent), str(folder)])
    if bool(done.returncode) != run.fails or done.returncode == INTERNAL_ERROR:
        message = f"this command ends with exit code {done.returncode}, with which lit would stop"
        said = (done.stderr or "").strip() or "`not axmem …` is for a command that must fail"
        raise InputError([Diagnostic(source, run.span, message, said)])
    if not lines:
        raise InputError([Diagnostic(source, run.span, "this command prints nothing that could be compared")])
    return lines
