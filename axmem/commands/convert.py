"""`axmem fmt --to`: a test in another language."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import axmem
from axmem.formats.options import add_form
from axmem.front.exits import OK
from axmem.front.inputs import about_file, read_inputs
from axmem.front.options import Subparsers, add_command, add_shared
from axmem.front.source import Diagnostic, InputError, mistake

if TYPE_CHECKING:
    from axmem.litmus.syntax import LitmusTest

LANGUAGES = ("llvm-ir", "axmem", "herd-c", "dartagnan-vulkan")
PROFILES = ("llvm-22", "llvm-24")

DESCRIPTION = """\
Print a test as LLVM IR, one kernel for each thread, ready for llc and for execution. Locations are globals; each kernel
stores its registers in the buffer that is its argument, in the places that comments name (docs/llvm-ir.md). Or in
axmem's language, in herd's C or in Dartagnan's form for Vulkan (docs/other-forms.md), with what these cannot
say on the standard error.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="convert",
        examples=("axmem fmt --to llvm-ir @corpus/base/MP+rel+acq.litmus --target gfx942",),
        description=DESCRIPTION,
    )
    parser.add_argument("test", metavar="TEST", help="a .litmus file, or - for stdin")
    add_form(parser)
    parser.add_argument("--to", choices=LANGUAGES, default="llvm-ir", help="default: llvm-ir")
    parser.add_argument("--profile", choices=PROFILES, default="llvm-24", help="for which LLVM (default: llvm-24)")
    parser.add_argument("--target", metavar="GFX", help="check that it has every operation; say how to compile")
    add_shared(parser, "mode")
    parser.add_argument(
        "--divergent", action="store_true", help="treat addresses as different between lanes, so that no load is scalar"
    )
    add_shared(parser, "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.codegen.ir_module import module
    from axmem.codegen.program import check_operations
    from axmem.codegen.targets import target
    from axmem.front.output import output

    if options.mode and not options.target:
        raise mistake("--mode", "a mode is that of a target", "name one with --target")
    chosen = target(options.target, options.mode, options.profile) if options.target else None
    texts, errors = read_inputs([options.test])
    if len(texts) > 1:
        errors = (*errors, about_file(options.test, "one test at a time", f"there are {len(texts)} here"))
    if errors:
        raise InputError(errors)
    test = axmem.parse(texts[0].text, texts[0].name, options.form)
    _refuse([*_unwritten(test)])
    if options.to != "llvm-ir":
        text = _written(test, options.to)
        with output(options.output) as write:
            write(text)
        return OK
    if chosen is not None:
        check_operations(test, chosen)
    text = module(test, options.profile, chosen, divergent=options.divergent, annotated=chosen is None).text
    with output(options.output) as write:
        write(text)
    return OK


def _written(test: LitmusTest, language: str) -> str:
    """Return a test in a language of litmus tests."""
    from axmem.formats.dartagnan import writing as dartagnan
    from axmem.formats.herd import writing as herd
    from axmem.litmus.printer import print_test

    if language == "axmem":
        return print_test(test)
    text, lost = herd.written(test) if language == "herd-c" else dartagnan.written(test)
    _refuse(lost)
    return text


def _unwritten(test: LitmusTest) -> Iterator[Diagnostic]:
    """Yield where a test uses `noalias` parameters, for which no language of tests has a word."""
    from axmem.litmus.edit import untraced
    from axmem.litmus.walk import units

    for unit, bare in zip(units(test), units(untraced(test)), strict=True):
        if unit != bare:
            message = f"that parameters of {unit.name} are noalias is not written: a test has no word for it"
            hint = "what breaks this promise is undefined behaviour of the module, and not of what is written"
            yield Diagnostic(test.source, unit.span, message, hint, "warning")


def _refuse(lost: list[Diagnostic]) -> None:
    """Raise InputError if something of a test cannot be written at all; say what else of it is lost."""
    if any(diagnostic.severity == "error" for diagnostic in lost):
        raise InputError(lost)
    for warning in lost:
        print(warning, file=sys.stderr)
