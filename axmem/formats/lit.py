"""RUN lines, in which a file says to lit how it is tested.

What goes in: a text with lines such as `; RUN: axmem run %s | FileCheck %s`. What comes out: those that run axmem and
have FileCheck compare its output with the text, as `RunLine`s, and a warning for each that has another program's output
compared. Invariant: a line that is not understood to its end is an error at its place, and never run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Source, Span
from axmem.front.spelling import COMMANDS, read

EXAMPLE = "; RUN: axmem run %s --outcomes | FileCheck %s"
CHECKERS = ("FileCheck", "filecheck")
"""LLVM's program, and the one that is installed with pip."""
HARMLESS = ("--allow-empty", "--color", "--enable-var-scope", "--strict-whitespace", "-v", "-vv")
"""Options of FileCheck that change nothing about how CHECK lines are written, each for itself."""

_RUN = re.compile(r"RUN:(?P<command>.*)")
_SHELL = re.compile(r"[|<>&;()]+")
_PREFIX = re.compile(r"[A-Za-z][\w-]*")
_KNOWN = {"%s": "file", "%S": "folder", "%p": "folder", "%%": "percent"}


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run of axmem whose output FileCheck compares with the file.

    `arguments` are those of axmem, in which `%s` stands for the file. `prefix` is that of the CHECK lines, `fails` says
    that the command must (lit's `not`), `reads` that it has the file as its standard input, `errors` that its messages
    are compared too, and `whole` that FileCheck compares whole lines.
    """

    span: Span
    arguments: tuple[str, ...]
    prefix: str = "CHECK"
    fails: bool = False
    reads: bool = False
    errors: bool = False
    whole: bool = False

    def substituted(self, file: str, folder: str) -> tuple[str, ...]:
        """Return the arguments with the paths of the file and of its folder, as lit puts them in."""
        texts = {"file": file, "folder": folder, "percent": "%"}
        return tuple(re.sub(r"%.", lambda m: texts[_KNOWN[m[0]]], word) for word in self.arguments)


def run_lines(source: Source) -> tuple[tuple[RunLine, ...], tuple[Diagnostic, ...]]:
    """Return the runs of axmem in a text, and warnings about other runs whose output is compared with it.

    Raises InputError for lines that are not understood, and for a text that has no run of axmem.
    """
    found: list[RunLine] = []
    warnings: list[Diagnostic] = []
    errors: list[Diagnostic] = []
    for span, command in commands(source.text):
        try:
            parts = words(command)
            line = _read(span, parts) if "|" in parts and {*CHECKERS} & {*parts} else None
        except ValueError as reason:
            errors.append(Diagnostic(source, span, str(reason), f"such as {EXAMPLE}"))
            continue
        if line is not None and not line.arguments:
            message = "this run is not of axmem: its CHECK lines are left as they are"
            warnings.append(Diagnostic(source, span, message, severity="warning"))
        elif line is not None:
            found.append(line)
    if not found and not errors:
        message = "no RUN line has the output of axmem compared with this file"
        errors.append(Diagnostic(source, Span(0, 0, 0), message, f"write one, such as {EXAMPLE}"))
    if errors:
        raise InputError(errors)
    return tuple(found), tuple(warnings)


def commands(text: str) -> Iterator[tuple[Span, str]]:
    """Yield the commands of RUN lines, each at its first line; a backslash at its end has it go on in the next."""
    open_, first = "", Span(0, 0, 0)
    for number, line in enumerate(text.splitlines(), 1):
        match = _RUN.search(line)
        if match is None:
            continue
        command = match["command"].strip()
        first = first if open_ else Span(number, match.start() + 1, len(line) - match.start())
        open_ = f"{open_} {command}".strip()
        if open_.endswith("\\"):
            open_ = open_[:-1].rstrip()
        else:
            yield first, open_
            open_ = ""
    if open_:
        yield first, open_


def words(command: str) -> list[str]:
    """Return the words of a command, what the shell reads as its own being words of their own."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|<>&;()")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return list(lexer)
    except ValueError as reason:
        raise ValueError(f"this command is not complete: {str(reason).lower()}") from None


def _read(span: Span, words: list[str]) -> RunLine:
    """Read a command that ends in FileCheck; one of another program has no arguments. Raises ValueError."""
    fails = words[0] == "not"
    program, *rest = words[fails:]
    if program != "axmem":
        return RunLine(span, ())
    middle = rest.index("|")
    line, left = _redirected(RunLine(span, (), fails=fails), rest[:middle])
    checker, *options = rest[middle + 1 :] or [""]
    for word in (*left, *options):
        if _SHELL.fullmatch(word):
            raise ValueError(f"'{word}' is not understood here: axmem … | FileCheck %s is")
    if checker not in CHECKERS:
        raise ValueError(f"the output of axmem goes through '{checker}' before FileCheck")
    if not left or read(left, COMMANDS).command == "update-checks":
        raise ValueError("a run of axmem names a command that prints something")
    for found in (f for word in left for f in re.findall(r"%.", word)):
        if found not in _KNOWN:
            raise ValueError(f"the substitution '{found}' is not known: %s and %S are")
    return replace(_checked(line, options), arguments=tuple(left))


def _redirected(line: RunLine, words: list[str]) -> tuple[RunLine, list[str]]:
    """Return a line with what its command ends in: messages among the output, the file as the input; and the rest."""
    while True:
        if words[-3:] == ["2", ">&", "1"]:
            line, words = replace(line, errors=True), words[:-3]
        elif words[-2:] == ["<", "%s"]:
            line, words = replace(line, reads=True), words[:-2]
        else:
            return line, words


def _checked(line: RunLine, options: list[str]) -> RunLine:
    """Return a line with what the options of FileCheck say. Raises ValueError."""
    texts = [word for word in options if word == "%s"]
    if len(texts) != 1:
        raise ValueError("FileCheck compares with this file alone: FileCheck %s")
    waiting = iter(word for word in options if word != "%s")
    for word in waiting:
        name, equals, value = word.partition("=")
        name = f"--{name.lstrip('-')}" if len(name) > 3 else name
        if name in ("--check-prefix", "--check-prefixes"):
            prefix = value if equals else next(waiting, "")
            if not _PREFIX.fullmatch(prefix):
                raise ValueError(f"a RUN line of axmem has one prefix, not '{prefix}'")
            line = replace(line, prefix=prefix)
        elif name == "--match-full-lines":
            line = replace(line, whole=True)
        elif name not in HARMLESS and name != "--dump-input":
            raise ValueError(f"the option '{word}' of FileCheck is not known here")
    if line.whole and "--strict-whitespace" in {f"--{word.lstrip('-')}" for word in options}:
        raise ValueError("whole lines are compared without regard to blanks: leave out --strict-whitespace")
    return line
