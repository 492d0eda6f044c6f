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
from typing import NamedTuple

from axmem.encoder.accesses import Lanes
from axmem.encoder.accesses import State as Registers
from axmem.encoder.lanes import CrossLane
from axmem.encoder.paths import LaneState as Here
from axmem.encoder.paths import Paths
from axmem.encoder.values import Constant
from axmem.litmus import syntax as ast
from axmem.progress.lanes import ALL_ARRIVED, BEFORE, DISCARDED, Arrival, Fault, LaneState, Runner
from axmem.progress.memory import Bytes, Values
from axmem.progress.program import GROUP_BARRIER, HALVES, SIGNAL, Program
from axmem.progress.reach import Counts, Place


class Meeting(NamedTuple):
    """An instance of a convergent operation: of which wave or workgroup, where."""

    group: int
    place: Place
    at: int


class State(NamedTuple):
    """Memory, and where every lane is; at the `closed` operations nobody else may arrive."""

    memory: tuple[Bytes, ...]
    lanes: tuple[LaneState, ...]
    closed: frozenset[Meeting] = frozenset()


class Move(NamedTuple):
    """A step: whose it is, and the state after it, None where the execution does not count."""

    lanes: tuple[int, ...]
    after: State | None
    spurious: bool = False


class Steps:
    """The steps of one program; with `every_block` lanes of a wave wait for each other before every block."""

    def __init__(self, program: Program, *, every_block: bool = False, guessing: bool = False) -> None:
        self.program = program
        self.members = program.members
        self.every_block = every_block
        self.guessing = guessing
        self.runners = tuple(Runner(member, every_block=every_block) for member in program.members)
        everyone = range(len(self.members))
        self._waves = [[m for m in everyone if self.members[m].wave == member.wave] for member in self.members]
        self._groups = [
            [m for m in everyone if (self.members[m].unit, self.members[m].group) == (member.unit, member.group)]
            for member in self.members
        ]
        self._cross = {
            member.unit.kernel.name: CrossLane(member.unit.kernel, [Paths(_no_choice)] * len(everyone))
            for member in self.members
        }
        self._counting = any(member.unit.counted for member in self.members)

    def first(self) -> Iterator[State]:
        """Yield the states in which no lane has begun, one for each choice of arguments."""
        for given in self.program.arguments():
            lanes = [r.start(given[m.unit.kernel.name]) for r, m in zip(self.runners, self.members, strict=True)]
            yield self._normal(State(self.program.memory(), tuple(lanes)))

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

    def _may_arrive(self, lane: LaneState, number: int, arrived: Arrival) -> bool:
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
        return call is not None and call.operation in (GROUP_BARRIER, SIGNAL)

    def _call(self, state: State, number: int) -> ast.Call | None:
        lane = state.lanes[number]
        if not lane.block:
            return None
        statement = self.runners[number].statement(lane)
        return statement if isinstance(statement, ast.Call) else None

    # ------------------------------------------------------------ moves

    def moves(self, state: State) -> Iterator[Move]:
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

    def _meet(self, state: State, number: int, call: ast.Call) -> Iterator[Move]:
        """Execute a convergent operation, once for all that are there."""
        around = self._around(state, number)
        here = self._here(state, number, around)
        if here[0] != number:
            return
        if call.operation in HALVES:
            yield from self._half(state, here, call)
            return
        whole = call.operation == GROUP_BARRIER
        if whole and any(state.lanes[m].arrived is not None for m in here):
            yield self._fails(state, here, "barrier-mismatch")
            return
        meeting = Meeting(self.members[number].wave, state.lanes[number].place, state.lanes[number].at)
        if meeting in state.closed:
            yield Move(here, None)
            return
        missing = self.waits_for(state, number)
        if (missing and not self.guessing) or (whole and len(here) < len(around)):
            return
        given = {} if whole else self._results(state, here, call)
        after = {m: self.runners[m].go_on(state.lanes[m], given.get(m)) for m in here}
        yield self._move(state, after, closed=meeting if missing else None)

    def _half(self, state: State, here: tuple[int, ...], call: ast.Call) -> Iterator[Move]:
        """Execute the first or the second half of a barrier for the lanes of a wave, all of which must come."""
        if self.waits_for(state, here[0]):
            return
        lanes = [state.lanes[m] for m in here]
        wave = self._waves[here[0]]
        if len(here) < len(wave):
            yield self._fails(state, here, "barrier-wave-divergent")
        elif call.operation == SIGNAL and any(lane.arrived is not None for lane in lanes):
            yield self._fails(state, here, "barrier-mismatch")
        elif call.operation == SIGNAL:
            yield self._move(state, self._arriving(state, here))._replace(lanes=here)
        elif any(lane.arrived is None for lane in lanes):
            yield self._fails(state, here, "barrier-missing")
        elif all(lane.arrived == ALL_ARRIVED for lane in lanes):
            yield self._move(state, {m: self.runners[m].go_on(state.lanes[m]._replace(arrived=None)) for m in here})

    def _arriving(self, state: State, here: tuple[int, ...]) -> dict[int, LaneState]:
        """Return the lanes that change as a wave executes the first half of a barrier; the last lets all others go."""
        arrived = Arrival(state.lanes[here[0]].place, state.lanes[here[0]].at)
        after = {m: self.runners[m].go_on(state.lanes[m]._replace(arrived=arrived)) for m in here}
        group = {m: after.get(m, state.lanes[m]) for m in self._groups[here[0]]}
        if any(lane.arrived != arrived for lane in group.values()):
            return after
        return {m: lane._replace(arrived=ALL_ARRIVED if lane.block else None) for m, lane in group.items()}

    def _fails(self, state: State, here: Sequence[int], reason: str) -> Move:
        return self._move(state, {m: LaneState("", 0, (), (), reason) for m in here})

    def _results(self, state: State, here: Sequence[int], call: ast.Call) -> dict[int, dict[str, Values]]:
        """Return what a cross-lane operation gives each lane that is there."""
        unit = self.members[here[0]].unit
        first = next(m for m, member in enumerate(self.members) if member.unit is unit)
        values: dict[int, list[Lanes]] = {
            m - first: [tuple(map(Constant, value)) for value in self.runners[m].operands(state.lanes[m], call)]
            for m in here
        }
        found = self._cross[unit.kernel.name].results(call, {m: Here(Registers(m)) for m in values}, values)
        return {
            m + first: {call.register: tuple(lane.value for lane in lanes if isinstance(lane, Constant))}
            for m, lanes in found.items()
        }

    def _access(self, state: State, number: int) -> Iterator[Move]:
        runner, lane = self.runners[number], state.lanes[number]
        try:
            place = runner.access(lane).location
        except Fault as fault:
            yield self._fails(state, [number], str(fault))
            return
        for effect in runner.effects(lane, state.memory[place]):
            memory = (*state.memory[:place], effect.content, *state.memory[place + 1 :])
            yield self._move(state._replace(memory=memory), {number: effect.lane}, spurious=effect.spurious)

    def _move(
        self, state: State, after: Mapping[int, LaneState], *, spurious: bool = False, closed: Meeting | None = None
    ) -> Move:
        lanes = tuple(after.get(m, lane) for m, lane in enumerate(state.lanes))
        if any(lane.fault == DISCARDED for lane in after.values()):
            return Move(tuple(after), None, spurious)
        changed = state._replace(lanes=lanes, closed=state.closed | ({closed} if closed else set()))
        return Move(tuple(after), changed if self.guessing else self._normal(changed), spurious)

    # ------------------------------------------------------------ counts

    def _normal(self, state: State) -> State:
        """Count the executions of headers from the lane that is behind, where nobody can come from outside."""
        if not self._counting:
            return state
        lanes = list(state.lanes)
        for number, lane in enumerate(state.lanes):
            unit = self.members[number].unit
            for level, cycle in enumerate(unit.reach.around[lane.block] if lane.block else ()):
                if cycle.header in unit.counted:
                    around = self._groups if cycle.header in unit.grouped else self._waves
                    self._shift(lanes, [number, level], around[number])
        return state._replace(lanes=tuple(lanes))

    def _shift(self, lanes: list[LaneState], which: Sequence[int], around: Sequence[int]) -> None:
        """Shift the counts of the lanes in one execution of a cycle, given as a lane in it and the cycle's level."""
        number, level = which
        lane, reach = lanes[number], self.members[number].unit.reach
        cycle, outer = reach.around[lane.block][level], lane.counts[:level]
        inside = [m for m in around if lanes[m].block in cycle.blocks and lanes[m].counts[:level] == outer]
        least = min(lanes[m].counts[level] for m in inside)
        if not least:
            return
        entries = [
            Place(entry, (*outer, *(int(entry == c.header) for c in reach.around[entry][level:])))
            for entry in cycle.entries
        ]
        others = [m for m in around if m not in inside and lanes[m].block]
        if any(reach.reaches(lanes[m].place, entry) for m in others for entry in entries):
            return
        for m in inside:
            lanes[m] = lanes[m]._replace(counts=_less(lanes[m].counts, level, least))
        for m in around:
            arrived = lanes[m].arrived
            if arrived and arrived.place.block in cycle.blocks and arrived.place.counts[:level] == outer:
                place = arrived.place._replace(counts=_less(arrived.place.counts, level, least))
                lanes[m] = lanes[m]._replace(arrived=Arrival(place, arrived.at))


def _less(counts: Counts, level: int, least: int) -> Counts:
    return (*counts[:level], counts[level] - least, *counts[level + 1 :])


def _no_choice(*_: object) -> int:
    raise AssertionError("what an explored lane has come to is known")
