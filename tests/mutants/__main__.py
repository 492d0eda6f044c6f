"""`python -m tests.mutants`: does every definition of the models decide a test of the corpus, and every name in it?

What comes out: a page for each table. One has each definition, axiom, undef rule and flag of the models' files, what
was deleted of it, and the test that turned red; the other has each use of a name or an operator that has a neighbour,
the neighbour, and the test. Exit code 1, and a line for each, if there is a definition of which no deletion turns any
test red, or a replacement that turns none red, and no reason is known; or a reason for what does turn one red. What
came of a definition is kept in `build/mutants`, so that a run that is interrupted goes on from there; exit code 130, or
143 if it was asked to end.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from functools import cache
from itertools import groupby
from pathlib import Path

from axmem.check.run.fingerprint import digest_of, program_digest
from axmem.check.run.store import AnswerStore
from tests.mutants.equal import reason, stale
from tests.mutants.laboratory import TABLES, Trial, definitions, page_trials, retrial, trials
from tests.origins import committed, mutants_origins
from tests.paths import CORPUS, ROOT
from tests.spread import Kept, ended, spread

KEPT = ROOT / "build" / "mutants"

REASONS = {
    ("amdgpu", "some-unordered"): "none can: where a write is ordered before the read too, several-writes says as much",
}
"""Why no test can tell: for definitions of which nothing that is deleted turns a test red."""

HEADS = {
    "deletions": (
        "# Mutations of the models",
        "",
        "Each axiom, undef rule and flag of the models is deleted, and each definition made empty or an operand of it",
        "dropped, one at a time; the table names a test of the corpus whose stated verdict, outcomes or flags",
        "then no longer hold. Of {definitions} definitions and rules, {deciding} decide",
        "a test; of {changes} changes, {killed} turn one red. Changes that make no model are left out.",
        "`make mutants` writes this page.",
    ),
    "replacements": (
        "# Replacements in the models",
        "",
        "Each use of a name in the models is replaced by a name whose meaning lies beside it, and a composition of two",
        "relations by their intersection and the other way round, one at a time; the table names a test of the corpus",
        "whose stated verdict, outcomes or flags then no longer hold, or says why none can.",
        "Of {changes} changes, {killed} turn a test red and {explained} are explained; {open} are neither. Changes",
        "that make no model are left out. What lies beside what is in `NEIGHBOURS` of `tests/mutants/replacements.py`.",
        "`make mutants` writes this page.",
    ),
}  # fmt: skip

ADDED = "a test newer than the pages: only what turned no test red is tried, on such tests alone"


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all mutations; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--table", choices=TABLES, action="append", help="one of the tables (default: both)")
    parser.add_argument("--only", metavar="NAME", help="try one definition, and print what comes of it")
    parser.add_argument("--added", metavar="FAMILY/NAME", action="append", default=[], help=ADDED)
    options = parser.parse_args(arguments)
    tables = tuple(options.table or TABLES)
    if options.only and all(options.only != name for table in tables for _, name in definitions(table)):
        parser.error(f"no definition is called {options.only!r}; the pages have the names")
    if unknown := [name for name in options.added if not (CORPUS / f"{name}.litmus").is_file()]:
        parser.error(f"no test of the corpus: {', '.join(unknown)}")
    if options.added and (other := _other_than(options.added)):
        parser.error(f"the pages were made of other {other}: make them whole, without --added")
    code = 0
    for table in tables:
        if options.added:
            code = _written(list(_retried(table, tuple(options.added), options.jobs)), table) or code
            continue
        numbers = [(table, i) for i, (_, name) in enumerate(definitions(table)) if options.only in (None, name)]
        found: list[Trial] = []
        memory = Kept(AnswerStore(str(KEPT)), _key, lambda some: [astuple(t) for t in some], _read)
        with memory.store.locked():
            for number, some in enumerate(spread(trials, numbers, options.jobs, memory), 1):
                found += some
                if sys.stderr.isatty():
                    print(f"\r{number} of {len(numbers)} definitions", end="", file=sys.stderr)
        if options.only:
            print(*found, sep="\n")
            continue
        code = _written(found, table) or code
    return code


def _key(question: tuple[str, int]) -> str:
    """Return the digest of all that what comes of a definition depends on; question as `trials` has it."""
    table, number = question
    return digest_of(repr([table, definitions(table)[number], *_origins()]))


@cache
def _origins() -> tuple[str, ...]:
    own = [Path(__file__).with_name(f"{name}.py") for name in ("laboratory", "mutations", "replacements", "sameness")]
    made_from = [repr((path, sorted(parts.items()))) for path, parts in mutants_origins()]
    return (program_digest(), *made_from, *(path.read_text(encoding="utf-8") for path in own))


def _read(rows: list[tuple[str, str, str, str | None]]) -> list[Trial]:
    return [Trial(*row) for row in rows]


def _written(found: Sequence[Trial], table: str) -> int:
    """Write the page of a table, print what is wrong with it, and return the exit code."""
    TABLES[table].page.write_text(page(found, table), encoding="utf-8")
    wrong = list(complaints(found, table))
    print(*(f"{line}\n" for line in wrong), sep="", end="")
    return int(bool(wrong))


def _retried(table: str, tests: tuple[str, ...], processes: int) -> Iterator[Trial]:
    """Yield what the page says of each mutation, those that turned no test red tried on some tests."""
    before = page_trials(table)
    again = spread(retrial, [(table, trial, tests) for trial in before if not trial.killer], processes)
    yield from (trial if trial.killer else next(again) for trial in before)


def _other_than(added: Sequence[str]) -> str:
    """Return what the pages were made of that is another today, apart from tests that were added; empty if nothing."""
    today, then = dict(mutants_origins(frozenset(added))), committed()
    return ", ".join(
        sorted({part for path, parts in today.items() for part in parts if then.get(path, {}).get(part) != parts[part]})
    )


def complaints(found: Sequence[Trial], table: str) -> Iterator[str]:
    """Yield a line for each change that turns no test red for no known reason, and each reason that is not needed."""
    if table == "deletions":
        alive = set(survivors(found))
        yield from (f"{file}.cat: no test turns red without {name}" for file, name in sorted(alive - REASONS.keys()))
        for file, name in sorted(REASONS.keys() - alive):
            yield f"REASONS: a test turns red without {name} of {file}.cat"
        return
    for t in found:
        explained = bool(reason(t.file, t.name, t.action))
        if t.killer == "" and not explained:
            yield f"{t.file}.cat: no test turns red where {t.action} in {t.name}"
        elif t.killer and explained:
            yield f"tests/mutants/equal.py: {t.killer} turns red where {t.action} in {t.name} of {t.file}.cat"
    for entry in stale([(t.file, t.name, t.action) for t in found if t.killer == ""]):
        yield f"tests/mutants/equal.py: nothing that survives is {entry}"


def survivors(found: Iterable[Trial]) -> Iterator[tuple[str, str]]:
    """Yield the definitions of which no change turns a test red."""
    for key, group in groupby(found, lambda t: (t.file, t.name)):
        if not any(t.killer for t in group):
            yield key


def page(found: Sequence[Trial], table: str = "deletions") -> str:
    """Return the page of a table."""
    from tabulate import tabulate

    tried = [t for t in found if t.killer is not None]
    alive = set(survivors(found))
    explained = sum(1 for t in tried if not t.killer and reason(t.file, t.name, t.action))
    counts = {
        "definitions": len(definitions(table)),
        "deciding": len(definitions(table)) - len(alive),
        "changes": len(tried),
        "killed": sum(1 for t in tried if t.killer),
        "explained": explained,
        "open": sum(1 for t in tried if not t.killer) - explained,
    }
    lines = [*(line.format(**counts) for line in HEADS[table]), ""]
    for file, group in groupby(tried, lambda t: t.file):
        rows = [
            (f"`{t.name}`", _escaped(t.action), f"`{t.killer}`" if t.killer else _why(t, alive, table)) for t in group
        ]
        shown = tabulate(rows, ("definition", "change", "red"), tablefmt="github", disable_numparse=True)
        lines += [f"## `{file}.cat`", "", shown, ""]
    return "\n".join(lines)


def _why(trial: Trial, alive: set[tuple[str, str]], table: str) -> str:
    if table == "replacements":
        return reason(trial.file, trial.name, trial.action) or "none"
    key = trial.file, trial.name
    return REASONS.get(key, "none") if key in alive else "none"


def _escaped(text: str) -> str:
    return text.replace("|", "∪").replace("&", "∩")


if __name__ == "__main__":
    sys.exit(ended(main, f"; what came of a definition is kept in {KEPT.relative_to(ROOT)}"))
