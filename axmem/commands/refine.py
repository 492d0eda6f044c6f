"""`axmem refine`: is a change sound, of a program, of a model, or by a rule in every context?"""

from __future__ import annotations

import argparse

from axmem.commands.refine_bounded import CONTEXT, two_models
from axmem.commands.space import add_space, space_given
from axmem.formats.options import add_form
from axmem.front.exits import EXIT_CODES, SOUNDNESS, ExitCodes
from axmem.front.options import Subparsers, add_command, add_shared, markup, natural, positive
from axmem.front.source import mistake

DESCRIPTION = """\
Check whether a change is sound: every outcome after it must be matched by one before it, where undef matches every
value, and no undefined behaviour may be new.

  axmem refine BEFORE.litmus AFTER.litmus   one program against another, in every context
    --context N                             what is not proved is searched in contexts of up to N operations
    --closed                                the two programs alone, if no other thread runs
  axmem refine --opt-tests DIR              what opt makes of the functions in LLVM's own tests
  axmem refine --models A B PATH...         every outcome of model A is one of model B, on tests
  axmem refine --models A B --events N      the same on all programs of up to N events
  axmem refine --rule NAME [--context N]    a transformation in every context of up to N operations
  axmem refine --rule FILE.rule             the same for one of your own
  axmem refine --rules                      the rules there are

The verdict is sound (proved for contexts of any size), unsound (with a counterexample and why it is one), no
counterexample in contexts of up to N operations, or unknown.
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
        examples=("axmem refine @examples/two-stores.litmus @examples/two-stores-swapped.litmus --context 2",),
        description=DESCRIPTION,
        epilog=CODES,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="BEFORE and AFTER, or the tests of --models")
    add_form(parser)
    parser.add_argument(
        "--models", nargs=2, metavar=("A", "B"), help="check that every outcome under model A is one under model B"
    )
    parser.add_argument("--rule", metavar="NAME", help="a transformation by its name, or a file that describes one")
    parser.add_argument("--rules", action="store_true", help="list the rules and what they do")
    parser.add_argument(
        "--context",
        type=natural,
        metavar="N",
        help="search contexts of up to N operations, not counting those of the programs or the rule "
        f"(default: 2, of a rule {CONTEXT})",
    )
    parser.add_argument(
        "--bounded",
        type=natural,
        metavar="N",
        help="no counterexample in contexts of up to N operations is enough: exit code 0",
    )
    parser.add_argument(
        "--certificate",
        metavar="FILE",
        help="of what is proved sound, write a script of SMT-LIB: a solver has to answer each question with unsat",
    )
    parser.add_argument("--closed", action="store_true", help="compare the two programs alone: no other thread runs")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="for an unsound change, print both programs and the explanations"
    )
    parser.add_argument(
        "--events",
        type=positive,
        metavar="N",
        help="search programs of up to N operations (with --rule, the rule's operations count)",
    )
    parser.add_argument(
        "--model",
        dest="choices",
        action="append",
        default=[],
        metavar="M",
        help="the model; may be repeated (default: those that the tests mention, or amdgpu)",
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
        help="for kernels: the register and iteration before the change that each register after it stands for, "
        "'r.1 = r[i + 1]; …', or a file",
    )
    tests = parser.add_argument_group("LLVM's own tests")
    tests.add_argument(
        "--opt-tests",
        action="append",
        default=[],
        metavar="DIR",
        help="check what the RUN lines of opt change in llvm/test/Transforms, or in a part of it; may be repeated",
    )
    tests.add_argument("--opt", default="opt-22", metavar="PATH", help="LLVM's opt (default: opt-22)")
    tests.add_argument(
        "--every", action="store_true", help="judge also functions that have only plain loads and stores"
    )
    tests.add_argument(
        "--annotate", metavar="DIR", help="write the tests there, with what is known of each function above it"
    )
    tests.add_argument("--run", metavar="DIR", help="keep answers in a directory, and check only what it lacks")
    space = parser.add_argument_group("the space of programs, with --rule, or --models and --events")
    add_space(space, "what the space of the rule has, or everything")
    add_shared(parser, "bound")
    add_shared(parser, "format", type=markup, choices=("text", "json", "markdown"))
    add_shared(parser, "jobs", "memory")
    add_shared(
        parser,
        "timeout",
        help="seconds for each test and model (for two programs 5, of a processor, if nobody says), or for each query "
        "to the solver",
    )
    add_shared(parser, "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if options.opt_tests:
        from axmem.commands import refine_opt

        return refine_opt.main(options)
    for option, text in (("--format", options.format), ("--run", options.run), ("--every", options.every or None),
                         ("--annotate", options.annotate)):  # fmt: skip
        if text not in (None, "text", "json"):
            raise mistake(option, f"{option} is of --opt-tests here", text=str(text))
    if options.rules or options.rule or options.models or options.events:
        for option, given in (("--bounded", options.bounded), ("--certificate", options.certificate)):
            if given is not None:
                raise mistake(option, f"{option} is about two programs", "leave it out", text=str(given))
    if options.rules or options.rule or (options.models and options.events):
        from axmem.commands import refine_bounded

        return refine_bounded.main(options)
    pair = not options.models and not options.events
    given = {"context": None if pair else options.context, **space_given(options)}
    for name, text in given.items():
        if text is not None:
            message = f"--{name} says which programs are searched, and this is about given ones"
            raise mistake(f"--{name}", message, "--rule NAME, or --models A B --events N", text=str(text))
    if options.models:
        return _models(options)
    if options.events:
        hint = "--rule NAME --events N, or --models A B --events N"
        message = "all programs up to a bound: of a rule, or of two models?"
        raise mistake("--events", message, hint, text=str(options.events))
    from axmem.commands import refine_pair

    return refine_pair.main(options)


# ---------------------------------------------------------------- one model against another


def _models(options: argparse.Namespace) -> int:
    from axmem.commands.answers import tests
    from axmem.commands.pages.refinement import model_record, model_section, summary
    from axmem.front.output import output
    from axmem.refinement.models import explanations, refines
    from axmem.report.explanation import document
    from axmem.report.printers import printed
    from axmem.report.tree import Document

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
                write(printed(Document((model_section(found[-1]),)), "text"))
        smallest = min((f for f in found if f.verdict == "unsound"), key=lambda f: f.size, default=None)
        why = explanations(smallest, options.timeout) if smallest else ()
        if options.format == "json":
            records = [model_record(f, why if f is smallest else ()) for f in found]
            write(printed(Document((), {"refinements": records}), "json"))
        else:
            write("".join(f"\n{printed(document([each]), 'text')}" for each in why) + "\n" * bool(why))
            write(summary(f.verdict for f in found) + "\n")
    return codes.code
