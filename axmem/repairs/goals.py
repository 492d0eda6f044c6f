"""What a changed test has to satisfy, asked of the checker.

What goes in: a test and the models under which it is judged. What comes out: a `Goal` that tells of the test with other
annotations whether it holds under all of the models. Invariant: yes and no are the checker's complete answers; anything
less is None.
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.check.decide import decide
from axmem.check.expectations import MISMATCH, PASSED, checks
from axmem.check.races import race
from axmem.check.results import Result, outcomes
from axmem.check.selection import concerns
from axmem.encoder.solve import Deadline, Limits
from axmem.encoder.solver import Session
from axmem.events.conventions import judges_all_at_once
from axmem.front.records import dataclass, field, replace
from axmem.litmus.syntax import Condition, LitmusTest, Not
from axmem.model.model import Model
from axmem.repairs.minimal import Stopped


@dataclass(frozen=True, slots=True)
class Judge:
    """A model, and how its choice is written (`amdgpu[vis.instance=literal]`)."""

    label: str
    model: Model

    @property
    def sees_availability(self) -> bool:
        """Whether the model looks at availability and visibility at all."""
        return not self.model.base_names.isdisjoint({"MKA", "MKV"})


@dataclass(slots=True)
class Asking:
    """What all questions of one search share: the time, the solver, how many programs were judged, and
    which model said no last, to be asked first."""

    deadline: Deadline
    session: Session = field(default_factory=Session)
    programs: int = 0
    refused_by: str = ""

    def result(self, test: LitmusTest, judge: Judge, *, whole: bool) -> Result:
        """Return the answer for a test, all outcomes if the `whole` is wanted; raise Stopped if the time is over."""
        if self.deadline.passed():
            raise Stopped
        limits = Limits(self.deadline.left())
        if whole or judges_all_at_once(judge.model):
            return outcomes(test, judge.model, limits=limits, session=self.session)
        return decide(test, judge.model, limits=limits, session=self.session)


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to hold of a test under every judge: `ask` tells of one of them; yes, no, or None for a limit."""

    judges: tuple[Judge, ...]
    asking: Asking
    ask: Callable[[LitmusTest, Judge], bool | None]

    def holds(self, test: LitmusTest) -> bool | None:
        """Tell whether the goal holds under all models."""
        self.asking.programs += 1
        answers: list[bool | None] = []
        for judge in sorted(self.judges, key=lambda judge: judge.label != self.asking.refused_by):
            answers.append(self.ask(test, judge))
            if answers[-1] is False:
                self.asking.refused_by = judge.label
                return False
        return None if None in answers else True


def forbidden(condition: Condition, judges: tuple[Judge, ...], asking: Asking) -> Goal:
    """Return the goal that no outcome may satisfy a condition. What has undefined behaviour may have any outcome."""

    def ask(test: LitmusTest, judge: Judge) -> bool | None:
        verdict = asking.result(replace(test, condition=condition), judge, whole=False).verdict
        return None if verdict == "unknown" else verdict == "never"

    return Goal(judges, asking, ask)


def required(condition: Condition, judges: tuple[Judge, ...], asking: Asking) -> Goal:
    """Return the goal that every outcome must satisfy a condition."""
    return forbidden(Not(condition), judges, asking)


def raceless(judges: tuple[Judge, ...], asking: Asking) -> Goal:
    """Return the goal that no execution has a data race."""

    def ask(test: LitmusTest, judge: Judge) -> bool | None:
        if asking.deadline.passed():
            raise Stopped
        found = race(test, judge.model, asking.deadline.left())
        return False if found.pair is not None else None if found.limits or found.undefined else True

    return Goal(judges, asking, ask)


def kept(test: LitmusTest, judges: tuple[Judge, ...], asking: Asking) -> Goal:
    """Return the goal that what a test expects of each model is so.

    Of a model of which it expects nothing, the verdict on the condition is to stay what it is.
    """
    found = {judge.label: asking.result(test, judge, whole=False).verdict for judge in judges if not _said(test, judge)}

    def ask(changed: LitmusTest, judge: Judge) -> bool | None:
        whole = any(concerns(c, judge.model) for block in test.outcome_sets for c in block.models)
        result = asking.result(changed, judge, whole=whole)
        if judge.label in found:
            return None if "unknown" in (result.verdict, found[judge.label]) else result.verdict == found[judge.label]
        states = {check.status for check in checks(test, judge.model, result)}
        return False if MISMATCH in states else True if states == {PASSED} else None

    return Goal(judges, asking, ask)


def _said(test: LitmusTest, judge: Judge) -> bool:
    """Tell whether a test expects anything of a model."""
    choices = [choice for block in test.expectations for choice in block.models]
    choices += [choice for block in test.outcome_sets for choice in block.models]
    return any(concerns(choice, judge.model) for choice in choices)


def questioning_test(test: LitmusTest, condition: Condition) -> LitmusTest:
    """Return a test with another condition and without what it expects, which speaks of the old one."""
    return replace(test, condition=condition, expectations=(), outcome_sets=())
