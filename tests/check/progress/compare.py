"""Random kernels, run step by step by the explorer of progress, and the same by the solver under `sc`.

What goes in: a seed. What comes out: how the outcomes differ, if they do. The two share the syntax and how values are
computed, but neither how loops are followed, nor how lanes are converged, nor what memory returns. Each loop of these
kernels ends after a few iterations whatever is read, so that every run ends, under any model of progress. For this the
explorer guesses who comes to a convergent operation. They may differ where a lane stays away because of what it reads,
and reads what the others wrote after they met without it: `sc` forbids this, since that read decides who comes.
"""

from __future__ import annotations

from dataclasses import dataclass

from axmem.check.progress.fairness import endless
from axmem.check.progress.graph import StateGraph, explored
from axmem.check.progress.lane_steps import DISCARDED
from axmem.check.progress.memory_bytes import value_at
from axmem.check.progress.models import Progress
from axmem.check.progress.program import program
from axmem.check.progress.states import State
from axmem.check.progress.steps import ProgramSteps
from axmem.encoder.solve import Row, Solved, solve
from axmem.encoder.solver import Session
from axmem.events.conventions import Conventions
from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.front import clock
from axmem.front.exits import OutOfTime
from axmem.front.typing import override
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest, RegisterOf
from axmem.model.library import load
from tests.differential.kernels import Writer

STATES = 1_500
SECONDS = 15.0
ACROSS = ("ballot", "readfirstlane", "readlane", "wave.reduce")


class Meeting(Writer):
    """A random kernel with barriers and ballots besides.

    A cross-lane operation stands behind a barrier of the wave, and so does each half of a barrier: the model orders
    what operands depend on alone, and nothing between halves, the explorer all that lanes did before they came there.
    """

    named = False

    @override
    def statement(self, depth: int) -> list[str]:
        if self.named and depth == 2 and self.random.random() < 0.4:
            return self.of_named_barrier()
        if self.random.random() < 0.7:
            lines = super().statement(depth)
            return ["wave.barrier", *lines] if len(lines) == 1 and any(word in lines[0] for word in ACROSS) else lines
        name, other = self.random.choice(self.names), self.random.choice(self.names)
        return self.random.choice([
            ["wave.barrier"],
            ["s.barrier" if depth == 2 or self.random.random() < 0.2 else "wave.barrier"],
            ["wave.barrier", *self.random.choice([
                ["s.barrier.signal -1"], ["f = s.barrier.signal.isfirst -1", f"{name} = zext i1 f to i32"],
            ]), *super().statement(0), "wave.barrier", "s.barrier.wait -1"] if depth == 2 else ["wave.barrier"],
            ["wave.barrier", f"m = ballot {other} == {self.random.randrange(2)}", "if m == 1 {", f"{name} = 1", "}"],
            ["wave.barrier", f"m = ballot {name} != {other}", "if m != 0 {", f"{other} = {name} ^ 1", "}"],
        ])  # fmt: skip

    def of_named_barrier(self) -> list[str]:
        """Return a round at a named barrier, now and then without one of its parts, or that wave 1 alone leaves."""
        parts = [
            "s.barrier.join g",
            "s.barrier.signal.var g, 0",
            *super().statement(0),
            "wave.barrier",
            "s.barrier.wait 1",
        ]
        if self.random.random() < 0.15:
            del parts[self.random.randrange(len(parts))]
        if self.random.random() < 0.1:
            parts += ["if wave.id == 1 {", "s.barrier.join g", "s.barrier.leave", "ret void", "}"]
        return ["wave.barrier", *parts]

    @override
    def text(self) -> str:
        shape = self.random.choice(
            ["workgroups 2, lanes 1", "lanes 2", "wavefronts 2, lanes 1", "wavefronts 2, lanes 2", "lanes 3"]
        )
        lines = ["m = ballot false", "a = lane.id", "b = workgroup.id"]
        if self.random.random() < 0.3:
            self.named, waves = True, 1 + ("wavefronts 2" in shape)
            who = self.random.choice(["true", "wave.id == 0"])
            lines += ["lds barrier g", f"if {who} {{", f"s.barrier.init g, {waves}", "}"]
            lines += ["s.barrier"] * (self.random.random() < 0.9)
        body = "\n".join([*lines, *self.block(2)])
        return f"litmus random\nglobal x = 0, y = 0\nkernel K() {shape} {{\n{body}\n}}\nbound 3\nobserve x, y\n"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a kernel compares: `difference` says how outcomes differ, `whole` whether both sides found all of them."""

    text: str
    difference: str
    whole: bool
    outcomes: int


def compared(seed: int, session: Session, states: int = STATES) -> Comparison | None:
    """Compare a random kernel; None if it has too many states, or its expressions take too long."""
    try:
        with clock.within(SECONDS):
            return _compared(Meeting(seed).text(), session, states)
    except OutOfTime:
        return None


def _compared(text: str, session: Session, states: int) -> Comparison | None:
    test = parse(text)
    steps = ProgramSteps(program(test, registers=True), guessing=True)
    found = explored(steps, states)
    if not found.whole:
        return None
    graph = event_graph(test, Conventions(undef_memory=True))
    solved = solve(graph, load("sc"), session=session)
    rows = {row(steps, graph, state) for state in found.ended()}
    differences = [_difference(rows, faulty(found), solved)]
    if not solved.undefined and not solved.incomplete:
        differences += [_waiting(test, graph, rows, states, every_block=every_block) for every_block in (False, True)]
    return Comparison(text, "; ".join(filter(None, differences)), not solved.incomplete, len(rows))


def _waiting(test: LitmusTest, graph: EventGraph, rows: set[Row], states: int, *, every_block: bool) -> str:
    """Say what is wrong with the runs in which lanes wait for each other: they are some of all, and all end."""
    steps = ProgramSteps(program(test, every_block=every_block, registers=True), every_block=every_block)
    found = explored(steps, 4 * states)
    kind = "before every block" if every_block else "at convergent operations"
    more = {row(steps, graph, state) for state in found.ended()} - rows
    if more:
        return f"if lanes wait {kind}, there is more: {sorted(more, key=str)}"
    return f"if lanes wait {kind}, not every run ends" if endless(steps, found, Progress.UNFAIR) else ""


def faulty(found: StateGraph) -> tuple[bool, bool]:
    """Say whether behaviour is undefined, or stops at a barrier, which is undefined too: in some run, and for certain.

    A run for which it was guessed that lanes do not come somewhere may turn out not to count.
    """
    bad = [
        state
        for state, edges, fault in zip(found.states, found.edges, found.faults, strict=True)
        if (fault or not edges) and fault != DISCARDED and any(lane.block or lane.fault for lane in state.lanes)
    ]
    return bool(bad), any(not state.closed for state in bad)


def row(steps: ProgramSteps, graph: EventGraph, state: State) -> Row:
    """Return the outcome in which a run ended, with the columns of the events."""
    lanes = {member.name: dict(lane.registers) for member, lane in zip(steps.members, state.lanes, strict=True)}
    places = {location.name: k for k, location in enumerate(steps.program.test.locations)}
    shown = []
    for column in graph.observed:
        if isinstance(column.observable, RegisterOf):
            found = lanes[column.observable.thread].get(column.observable.register, (0,) * len(column.lanes))
        else:
            offset = (column.observable.index or 0) * column.type.size
            found = value_at(state.memory[places[column.observable.location]], offset, column.type)
        shown.append(found)
    return tuple(shown)


def _difference(rows: set[Row], wrong: tuple[bool, bool], solved: Solved) -> str:
    perhaps, certainly = wrong
    if solved.undefined and not perhaps:
        return f"the solver alone finds {', '.join(solved.undefined)}"
    if certainly and not solved.undefined and not solved.incomplete:
        return "the explorer alone finds undefined behaviour"
    missing = set() if solved.undefined else solved.outcomes - rows
    more = set() if solved.incomplete else rows - solved.outcomes
    parts = [f"the solver alone: {sorted(missing, key=str)}"] * bool(missing)
    return "; ".join(parts + [f"the explorer alone: {sorted(more, key=str)}"] * bool(more))
