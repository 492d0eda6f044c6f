"""The weakest lowering that is still sound for a set of tests.

What goes in: jobs (tests on one target). What comes out: the rules of the lowering that can all be left out at once,
everywhere, so that every test that was sound stays sound; and how many instructions and bits that saves. Invariant: it
was tried that every test is sound without all of them. The rest is minimal, if to leave out more never makes a test
sound again: with any further rule left out some test is unsound (or could not be decided). It need not be the only one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from axmem.codegen.instructions import Kind
from axmem.front.source import Diagnostic
from axmem.mapping.bench import Bench, bench
from axmem.mapping.jobs import Job, Spread
from axmem.mapping.necessity import GENERATED, IDLE, REDUNDANT, excluded, necessity
from axmem.mapping.rules import Rule
from axmem.report.markup import GITHUB, github_table

STATES = 50_000
"""How many states a placement of a trial may have; with more it is not decided, and what was tried stays."""
KINDS = ("wait", "bit", "invalidate", "writeback")


@dataclass(frozen=True, slots=True)
class Without:
    """A job, where its answers are kept, and the rules to leave out of it."""

    job: Job
    directory: str
    left_out: frozenset[Rule]


@dataclass(frozen=True, slots=True)
class Strategy:
    """What may be left out together, beside the `idle` rules, which are waits for nothing wherever they occur.

    `emitted`, `waiting` (those of idle rules) and `saved` count waits, bits, invalidates and writebacks over all tests.
    """

    heading: str
    left_out: tuple[Rule, ...]
    idle: tuple[Rule, ...]
    kept: int
    emitted: Mapping[str, int]
    waiting: Mapping[str, int]
    saved: Mapping[str, int]
    unsound: tuple[str, ...]
    undecided: tuple[str, ...]
    tests: int
    errors: tuple[Diagnostic, ...]
    incomplete: bool

    def text(self) -> str:
        """Return the page, as Markdown."""
        rules = self.kept + len(self.left_out) + len(self.idle)
        out = [
            GENERATED, f"# The weakest lowering: {self.heading}", "",
            f"{self.tests} tests, {rules} rules. {len(self.idle)} rules are waits for nothing wherever the tests have "
            f"them; {len(self.left_out)} more can be left out everywhere at once, and every test is still sound; "
            f"without any further one of the other {self.kept} some test is not.", "",
        ]  # fmt: skip
        out += excluded(self.unsound, self.undecided)
        counts = [[k, *(str(c[k]) for c in (self.emitted, self.waiting, self.saved))] for k in KINDS]
        table = github_table(["In all tests", "Emitted by LLVM", "For nothing", "Could be saved"], counts)
        rows = [[GITHUB.text(rule.operation), GITHUB.code(rule.what)] for rule in self.left_out]
        return "\n".join(out) + "\n" + table + "\n" + github_table(["Operation", "Could be left out"], rows)

    def document(self) -> str:
        """Return the strategy as JSON."""
        made = {"version": 1, "heading": self.heading, "tests": self.tests, "unsound": list(self.unsound),
                "undecided": list(self.undecided),
                "kept": self.kept, "emitted": dict(self.emitted), "idle_emitted": dict(self.waiting),
                "saved": dict(self.saved), "left_out": _named(self.left_out), "idle": _named(self.idle)}  # fmt: skip
        return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def strategy(jobs: Sequence[Job], run: Spread, directory: str = "") -> Strategy:
    """Leave out rule after rule, those of the most tests first, as long as every test stays sound."""
    table = necessity(jobs, run, directory)
    sound = sorted(table.sound, key=lambda job: job.text.count("thread "))
    nothing = frozenset(row.rule for row in table.rows if row.verdict == IDLE)
    counted = [(-len(row.jobs), row.rule) for row in table.rows if row.verdict == REDUNDANT]
    having = [(job, frozenset(bench(job, directory).rules.values())) for job in sound]
    left_out: frozenset[Rule] = frozenset()
    several = [tuple(rule for _, rule in sorted(counted))]
    while several:
        some = several.pop()
        trial = left_out | frozenset(some)
        wanted = [Without(job, directory, trial | nothing) for job, had in having if had & frozenset(some)]
        failing = next((w.job for w, sound in zip(wanted, run(_stays_sound, wanted), strict=False) if not sound), None)
        if failing is None:
            left_out = trial
            continue
        having.sort(key=lambda had: had[0] != failing)  # What failed once is likely to fail again.
        if len(some) > 1:
            several += [some[len(some) // 2 :], some[: len(some) // 2]]
    benches = [bench(job, directory) for job in sound]
    emitted = _counts(benches, frozenset(row.rule for row in table.rows))
    return Strategy(
        table.heading, tuple(sorted(left_out)), tuple(sorted(nothing)), len(table.rows) - len(left_out | nothing),
        emitted, _counts(benches, nothing), _counts(benches, left_out), table.unsound, table.undecided, len(sound),
        table.errors, table.incomplete,
    )  # fmt: skip


def _named(rules: Iterable[Rule]) -> list[dict[str, str | None]]:
    return [{"operation": r.operation, "instruction": r.instruction, "part": r.part or None} for r in rules]


def _stays_sound(wanted: Without) -> bool:
    """Tell whether a test is sound without some rules."""
    tested = bench(wanted.job, wanted.directory)
    left_out = [element for element, rule in tested.rules.items() if rule in wanted.left_out]
    return tested.judged(left_out, limit=STATES)[0] == "sound"


def _counts(benches: Iterable[Bench], rules: frozenset[Rule]) -> Counter[str]:
    """Count what some rules emit in all tests; a bit of an invalidate or writeback is not counted beside it."""
    found: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
    for tested in benches:
        for element, rule in tested.rules.items():
            kind = tested.program.instruction(element).kind
            if rule in rules and not (element.part and kind in (Kind.INVALIDATE, Kind.WRITEBACK)):
                found["bit" if kind is Kind.ACCESS else kind.value] += 1
    return found
