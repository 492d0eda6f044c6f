"""The options that say in which form tests are written.

What goes in: the parser of a command that reads tests. What comes out: the same, whose options have a `form`: empty, so
that a text itself tells, or one of the forms that are read (`axmem.formats.forms.KEYS`).
"""

from __future__ import annotations

import argparse

from axmem.formats.forms import KEYS, LAUNCH, SNIPPET


def add_form(parser: argparse.ArgumentParser) -> None:
    """Add `--from` and `--snippet`."""
    listed = ", ".join(KEYS)
    parser.add_argument(
        "--from", dest="form", choices=KEYS, default="", metavar="FORM",
        help=f"the form of the tests, where their text does not tell: {listed}",
    )  # fmt: skip
    parser.add_argument(
        "--snippet", dest="form", action="store_const", const=SNIPPET,
        help="read instructions of LLVM IR without functions; the same as --from llvm-snippet",
    )  # fmt: skip
    parser.add_argument(
        "--launch", dest="form", type=lambda text: f"{LAUNCH}{text}", metavar="'K<<<G, L>>>(A)'",
        help="run these functions of a module, or of a source in C, C++, HIP or OpenCL, with these arguments",
    )  # fmt: skip
