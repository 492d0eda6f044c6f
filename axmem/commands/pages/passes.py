"""What passes on trial have made, and what is known of it, as text, pages and JSON.

What goes in: a `Trial`. What comes out: an entry for each distinct change that is unsound, with its passes, both
functions as a difference, and the context that tells them apart; tables: how many functions each pass changed, and how
many distinct changes have which verdict. Nothing depends on time or place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from axmem.front.output import counted
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.passes.changes import ARITHMETIC, GONE, FunctionChange
from axmem.passes.known import FINDING, LICENCE, Cause, cause, difference
from axmem.passes.passes import command
from axmem.passes.trial import CHANGED, ChangeEntry, Trial, order
from axmem.refinement.inclusion import BOUNDED, SOUND, UNKNOWN, UNSOUND
from axmem.refinement.marked import marked
from axmem.refinement.timed import REFUSED, Timed
from axmem.report.listing_of_change import marked_difference, test_lines
from axmem.report.tree import Block, CellContent, Code, Column, Document, Line, Paragraph, Program, Section, table

VERDICTS = (SOUND, UNSOUND, BOUNDED, UNKNOWN, REFUSED)
OPEN = "not asked"
NEW = "not known"
"""What is said of the cause of a change that is on no page."""
CALLED = {FINDING: "cause", LICENCE: "licence"}


def entry_section(entry: ChangeEntry, trial: Trial) -> Section:
    """Return what is known of an unsound change."""
    found = {m: known for m in trial.asked.models if (known := entry.known(m)) is not None}
    wrong = {m: known for m, known in found.items() if known[1].verdict == UNSOUND}
    change = next(iter(wrong.values()))[0] if wrong else entry.change
    said = cause(change, entry.passes) if wrong else None
    blocks: list[Block] = [Paragraph(f"{counted(entry.passes.total(), 'function')}: {_passes(entry)}", aside=True)]
    blocks += [Paragraph(f"{model}: {verdict_words(known)}", aside=True) for model, (_, known) in found.items()]
    blocks.append(Paragraph(_cause_words(change, said), aside=True))
    blocks.append(Program("\n".join(changed_lines(change)), "diff"))
    shown = next((known for _, known in wrong.values() if known.counterexample), None)
    if shown is not None:
        blocks += _context(shown)
    blocks.append(Program(command(trial.asked.target, example(entry, change), f"{name(entry)}.ll")))
    return Section(f"{name(entry)}  {_title(change)}", tuple(blocks))


def name(entry: ChangeEntry) -> str:
    """Return what a change is called, in a report and as a file."""
    return f"change-{entry.number}"


def example(entry: ChangeEntry, change: FunctionChange) -> str:
    """Return a pass that makes a change."""
    return entry.wholes.get(change) or next(iter(entry.wholes.values()))


def _title(change: FunctionChange) -> str:
    try:
        return difference(change).words
    except InputError:
        return "another function"


def _passes(entry: ChangeEntry) -> str:
    return ", ".join(f"{each} ({count})" for each, count in entry.passes.most_common())


def _cause_words(change: FunctionChange, said: Cause | None) -> str:
    return f"{CALLED[said.kind]}: {said.words}, {said.path}" if said is not None else f"cause: {NEW}"


def verdict_words(known: Timed) -> str:
    """Return a verdict with how far it goes."""
    if known.verdict == BOUNDED and known.context is not None:
        return f"{BOUNDED} in contexts of up to {counted(known.context, 'operation')}"
    if known.verdict == UNSOUND:
        where = f"in a context of {counted(known.context or 0, 'operation')}" if known.context else "with nobody beside"
        return f"unsound {where}" + (f" if {known.choice}" if known.choice else "")
    return known.verdict + (f": {known.reasons[0]}" if known.reasons else "")


def changed_lines(change: FunctionChange) -> Iterator[str]:
    """Return both functions as one text, with a mark before each line that only one of them has."""
    return marked_difference([text.rstrip("\n").split("\n") for text in (change.before, change.after)])


def _context(known: Timed) -> Iterator[Block]:
    """Yield the programs that tell the two apart, and the outcome."""
    shown = known.counterexample
    assert shown is not None
    tests = marked(*(parse(text) for text in (shown.before, shown.after)))
    yield Program("\n".join(test_lines(*tests)), "diff")
    yield Paragraph(f"+ {shown.outcome}")


# ---------------------------------------------------------------- tables


def tables(trial: Trial) -> tuple[Section, ...]:
    """Return the tables: passes, verdicts, causes, and what went wrong."""
    return tuple(_tables(trial))


def _tables(trial: Trial) -> Iterator[Section]:
    models = trial.asked.models
    number = [Column(head, number=True) for head in ("Changed", "Beside memory", "Gone", "Distinct changes", *models)]
    rows: list[Sequence[CellContent]] = [
        (Code(each), str(counts[CHANGED]), str(counts[ARITHMETIC]), str(counts[GONE]), *_of_pass(each, trial))
        for each in trial.asked.passes
        for counts in [trial.counts.get(each, Counter())]
    ]
    yield Section("Passes", (table(("Pass", *number), rows),))
    verdicts = [
        (model, *(str(_verdicts(trial, model)[word]) for word in (*VERDICTS, OPEN))) for model in models
    ]  # fmt: skip
    heads = [Column(word.capitalize(), number=True) for word in (*VERDICTS, OPEN)]
    yield Section("Distinct changes", (table(("Model", *heads), verdicts),))
    if causes := _causes(trial):
        rows = [(words, Code(path) if path else NEW, str(count)) for (words, path), count in causes.most_common()]
        yield Section("Causes", (table(("Cause", "Page", Column("Changes", number=True)), rows),))
    if reasons := _reasons(trial):
        heads = [Column("Changes", number=True)]
        yield Section("Unknown or refused", (table((*heads, "Reason"), [(str(n), r) for r, n in reasons]),))
    if trial.failures:
        rows = [(Code(each), reason, _numbers(modules)) for (each, reason), modules in sorted(trial.failures.items())]
        yield Section("What opt did not do", (table(("Pass", "Reason", "Modules"), rows),))


def _of_pass(each: str, trial: Trial) -> tuple[str, ...]:
    """Return how many distinct changes a pass makes, and how many of these are unsound under each model."""
    entries = [entry for entry in trial.entries.values() if each in entry.passes]
    wrong = (str(sum(_verdict(entry, model) == UNSOUND for entry in entries)) for model in trial.asked.models)
    return (str(len(entries)), *(f"{count} unsound" for count in wrong))


def _verdict(entry: ChangeEntry, model: str) -> str:
    known = entry.known(model)
    return OPEN if known is None else known[1].verdict


def _verdicts(trial: Trial, model: str) -> Counter[str]:
    return Counter(_verdict(entry, model) for entry in trial.entries.values())


def unsound(trial: Trial) -> list[ChangeEntry]:
    """Return the changes that are unsound under a model, by their numbers."""
    return [entry for entry in trial.entries.values() if entry.unsound(trial.asked.models)]


def of_cause(entry: ChangeEntry, models: Sequence[str]) -> Cause | None:
    """Return the cause of an unsound change."""
    wrong = (known for model in models if (known := entry.known(model)) and known[1].verdict == UNSOUND)
    return cause(next(wrong)[0], entry.passes)


def _causes(trial: Trial) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    found.update(_told(entry, trial) for entry in unsound(trial))
    return found


def _told(entry: ChangeEntry, trial: Trial) -> tuple[str, str]:
    """Return what is said of a cause, and its page; of one that is not known what is different."""
    said = of_cause(entry, trial.asked.models)
    return (said.words, said.path) if said else (_title(entry.change), "")


def _reasons(trial: Trial) -> list[tuple[str, int]]:
    found: Counter[str] = Counter()
    for entry in trial.entries.values():
        for model in trial.asked.models:
            known = entry.known(model)
            if known is not None and known[1].verdict in (UNKNOWN, REFUSED):
                found[f"{known[1].verdict}: {'; '.join(known[1].reasons[:1])}"] += 1
    return found.most_common()


def _numbers(modules: Sequence[int]) -> str:
    return ", ".join(map(str, modules[:3])) + (f" and {len(modules) - 3} more" if len(modules) > 3 else "")


def summary(trial: Trial) -> str:
    """Return the counts in one line, what was not asked before all else."""
    wrong = unsound(trial)
    kinds = Counter(said.kind for entry in wrong if (said := of_cause(entry, trial.asked.models)) is not None)
    cut = "not all was asked: " if trial.cut else ""
    changes = counted(len(trial.entries), "distinct change")
    passes = counted(len(trial.asked.passes), "pass", "passes")
    given = f"{counted(trial.functions, 'function')}, {passes}"
    failing = {name for name, _ in trial.failures}
    if failing:
        given += f", of which opt failed at {', '.join(sorted(failing))}"
    return f"{cut}{given}: {changes}, {len(wrong)} unsound, {kinds[FINDING]} of a known cause" + (
        f", {kinds[LICENCE]} licensed" if kinds[LICENCE] else ""
    )


def document(trial: Trial, title: str, about: Line, origin: str = "") -> Document:
    """Return a page: the tables, and the smallest unsound changes of each cause."""
    entries = tuple(entry_section(entry, trial) for entry in _shown(trial))
    head = (Paragraph(about), Paragraph(summary(trial)))
    return Document(
        (*head, *tables(trial), Section("Unsound changes", entries)), {"trial": record(trial)}, title, origin
    )


SHOWN = 2
"""So many changes of each cause stand on a page."""


def _shown(trial: Trial) -> Iterator[ChangeEntry]:
    """Yield the smallest changes of each cause."""
    counts: Counter[tuple[str, str]] = Counter()
    for entry in sorted(unsound(trial), key=lambda each: order(each.change)):
        counts[_told(entry, trial)] += 1
        if counts[_told(entry, trial)] <= SHOWN:
            yield entry


def record(trial: Trial) -> dict[str, Any]:
    """Return a trial as plain data."""
    return {
        "functions": trial.functions,
        "cut": trial.cut,
        "opt": trial.asked.target.opt,
        "options": list(trial.asked.target.options),
        "context": trial.asked.context,
        "passes": {each: dict(trial.counts.get(each, Counter())) for each in trial.asked.passes},
        "failures": [{"pass": p, "reason": r, "modules": m} for (p, r), m in sorted(trial.failures.items())],
        "changes": [_entry_record(entry, trial) for entry in trial.entries.values()],
    }


def _entry_record(entry: ChangeEntry, trial: Trial) -> dict[str, Any]:
    found = {m: known for m in trial.asked.models if (known := entry.known(m)) is not None}
    said = of_cause(entry, trial.asked.models) if any(k.verdict == UNSOUND for _, k in found.values()) else None
    return {
        "name": name(entry),
        "passes": dict(entry.passes),
        "before": entry.change.before,
        "after": entry.change.after,
        "page": said.path if said else "",
        "verdicts": [_verdict_record(m, change, known) for m, (change, known) in found.items()],
    }


def _verdict_record(model: str, change: FunctionChange, known: Timed) -> dict[str, Any]:
    shown = known.counterexample
    return {
        "model": model,
        "verdict": known.verdict,
        "context": known.context,
        "choice": known.choice,
        "reasons": list(known.reasons),
        "before": change.before,
        "after": change.after,
        "counterexample": None
        if shown is None
        else {"before": shown.before, "after": shown.after, "outcome": shown.outcome},
    }
