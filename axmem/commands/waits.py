"""`axmem verify --waits`: whether any assembly waits for its registers, without a test."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from axmem.front.exits import EXIT_CODES, MISMATCH, OK, UNKNOWN, ExitCodes
from axmem.front.inputs import read_inputs
from axmem.front.options import Subparsers, add_command, add_shared

if TYPE_CHECKING:
    from axmem.mapping.waits import JudgedCode

TEXT, JSON, SARIF = "text", "json", "sarif"
FORMATS = (TEXT, JSON, SARIF)
DESCRIPTION = """\
Look in any AMDGPU assembly, disassembly or code object for registers that are used or overwritten before the load,
atomic, LDS or scalar access that they wait for has returned, because no wait with a small enough count stands on some
path. No test is needed, and memory is not judged. A function that calls others, or is called, is taken to wait as code
of LLVM does: a function waits for everything when it is entered and before it returns.
"""
CODES = (
    EXIT_CODES.replace("every expectation holds", "no function has a hazard")
    .replace("an expectation does not hold (fmt --check: a file is not canonical)", "some function has a hazard")
    .replace(
        "a limit was reached before the answer was certain, or no execution of a test is consistent",
        "some function was not judged to its end",
    )
)


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="waits",
        examples=("axmem verify --waits @examples/early.s",),
        description=DESCRIPTION,
        epilog=CODES,
    )
    paths = "assembly, the output of llvm-objdump -d, a code object (.co, .o), or a directory of .s files"
    add_shared(parser, "paths", help=paths)
    target = "a processor (gfx942), if a file does not say it"
    parser.add_argument("--target", default="", metavar="GFX", help=target)
    switch = "xnack_replay=off: on gfx1250 no access is issued again"
    parser.add_argument("--switch", action="append", default=[], metavar="NAME=VALUE", help=switch)
    add_shared(parser, "format", choices=FORMATS)
    add_shared(parser, "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.codegen.targets import target
    from axmem.front.output import document, output
    from axmem.mapping.cases import check_options
    from axmem.mapping.waits import waits
    from axmem.report.hazards import code_problems, code_record, code_text, summary_text
    from axmem.report.sarif import sarif

    codes = ExitCodes()
    if options.target:
        target(options.target)
    switches = dict(check_options(options.switch, "amdgpu"))
    found: list[JudgedCode] = []
    with output(options.output) as write:
        for name, content in _contents(options.paths, codes):
            with codes.part(name):
                judged = waits(name, content, options.target, switches)
                codes.add(_code(judged))
                found.append(judged)
                if options.format == TEXT:
                    write(code_text(judged))
        if options.format == JSON:
            write(document(1, waits=[code_record(each) for each in found]))
        elif options.format == SARIF:
            write(sarif([problem for each in found for problem in code_problems(each)], codes.code))
        else:
            write(summary_text(found))
    return codes.code


def _code(judged: JudgedCode) -> int:
    if any(function.hazards for function in judged.functions):
        return MISMATCH
    return UNKNOWN if any(function.unknown for function in judged.functions) else OK


def _contents(paths: list[str], codes: ExitCodes) -> Iterator[tuple[str, bytes]]:
    """Yield the files by their names; print what is wrong with others."""
    from axmem.mapping.waits import code_object

    for path in paths:
        binary = code_object(path)
        if binary:
            yield path, binary
            continue
        texts, errors = read_inputs([path], (".s",))
        codes.errors(errors)
        yield from ((text.name, text.text.encode("utf-8", "surrogatepass")) for text in texts)
