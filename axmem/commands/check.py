"""`axmem check`: syntax and well-formedness of tests and models."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import axmem
from axmem.formats.options import add_form
from axmem.front.exits import INPUT_ERROR, OK
from axmem.front.inputs import SUFFIXES, InputText, read_inputs
from axmem.front.options import ANNOTATIONS, SARIF, Subparsers, add_command, add_shared
from axmem.front.output import counted
from axmem.front.source import Diagnostic, InputError

if TYPE_CHECKING:
    from axmem.model.dialects.bindings import Bound


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
    texts, found = read_inputs(options.paths, (*SUFFIXES, ".cat"))
    diagnostics = list(found)
    models = {PurePath(text.name).stem: text.name for text in texts if text.name.endswith(".cat")}
    for text in texts:
        if not text.name.endswith(".cat"):
            diagnostics += _test(text, models, options.form)
            continue
        wrong = list(_model(text, options.cat_dialect))
        diagnostics += wrong
        if options.format != SARIF and all(d.severity != "error" for d in wrong):
            print(*_bound(text, options.cat_dialect), sep="\n")
    diagnostics = list(dict.fromkeys(diagnostics))
    errors = sum(d.severity == "error" for d in diagnostics)
    warned = len(diagnostics) - errors
    code = INPUT_ERROR if errors or (warned and options.werror) else OK
    _say(diagnostics, options.format, code)
    if options.format != SARIF:
        print(f"{counted(len(texts), 'file')}, {counted(errors, 'error')}, {counted(warned, 'warning')}")
    return code


def _say(diagnostics: Sequence[Diagnostic], format_: str, code: int) -> None:
    """Print what is wrong, where it is read."""
    if format_ == SARIF:
        from axmem.report.problems import problem
        from axmem.report.sarif import sarif

        print(sarif(map(problem, diagnostics), code), end="")
    elif format_ == ANNOTATIONS:
        from axmem.report.github import annotation

        print(*map(annotation, diagnostics), sep="", end="")
    else:
        for diagnostic in diagnostics:
            print(diagnostic, file=sys.stderr)


def _test(text: InputText, models: Mapping[str, str], form: str) -> Iterator[Diagnostic]:
    """Yield what is wrong or odd about a test, the models that it names included; `models` are files beside it."""
    from axmem.check.selection import about_choices
    from axmem.litmus.lint import warnings

    try:
        test = axmem.parse(text.text, text.name, form)
    except InputError as error:
        yield from error.diagnostics
        return
    yield from _broken_tokens(test)
    yield from warnings(test)
    if test.kernels:
        from axmem.transform.lint import metadata_warnings

        yield from metadata_warnings(test)
    yield from about_choices(test, models)


def _broken_tokens(test: axmem.LitmusTest) -> Iterator[Diagnostic]:
    """Yield what breaks a rule of convergence tokens in the kernels of a test."""
    if not test.kernels:
        return
    from axmem.convergence.kernels import checked

    for kernel in test.kernels:
        try:
            checked(kernel, test)
        except InputError as error:
            yield from error.diagnostics


def _model(text: InputText, dialect: str | None) -> Iterator[Diagnostic]:
    """Yield what is wrong with a model under its defaults and under each other value of a variant."""
    path = f"{dialect}:{text.name}" if dialect else text.name
    try:
        model = axmem.load_model(path)
    except InputError as error:
        yield from error.diagnostics
        return
    yield from model.warnings
    for variant in model.variants:
        for value in variant.values:
            try:
                axmem.load_model(path, {variant.name: value})
            except InputError as error:
                yield from error.diagnostics


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


def _said(bound: Bound) -> str:
    return f"  ({bound.says.rstrip('.')})" if bound.says else ""
