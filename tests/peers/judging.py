"""One case of the peers' suites, judged in this process.

What goes in: a `Case`, with the seconds that it may take. What comes out: a `Found`, plain data: whether the answer is
what the suite expects. Invariant: a text or a model that is not read is `refused` with its reason, an answer that a
limit cut is `unknown`, and a test without any execution is `different`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import axmem
from axmem.check.judging import Question, Report, report_of
from axmem.check.progress.answers import progress
from axmem.check.progress.models import Progress, Verdict
from axmem.check.races import race
from axmem.check.results import Result
from axmem.check.selection import loaded
from axmem.encoder.limits import NO_EXECUTION
from axmem.encoder.solve import Limits
from axmem.formats.reading import parse, parse_file
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError
from axmem.litmus.syntax import Expectation, LitmusTest, Placement, Quantifier
from axmem.litmus.words import AMDGPU
from axmem.model.library import load
from axmem.model.model import Model
from axmem.model.terms import Axiom
from axmem.report.herd import Output
from tests.peers.kernels import KernelEntry, kernel_text
from tests.peers.suites import Asked, Case

SAME, DIFFERENT, UNKNOWN, REFUSED = "same", "different", "unknown", "refused"
FOREIGN = ("foreign-", "read-as-")
"""How flags begin that speak of operations a model has no word for."""
HOLDS = {True: "holds", False: "fails"}


@dataclass(frozen=True, slots=True)
class Asking:
    """A case and the seconds that it may take."""

    case: Case
    seconds: float


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a case: same, different, unknown or refused, why, and in how many seconds."""

    status: str
    said: str = ""
    seconds: float = 0.0


def judged(asking: Asking) -> Found:
    """Judge a case, here and now; a fault of axmem is `different`, with its name."""
    started = time.process_time()
    if not Path(asking.case.path).is_file():
        return Found(REFUSED, "the list names a file that is not there")
    try:
        found = _JUDGES[asking.case.asked](asking.case, asking.seconds)
    except InputError as error:
        found = Found(REFUSED, reason_of(error))
    except Exception as error:  # A fault is a finding, and the other cases go on.
        found = Found(DIFFERENT, f"internal error: {type(error).__name__}: {error}")
    return replace(found, seconds=time.process_time() - started)


def reason_of(error: InputError) -> str:
    """Return the first message of an error, with what it quotes left out, so that alike ones are one reason."""
    message = error.diagnostics[0].message
    return re.sub(r"\b\d+\b", "N", re.sub(r"'[^']*'|`[^`]*`|\"[^\"]*\"", "…", message))


def _report(case: Case, seconds: float, *, verdicts: bool) -> Report:
    if case.asked is Asked.KERNEL:
        path, text = _kernel(case)
    else:
        path, text = case.path, Path(case.path).read_text(encoding="utf-8")
    return report_of(Question(path, text, (case.model,), limits=Limits(seconds=seconds), verdicts=verdicts))


def _kernel(case: Case) -> tuple[str, str]:
    """Return the name and the text of the source of a kernel, as a test."""
    root = Path(case.path.removesuffix(case.file))
    races = case.asked is not Asked.KERNEL
    return kernel_text(root, KernelEntry(case.file, case.asked is not Asked.RACES, races, case.expected))


def _races(case: Case, seconds: float) -> Found:
    """Compare whether no execution of a kernel has a data race."""
    path, text = _kernel(case)
    found = race(parse(text, path), loaded(case.model), seconds)
    if found.pair is None and found.limits:
        return Found(UNKNOWN, "; ".join(found.limits))
    return compared(case.expected, HOLDS[found.pair is None])


def _result(report: Report) -> tuple[LitmusTest, Result] | Found:
    if report.lost:
        return Found(UNKNOWN, report.lost)
    if report.test is None or not report.answers:
        return Found(REFUSED, reason_of(InputError(report.diagnostics)))
    return report.test, report.answers[0].result


def _statement(case: Case, seconds: float) -> Found:
    """Compare whether the question of the test holds."""
    read = _result(_report(case, seconds, verdicts=True))
    if isinstance(read, Found):
        return read
    test, result = read
    if not result.consistent:
        return Found(DIFFERENT, str(NO_EXECUTION))
    if result.undefined and case.asked is Asked.KERNEL:
        # What is undefined may do anything.
        return compared(case.expected, HOLDS[test.quantifier is Quantifier.EXISTS])
    if result.verdict in ("unknown", "undefined"):
        return Found(UNKNOWN, f"{result.verdict}: {'; '.join([*result.undefined, *map(str, result.incomplete)])}")
    return compared(case.expected, HOLDS[holds(test.quantifier, result)])


def holds(quantifier: Quantifier, result: Result) -> bool:
    """Tell whether a question holds: of some outcome, of none, of all of them."""
    if quantifier is Quantifier.FORALL:
        return not result.negative
    return (result.positive > 0) == (quantifier is Quantifier.EXISTS)


def compared(expected: str, found: str) -> Found:
    """Return whether two answers are the same; where nothing is expected, any is."""
    return Found(SAME, found) if expected in (found, "") else Found(DIFFERENT, f"{found}, expected: {expected}")


def _flags(case: Case, seconds: float) -> Found:
    """Compare whether no execution that the filter keeps raises a flag: each flag in turn is required."""
    test = parse_file(case.path)
    model = _chosen(case.model)
    raised = [a.name for a in raising(model) if _possible(test, required(model, a, raised=True), seconds) is not False]
    return compared(case.expected, HOLDS[not raised])


def _chosen(reference: str) -> Model:
    name, bracket, variants = reference.partition("[")
    return load(name, dict(v.split("=") for v in variants.rstrip("]").split(","))) if bracket else load(name)


def raising(model: Model) -> tuple[Axiom, ...]:
    """Return the flags of a model, without those that speak of operations it has no word for."""
    return tuple(axiom for axiom in model.axioms if axiom.flag and not axiom.name.startswith(FOREIGN))


def required(model: Model, flag: Axiom, *, raised: bool) -> Model:
    """Return a model whose executions are those that raise a flag, or those that do not."""
    axiom = replace(flag, flag=False, negated=flag.negated == raised)
    return replace(model, axioms=(*[a for a in model.axioms if a is not flag], axiom))


def _possible(test: LitmusTest, model: Model, seconds: float) -> bool | None:
    """Tell whether some execution that the filter keeps is consistent; None if a limit was reached before."""
    result = axmem.outcomes(test, model, limits=Limits(seconds=seconds))
    return True if result.outcomes else False if result.complete or not result.consistent else None


def _states(case: Case, seconds: float) -> Found:
    """Compare the states of two logs of herd."""
    if not case.model:
        parse_file(case.path)
        return Found(REFUSED, "no model of the folder's tests is known")
    report = _report(case, seconds, verdicts=False)
    read = _result(report)
    if isinstance(read, Found):
        return read
    if not read[1].consistent:
        return Found(DIFFERENT, str(NO_EXECUTION))
    if read[1].incomplete or read[1].undefined:
        return Found(UNKNOWN, "; ".join([*read[1].undefined, *map(str, read[1].incomplete)]))
    bits = {name: column.type.bits for column in read[1].columns for name in _names(column.name)}
    logs = Path(case.expected).read_text(encoding="utf-8"), Output(models=1).report(report)
    expected, found = (frozenset(_held(state, bits) for state in log(text)) for text in logs)
    # Both show what the question names; ours shows all registers of some tests, herd's what `locations` adds.
    shown = {name for state in expected for name, _ in state}
    found = frozenset(frozenset((name, value) for name, value in state if name in shown) for state in found)
    if expected == found:
        wanted, said = answered(logs[0]), answered(logs[1])
        return Found(SAME) if wanted == said or not wanted else Found(DIFFERENT, f"{said}, expected: {wanted}")
    new, lost = (_shown(some) for some in (found - expected, expected - found))
    return Found(DIFFERENT, f"new: {new}; lost: {lost}")


def answered(text: str) -> str:
    """Return what the first block of a log answers to its question: `Ok` or `No`."""
    return next((line for line in text.splitlines() if line in ("Ok", "No")), "")


def _names(column: str) -> tuple[str, str]:
    """Return how logs name what a column shows: alone, and as a register of a numbered thread."""
    return column, column.removeprefix("P")


def _held(state: frozenset[tuple[str, str]], bits: Mapping[str, int]) -> frozenset[tuple[str, str]]:
    """Return a state with numbers as so many bits hold them: herd shows those of a signed type by their sign."""

    def held(name: str, value: str) -> str:
        width = bits.get(name, bits.get(name.partition("[")[0], 64))
        return str(int(value) % 2**width) if value.isdigit() else value

    return frozenset((name, held(name, value)) for name, value in state)


def log(text: str) -> frozenset[frozenset[tuple[str, str]]]:
    """Return the states of the first block of a log, numbers in one notation."""
    lines = text.splitlines()
    start = next((k for k, line in enumerate(lines) if line.startswith("States ")), None)
    if start is None:
        return frozenset()
    count = int(lines[start].split()[1])
    return frozenset(frozenset(_cells(line)) for line in lines[start + 1 : start + 1 + count])


def _cells(line: str) -> Iterator[tuple[str, str]]:
    for cell in line.split(";"):
        name, equals, value = cell.strip().partition("=")
        name = re.sub(r"^\[(\w+)\]$", r"\1", name)
        if equals and value.startswith("{"):
            yield from ((f"{name}[{k}]", _number(each)) for k, each in enumerate(value.strip("{}").split(",")))
        elif equals:
            yield name, _number(value)


def _number(text: str) -> str:
    try:
        return str(int(text, 0) % 2**64)
    except ValueError:
        return re.sub(r"^(\w+)\+(\d+)$", r"\1.\2", text)


def _shown(states: frozenset[frozenset[tuple[str, str]]]) -> str:
    some = sorted(" ".join(f"{name}={value}" for name, value in sorted(state)) for state in states)
    return " | ".join(some[:3]) + (f" and {len(some) - 3} more" if len(some) > 3 else "") if some else "none"


def _checks(case: Case, seconds: float) -> Found:
    """Compare the statements of a test, under our model as it reads them, under another's by requiring its flags."""
    test = parse_file(case.path)
    said = [_check(e, test, case.model, seconds) for e in test.expectations]
    if not said:
        return Found(REFUSED, "the test states nothing")
    wrong = [line for line in said if line]
    unknown = all(line.endswith("unknown") for line in wrong)
    return Found(UNKNOWN if unknown else DIFFERENT, "; ".join(wrong)) if wrong else Found(SAME)


def _check(expectation: Expectation, test: LitmusTest, model: str, seconds: float) -> str:
    """Return what is wrong about a statement; nothing if it is right."""
    (choice,) = expectation.models
    if ":" not in model:
        result = axmem.outcomes(test, choice, limits=Limits(seconds=seconds))
    else:
        variants = dict(choice.variants)
        chains, races, consistency = (variants.pop(n, "") for n in ("chains", "races", "consistency"))
        if chains == "off":
            model = model.replace("vulkan.cat", "vulkan-nochains.cat")
        if variants or consistency == "ignored":
            return ""  # An inconsistent execution is nothing that another model has.
        under = load(model)
        for flag in raising(under) if races in ("none", "some") else ():
            under = required(under, flag, raised=races == "some")
        result = axmem.outcomes(test, under, limits=Limits(seconds=seconds))
    if result.verdict == "unknown" and result.consistent:
        return f"{choice.label}: unknown"
    # Which executions there are is what is asked here: there may be none.
    found = "never" if result.verdict == "never" or not result.consistent else "possible"
    return "" if found == expectation.verdict else f"{choice.label}: {found}, expected: {expectation.verdict}"


def _ending(case: Case, _seconds: float) -> Found:
    """Compare whether every execution ends where each thread is scheduled on its own: a workgroup for each."""
    test = parse_file(case.path)
    (answer,) = progress(_apart(test), [Progress(case.model)])
    if answer.verdict is Verdict.UNKNOWN:
        return Found(UNKNOWN, "too many states")
    return compared(case.expected, HOLDS[answer.verdict is Verdict.ENDS])


def _apart(test: LitmusTest) -> LitmusTest:
    """Return a test whose threads are each in a workgroup of its own, numbered as they are."""
    if test.levels != AMDGPU or test.barriers:
        return test
    return replace(
        test,
        threads=tuple(replace(each, placement=_own_place(each.name)) for each in test.threads),
        kernels=tuple(replace(each, placement=_own_place(each.name)) for each in test.kernels),
    )


def _own_place(thread: str) -> Placement:
    """Return the place of a thread in a workgroup of its number, with a number at each level."""
    place = Placement.at(workgroup=int(thread.removeprefix("P")))
    return Placement(tuple(number or 0 for number in place.numbers))


_JUDGES = {
    Asked.STATEMENT: _statement,
    Asked.FLAGS: _flags,
    Asked.STATES: _states,
    Asked.CHECKS: _checks,
    Asked.ENDING: _ending,
    Asked.KERNEL: _statement,
    Asked.RACES: _races,
    Asked.FILTERED: _races,
}
