"""RUN lines of LLVM's tests that run opt.

What goes in: a text with lines such as `; RUN: opt -passes=dse -S %s | FileCheck %s`. What comes out: the arguments of
each run of opt, and the reason why others are none. Invariant: a line that is not understood to its end is not run.
"""

from __future__ import annotations

import re

from axmem.formats.lit import commands, words
from axmem.front.records import dataclass
from axmem.front.source import Source

OPT = "opt"
_OUTPUT = frozenset({"-S", "--S", "-", "-o", "%s", "<"})
"""What says where the text comes from and goes to."""
_STREAMS = (["2", ">&", "1"], ["2", ">", "/dev/null"], [">", "/dev/null"])
_SHELL = re.compile(r"[|<>&;()]+|.*%.*")


@dataclass(frozen=True, slots=True)
class OptRun:
    """Runs of opt one after the other, each on what the one before it has written; `line` is where they stand."""

    line: int
    arguments: tuple[tuple[str, ...], ...]

    @property
    def shown(self) -> str:
        """The runs as a shell would take them."""
        return " | ".join(" ".join((OPT, *each)) for each in self.arguments)


def opt_runs(source: Source) -> tuple[tuple[OptRun, ...], tuple[str, ...]]:
    """Return the runs of opt in a text, and what is said of lines that are none."""
    found: list[OptRun] = []
    others: list[str] = []
    for span, command in commands(source.text):
        try:
            found.append(OptRun(span.line, tuple(_runs(words(command)))))
        except ValueError as reason:
            others.append(str(reason))
    return tuple(found), tuple(others)


def _runs(command: list[str]) -> list[tuple[str, ...]]:
    """Return the arguments of opt in a pipe that begins with it. Raises ValueError."""
    if command[:1] != [OPT]:
        raise ValueError("a run of another program")
    found = []
    while command[:1] == [OPT]:
        end = command.index("|") if "|" in command else len(command)
        found.append(tuple(_arguments(command[1:end])))
        command = command[end + 1 :]
    if any(OPT in part for part in command[:1]):
        raise ValueError("opt behind another program")
    return found


def _arguments(given: list[str]) -> list[str]:
    """Return arguments without those that say where texts come from and go to. Raises ValueError."""
    for stream in _STREAMS:
        for at in range(len(given) - len(stream) + 1):
            if given[at : at + len(stream)] == stream:
                given = given[:at] + given[at + len(stream) :]
                break
    kept = [word for word in given if word not in _OUTPUT]
    for word in kept:
        if _SHELL.fullmatch(word):
            raise ValueError("a run of opt that reads or writes other files")
        if word.lstrip("-").startswith(("disable-output", "o=")):
            raise ValueError("a run of opt that writes no module")
    return kept
