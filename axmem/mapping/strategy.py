"""The weakest lowering that is still sound for a set of tests.

What goes in: cases (tests on one target). What comes out: the rules of the lowering that can all be left out at once,
everywhere, so that every test that was sound stays sound; and how many instructions and bits that saves. Invariant: it
was tried that every test is sound without all of them. The rest is minimal, if to leave out more never makes a test
sound again: with any further rule left out some test is unsound (or could not be decided), or a load that is repeated
never returns what it should. It need not be the only one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from axmem.check.run.jobs import Job, Workers, answers, faultless
from axmem.codegen.instructions import InstructionKind
from axmem.codegen.machine.mutants import KINDS, kind_of
from axmem.front.progress import Show, unseen
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic
from axmem.mapping.bounds import SuiteBound
from axmem.mapping.cases import VerificationCase
from axmem.mapping.matrix import NOTHING
from axmem.mapping.necessity import IDLE, Subject, necessity
from axmem.mapping.rules import LoweringRule
from axmem.mapping.trials import Prepared, prepared

STATES = 50_000
"""How many states a placement of a trial may have; with more it is not decided, and what was tried stays."""


@dataclass(frozen=True, slots=True)
class Without:
    """A case, and the rules to leave out of it."""

    case: VerificationCase
    left_out: frozenset[LoweringRule]


@dataclass(frozen=True, slots=True)
class WaitStrategy:
    """What may be left out together, beside the `idle` rules, which are waits for nothing wherever they occur.

    `emitted`, `waiting` (those of idle rules) and `saved` count waits, bits, invalidates and writebacks over all tests.
    """

    subject: Subject | None
    left_out: tuple[LoweringRule, ...]
    idle: tuple[LoweringRule, ...]
    kept: int
    emitted: Mapping[str, int]
    waiting: Mapping[str, int]
    saved: Mapping[str, int]
    unsound: tuple[str, ...]
    undecided: tuple[str, ...]
    bound: SuiteBound
    errors: tuple[Diagnostic, ...]
    incomplete: bool


def strategy(cases: Sequence[VerificationCase], workers: Workers, show: Show = unseen) -> WaitStrategy:
    """Leave out rule after rule, those of the most tests first, as long as every test stays sound."""
    table = necessity(cases, workers, show)
    sound = sorted(table.sound, key=lambda case: case.text.count("thread "))
    nothing = frozenset(row.rule for row in table.rows if row.verdict == IDLE)
    counted = [(-len(row.cases), row.rule) for row in table.rows if row.verdict == NOTHING]
    having = [(case, frozenset(prepared(case).rules.values())) for case in sound]
    left_out: frozenset[LoweringRule] = frozenset()
    several = [tuple(rule for _, rule in sorted(counted))]
    while several:
        some = several.pop()
        trial = left_out | frozenset(some)
        asked = [case for case, had in having if had & frozenset(some)]
        show(f"without {len(trial)} of {len(counted)} rules that no test needs: {len(asked)} tests")
        jobs = [Job(case.name, Without(case, trial | nothing), _stays_sound) for case in asked]
        came = zip(asked, faultless(answers(jobs, workers)), strict=False)
        failing = next((case for case, done in came if not done.answer), None)
        if failing is None:
            left_out = trial
            continue
        having.sort(key=lambda had: had[0] != failing)  # What failed once is likely to fail again.
        if len(some) > 1:
            several += [some[len(some) // 2 :], some[: len(some) // 2]]
    ready = [prepared(case) for case in sound]
    emitted = _counts(ready, frozenset(row.rule for row in table.rows))
    return WaitStrategy(
        subject=table.subject,
        left_out=tuple(sorted(left_out)),
        idle=tuple(sorted(nothing)),
        kept=len(table.rows) - len(left_out | nothing),
        emitted=emitted,
        waiting=_counts(ready, nothing),
        saved=_counts(ready, left_out),
        unsound=table.unsound,
        undecided=table.undecided,
        bound=table.bound,
        errors=table.errors,
        incomplete=table.incomplete,
    )


def _stays_sound(wanted: Without) -> bool:
    """Tell whether a test is sound without some rules."""
    tested = prepared(wanted.case)
    left_out = [element for element, rule in tested.rules.items() if rule in wanted.left_out]
    return tested.judged(left_out, limit=STATES).verdict == "sound"


def _counts(ready: Iterable[Prepared], rules: frozenset[LoweringRule]) -> Counter[str]:
    """Count what some rules emit in all tests; a bit of an invalidate or writeback is not counted beside it."""
    found: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
    for tested in ready:
        for element, rule in tested.rules.items():
            kind = tested.program.instruction(element).kind
            if rule in rules and not (element.part and kind in (InstructionKind.INVALIDATE, InstructionKind.WRITEBACK)):
                found[kind_of(tested.program, element)] += 1
    return found
