"""Command lines that cannot be read: what is wrong in one line, what would mend it in the next, where to read on.

What goes in: the words of a command line, and the parser that has to read them. What comes out: a message on the
standard error, and exit code 2. Invariant: the list of options is never printed over the error.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from axmem.front.exits import INPUT_ERROR
from axmem.front.source import did_you_mean, nearest
from axmem.front.typing import override

OTHER_COMMANDS = {
    "alive": "refine",
    "asm": "lower",
    "codegen": "lower",
    "compile": "lower",
    "cat": "models",
    "draw": "run --draw",
    "format": "fmt",
    "herd": "run",
    "herd7": "run",
    "lint": "check",
    "litmus": "run",
    "outcomes": "run",
    "simulate": "run",
    "sound": "refine",
    "test": "run",
    "uniformity": "kernel uniform",
    "version": "--version",
    "why": "run --why",
}
"""What people call the commands who come from other tools."""
OTHER_OPTIONS = {
    "--arch": "--target",
    "--cpu": "--target",
    "--json": "--format json",
    "--loop-bound": "--bound",
    "--mcpu": "--target",
    "--out": "--output",
    "--threads": "--jobs",
    "--time-limit": "--timeout",
    "--unroll": "--bound",
    "-march": "--target",
    "-mcpu": "--target",
    "-model": "--model",
    "-show": "--outcomes (axmem run --draw draws an execution)",
    "-unroll": "--bound",
    "-variant": "--variant",
}
"""What options of other tools are called here; the hint is given where the command has the first word."""


class CommandLine(argparse.ArgumentParser):
    """A parser whose errors begin with what is wrong, and go on with what would mend it.

    `example` is a command line that works, for who leaves out what is required.
    """

    example = ""

    @override
    def error(self, message: str) -> NoReturn:
        hint = ""
        if self.example and "are required" in message:
            hint = f"for example: {self.example}"
        self.refuse(message, hint)

    def refuse(self, message: str, hint: str = "") -> NoReturn:
        """Say what is wrong with the command line, what would mend it and where to read on, and exit."""
        lines = [f"{self.prog}: error: {message}", *([f"  hint: {hint}"] if hint else []), f"  see: {self.prog} --help"]
        self.exit(INPUT_ERROR, "\n".join(lines) + "\n")

    def refuse_unknown_options(self, words: Iterable[str]) -> None:
        """Refuse the first option that there is not; what follows `--` is no option."""
        for word in words:
            if word == "--":
                return
            name = word.split("=")[0]
            if self._is_unknown(name):
                self.refuse(f"unknown option '{name}'", self._nearest_option(name))

    def _is_unknown(self, name: str) -> bool:
        known = self._option_string_actions
        numbers = self._negative_number_matcher
        if not name.startswith("-") or name == "-" or " " in name or numbers.match(name) or name in known:
            return False
        # A letter takes its value, or further letters, in the same word.
        return name.startswith("--") or name[:2] not in known

    def _nearest_option(self, name: str) -> str:
        """Return what an unknown option was meant to be, by what other tools call it, or by its letters."""
        known = self._option_string_actions
        said = OTHER_OPTIONS.get(name, "")
        if said.split(" ")[0] in known:
            return f"here it is called {said}"
        long = f"-{name}" if name.startswith("-") and not name.startswith("--") else name
        return did_you_mean(long, (each for each in known if each.startswith("--")))

    @override
    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        words = [str(each) for each in action.choices]
        hint = did_you_mean(str(value), words)
        message = f"'{value}' is not among {', '.join(words)}"
        raise argparse.ArgumentError(action, f"{message}\n  hint: {hint}" if hint else message)


def refuse_command(parser: CommandLine, words: Sequence[str], commands: Mapping[str, str], usual: str = "") -> NoReturn:
    """Refuse a command line whose first word is no command: a file, another tool's word, a slip of the finger.

    `commands` are all names that are read, each with how it is spelled; the `usual` one is for files of any kind.
    """
    known = tuple(commands)
    word = words[0]
    if word.startswith("-"):
        later = next((each for each in words if each in known), None)
        hint = f"options stand behind the command: {parser.prog} {later} {word}" if later else ""
        parser.refuse(f"unknown option '{word}'", hint or did_you_mean(word, parser._option_string_actions))
    if os.path.exists(word) or word.startswith("@") or os.path.splitext(word)[1] in SUFFIXES:
        command = usual or SUFFIXES.get(os.path.splitext(word)[1], "run")
        parser.refuse(f"'{word}' is no command", f"to ask about a file: {parser.prog} {command} {' '.join(words)}")
    other = OTHER_COMMANDS.get(word.lower()) if not usual else None
    near = nearest(word.lower(), known)
    hint = f"here it is called '{other}'" if other else f"did you mean '{commands[near]}'?" if near else ""
    parser.refuse(f"unknown command '{word}'", hint)


SUFFIXES = {".litmus": "run", ".ll": "run", ".test": "run", ".cat": "check"}
"""Which command a file is for, by the end of its name."""


def without_help_command(words: Sequence[str]) -> list[str]:
    """Return a command line in which `help run` is `run --help`, and `help` alone is `--help`."""
    if words and words[0] == "help":
        return [*words[1:], "--help"]
    return list(words)
