"""Which waits, bits, invalidates and writebacks of a lowering are needed, and by which test.

What goes in: cases (tests on one target). What comes out: a row for each rule of the lowering that occurs in them. A
rule is needed if some test, sound with it, has an outcome that the model does not permit once it is left out at one
place; else for progress, if a load of some test that is repeated then never returns what it should. The words are those
of a test's own matrix. Invariant: `NOTHING` is said only if every place in every sound test was tried, to the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from axmem.check.run.jobs import Job, Workers, answers, faultless
from axmem.codegen.machine.mutants import idle
from axmem.codegen.targets import target
from axmem.front.progress import Show, unseen
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic
from axmem.mapping.assumptions import RuleCases, rests
from axmem.mapping.bounds import SuiteBound, bound_of
from axmem.mapping.cases import VerificationCase
from axmem.mapping.matrix import NEEDED, NOTHING, PROGRESS, UNKNOWN
from axmem.mapping.rules import LoweringRule
from axmem.mapping.switches import Settings
from axmem.mapping.trials import prepared

IDLE = f"{NOTHING}, waits for nothing"
"""What is said of a rule that at every place is a wait for something that no instruction before it does."""
VERDICTS = (NEEDED, PROGRESS, NOTHING, IDLE, UNKNOWN)
"""Verdicts on a rule."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a table is about: the target with its mode, the profile, the model."""

    target: str
    profile: str
    model: str


def subject_of(cases: Sequence[VerificationCase]) -> Subject | None:
    """Return what a table of some cases is about; None if there are none."""
    if not cases:
        return None
    case = cases[0]
    return Subject(target(case.target, case.mode, case.profile).label, case.profile, case.model)


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """A rule left out at one place of one test: the verdict, and the outcome that then appears, or that never comes."""

    rule: LoweringRule
    verdict: str
    state: str = ""


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one test: its own verdict and its trials."""

    test: str
    verdict: str
    trials: tuple[RuleTrial, ...]
    errors: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A rule: the verdict, the cases that have it, what it rests on that it is needed, or not; if it is, or for
    progress, the killing test with the outcome that appears, or never comes."""

    rule: LoweringRule
    verdict: str
    cases: tuple[VerificationCase, ...]
    rests: Settings = ()
    killer: VerificationCase | None = None
    test: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class Necessity:
    """The table, with the cases whose tests are sound as they are, the bound that these are, and the names of the
    tests that are not."""

    subject: Subject | None
    rows: tuple[Row, ...]
    sound: tuple[VerificationCase, ...]
    unsound: tuple[str, ...]
    undecided: tuple[str, ...]
    errors: tuple[Diagnostic, ...]
    bound: SuiteBound

    @property
    def incomplete(self) -> bool:
        """Whether some search was cut."""
        return bool(self.undecided) or any(row.verdict == UNKNOWN for row in self.rows)


@dataclass(frozen=True, slots=True)
class WantedTrial:
    """A case, and the rules that need no further trial."""

    case: VerificationCase
    known: frozenset[LoweringRule]


def necessity(cases: Sequence[VerificationCase], workers: Workers, show: Show = unseen) -> Necessity:
    """Return the table of a run. Small tests come first: what they show to be needed is not tried again."""
    done: dict[str, Tried] = {}
    known: set[LoweringRule] = set()
    for some in _rounds(cases):
        jobs = [Job(case.name, WantedTrial(case, frozenset(known)), _tried) for case in some]
        for came in faultless(answers(jobs, workers)):
            tried = came.answer or Tried(came.name, UNKNOWN if came.lost else "", (), came.diagnostics)
            done[came.name] = tried
            show(f"{len(done)}/{len(cases)} tests  {came.name}")
            known |= {trial.rule for trial in tried.trials if trial.verdict == NEEDED}
    ordered = [(case, done[case.name]) for case in cases]
    sound = tuple(case for case, tried in ordered if tried.verdict == "sound")
    return Necessity(
        subject=subject_of(cases),
        rows=tuple(_resting(_rows(ordered), workers, show)),
        sound=sound,
        unsound=tuple(tried.test for _, tried in ordered if tried.verdict == "unsound"),
        undecided=tuple(tried.test for _, tried in ordered if tried.verdict == "unknown"),
        errors=tuple(error for _, tried in ordered for error in tried.errors),
        bound=bound_of(sound),
    )


def _rounds(cases: Sequence[VerificationCase]) -> Iterator[list[VerificationCase]]:
    """Yield the cases by their number of threads."""
    by_size: dict[int, list[VerificationCase]] = {}
    for case in cases:
        by_size.setdefault(case.text.count("thread "), []).append(case)
    for size in sorted(by_size):
        yield by_size[size]


def _tried(wanted: WantedTrial) -> Tried:
    """Leave out each element of a test in turn."""
    tested = prepared(wanted.case)
    verdict = tested.judged().verdict
    trials = []
    for element, rule in tested.rules.items() if verdict == "sound" else ():
        if rule in wanted.known:
            trials.append(RuleTrial(rule, NEEDED))
        elif idle(tested.program, element):
            trials.append(RuleTrial(rule, IDLE))
        else:
            found = tested.judged((element,))
            never = tested.never(element) if found.verdict == "sound" else ""
            said = PROGRESS if never else _VERDICTS[found.verdict]
            trials.append(RuleTrial(rule, said, never or found.state))
    return Tried(tested.test.name, verdict, tuple(trials))


_VERDICTS = {"sound": NOTHING, "unsound": NEEDED, "unknown": UNKNOWN}
_ORDER = (IDLE, NOTHING, PROGRESS, UNKNOWN, NEEDED)


def _rows(ordered: Sequence[tuple[VerificationCase, Tried]]) -> Iterator[Row]:
    """Yield for each rule its strongest trial, with the cases that have the rule; of needed ones the first test."""
    best: dict[LoweringRule, tuple[tuple[int, bool], Row]] = {}
    having: dict[LoweringRule, dict[VerificationCase, None]] = {}
    for case, tried in ordered:
        for trial in tried.trials:
            having.setdefault(trial.rule, {})[case] = None
            key = (_ORDER.index(trial.verdict), bool(trial.state))
            if trial.rule not in best or key > best[trial.rule][0]:
                row = Row(trial.rule, trial.verdict, ())
                if trial.state:
                    row = replace(row, killer=case, test=tried.test, state=trial.state)
                best[trial.rule] = key, row
    for rule in sorted(best):
        yield replace(best[rule][1], cases=tuple(having[rule]))


def _resting(rows: Iterable[Row], workers: Workers, show: Show) -> Iterator[Row]:
    """Yield rows with what their verdicts rest on."""
    every = list(rows)
    told = [row for row in every if row.verdict in (NEEDED, PROGRESS, NOTHING)]
    asked = [
        RuleCases(r.rule, needed=True, cases=(r.killer,))
        if r.killer is not None and r.verdict == NEEDED
        else RuleCases(r.rule, needed=False, cases=r.cases)
        for r in told
    ]
    jobs = [Job(one.rule.operation, one, rests) for one in asked]
    found = {}
    for number, (row, came) in enumerate(zip(told, faultless(answers(jobs, workers)), strict=True), 1):
        found[row.rule] = came.answer or ()
        show(f"what {number}/{len(told)} rules rest on  {came.name}")
    for row in every:
        yield replace(row, rests=found.get(row.rule, ()))
