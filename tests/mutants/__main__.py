"""`python -m tests.mutants`: does every definition of the models decide a test of the corpus?

What comes out: a page with each definition, axiom, undef rule and flag of the models' files, what was done to it, and
the test that turned red; exit code 1 if there is one of which no change turns any test red, and no reason is known.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tests.mutants.laboratory import PAGE, Trial, definitions, trials
from tests.spread import spread

REASONS = {
    ("amdgpu", "some-unordered"): "none can: where a write is ordered before the read too, several-writes says as much",
}
"""Why no test can tell: for definitions of which nothing turns a test red."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all mutations; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--only", metavar="NAME", help="try one definition, and print what comes of it")
    options = parser.parse_args(arguments)
    if options.only:
        numbers = [i for i, (_, name) in enumerate(definitions()) if name == options.only]
        print(*(t for i in numbers for t in trials(i)), sep="\n")
        return 0
    found: list[Trial] = []
    for number, some in enumerate(spread(trials, range(len(definitions())), options.jobs), 1):
        found += some
        if sys.stderr.isatty():
            print(f"\r{number} of {len(definitions())} definitions", end="", file=sys.stderr)
    PAGE.write_text(page(found), encoding="utf-8")
    alive = list(survivors(found))
    for file, name in alive:
        print(f"{file}.cat: no test turns red without {name}")
    return 1 if set(alive) - REASONS.keys() else 0


def survivors(found: Iterable[Trial]) -> Iterator[tuple[str, str]]:
    """Yield the definitions of which no change turns a test red."""
    for key, group in groupby(found, lambda t: (t.file, t.name)):
        if not any(t.killer for t in group):
            yield key


def page(found: Sequence[Trial]) -> str:
    """Return the page."""
    from tabulate import tabulate

    tried = [t for t in found if t.killer is not None]
    killed = sum(1 for t in tried if t.killer)
    alive = set(survivors(found))
    lines = [
        "# Mutations of the models",
        "",
        "Each axiom, undef rule and flag of the models is deleted, and each definition made empty or an operand of it",
        "dropped, one at a time; the table names a test of the corpus whose stated verdict, outcomes or flags",
        f"then no longer hold. Of {len(definitions())} definitions and rules, {len(definitions()) - len(alive)} decide",
        f"a test; of {len(tried)} changes, {killed} turn one red. Changes that make no model are left out.",
        "`make mutants` writes this page.",
        "",
    ]
    for file, group in groupby(tried, lambda t: t.file):
        rows = [(f"`{t.name}`", _escaped(t.action), f"`{t.killer}`" if t.killer else _why(t, alive)) for t in group]
        table = tabulate(rows, ("definition", "change", "red"), tablefmt="github", disable_numparse=True)
        lines += [f"## `{file}.cat`", "", table, ""]
    return "\n".join(lines)


def _why(trial: Trial, alive: set[tuple[str, str]]) -> str:
    key = trial.file, trial.name
    return REASONS.get(key, "none") if key in alive else "none"


def _escaped(text: str) -> str:
    return text.replace("|", "∪").replace("&", "∩")


if __name__ == "__main__":
    sys.exit(main())
