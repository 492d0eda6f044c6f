"""How a command is named on the command line: by a word, by a word of a group, or by an option of another command.

What goes in: the words of a command line. What comes out: the command, which is a module of `axmem.commands`, and its
own words. Invariant: each command has one spelling that help shows; its own name is read, too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

COMMANDS = {
    "run": "find the outcomes of tests and check what they expect",
    "check": "check the syntax of tests and models, without running anything",
    "fmt": "print tests in their canonical form, or rewrite them",
    "models": "list the built-in models, or show one",
    "compare": "compare two models on tests",
    "diff": "find the smallest programs that distinguish two models",
    "explain": "explain why an outcome is allowed or forbidden",
    "graph": "draw the execution that explains an outcome",
    "trace": "follow one test through all stages",
    "table": "print tables of outcomes",
    "page": "print tests as pages of a specification, with reasons and pictures",
    "report": "write a suite as a static site: outcomes, pictures, explanations, models",
    "lower": "print the instructions of a test on a target, with the reason for each",
    "convert": "print a test as LLVM IR, one kernel for each thread",
    "verify": "check the machine code of a test against the model",
    "waits": "check that any assembly waits for its registers, without a test",
    "generate": "make tests from cycles of relaxations",
    "repair": "find the cheapest annotations that forbid an outcome, or the weakest that still do",
    "refine": "check whether a change is sound",
    "passes": "check what passes of LLVM make of small functions",
    "hunt": "verify what llc makes of random programs",
    "theorems": "check the properties that the specifications claim",
    "prove": "prove a property or a rule for executions of any size",
    "conv": "print which lanes of a kernel are converged at which blocks",
    "uniform": "print which values of a kernel are uniform",
    "progress": "check whether every execution of the launched kernels ends",
    "loopmd": "print what LLVM's passes do to the loop metadata of a kernel",
    "transform": "transform the loops of a kernel, and check whether that is sound",
    "extract": "print the concurrent skeleton of a module of LLVM IR as a test",
    "update-checks": "write what RUN lines print as CHECK lines",
    "lsp": "serve an editor: diagnostics, hovers, definitions, completion, outcomes",
    "link": "print a link that opens a test in the playground",
    "examples": "list, print or copy the corpus and the examples that come with axmem",
}
"""The commands, each with what it does."""
GROUPS = {
    "kernel": ("uniform", "conv", "progress", "loopmd", "transform", "extract"),
    "doc": ("table", "page", "report"),
}
"""Words that stand before the names of commands."""
ABOUT = {
    "kernel": "ask about the lanes and loops of a kernel: uniformity, convergence, progress, loop metadata",
    "doc": "write what a document shows: tables, pages of a specification, a static site",
}
"""What the groups are for."""
MODES = {
    "run": {
        "--why": "explain",
        "--draw": "graph",
        "--compare": "compare",
        "--stages": "trace",
        "--link": "link",
    },
    "fmt": {"--to": "convert", "--lit": "update-checks"},
    "verify": {"--hunt": "hunt", "--waits": "waits"},
    "prove": {"--bounded": "theorems"},
}
"""Options that make another command of one."""
FORMER: dict[str, dict[str, tuple[str, ...]]] = {
    "verify": {"--elements": ("--needs",), "--necessity": ("--needs", "--by", "operation")},
    "hunt": {"--seconds": ("--timeout-all",)},
    "passes": {"--seconds": ("--timeout-all",)},
}
"""Options of commands that have another name now, which are still read."""
VALUED = "--to"
"""The one of these options that has a value, which the other command reads."""
UNSHOWN = "lsp"
"""A command that no person starts."""
_SPELLED = {
    **{name: f"{group} {name}" for group, names in GROUPS.items() for name in names},
    **{name: f"{word} {option}" for word, options in MODES.items() for option, name in options.items()},
}


class Read(NamedTuple):
    """The command that is named, if one is, and what follows; `instead` of a `former` name there is another."""

    command: str
    words: list[str]
    former: str = ""
    instead: str = ""


def spelled(command: str) -> str:
    """Return how a command is named on the command line."""
    return _SPELLED.get(command, command)


def usage(command: str) -> str:
    """Return how the usage of a command begins: an option that it reads itself stands there among the others."""
    return spelled(command).removesuffix(f" {VALUED}")


def shown(commands: Collection[str]) -> list[str]:
    """Return the words that help lists: the commands that have a word of their own, and the groups."""
    return [*(name for name in commands if name not in _SPELLED and name != UNSHOWN), *GROUPS]


def modes(command: str) -> dict[str, str]:
    """Return the options that make another command of one, with that."""
    return MODES.get(command, {})


def read(words: Sequence[str], commands: Collection[str]) -> Read:
    """Return what the words of a command line name; no command, if it is none or a group alone."""
    if not words:
        return Read("", [])
    word, rest = words[0], list(words[1:])
    if word in GROUPS:
        named = rest[0] if rest else ""
        return Read(named, rest[1:]) if named in GROUPS[word] else Read("", rest)
    if word not in commands:
        return Read("", rest)
    options = modes(word)
    for k, each in enumerate(rest):
        if each == "--":
            break
        if (name := options.get(each.split("=")[0])) is not None:
            kept = each.split("=")[0] == VALUED
            return _renamed(name, rest if kept else rest[:k] + rest[k + 1 :])
    if word in _SPELLED:
        return Read(word, _renamed(word, rest).words, word, spelled(word))
    return _renamed(word, rest)


def _renamed(command: str, words: list[str]) -> Read:
    """Return the words that follow a command with former options by their names of today."""
    known, found, last = FORMER.get(command, {}), Read(command, words), len(words)
    if "--" in words:
        last = words.index("--")
    kept = words[:last]
    for option in (word.split("=")[0] for word in words[:last]):
        if (instead := known.get(option)) is not None:
            kept = [part for word in kept for part in _instead(word, option, instead)]
            found = Read(command, [*kept, *words[last:]], option, " ".join(instead))
    return found


def _instead(word: str, option: str, instead: tuple[str, ...]) -> tuple[str, ...]:
    """Return a word, or what stands instead of it if it is an option, with the value that it has after `=`."""
    name, equals, value = word.partition("=")
    return (*instead[:-1], f"{instead[-1]}{equals}{value}") if name == option else (word,)
