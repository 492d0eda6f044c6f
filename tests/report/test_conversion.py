"""`graph -o` writes what the name says, or says why not; no other command writes text under the name of a picture."""

from __future__ import annotations

import re
import shutil
import struct
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.commands.graph import ENDINGS
from axmem.front.source import InputError
from axmem.report.pictures import conversion
from tests.drawn import some
from tests.paths import CORPUS

TEST = str(CORPUS / "base" / "MP+rel+acq.litmus")
GRAPH = ("graph", TEST, "--model", "llvm")
BEGINS = {
    "svg": b"<svg", "png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-", "dot": b"digraph", "gv": b"digraph",
    "tikz": b"\\begin{tikzpicture}", "tex": b"\\begin{tikzpicture}", "json": b"{",
}  # fmt: skip
"""What files of each ending begin with."""


def needed(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program}")


@pytest.mark.parametrize("ending", some([*ENDINGS], of=2))
def test_a_file_is_what_its_name_says(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / f"picture.{ending}"
    code = main([*GRAPH, "-o", str(made)])
    if code == 0:
        assert made.read_bytes().startswith(BEGINS[ending])
    else:
        assert not any(map(shutil.which, conversion.PROGRAMS))
        assert "no program that makes" in capsys.readouterr().err and not made.exists()


@pytest.mark.parametrize("program", ["rsvg-convert", "chromium"])
def test_each_program_draws_all_of_a_picture(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed(program)
    monkeypatch.setattr(conversion, "PROGRAMS", {program: conversion.PROGRAMS[program]})
    svg, png, pdf = (tmp_path / f"picture.{form}" for form in ("svg", "png", "pdf"))
    for made in (svg, png, pdf):
        assert main([*GRAPH, "-o", str(made)]) == 0
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    assert f'width="{width // 2}" height="{height // 2}"' in svg.read_text(encoding="utf-8")
    assert pdf.read_bytes().startswith(BEGINS["pdf"])
    assert len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes())) <= 1, "of one sheet; librsvg's is packed"


def test_pictures_of_a_directory(tmp_path: Path) -> None:
    if not any(map(shutil.which, conversion.PROGRAMS)):
        pytest.skip(f"there is none of {', '.join(conversion.PROGRAMS)}")
    assert main(["graph", TEST, "--model", "llvm", "--model", "sc", "--format", "png", "-o", f"{tmp_path}/"]) == 0
    assert {path.suffix for path in tmp_path.iterdir()} == {".png"} and len([*tmp_path.iterdir()]) == 2


def test_without_a_program_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(conversion, "PROGRAMS", {"no-such-program": conversion.PROGRAMS["rsvg-convert"]})
    made = tmp_path / "picture.png"
    made.write_bytes(b"mine")
    assert main([*GRAPH, "-o", str(made)]) == 2
    assert made.read_bytes() == b"mine"
    said = capsys.readouterr().err
    assert "--format:1:1: error: no program that makes PNG of SVG is found" in said and "hint: install" in said


FAILING = [("echo broken >&2; exit 7", "broken"), ("exit 7", "exit code 7"), ("", "no file")]


@pytest.mark.parametrize(("body", "said"), FAILING)
def test_a_program_that_fails_is_said(body: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "rsvg-convert"
    program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(conversion, "PROGRAMS", {str(program): conversion.PROGRAMS["rsvg-convert"]})
    with pytest.raises(InputError, match=said):
        conversion.converted("<svg/>", "png")


@pytest.mark.parametrize(
    ("command", "name", "said"),
    [
        (GRAPH, "picture.jpg", "no picture is written as '.jpg'"),
        (GRAPH, "picture.txt", "no picture is written as '.txt'"),
        ((*GRAPH, "--format", "svg"), "picture.png", "what is written is text, and no '.png'"),
        (("run", TEST), "run.pdf", "what is written is text, and no '.pdf'"),
        (("page", TEST, "--format", "latex"), "page.PDF", "what is written is text, and no '.pdf'"),
        (("lower", TEST, "--target", "gfx942", "--format", "svg"), "x.png", "what is written is text, and no '.png'"),
    ],
)
def test_a_name_that_is_not_kept_is_refused(
    command: tuple[str, ...], name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "-o", str(tmp_path / name)]) == 2
    assert said in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_a_name_without_an_end_asks_for_svg(tmp_path: Path) -> None:
    assert main([*GRAPH, "-o", str(tmp_path / "picture")]) == 0
    assert (tmp_path / "picture").read_bytes().startswith(BEGINS["svg"])
