"""`axmem convert`: a test in another language."""

from __future__ import annotations

import argparse

from axmem.front.exits import EXIT_CODES, INPUT_ERROR, OK

LANGUAGES = ("llvm-ir",)
PROFILES = ("llvm-22", "llvm-24")

DESCRIPTION = """\
Print a test as LLVM IR, one kernel for each thread, ready for llc and for execution. Locations are globals; each kernel
stores its registers in the buffer that is its argument, in the places that comments name (docs/convert.md).
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "convert",
        help="print a test as LLVM IR, one kernel for each thread",
        description=DESCRIPTION,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("test", metavar="TEST", help="a .litmus file, or - for stdin")
    parser.add_argument("--to", choices=LANGUAGES, default="llvm-ir", help="default: llvm-ir")
    parser.add_argument("--profile", choices=PROFILES, default="llvm-24", help="for which LLVM (default: llvm-24)")
    parser.add_argument("--target", metavar="GFX", help="check that it has every operation; say how to compile")
    parser.add_argument("--mode", default="", metavar="MODE", help="wgp, cu or tgsplit (default: the target's)")
    parser.add_argument("--divergent", action="store_true", help="let addresses differ between lanes: no scalar loads")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file, in one step")
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    import sys

    from axmem.codegen.ir_module import module
    from axmem.codegen.program import lower_test
    from axmem.codegen.targets import target
    from axmem.front.inputs import about_file, read_inputs
    from axmem.front.output import output
    from axmem.front.source import InputError
    from axmem.litmus.parser import parse

    if options.mode and not options.target:
        raise InputError([about_file("--mode", "a mode is that of a target", "name one with --target")])
    chosen = target(options.target, options.mode, options.profile) if options.target else None
    texts, errors = read_inputs([options.test])
    if len(texts) > 1:
        errors = (*errors, about_file(options.test, "one test at a time", f"there are {len(texts)} here"))
    for error in errors:
        print(error, file=sys.stderr)
    if errors:
        return INPUT_ERROR
    test = parse(texts[0].text, texts[0].name)
    if chosen is not None:
        lower_test(test, chosen)
    text = module(test, options.profile, chosen, divergent=options.divergent).text
    with output(options.output) as write:
        write(text)
    return OK
