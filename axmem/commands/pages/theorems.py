"""What is known of theorems.

What goes in: theorems with their findings. What comes out: text to print or files. Of the files only the page in
Markdown has times, those of the run that made it; the others change only when an answer does.
"""

from __future__ import annotations

import csv
import glob
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from axmem.check.selection import label
from axmem.commands.pages.bounded import extent
from axmem.front.output import MARK, counted, remove_generated, write_generated
from axmem.front.source import mistake
from axmem.refinement.bounded_check import HOLDS, REFUTED, Claim, Counterexample, Finding, space_text
from axmem.refinement.claims import Theorem
from axmem.refinement.proofs.tasks import listed as listed_proofs
from axmem.report.tree import CellContent, Code, Column, Document, Item, List, Paragraph, Section, bullets, prose, table

Rows = Sequence[tuple[Theorem, Claim, Finding]]
"""Theorems with one of their claims each, and what was found of it."""

COLUMNS = ("theorem", "statement", "source", "models", "space", "bound", "answer", "expected", "refuted by")


def verdict(claim: Claim, found: Finding) -> str:
    """Return the answer with its bound."""
    said = extent(claim, found)
    if found.status == HOLDS:
        return f"sound{said}" if claim.rule else f"holds{said}"
    return f"refuted{said}" if found.status == REFUTED else "unknown"


def answer(theorem: Theorem, claim: Claim, found: Finding) -> str:
    """Return what the table says: how far a theorem was searched, and that it is proved where there is a proof."""
    proved = found.status == HOLDS and theorem.key in {listed.key for listed, _ in listed_proofs()}
    return f"proved; {verdict(claim, found)}" if proved else verdict(claim, found)


def row_text(theorem: Theorem, claim: Claim, found: Finding, *, expected: bool) -> str:
    """Return a theorem with its answer as a line, with the time it took, and whether it was `expected`."""
    mark = "" if expected else f"  ({theorem.expected} was expected)"
    narrow = "" if claim == theorem.claim else " in a narrow space"
    searched = "" if claim.lost else f"  {found.families} families"
    lines = [f"{theorem.key}  {verdict(claim, found)}{narrow}{mark}{searched}  {found.seconds:.2f} s"]
    lines += [f"    {reason}" for reason in found.reasons]
    return "\n".join(lines)


def models_of(claim: Claim) -> str:
    """Return the models of a claim."""
    if claim.before == claim.after:
        return label(claim.before) + (
            f" ({'new' if claim.side == 'before' else 'old'} wording within the other)" if claim.overrides else ""
        )
    return f"{label(claim.after)} within {label(claim.before)}"


def listing(theorem: Theorem) -> Item:
    """Return a theorem with its statement, its source, its space."""
    said = [theorem.source, f"{models_of(theorem.claim)}; expected: {theorem.expected}"]
    for claim, bound in theorem.claims():
        upto = "" if claim.lost else f"{'contexts of ' * bool(claim.rule)}up to {counted(bound, 'operation')}: "
        said.append(f"{upto}{space_text(claim)}")
    return Item(f"{theorem.key}: {theorem.statement}", tuple(map(Paragraph, said)))


def listings(theorems: Iterable[Theorem]) -> Document:
    """Return what `--list` shows."""
    return Document((List(tuple(map(listing, theorems)), indent=4),))


def cells(theorem: Theorem, claim: Claim, found: Finding) -> tuple[str, ...]:
    """Return the row of a theorem."""
    by = ", ".join(
        [
            *([f"theorems/{file_name(theorem)}"] if found.counterexample else []),
            *([theorem.corpus] if theorem.corpus else []),
        ]
    )
    return (
        theorem.key,
        theorem.statement,
        theorem.source,
        models_of(claim),
        space_text(claim),
        str(found.events),
        answer(theorem, claim, found),
        theorem.expected,
        by,
    )


def file_name(theorem: Theorem) -> str:
    """Return the name of the file with a theorem's counterexample, without ending."""
    return theorem.key.replace(" ", "-").replace("=", "-")


def document(rows: Rows) -> Document:
    """Return the page, a table of the answers, then the spaces of programs; and the records."""
    spaces = {text: number for number, text in enumerate(dict.fromkeys(space_text(c) for _, c, _ in rows), 1)}
    lines: list[list[CellContent]] = []
    for t, c, f in rows:
        by = cells(t, c, f)[-1]
        shown = Code(by) if by else ""
        space, said = str(spaces[space_text(c)]), answer(t, c, f)
        lines.append([t.key, t.statement, t.source, Code(models_of(c)), space, said, shown, f"{f.seconds:.0f}"])
    heads = ("", "statement", "source", "model", "space", "answer", "refuted by", Column("s", number=True))
    blocks = (Paragraph(prose(_about(rows))), table(heads, lines), Section("Spaces", (bullets(spaces, ordered=True),)))
    return Document(blocks, {"theorems": [_record(*row) for row in rows]}, "Theorems", ORIGIN)


ORIGIN = "Generated by `make theorems`; change the theorems or the models, not this page."


def _about(rows: Rows) -> str:
    """Return what the page says of its table."""
    held = {t.key for t, _, f in rows if f.status == HOLDS}
    refuted = {t.key for t, _, f in rows if f.status == REFUTED}
    every = {t.key for t, _, _ in rows}
    return ABOUT.format(every=len(every), held=len(held), refuted=len(refuted), unknown=len(every - held - refuted))


ABOUT = """\
{every} properties that the documents claim, or that follow if they are read to the letter: {held} hold to
their bound, {refuted} are refuted, {unknown} are unknown. A bound is a number of operations in all threads;
initial writes do not count. Where a property has two rows, the space is smaller in the second. Every program
of the space is meant: [docs/prove.md](../docs/prove.md) says how this is known, and what is proved
without a bound. Seconds are those of the run that made this page,
several properties at a time."""


def as_csv(rows: Rows) -> str:
    """Return the table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(cells(t, c, f) for t, c, f in rows)
    return out.getvalue()


def _record(theorem: Theorem, claim: Claim, found: Finding) -> dict[str, object]:
    """Return a row as plain data, with the counterexample."""
    shown = found.counterexample
    programs = None if shown is None else {"before": shown.before, "after": shown.after, "outcome": shown.outcome}
    row = dict(zip(COLUMNS, cells(theorem, claim, found), strict=True))
    data = {"status": found.status, "reasons": found.reasons, "counterexample": programs}
    return {**row, "bound": found.events, **data}


def beside_others(
    rows: Rows, others: Mapping[tuple[str, str], Finding], folder: str
) -> list[tuple[Theorem, Claim, Finding]]:
    """Return the rows of all theorems: these, and of the others what the tables of a directory said.

    Raises InputError if they did not have a row that is wanted.
    """
    from axmem.refinement.theorems import THEOREMS

    own = {(theorem.key, claim): found for theorem, claim, found in rows}
    found = []
    for theorem in THEOREMS:
        for claim, _ in theorem.claims():
            finding = own.get((theorem.key, claim)) or others.get((theorem.key, space_text(claim)))
            if finding is None:
                message = f"the tables there have no row of {theorem.key}"
                raise mistake("--results", message, "leave out NAME, so that all are made", text=folder)
            found.append((theorem, claim, finding))
    return found


def kept_rows(folder: str) -> dict[tuple[str, str], Finding]:
    """Return the findings in the tables of a directory, by the theorem and the space; the page has their times.

    Raises InputError if there are none.
    """
    texts = []
    for ending in ("json", "md"):
        path = os.path.join(folder, f"theorems.{ending}")
        try:
            with open(path, encoding="utf-8") as stream:
                texts.append(stream.read())
        except OSError as error:
            raise mistake("--results", f"cannot read '{path}': {error.strerror}", text=folder) from None
    records = json.loads(texts[0])["theorems"]
    lines = [line for line in texts[1].splitlines() if line.startswith("| ")]
    seconds = [float(line.split("|")[-2]) for line in lines[2:]]
    return {
        (record["theorem"], record["space"]): Finding(
            record["status"],
            record["bound"],
            Counterexample(**record["counterexample"]) if record["counterexample"] else None,
            tuple(record["reasons"]),
            seconds=spent,
        )
        for record, spent in zip(records, seconds, strict=True)
    }


def write_results(
    folder: str, rows: Rows, pages: Mapping[str, str], name: str = "theorems", *, force: bool = False
) -> None:
    """Write pages, by what their names end in, and the counterexamples to a results directory, all or none.

    Raises OutputError, without `force` also for a file in their way that was not generated.
    """
    found = {f"{name}.{ending}": text for ending, text in pages.items()}
    found |= {
        f"{name}/{file_name(theorem)}{side}.litmus": f"; {MARK}{name}`.\n{text}"
        for theorem, _, found in rows
        if found.counterexample is not None
        for side, text in programs(found.counterexample)
    }
    write_generated(found, folder, force=force)
    old = glob.glob(os.path.join(glob.escape(os.path.join(folder, name)), "*.litmus"))
    remove_generated(path for path in old if f"{name}/{os.path.basename(path)}" not in found)


def programs(found: Counterexample) -> Iterator[tuple[str, str]]:
    """Yield the programs of a counterexample with what their names end in: one, or those before and after."""
    sides = [("", found.after)] if found.before == found.after else [(".before", found.before), (".after", found.after)]
    if found.before != found.after and found.before.split("\n", 1)[1] == found.after.split("\n", 1)[1]:
        sides = [("", found.after)]
    for side, text in sides:
        outcome = found.outcome.replace("  ", " /\\ ")
        yield side, text + (f"\nexists ({outcome})\n" if outcome else "")
