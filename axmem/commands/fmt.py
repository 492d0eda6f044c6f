"""`axmem fmt`: tests in their canonical form."""

from __future__ import annotations

import argparse
import sys

from axmem.formats.options import add_form
from axmem.front.exits import INPUT_ERROR, MISMATCH, OK, ExitCodes
from axmem.front.inputs import STDIN, InputText, about_file, read_inputs
from axmem.front.options import Subparsers, add_command
from axmem.front.output import counted
from axmem.front.source import Diagnostic, InputError, Source, Span


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="fmt",
        examples=("axmem fmt @examples/two-stores.litmus", "axmem fmt -i my.litmus"),
        description="Print litmus tests in their canonical form, or rewrite the files. Comments are not part of it.",
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a file, a directory, @list, or - for the input")
    add_form(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--check", action="store_true", help="name the files that are not canonical, and exit with 1 if there are any"
    )
    how.add_argument("-i", "--in-place", action="store_true", help="rewrite the files")
    parser.add_argument(
        "--drop-comments", action="store_true", help="rewrite files that have comments, and drop the comments"
    )


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    codes = ExitCodes()
    texts, errors = read_inputs(options.paths, (".litmus",))
    codes.errors(errors)
    for text in texts:
        with codes.part():
            codes.add(_formatted(options, text))
    return codes.code


def _formatted(options: argparse.Namespace, text: InputText) -> int:
    """Do what was asked with one test; return its exit code."""
    from axmem.formats import canonical as forms
    from axmem.formats.reading import form_of
    from axmem.front.output import write_whole

    print_ = forms.rewritten if options.check or options.in_place else forms.canonical
    canonical = print_(text.text, text.name, options.form)
    if (options.check or options.in_place) and form_of(text.text, text.name, options.form):
        message = "only tests in the test language are rewritten in their place"
        raise InputError([about_file(text.name, message, "axmem fmt FILE prints this one as such a test")])
    commented = forms.lost_comments(text.text, text.name, options.form)
    if options.check:
        if canonical != text.text:
            print(f"{text.name}: not canonical" + (f" (line {commented[0]} has a comment)" if commented else ""))
        return OK if canonical == text.text else MISMATCH
    if commented and not options.drop_comments:
        _comments(text, commented, lost=not options.in_place)
        if options.in_place:
            return INPUT_ERROR
    if options.in_place and text.name != STDIN:
        if canonical != text.text:
            write_whole(text.name, canonical)
    else:
        sys.stdout.write(canonical)
    return OK


def _comments(text: InputText, lines: tuple[int, ...], *, lost: bool) -> None:
    """Say that comments are, or would be, lost."""
    place = Span(lines[0], 1, len(text.text.split("\n")[lines[0] - 1]))
    count = f"{counted(len(lines), 'line')} with comments"
    if lost:
        message, hint, severity = f"{count} not in the output", "--drop-comments says that this is meant", "warning"
    else:
        hint, severity = "--drop-comments rewrites it without them; a description in strings is kept", "error"
        message = f"this file has {count}, which the canonical form does not keep"
    print(Diagnostic(Source(text.name, text.text), place, message, hint, severity), file=sys.stderr)
