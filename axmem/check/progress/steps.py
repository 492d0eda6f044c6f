"""The states of a test, and the steps between them, sequentially consistent.

What goes in: a program. What comes out: its first states, and of each state the moves: an access of a lane, or a
convergent operation of the lanes that take part. Invariant: a state has executions of blocks counted only as far as
lanes differ, so that a loop that goes on comes back to its state.

A convergent operation waits while another lane of the wave (of a barrier: of the workgroup) can still come to its
execution. For the outcomes alone (`guessing`) it need not wait: it is for those that are there, and executions in which
another one comes later do not count. A barrier of a workgroup waits for everyone; of one in two halves the first is for
a wave, and the second waits until all have executed the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from axmem.check.progress.lane_steps import (
    ALL_ARRIVED,
    BEFORE,
    DISCARDED,
    BarrierArrival,
    LaneFault,
    LanePosition,
    Runner,
)
from axmem.check.progress.memory_bytes import Values
from axmem.check.progress.named_barriers import BarrierFault, BarrierGroup, TooManyWaves, group
from axmem.check.progress.normal import Normal, crowd
from axmem.check.progress.program import GROUP_BARRIER, INIT, JOIN, LEAVE, NAMED, SIGNALS, WAIT, WholeProgram, number_of
from axmem.check.progress.states import ConvergentMeeting, State, StateMove
from axmem.events.barrier_events import WORKGROUP
from axmem.events.cross_lane import CrossLane
from axmem.events.paths import LaneState as Here
from axmem.events.paths import Paths
from axmem.events.state import Lanes
from axmem.events.state import WalkState as Registers
from axmem.events.values import Constant, without_reads
from axmem.front.source import Diagnostic, InputError
from axmem.litmus import syntax as ast


class ProgramSteps:
    """The steps of one program; with `every_block` lanes of a wave wait for each other before every block."""

    def __init__(self, program: WholeProgram, *, every_block: bool = False, guessing: bool = False) -> None:
        self.program = program
        self.members = program.members
        self.every_block = every_block
        self.guessing = guessing
        self.runners = tuple(Runner(member, every_block=every_block) for member in program.members)
        together = crowd(self.members)
        self._waves, self._groups, self._workgroups = together.waves, together.groups, together.workgroups
        self._normal = Normal(self.members, together).of
        self._cross = {
            member.unit.kernel.name: CrossLane(member.unit.kernel, [Paths(_no_choice)] * len(self.members))
            for member in self.members
        }

    def first(self) -> Iterator[State]:
        """Yield the states in which no lane has begun, one for each choice of arguments."""
        for given in self.program.arguments():
            lanes = [runner.start(values) for runner, values in zip(self.runners, given, strict=True)]
            groups = tuple(group(len(k.barriers), k.launch.wavefronts) for k in self._kernels())
            yield self._normal(State(self.program.memory(), tuple(lanes), groups=groups))

    def _kernels(self) -> Iterator[ast.Kernel]:
        """Yield the kernel of each workgroup."""
        return (self.members[members[0]].unit.kernel for members in self._workgroups)

    def begun(self, state: State) -> list[bool]:
        """Return of each lane whether it has begun."""
        return [runner.begun(lane) for runner, lane in zip(self.runners, state.lanes, strict=True)]

    # ------------------------------------------------------------ what is wrong

    def fault(self, state: State) -> str:
        """Return why behaviour is undefined in a state, or why it does not count; `""` if neither."""
        for number, lane in enumerate(state.lanes):
            if lane.fault:
                return lane.fault
            if reason := self._missed(state, number) or self._unanswered(state, number):
                return reason
        return ""

    def _unanswered(self, state: State, number: int) -> str:
        """Return what is wrong with the barrier whose first half a lane has executed, if someone does not come."""
        arrived = state.lanes[number].arrived
        if arrived is None or arrived == ALL_ARRIVED:
            return ""
        around = self._groups[number]
        waves = {self.members[m].wave for m in around if state.lanes[m].arrived == arrived}
        for other in around:
            lane = state.lanes[other]
            if lane.arrived == arrived or self._may_arrive(lane, other, arrived):
                continue
            stays = lane.arrived not in (None, ALL_ARRIVED) or self._at_barrier(state, other)
            if lane.ended or stays:
                if self.members[other].wave in waves:
                    return "barrier-wave-divergent"
                return "barrier-mismatch" if stays else "barrier-missing"
        return ""

    def _may_arrive(self, lane: LanePosition, number: int, arrived: BarrierArrival) -> bool:
        """Say whether a lane can still come to the first half of a barrier."""
        if not lane.block:
            return False
        if lane.place == arrived.place:
            return lane.at <= arrived.at
        return self.members[number].unit.reach.reaches(lane.place, arrived.place)

    def _missed(self, state: State, number: int) -> str:
        """Return what is wrong with the barrier at which a lane waits, if someone does not come."""
        call = self._call(state, number)
        if call is None or call.operation != GROUP_BARRIER:
            return ""
        here = self._here(state, number, self._groups[number])
        waves = {self.members[m].wave for m in here}
        for other in self._groups[number]:
            if other in here:
                continue
            stays = self._at_barrier(state, other) and not self._may_come(state, other, number)
            if state.lanes[other].ended or stays:
                if self.members[other].wave in waves:
                    return "barrier-wave-divergent"
                return "barrier-mismatch" if stays else "barrier-missing"
        return ""

    def _at_barrier(self, state: State, number: int) -> bool:
        call = self._call(state, number)
        return call is not None and call.operation in (GROUP_BARRIER, *SIGNALS)

    def _call(self, state: State, number: int) -> ast.Call | None:
        lane = state.lanes[number]
        if not lane.block:
            return None
        statement = self.runners[number].statement(lane)
        return statement if isinstance(statement, ast.Call) else None

    # ------------------------------------------------------------ moves

    def moves(self, state: State) -> Iterator[StateMove]:
        """Yield every step from a state."""
        for number, lane in enumerate(state.lanes):
            if not lane.block:
                continue
            if lane.at == BEFORE:
                if not self.waits_for(state, number):
                    yield self._move(state, {number: self.runners[number].go_on(lane)})
            elif call := self._call(state, number):
                yield from self._meet(state, number, call)
            else:
                yield from self._access(state, number)

    def waits_for(self, state: State, number: int) -> list[int]:
        """Return the lanes for which one waits before a block or at a convergent operation: those that may come."""
        lane = state.lanes[number]
        if lane.at == BEFORE:
            around: Sequence[int] = self._waves[number] if self.every_block else ()
        else:
            around = self._around(state, number)
        return [other for other in around if other != number and self._may_come(state, other, number)]

    def _around(self, state: State, number: int) -> Sequence[int]:
        """Return the lanes that take part in the operation of a lane, if they come there; none if it is an access."""
        call = self._call(state, number)
        if call is None:
            return ()
        return self._groups[number] if call.operation == GROUP_BARRIER else self._waves[number]

    def _may_come(self, state: State, other: int, number: int) -> bool:
        """Say whether another lane can still come to where a lane is."""
        lane, coming = state.lanes[number], state.lanes[other]
        if not coming.block or self.members[other].unit is not self.members[number].unit:
            return False
        if coming.place == lane.place:
            return coming.at < lane.at
        return self.members[number].unit.reach.reaches(coming.place, lane.place)

    def _here(self, state: State, number: int, around: Sequence[int]) -> tuple[int, ...]:
        """Return the lanes that are where a lane is."""
        where = state.lanes[number]
        return tuple(m for m in around if state.lanes[m].at == where.at and state.lanes[m].place == where.place)

    def _meet(self, state: State, number: int, call: ast.Call) -> Iterator[StateMove]:
        """Execute a convergent operation, once for all that are there."""
        around = self._around(state, number)
        here = self._here(state, number, around)
        if here[0] != number:
            return
        if call.operation in (WAIT, *SIGNALS, *NAMED):
            yield from self._of_wave(state, here, call)
            return
        whole = call.operation == GROUP_BARRIER
        if whole and any(state.lanes[m].arrived is not None for m in here):
            yield self._fails(state, here, "barrier-mismatch")
            return
        meeting = ConvergentMeeting(self.members[number].wave, state.lanes[number].place, state.lanes[number].at)
        if meeting in state.closed:
            yield StateMove(here, None)
            return
        missing = self.waits_for(state, number)
        if (missing and not self.guessing) or (whole and len(here) < len(around)):
            return
        given = {} if whole else self._results(state, here, call)
        after = {m: self.runners[m].go_on(state.lanes[m], given.get(m)) for m in here}
        if whole:
            own = self._own(state, number)
            for wave in range(len(own.joined)):
                own = own.arrived(wave, last=wave == len(own.joined) - 1)
            state = self._with(state, number, own.waited(range(len(own.joined))))
        yield self._move(state, after, closed=meeting if missing else None)

    # ------------------------------------------------------------ barriers in halves, and named ones

    def _own(self, state: State, number: int) -> BarrierGroup:
        """Return what is known of the barriers of a lane's workgroup."""
        return state.groups[self._workgroups.index(self._groups[number])]

    def _with(self, state: State, number: int, changed: BarrierGroup) -> State:
        index = self._workgroups.index(self._groups[number])
        return state._replace(groups=(*state.groups[:index], changed, *state.groups[index + 1 :]))

    def _of_wave(self, state: State, here: tuple[int, ...], call: ast.Call) -> Iterator[StateMove]:
        """Execute an operation on a barrier for the lanes of a wave, all of which must come."""
        if self.waits_for(state, here[0]):
            return
        lanes = [state.lanes[m] for m in here]
        if len(here) < len(self._waves[here[0]]):
            yield self._fails(state, here, "barrier-wave-divergent")
        elif call.operation in NAMED or (call.operation == WAIT and number_of(call, self.program.test) != WORKGROUP):
            yield from self._named(state, here, call)
        elif call.operation in SIGNALS and any(lane.arrived is not None for lane in lanes):
            yield self._fails(state, here, "barrier-mismatch")
        elif call.operation in SIGNALS:
            yield from self._signal(state, here, call)
        elif any(lane.arrived is None for lane in lanes):
            yield self._fails(state, here, "barrier-missing")
        elif all(lane.arrived == ALL_ARRIVED for lane in lanes):
            after = {m: self.runners[m].go_on(state.lanes[m]._replace(arrived=None)) for m in here}
            own = self._own(state, here[0]).waited([self._wave(here)])
            yield self._move(self._with(state, here[0], own), after)

    def _wave(self, here: Sequence[int]) -> int:
        return self.members[here[0]].lane.wave

    def _signal(self, state: State, here: tuple[int, ...], call: ast.Call) -> Iterator[StateMove]:
        """Execute the first half of the workgroup's barrier. Any wave may be the first, and exactly one is."""
        own = self._own(state, here[0])
        others = [m for m in self._groups[here[0]] if m not in here]
        arrived = self._arrival(state, here)
        last = all(state.lanes[m].arrived == arrived for m in others)
        asks = bool(call.register)
        for first in (False,) if own.decided or not asks else (True,) if last else (True, False):
            given = {call.register: (int(first),)} if asks else {}
            after = self._arriving(state, here, given, last=last)
            decided = own._replace(decided=own.decided or first).arrived(self._wave(here), last=last)
            yield self._move(self._with(state, here[0], decided), after)._replace(lanes=here)

    def _named(self, state: State, here: tuple[int, ...], call: ast.Call) -> Iterator[StateMove]:
        """Execute an operation on a named barrier, unless it has to wait."""
        own, wave, kernel = self._own(state, here[0]), self._wave(here), self.members[here[0]].unit.kernel
        number = kernel.barriers.index(call.barrier) if call.barrier else own.joined[wave] - 1
        found: BarrierGroup | None
        try:
            match call.operation:
                case name if name == INIT:
                    found = own.initialise(number, wave, number_of(call, self.program.test) or 0)
                case name if name == JOIN:
                    found = own.join(number, wave)
                case name if name == WAIT:
                    found = own.wait(wave)
                case _ if number < 0:
                    raise BarrierFault("barrier-not-joined")
                case name:
                    found = own.arrive(number, wave, leaves=name == LEAVE)
        except BarrierFault as wrong:
            yield self._fails(state, here, str(wrong))
            return
        except TooManyWaves:
            message = f"more waves may arrive at '{kernel.barriers[number]}' in a phase than are expected there"
            raise InputError([Diagnostic(self.program.test.source, call.span, message)]) from None
        if found is not None:
            after = {m: self.runners[m].go_on(state.lanes[m]) for m in here}
            yield self._move(self._with(state, here[0], found), after)

    def _arrival(self, state: State, here: Sequence[int]) -> BarrierArrival:
        return BarrierArrival(state.lanes[here[0]].place, state.lanes[here[0]].at)

    def _arriving(
        self, state: State, here: Sequence[int], given: Mapping[str, Values], *, last: bool
    ) -> dict[int, LanePosition]:
        """Return the lanes that change as a wave executes the first half of a barrier; the last lets all others go."""
        arrived = self._arrival(state, here)
        after = {m: self.runners[m].go_on(state.lanes[m]._replace(arrived=arrived), given) for m in here}
        if not last:
            return after
        group = {m: after.get(m, state.lanes[m]) for m in self._groups[here[0]]}
        return {m: lane._replace(arrived=ALL_ARRIVED if lane.block else None) for m, lane in group.items()}

    def _fails(self, state: State, here: Sequence[int], reason: str) -> StateMove:
        return self._move(state, {m: LanePosition("", 0, (), (), reason) for m in here})

    def _results(self, state: State, here: Sequence[int], call: ast.Call) -> dict[int, dict[str, Values]]:
        """Return what a cross-lane operation gives each lane that is there."""
        unit = self.members[here[0]].unit
        first = next(m for m, member in enumerate(self.members) if member.unit is unit)
        values: dict[int, list[Lanes]] = {
            m - first: [tuple(map(Constant, value)) for value in self.runners[m].operands(state.lanes[m], call)]
            for m in here
        }
        found = self._cross[unit.kernel.name].results(call, {m: Here(Registers(m)) for m in values}, values)
        return {m + first: {call.register: tuple(map(without_reads, lanes))} for m, lanes in found.items()}

    def _access(self, state: State, number: int) -> Iterator[StateMove]:
        runner, lane = self.runners[number], state.lanes[number]
        try:
            place = runner.access(lane).location
        except LaneFault as fault:
            yield self._fails(state, [number], str(fault))
            return
        for effect in runner.effects(lane, state.memory[place]):
            memory = (*state.memory[:place], effect.content, *state.memory[place + 1 :])
            yield self._move(state._replace(memory=memory), {number: effect.lane}, spurious=effect.spurious)

    def _move(
        self,
        state: State,
        after: Mapping[int, LanePosition],
        *,
        spurious: bool = False,
        closed: ConvergentMeeting | None = None,
    ) -> StateMove:
        lanes = tuple(after.get(m, lane) for m, lane in enumerate(state.lanes))
        if any(lane.fault == DISCARDED for lane in after.values()):
            return StateMove(tuple(after), None, spurious)
        changed = state._replace(lanes=lanes, closed=state.closed | ({closed} if closed else set()))
        return StateMove(tuple(after), changed if self.guessing else self._normal(changed), spurious)


def _no_choice(*_: object) -> int:
    raise AssertionError("what an explored lane has come to is known")
