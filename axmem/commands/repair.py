"""`axmem repair`: the cheapest annotations that forbid an outcome, or the weakest that keep what a test expects."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from axmem.front.exits import MISMATCH, OK, UNKNOWN, ExitCodes
from axmem.front.inputs import InputText, read_inputs
from axmem.front.options import Subparsers, add_command, add_shared, positive
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean, mistake

if TYPE_CHECKING:
    from axmem.litmus.syntax import LitmusTest
    from axmem.repair.costs import Costs
    from axmem.repair.goals import Judge
    from axmem.repair.repair import Aim, Report, Task

FORMATS = ("text", "rst", "github", "html", "json")
DEFAULT_TARGET = "gfx942"
EXHAUSTIVE_EDITS = 2

DESCRIPTION = """\
Find the cheapest edits of a test's annotations that forbid an outcome, or that make one certain, under all of the
models: orderings, scopes, fences, availability and visibility operations, tags. Each repair is judged by the checker,
and none of its edits can be left out. With --weaken, find the weakest annotations that keep what the test expects.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    summary = "find the cheapest annotations that forbid an outcome, or the weakest that are enough"
    parser = add_command(subparsers, main, name="repair", summary=summary, description=DESCRIPTION)
    add_shared(parser, "paths")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--forbid", metavar="CONDITION", help="what no outcome may satisfy (default: what the test asks)")
    what.add_argument("--require", metavar="CONDITION", help="what every outcome must satisfy (default for forall)")
    parser.add_argument(
        "--weaken", action="store_true",
        help="weaken as far as the test's expectations, or the condition forbidden or required, are kept",
    )  # fmt: skip
    parser.add_argument(
        "--model", dest="models", action="append", default=[], metavar="M",
        help="a name, a .cat file, or either with variants; again for more: it must hold in all "
        "(default: the models that the test mentions)",
    )  # fmt: skip
    add_shared(parser, "variants")
    parser.add_argument(
        "--target", default=DEFAULT_TARGET, metavar="GFX",
        help=f"whose instructions are weighed, or 'none' (default: {DEFAULT_TARGET})",
    )  # fmt: skip
    add_shared(parser, "mode", "profile")
    parser.add_argument(
        "--cost", default="", metavar="W", help="weights, such as wait=2,system=20; or 'edits': only their size counts"
    )
    parser.add_argument(
        "--edits", metavar="KINDS",
        help="only these: ordering, scope, access, fence, make, none, tags (these by default), silent; or all",
    )  # fmt: skip
    parser.add_argument("--max-edits", type=positive, metavar="N", help="edits in one repair (default: any number)")
    parser.add_argument(
        "--exhaustive", action="store_true",
        help=f"try every set of at most --max-edits edits ({EXHAUSTIVE_EDITS}), resting on no theorem about models",
    )  # fmt: skip
    parser.add_argument("--limit", type=positive, default=5, metavar="N", help="repairs to list (default: 5)")
    add_shared(parser, "timeout", help="seconds for each test")
    add_shared(parser, "format", choices=FORMATS)
    parser.add_argument("-o", "--output", metavar="DIR", help="write each patched test to a file in this directory")
    parser.add_argument("--force", action="store_true", help="let -o replace files")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.report.repair import as_json, lines, table

    _check_combination(options)
    make = _Tasks(options)
    codes = ExitCodes()
    texts, errors = read_inputs(options.paths)
    codes.errors(errors)
    reports: list[Report] = []
    for text in texts:
        with codes.part():
            reports.append(make.report(text))
            codes.add(_code(reports[-1]))
            if options.format == "text":
                print("\n" * (len(reports) > 1) + "\n".join(lines(reports[-1])), flush=True)
    if options.format == "json":
        sys.stdout.write(as_json(reports))
    elif options.format != "text":
        sys.stdout.write(table(reports, options.format))
    if options.output is not None:
        _write(reports, options)
    return codes.code


class _Tasks:
    """Makes the tasks of the tests, from options that are checked once."""

    def __init__(self, options: argparse.Namespace) -> None:
        from axmem.check.selection import selection

        self.options = options
        self.selection = selection(options.models, options.variants)
        self.costs = _costs(options)
        self.allowed = _allowed(options.edits)

    def report(self, text: InputText) -> Report:
        """Search for the repairs of a test. Raises InputError for what is wrong with it."""
        from axmem.codegen.program import lower
        from axmem.litmus.parser import parse
        from axmem.repair.repair import repair

        test = parse(text.text, text.name)
        if self.costs.target is not None:
            lower(test, self.costs.target, divergent=True)
        aim, asked = self.aim(test)
        return repair(asked, self.task(aim, self.judges(test)))

    def aim(self, test: LitmusTest) -> tuple[Aim, LitmusTest]:
        """Return what is wanted, and the test with the condition of which it is wanted."""
        from axmem.litmus.parser import with_condition
        from axmem.litmus.syntax import Quantifier, Truth
        from axmem.repair.repair import Aim

        for aim, text in ((Aim.FORBID, self.options.forbid), (Aim.REQUIRE, self.options.require)):
            if text is not None:
                return aim, with_condition(test, text, f"--{aim.value}")
        if self.options.weaken:
            return Aim.EXPECT, test
        if isinstance(test.condition, Truth):
            hint = "--forbid CONDITION, or --require CONDITION, says what is wanted"
            raise mistake(test.source.name, "this test has no condition to forbid", hint)
        return (Aim.REQUIRE if test.quantifier is Quantifier.FORALL else Aim.FORBID), test

    def judges(self, test: LitmusTest) -> tuple[Judge, ...]:
        """Return the models that are to agree."""
        from axmem.repair.goals import Judge

        return tuple(Judge(label, model) for label, model in dict(self.selection.models(test)).items())

    def task(self, aim: Aim, judges: tuple[Judge, ...]) -> Task:
        """Return the task of a test."""
        from axmem.repair.repair import Task

        options = self.options
        most = options.max_edits or (EXHAUSTIVE_EDITS if options.exhaustive else None)
        return Task(
            aim, judges, self.costs, options.weaken, self.allowed, options.limit, most, not options.exhaustive,
            options.timeout,
        )  # fmt: skip


def _check_combination(options: argparse.Namespace) -> None:
    """Raise InputError for options that exclude each other."""

    given = {"--edits": options.edits, "--max-edits": options.max_edits, "--exhaustive": options.exhaustive}
    for name, value in given.items():
        if options.weaken and value:
            message = f"--weaken does not go with {name}: it starts from the weakest annotations, not from edits"
            raise mistake("axmem repair", message)
    if options.target == "none" and options.mode:
        raise mistake("axmem repair", "--mode is about a target, and --target none is none")
    if options.force and options.output is None:
        raise mistake("axmem repair", "--force is about the files of -o, and there is none")


def _costs(options: argparse.Namespace) -> Costs:
    """Return the costs that the options name. Raises InputError."""
    from axmem.codegen.targets import target
    from axmem.repair.costs import Costs, parse_weights

    weights = parse_weights(options.cost)
    if options.target == "none":
        return Costs(weights, None)
    return Costs(weights, target(options.target, options.mode, options.profile))


def _allowed(text: str | None) -> frozenset[str]:
    """Return the kinds of edits that `--edits` lists. Raises InputError."""
    from axmem.repair.wording import DEFAULT_KINDS, EDIT_KINDS

    if text is None or text.strip() == "all":
        return DEFAULT_KINDS if text is None else frozenset(EDIT_KINDS)
    found, errors = set(), []
    for match in re.finditer(r"[^,\s]+", text):
        found.add(match[0])
        if match[0] not in EDIT_KINDS:
            hint = did_you_mean(match[0], EDIT_KINDS) or f"known: {', '.join(EDIT_KINDS)}"
            span = Span(1, match.start() + 1, len(match[0]))
            errors.append(Diagnostic(Source("--edits", text), span, f"there are no edits called '{match[0]}'", hint))
    if not found:
        hint = f"known: {', '.join(EDIT_KINDS)}"
        errors.append(Diagnostic(Source("--edits", text), Span(1, 1), "no edits are named", hint))
    if errors:
        raise InputError(errors)
    return frozenset(found)


def _code(report: Report) -> int:
    """Return the exit code of one report."""
    from axmem.repair.repair import Status

    if report.status is Status.UNKNOWN or report.cut or report.doubtful or report.contradicted:
        return UNKNOWN
    return MISMATCH if report.status in (Status.IMPOSSIBLE, Status.UNMET) else OK


def _write(reports: list[Report], options: argparse.Namespace) -> None:
    """Write the patched tests; two of one name get numbers."""
    from axmem.front.output import write_directory

    texts = dict(_named(reports))
    if texts:
        write_directory(texts, options.output, force=options.force)
    print(f"axmem: {len(texts)} patched test{'' if len(texts) == 1 else 's'} in {options.output}", file=sys.stderr)


def _named(reports: list[Report]) -> Iterator[tuple[str, str]]:
    seen: dict[str, int] = {}
    for report in reports:
        for repair in report.repairs:
            base = re.sub(r"[^\w.+=,-]", "_", repair.test.name)
            seen[base] = seen.get(base, 0) + 1
            yield f"{base}.litmus" if seen[base] == 1 else f"{base}.{seen[base]}.litmus", repair.text
