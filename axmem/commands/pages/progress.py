"""Whether every execution of a test ends, as text, as JSON, and an execution that does not as a picture.

What goes in: answers, one for each model of progress. What comes out: a line for each, and below it the schedule of an
execution that need not end, in steps of its lanes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from axmem.check.progress.answers import ITERATIONS, ProgressAnswer, Schedule, ScheduleStep, doubt
from axmem.check.progress.awaits import Waiting
from axmem.check.progress.checkup import Checkup
from axmem.check.progress.fairness import ExecutionEnding
from axmem.check.progress.models import Progress, Verdict
from axmem.check.races import RaceSearch, RacingAccess
from axmem.front.output import counted
from axmem.front.source import Span
from axmem.litmus.launch import launches
from axmem.litmus.syntax import LitmusTest
from axmem.report.pictures.timeline_svg import as_svg as drawn
from axmem.report.problems import Problem, ProblemKind
from axmem.report.timeline import Timeline, TimelineMoment

NOT_KNOWN = "whether that is a fault is not known"
UNREAD = "writes that race, so that who reads there afterwards reads undef"


def lines(test: LitmusTest, answer: ProgressAnswer) -> Iterator[str]:
    """Yield what is said of a test under one model: what is undefined, or races, before anything else."""
    yield from _answered(test, answer)
    yield from _doubted(test, answer)


def _doubted(test: LitmusTest, answer: ProgressAnswer | Waiting) -> Iterator[str]:
    if answer.faults and (why := doubt(answer.faults, test.supposed)):
        yield f"  {NOT_KNOWN}{why}"


def _answered(test: LitmusTest, answer: ProgressAnswer) -> Iterator[str]:
    races = answer.races
    broken = () if races is None else races.undefined
    for reason in broken:
        yield f"{_launched(test)} has undefined behaviour: {reason}"
    if broken and answer.schedule is None:
        yield (
            f"{_head(test, answer)}: an execution {ExecutionEnding.UNDEFINED.value}; what the sequentially consistent "
            f"ones do says nothing of such a program ({answer.states} states)"
        )
        return
    if not broken and races is not None and races.pair is not None:
        yield f"{_launched(test)} has a data race by {races.model}: {race_words(races.pair)}"
        yield (
            f"{_head(test, answer)}; every sequentially consistent execution ends ({answer.states} states), which of a "
            f"program with a race says nothing: --memory {races.model} asks"
        )
        return
    limits = "; ".join(races.limits) if races is not None else ""
    doubt = f"; no data race was found, and none ruled out: {limits}" if limits else ""
    yield f"{_head(test, answer)}; sequentially consistent, {answer.states} states{doubt}"
    if answer.schedule is not None:
        yield from _schedule(answer.schedule)
    elif answer.verdict is Verdict.UNKNOWN:
        yield "  there are more states than --states allows; among those that were found, no execution goes on for ever"


def checkup_lines(test: LitmusTest, found: Checkup) -> Iterator[str]:
    """Yield what a program is found to do that asks nothing itself: its launch, races, and whether it ends."""
    yield _launched(test)
    races = found.races
    if races.pair is not None:
        yield f"  data race by {races.model}: {race_words(races.pair)}"
    elif races.limits:
        yield f"  data races by {races.model}: none found, none ruled out: {'; '.join(races.limits)}"
    else:
        where = "" if races.unread is None else " where the program reads"
        schedules = [each.schedule for each in found.ends if each.model is Progress.FAIR and each.schedule is not None]
        endless = any(each.ending is not ExecutionEnding.UNDEFINED for each in schedules)
        which = " in executions that end," if endless else ""
        yield f"  data races by {races.model}: none{where}{which} in {counted(ITERATIONS, 'iteration')} of each loop"
    if races.unread is not None:
        yield f"  {UNREAD}: {race_words(races.unread)}"
    for reason in races.faults:
        yield f"  an execution of {races.model} has undefined behaviour: {reason}"
    if not found.ends:
        yield f"  waiting: not asked: {found.why_not}"
    for answer in found.ends:
        yield from (f"  {line}" for line in _ending(answer, races))
    yield from (f"  {line}" for line in _supposed(found))


def _supposed(found: Checkup) -> Iterator[str]:
    """Yield on what a fault rests that the program does not say."""
    if not found.faults:
        return
    given = [each.text for each in found.supposed if not each.adds]
    if found.doubt:
        yield f"{NOT_KNOWN}{found.doubt}"
    elif given:
        yield f"a fault of some launch, since nothing says it; it is supposed: {'; '.join(given)}"


def checkup_problems(test: LitmusTest, found: Checkup) -> Iterator[Problem]:
    """Yield what is wrong with a program that asks nothing itself, and what is not known of it, at its lines."""
    name, about = test.source.name, f"{_launched(test)}: "
    races, supposed = found.races, "".join(f"\n{line}" for line in _supposed(found))
    fault = ProblemKind.PROGRAM if found.at_fault else ProblemKind.UNKNOWN
    if races.pair is not None:
        said = f"{about}data race by {races.model}: {race_words(races.pair)}{supposed}"
        yield from (Problem(fault, said, name, Span(each.line, 0, 0)) for each in races.pair)
    if races.unread is not None:
        said = f"{about}{UNREAD}: {race_words(races.unread)}"
        yield from (Problem(ProblemKind.DOUBTFUL, said, name, Span(each.line, 0, 0)) for each in races.unread)
    for reason in races.faults:
        said = f"{about}an execution of {races.model} has undefined behaviour: {reason}{supposed}"
        yield Problem(fault, said, name)
    for limit in races.limits:
        yield Problem(ProblemKind.UNKNOWN, f"{about}data races by {races.model}: {limit}", name)
    if not found.ends:
        yield Problem(ProblemKind.UNKNOWN, f"{about}waiting: not asked: {found.why_not}", name)
    for answer in found.ends:
        if answer.verdict is not Verdict.ENDS:
            bad = answer.verdict is Verdict.ENDLESS
            said = about + "\n".join(_ending(answer, races)) + supposed * bad
            yield Problem(fault if bad else ProblemKind.UNKNOWN, said, name)


def _ending(answer: ProgressAnswer, races: RaceSearch) -> Iterator[str]:
    """Yield whether executions end under a model of progress, and a schedule of one that does not."""
    asked = f"waiting, {answer.model.value}"
    if answer.verdict is Verdict.ENDS:
        told = "" if races.pair is None else ", which of a program with a race says nothing"
        yield f"{asked}: every sequentially consistent execution ends ({answer.states} states){told}"
    elif answer.schedule is None:
        yield f"{asked}: unknown: more than {answer.states} states"
    else:
        reason = f": {answer.schedule.reason}" if answer.schedule.reason else ""
        yield f"{asked}: an execution {answer.schedule.ending.value}{reason}"
        yield from _schedule(answer.schedule)


def _head(test: LitmusTest, answer: ProgressAnswer) -> str:
    why = ""
    if answer.schedule is not None:
        reason = f": {answer.schedule.reason}" if answer.schedule.reason else ""
        why = f": an execution {answer.schedule.ending.value}{reason}"
    return f"{_launched(test)} {answer.verdict.value} under {answer.model.value}{why}"


def _launched(test: LitmusTest) -> str:
    """Return the name of a test with what is launched."""
    said = launches(test)
    return f"{test.name} ({said})" if said else test.name


def race_words(pair: Iterable[RacingAccess]) -> str:
    """Return the two accesses of a race in words, each with its lane and its line."""
    return " and ".join(f"{each.lane}'s '{each.operation}' (line {each.line})" for each in pair)


def race_data(races: RaceSearch | None) -> dict[str, Any] | None:
    """Return what was found of races as plain data."""
    if races is None:
        return None
    pair = [{"lane": each.lane, "line": each.line, "operation": each.operation} for each in races.pair or ()]
    data = {"memory": races.model, "pair": pair or None, "limits": list(races.limits)}
    return {**data, "undefined": list(races.undefined)}


def _schedule(schedule: Schedule) -> Iterator[str]:
    steps = (*schedule.way, *schedule.cycle)
    texts = [(str(number), ", ".join(step.lanes), _does(step)) for number, step in enumerate(steps, 1)]
    wide = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for number, (count, lanes, does) in enumerate(texts):
        if number == len(schedule.way):
            yield "  for ever:"
        yield f"  {count:>{wide[0]}}  {lanes:<{wide[1]}}  {does}"
    for lane, why in schedule.left:
        yield f"  {lane} {why}"


def _does(step: ScheduleStep) -> str:
    return f"{step.operation}: {step.note}" if step.note else step.operation


def as_svg(test: LitmusTest, answer: ProgressAnswer) -> str:
    """Return the schedule as a picture: a column for each lane."""
    schedule = answer.schedule or Schedule(ExecutionEnding.STUCK, (), (), ())
    steps = (*schedule.way, *schedule.cycle)
    columns = sorted({lane for step in steps for lane in step.lanes} | {lane for lane, _ in schedule.left})
    moments = [TimelineMoment(n, lane, _does(step)) for n, step in enumerate(steps, 1) for lane in step.lanes]
    first = len(schedule.way) + 1
    notes = [f"{lane} {why}" for lane, why in schedule.left]
    if schedule.cycle:
        notes.insert(0, f"from step {first} to step {len(steps)}, and again, for ever")
    return drawn(Timeline(tuple(columns), tuple(moments)), _head(test, answer), notes)


def launch_data(test: LitmusTest) -> list[dict[str, Any]]:
    """Return the launches of a test's kernels as plain data."""
    return [
        {
            "kernel": kernel.name,
            "workgroups": kernel.launch.workgroups,
            "waves": kernel.launch.wavefronts,
            "lanes": kernel.launch.lanes,
        }
        for kernel in test.kernels
        if not kernel.lane_of_thread
    ]


def as_data(answer: ProgressAnswer) -> dict[str, Any]:
    """Return an answer as plain data, for JSON."""
    schedule = answer.schedule
    return {
        "model": answer.model.value,
        "verdict": answer.verdict.value,
        "memory": "sequentially consistent",
        "states": answer.states,
        "schedule": None if schedule is None else {
            "ending": schedule.ending.name.lower(),
            "reason": schedule.reason or None,
            "way": [_step(step) for step in schedule.way],
            "cycle": [_step(step) for step in schedule.cycle],
            "left": [{"lane": lane, "because": why} for lane, why in schedule.left],
        },
        "races": race_data(answer.races),
    }  # fmt: skip


def _step(step: ScheduleStep) -> dict[str, Any]:
    return {"lanes": list(step.lanes), "block": step.block, "operation": step.operation, "note": step.note or None}


# ---------------------------------------------------------------- under a memory model


def waiting_lines(test: LitmusTest, answer: Waiting) -> Iterator[str]:
    """Yield what is said of a test under a memory model."""
    reasons = [*answer.undefined, *map(str, answer.limits)]
    why = f": {'; '.join(reasons)}" if reasons else ""
    yield f"{_launched(test)} {answer.verdict.value} under fair and {answer.memory}{why}"
    for lane, header in answer.stuck:
        yield f"  {lane} waits for ever in the loop of {header}, in which it reads the last writes"
    if answer.outcome:
        yield f"  with {answer.outcome}"
    if answer.races is not None and answer.races.pair is not None:
        yield f"  data race: {race_words(answer.races.pair)}"
    yield from _doubted(test, answer)


def waiting_data(answer: Waiting) -> dict[str, Any]:
    """Return the same as plain data, for JSON."""
    return {
        "model": "fair",
        "verdict": answer.verdict.value,
        "memory": answer.memory,
        "stuck": [{"lane": lane, "loop": header} for lane, header in answer.stuck],
        "outcome": answer.outcome or None,
        "undefined": list(answer.undefined),
        "limits": list(map(str, answer.limits)),
        "races": race_data(answer.races),
    }
