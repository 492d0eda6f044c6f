"""From the barrier operations of a kernel to events.

What goes in: an operation and the lanes that come to it. What comes out: for each lane an event that arrives at a phase
of a barrier object, waits for one, or both; and what is wrong with them. The phases of a workgroup's own barrier are
numbered by the instances of its arrivals, so that converged ones meet; a wait is for its lane's last arrival. Those of
a named barrier are counted by each lane as it arrives and waits, whatever the statement is. What a lane has done is
kept in registers that no text can name, so that it is merged where paths meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axmem.events import named_barriers
from axmem.events.barriers import ONE, Arrivals, all_of, any_of, undefined_where
from axmem.events.building import EventBuilder
from axmem.events.cross_lane import CrossLane
from axmem.events.graph import EventKind, Guard, Undefined
from axmem.events.named_barriers import BarrierOperation, ObjectEffect, Phase
from axmem.events.paths import LaneState
from axmem.events.state import Lanes, WalkState
from axmem.events.values import ZERO, Constant, Expr, Pick, apply, possible_values, reads_of
from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus.launch import Lane, lanes

WORKGROUP = -1
"""The number of the barrier that every workgroup has."""
ARRIVED, JOINED = " arrived", " joined"
Members = Mapping[int, LaneState]
"""The lanes that come to an operation, by their numbers in the kernel."""


def is_barrier(call: ast.Call) -> bool:
    """Say whether a call is an operation on a barrier."""
    return names_barrier(call.operation)


def names_barrier(operation: str) -> bool:
    """Say whether an operation is one on a barrier."""
    return operation in ("s.barrier", "wave.barrier") or operation.startswith("s.barrier.")


class Barriers:
    """The barriers of one kernel."""

    def __init__(self, builder: EventBuilder, kernel: ast.Kernel, cross: CrossLane) -> None:
        self.builder = builder
        self.kernel = kernel
        self.lanes: tuple[Lane, ...] = lanes(kernel)
        self.cross = cross
        self.arrivals = Arrivals(kernel.launch.lanes, kernel.launch.wavefronts)
        self.operations: list[BarrierOperation] = []
        self.initialised: set[str] = set()

    def execute(self, call: ast.Call, members: Members) -> None:
        """Make the events of an operation on a barrier of a workgroup, and note what is wrong with it."""
        operation = call.operation
        if operation == "s.barrier":
            self._meet(call, members)
        elif operation in ("s.barrier.signal", "s.barrier.signal.isfirst"):
            self._signal(call, members)
        elif operation == "s.barrier.wait" and self._number(call, members) == WORKGROUP:
            self._wait(call, members)
        else:
            self._named(call, members)

    def wave(self, call: ast.Call, members: Members, guard: Guard) -> None:
        """Make the events of a wave's barrier for lanes that are together where `guard` holds."""
        together = "".join(f" {choice}={arm}" for choice, arm in guard) + (f" {min(members)}" if guard else "")
        for number, lane in members.items():
            name = f"{self.kernel.name}.{self.lanes[number].workgroup}.{self.lanes[number].wave} {call.operation}"
            state = replace(lane.state, guard=(*lane.state.guard, *guard))
            self._event(call, state, (name + together, self.builder.instances_met))

    def undefined(self) -> Iterator[Undefined]:
        """Yield the undefined behaviour of all barriers, where there may be some."""
        yield from self.arrivals.undefined()
        if self.kernel.barriers:
            for span, message in named_barriers.unknown(self.operations):
                self.builder.fail(span, message)
            self._unwait()
            yield from named_barriers.undefined(self.operations)

    def _unwait(self) -> None:
        """Take from the waits that never end the order that they would give, which no execution could have."""
        for phase, never in named_barriers.endless(self.operations).items():
            always = isinstance(never, Constant)
            arm = () if always else ((self.builder.choice((), never, (0, None)), 0),)
            for event in self.builder.events:
                if event.phase == phase and event.waits:
                    self.builder.events[event.index] = replace(
                        event, waits=not always, guard=(*event.guard, *arm),
                        guard_reads=event.guard_reads | reads_of(never),
                    )  # fmt: skip

    # ------------------------------------------------------------ events

    def _phase(self, number: int, name: str) -> str:
        return f"{self.kernel.name}.{self.lanes[number].workgroup} {name}"

    def _event(self, call: ast.Call, state: WalkState, phase: Phase, **halves: bool) -> None:
        self.builder.instructions += 1  # Each lane's barrier is an instruction of its own.
        self.builder.plain_event(EventKind.BARRIER, state, phase=phase, label=call.label, span=call.span, **halves)

    def _number(self, call: ast.Call, members: Members) -> int:
        """Return the last operand, which must be a constant."""
        found = {self.builder.scalar(call.operands[-1], lane.state) for lane in members.values()}
        value = found.pop()
        if found or not isinstance(value, Constant) or not isinstance(value.value, int):
            self.builder.fail(call.span, f"the engine knows '{call.operation}' with a constant alone")
            return 0
        bits = call.operands[-1].type.bits if call.operands[-1].type is not None else 32
        return value.value - (1 << bits) if value.value >> (bits - 1) else value.value

    def _possible(self, state: WalkState, expr: Expr) -> list[tuple[int, WalkState, Expr]]:
        """Return the values that an expression may have, each with the state in which it has and whether it does."""
        values = sorted(possible_values(expr) or ())
        if len(values) == 1:
            return [(values[0], state, ONE)]
        choice = self.builder.choice(state.guard, expr, tuple(values))
        reads = state.guard_reads | reads_of(expr)
        return [
            (value, replace(state, guard=(*state.guard, (choice, arm)), guard_reads=reads),
             apply("eq", 32, expr, Constant(value)))
            for arm, value in enumerate(values)
        ]  # fmt: skip

    # ------------------------------------------------------------ the workgroup's own

    def _here(self, members: Members) -> dict[int, Expr]:
        """Return of each lane whether it comes."""
        return {number: self.cross.if_here(number, lane, ONE, ZERO) for number, lane in members.items()}

    def _meet(self, call: ast.Call, members: Members) -> None:
        """Execute a barrier whose two halves are one."""
        for number, lane in members.items():
            self._event(call, lane.state, (self._phase(number, "s.barrier"), self.builder.instances_met))
            self._still(call, lane.state)
        self._arrive(call, members, ObjectEffect.MEET)

    def _arrive(self, call: ast.Call, members: Members, does: ObjectEffect) -> None:
        here = self._here(members)
        self.arrivals.add(here, call.span)
        self._note(call, does, {
            n: [((self._phase(n, "s.barrier"), self.builder.instances_met), there)] for n, there in here.items()
        })  # fmt: skip

    def _still(self, call: ast.Call, state: WalkState) -> None:
        """Note that a lane arrives which has not yet waited since it arrived before."""
        arrived = self._register(state, ARRIVED)
        condition = apply("ne", 1, arrived, ZERO)
        self.builder.undefined += undefined_where(condition, "barrier-mismatch", call.span, state.guard)

    def _register(self, state: WalkState, name: str) -> Expr:
        return state.registers.get(name, (ZERO,))[0]

    def _signal(self, call: ast.Call, members: Members) -> None:
        """Execute the first half of the workgroup's barrier."""
        if self._number(call, members) != WORKGROUP:
            self.builder.fail(call.span, f"the engine knows '{call.operation}' of the workgroup's barrier, -1, alone")
        for number, lane in members.items():
            instance = self.builder.instances_met
            self._event(call, lane.state, (self._phase(number, "s.barrier"), instance), waits=False)
            self._still(call, lane.state)
            lane.state.registers[ARRIVED] = (Constant(instance + 1),)
        self._arrive(call, members, ObjectEffect.ARRIVE)
        if call.register:
            self._first(call, members)

    def _first(self, call: ast.Call, members: Members) -> None:
        """Give a register whether its wave is the first to arrive: any of the workgroup may be."""
        waves = self.kernel.launch.wavefronts
        choices: dict[int, int] = {}
        for number, lane in members.items():
            group, wave = self.lanes[number].workgroup, self.lanes[number].wave
            if group not in choices:
                choices[group] = self.builder.choice((), None, tuple(range(waves)))
            arms: Lanes = tuple(Constant(int(arm == wave)) for arm in range(waves))
            lane.state.registers[call.register] = (Pick(choices[group], arms),)

    def _wait(self, call: ast.Call, members: Members) -> None:
        """Execute the second half: it waits for the arrival that the lane did last."""
        here = self._here(members)
        self.arrivals.waiting(here, call.span)
        phases: dict[int, list[tuple[Phase, Expr]]] = {}
        for number, lane in members.items():
            for arrived, state, truth in self._possible(lane.state, self._register(lane.state, ARRIVED)):
                if not arrived:
                    self.builder.undefined += undefined_where(ONE, "barrier-missing", call.span, state.guard)
                    continue
                phase = (self._phase(number, "s.barrier"), arrived - 1)
                self._event(call, state, phase, arrives=False)
                phases.setdefault(number, []).append((phase, all_of((here[number], truth))))
            lane.state.registers[ARRIVED] = (ZERO,)
        self._note(call, ObjectEffect.WAIT, phases)

    # ------------------------------------------------------------ named ones

    def _named(self, call: ast.Call, members: Members) -> None:
        """Execute an operation on a named barrier: the one that it names, or that its lane has joined."""
        does = ObjectEffect(call.operation.removeprefix("s.barrier.").removesuffix(".var"))
        here = self._here(members)
        self.arrivals.waiting(here, call.span)
        number = self._number(call, members) if call.operands else 0
        if does is ObjectEffect.WAIT and number <= 0:
            self.builder.fail(call.span, f"the engine knows no barrier {number}")
        if does is ObjectEffect.INIT and (number < 1 or call.barrier in self.initialised):
            message = f"the engine knows '{call.operation}' of a barrier once, with a count of at least 1"
            self.builder.fail(call.span, message)
        if does is ObjectEffect.INIT:
            self.initialised.add(call.barrier)
        phases: dict[int, list[tuple[Phase, Expr]]] = {}
        for member, lane in members.items():
            name = call.barrier or self._joined(call, lane.state)
            if name:
                phases[member] = [
                    ((self._phase(member, name), phase), all_of((here[member], truth)))
                    for phase, truth in self._phases(call, does, lane.state, name, member)
                ]
        self._note(call, does, phases, count=number)

    def _joined(self, call: ast.Call, state: WalkState) -> str:
        """Return the barrier that a lane has joined."""
        found = sorted(possible_values(self._register(state, JOINED)) or ())
        if len(found) > 1:
            self.builder.fail(call.span, "which barrier has been joined here depends on the path")
        if found == [0]:
            self.builder.undefined += undefined_where(ONE, "barrier-not-joined", call.span, state.guard)
            return ""
        return self.kernel.barriers[found[0] - 1]

    def _phases(
        self, call: ast.Call, does: ObjectEffect, state: WalkState, name: str, member: int
    ) -> list[tuple[int, Expr]]:
        """Make the events of a lane; return the phases in which they may be, each with whether they are.

        What a lane has done is twice the last phase in which it took part, and one more if it has only arrived there.
        """
        if does in (ObjectEffect.INIT, ObjectEffect.JOIN):
            if does is ObjectEffect.JOIN:
                state.registers[JOINED] = (Constant(self.kernel.barriers.index(name) + 1),)
            return [(0, ONE)]
        done = self._register(state, f" {name}")
        after: Expr = ZERO
        found = []
        for code, inside, truth in self._possible(state, done):
            last, arrived = divmod(code, 2)
            phase = last if does is ObjectEffect.WAIT and arrived else last + 1
            self._event(call, inside, (self._phase(member, name), phase), arrives=does.arrives, waits=does.waits)
            after = apply("select", 32, truth, Constant(2 * phase + does.arrives), after)
            found.append((phase, truth))
        state.registers[f" {name}"] = (after,)
        if does is ObjectEffect.DROP:
            state.registers[JOINED] = (ZERO,)
        return found

    def _note(
        self,
        call: ast.Call,
        does: ObjectEffect,
        phases: Mapping[int, list[tuple[Phase, Expr]]],
        count: int | None = None,
    ) -> None:
        """Note an operation of each wave for the order of barriers; a count is of one on a named barrier."""
        if not self.kernel.barriers:
            return
        found: dict[tuple[int, Phase], list[Expr]] = {}
        for number, some in phases.items():
            for phase, truth in some:
                found.setdefault((number // self.kernel.launch.lanes, phase), []).append(truth)
        self.operations += [
            BarrierOperation(does, phase, wave, any_of(truths), call.span, count is not None, count or 0)
            for (wave, phase), truths in found.items()
        ]
