"""`axmem check`: syntax and well-formedness of tests and models."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from axmem.formats.options import add_form
from axmem.front.exits import INPUT_ERROR, MISMATCH, OK, UNKNOWN, exit_code
from axmem.front.inputs import SUFFIXES, InputText, read_inputs
from axmem.front.options import ANNOTATIONS, SARIF, Subparsers, add_command, add_shared
from axmem.front.output import counted
from axmem.front.source import Diagnostic, InputError

if TYPE_CHECKING:
    from axmem.litmus.syntax import LitmusTest
    from axmem.model.dialects.bindings import BoundName
    from axmem.report.problems import Problem


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="check",
        examples=("axmem check @examples", "axmem check my.litmus my.cat --werror"),
        description="Check litmus tests and .cat models: syntax, well-formedness, and what is probably a mistake.",
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a .litmus or .cat file, a directory, @list, or -")
    add_form(parser)
    add_shared(parser, "format", choices=("text", SARIF, ANNOTATIONS))
    add_shared(parser, "dialect", "include")
    parser.add_argument("--werror", action="store_true", help="treat warnings as errors")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    from axmem.check.problems import of_model, of_tree
    from axmem.formats.reading import is_program, parse

    texts, found = read_inputs(options.paths, (*SUFFIXES, ".cat"))
    diagnostics = list(found)
    models = {PurePath(text.name).stem: text.name for text in texts if text.name.endswith(".cat")}
    answers: list[int] = []
    faults: list[Problem] = []
    for text in texts:
        if not text.name.endswith(".cat"):
            try:
                test = parse(text.text, text.name, options.form)
            except InputError as error:
                diagnostics += error.diagnostics
                continue
            wrong = list(of_tree(test, models))
            diagnostics += wrong
            if all(d.severity != "error" for d in wrong) and is_program(text.text, text.name, options.form):
                faults += _asked(test, text, options, answers)
            continue
        wrong = list(of_model(f"{options.cat_dialect}:{text.name}" if options.cat_dialect else text.name))
        diagnostics += wrong
        if options.format != SARIF and all(d.severity != "error" for d in wrong):
            print(*_bound(text, options.cat_dialect), sep="\n")
    diagnostics = list(dict.fromkeys(diagnostics))
    errors = sum(d.severity == "error" for d in diagnostics)
    warned = len(diagnostics) - errors
    code = INPUT_ERROR if errors or (warned and options.werror) else exit_code(answers)
    _say(diagnostics, faults, options.format, code)
    if options.format != SARIF:
        asked = f", {answers.count(MISMATCH)} at fault, {answers.count(UNKNOWN)} unknown" if answers else ""
        print(f"{counted(len(texts), 'file')}{asked}, {counted(errors, 'error')}, {counted(warned, 'warning')}")
    return code


def _smaller(test: LitmusTest, text: InputText, form: str) -> LitmusTest | None:
    """Return the program in a launch of single lanes, if its launch is guessed and is larger."""
    from axmem.formats.forms import LAUNCH, SMALLEST
    from axmem.formats.reading import parse

    if form.startswith(LAUNCH) or not test.kernels:
        return None
    found = parse(text.text, text.name, LAUNCH + SMALLEST)
    same = [kernel.launch for kernel in found.kernels] == [kernel.launch for kernel in test.kernels]
    return None if same else found


def _asked(test: LitmusTest, text: InputText, options: argparse.Namespace, answers: list[int]) -> list[Problem]:
    """Ask a program that is compiled, or LLVM IR, and asks nothing itself, for races, undefined behaviour and ends.

    Of one whose launch is guessed a smaller one is asked first; what that shows is the answer if it is a fault, and
    stands before the answer where the larger one has none. What is found is printed as text, or returned for the
    formats that list problems. The code of the answer goes to `answers`.
    """
    from axmem.check.progress.checkup import checkup
    from axmem.commands.pages.progress import checkup_lines, checkup_problems
    from axmem.litmus.syntax import Truth

    if test.condition != Truth(True) or test.expectations:
        return []
    smaller = _smaller(test, text, options.form)
    asked = [] if smaller is None else [(smaller, checkup(smaller))]
    if not asked or not asked[0][1].at_fault:
        asked.append((test, checkup(test)))
    last = asked[-1][1]
    answers.append(MISMATCH if last.at_fault else OK if last.certain else UNKNOWN)
    shown = asked[-1:] if last.at_fault or last.certain else asked
    if options.format != "text":
        return [problem for one, found in shown for problem in checkup_problems(one, found)]
    for one, found in shown:
        print(*checkup_lines(one, found), sep="\n")
    return []


def _say(diagnostics: Sequence[Diagnostic], faults: Sequence[Problem], format_: str, code: int) -> None:
    """Print what is wrong, where it is read."""
    if format_ == SARIF:
        from axmem.report.problems import problem
        from axmem.report.sarif import sarif

        print(sarif([*map(problem, diagnostics), *faults], code), end="")
    elif format_ == ANNOTATIONS:
        from axmem.report.github import annotated
        from axmem.report.problems import problem

        print(*map(annotated, [*map(problem, diagnostics), *faults]), sep="", end="")
    else:
        for diagnostic in diagnostics:
            print(diagnostic, file=sys.stderr)


def _bound(text: InputText, asked: str | None) -> Iterator[str]:
    """Yield which dialect a model is read in, and what its names are bound to there, of ours those that others bind."""
    from axmem.front.source import Source
    from axmem.model.dialects import OURS, dialect_of, family_of
    from axmem.model.dialects.bindings import bindings
    from axmem.model.foreign_names import apart
    from axmem.model.library import finder

    source = Source(text.name, text.text)
    dialect = dialect_of(source, asked or "")
    yield f"{text.name}: read in the dialect {dialect.label}, {dialect.why}"
    include = finder(dialect)
    ours = dialect.tradition == OURS
    found = [(a.here, a.elsewhere) for a in apart(source, include, family_of(source))] if ours else []
    found += [(b, ()) for b in bindings(dialect, source, include)] if not ours else []
    width = max((len(here.name) for here, _ in found), default=0)
    for here, elsewhere in found:
        yield f"  {here.name:<{width}}  {here.text}{_said(here)}"
        for there, labels in elsewhere:
            yield f"  {'':<{width}}  in {', '.join(labels)}: {there.text}{_said(there)}"


def _said(bound: BoundName) -> str:
    return f"  ({bound.says.rstrip('.')})" if bound.says else ""
