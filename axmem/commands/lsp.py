"""`axmem lsp`: the language server that editors start."""

from __future__ import annotations

import argparse
import sys

from axmem.front.extras import needed
from axmem.front.options import Subparsers, add_command, add_shared
from axmem.front.source import mistake

CODES = """\
exit codes:
  0    the editor asked for the end
  1    the editor left without asking
  2    an input error: pygls is not installed, or the standard input is a terminal
  4    an internal error: a fault of axmem
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="lsp",
        examples=("axmem lsp", "axmem lsp --timeout 2 --no-hints"),
        description="Serve an editor by the language server protocol, on the standard streams: diagnostics, hovers,\n"
        "definitions, references, completion, formatting and outcomes of .litmus, .cat and .rule files.\n"
        "An editor starts this command. It needs pip install 'axmem[lsp]'.",
        epilog=CODES,
    )
    add_shared(parser, "timeout", default=5.0, help="seconds for the outcomes of a test under a model (default: 5)")
    add_shared(parser, "memory", help="megabytes for finding outcomes, beyond what that process has at its start")
    parser.add_argument("--no-hints", action="store_true", help="show outcomes only where they are asked for")
    parser.add_argument("--stdio", action="store_true", help="use the standard streams, as is done in any case")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    needed("pygls.lsp.server", "lsp", "lsp")
    if sys.stdin is None or sys.stdin.isatty():
        raise mistake("lsp", "the standard input is no editor", "an editor starts this command; see docs/editors.md")
    from axmem.editor.server import ServerSettings, serve

    return serve(ServerSettings(options.timeout, options.memory, not options.no_hints))
