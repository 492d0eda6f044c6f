"""`axmem prove`: a property or a rule proved without a bound, from lemmas that provers check."""

from __future__ import annotations

import argparse

from axmem.front.exits import EXIT_CODES, OK, UNKNOWN, ExitCodes
from axmem.front.options import Subparsers, add_command, add_shared, check_listed
from axmem.front.source import mistake

DESCRIPTION = """\
Prove a property of a model, or that a rule is sound, for executions of any size. The lemmas stand in a file beside the
theorem; each is checked by Z3, and by cvc5 where it is installed, to follow from the algebra of the primitives and the
lemmas before it, and all that the property asks for to follow from them.

  axmem prove P2                a theorem, or all whose names begin so
  axmem prove widen-scope       all theorems about a rule
  axmem prove FILE.proof        lemmas of your own
"""

CODES = (
    EXIT_CODES.replace("every expectation holds", "proved")
    .replace("  1    an expectation does not hold (fmt --check: a file is not canonical)\n", "")
    .replace(
        "a limit was reached before the answer was certain, or no execution of a test is consistent",
        "some step does not follow, or no prover knows",
    )
)


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="prove",
        examples=("axmem prove --list",),
        description=DESCRIPTION,
        epilog=CODES,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a theorem, a rule, or a .proof file")
    parser.add_argument("--list", action="store_true", help="list the theorems of which there are proofs")
    parser.add_argument("--model", metavar="M", help="prove the theorem for another model than its own")
    parser.add_argument("--steps", action="store_true", help="print every step with the provers that proved it")
    add_shared(parser, "format", "jobs", "memory", "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.run.jobs import Job, answers, faultless
    from axmem.check.run.workers import workers
    from axmem.check.selection import parse_choice
    from axmem.commands.pages.proofs import document, listing, proof_section
    from axmem.front.output import output
    from axmem.refinement.proofs.check import PROVED
    from axmem.refinement.proofs.tasks import all_tasks, prove, tasks
    from axmem.report.printers import printed
    from axmem.report.tree import Document, List

    if options.list:
        check_listed(options)
    if not options.names and not options.list:
        raise mistake("axmem prove", "which theorem or rule?", "axmem prove --list")
    model = parse_choice(options.model) if options.model else None
    chosen = [task for name in options.names for task in tasks(name, model)] if options.names else all_tasks()
    codes, found = ExitCodes(), []
    with output(options.output) as write:
        if options.list:
            write(printed(Document((List(tuple(map(listing, chosen)), indent=4),)), "text"))
            return OK
        with workers(options.jobs, megabytes=options.memory) as at_work:
            done = faultless(answers((Job(task.key, task, prove) for task in chosen), at_work))
            for task, one in zip(chosen, done, strict=True):
                codes.errors(one.diagnostics)
                if one.answer is None:
                    codes.add(UNKNOWN)
                    continue
                found.append((task, one.answer))
                codes.add(OK if one.answer.status == PROVED else UNKNOWN)
                if options.format == "text":
                    section = proof_section(task, one.answer, steps=options.steps)
                    write(printed(Document((section,)), "text"))
        if options.format == "json":
            write(printed(document(found), "json"))
    return codes.code
