"""From the assembly of a test to a machine program.

What goes in: a test, a target, and a `AssemblyListing` with its kernels (docs/llvm-ir.md says by what convention).
What comes out: the `MachineProgram`, whose outcomes have the shape of those of `codegen.machine.build`. Raises
InputError, with the line, for an assembly of another test or target, and for what reader or machine do not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from axmem.codegen.assembly.check import Executed, check_file, kernels_of
from axmem.codegen.assembly.entry import stated
from axmem.codegen.assembly.loops import arrivals
from axmem.codegen.assembly.places import BytePlace, TestMemory, unwritten
from axmem.codegen.assembly.registers import Touched
from axmem.codegen.assembly.requests import PATHS
from axmem.codegen.assembly.scoreboard import hazards
from axmem.codegen.assembly.state import KernelStep, PlaceFootprint, Results
from axmem.codegen.assembly.text import AssemblyKernel, AssemblyListing
from axmem.codegen.assembly.trace import KernelTrace
from axmem.codegen.assembly.values import joined, sliced
from axmem.codegen.assembly.waits import EXPORTS, limit_of
from axmem.codegen.instructions import InstructionKind, counted_as
from axmem.codegen.ir_module import lds_layout
from axmem.codegen.ir_slots import StoredSlot
from axmem.codegen.machine.build import accessing, counters_of, droppable_bits, maintenance
from axmem.codegen.machine.cells import grouped, lds_locations, system_cells, waves_of
from axmem.codegen.machine.families import machine_of
from axmem.codegen.machine.program import (
    Access,
    Action,
    BarrierStep,
    Footprint,
    LoopArrival,
    MachineInstruction,
    MachineProgram,
    Operation,
    Path,
    Read,
    RegisterHazard,
    Stream,
    Unfollowed,
    Wait,
    WaitingLoop,
    Write,
)
from axmem.codegen.targets import Target
from axmem.events.conventions import Conventions
from axmem.events.graph import Cell, Choice, EventGraph, EventKind, Observed, Require
from axmem.events.unroll import event_graph
from axmem.events.values import UNDEF, Constant, Expr, Value, apply_operation
from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError
from axmem.litmus.kernels import DEFAULT_BOUND
from axmem.litmus.syntax import AddressSpace, LitmusTest, Location, RegisterOf, Type


def assembly_program(test: LitmusTest, target: Target, listing: AssemblyListing) -> MachineProgram:
    """Return the program that a test's assembly is to the machine. Raises InputError.

    Reciprocals, by which integers are divided, are known up to a unit in the last place. The program has to be the
    same for all that they may be: divisions of integers are, since LLVM corrects what it gets from them.
    """
    check_file(test, target, listing)
    near: dict[int, int] = {}
    found = _Builder(test, target, listing, near).program()
    if len(near) > MOST_RECIPROCALS:
        raise _approximate(
            listing, f"needs the reciprocals of {len(near)} numbers, and {MOST_RECIPROCALS} are followed"
        )
    for ulps in product((0, 1, -1), repeat=len(near)):
        other = dict(zip(near, ulps, strict=True))
        if any(ulps) and (_Builder(test, target, listing, other).program() != found or len(other) > len(near)):
            raise _approximate(listing, "depends on which approximation of a reciprocal it gets")
    return found


MOST_RECIPROCALS = 3
"""Of how many numbers all approximations are followed: 27 programs."""


def _approximate(listing: AssemblyListing, message: str) -> InputError:
    """Return the error that code is which rests on an approximation, at the first."""
    lines = (line for kernel in listing.kernels.values() for line in kernel.lines if "rcp" in line.mnemonic)
    return InputError([Diagnostic(listing.source, next(lines).span, f"the code {message}")])


class _Builder:
    def __init__(self, test: LitmusTest, target: Target, listing: AssemblyListing, near: dict[int, int]) -> None:
        self.test = test
        self.target = target
        self.listing = listing
        self.near = near
        self.machine = machine_of(target.family.name)
        self.kernels = kernels_of(test, listing)
        self.slots = [executed.results for executed in self.kernels]
        self.bound = test.bound or DEFAULT_BOUND
        self.waves, self.wave_of = waves_of(test)
        graph = event_graph(test, Conventions(undef_memory=True))
        self.touched: dict[str, tuple[AssemblyKernel, dict[int, Touched], dict[int, set[int]]]] = {}
        laid = with_own_lds(test, listing, self.kernels)
        self.choices: list[Choice] = []
        first = self._first(laid, graph)
        self.graph = graph
        self.places = first.second()
        self.choices = []
        self.left_out: list[Require] = []
        self.beyond: list[Unfollowed] = []
        self.waits: list[WaitingLoop] = []
        self.arrivals: list[LoopArrival] = []
        self.traces, self.results = self._traces(self.places)
        system = [graph.cells[cell] for cell in system_cells(graph)]
        of_system = {k for k, cell in enumerate(self.places.cells) if any(_overlap(cell, other) for other in system)}
        self.groups, self.group_of = grouped(
            self.places.cells, self._together(), lds=lds_locations(laid), system=of_system
        )

    def _first(self, laid: LitmusTest, graph: EventGraph) -> TestMemory:
        """Execute the kernels, loads from memory that neither test nor code writes being numbers; return the memory.

        The first write to such memory would be found where all of it is as it was, so that there is none.
        """
        written: set[int] = set()
        while True:
            first = TestMemory(laid, graph, lds_layout(self.test), fixed=unwritten(graph, laid.locations, written))
            steps, _ = self._traces(first)
            places = (f.place.location for each in steps for step in each for f in step.footprints if f.writes)
            more = first.fixed.keys() & set(places)
            if not more:
                return first
            written |= more
            self.choices.clear()
            self.touched.clear()

    def _together(self) -> Iterator[list[int]]:
        """Yield the cells that each access covers at one address."""
        for footprint in (f for steps in self.traces for step in steps for f in step.footprints):
            yield [cell for cell, _ in (*footprint.reads, *footprint.writes)]

    def _traces(self, places: TestMemory) -> tuple[list[list[KernelStep]], list[Results]]:
        """Execute every kernel."""
        found, results = [], []
        self.kept: list[bool] = []
        """Of each kernel whether it keeps registers of the test in a buffer."""
        for executed in self.kernels:
            trace = KernelTrace(
                self.listing, executed.kernel, self.target.family, places, self.choices, bound=self.bound,
                near=self.near,
            )  # fmt: skip
            results.append(trace.run(executed))
            self.kept.append(trace.keeps_results or bool(results[-1]))
            found.append(trace.steps)
            if places.cells:
                self.left_out += trace.requires
                self.beyond += (replace(each, stream=len(found) - 1) for each in trace.beyond)
                self.waits += (WaitingLoop(len(found) - 1, *loop) for loop in trace.waits)
                if not (self.kept[-1] or any(s.instruction.kind is InstructionKind.BARRIER for s in trace.steps)):
                    self.arrivals += arrivals(trace.arrivals, executed.kernel.lines, len(found) - 1, self.bound)
            self._touch(executed.kernel, trace)
        return found, results

    def _touch(self, kernel: AssemblyKernel, trace: KernelTrace) -> None:
        """Add the registers that the lines of a kernel read and write in one of its executions, and where it jumps."""
        _, known, jumped = self.touched.setdefault(kernel.name, (kernel, {}, {}))
        for index, registers in trace.touched.items():
            known.setdefault(index, Touched()).add(registers)
        for index, goals in trace.jumped.items():
            jumped.setdefault(index, set()).update(goals)

    def _hazards(self) -> Iterator[RegisterHazard]:
        """Yield what the kernels do with registers too early, each kernel once."""
        for kernel, touched, jumped in self.touched.values():
            yield from hazards(kernel, touched, self.target.family, jumped)

    def program(self) -> MachineProgram:
        streams = tuple(
            Stream(each.name, self.wave_of[each.first], tuple(self._stream(k))) for k, each in enumerate(self.kernels)
        )
        finals: dict[int, int] = {}
        left = {each.name: reason for each in self.graph.observed if (reason := self._unseen(each))}
        observed = tuple(self._observed(each, finals) for each in self.graph.observed if each.name not in left)
        return MachineProgram(
            name=self.test.name,
            family=self.target.family.name,
            mode=self.target.mode,
            streams=streams,
            waves=self.waves,
            cells=self.places.cells,
            groups=self.groups,
            initial=_initial(self),
            choices=tuple(self.choices),
            requires=tuple(self._requires()),
            finals=finals,
            observed=observed,
            barriers=self._barriers(),
            beyond=tuple(self.beyond),
            waits=tuple(self.waits),
            arrivals=tuple(self.arrivals),
            hazards=tuple(self._hazards()),
            unseen=left,
        )

    # ------------------------------------------------------------ instructions

    def _stream(self, thread: int) -> Iterator[MachineInstruction]:
        steps = self.traces[thread]
        for number, step in enumerate(steps):
            kind = step.instruction.kind
            if kind is InstructionKind.ACCESS and not step.footprints:
                continue
            operation, counters, parts = self._operation(thread, steps, number)
            text = step.line.text if kind in (InstructionKind.ACCESS, InstructionKind.WAIT) else step.instruction.text
            yield MachineInstruction(
                number=number, kind=kind, text=text, operation=operation, counters=counters, guard=step.guard,
                parts=parts, bits=step.instruction.bits, span=step.line.span,
            )  # fmt: skip

    def _operation(
        self, thread: int, steps: Sequence[KernelStep], number: int
    ) -> tuple[Operation, tuple[str, ...], tuple[str, ...]]:
        """Return what a step is to the machine, which counters count it, and what may be left out of it."""
        step = steps[number]
        instruction = step.instruction
        names = tuple(part.name for part in instruction.parts)
        match instruction.kind:
            case InstructionKind.ACCESS:
                return self._access(step, names)
            case InstructionKind.WAIT:
                parts = [p for p in instruction.parts if p.name != EXPORTS]
                limits = tuple((p.name, self._limit(p.name, limit_of(p), steps, number)) for p in parts)
                least = min((limit_of(p) for p in parts), default=0)
                return Wait(limits, self._limit("xcnt", least, steps, number)), (), names
            case InstructionKind.INVALIDATE | InstructionKind.WRITEBACK:
                operation = maintenance(self.machine, instruction.text)
                if operation is None:
                    raise self.fail(step, f"the machine does not know '{instruction.text}' on {self.target.name}")
                return operation, self._counted(step), names
            case InstructionKind.BARRIER:
                word = instruction.mnemonic
                name = self._barrier(thread)
                return BarrierStep(name, not word.endswith("wait"), not word.endswith("signal")), (), ()

    def _access(self, step: KernelStep, bits: tuple[str, ...]) -> tuple[Access, tuple[str, ...], tuple[str, ...]]:
        action, path = Action(step.action), PATHS[step.memory]
        if step.memory == "global" and step.instruction.mnemonic.startswith("flat"):
            path = Path.FLAT
        access = accessing(self.machine, action, path, bits, result=step.result)
        if access is None:
            raise self.fail(step, f"the machine does not know the bits '{' '.join(bits)}' on {self.target.name}")
        counters = counters_of(self.machine, action, path, result=step.result)
        access = replace(access, footprints=tuple(map(self._footprint, step.footprints)), decides=step.decides)
        return access, counters, droppable_bits(self.machine, action, bits)

    def _footprint(self, found: PlaceFootprint) -> Footprint:
        cells = [cell for cell, _ in (*found.reads, *found.writes)]
        reads = tuple(Read(cell, (read,)) for cell, read in found.reads)
        writes = tuple(Write(cell, value, found.when) for cell, value in found.writes)
        return Footprint(self.group_of[cells[0]], reads, writes, found.guard)

    def _limit(self, counter: str, limit: int, steps: Sequence[KernelStep], number: int) -> int:
        """Return how many of the operations that the machine knows may be left on their way.

        Accesses to memory that no other thread sees count in the hardware and are not in the program, and all accesses
        of one instruction count once there. Where operations complete in order, those that may be left are those of the
        last instructions; the program's are the known ones among them.
        """
        if not limit:
            return 0
        before = [s for s in steps[:number] if steps[number].guard[: len(s.guard)] == s.guard]
        issued = [s for s in before if counter in self._counted(s)]
        if any(s.memory in ("scalar", "flat") or s.instruction.mnemonic.startswith("s_") for s in issued):
            return limit + sum(not s.counted for s in issued)
        firsts = [index for index, s in enumerate(issued) if s.counted]
        left = issued[firsts[-limit:][0] :] if firsts else ()
        return sum(bool(s.footprints) or s.instruction.kind is not InstructionKind.ACCESS for s in left)

    def _counted(self, step: KernelStep) -> tuple[str, ...]:
        kind = step.instruction.kind
        if kind in (InstructionKind.INVALIDATE, InstructionKind.WRITEBACK):
            return self.machine.counting(counted_as(step.instruction.mnemonic, kind))
        if kind is not InstructionKind.ACCESS:
            return ()
        return counters_of(self.machine, Action(step.action), PATHS[step.memory], result=step.result)

    def fail(self, step: KernelStep, message: str) -> InputError:
        return InputError([Diagnostic(self.listing.source, step.line.span, message)])

    # ------------------------------------------------------------ what is observed

    def _value(self, thread: int, slot: StoredSlot) -> Expr:
        """Return what a kernel left in a slot of its result buffer; undef where it left nothing."""
        results = self.results[thread]
        parts = tuple(results.get(slot.offset + byte, Constant(UNDEF)) for byte in range(slot.stored.size))
        return joined(parts, (8,) * len(parts), self.places.widths)

    def _unseen(self, observed: Observed) -> str:
        """Return why code does not show an observable, or nothing."""
        named = observed.observable
        if not isinstance(named, RegisterOf):
            known = any(named.location == location.name for location in self.test.locations)
            return "" if known else "code does not show what is in LDS at its end"
        number = next((k for k, thread in enumerate(self.test.threads) if thread.name == named.thread), None)
        if number is None:
            return "code does not keep registers of kernels"
        return "" if self.kept[number] else f"kernel {self.kernels[number].kernel.name} keeps no results"

    def _observed(self, observed: Observed, finals: dict[int, int]) -> tuple[Expr, ...]:
        """Return the lanes of an observable."""
        type_ = observed.type
        if isinstance(observed.observable, RegisterOf):
            thread = next(k for k, t in enumerate(self.test.threads) if t.name == observed.observable.thread)
            mine = [s for s in self.slots[thread] if s.register == observed.observable.register]
            values = [self._value(thread, slot) for slot in mine]
            if not type_.lanes:
                return tuple(values)
            bits = mine[0].stored.bits
            return tuple(sliced(values[0], bits * k, bits, self.places.widths) for k in range(type_.lanes))
        location = observed.observable.location
        index = next(k for k, found in enumerate(self.test.locations) if found.name == location)
        start = (observed.observable.index or 0) * type_.size
        reads, value = self.places.read(BytePlace("", index, start), type_.size)
        finals.update({read: cell for cell, read in reads})
        if not type_.lanes:
            return (value,)
        return tuple(sliced(value, type_.bits * k, type_.bits, self.places.widths) for k in range(type_.lanes))

    def _requires(self) -> Iterator[Require]:
        yield from self.left_out
        for thread, found in enumerate(self.slots):
            for slot in found:
                if slot.assumed and not self.kept[thread]:
                    name = self.kernels[thread].kernel.name
                    message = f"an assume of thread {self.test.threads[thread].name}: kernel {name} keeps no results"
                    raise InputError([Diagnostic(self.test.source, self.test.threads[thread].span, message)])
                if slot.assumed:
                    yield Require((), self._value(thread, slot))

    # ------------------------------------------------------------ barriers

    def _barrier(self, thread: int) -> str:
        wave = self.waves[self.wave_of[self.kernels[thread].first]]
        return f"workgroup {wave.agent}.{wave.cluster}.{wave.workgroup}"

    def _barriers(self) -> dict[str, tuple[int, ...]]:
        """Return the threads of each workgroup whose kernels have a barrier."""
        found: dict[str, list[int]] = {}
        for thread, steps in enumerate(self.traces):
            if any(step.instruction.kind is InstructionKind.BARRIER for step in steps):
                found.setdefault(self._barrier(thread), []).append(thread)
        return {name: tuple(members) for name, members in found.items()}


def with_own_lds(test: LitmusTest, listing: AssemblyListing, kernels: Sequence[Executed]) -> LitmusTest:
    """Return a test with the memory in LDS that workgroups have of their own: as many bytes as the file says, or, where
    that is none, as the launch gives it.
    """
    found: dict[str, Location] = {}
    for each in kernels:
        size = stated(listing, each.kernel.name, "group_segment_fixed_size")
        if each.lds and size is None:
            message = f"this file does not say how many bytes of LDS kernel '{each.kernel.name}' has"
            span = listing.facts.get((each.kernel.name, ".amdhsa_group_segment_fixed_size"), ("", each.kernel.span))[1]
            raise InputError([Diagnostic(listing.source, span, message, ".amdhsa_group_segment_fixed_size says it")])
        if each.lds:
            found.setdefault(each.lds, Location(each.lds, AddressSpace.LDS, Type(8, size or each.declared), None))
    return replace(test, locations=(*test.locations, *found.values()))


def _initial(builder: _Builder) -> tuple[Value, ...]:
    """Return what each cell holds at first: cells may be smaller than those of the test."""
    whole: list[tuple[Cell, Value]] = []
    for event in builder.graph.events:
        if event.kind is EventKind.INIT:
            assert isinstance(event.value, Constant)
            whole.append((builder.graph.cells[event.cell], event.value.value))
    values: list[Value] = []
    for cell in builder.places.cells:
        value: Value = UNDEF
        for outer, held in whole:
            if outer.location == cell.location and outer.offset <= cell.offset < outer.offset + outer.size:
                value = apply_operation("slice", cell.size * 8, (8 * (cell.offset - outer.offset),), (held,))
        values.append(value)
    return tuple(values)


def _overlap(a: Cell, b: Cell) -> bool:
    return a.location == b.location and a.offset < b.offset + b.size and b.offset < a.offset + a.size
