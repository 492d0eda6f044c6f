"""CHECK lines, by which FileCheck compares the output of a command with a file.

What goes in: a text, its RUN lines, and what their commands print. What comes out: the text with that output in CHECK
lines at its end, under a line that names the command which writes them. Invariants: no line before them moves, so that
places in the output stay true; every line of the output is compared, whole and in its order, but for times and the
directory of the file; a text that has its CHECK lines already is what comes out again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from axmem.formats.lit import RunLine
from axmem.front.source import Diagnostic, InputError, Source, Span

NOTE = "; NOTE: written by axmem fmt --lit; run it again instead of editing what follows"

_NUMBER = "{{[0-9.e-]+}}"
_VARYING = (r"^Time \S+ ([\d.]+)$", r"[ ,]([\d.]+) s$", r'"seconds": ([\d.e-]+)')
"""What is another number each time, as the group."""
_MEANS = re.compile(r"\{\{|\[\[")
"""What FileCheck would not take for itself."""
_WRITTEN = re.compile(r"; [A-Za-z][\w-]*: .*|; [A-Za-z][\w-]*-EMPTY:|")
"""A line below the note that was written with it."""


def normal(output: str, folders: Iterable[str]) -> tuple[str, ...]:
    """Return the lines of an output as patterns of FileCheck, without what differs from run to run and from place."""
    patterns = [re.compile(text, re.MULTILINE) for text in _VARYING]
    texts = [re.compile(f"({re.escape(folder.rstrip('/'))}/)") for folder in folders]
    lines = [_pattern(line, [*patterns, *texts], len(patterns)) for line in output.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return tuple(lines)


def _pattern(line: str, patterns: Sequence[re.Pattern[str]], numbers: int) -> str:
    """Return a line as a pattern; what the first `numbers` patterns find is a number, what the others find is gone."""
    spans = sorted((*m.span(1), k < numbers) for k, pattern in enumerate(patterns) for m in pattern.finditer(line))
    made, at = "", 0
    for begin, end, number in spans:
        if begin >= at:
            made += literal(line[at:begin]) + (_NUMBER if number else "{{.*}}")
            at = end
    rest = line[at:].rstrip()
    return made + literal(rest) + ("{{ *}}" if line.strip() and len(rest) < len(line) - at else "")


def literal(text: str) -> str:
    """Return a text as a pattern that matches just this text."""
    return _MEANS.sub(lambda m: "{{" + "".join(f"\\{c}" for c in m[0]) + "}}", text)


def updated(source: Source, runs: Sequence[RunLine], outputs: Sequence[Sequence[str]], *, force: bool = False) -> str:
    """Return a text with the CHECK lines of its runs, of which `outputs` are what each prints, normal.

    Raises InputError for two runs that print different lines under one prefix, and, without `force`, for CHECK lines
    that were not written by this function.
    """
    blocks: dict[str, tuple[RunLine, Sequence[str]]] = {}
    for run, output in zip(runs, outputs, strict=True):
        first, lines = blocks.setdefault(run.prefix, (run, output))
        if (lines, first.whole) != (output, run.whole):
            message = f"this prints other lines than the run in line {first.span.line}, which has the same prefix"
            raise InputError([Diagnostic(source, run.span, message, f"--check-prefix={run.prefix}2")])
    end = "\r\n" if "\r\n" in source.text else "\n"
    kept = _without(source, [*blocks], force)
    while kept and not kept[-1].strip():
        kept.pop()
    written = [line for run, output in blocks.values() for line in _lines(run, output)]
    return end.join([*kept, "", NOTE, *written, ""])


def _lines(run: RunLine, output: Iterable[str]) -> Iterable[str]:
    """Yield the CHECK lines of a run."""
    begin, end = ("", "") if run.whole else ("{{^}}", "{{$}}")
    for number, line in enumerate(output):
        if line:
            yield f"; {run.prefix}{'-NEXT' * bool(number)}: {begin}{line}{end}"
        else:
            yield f"; {run.prefix}-EMPTY:"


def _without(source: Source, prefixes: Sequence[str], force: bool) -> list[str]:
    """Return the lines of a text without CHECK lines of these prefixes and what was written with them."""
    check = re.compile(rf".*\b({'|'.join(map(re.escape, prefixes))})(-[A-Z]+(-\d+)?)?(\{{LITERAL\}})?:.*")
    kept: list[str] = []
    ours = False
    for number, line in enumerate(source.text.splitlines(), 1):
        ours = line == NOTE or (ours and _WRITTEN.fullmatch(line) is not None)
        if ours or (force and check.fullmatch(line)):
            continue
        if check.fullmatch(line) and "RUN:" not in line:
            message = "this line was not written by axmem fmt --lit"
            hint = "--force replaces the lines of this prefix; another one goes with --check-prefix"
            raise InputError([Diagnostic(source, Span(number, 1, len(line)), message, hint)])
        kept.append(line)
    return kept
