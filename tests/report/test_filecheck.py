"""CHECK lines: what FileCheck makes of them, which text they are written into, and that writing again changes nothing.

FileCheck itself is asked, in the form that is installed with pip.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.formats.lit import run_lines
from axmem.front.source import InputError, Source
from axmem.report.filecheck import NOTE, normal, updated
from tests.filechecks import passes

OUTPUT = "name  {{1,2}}  [[x]] a.b*(c)\n    P0:r0=1\n\n  * P0:r0=2  \n1 test, 0.25 s\n"
PLAIN = "; RUN: axmem run %s | FileCheck %s\nlitmus A\n"
WHOLE = "; RUN: axmem run %s | FileCheck %s --match-full-lines\nlitmus A\n"


def written(text: str, *outputs: str, force: bool = False) -> str:
    source = Source("/tests/a.litmus", text)
    runs, _ = run_lines(source)
    return updated(source, runs, [normal(output, ["/tests"]) for output in outputs], force=force)


def matches(text: str, output: str, folder: Path) -> bool:
    """Ask FileCheck whether an output is what a text says."""
    (folder / "a.litmus").write_text(text, encoding="utf-8")
    (folder / "output").write_text(output, encoding="utf-8")
    options = ["--match-full-lines"] if "--match-full-lines" in text else []
    return passes(folder / "a.litmus", folder / "output", *options)


@pytest.mark.parametrize("text", [PLAIN, WHOLE])
@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("", "", True),
        ("0.25 s", "17.50 s", True),
        ("P0:r0=1\n", "P0:r0=12\n", False),
        ("    P0:r0=1", "  * P0:r0=1", False),
        ("  * P0:r0=2  \n", "    P0:r0=2\n", False),
        ("{{1,2}}", "{1,2}", False),
        ("[[x]]", "[x]", False),
        ("a.b*", "axb*", False),
        ("  * P0:r0=2", "  * P0:r0=2\n  * P0:r0=3", False),
        ("1 test", "2 tests", False),
    ],
)  # fmt: skip
def test_filecheck_finds_each_difference(text: str, before: str, after: str, same: bool, tmp_path: Path) -> None:
    assert matches(written(text, OUTPUT), OUTPUT.replace(before, after) if before else OUTPUT, tmp_path) is same


def test_written_again_a_text_is_the_same() -> None:
    for text in (PLAIN, WHOLE, PLAIN.replace("\n", "\r\n"), PLAIN.rstrip("\n"), f"{PLAIN}\n\n\n"):
        once = written(text, OUTPUT)
        assert written(once, OUTPUT) == once
        assert once.startswith(text.rstrip("\r\n")) and once.count(NOTE) == 1
        assert ("\r\n" in once) == ("\r\n" in text) and once.replace("\r\n", "").count("\n") == once.count("\n") * (
            "\r\n" not in text
        )


def test_new_lines_take_the_place_of_the_old_ones() -> None:
    old = written(PLAIN.replace("FileCheck %s", "FileCheck %s --check-prefix=OLD"), OUTPUT)
    new = written(old.replace("--check-prefix=OLD", "--check-prefix=NEW"), "one\n\ntwo\n")
    assert new.splitlines()[2:] == ["", NOTE, "; NEW: {{^}}one{{$}}", "; NEW-EMPTY:", "; NEW-NEXT: {{^}}two{{$}}"]


def test_the_directory_of_the_file_is_left_out() -> None:
    assert normal("/tests/a.litmus:3: wrong\n", ["/tests/"]) == ("{{.*}}a.litmus:3: wrong",)


def test_numbers_that_differ_each_time() -> None:
    lines = ('    "seconds": 1.5e-05', "Time A 0.25", "1 test, 2.5 kinds, 3 mismatches, 0.25 s", "Time A x")
    assert normal("\n".join(lines), []) == (
        '    "seconds": {{[0-9.e-]+}}', "Time A {{[0-9.e-]+}}", "1 test, 2.5 kinds, 3 mismatches, {{[0-9.e-]+}} s",
        "Time A x",
    )  # fmt: skip


def test_lines_that_somebody_wrote_are_kept_unless_they_may_go() -> None:
    text = f"{PLAIN}; CHECK-DAG: by hand\n; OTHER: by hand\n"
    with pytest.raises(InputError) as error:
        written(text, OUTPUT)
    assert str(error.value) == (
        "/tests/a.litmus:3:1: error: this line was not written by axmem fmt --lit\n"
        f"  ; CHECK-DAG: by hand\n  ^{'~' * 19}\n"
        "  hint: --force replaces the lines of this prefix; another one goes with --check-prefix"
    )
    made = written(text, OUTPUT, force=True)
    assert "CHECK-DAG" not in made and "; OTHER: by hand\n" in made


def test_one_prefix_is_for_one_output() -> None:
    two = PLAIN.replace("litmus", "; RUN: axmem check %s | FileCheck %s\nlitmus")
    assert written(two, "the same\n", "the same\n").count("the same") == 1
    with pytest.raises(InputError, match=r"a\.litmus:2:3: error: this prints other lines than the run in line 1"):
        written(two, "one\n", "two\n")
