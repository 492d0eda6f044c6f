"""Command lines that cannot be read: what is wrong in one line, what would mend it in the next, where to read on.

What goes in: the words of a command line, and the parser that has to read them. What comes out: a message on the
standard error, and exit code 2. Invariant: the list of options is never printed over the error.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from axmem.front.exits import INPUT_ERROR
from axmem.front.source import did_you_mean, nearest
from axmem.front.typing import override

OTHER_COMMANDS = {
    "alive": "refine",
    "alive-tv": "refine",
    "analyse": "check",
    "analyze": "check",
    "asm": "lower",
    "codegen": "lower",
    "cat": "models",
    "compile": "lower",
    "dartagnan": "run",
    "diy": "generate",
    "diy7": "generate",
    "draw": "run --draw",
    "fix": "repair",
    "format": "fmt",
    "herd": "run",
    "herd7": "run",
    "lint": "check",
    "list": "examples",
    "litmus": "run",
    "llc": "verify --llc",
    "ls": "examples",
    "mcompare": "run --compare",
    "mcompare7": "run --compare",
    "opt": "passes",
    "outcomes": "run",
    "race": "check",
    "races": "check",
    "simulate": "run",
    "solve": "run",
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
    "--no-color": "--color never",
    "--out": "--output",
    "--threads": "--jobs",
    "--time-limit": "--timeout",
    "--unroll": "--bound",
    "--write": "--in-place",
    "-march": "--target",
    "-mcpu": "--target",
    "-model": "--model",
    "-show": "--outcomes (axmem run --draw draws an execution)",
    "-unroll": "--bound",
    "-variant": "--variant",
    "-w": "--in-place",
}
"""What options of other tools are called here; the hint is given where the command has the first word."""
OTHER_VALUES = {"c": "herd-c", "herd": "herd-c", "ll": "llvm-ir", "llvm": "llvm-ir", "md": "markdown", "tex": "latex"}
"""What the values of options are called elsewhere; the hint is given where the option has the value."""
EVERYWHERE = {
    "--quiet": "a command prints its answer, and its exit code says it too: > /dev/null",
    "-q": "a command prints its answer, and its exit code says it too: > /dev/null",
    "--verbose": "what is left out silently is said by -v before the command: axmem -v",
}
"""What is said of options that no command has, or not all of those that people give it to."""
ALIKE = 0.7
"""How alike two options are of which one is taken for the other: all begin with the same signs."""


class CommandLine(argparse.ArgumentParser):
    """A parser whose errors begin with what is wrong, and go on with what would mend it.

    `example` is a command line that works, for who leaves out what is required.
    """

    example = ""

    @override
    def error(self, message: str) -> NoReturn:
        hint = ""
        if self.example and re.search(r" (are|is) required|^unrecognized arguments", message):
            hint = f"for example: {self.example}"
        self.refuse(message, hint)

    def refuse(self, message: str, hint: str = "") -> NoReturn:
        """Say what is wrong with the command line, what would mend it and where to read on, and exit."""
        lines = [f"{self.prog}: error: {message}", *([f"  hint: {hint}"] if hint else []), f"  see: {self.prog} --help"]
        self.exit(INPUT_ERROR, "\n".join(lines) + "\n")

    def refuse_unknown_options(self, words: Iterable[str], having: Callable[[str], Sequence[str]]) -> None:
        """Refuse the first option that there is not; `having` names the commands that have one.

        What follows `--` is no option.
        """
        for word in words:
            if word == "--":
                return
            name = word.split("=")[0]
            if self._is_unknown(name):
                hint = self._other_option(name) or self._like(name, 0.9)
                self.refuse(f"unknown option '{name}'", hint or _elsewhere(having(name)) or self._like(name, ALIKE))

    def _is_unknown(self, name: str) -> bool:
        known = self._option_string_actions
        numbers = self._negative_number_matcher
        if not name.startswith("-") or name == "-" or " " in name or numbers.match(name) or name in known:
            return False
        # A letter takes its value, or further letters, in the same word.
        return name.startswith("--") or name[:2] not in known

    def _other_option(self, name: str) -> str:
        """Return what an option of other tools is called here, or what to write instead."""
        said = OTHER_OPTIONS.get(name, "")
        if said.split(" ")[0] in self._option_string_actions:
            return f"here it is called {said}"
        return EVERYWHERE.get(name, "")

    def _like(self, name: str, alike: float) -> str:
        """Return what an unknown option was meant to be by its letters."""
        long = name if name.startswith("--") or len(name) == 2 else f"-{name}"
        return did_you_mean(long, (each for each in self._option_string_actions if each.startswith("--")), alike)

    @override
    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        words = [str(each) for each in action.choices]
        other = OTHER_VALUES.get(str(value).lower(), "")
        hint = f"here it is called '{other}'" if other in words else did_you_mean(str(value), words)
        message = f"'{value}' is not among {', '.join(words)}"
        raise argparse.ArgumentError(action, f"{message}\n  hint: {hint}" if hint else message)


def _elsewhere(commands: Sequence[str]) -> str:
    """Return that other commands have an option; of many three, those of one word first."""
    few = sorted(commands, key=lambda name: " " in name)[:3]
    return f"it is an option of axmem {', '.join(few)}" if few else ""


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
    if usual and not hint:
        hint = f"one of {', '.join(known)}"
    parser.refuse(f"unknown command '{word}'", hint)


SUFFIXES = {".litmus": "run", ".ll": "run", ".test": "run", ".cat": "check"}
"""Which command a file is for, by the end of its name."""


def without_help_command(words: Sequence[str]) -> list[str]:
    """Return a command line in which `help run` is `run --help`, and `help` alone is `--help`."""
    if words and words[0] == "help":
        return [*words[1:], "--help"]
    return list(words)
