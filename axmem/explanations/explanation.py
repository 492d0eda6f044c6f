"""Why a test may have an outcome under a model, or why it may not.

What goes in: a test, whose condition is the question, and a model. What comes out: an `Explanation`. If the condition
may hold: an execution in which it does. If not: a minimal set of rules that exclude it, and the execution with that
outcome that breaks the fewest rules. Either is told in sections of statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from axmem.check import conditions
from axmem.check.decide import Asker
from axmem.check.limits import limited
from axmem.check.results import format_lanes
from axmem.check.selection import AnyModel, choice_of, read_both
from axmem.encoder.constraints import Encoding, ModelRule
from axmem.encoder.cores import taken_as_given
from axmem.encoder.limits import NO_EXECUTION, TIME_LIMIT
from axmem.encoder.solve import QUESTIONS, Deadline
from axmem.encoder.solver import Session
from axmem.encoder.witness import Execution, Unanswered, Witnesses
from axmem.events.conventions import judges_all_at_once, undef_in_conditions
from axmem.events.graph import EventGraph, EventKind
from axmem.events.unroll import events_under
from axmem.events.values import reads_of
from axmem.explanations.concrete import ModelView
from axmem.explanations.impossible import impossible, with_what_forbids
from axmem.explanations.names import EventNames
from axmem.explanations.races import elsewhere, race_flags, races
from axmem.explanations.readings import VariantReading, repairs_under
from axmem.explanations.story import Section, Story, StressedEdge
from axmem.front.clock import OutOfTime
from axmem.front.records import dataclass, replace
from axmem.front.source import mistake
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.parser import with_condition
from axmem.model.model import Model


class ExplainedAnswer(Enum):
    """What is explained."""

    ALLOWED = "allowed"  # some consistent execution has the outcome
    FORBIDDEN = "forbidden"  # none has
    UNDEFINED = "undefined"  # some consistent execution has undefined behaviour, so that nothing is promised
    UNKNOWN = "unknown"  # a limit was reached


@dataclass(frozen=True, slots=True)
class CoreRule:
    """A rule of a minimal core; `without` says what could happen if it alone were dropped."""

    rule: ModelRule
    without: str


@dataclass(frozen=True, slots=True)
class Exhibit:
    """An execution on display; `broken` are the rules that it breaks, `marks` the edges to stress."""

    view: ModelView
    names: EventNames
    broken: tuple[ModelRule, ...]
    marks: tuple[StressedEdge, ...]

    @property
    def outcome(self) -> dict[str, str]:
        """The outcome as text, by what is observed."""
        graph = self.view.graph
        rows = zip(graph.observed, self.view.execution.outcome, strict=True)
        return {o.name: format_lanes(lanes, o.type, graph.locations) for o, lanes in rows}


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer to a question about a test under a model, and why.

    `core` is empty unless the answer is FORBIDDEN, or UNKNOWN since no execution is consistent; it is empty too if no
    choice of what reads return gives the outcome, whatever the model says, and then there is no `exhibit`. `reason`
    says why the answer is unknown, what is undefined, or that the condition may hold for an undef value alone.
    `repairs` are the readings on which the answer rests and which the model called `letter` does not have.
    """

    test: str
    model: str
    question: str
    answer: ExplainedAnswer
    reason: str = ""
    core: tuple[CoreRule, ...] = ()
    exhibit: Exhibit | None = None
    sections: tuple[Section, ...] = ()
    letter: str = ""
    repairs: tuple[VariantReading, ...] = ()


WILD = "undef satisfies any equation"
BEYOND = "a value may lie outside the finite domains"


def explain(
    test: str | ast.LitmusTest,
    model: AnyModel,
    *,
    outcome: str | None = None,
    label: str = "",
    seconds: float | None = None,
    session: Session | None = None,
    promises: bool = False,
    repairs: bool = True,
) -> Explanation:
    """Return why the condition of a test, or another `outcome`, may hold under a model, or why it may not.

    `label` is what the model is called, if not as it was chosen; with `promises` a broken promise of parallel accesses
    is undefined behaviour. Without `repairs` nobody asks whether the answer rests on the repair of a document, which
    takes as long as the rest. Raises InputError for what is wrong with the test, the outcome or the model, and for the
    variant `undef.exists=freeze`, under which a condition speaks of all outcomes.
    """
    label = label or choice_of(model).label
    test, model = read_both(test, model)
    if outcome is not None:
        test = with_condition(test, outcome)
    if judges_all_at_once(model):
        message = "under undef.exists=freeze a condition is judged on all outcomes at once, which no execution explains"
        raise mistake("--variant", message, text="undef.exists=freeze")
    deadline = Deadline(seconds)
    try:
        with limited(deadline):
            graph = events_under(test, model, promises=promises)
            asked = _Explainer(test, model, graph, label=label, session=session or Session(), deadline=deadline)
            found = asked.explanation()
            return asked.with_repairs(found, promises=promises) if repairs else found
    except (Unanswered, OutOfTime) as limit:
        reason = str(limit) or str(TIME_LIMIT)
        return Explanation(test.name, label, condition_text(test.condition), ExplainedAnswer.UNKNOWN, reason)


def names_undef(test: ast.LitmusTest) -> bool:
    """Tell whether the question of a test is about undef values."""
    asked = [test.condition, *([test.filter] if test.filter is not None else [])]
    return any(map(walk.compares_undef, asked))


def witnesses_of(
    test: ast.LitmusTest, graph: EventGraph, model: Model, session: Session, deadline: Deadline
) -> Witnesses:
    """Return the executions of a test, with three questions: that its condition may hold, that it must, and that the
    final reads read the last writes in coherence; then that each comparison must hold.

    Only what the test's filter lets through counts.
    """

    def ask(encoding: Encoding) -> Sequence[int]:
        asker = Asker(encoding, graph, undef_in_conditions(model))
        may, must = asker.ask(test.condition)
        rest = [_reads_last_writes(encoding), *(asker.ask(c)[1] for c in walk.comparisons(test.condition))]
        if test.filter is None:
            return may, must, *rest
        kept, _ = asker.ask(test.filter)
        return encoding.circuit.both(may, kept), encoding.circuit.both(must, kept), *rest

    return Witnesses(graph, model, ask, session, deadline)


def _reads_last_writes(encoding: Encoding) -> int:
    """Return the literal that each final read that reads from a write reads from the last one of its cell."""
    circuit, candidate = encoding.circuit, encoding.candidate
    events = candidate.graph.events
    found = []
    for r, sources in candidate.sources.items():
        others = [e.index for e in events if e.kind is EventKind.WRITE and e.cell == events[r].cell]
        if events[r].kind is EventKind.FINAL:
            found += [
                circuit.disjunction([-literal, -candidate.executed[x], candidate.order(x, w)])
                for w, literal in sources.items()
                for x in others
                if x != w
            ]
    return circuit.conjunction(found)


def answer_of(witnesses: Witnesses) -> ExplainedAnswer:
    """Return the answer to a question alone."""
    may, must, *_ = witnesses.questions
    rules = tuple(witnesses.rules)
    if any(witnesses.possible([literal], rules) for literal in witnesses.undefined):
        return ExplainedAnswer.UNDEFINED
    if any(witnesses.possible([literal], rules) for literal in (must, may)):
        return ExplainedAnswer.ALLOWED
    return ExplainedAnswer.UNKNOWN if witnesses.lies_beyond() else ExplainedAnswer.FORBIDDEN


@dataclass(frozen=True, slots=True)
class NearestExecution:
    """What an execution has that breaks as few rules as any, by its literals, and which rules these are."""

    wanted: Sequence[int]
    broken: tuple[ModelRule, ...]


class _Explainer:
    def __init__(
        self,
        test: ast.LitmusTest,
        model: Model,
        graph: EventGraph,
        *,
        label: str,
        session: Session,
        deadline: Deadline,
    ) -> None:
        self.test = test
        self.model = model
        self.label = label
        self.session = session
        self.deadline = deadline
        self.graph = graph
        self.names = EventNames(self.graph)

    def explanation(self) -> Explanation:
        """Return the answer, and which accesses race in the execution on display, or in another one."""
        witnesses = witnesses_of(self.test, self.graph, self.model, self.session, self.deadline)
        found = self._explained(witnesses)
        if found.answer in (ExplainedAnswer.UNKNOWN, ExplainedAnswer.UNDEFINED):
            return found
        if found.answer is ExplainedAnswer.ALLOWED and found.exhibit is not None:
            story = Story(found.exhibit.view, self.names)
            if sections := races(story):
                exhibit = replace(found.exhibit, marks=(*found.exhibit.marks, *story.marks))
                return replace(found, exhibit=exhibit, sections=(*found.sections, *sections))
        for literal in [witnesses.flags[axiom.name] for axiom in race_flags(self.model)]:
            if witnesses.possible([literal], witnesses.rules):
                story = self._story(witnesses.execution([literal], witnesses.rules))
                return replace(found, sections=(*found.sections, *races(story, elsewhere(story))))
        return found

    def _explained(self, witnesses: Witnesses) -> Explanation:
        may, must, last, *atoms = witnesses.questions
        rules = tuple(witnesses.rules)
        for literal in witnesses.undefined:
            if witnesses.possible([literal], rules):
                return self._undefined(witnesses.execution([literal], rules))
        for literal, reason in ((must, ""), (may, WILD)):
            if witnesses.possible([literal], rules):
                return self._allowed(witnesses.execution([literal], rules), reason)
        if witnesses.lies_beyond():
            return self.answered(ExplainedAnswer.UNKNOWN, reason=BEYOND)
        given = taken_as_given(rules, undef=names_undef(self.test))
        if not witnesses.possible([], [rule for rule in rules if rule.name not in QUESTIONS]):
            broken = witnesses.nearest([], given)
            reason = str(NO_EXECUTION)
            if broken is None:
                return self.answered(ExplainedAnswer.UNKNOWN, reason=reason)
            return self._excluded(witnesses, ExplainedAnswer.UNKNOWN, NearestExecution([], broken), given, reason)
        # What a final read of an earlier write breaks is no reason, if there is another one.
        for wanted, reason in (([must, last], ""), ([must], ""), ([may, last], WILD), ([may], WILD)):
            broken = witnesses.nearest(wanted, given)
            if broken is not None:
                nearest = NearestExecution(wanted, broken)
                return self._excluded(witnesses, ExplainedAnswer.FORBIDDEN, nearest, given, reason)
        alone = [witnesses.possible([literal], given) for literal in atoms]
        reason = impossible(self.test, self.graph, witnesses.lanes, alone)
        return self.answered(ExplainedAnswer.FORBIDDEN, reason=reason)

    def with_repairs(self, found: Explanation, *, promises: bool) -> Explanation:
        """Return an explanation with the repairs of a document on which its answer rests."""

        def ask(model: Model) -> ExplainedAnswer:
            graph = events_under(self.test, model, promises=promises)
            return answer_of(witnesses_of(self.test, graph, model, self.session, self.deadline))

        if found.answer is ExplainedAnswer.UNKNOWN:
            return found
        answer: ExplainedAnswer = found.answer
        letter, repairs = repairs_under(self.model, answer, ask)
        return replace(found, letter=letter, repairs=repairs)

    def answered(
        self,
        answer: ExplainedAnswer,
        exhibit: Exhibit | None = None,
        sections: tuple[Section, ...] = (),
        core: tuple[CoreRule, ...] = (),
        reason: str = "",
    ) -> Explanation:
        """Return an explanation with this answer."""
        question = condition_text(self.test.condition)
        return Explanation(
            test=self.test.name,
            model=self.label,
            question=question,
            answer=answer,
            reason=reason,
            core=core,
            exhibit=exhibit,
            sections=sections,
        )

    def _allowed(self, execution: Execution, reason: str) -> Explanation:
        story = self._story(execution)
        sections = with_what_forbids(story, story.reading(self._reads(execution)), self._forbids) + story.agreeing()
        return self.answered(ExplainedAnswer.ALLOWED, self._exhibit(story, ()), sections, reason=reason)

    def _forbids(self, view: ModelView) -> bool:
        """Tell whether the model forbids the outcome of a program with the annotations of a view."""
        if not view.violations:
            return False
        found = witnesses_of(self.test, view.graph, self.model, self.session, self.deadline)
        return answer_of(found) is ExplainedAnswer.FORBIDDEN

    def _undefined(self, execution: Execution) -> Explanation:
        story = self._story(execution)
        sections = story.reading(r for r, w in sorted(execution.rf.items()) if w is None)
        return self.answered(
            ExplainedAnswer.UNDEFINED, self._exhibit(story, ()), sections, reason="; ".join(execution.undefined)
        )

    def _excluded(
        self,
        witnesses: Witnesses,
        answer: ExplainedAnswer,
        nearest: NearestExecution,
        given: tuple[ModelRule, ...],
        reason: str,
    ) -> Explanation:
        """Explain why the rules, with what is given, exclude what the nearest execution has."""
        wanted, broken = nearest.wanted[:1], nearest.broken
        core = witnesses.core(wanted, given)
        if wanted and witnesses.possible([witnesses.questions[0]], [*core, *given]):
            wanted = [witnesses.questions[0]]  # The condition may hold at an undef value, which has to be excluded too.
            core = witnesses.core(wanted, given)
        story = self._story(witnesses.execution(nearest.wanted, [r for r in witnesses.rules if r not in broken]))
        core = tuple(sorted(core, key=lambda rule: rule not in broken))
        rules = tuple(CoreRule(rule, self._without(witnesses, wanted, (*core, *given), rule)) for rule in core)
        sections = story.breaking(core)
        return self.answered(answer, self._exhibit(story, broken), sections, rules, reason)

    def _without(self, witnesses: Witnesses, asked: Sequence[int], all_: tuple[ModelRule, ...], rule: ModelRule) -> str:
        """Return how an execution gets what is asked for if one of all the rules that exclude it is dropped."""
        broken = witnesses.nearest(asked, keeping=[r for r in all_ if r != rule])
        assert broken is not None
        execution = witnesses.execution(asked, [r for r in witnesses.rules if r not in broken])
        story = self._story(execution)
        return next(story.brief(v) for v in story.view.violations if v.rule == rule)

    def _story(self, execution: Execution) -> Story:
        return Story(ModelView(self.graph, self.model, execution), self.names)

    def _exhibit(self, story: Story, broken: tuple[ModelRule, ...]) -> Exhibit:
        return Exhibit(story.view, self.names, broken, tuple(story.marks))

    def _reads(self, execution: Execution) -> list[int]:
        """Return the reads that execute and whose values the condition speaks of, or comes from; all if of none."""
        named = {
            conditions.name_of(side)
            for comparison in walk.comparisons(self.test.condition)
            for side in (comparison.left, comparison.right)
            if isinstance(side, ast.RegisterOf | ast.FinalValue)
        }
        spoken_of = {r for o in self.graph.observed if o.name in named for lane in o.lanes for r in reads_of(lane)}
        found = self._carried(execution, [r for r in execution.rf if r in spoken_of])
        return sorted(found) or sorted(r for r in execution.rf if self.graph.events[r].kind is not EventKind.FINAL)

    def _carried(self, execution: Execution, reads: list[int]) -> list[int]:
        """Return reads with those from whose values what they return was computed."""
        found = list(reads)
        for r in found:
            source = execution.rf[r]
            value = None if source is None else self.graph.events[source].value
            carried = reads_of(value) if value is not None else ()
            found += [x for x in carried if x in execution.rf and x not in found]
        return found
