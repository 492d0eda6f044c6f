"""Random machine programs: streams of accesses, waits, invalidates and writebacks that no lowering would put together.

What goes in: a source of chance. What comes out: a program for some family and mode, small enough to be walked.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from axmem.codegen.instructions import InstructionKind, counted_as
from axmem.codegen.machine.build import counters_of, maintenance
from axmem.codegen.machine.families import Machine, machine_of
from axmem.codegen.machine.program import (
    Access,
    Action,
    Decision,
    Footprint,
    Group,
    MachineInstruction,
    MachineProgram,
    Operation,
    Path,
    Read,
    Stream,
    Wait,
    Wave,
    Write,
)
from axmem.codegen.targets import Target
from axmem.events.graph import Cell, Choice
from axmem.events.values import Apply, Constant, Expr, Pick, ReadOf
from axmem.front.records import replace

CELLS = (Cell("x", 0, 4), Cell("y", 0, 4), Cell("t", 0, 4))
GROUPS = (Group("x", (0,)), Group("y", (1,)), Group("t", (2,), lds=True))
MESSAGE_CELLS = (Cell("x", 0, 4), Cell("f", 0, 4), Cell("g", 0, 4))
MESSAGE_GROUPS = (Group("x", (0,)), Group("f", (1,)), Group("g", (2,)))
PLACES = (
    (Wave(0, 0, 0), Wave(0, 0, 0)),
    (Wave(0, 0, 0), Wave(0, 1, 1)),
    (Wave(0, 0, 0), Wave(1, 0, 0)),
    (Wave(0, 0, 0), Wave(0, 0, 0), Wave(0, 1, 1)),
    (Wave(0, 0, 0), Wave(0, 1, 1), Wave(0, 2, 2)),
    (Wave(0, 0, 0), Wave(0, 1, 1), Wave(1, 0, 0)),
)
LENGTH = {2: (2, 5), 3: (1, 3)}
"""How many instructions a stream has, by the number of streams."""


def random_program(rng: Random, target: Target) -> MachineProgram:
    """Return a program for a target."""
    machine = machine_of(target.family.name)
    waves = rng.choice(PLACES)
    lds = len({(w.agent, w.workgroup) for w in waves}) == 1 and rng.random() < 0.3
    streams, reads = [], 0
    for k in range(len(waves)):
        maker = _Maker(rng, machine, lds=lds, first_read=reads, value=10 * (k + 1))
        instructions = tuple(maker.instruction(n) for n in range(rng.randint(*LENGTH[len(waves)])))
        reads = maker.reads
        streams.append(Stream(f"P{k}", k, instructions))
    finals = {reads: 0, reads + 1: 1} if rng.random() < 0.3 else {}
    return MachineProgram(
        name="random",
        family=target.family.name,
        mode=target.mode,
        streams=tuple(streams),
        waves=waves,
        cells=CELLS,
        groups=GROUPS,
        initial=(0, 0, 0),
        choices=(),
        requires=(),
        finals=finals,
        observed=tuple((ReadOf(index),) for index in range(reads + len(finals))),
        barriers={},
    )


def with_branches(rng: Random, program: MachineProgram) -> MachineProgram:
    """Return a program in which streams go on from some instruction only if a value that they loaded is a certain one.

    What is not loaded for that reason counts as 99.
    """
    streams, choices, seen = [], list[Choice](), dict[int, Expr]()
    for stream in program.streams:
        forks = [(k, read) for k, i in enumerate(stream.instructions[:-1]) if _is_load(i) for read in _reads(i)]
        if not forks or rng.random() < 0.2:
            streams.append(stream)
            continue
        k, read = rng.choice(forks)
        first = rng.randint(k + 1, len(stream.instructions) - 1)
        chosen = rng.choice(_stored(program, stream, read.cell) or [0])
        choice = Choice(len(choices), (), Apply("eq", 1, (ReadOf(read.reads[0]), Constant(chosen))), (0, 1))
        choices.append(choice)
        rest = [replace(i, guard=((choice.index, 1),)) for i in stream.instructions[first:]]
        for index in (index for i in rest for inner in _reads(i) for index in inner.reads):
            seen[index] = Pick(choice.index, (Constant(99), ReadOf(index)))
        streams.append(replace(stream, instructions=(*stream.instructions[:first], *rest)))
    observed = tuple(tuple(seen.get(getattr(lane, "event", -1), lane) for lane in lanes) for lanes in program.observed)
    return replace(program, streams=tuple(streams), choices=tuple(choices), observed=observed)


def with_lanes(rng: Random, program: MachineProgram) -> MachineProgram:
    """Return a program in which an access that writes is one of two lanes to one place, in the order that hardware
    decides; unchanged if none writes."""
    writing = [
        (s, k) for s, stream in enumerate(program.streams) for k, i in enumerate(stream.instructions)
        if isinstance(i.operation, Access) and i.operation.footprints[0].writes
    ]  # fmt: skip
    if not writing:
        return program
    s, k = rng.choice(writing)
    stream = program.streams[s]
    made = stream.instructions[k]
    assert isinstance(made.operation, Access)
    (footprint,) = made.operation.footprints
    known = {index for each in program.streams for i in each.instructions for read in _reads(i) for index in read.reads}
    last = max((*known, *program.finals), default=-1)
    choice = Choice(len(program.choices), (), ReadOf(last + 1), (0, 1))
    own, other = footprint.writes[0].value, Constant(100)
    turns = []
    for turn, arms in enumerate(((own, other), (other, own))):
        reads, writes = footprint.reads, [replace(w, value=Pick(choice.index, arms)) for w in footprint.writes]
        if turn and reads:
            reads = (Read(reads[0].cell, (last + 2,)),)
            when = writes[0].when and Apply("eq", 1, (ReadOf(last + 2), Constant(0)))
            writes = [replace(w, when=when) for w in writes]
        decides = None if turn else Decision(last + 1, 2)
        operation = replace(
            made.operation, footprints=(replace(footprint, reads=reads, writes=tuple(writes)),), decides=decides
        )
        turns.append(replace(made, operation=operation))
    row = (*stream.instructions[:k], *turns, *stream.instructions[k + 1 :])
    row = tuple(replace(i, number=n) for n, i in enumerate(row))
    observed = list(program.observed)
    if footprint.reads:
        first, second = ReadOf(footprint.reads[0].reads[0]), ReadOf(last + 2)
        observed += [(Pick(choice.index, arms),) for arms in ((first, second), (second, first))]
    return replace(
        program, choices=(*program.choices, choice), observed=tuple(observed),
        streams=(*program.streams[:s], replace(stream, instructions=row), *program.streams[s + 1 :]),
    )  # fmt: skip


def _is_load(instruction: MachineInstruction) -> bool:
    """Tell whether an instruction loads and does nothing else: an update that is replayed may return another value."""
    return isinstance(instruction.operation, Access) and instruction.operation.action is Action.LOAD


def _reads(instruction: MachineInstruction) -> list[Read]:
    operation = instruction.operation
    return [read for f in operation.footprints for read in f.reads] if isinstance(operation, Access) else []


def _stored(program: MachineProgram, reader: Stream, cell: int) -> list[int]:
    """Return the numbers that other streams store to a cell, and what was there."""
    found = [0]
    for stream in program.streams:
        for instruction in stream.instructions:
            if stream is not reader and isinstance(instruction.operation, Access):
                values = [w.value for f in instruction.operation.footprints for w in f.writes if w.cell == cell]
                found += [v.value for v in values if isinstance(v, Constant) and isinstance(v.value, int)]
    return found


def with_shared_waves(program: MachineProgram) -> MachineProgram:
    """Return a program in which streams of one workgroup are lanes of one wave that diverged."""
    waves = tuple(dict.fromkeys(program.waves))
    streams = tuple(replace(s, wave=waves.index(program.waves[s.wave])) for s in program.streams)
    return replace(program, waves=waves, streams=streams)


def random_message(rng: Random, target: Target, *, scalar: bool = False) -> MachineProgram:
    """Return a program in which two or three streams hand a message on, by flags on which they branch, with little that
    keeps it in order: that the first one stored, or that it loaded what the last one then stores.

    With `scalar` most loads of it are scalar ones, and scalar caches are invalidated, too.
    """
    machine = machine_of(target.family.name)
    waves = rng.choice(PLACES)
    streams, choices, observed, reads = [], list[Choice](), list[tuple[Expr, ...]](), 0
    ends = (Action.LOAD, Action.STORE) if rng.random() < 0.4 else (Action.STORE, Action.LOAD)
    for k in range(len(waves)):
        maker = _Maker(rng, machine, lds=False, first_read=reads, value=1, scalar=scalar)
        made, first = maker.hop(k, *ends, last=len(waves) - 1)
        reads = maker.reads
        if k:
            flag = next(i for i in made if _is_load(i) and _groups(i) == {k})
            choice = Choice(len(choices), (), Apply("eq", 1, (ReadOf(_reads(flag)[0].reads[0]), Constant(1))), (0, 1))
            choices.append(choice)
            made = [replace(i, guard=((choice.index, 1),)) if i.number >= first else i for i in made]
        for i in made:
            for read in (ReadOf(index) for each in _reads(i) for index in each.reads):
                observed.append((Pick(i.guard[0][0], (Constant(99), read)) if i.guard else read,))
        streams.append(Stream(f"P{k}", k, tuple(made)))
    order = rng.sample(range(len(waves)), len(waves))
    return MachineProgram(
        name="message", family=target.family.name, mode=target.mode,
        streams=tuple(replace(stream, wave=order[k]) for k, stream in enumerate(streams)), waves=waves,
        cells=MESSAGE_CELLS, groups=MESSAGE_GROUPS, initial=(0, 0, 0), choices=tuple(choices), requires=(), finals={},
        observed=tuple(observed), barriers={},
    )  # fmt: skip


def _groups(instruction: MachineInstruction) -> set[int]:
    operation = instruction.operation
    return {f.group for f in operation.footprints} if isinstance(operation, Access) else set()


class _Maker:
    """Makes the instructions of one stream."""

    def __init__(
        self, rng: Random, machine: Machine, *, lds: bool, first_read: int, value: int, scalar: bool = False
    ) -> None:
        self.scalar = scalar
        self.rng = rng
        self.machine = machine
        self.lds = lds
        self.reads = first_read
        self.own: list[int] = []
        self.value = value

    def instruction(self, number: int) -> MachineInstruction:
        """Return the next instruction."""
        what = self.rng.choices(("access", "wait", "invalidate", "writeback"), (6, 2, 2, 1))[0]
        if what == "wait":
            return self._wait(number)
        return self._maintenance(number, what) or self._access(number)

    def _maintenance(self, number: int, what: str) -> MachineInstruction | None:
        """Return an invalidate or writeback, or None if it is to be another thing or the family has none."""
        table = {"invalidate": self.machine.invalidates, "writeback": self.machine.writebacks}.get(what, {})
        texts = sorted(text for text in table if self.scalar or not text.startswith("s_"))
        if not texts:
            return None
        scalar = [text for text in texts if text.startswith("s_")]
        text = self.rng.choice(scalar if scalar and self.rng.random() < 0.6 else texts)
        operation = maintenance(self.machine, text)
        assert operation is not None
        counters = self.machine.counting(counted_as(text, InstructionKind(what)))
        return MachineInstruction(number, InstructionKind(what), text, operation, counters)

    def hop(self, k: int, begins: Action, ends: Action, *, last: int) -> tuple[list[MachineInstruction], int]:
        """Return what stream k of a message does, and the number from which on it does so if it has seen its flag.

        What is told to the `last` stream, which `ends` with the one, is what the first one `begins` with.
        """
        made: list[MachineInstruction] = []
        if k and self.rng.random() < 0.3:
            made.append(self._at(len(made), Action.LOAD, 0))
        made.append(self._at(len(made), Action.LOAD, k) if k else self._at(len(made), begins, 0))
        seen = len(made)
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            marker = self._maintenance(len(made), self.rng.choice(("wait", "invalidate", "writeback")))
            made.append(marker or self._wait(len(made)))
            if marker and marker.counters and self.rng.random() < 0.6:
                made.append(self._wait(len(made), marker.counters))
        first = self.rng.randint(seen, len(made))
        if k == last or (k and self.rng.random() < 0.3):
            made.append(self._at(len(made), ends, 0))
        if k < last:
            made.append(self._at(len(made), Action.STORE, k + 1))
        return made, first

    def _at(self, number: int, action: Action, group: int) -> MachineInstruction:
        """Return an access to a group of a message, sometimes a scalar load; those to flags mostly go to the agent."""
        often = 0.8 if self.scalar else 0.4
        if action is Action.LOAD and self.rng.random() < (0.2 if group else often):
            scalar = Access(action, Path.SCALAR, 0, (self._message(action, group),), True)
            counters = counters_of(self.machine, action, Path.SCALAR, result=True)
            return MachineInstruction(number, InstructionKind.ACCESS, action.value, scalar, counters)
        scopes = self.machine.scopes[action.value]
        bits = self.rng.choice(sorted(b for b, level in scopes.items() if not group or level >= 3) or sorted(scopes))
        operation = Access(action, Path.VECTOR, scopes[bits], (self._message(action, group),), action is Action.LOAD)
        counters = counters_of(self.machine, action, Path.VECTOR, result=action is Action.LOAD)
        return MachineInstruction(number, InstructionKind.ACCESS, " ".join((action.value, *bits)), operation, counters)

    def _message(self, action: Action, group: int) -> Footprint:
        """Return a load or a store of 1."""
        if action is Action.STORE:
            return Footprint(group, (), (Write(group, Constant(1)),))
        self.reads += 1
        return Footprint(group, (Read(group, (self.reads - 1,)),))

    def _wait(self, number: int, counters: Sequence[str] = ()) -> MachineInstruction:
        """Return a wait for one of some counters until all is done, or for any counter."""
        every = [c for c, kinds in self.machine.counters.items() if kinds and c != "xcnt"]
        counter = self.rng.choice(sorted(counters) or every)
        limit = 0 if counters else self.rng.choice((0, 0, 0, 1, 2))
        return MachineInstruction(number, InstructionKind.WAIT, f"wait {counter}({limit})", Wait(((counter, limit),)))

    def _access(self, number: int) -> MachineInstruction:
        action = self.rng.choices(tuple(Action), (5, 4, 1))[0]
        group = self.rng.choice((0, 0, 1, 2) if self.lds else (0, 0, 1))
        path = Path.LDS if group == 2 else Path.VECTOR
        if path is Path.VECTOR and action is Action.LOAD and self.rng.random() < 0.2:
            path = Path.SCALAR
        elif path is Path.VECTOR and self.rng.random() < 0.1:
            path = Path.FLAT
        scopes = self.machine.scopes[action.value]
        bits = self.rng.choice(sorted(scopes)) if path in (Path.VECTOR, Path.FLAT) else ()
        scope = scopes[bits] if bits in scopes and path in (Path.VECTOR, Path.FLAT) else 0
        result = action is not Action.STORE
        operation: Operation = Access(action, path, scope, (self._footprint(action, group),), result)
        counters = counters_of(self.machine, action, path, result=result)
        return MachineInstruction(number, InstructionKind.ACCESS, " ".join((action.value, *bits)), operation, counters)

    def _footprint(self, action: Action, group: int) -> Footprint:
        cell = GROUPS[group].cells[0]
        written: Expr = Constant(self.value)
        self.value += 1
        if self.own and self.rng.random() < 0.2:
            written = ReadOf(self.rng.choice(self.own))
        if action is Action.STORE:
            return Footprint(group, (), (Write(cell, written),))
        read, self.reads = self.reads, self.reads + 1
        if action is Action.LOAD:
            self.own.append(read)
            return Footprint(group, (Read(cell, (read,)),))
        when = Apply("eq", 1, (ReadOf(read), Constant(0))) if self.rng.random() < 0.5 else None
        self.own.append(read)
        return Footprint(group, (Read(cell, (read,)),), (Write(cell, written, when),))
