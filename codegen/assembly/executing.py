"""What instructions do, each by the lanes of a wave together: what they compute, move between lanes, and access.

What goes in: a line, and the state of an execution in which it is known which lanes execute. What comes out: the state
after it, and `KernelStep`s. Invariant: all lanes read before any writes; what several lanes do to one place at once is
done in every order (`crowds`), in one only where nobody sees in which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import TypeVar

from axmem.codegen.assembly.accesses import Accesses
from axmem.codegen.assembly.arithmetic import Write
from axmem.codegen.assembly.crowds import Crowd, crowd, crowded, whichever
from axmem.codegen.assembly.floats import changes_mode
from axmem.codegen.assembly.lanes import Moved, crossed, with_others
from axmem.codegen.assembly.memory import AddressAccess, transfers
from axmem.codegen.assembly.parts import arithmetic
from axmem.codegen.assembly.registers import OperandError, Registers
from axmem.codegen.assembly.state import LANE_SHIFT, KernelState, KernelStep
from axmem.codegen.assembly.symbols import relocated, substituted
from axmem.codegen.assembly.text import AssemblyLine, split_operands
from axmem.codegen.assembly.values import PRIVATE_APERTURE, REGION, computed, number, without_lane
from axmem.codegen.assembly.waits import HARMLESS, limits_of, synchronization
from axmem.codegen.instructions import InstructionKind
from axmem.codegen.machine.program import Unfollowed
from axmem.events.graph import Choice, Require
from axmem.events.values import Apply, Constant, Expr, apply
from axmem.front.records import replace

Found = TypeVar("Found")
_MODE = re.compile(r"s_setreg(_imm32)?_b32$")
_CLUSTERED = re.compile(r"s_getreg_b32 \w+, hwreg\(HW_REG_IB_STS2, 6, 4\)")
"""Where gfx1250 says how large the clusters of a launch are: 0, as a kernel of a test has none."""
SCALARS = ("s_", "v_readfirstlane", "v_readlane", "v_writelane")
"""How the mnemonics of instructions begin that are executed even if no lane is."""


class Execution(Accesses):
    """The instructions of one kernel as a wave executes them."""

    def execute(self, line: AssemblyLine, state: KernelState) -> None:
        """Execute an instruction that goes on to the next. Raises OperandError."""
        registers = state.registers
        if line.mnemonic.startswith("v_dual_"):
            self._dual(line, state)
            return
        limits_of(line, self.family)  # of idle lines, too, that they are known
        where = state.program.step(line, self.kernel)
        if self._idle(line, state) or HARMLESS.match(line.mnemonic):
            return
        if line.mnemonic in ("s_getpc_b64", "s_get_pc_i64"):
            registers.put(line.operands[0], state.program.counter(), 64)
            return
        if _CLUSTERED.fullmatch(line.text):
            registers.put(line.operands[0], Constant(0))
            return
        if _MODE.match(line.mnemonic):
            if not re.match(r"hwreg\(HW_REG_(WAVE_MODE|MODE|SCHED_MODE|FLAT_SCR_LO|FLAT_SCR_HI)\b", line.operands[0]):
                raise OperandError(f"the effect of '{line.text}' is not known")
            if changes_mode(registers, *line.operands[:2]):
                registers.refused = f"'{line.text}' changes how numbers are computed"
            return
        found = synchronization(line, self.family)
        if found is not None:
            if found.parts or found.kind is not InstructionKind.WAIT:
                self.steps.append(KernelStep(found, line, state.guard))
            return
        relocation = relocated(line, where, self.places, self.kernel)
        line = substituted(line, relocation)
        lanes = self._lanes(line, state)
        moved = crossed(registers, line, lanes)
        if moved is not None:
            self._move(line, state, moved)
            return
        lanes += self._absent(line, state)
        accesses = [self._in_lane(registers, lane, lambda: transfers(registers, line)) for lane in lanes]
        if all(each is not None for each in accesses):
            self._access_all(line, state, [(k, t) for k, each in zip(lanes, accesses, strict=True) for t in each or ()])
            return
        with_others(registers, line)
        self._compute(line, (line,), state)

    def _idle(self, line: AssemblyLine, state: KernelState) -> bool:
        """Say whether the instruction works on lanes, of which none executes."""
        if number(state.registers.named("exec_lo")) != 0 or line.mnemonic.startswith(SCALARS):
            return False
        return synchronization(line, self.family) is None

    def _dual(self, line: AssemblyLine, state: KernelState) -> None:
        """Execute the two halves of a dual instruction: both read before either writes."""
        state.program.step(line, self.kernel)
        if number(state.registers.named("exec_lo")) == 0:
            return
        halves = []
        for half in line.text.split("::"):
            mnemonic, _, rest = half.strip().partition(" ")
            operands, bits = split_operands(rest)
            halves.append(replace(line, mnemonic=mnemonic, operands=operands, bits=bits, rest=rest))
        self._compute(line, halves, state)

    # ------------------------------------------------------------ lanes

    def _lanes(self, line: AssemblyLine, state: KernelState) -> list[int]:
        """Return the lanes for which an instruction is executed: scalar ones once, for the first."""
        executing = number(state.registers.named("exec_lo"))
        if line.mnemonic.startswith("s_") or executing is None:
            return [0]
        return [lane for lane in range(state.registers.lanes) if executing >> lane & 1]

    def _absent(self, line: AssemblyLine, state: KernelState) -> list[int]:
        """Return lanes that there are not, of which registers are kept, where a whole register goes to private memory,
        or comes from there: they hold scalar registers."""
        registers = state.registers
        if not registers.whole or not re.match(r"(scratch|buffer)_(load|store)_", line.mnemonic):
            return []
        found = {int(lane) for name in registers.values if (lane := name.partition(" of lane ")[2])}
        found.update(byte >> LANE_SHIFT for byte in state.private)
        return sorted(lane for lane in found if lane >= registers.lanes)

    def _in_lane(self, registers: Registers, lane: int, done: Callable[[], Found]) -> Found:
        """Return what is found where registers are those of a lane."""
        registers.lane = lane
        try:
            return done()
        finally:
            registers.lane = 0

    def _compute(self, line: AssemblyLine, parts: Sequence[AssemblyLine], state: KernelState) -> None:
        """Execute what computes: all parts of an instruction read before any writes, in all lanes."""
        registers, lanes = state.registers, self._lanes(line, state)
        writes: list[tuple[int, Write]] = []
        for part in parts:
            for lane in lanes:
                found = self._in_lane(registers, lane, partial(arithmetic, registers, part))
                if found is None:
                    raise OperandError(f"unknown instruction '{part.mnemonic}'")
                writes += [(lane, write) for write in found]
        masks: dict[str, dict[int, Expr]] = {}
        for lane, (place, value, bits) in writes:
            if place == "scc":
                registers.values["scc"] = value
            elif bits == 1:
                masks.setdefault(place, {})[lane] = value
            else:
                self._in_lane(registers, lane, partial(registers.put, place, value, bits))
        for place, truths in masks.items():
            registers.put_mask(place, [truths.get(lane, Constant(0)) for lane in range(registers.lanes)])

    def _move(self, line: AssemblyLine, state: KernelState, moved: Sequence[Moved]) -> None:
        """Execute what moves values between lanes, LDS's hardware counting what it does."""
        for lane, place, value, bits in moved:
            self._in_lane(state.registers, lane or 0, partial(state.registers.put, place, value, bits))
        if line.mnemonic.startswith("ds_"):
            self.moved(line, state)

    def _access_all(
        self, line: AssemblyLine, state: KernelState, accesses: Sequence[tuple[int, AddressAccess]]
    ) -> None:
        """Do what the lanes access. Lanes that load from one place have one value; what others do to one place they do
        in every order, where it is one for certain."""
        registers, done = state.registers, dict[object, Expr | None]()
        crowds = {number_: each for each in self._crowds(accesses, state) for number_ in each.members}
        reached: list[tuple[tuple[int, ...], AddressAccess, Sequence[KernelStep]]] = []
        keys: list[object] = []
        for number_, (lane, each) in enumerate(accesses):
            crowd = crowds.get(number_)
            transfer = each if crowd is None else crowd.turns[number_]
            shared = transfer.action == "load" and not _alone(transfer, lane)
            keys.append((transfer.address, transfer.bits) if shared else number_)
            if keys[-1] not in done:
                before = len(self.steps)
                access = partial(self.access, line, transfer, state, counted=not number_)
                done[keys[-1]] = self._in_lane(registers, lane, access)
                if crowd is not None and number_ == crowd.members[0]:
                    self.steps[before] = replace(self.steps[before], decides=crowd.decision)
                reached.append(((lane,) if crowd is None else crowd.lanes, transfer, self.steps[before:]))
        for number_, (lane, transfer) in enumerate(accesses):
            result = crowds[number_].result(number_, done) if number_ in crowds else done[keys[number_]]
            if result is not None and transfer.destination:
                self._in_lane(registers, lane, partial(self.deliver, transfer, result, registers))
        for (one, a, these), (other, b, those) in combinations(reached, 2):
            together = one == other and (len(one) == 1 or a.address == b.address)
            if not together and not whichever(a, b) and not _apart(a, b) and _meet(these, those):
                self._meeting(line, state, a, b)

    def _crowds(self, accesses: Sequence[tuple[int, AddressAccess]], state: KernelState) -> Iterator[Crowd]:
        """Yield the lanes that write at one address each, where somebody may see who is first."""
        found: dict[tuple[Expr, int], list[int]] = {}
        for number_, (lane, transfer) in enumerate(accesses):
            address = self.settled_address(transfer, state.registers)
            if transfer.action != "load" and not self._own(transfer, address, lane):
                found.setdefault((address, transfer.bits), []).append(number_)
        for members in found.values():
            if crowded(members, accesses):
                made = crowd(members, accesses, (len(self.choices), state.guard), self.places.decided())
                self.choices.append(made.choice)
                yield made

    def _own(self, transfer: AddressAccess, address: Expr, lane: int) -> bool:
        """Say whether an access is none to a location of the test."""
        value, size = number(address), transfer.bits // 8
        if transfer.memory == "private" or value is None:
            return transfer.memory == "private"
        place = self.places.place(without_lane(value, lane), transfer.memory, size)
        return place is None or bool(place.region)

    def _meeting(self, line: AssemblyLine, state: KernelState, one: AddressAccess, other: AddressAccess) -> None:
        """Leave out the executions in which two lanes access one place. Raises OperandError if memory decides none."""
        message = "two lanes access one place at once, and one of them writes: who is first is not known"
        bits = 32 if one.memory == "lds" else 64
        first, second = (state.registers.settled(each.address, bits) for each in (one, other))
        behind = computed("ult", 1, computed("sub", bits, second, first), Constant(one.bits // 8))
        before = computed("ult", 1, computed("sub", bits, first, second), Constant(other.bits // 8))
        meet = apply("or", 1, behind, before)
        if number(meet) is not None:
            raise OperandError(message)
        choice = Choice(len(self.choices), state.guard, meet, (0, 1))
        self.choices.append(choice)
        guard = (*state.guard, (choice.index, 1))
        self.beyond.append(Unfollowed(guard, f"at {self.listing.source.name}:{line.span.line} {message}"))
        self.requires.append(Require(guard, Constant(0)))


def _apart(one: AddressAccess, other: AddressAccess) -> bool:
    """Say whether two accesses are at addresses that are never one place, whatever they depend on."""
    (base, offset), (other_base, other_offset) = (_moved(each.address, each.memory) for each in (one, other))
    wide = 1 << (32 if one.memory == "lds" else 64)
    behind = (other_offset - offset) % wide
    return base == other_base and one.bits // 8 <= behind <= wide - other.bits // 8


def _moved(address: Expr, memory: str) -> tuple[Expr, int]:
    """Return an address as another value and a constant that is added to it."""
    if not isinstance(address, Apply) or len(address.arguments) != 2:
        return address, 0
    by = number(address.arguments[1])
    if by is None or address.bits != (32 if memory == "lds" else 64):
        return address, 0
    base, offset = _moved(address.arguments[0], memory)
    if address.operation == "add":
        return base, offset + by
    if address.operation == "shl":
        return computed("shl", address.bits, base, Constant(by)), offset << by
    return address, 0


def _alone(transfer: AddressAccess, lane: int) -> bool:
    """Say whether an access is one of private memory, which each lane has of its own."""
    address = number(transfer.address)
    if transfer.memory == "private" or address is None:
        return True
    return without_lane(address, lane) // REGION * REGION == PRIVATE_APERTURE


def _meet(steps: Sequence[KernelStep], others: Sequence[KernelStep]) -> bool:
    """Say whether two lanes access a cell, and one of them writes it."""

    def cells(found: Sequence[KernelStep], *, written: bool) -> set[int]:
        places = [f for step in found for f in step.footprints]
        return {cell for f in places for cell, _ in (f.writes if written else (*f.reads, *f.writes)) if cell >= 0}

    every = cells(steps, written=False), cells(others, written=False)
    return bool(every[0] & cells(others, written=True) or every[1] & cells(steps, written=True))
