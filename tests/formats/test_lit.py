"""RUN lines: which are read, how, and what is said of the others. The forms are those of lit's own pages."""

from __future__ import annotations

import pytest

from axmem.formats.lit import RunLine, run_lines
from axmem.front.source import InputError, Source, Span


def read(*lines: str) -> tuple[RunLine, ...]:
    return run_lines(Source("a.litmus", "".join(f"; RUN: {line}\n" for line in lines)))[0]


def said(text: str) -> str:
    with pytest.raises(InputError) as error:
        run_lines(Source("a.litmus", text))
    return str(error.value)


def test_the_plain_line() -> None:
    assert read("axmem run %s | FileCheck %s") == (RunLine(Span(1, 3, 32), ("run", "%s")),)


def test_a_line_with_everything() -> None:
    options = "-check-prefix A-1 %s --match-full-lines -v"
    (line,) = read(f"not axmem run - --model '%S/a b.cat' < %s 2>&1 | filecheck {options}")
    assert line.arguments == ("run", "-", "--model", "%S/a b.cat")
    assert (line.prefix, line.fails, line.reads, line.errors, line.whole) == ("A-1", True, True, True, True)
    assert line.substituted("/x/f", "/x") == ("run", "-", "--model", "/x/a b.cat")


def test_a_command_goes_on_in_the_next_line() -> None:
    (line,) = read("axmem run %s \\", "  --outcomes | FileCheck %s")
    assert line.arguments == ("run", "%s", "--outcomes") and line.span.line == 1


def test_signs_in_quotes_are_no_signs_of_the_shell() -> None:
    (line,) = read("axmem run --why %s --outcome 'a:r=1 /\\ x<2' | FileCheck %s --check-prefix=A")
    assert line.arguments[4] == "a:r=1 /\\ x<2"


def test_lines_of_others_are_left_and_those_that_filecheck_reads_warned_of() -> None:
    lines = ("opt -S %s | FileCheck %s --check-prefix=OPT", "axmem check %s", "axmem run %s | FileCheck %s")
    found, warnings = run_lines(Source("a.ll", "".join(f"; RUN: {line}\n" for line in lines)))
    assert [line.arguments for line in found] == [("run", "%s")]
    assert [str(w).splitlines()[0] for w in warnings] == [
        "a.ll:1:3: warning: this run is not of axmem: its CHECK lines are left as they are"
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("axmem run %s | FileCheck", "FileCheck compares with this file alone: FileCheck %s"),
        ("axmem run %s | FileCheck %s --input-file=x", "the option '--input-file=x' of FileCheck is not known here"),
        ("axmem run %s | FileCheck %s --check-prefixes=A,B", "a RUN line of axmem has one prefix, not 'A,B'"),
        ("axmem run %s | FileCheck %s -check-prefix", "a RUN line of axmem has one prefix, not ''"),
        ("axmem run %s | sort | FileCheck %s", "'|' is not understood here: axmem … | FileCheck %s is"),
        ("axmem run %s > x && cat x | FileCheck %s", "'>' is not understood here: axmem … | FileCheck %s is"),
        ("axmem run %t | FileCheck %s", "the substitution '%t' is not known: %s and %S are"),
        ("axmem fmt --lit %s | FileCheck %s", "a run of axmem names a command that prints something"),
        ("axmem run '%s | FileCheck %s", "this command is not complete: no closing quotation"),
        (
            "axmem run %s | FileCheck %s --match-full-lines --strict-whitespace",
            "whole lines are compared without regard to blanks: leave out --strict-whitespace",
        ),
    ],
)
def test_what_is_not_understood_is_an_error_in_its_line(line: str, message: str) -> None:
    assert said(f"litmus A\n  ; RUN: {line}\n") == (
        f"a.litmus:2:5: error: {message}\n    ; RUN: {line}\n      ^{'~' * (len(line) + 4)}\n"
        "  hint: such as ; RUN: axmem run %s --outcomes | FileCheck %s"
    )


def test_a_file_without_a_run_line() -> None:
    assert said("litmus A\n; RUN: axmem check %s\n").startswith(
        "a.litmus: error: no RUN line has the output of axmem compared with this file\n  hint: write one, such as ; RUN"
    )
