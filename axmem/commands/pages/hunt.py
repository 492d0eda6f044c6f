"""What a hunt has found, as text and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from axmem.front.output import counted
from axmem.passes.hunting import Caught, Hunt
from axmem.report.tree import Code, Column, Paragraph, Program, Section, table

NEW = "no known fault"


def caught_section(each: Caught, number: int, hunt: Hunt) -> Section:
    """Return what was found of one program, which is shown whole if no page explains it."""
    blocks = [Paragraph(f"cause: {', '.join(each.pages) or NEW}", aside=True)]
    blocks += [Paragraph(line, aside=True) for line in each.key]
    blocks += [Paragraph(f"+ {each.outcome}", aside=True)] if each.outcome else []
    title = f"fault {number}  {hunt.target}  {hunt.llc}"
    if each.pages:
        return Section(title, tuple(blocks))
    command = f"axmem verify fault-{number}.litmus --target {hunt.target} --llc {hunt.llc}"
    return Section(title, (*blocks, Program(each.text, "litmus"), Program(command)))


def tables(hunt: Hunt) -> Iterator[Section]:
    """Yield what was done, and the causes."""
    number = Column("Programs", number=True)
    rows = [(str(many), words) for words, many in sorted((+hunt.counts).items())]
    said = Paragraph(f"verified: {hunt.verified}", aside=True)
    yield Section(f"{counted(hunt.programs, 'program')}", (said, table((number, ""), rows)))
    causes = Counter(", ".join(each.pages) or NEW for each in hunt.found.values())
    if causes:
        heads = (Column("Differences", number=True), "Cause")
        yield Section("Unsound", (table(heads, [(str(n), Code(words)) for words, n in causes.most_common()]),))
    for title, reasons in (("Refused", hunt.refused), ("Unknown", hunt.unknown)):
        if reasons:
            rows = [(str(many), reason) for reason, many in reasons.most_common()]
            yield Section(f"{title}, by reason", (table((number, "Reason"), rows),))


def hunt_record(hunt: Hunt) -> dict[str, Any]:
    """Return a hunt as plain data."""
    return {
        "target": hunt.target,
        "llc": hunt.llc,
        "seed": hunt.seed,
        "programs": hunt.programs,
        "verified": hunt.verified,
        "counts": dict(sorted((+hunt.counts).items())),
        "refused": dict(hunt.refused),
        "unknown": dict(hunt.unknown),
        "found": [
            {
                "verdict": each.verdict,
                "pages": list(each.pages),
                "differences": list(each.key),
                "outcome": each.outcome,
                "test": each.text,
            }
            for each in hunt.found.values()
        ],
    }
