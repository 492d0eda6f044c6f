"""Whether every execution of a test ends, and if not, how one goes on.

What goes in: a resolved test, a model of progress, how many states may be looked at. What comes out: the answer, with a
schedule where an execution need not end. Invariant: "ends" and "does not end" are exact, without a bound on loops, of
sequentially consistent executions; where the limit was reached and nothing found, the answer is that it is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from axmem.check.progress.fairness import Endless, ExecutionEnding, endless
from axmem.check.progress.graph import StateGraph, explored
from axmem.check.progress.lane_steps import LaneFault
from axmem.check.progress.memory_bytes import value_at
from axmem.check.progress.models import LIMIT, Progress, Verdict
from axmem.check.progress.program import program
from axmem.check.progress.states import State
from axmem.check.progress.steps import ProgramSteps
from axmem.check.races import RaceSearch, race
from axmem.check.results import format_lanes
from axmem.check.selection import loaded
from axmem.events.expressions import NO_SIZE
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.edit import untraced
from axmem.litmus.printer import statement_line

MEMORY = "amdgpu"
"""The model by which accesses race."""
ITERATIONS = 2
"""In so many iterations of each loop races are looked for."""
SECONDS = 30.0
"""So long a processor looks for them."""


@dataclass(frozen=True, slots=True)
class ScheduleStep:
    """A step of a schedule: whose, in which block, the operation, and what it read or did."""

    lanes: tuple[str, ...]
    block: str
    operation: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Schedule:
    """An execution that need not end: its steps, those that follow for ever, and why other lanes do not go on."""

    ending: ExecutionEnding
    way: tuple[ScheduleStep, ...]
    cycle: tuple[ScheduleStep, ...]
    left: tuple[tuple[str, str], ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProgressAnswer:
    """Whether every execution ends under a model of progress; `states` were looked at.

    `races` says what was found of data races and broken promises, if they were looked for.
    """

    model: Progress
    verdict: Verdict
    states: int
    schedule: Schedule | None = None
    races: RaceSearch | None = None

    @property
    def faults(self) -> tuple[str, ...]:
        """Why something is undefined in an execution that need not end; empty texts where it only goes on."""
        broken = () if self.races is None else self.races.undefined
        return (*broken, *(() if self.schedule is None else (self.schedule.reason,)))


def doubt(faults: Sequence[str], supposed: Iterable[ast.Supposition]) -> str:
    """Return why none of some faults is known to be one of the program, whatever its launch; empty if one is."""
    doubts = [each.text for each in supposed if each.adds]
    if doubts:
        return f"; it is supposed: {'; '.join(doubts)}"
    if all(each.endswith(NO_SIZE) for each in faults):
        return ": 'axmem: init @x = {0, 0}' says how large memory is"
    return ""


def progress(
    test: ast.LitmusTest, models: Iterable[Progress], limit: int = LIMIT, seconds: float = inf
) -> Iterator[ProgressAnswer]:
    """Yield the answer for each model; raise InputError for what the explorer does not know.

    `limit` bounds the states, `seconds` how long a processor looks for them, for each of the models.
    """
    found: dict[bool, tuple[ProgramSteps, StateGraph]] = {}
    for model in models:
        every_block = model is Progress.WAVE
        if every_block not in found:
            steps = ProgramSteps(program(test, every_block=every_block), every_block=every_block)
            found[every_block] = steps, explored(steps, limit, seconds)
        steps, graph = found[every_block]
        bad = endless(steps, graph, model)
        if bad is not None:
            yield ProgressAnswer(model, Verdict.ENDLESS, len(graph.states), _Writer(steps, graph).schedule(bad))
        else:
            yield ProgressAnswer(model, Verdict.ENDS if graph.whole else Verdict.UNKNOWN, len(graph.states))


def guarded(test: ast.LitmusTest, answers: Iterable[ProgressAnswer]) -> list[ProgressAnswer]:
    """Return answers that say of no program with a data race that it ends: what such a read returns is not known here.

    Nor of one that breaks a promise (`noalias`). Races are looked for where every sequentially consistent execution
    ends, broken promises wherever there are some; both in few iterations of each loop. What rests on what the program
    does not say is unknown.
    """
    found = _judged(test, list(answers))
    unsure = [each for each in found if each.faults and doubt(each.faults, test.supposed)]
    return [replace(each, verdict=Verdict.UNKNOWN) if each in unsure else each for each in found]


def _judged(test: ast.LitmusTest, found: list[ProgressAnswer]) -> list[ProgressAnswer]:
    """Return answers with what was found of races and broken promises."""
    if all(answer.verdict is not Verdict.ENDS for answer in found) and untraced(test) is test:
        return found
    asked = replace(test, bound=min(test.bound or ITERATIONS, ITERATIONS))
    races = race(asked, loaded(MEMORY), SECONDS)
    if races.undefined:
        return [replace(each, verdict=Verdict.ENDLESS, races=races) for each in found]
    other = Verdict.UNKNOWN if races.pair is not None else Verdict.ENDS
    return [replace(each, verdict=other, races=races) if each.verdict is Verdict.ENDS else each for each in found]


class _Writer:
    """Writes steps of one graph of states."""

    def __init__(self, steps: ProgramSteps, graph: StateGraph) -> None:
        self._steps = steps
        self._graph = graph
        self._test = steps.program.test
        self._names = [member.name for member in steps.members]
        self._locations = tuple(location.name for location in self._test.locations)

    def schedule(self, bad: Endless) -> Schedule:
        """Return an execution in words."""
        way = tuple(self._step(state, k) for state, k in bad.way if k >= 0)
        cycle = tuple(self._step(state, k) for state, k in bad.cycle)
        end = bad.cycle[0][0] if bad.cycle else bad.way[-1][0]
        moving = {m for state, k in bad.cycle for m in self._graph.edges[state][k].lanes}
        found = () if bad.ending is ExecutionEnding.UNDEFINED else self._left(self._graph.states[end], moving)
        left = tuple((self._names[m], why) for m, why in found)
        return Schedule(bad.ending, way, cycle, left, bad.reason)

    def _step(self, number: int, step: int) -> ScheduleStep:
        state, edge = self._graph.states[number], self._graph.edges[number][step]
        first = edge.lanes[0]
        lane, runner = state.lanes[first], self._steps.runners[first]
        names = tuple(self._names[m] for m in edge.lanes)
        statement = runner.statement(lane)
        if statement is None:
            operation = f"goes on to {lane.block}" if runner.begun(lane) else "begins"
            return ScheduleStep(names, lane.block, operation)
        assert edge.target is not None
        after = self._graph.states[edge.target]
        return ScheduleStep(names, lane.block, statement_line(self._test, statement), self._note(first, state, after))

    def _note(self, number: int, state: State, after: State) -> str:
        """Return what an access read, or whether it succeeded."""
        runner, lane = self._steps.runners[number], state.lanes[number]
        if isinstance(runner.statement(lane), ast.Call):
            return ""
        try:
            access = runner.access(lane)
        except LaneFault as fault:
            return str(fault)
        type_ = access.statement.type or ast.I32
        old, new = (
            format_lanes(value_at(s.memory[access.location], access.offset, type_), type_, self._locations)
            for s in (state, after)
        )
        whole = self._test.locations[access.location]
        index = access.offset // type_.size
        name = whole.name if whole.type == type_ else f"{whole.name}[{index}]"
        match access.statement:
            case ast.Load():
                return f"{name} is {old}"
            case ast.CmpXchg():
                return f"{name} is {old}, {'succeeds' if state.memory != after.memory else 'fails'}"
        return f"{name} is {new} then"

    def _left(self, state: State, moving: set[int]) -> Iterator[tuple[int, str]]:
        """Yield the lanes that have not ended and do not step, each with the reason."""
        able = {m for move in self._steps.moves(state) for m in move.lanes}
        for number, lane in enumerate(state.lanes):
            if not lane.block or number in moving:
                continue
            runner = self._steps.runners[number]
            statement = runner.statement(lane)
            where = f"before {lane.block}" if statement is None else f"at {statement_line(self._test, statement)}"
            others = ", ".join(self._names[m] for m in self._steps.waits_for(state, number))
            if number in able:
                yield number, "could step, and has no turn" if runner.begun(lane) else "never begins"
            elif others:
                yield number, f"waits {where}: {others} can still come there"
            else:
                yield number, f"waits {where}"
