"""What the command lines of several commands share: their frame, options, and numbers read for `argparse`.

What goes in: a parser to add to, or the text of an option's value. What comes out: the parser, or the number.
Invariant: what is no such number raises `argparse.ArgumentTypeError`, which the parser makes a message and exit code 2.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from argparse import SUPPRESS, ArgumentTypeError
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

from axmem.front.exits import EXIT_CODES
from axmem.front.notes import note
from axmem.front.source import mistake
from axmem.front.spelling import COMMANDS, VALUED, modes
from axmem.front.terminal import AUTO, WHEN
from axmem.front.typing import override
from axmem.front.usage import CommandLine

MARKDOWN = "markdown"
ANNOTATIONS = "github"
"""The format in which GitHub reads what is wrong with which line; elsewhere it was the name of Markdown."""
SARIF = "sarif"
"""The format in which analysis tools exchange the same."""

Subparsers: TypeAlias = "argparse._SubParsersAction[CommandLine]"
Command: TypeAlias = Callable[[argparse.Namespace], int]
"""Runs a command with its options and returns the exit code."""


def columns() -> int:
    """Return how wide help is: as the library says it, which loads the readers of archives for that."""
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and int(named):
        return int(named)
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    return 80


class HelpLayout(argparse.RawDescriptionHelpFormatter):
    """How help is laid out. One is made for each option that is added, to see whether it could be printed."""

    @override
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **{"width": columns() - 2, **named})


def add_command(
    subparsers: Subparsers,
    main: Command,
    *,
    name: str,
    description: str,
    examples: tuple[str, ...],
    epilog: str = EXIT_CODES,
) -> CommandLine:
    """Add a command to the command line and return the parser of its options; its help ends with the examples."""
    epilog = "\n".join(("examples:", *(f"  {example}" for example in examples), "", epilog))
    parser = subparsers.add_parser(
        name, description=description, epilog=epilog, formatter_class=HelpLayout, allow_abbrev=False
    )
    parser.example = examples[0]
    parser.set_defaults(main=main)
    plain(parser)
    for option, other in modes(name).items():  # These are listed here, and read by the parser of the other command.
        form: dict[str, Any] = {"metavar": "FORM"} if option == VALUED else {"action": "store_true"}
        help_ = f"{COMMANDS[other]} (axmem {name} {option} --help)"
        parser.add_argument(option, dest=SUPPRESS, default=SUPPRESS, help=help_, **form)
    parser.add_argument("--color", choices=WHEN, default=AUTO, help="colour the output (default: on a terminal)")
    return parser


def plain(parser: argparse.ArgumentParser) -> None:
    """Have a parser print its help without colours of its own, which newer Pythons would send by themselves."""
    parser.color = False  # type: ignore[attr-defined]


class Joined(argparse.Action):
    """An option with a list that may be repeated: the lists are joined by commas, in place of the default."""

    @override
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, values if before is self.default else f"{before},{values}")


def add_shared(parser: argparse.ArgumentParser, *names: str, **changed: Any) -> None:
    """Add options of `SHARED`, in order; `changed` are settings of theirs that differ here."""
    for name in names:
        flags, settings = SHARED[name]
        parser.add_argument(*flags, **{**settings, **changed})


def check_one(tests: int, options: argparse.Namespace) -> None:
    """Raise InputError if a file, or a form that is one document, would get what is printed of several tests."""
    if tests > 1 and (options.output is not None or options.format != "text"):
        raise mistake(options.path, f"these are {tests} tests, and one fits here", "name one file")


def check_listed(options: argparse.Namespace) -> None:
    """Raise InputError if what `--list` prints, which is text, is asked for in another form."""
    if options.format != "text":
        raise mistake("--format", "what --list prints is text", "leave out one of the two", text=options.format)


DIALECT = re.compile(r"(axmem|herd|dartagnan)(/\w+)?")
MOST_MEGABYTES = 2**32
"""The most megabytes that a worker can be given: limits of processes are numbers of 64 bits, of bytes."""
_CAT_FILE = re.compile(r"(^|[,\s])(?!(?:axmem|herd|dartagnan)(?:/\w+)?:)([^,\[\]\s]+\.cat)(?=$|[,\[\s])")
NAMING_MODELS = ("model", "models", "name")
"""Where a command that has `--cat-dialect` keeps the models that it was given: nothing else is read in a dialect."""


def dialect(text: str) -> str:
    """Read the dialect of cat files: `herd`, or `herd/x86` with what they are about."""
    if DIALECT.fullmatch(text) is None:
        raise ArgumentTypeError(f"'{text}' is no dialect: axmem, herd or dartagnan, or with a machine as in herd/x86")
    return text


def in_dialect(options: argparse.Namespace) -> None:
    """Put the dialect that is asked for in front of every cat file that is named as a model, if it has none."""
    chosen = getattr(options, "cat_dialect", None)
    for name in NAMING_MODELS if chosen else ():
        value = getattr(options, name, None)
        if isinstance(value, str):
            setattr(options, name, _CAT_FILE.sub(rf"\1{chosen}:\2", value))
        elif isinstance(value, list):
            setattr(options, name, [_CAT_FILE.sub(rf"\1{chosen}:\2", text) for text in value])


def natural(text: str) -> int:
    """Read a number of things, of which there may be none."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"'{text}' is not a number")
    return int(text)


def positive(text: str) -> int:
    """Read a number of things, of which there is one at least."""
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)


def folder(text: str) -> str:
    """Read the path of a directory that is there."""
    if not os.path.isdir(text):
        raise ArgumentTypeError(f"'{text}' is no directory")
    return text


def megabytes(text: str) -> int:
    """Read an amount of memory in megabytes, which a system can have."""
    if (found := _in_units(text, {"m": 1, "mb": 1, "mib": 1, "g": 1024, "gb": 1024, "gib": 1024})) is not None:
        raise ArgumentTypeError(f"'{text}' is not a number of megabytes\n  hint: write {found}")
    found = positive(text)
    if found > MOST_MEGABYTES:
        raise ArgumentTypeError(f"'{text}' is more than {MOST_MEGABYTES} megabytes")
    return found


def _in_units(text: str, units: dict[str, int]) -> int | None:
    """Return a whole number that is written with a unit, None if it is written otherwise."""
    found = re.fullmatch(r"(\d+) ?([a-zA-Z]+)", text)
    unit = units.get(found[2].lower()) if found else None
    return int(found[1]) * unit if found and unit else None


def seconds(text: str) -> float:
    """Read a time limit in seconds."""
    if (whole := _in_units(text, {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600})) is not None:
        raise ArgumentTypeError(f"'{text}' is not a number of seconds\n  hint: write {whole}")
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < 1e9:
        raise ArgumentTypeError(f"'{text}' is not a positive number of seconds")
    return found


def markup(text: str) -> str:
    """Read a format, Markdown also by the name that it had before, which is said to be old."""
    if text != ANNOTATIONS:
        return text
    note(f"--format {ANNOTATIONS} is called {MARKDOWN} here; the next version knows only this name")
    return MARKDOWN


SHARED: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "paths": (
        ("paths",),
        {"nargs": "+", "metavar": "PATH", "help": "a .litmus file, a directory, @LIST, or - for stdin"},
    ),
    "variants": (
        ("--variant",),
        {"dest": "variants", "action": "append", "default": [], "metavar": "NAME=VALUE", "help": "set a variant"},
    ),
    "dialect": (
        ("--cat-dialect",),
        {
            "type": dialect,
            "metavar": "D",
            "help": "read cat files as axmem, herd or dartagnan does (herd/x86: as models of x86)",
        },
    ),
    "mode": (
        ("--mode",),
        {"default": "", "metavar": "MODE", "help": "wgp, cu or tgsplit (default: the target's)"},
    ),
    "profile": (
        ("--profile",),
        {"default": "repaired", "metavar": "P", "help": "llvm-22, llvm-24, repaired or rfc-vulkan (default: repaired)"},
    ),
    "divergent": (
        ("--divergent",),
        {"action": "store_true", "help": "let no address count as uniform: no scalar loads"},
    ),
    "format": (
        ("--format",),
        {"choices": ("text", "json"), "default": "text", "help": "the format of the output (default: text)"},
    ),
    "jobs": (
        ("-j", "--jobs"),
        {"metavar": "N", "type": natural, "default": 1, "help": "processes, 0: one per core"},
    ),
    "bound": (
        ("--bound",),
        {"type": positive, "metavar": "N", "help": "iterations of a loop, instead of the test's (default there: 4)"},
    ),
    "promises": (
        ("--promises",),
        {"action": "store_true", "help": "verify that accesses of loops are parallel where metadata says so"},
    ),
    "memory": (
        ("--memory",),
        {"type": megabytes, "metavar": "MB", "help": "megabytes for each worker, beyond what it has at its start"},
    ),
    "include": (
        ("--include",),
        {
            "metavar": "DIR",
            "action": "append",
            "default": [],
            "type": folder,
            "help": "cat files may include files below this directory, too; may be given again",
        },
    ),
    "timeout": (
        ("--timeout",),
        {"type": seconds, "metavar": "S", "help": "seconds of a processor for each test and model"},
    ),
    "output": (
        ("-o", "--output"),
        {"metavar": "FILE", "help": "write to a file, which appears when it is complete"},
    ),
}
"""The options that several commands have: their flags, and their settings."""
