"""`axmem examples`: the corpus and the examples that come with axmem, listed, printed and copied."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

from axmem.front.exits import OK
from axmem.front.options import Subparsers, add_command
from axmem.front.output import counted, write_directory
from axmem.front.shipped import near_shipped, shipped_files
from axmem.front.source import mistake


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="examples",
        examples=("axmem examples", "axmem examples two-stores", "axmem examples examples -o here"),
        description="List what comes with axmem, print a file of it, or copy it. Every command reads it as well, by "
        "@ and\nits name: axmem run @corpus/amdgpu",
        epilog="",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="a file or directory as listed, or a test by its name")
    parser.add_argument("-o", "--output", metavar="DIR", help="copy into this directory, and create it if necessary")
    parser.add_argument("--force", action="store_true", help="with -o: replace files that are there")


def main(options: argparse.Namespace) -> int:
    """Run the command; an unknown name raises InputError."""
    there = shipped_files()
    chosen = list(there) if options.name is None else _named(options.name.removeprefix("@"), there)
    if options.output is not None:
        texts = {name: there[name].read_text(encoding="utf-8") for name in chosen}
        write_directory(texts, options.output, force=options.force)
        print(f"{counted(len(texts), 'file')} in {options.output}")
    elif options.name is None:
        for folder, number in Counter(str(PurePosixPath(name).parent) for name in chosen).items():
            print(f"{folder:<24}{counted(number, 'file')}")
    elif len(chosen) == 1:
        sys.stdout.write(there[chosen[0]].read_text(encoding="utf-8"))
    else:
        print(*chosen, sep="\n")
    return OK


def _named(name: str, there: Iterable[str]) -> list[str]:
    """Return the files of a name: of a directory, or one file, whose directory and suffix may be left out."""
    below = [file for file in there if file == name or file.startswith(name.rstrip("/") + "/")]
    alone = [file for file in there if name in (PurePosixPath(file).name, PurePosixPath(file).stem)]
    if not below and len(alone) != 1:
        hint = f"one of {', '.join(alone)}" if alone else near_shipped(name)
        raise mistake("NAME", f"nothing here is named '{name}'", hint, text=name)
    return below or alone
