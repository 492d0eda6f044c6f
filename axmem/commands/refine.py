"""`axmem refine`: is a change sound, of a program, of a model, or by a rule in every context?"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import axmem
from axmem.commands.refine_bounded import CONTEXT, two_models
from axmem.commands.space import add_space, space_given
from axmem.formats.options import add_form
from axmem.front.exits import EXIT_CODES, SOUNDNESS, ExitCodes
from axmem.front.inputs import read_inputs
from axmem.front.options import Subparsers, add_command, add_shared, natural, positive
from axmem.front.source import Diagnostic, InputError, mistake

if TYPE_CHECKING:
    from axmem.litmus.syntax import LitmusTest, ModelChoice

DESCRIPTION = """\
Is a change sound? Every outcome after it must be matched by an outcome before it, undef matching every value, and no
undefined behaviour may be new.

  axmem refine BEFORE.litmus AFTER.litmus   one program against another, if nothing else runs
    --map-iterations '' --context N         the same beside further threads of up to N operations
  axmem refine --models A B PATH...         every outcome of model A is one of model B, on tests
  axmem refine --models A B --events N      the same on all programs of up to N events
  axmem refine --rule NAME [--context N]    a transformation in every context of up to N operations
  axmem refine --rule FILE.rule             the same for one of your own
  axmem refine --rules                      the rules there are

The verdict is sound, unsound (with the smallest counterexample and why it is one), or unknown.
"""

CODES = EXIT_CODES.replace("every expectation holds", "sound").replace(
    "an expectation does not hold (fmt --check: a file is not canonical)", "unsound"
)


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="refine",
        examples=("axmem refine @examples/two-stores.litmus @examples/two-stores-swapped.litmus",),
        description=DESCRIPTION,
        epilog=CODES,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="BEFORE and AFTER, or the tests of --models")
    add_form(parser)
    parser.add_argument("--models", nargs=2, metavar=("A", "B"), help="is every outcome of A one of B?")
    parser.add_argument("--rule", metavar="NAME", help="a transformation by its name, or a file that describes one")
    parser.add_argument("--rules", action="store_true", help="list the rules with what they do")
    parser.add_argument(
        "--context",
        type=natural,
        metavar="N",
        help="contexts of up to N operations besides those of the rule, or with --map-iterations of the two programs "
        f"(default: {CONTEXT}, of programs 0)",
    )
    parser.add_argument(
        "--events",
        type=positive,
        metavar="N",
        help="programs of up to N operations (with --rule its own are counted too)",
    )
    parser.add_argument(
        "--model",
        dest="choices",
        action="append",
        default=[],
        metavar="M",
        help="under which model; may be repeated (default: those that the tests mention, or amdgpu)",
    )
    parser.add_argument(
        "--map",
        dest="entries",
        action="append",
        default=[],
        metavar="BEFORE=AFTER",
        help="a register (P0:r1=P0:r2), location or thread that has another name after the change; may be repeated",
    )
    parser.add_argument(
        "--map-iterations",
        metavar="MAP",
        help="kernels: which register holds what another held in which iteration, 'r.1 = r[i + 1]; …', or a file; "
        "'' of what has the same names",
    )
    space = parser.add_argument_group("the space of programs, with --rule, or --models and --events")
    add_space(space, "what the space of the rule has, or everything")
    add_shared(parser, "bound", "format", "jobs", "memory")
    add_shared(parser, "timeout", help="seconds for each test and model, or for each question to the solver")
    add_shared(parser, "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if options.rules or options.rule or (options.models and options.events):
        from axmem.commands import refine_bounded

        return refine_bounded.main(options)
    if options.map_iterations is not None and not options.models and not options.events:
        return _kernels(options)
    for name, text in {"context": options.context, **space_given(options)}.items():
        if text is not None:
            message = f"--{name} says which programs are searched, and this is about given ones"
            raise mistake(f"--{name}", message, "--rule NAME, or --models A B --events N", text=str(text))
    if options.models:
        return _models(options)
    if options.events:
        hint = "--rule NAME --events N, or --models A B --events N"
        message = "all programs up to a bound: of a rule, or of two models?"
        raise mistake("--events", message, hint, text=str(options.events))
    return _pair(options)


# ---------------------------------------------------------------- one program against another


def _pair(options: argparse.Namespace) -> int:
    from axmem.encoder.solver import Session
    from axmem.front.output import document, output
    from axmem.report.refinement import pair_lines, pair_record

    before, after = _two_tests(options)
    codes = ExitCodes()
    records = []
    session, limits = Session(), axmem.Limits(seconds=options.timeout)
    with output(options.output) as write:
        for index, model in enumerate(_chosen(options, before, after)):
            found = axmem.refine(before, after, model, renamed=options.entries, limits=limits, session=session)
            codes.add(SOUNDNESS[found.verdict])
            records.append(pair_record(found))
            if options.format == "text":
                write("\n" * bool(index) + "".join(f"{line}\n" for line in pair_lines(found)))
        if options.format == "json":
            write(document(refinements=records))
    return codes.code


def _kernels(options: argparse.Namespace) -> int:
    """Compare two tests of kernels instance by instance, with --context N in every context of N operations."""
    from axmem.front.output import document, output
    from axmem.front.source import Source
    from axmem.refinement.iterations import mapped
    from axmem.refinement.soundness import outcomes_sound
    from axmem.report.soundness import VERDICT_OF, outcome_lines, outcome_record

    before, after = _two_tests(options)
    if options.entries:
        raise mistake("--map", "with --map-iterations registers are named there alone", text=options.entries[0])
    text, name = options.map_iterations, "--map-iterations"
    if "=" not in text and text.strip():
        texts, errors = read_inputs([text])
        if errors:
            raise InputError(errors)
        name, text = texts[0].name, texts[0].text
    change = mapped(before, after, Source(name, text))
    codes = ExitCodes()
    records = []
    with output(options.output) as write:
        for model in _chosen(options, before, after):
            limits = axmem.Limits(seconds=options.timeout)
            found = outcomes_sound(change, model, options.context or 0, limits=limits)
            codes.add(SOUNDNESS[VERDICT_OF[found.finding.status]])
            title = f"{before.name} -> {after.name}"
            records.append(outcome_record(title, found, model))
            if options.format == "text":
                write("".join(f"{line}\n" for line in outcome_lines(title, found, model)))
        if options.format == "json":
            write(document(refinements=records))
    return codes.code


def _two_tests(options: argparse.Namespace) -> tuple[LitmusTest, LitmusTest]:
    from axmem.litmus.parser import with_bound

    paths: list[str] = options.paths
    if len(paths) != 2:
        given = "no path is" if not paths else "one path is" if len(paths) == 1 else f"{len(paths)} paths are"
        hint = "axmem refine BEFORE.litmus AFTER.litmus, or tests with --models A B"
        raise mistake("axmem refine", f"two tests are compared, and {given} given", hint, text=" ".join(paths))
    found: list[LitmusTest] = []
    diagnostics: list[Diagnostic] = []
    for path in paths:
        texts, errors = read_inputs([path])
        diagnostics += errors
        if not errors and len(texts) != 1:
            raise mistake("axmem refine", f"one test is meant here, and there are {len(texts)}", text=path)
        for text in texts:
            try:
                found.append(with_bound(axmem.parse(text.text, text.name, options.form), options.bound))
            except InputError as error:
                diagnostics += error.diagnostics
    if diagnostics:
        raise InputError(diagnostics)
    return found[0], found[1]


def _chosen(options: argparse.Namespace, before: LitmusTest, after: LitmusTest) -> tuple[ModelChoice, ...]:
    """Return the models to refine under: those given, those that the tests mention, or amdgpu."""
    from axmem.check.selection import mentioned, runs, selection
    from axmem.litmus.syntax import ModelChoice

    if options.choices:
        return tuple(dict.fromkeys(selection(options.choices).choices))
    test = before if mentioned(before) or not mentioned(after) else after
    return tuple(ModelChoice(reference, model.changed) for reference, model in runs(test, (), {}))


# ---------------------------------------------------------------- one model against another


def _models(options: argparse.Namespace) -> int:
    from axmem.commands.answers import tests
    from axmem.front.output import document, output
    from axmem.refinement.models import explanations, refines
    from axmem.report.refinement import explained, model_lines, model_record, summary

    if not options.paths:
        hint = "tests, or --events N for all programs up to a bound"
        raise mistake("--models", "on which tests? Give paths", hint, text=" ".join(options.models))
    first, second = two_models(options)
    codes = ExitCodes()
    found = []
    with output(options.output) as write, tests(options, (first, second), codes) as answers:
        for answered in answers:
            found.append(refines(answered.test, (first, second), (answered.results[0], answered.results[1])))
            codes.add(SOUNDNESS[found[-1].verdict])
            if options.format == "text":
                write("".join(f"{line}\n" for line in model_lines(found[-1])))
        smallest = min((f for f in found if f.verdict == "unsound"), key=lambda f: f.size, default=None)
        why = explanations(smallest, options.timeout) if smallest else ()
        if options.format == "json":
            records = [model_record(f, why if f is smallest else ()) for f in found]
            write(document(refinements=records))
        else:
            write("".join(f"{line}\n" for line in explained(why)) + "\n" * bool(why))
            write(summary(f.verdict for f in found) + "\n")
    return codes.code
