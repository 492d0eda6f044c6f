"""What shells and man make of the command line: completion scripts and the manual page, from the parser.

What goes in: the parser of the command line. What comes out: text. Both come from packages that are installed only on
demand: `axmem[shell]`; without them an InputError says so.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from axmem.front.extras import needed

FILES = ("PATH", "FILE", "TEST", "KERNEL")
DIRECTORIES = ("DIR",)
"""The metavars of arguments that are completed with files and with directories."""


def completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script that completes the words of a command line in a shell."""
    shtab = needed("shtab", f"--completion {shell}", "shell")
    for action in _actions(parser):
        if action.metavar in FILES + DIRECTORIES:
            action.complete = shtab.FILE if action.metavar in FILES else shtab.DIRECTORY  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell)) + "\n"


def manual(parser: argparse.ArgumentParser, version: str) -> str:
    """Return the manual page, as man reads it, with a section for each command."""
    manpage = needed("argparse_manpage.manpage", "--man", "shell")
    facts = {
        "project_name": parser.prog, "version": version, "manual_title": "User Commands",
        "description": "which outcomes concurrent programs may have under memory models",
    }  # fmt: skip
    return str(manpage.Manpage(parser, _data=facts)) + "\n"


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of its commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
        else:
            yield action
