"""One test judged: its result under each model, what it expects of them, and how the two agree.

What goes in: a `Question`, which is text and plain data. What comes out: its `Report`, also plain data. Invariant: what
is wrong with a text or a model, and what a limit cut, is in the report.
"""

from __future__ import annotations

import threading
import time
from functools import partial

from axmem.check import conditions
from axmem.check.decide import decide, without_idling
from axmem.check.expectations import ExpectationCheck, checks, status
from axmem.check.limits import ran_out_of_memory
from axmem.check.results import Result, outcomes, truths, unanswered
from axmem.check.robustness import Neighbour, neighbours
from axmem.check.selection import concerns, parse_choice, runs
from axmem.encoder.engines import Engine, KeptSession
from axmem.encoder.limits import MEMORY_LIMIT, TIME_LIMIT, Limit, solver_stopped
from axmem.encoder.solve import UNLIMITED, Deadline, Limits
from axmem.events.conventions import undef_in_conditions
from axmem.formats.reading import parse
from axmem.front.clock import OutOfTime, working
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError
from axmem.litmus import syntax as ast
from axmem.litmus.parser import with_bound
from axmem.litmus.walk import compares_undef, observables
from axmem.model.model import Model
from axmem.model.terms import Op


class _Kept(threading.local):
    """What each thread keeps for its next question."""

    def __init__(self) -> None:
        self.session = KeptSession()


_KEPT = _Kept()
"""What a worker keeps from question to question: its solver session."""


@dataclass(frozen=True, slots=True)
class ModelFinding:
    """What was worked out about a test under one model: the result, and the neighbours where they were asked for."""

    result: Result
    neighbours: tuple[Neighbour, ...] | None = None


@dataclass(frozen=True, slots=True)
class KnownFinding:
    """A finding of an earlier run, or None, and the key under which it is kept."""

    key: str
    finding: ModelFinding | None


NO_UNDEF = "{} has no undef: a read that races returns the value of a write"
"""What is said of a condition that asks for undef."""

NOTHING = KnownFinding("", None)
"""What is known where nobody kept anything."""


@dataclass(frozen=True, slots=True)
class Question:
    """One test to judge. `name` is what messages show; `models` and `variants` are as on the command line.

    Without `models` those that the test mentions are taken. `robust` asks for the neighbours of every model, `engine`
    is the word of what answers, `columns` for the verdict and no more of the outcomes than those columns; where nobody
    looks at outcomes (`verdicts`), those that no expectation speaks of may be left out. `bound` is that of loops, None
    for the test's own. `promises` has broken promises of parallel accesses for undefined behaviour. `form` is that of
    the text, if it was named. `known` is empty, or says what is known already under each model, in the order in which
    they are run. `unreadable` says why there is no text.
    """

    name: str
    text: str
    models: tuple[str, ...] = ()
    variants: tuple[tuple[str, str], ...] = ()
    limits: Limits = UNLIMITED
    robust: bool = False
    engine: str = Engine.AUTO.value
    columns: tuple[str, ...] | None = None
    verdicts: bool = False
    bound: int | None = None
    promises: bool = False
    form: str = ""
    known: tuple[KnownFinding, ...] = ()
    unreadable: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a test under one model, what the test expects of it, and how the two agree.

    `status` is ok, mismatch, unknown or unchecked. `satisfying` tells of each outcome whether the condition may hold
    of it, None where the outcome does not show all that the condition speaks of. `neighbours` is None where they were
    not asked for. `key` is that of a question which came with what is known. `notes` say what the verdict does not
    mean.
    """

    result: Result
    checks: tuple[ExpectationCheck, ...]
    status: str
    satisfying: tuple[bool | None, ...] = ()
    neighbours: tuple[Neighbour, ...] | None = None
    key: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one question. `test` is None where the text could not be read.

    `lost` says why nothing came; `not_run` why nobody began; `fault` is an internal error, which answers nothing.
    """

    name: str
    test: ast.LitmusTest | None = None
    answers: tuple[Answer, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    lost: str = ""
    not_run: str = ""
    fault: str = ""


def report_of(question: Question) -> Report:
    """Judge one test, here and now. What is wrong with the test is in the report; a fault of axmem is raised."""
    try:
        return _judged(question)
    except InputError as error:
        return Report(question.name, diagnostics=error.diagnostics)
    except OutOfTime:
        return Report(question.name, lost=str(TIME_LIMIT))
    except Exception:
        _KEPT.session.forget()
        raise


def asked_models(question: Question) -> tuple[tuple[str, Model], ...]:
    """Return the models of a question with where they are from, in the order of its answers. Raises InputError."""
    return models_for(parse(question.text, question.name, question.form), question)


def models_for(test: ast.LitmusTest, question: Question) -> tuple[tuple[str, Model], ...]:
    """Return the models of a question about a test that was read, as `asked_models` does."""
    return runs(test, tuple(parse_choice(m) for m in question.models), dict(question.variants))


def _judged(question: Question) -> Report:
    """Judge a test under each model in turn; the time that reading it takes counts for each of them."""
    if question.unreadable:
        return Report(question.name, diagnostics=question.unreadable)
    reading = Deadline(question.limits.seconds, worked=question.limits.worked)
    answers: list[Answer] = []
    diagnostics: list[Diagnostic] = []
    everything_known = bool(question.known) and all(known.finding for known in question.known)
    with working(None if everything_known else reading.left()):
        test = with_bound(parse(question.text, question.name, question.form), question.bound)
        try:
            models = models_for(test, question)
        except InputError as error:
            return Report(question.name, test, (), error.diagnostics)
    seconds = reading.left()
    for chosen, known in zip(models, question.known or (NOTHING,) * len(models), strict=True):
        try:
            answers.append(answer_under(chosen, question, test, known, seconds=seconds))
        except InputError as error:
            diagnostics += error.diagnostics
    return Report(question.name, test, tuple(answers), tuple(dict.fromkeys(diagnostics)))


def answer_under(
    chosen: tuple[str, Model],
    question: Question,
    test: ast.LitmusTest,
    known: KnownFinding = NOTHING,
    *,
    seconds: float | None = None,
) -> Answer:
    """Return the answer to a question about its test under one of `models_of`, within so many seconds.

    Raises InputError for what the model cannot say of the test.
    """
    reference, model = chosen
    deadline = Deadline(seconds, worked=question.limits.worked)
    finding = known.finding or _finding(question, test, reference, model, deadline)
    result = finding.result
    found = checks(test, model, result, question.columns)
    return Answer(
        result=result,
        checks=found,
        status=status(result, found),
        satisfying=_satisfying(test, model, result),
        neighbours=finding.neighbours,
        key=known.key,
        notes=() if _has_undef(model) or not compares_undef(test.condition) else (NO_UNDEF.format(model.name),),
    )


def _has_undef(model: Model) -> bool:
    return any(model.terms[rule.term].op is not Op.EMPTY for rule in model.undefs)


def _finding(
    question: Question, test: ast.LitmusTest, reference: str, model: Model, deadline: Deadline
) -> ModelFinding:
    """Return what is found until the deadline, the neighbours included."""
    result = _result(question, test, model, deadline)
    if not question.robust:
        return ModelFinding(result)
    answer = partial(_result, question, test, deadline=deadline)
    return ModelFinding(result, neighbours(reference, model, result, answer, deadline.passed))


def _result(question: Question, test: ast.LitmusTest, model: Model, deadline: Deadline) -> Result:
    """Return the result under one model; where memory ran out with a session in use, try again with a new one."""
    fresh = _KEPT.session.made is None
    result = _within_limits(question, test, model, deadline)
    if _out_of_memory(result):
        _KEPT.session.forget()
        if not fresh:
            result = _within_limits(question, test, model, deadline)
    return replace(result, incomplete=(MEMORY_LIMIT,)) if _out_of_memory(result) else result


def _out_of_memory(result: Result) -> bool:
    return any(reason.limit is Limit.MEMORY for reason in result.incomplete)


def _within_limits(question: Question, test: ast.LitmusTest, model: Model, deadline: Deadline) -> Result:
    started = time.perf_counter()
    limits = replace(question.limits, seconds=deadline.left())
    try:
        whole = _whole(question, test, model)
        find = outcomes if whole else partial(decide, columns=question.columns)
        engine = Engine(question.engine)
        found = find(test, model, limits=limits, session=_KEPT.session, promises=question.promises, engine=engine)
        decided = question.promises or not (whole or question.columns)  # `decide` has asked for the verdict alone.
        return found if decided else _decided(found, test, model, deadline, engine)
    except OutOfTime:
        reason = TIME_LIMIT
    except Exception as error:
        if ran_out_of_memory(error):
            reason = MEMORY_LIMIT
        elif type(error).__module__.startswith("z3"):
            reason = solver_stopped(error)
        else:
            raise
        _KEPT.session.forget()
    return unanswered(test, model, reason, time.perf_counter() - started)


def _decided(found: Result, test: ast.LitmusTest, model: Model, deadline: Deadline, engine: Engine) -> Result:
    """Return a result with its verdict, where that does not need the iterations which its outcomes lack."""
    if found.verdict != "unknown" or {each.limit for each in found.incomplete} != {Limit.LOOPS}:
        return found
    left = Limits(deadline.left(), worked=deadline.worked)
    known = without_idling(test, model, limits=left, session=_KEPT.session, engine=engine)
    return found if known is None else replace(found, verdict=known.verdict)


def _whole(question: Question, test: ast.LitmusTest, model: Model) -> bool:
    """Tell whether somebody looks at all outcomes under a model: the reader, or an expectation."""
    if question.columns is not None:
        return False
    limited = question.limits.outcomes is not None or question.engine != Engine.AUTO.value
    expected = any(concerns(choice, model) for outcomes in test.outcome_sets for choice in outcomes.models)
    return not question.verdicts or question.robust or limited or expected


def _satisfying(test: ast.LitmusTest, model: Model, result: Result) -> tuple[bool | None, ...]:
    """Tell of each outcome whether the condition may hold of it, None where it does not show enough."""
    if not {conditions.name_of(o) for o in observables(test.condition)} <= {c.name for c in result.columns}:
        return (None,) * len(result.outcomes)
    undef = undef_in_conditions(model)
    found = truths(test.condition, result.outcomes, result.columns, result.locations, undef)
    return tuple([truth.may for truth in found])
