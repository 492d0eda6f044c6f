"""`axmem verify`: whether the machine code of a test has only the outcomes that the model permits."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from axmem.formats.forms import OWN
from axmem.formats.options import add_form
from axmem.front.exits import OK, SOUNDNESS, UNKNOWN, ExitCodes
from axmem.front.inputs import about_file, read_inputs
from axmem.front.options import Subparsers, add_command, add_shared, positive
from axmem.front.output import spare, tally
from axmem.front.records import replace
from axmem.front.source import InputError, mistake
from axmem.report.printers import MARKUP

if TYPE_CHECKING:
    from axmem.check.run.jobs import Workers
    from axmem.mapping.cases import VerificationCase
    from axmem.report.verification import VerificationText

FORMATS = ("text", "json", "svg", *MARKUP)
BY = ("test", "operation")
DEFAULT_LIMIT = 2_000_000
ASSUME = ("worst", "documented")
SEVERAL = 2
"""Of how many tests it is said in the end what the unsound ones come from."""

DESCRIPTION = """\
Run the code of a test on an abstract AMDGPU memory machine in every placement of its waves, and say whether every
outcome is one that the model permits: the code that clang makes of a source in HIP or OpenCL, what llc makes of a test,
a file of assembly, or axmem's own lowering. If not, an execution is shown as a timeline: waves, caches, what was stale
and why. A verdict names the assumptions about the hardware that it rests on.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="verify",
        examples=("axmem verify @corpus/base/MP+rel+acq.litmus --target gfx942",),
        description=DESCRIPTION,
    )
    add_shared(parser, "paths", nargs="*")
    add_form(parser)
    parser.add_argument(
        "--suite",
        action="store_true",
        help="verify the built-in suite: classical shapes of workgroup, agent and system scope, a test for each rule",
    )
    parser.add_argument("--classical", action="store_true", help="use only the classical shapes of the suite")
    parser.add_argument("--target", required=True, metavar="GFX", help="a processor (gfx942) or a family (gfx10)")
    add_shared(parser, "mode")
    profile = "whose code, as in axmem lower (default: repaired; a compiler's own, of --asm llvm-24)"
    parser.add_argument("--profile", default="", metavar="P", help=profile)
    parser.add_argument(
        "--model", default="amdgpu", metavar="M", help="the model that says what is permitted (default: amdgpu)"
    )
    places = "all, spread, packed, or one as reports name it (default: all)"
    parser.add_argument("--placement", default="all", metavar="P", help=places)
    parser.add_argument(
        "--switch", action="append", default=[], metavar="NAME=VALUE", help="assume this value of a hardware switch"
    )
    assume = (
        "how to count a verdict that is unsound only under an open assumption: worst: as unsound (default of what a "
        "compiler made), documented: as sound"
    )
    parser.add_argument("--assume", choices=ASSUME, help=assume)
    add_shared(parser, "divergent")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--asm", metavar="FILE", help="verify this assembly or code object of the test")
    source.add_argument("--llc", metavar="LLC", help="verify what this llc makes of the tests, not the lowering")
    kept = "write what clang makes of a source to this file, whose lines messages then name"
    source.add_argument("--keep", metavar="FILE", default="", help=kept)
    what = parser.add_mutually_exclusive_group()
    needs = "print what each outcome promises, and which waits, bits, invalidates and writebacks it needs for that"
    what.add_argument("--needs", action="store_true", help=needs)
    asks = "answer the test's own condition, too: on the machine, and under the model"
    what.add_argument("--asks", action="store_true", help=asks)
    what.add_argument(
        "--strategy",
        action="store_true",
        help="find the smallest part of the lowering that is still sound for all tests",
    )
    what.add_argument("--savings", action="store_true", help="print what av operations and amdgcn-av:none save")
    by = "with --needs: a table for each test (default), or one for the lowering of each operation in all of them"
    parser.add_argument("--by", choices=BY, help=by)
    why = "with --needs: show what is lost without this element, or group; all: without each"
    parser.add_argument("--why", action="append", default=[], metavar="ELEMENT", help=why)
    old = "what --format json wrote earlier: only what is new, or more, counts for the exit code"
    parser.add_argument("--baseline", metavar="FILE", default="", help=old)
    add_shared(parser, "format", choices=FORMATS)
    parser.add_argument("--limit", type=positive, default=DEFAULT_LIMIT, metavar="N", help="states for each placement")
    keep = "keep what --needs --by operation and --strategy find in a directory, and run only what it lacks"
    parser.add_argument("--run", metavar="DIR", default="", help=keep)
    add_shared(parser, "jobs", "memory", "output")
    add_shared(parser, "timeout", help="seconds for each test")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.run.workers import workers

    codes = ExitCodes()
    cases = list(_cases(options, codes))
    with workers(options.jobs, len(cases), megabytes=options.memory) as found:
        if _table(options):
            return _tables(options, cases, codes, found)
        if options.format in MARKUP:
            return _page(options, list(_answers(cases, options, codes, found)), codes)
        if options.format == "svg":
            return _picture(options, list(_answers(cases, options, codes, found)), codes)
        return _texts(options, cases, codes, found)


def _table(options: argparse.Namespace) -> str:
    """Return by which options one table is asked for, of all tests; none, if something is said of each."""
    if options.needs:
        return "--needs --by operation" if options.by == "operation" else ""
    return "--strategy" if options.strategy else "--savings" if options.savings else ""


def _texts(options: argparse.Namespace, cases: list[VerificationCase], codes: ExitCodes, workers: Workers) -> int:
    """Write what is said of each test; after an interrupt, which goes on its way, of those that were done."""
    from axmem.front.output import document, output

    found: list[VerificationText] = []
    interrupt: KeyboardInterrupt | None = None
    with output(options.output) as write:
        try:
            for said in _answers(cases, options, codes, workers):
                found.append(said)
                if options.format == "text" and said.text:
                    write(said.text)
        except KeyboardInterrupt as interrupted:
            interrupt = interrupted
        records = [answer.record for answer in found if answer.record is not None]
        write(document(1, verifications=records) if options.format == "json" else _summary(found))
    if interrupt:
        print(f"axmem: {len(found)} of {len(cases)} tests were verified", file=sys.stderr)
        raise interrupt
    return codes.code


def _answers(
    cases: list[VerificationCase], options: argparse.Namespace, codes: ExitCodes, workers: Workers
) -> Iterator[VerificationText]:
    """Yield what is said of each test, in order; print what is wrong with others, and note the exit codes."""
    from axmem.check.run.jobs import Job, answers
    from axmem.front.progress import ProgressLine
    from axmem.front.records import replace
    from axmem.report.verification import VerificationText, answer, baseline

    known = baseline(options.baseline) if options.baseline else {}
    compiled = {case.name for case in cases if case.maker or case.built}
    names = [case.name for case in cases]
    jobs = [Job(case.name, case, answer) for case in cases]
    with ProgressLine(len(jobs), sys.stderr) as progress:
        for done in progress.following(names, answers(jobs, workers)):
            codes.errors(done.diagnostics)
            codes.fault(done.name, done.fault)
            if done.lost:
                print(f"{done.name}: unknown: {done.lost}", file=sys.stderr)
            said = VerificationText(done.name, "unknown", "unknown") if done.lost else done.answer
            if said is not None:
                assume = options.assume or ("worst" if done.name in compiled else "documented")
                spared = said.word.endswith(" if (open)") and assume == "documented"
                old = said.verdict != "sound" and said.is_known(known)
                codes.add(OK if spared or old else SOUNDNESS[said.verdict])
                yield replace(said, text=f"{said.text}  as in {options.baseline}\n") if old and said.text else said


def _cases(options: argparse.Namespace, codes: ExitCodes) -> Iterator[VerificationCase]:
    """Yield a case for each test. Raises InputError for wrong options."""
    from axmem.codegen.targets import NEWEST_LLVM, REPAIRED, target
    from axmem.litmus.printer import print_test
    from axmem.mapping.built import is_program, profile_of_clang
    from axmem.mapping.cases import VerificationCase, check_options, each_value
    from axmem.mapping.compiled import profile_of
    from axmem.mapping.suite import classical, suite, suite_of

    if not options.paths and not options.suite:
        raise mistake("axmem verify", "there is no test", "name files, or take --suite")
    table = _table(options)
    if options.format == "svg" and table:
        raise mistake("--format", "only executions and the needs of a test are drawn", "leave out the other options")
    if options.format in MARKUP and not options.needs:
        raise mistake("--format", f"only --needs is printed as {options.format}", "leave it out, or add --needs")
    if options.format == "svg" and options.asks:
        raise mistake("--format", "--asks answers in words", "leave one of them out")
    if options.baseline and table:
        raise mistake("--baseline", "only verdicts are compared with earlier ones", f"leave out {table}")
    if options.by and not options.needs:
        raise mistake("--by", "only --needs has two tables", "add --needs")
    if options.why and (table or not options.needs):
        raise mistake("--why", "only what a test needs has reasons of its own", "ask for --needs, by test")
    if options.classical and not options.suite:
        raise mistake("--classical", "it is a part of the suite", "add --suite")
    _check_source(options)
    if options.timeout is not None and table:
        raise mistake("--timeout", "only verdicts have a limit of time", "--limit bounds the states of each placement")
    if options.run and table not in ("--needs --by operation", "--strategy"):
        raise mistake("--run", "only --needs --by operation and --strategy keep answers", "leave it out")
    given = options.profile or (NEWEST_LLVM if options.asm else REPAIRED)
    on = target(options.target, options.mode, given)
    switches = check_options(options.switch, options.model)
    if options.llc and not options.profile:
        on = replace(on, profile=profile_of(options.llc))
    texts, errors = read_inputs(options.paths)
    built = [
        text for text in texts if not options.asm and not options.llc and is_program(text.name, text.text, options.form)
    ]
    if built and not options.profile:
        on = replace(on, profile=profile_of_clang())
    codes.errors(errors)
    named = [(text.name, text.text, options.form) for text in texts]
    if options.suite:
        tests, lacking = suite_of(on, classical() if options.classical else suite())
        named += [(test.source.name, print_test(test), OWN) for test in tests]
        for reason, names in lacking.items():
            print(f"axmem: {len(names)} tests of the suite are left out: {reason}: {', '.join(names)}", file=sys.stderr)
    assembly = _assembly(options, len(named))
    if options.keep and len(built) != 1:
        raise mistake("--keep", f"one source's code is kept, and here are {len(built)}", "name one .hip or .cl file")
    spare(options.keep or None, options.paths)
    for name, text, form in named:
        yield from each_value(VerificationCase(
            name=name, text=text, target=options.target, mode=options.mode, profile=on.profile, model=options.model,
            placement=options.placement, switches=switches, divergent=options.divergent, format=options.format,
            limit=options.limit, seconds=options.timeout, llc=options.llc or "", assembly=assembly, kept=options.run,
            form=form, keep=options.keep, needs=tuple(options.why) if options.needs else None, asks=options.asks,
        ))  # fmt: skip


def _check_source(options: argparse.Namespace) -> None:
    """Raise InputError for options that do not go with assembly or llc."""
    table = _table(options)
    if (options.asm or options.llc) and table:
        message = "this is a question about the tables, not about a compiler's output"
        raise mistake(table, message, "leave out --asm and --llc")
    if options.assume and table:
        raise mistake("--assume", "only verdicts on tests have a standing", f"leave out {table}")
    if options.asm and options.divergent:
        raise mistake("--divergent", "how the file was compiled is decided already")


def _assembly(options: argparse.Namespace, tests: int) -> tuple[str, str] | None:
    """Read the file of assembly or the code object, which is that of one test. Raises InputError."""
    from axmem.mapping.compiled import assembly_of

    if not options.asm:
        return None
    if tests > 1:
        raise mistake("--asm", f"one file of assembly, but {tests} tests", "name one test")
    if binary := assembly_of(options.asm):
        return binary
    texts, errors = read_inputs([options.asm], (".s",))
    if errors or len(texts) != 1:
        raise InputError(errors or [about_file("--asm", "this is not one file")])
    return texts[0].name, texts[0].text


def _summary(found: list[VerificationText]) -> str:
    """Return how many tests have which verdict, and what the unsound ones come from, where that was asked."""
    from collections import Counter

    from axmem.mapping.verification import WORDS

    said = tally((answer.word for answer in found), WORDS, "nothing verified") + "\n"
    if len(found) < SEVERAL:
        return said
    known = Counter(page for answer in found for page in answer.pages or ())
    unknown = sum(answer.pages == () for answer in found)
    known.update({"no known fault": unknown} if unknown else {})
    return said + "".join(f"  {count} unsound by {page}\n" for page, count in sorted(known.items()))


def _page(options: argparse.Namespace, found: list[VerificationText], codes: ExitCodes) -> int:
    """Write what the outcomes of tests need as a page."""
    from axmem.front.output import output
    from axmem.report.printers import printed
    from axmem.report.verification import page

    with output(options.output) as write:
        write(printed(page(found, options.target), options.format))
    return codes.code


def _picture(options: argparse.Namespace, found: list[VerificationText], codes: ExitCodes) -> int:
    """Write the one picture there is."""
    from axmem.front.output import output

    for answer in found:
        if answer.verdict and not answer.picture:
            print(f"{answer.name}: {answer.verdict}: there is nothing to draw", file=sys.stderr)
    pictures = [answer.picture for answer in found if answer.picture]
    if len(pictures) > 1:
        raise mistake("--format", f"these are {len(pictures)} pictures, and one fits here", "name one test")
    if pictures:
        with output(options.output) as write:
            write(pictures[0])
    return codes.code


def _tables(options: argparse.Namespace, cases: list[VerificationCase], codes: ExitCodes, workers: Workers) -> int:
    """Write what operations need, the strategy, or the savings."""
    from axmem.front.output import output
    from axmem.front.progress import StatusLine
    from axmem.mapping.necessity import necessity
    from axmem.mapping.savings import savings
    from axmem.mapping.strategy import strategy
    from axmem.mapping.trials import store_of
    from axmem.report.mapping import document
    from axmem.report.printers import printed

    if options.run:
        store_of(options.run).make()
    with StatusLine(sys.stderr) as status:
        find = strategy if options.strategy else necessity
        made = savings(cases) if options.savings else find(cases, workers, status.show)
    codes.errors(made.errors)
    if {error.source.name for error in made.errors} >= {case.name for case in cases}:
        return codes.code
    codes.add(UNKNOWN if made.incomplete else OK)
    with output(options.output) as write:
        write(printed(document(made), "markdown" if options.format == "text" else options.format))
    return codes.code
