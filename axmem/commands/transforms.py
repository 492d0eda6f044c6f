"""`axmem prove --bounded --transforms`: which transformations of which bodies of loops are sound."""

from __future__ import annotations

import argparse

from axmem.front.exits import ExitCodes
from axmem.front.source import did_you_mean, mistake


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code: 3 if something is not known, 1 if what is unsound is not refused.

    It is 1 as well if, of the whole table, a sound change of order has no killing mutant.
    """
    from axmem.check.run.workers import workers
    from axmem.commands.pages.transforms import document, write_results
    from axmem.front.exits import MISMATCH, OK, UNKNOWN
    from axmem.front.output import output
    from axmem.refinement.kept_findings import store_of
    from axmem.refinement.transforms import SMALL, WIDE, cells, killers, questions
    from axmem.report.printers import printed

    if options.results and (options.names or options.events):
        raise mistake(
            "--results", "this table is of all transformations", "leave out NAME and --events", text=options.results
        )
    wide = options.events or WIDE
    asked = list(questions(wide, max(SMALL, wide) if not options.events else wide))
    names = list(dict.fromkeys(q.deed for q in asked))
    for name in options.names:
        if not any(n.startswith(name) for n in names):
            raise mistake("axmem prove --bounded", f"no transformation '{name}'", did_you_mean(name, names), text=name)
    asked = [q for q in asked if not options.names or any(q.deed.startswith(name) for name in options.names)]
    codes = ExitCodes()
    found = []
    with output(options.output) as write, workers(options.jobs, megabytes=options.memory) as at_work:
        if options.list:
            write("".join(f"{q.deed}  {q.body}  {q.model}\n" for q in asked))
            return OK
        for cell in cells(asked, store_of(options.run), at_work):
            found.append(cell)
            q = cell.question
            verdict = "nothing can be made" if cell.impossible else cell.verdict
            if not cell.impossible and not cell.refused:
                codes.add({"sound": OK, "unsound": MISMATCH, "unknown": UNKNOWN}[cell.verdict])
            if options.format == "text":
                forced = "refused  " if cell.refused else ""
                write(f"{q.deed}  {q.body}  {q.model}  {forced}{verdict}\n")
        if options.format != "text":
            write(printed(document(found), options.format))
    whole = not options.names and not options.events
    if whole and any(killer is None for killer in killers(found).values()):
        codes.add(MISMATCH)
    if options.results:
        write_results(options.results, found, force=options.force)
    return codes.code
