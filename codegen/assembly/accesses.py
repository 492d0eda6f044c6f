"""What the accesses of a kernel do: to locations of the test, and to memory that only the kernel sees.

What goes in: a line's `AddressAccess`s and the state of an execution. What comes out: `KernelStep`s, and the values
that registers get. Beside the test's locations a kernel has its arguments, its result buffer, the global offset table
and private memory; accesses to them are done here and now, since no other thread sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

from axmem.codegen.assembly.calls import place_of
from axmem.codegen.assembly.entry import hidden_argument, in_packet, written_bytes
from axmem.codegen.assembly.floats import updated
from axmem.codegen.assembly.memory import AddressAccess, policy_of
from axmem.codegen.assembly.places import BytePlace, TestMemory
from axmem.codegen.assembly.registers import OperandError, Registers, dwords
from axmem.codegen.assembly.state import LANE_SHIFT, Given, KernelState, KernelStep, PathEnded, PlaceFootprint
from axmem.codegen.assembly.symbols import FUNCTIONS
from axmem.codegen.assembly.text import ADDRESS, AssemblyKernel, AssemblyLine, AssemblyListing, KernelArgument
from axmem.codegen.assembly.values import (
    ARGUMENTS,
    LDS_APERTURE,
    OUT,
    REGION,
    computed,
    joined,
    number,
    sliced,
    without_lane,
)
from axmem.codegen.instructions import EmittedInstruction, InstructionKind, InstructionPart
from axmem.codegen.machine.program import Unfollowed
from axmem.codegen.tables import TargetFamily
from axmem.events.expressions import possible_addresses
from axmem.events.graph import ADDRESS_SHIFT, Choice, Guard, Require
from axmem.events.values import UNDEF, Apply, Constant, Expr, Pick, apply, possible_values
from axmem.front.records import replace
from axmem.litmus.floats import FLOAT_UPDATES
from axmem.litmus.kernels import Launch
from axmem.litmus.syntax import AddressOf, Number, PassedStructure, Type


class Accesses:
    """The accesses of one kernel. `choices` and the numbers of reads are shared by all kernels of a test.

    `requires` and `beyond` are what is left out of its execution, exactly or not.
    """

    def __init__(
        self,
        listing: AssemblyListing,
        kernel: AssemblyKernel,
        family: TargetFamily,
        places: TestMemory,
        choices: list[Choice],
    ) -> None:
        self.listing = listing
        self.kernel = kernel
        self.family = family
        self.places = places
        self.choices = choices
        self.unknown: list[str] = []
        self.steps: list[KernelStep] = []
        self.requires: list[Require] = []
        self.beyond: list[Unfollowed] = []
        self.arguments = listing.arguments.get(kernel.name, (KernelArgument(0, ADDRESS, name="out"),))
        self.called = tuple(each for each in self.arguments if not each.hidden)
        self.given: tuple[Given | None, ...] = ()
        """What a call gives the kernel, by place; nothing where arguments are known by their names."""
        self.launch: Launch | None = None
        self.described = False
        """Whether the file says which registers point to the arguments."""

    def access(self, line: AssemblyLine, transfer: AddressAccess, state: KernelState, *, counted: bool) -> Expr | None:
        """Do an access; return what memory returns. Raises OperandError if where it goes is not known."""
        registers = state.registers
        address = self.settled_address(transfer, registers)
        unknown = registers.unknown_in(address)
        if unknown:
            raise OperandError(f"this address depends on {unknown}, which the kernel did not set")
        value = number(address)
        if value is None:
            return self._chosen(line, transfer, address, state, counted=counted)
        value = without_lane(value, registers.lane)
        place = self.places.place(value, transfer.memory, transfer.bits // 8)
        if place is None and transfer.memory == "lds" and transfer.action != "rmw":
            parts = self.places.lds_parts(value, transfer.bits // 8)
            if parts:
                return self._divided(line, transfer, state, parts, counted=counted)
        if place is None:
            self._nowhere(line, value, state)
        state.registers.touched.reached.add("lds" if place.lds else "global")
        if place.region:
            result = self._aside(line, transfer, place, state)
            self._step(line, transfer, state.guard, (), counted=counted)
        else:
            footprint, result = self._footprint(transfer, place, state)
            self._step(line, transfer, state.guard, (footprint,), counted=counted)
        return result

    def settled_address(self, transfer: AddressAccess, registers: Registers) -> Expr:
        """Return where an access goes, as far as it is known."""
        return registers.settled(self._argument(transfer.address, registers), 64)

    def _nowhere(self, line: AssemblyLine, address: int, state: KernelState) -> NoReturn:
        """Leave out executions that access no location, where something that was read decides whether there are any.

        Raises OperandError for what every execution does, else PathEnded.
        """
        message = f"the address {address:#x} is in no location of the test"
        if not state.guard:
            raise OperandError(message)
        self.beyond.append(Unfollowed(state.guard, f"at {self.listing.source.name}:{line.span.line} {message}"))
        self.requires.append(Require(state.guard, Constant(0)))
        raise PathEnded

    def _divided(
        self,
        line: AssemblyLine,
        transfer: AddressAccess,
        state: KernelState,
        parts: list[tuple[int, int]],
        *,
        counted: bool,
    ) -> Expr:
        """Do an access to several LDS locations at once, each in its own place; `parts` are bytes of it and sizes."""
        base, results, sizes = number(transfer.address) or 0, [], []
        for start, size in parts:
            value = None
            if transfer.value is not None:
                value = sliced(transfer.value, 8 * start, 8 * size, self.places.widths)
            place = self.places.place(base + start, "lds", size)
            assert place is not None
            piece = replace(transfer, address=Constant(base + start), bits=8 * size, value=value)
            footprint, result = self._footprint(piece, place, state)
            self._step(line, piece, state.guard, (footprint,), counted=counted and not start)
            results.append(Constant(0) if result is None else result)
            sizes.append(8 * size)
        return joined(tuple(results), tuple(sizes), self.places.widths)

    def _chosen(
        self, line: AssemblyLine, transfer: AddressAccess, address: Expr, state: KernelState, *, counted: bool
    ) -> Expr | None:
        """An access whose address depends on memory: one footprint for each address that it may have."""
        if transfer.memory == "private":
            raise OperandError("an address in private memory that depends on memory")
        if transfer.update in FLOAT_UPDATES:
            raise OperandError("an update of a number at an address that depends on memory")
        size = transfer.bits // 8
        known = possible_values(address)
        if known is not None:
            found = sorted(known)
        elif transfer.memory == "lds":
            found = sorted(self.places.lds_bytes(size))
        elif (_constant_in(address) or 0) // REGION * REGION == LDS_APERTURE:
            found = sorted(LDS_APERTURE + byte for byte in self.places.lds_bytes(size))
        else:
            found = possible_addresses(self.places.test, _based(address), Type(transfer.bits))
        candidates = [each for each in found if self.places.place(each, transfer.memory, size) is not None]
        if not candidates:
            raise OperandError("this address is outside every location whatever is read")
        choice = Choice(len(self.choices), state.guard, address, (*candidates, None))
        self.choices.append(choice)
        footprints, arms = [], []
        for arm, candidate in enumerate(candidates):
            place = self.places.place(candidate, transfer.memory, size)
            assert place is not None
            state.registers.touched.reached.add("lds" if place.lds else "global")
            footprint, result = self._footprint(transfer, place, state)
            footprints.append(replace(footprint, guard=((choice.index, arm),)))
            arms.append(Constant(0) if result is None else result)
        self._step(line, transfer, state.guard, footprints, counted=counted)
        if not transfer.destination:
            return None
        return arms[0] if known is not None and len(candidates) == 1 else Pick(choice.index, (*arms, Constant(0)))

    def _footprint(
        self, transfer: AddressAccess, place: BytePlace, state: KernelState
    ) -> tuple[PlaceFootprint, Expr | None]:
        """Return what an access does in a location, and what it returns."""
        size = transfer.bits // 8
        reads, old = self.places.read(place, size) if transfer.action != "store" else ([], None)
        value, when = transfer.value, None
        if transfer.action == "rmw":
            assert old is not None and value is not None
            if transfer.update == "cmpxchg":
                assert transfer.expected is not None
                when = apply("eq", 1, old, self._defined(transfer.expected, transfer.bits, state))
            elif transfer.update != "xchg":
                value = self._updated(transfer, old, self._defined(value, transfer.bits, state), state)
        written = [] if value is None else self.places.written(place, size, value)
        writes = [(number, self._defined(part, bits, state)) for number, part, bits in written]
        return PlaceFootprint(place, tuple(reads), tuple(writes), (), when), old

    def _updated(self, transfer: AddressAccess, old: Expr, operand: Expr, state: KernelState) -> Expr:
        """Return what an update writes; executions in which that is not known are left out."""
        if transfer.update not in FLOAT_UPDATES:
            return apply(transfer.update, transfer.bits, old, operand)
        value, known = updated(transfer.update, transfer.bits, old, operand)
        choice = Choice(len(self.choices), state.guard, known, (0, 1))
        self.choices.append(choice)
        otherwise = (*state.guard, (choice.index, 0))
        what = "a denormal number" if transfer.update == "fadd" else "a NaN or a denormal number"
        reason = f"what {transfer.name} makes of {what} is not documented"
        self.beyond.append(Unfollowed(otherwise, reason))
        self.requires.append(Require(otherwise, Constant(0)))
        return value

    def _defined(self, value: Expr, bits: int, state: KernelState) -> Expr:
        """Return a value, undef if one of its bits depends on a register that nothing was put into."""
        value = state.registers.settled(value, bits)
        return Constant(UNDEF) if state.registers.unknown_in(value) else value

    def _step(
        self,
        line: AssemblyLine,
        transfer: AddressAccess,
        guard: Guard,
        made: Sequence[PlaceFootprint],
        *,
        counted: bool,
    ) -> None:
        if "nv" in line.bits and made:
            raise OperandError("an access that says that nobody writes there (nv), to a location of the test")
        parts = tuple(InstructionPart(bit, bit, "", "") for bit in policy_of(line))
        instruction = EmittedInstruction(InstructionKind.ACCESS, line.mnemonic, parts)
        result = transfer.action == "load" or bool(transfer.destination)
        step = KernelStep(instruction, line, guard, transfer.action, transfer.memory, result=result, counted=counted)
        self.steps.append(replace(step, footprints=tuple(made)))

    def moved(self, line: AssemblyLine, state: KernelState) -> None:
        """Note what LDS's hardware does without memory, and counts."""
        instruction = EmittedInstruction(InstructionKind.ACCESS, line.mnemonic)
        self.steps.append(KernelStep(instruction, line, state.guard, "load", "lds", result=True))

    def deliver(self, transfer: AddressAccess, result: Expr, registers: Registers) -> None:
        """Put what an access returned where it belongs."""
        if transfer.half:
            narrow = result if transfer.bits == 16 else _extended(result, transfer, 16)
            name = transfer.destination.removesuffix(".l").removesuffix(".h")
            before = registers.touched.copy()
            registers.put(f"{name}.{_half_of(transfer)}", narrow, 16)
            registers.touched = before  # memory returns one half, and reads no register for the other
            registers.touched.written.add(f"{name}.{_half_of(transfer)}")
        elif transfer.bits < 32:
            registers.put(transfer.destination, _extended(result, transfer, 32), 32)
        elif transfer.first:
            for index, name in enumerate(dwords(transfer.destination)[transfer.first :][: transfer.bits // 32]):
                registers.put(name, sliced(result, 32 * index, 32, self.places.widths))
        else:
            registers.put(transfer.destination, result, transfer.bits)

    # ------------------------------------------------------------ memory beside the test's

    def _argument(self, address: Expr, registers: Registers) -> Expr:
        """Return the address, that of the kernel's arguments recognised by the registers that point to them."""
        base, offset = address, 0
        if self.described:
            return address
        if isinstance(address, Apply) and address.operation == "add":
            moved = number(address.arguments[1])
            if moved is not None:
                base, offset = address.arguments[0], moved
        if isinstance(base, Apply) and base.operation == "concat" and len(base.arguments) == 2:
            names = [registers.entry_of(part) for part in base.arguments]
            match = [re.fullmatch(r"s(\d+)", name) for name in names]
            if match[0] and match[1] and int(match[0][1]) + 1 == int(match[1][1]):
                return Constant(ARGUMENTS + offset)
        return address

    def _aside(self, line: AssemblyLine, transfer: AddressAccess, place: BytePlace, state: KernelState) -> Expr | None:
        """Do an access to memory that only this kernel sees; return what it reads."""
        size = transfer.bits // 8
        if place.region == "arguments" and transfer.action == "load":
            return self._arguments(place.offset, size, state.registers)
        if place.region == "packet" and transfer.action == "load":
            return self._packet(place.offset, size, state.registers)
        if place.region == "offsets" and transfer.action == "load":
            slot = place.offset // 8
            held = place_of(slot - FUNCTIONS // 8) if place.offset >= FUNCTIONS else slot + 1 << ADDRESS_SHIFT
            return Constant(held & (1 << transfer.bits) - 1)
        memory = state.private if place.region == "private" else state.out
        start = place.offset + (state.registers.lane << LANE_SHIFT)
        if transfer.action == "store" and place.region in ("private", "out"):
            assert transfer.value is not None
            for byte in range(size):
                part = sliced(transfer.value, 8 * byte, 8, self.places.widths)
                memory[start + byte] = self._defined(part, 8, state)
            return None
        if transfer.action == "load" and place.region == "private":
            parts = tuple(memory.get(start + byte, Constant(UNDEF)) for byte in range(size))
            return joined(parts, (8,) * size, self.places.widths)
        raise OperandError(f"a {transfer.action} of the {place.region}, which only this kernel sees")

    def _arguments(self, offset: int, size: int, registers: Registers) -> Expr:
        """Return bytes of the kernel's arguments. Raises OperandError if a call gives it others than the file has."""
        if self.given and len(self.given) != len(self.called):
            had, given = len(self.called), len(self.given)
            raise OperandError(f"the kernel has {had} arguments in this file, and {given} in the test")
        known = {at: (size, v) for each in self.arguments for at, size, v in self._argument_values(each)}
        names = {each.offset: (each.size, each.name or each.kind) for each in self.arguments}
        return written_bytes(offset, size, known, names, "the arguments", registers)

    def _packet(self, offset: int, size: int, registers: Registers) -> Expr:
        """Return bytes of the packet of the launch."""
        return written_bytes(offset, size, in_packet(self.launch), {}, "the packet of the launch", registers)

    def _argument_values(self, argument: KernelArgument) -> Iterator[tuple[int, int, int]]:
        """Yield what is known of an argument: the first byte, how many there are, and their value."""
        given = self.given[self.called.index(argument)] if self.given and not argument.hidden else None
        if isinstance(given, PassedStructure):
            parts = ((at, size, self._passed(value)) for at, size, value in given.fields)
            yield from ((argument.offset + at, size, value) for at, size, value in parts if value is not None)
        elif (whole := self._argument_value(argument, given)) is not None:
            yield argument.offset, argument.size, whole

    def _argument_value(self, argument: KernelArgument, given: AddressOf | Number | None) -> int | None:
        """Return an argument: what call or launch give; without a call, the location of its name or the buffer."""
        if argument.hidden:
            return hidden_argument(argument.kind, self.launch)
        if self.given:
            return OUT if given is None else self._passed(given)
        address = self.places.address(argument.name) if argument.name else None
        return OUT if address is None and self.is_buffer(argument.name) else address

    def _passed(self, value: AddressOf | Number) -> int | None:
        """Return what a call passes of a number, or of the address of a location."""
        return value.value if isinstance(value, Number) else self.places.address(value.location)

    def is_buffer(self, name: str) -> bool:
        """Say whether an argument of this name is the buffer of results, where nothing says what it is given."""
        return bool(re.fullmatch("out_*", name)) or (len(self.called) == 1 and not name)

    @property
    def keeps_results(self) -> bool:
        """Whether the file or the call says that the kernel has a buffer for results."""
        if self.kernel.name not in self.listing.arguments:
            return False
        if self.given:
            return None in self.given
        return any(self.places.address(a.name) is None and self.is_buffer(a.name) for a in self.called)


def _half_of(transfer: AddressAccess) -> str:
    """Return which half of its register a load sets: the operand says so, or the mnemonic."""
    return transfer.destination[-1] if transfer.destination.endswith((".l", ".h")) else transfer.half


def _extended(result: Expr, transfer: AddressAccess, bits: int) -> Expr:
    if transfer.signed:
        return computed("sext", bits, result, parameters=(transfer.bits,))
    return computed("zext", bits, result)


def _based(address: Expr) -> Expr:
    """Return an address as a base and an offset, where it was computed half by half from a known location."""
    if isinstance(address, Apply) and address.operation == "concat":
        low = address.arguments[0]
        base = _constant_in(low)
        if base is not None and base >> ADDRESS_SHIFT and base < REGION:
            return Apply("add", 64, (Constant(base), low))
    return address


def _constant_in(expr: Expr) -> int | None:
    """Return the number in a sum."""
    if isinstance(expr, Apply) and expr.operation == "add":
        return next((n for a in expr.arguments if (n := number(a)) is not None), None)
    return None
