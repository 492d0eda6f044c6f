"""What a kernel does to memory: its instructions executed symbolically, with one lane.

What goes in: the lines of a kernel, and the memory of the test. What comes out: `KernelStep`s in program order, each
with the guard under which it is executed, and what the kernel leaves in its result buffer. Both ways of a branch that
depends on memory are followed, each to the end. Of a loop that only waits the last iteration alone is followed
(`loops`); another that depends on memory is, up to a bound, and `beyond` says that it may go on. Executions that are
not followed have a requirement that none meets. Invariant: an instruction that is not known, or an address that depends
on something unknown, is an error at its line.
"""

from __future__ import annotations

import re

from axmem.codegen.assembly.accesses import Accesses, Entered, Given, KernelState, KernelStep, Results
from axmem.codegen.assembly.arithmetic import Write
from axmem.codegen.assembly.check import Executed, workgroup_places
from axmem.codegen.assembly.floats import changes_mode, refused
from axmem.codegen.assembly.loops import LoopAgain, differing, headers, made_unknown, only_waits
from axmem.codegen.assembly.memory import transfers
from axmem.codegen.assembly.parts import arithmetic
from axmem.codegen.assembly.places import TestMemory
from axmem.codegen.assembly.registers import CarriedValue, OperandError, Registers, Touched
from axmem.codegen.assembly.symbols import relocated, substituted
from axmem.codegen.assembly.text import AssemblyKernel, AssemblyLine, AssemblyListing, split_operands
from axmem.codegen.assembly.values import computed, number
from axmem.codegen.assembly.waits import HARMLESS, limits_of, synchronization
from axmem.codegen.instructions import InstructionKind
from axmem.codegen.machine.program import Unfollowed
from axmem.codegen.tables import TargetFamily
from axmem.events.graph import Choice, Require
from axmem.events.values import UNDEF, Apply, Constant, Expr, Pick
from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError
from axmem.litmus.syntax import AddressOf, Number

_BRANCH = re.compile(r"s_cbranch_(scc|vcc|exec)(0|1|z|nz)$")
_MODE = re.compile(r"s_setreg(_imm32)?_b32$")
_CLUSTERED = re.compile(r"s_getreg_b32 \w+, hwreg\(HW_REG_IB_STS2, 6, 4\)")
"""Where gfx1250 says how large the clusters of a launch are: 0, as a kernel of a test has none."""
LIMIT = 4096
"""How many instructions a path may have: a kernel that has more than that on one path loops for ever."""


class KernelTrace(Accesses):
    """The execution of one kernel."""

    def __init__(
        self,
        listing: AssemblyListing,
        kernel: AssemblyKernel,
        family: TargetFamily,
        places: TestMemory,
        choices: list[Choice],
        *,
        bound: int,
    ) -> None:
        super().__init__(listing, kernel, family, places, choices)
        self.bound = bound
        self.headers = headers(kernel)
        self.unrolled: set[int] = set()
        self.touched: dict[int, Touched] = {}
        """Of each line that was executed the registers that it reads and writes."""

    def run(self, executed: Executed) -> Results:
        """Execute the kernel as the first lane of a wave; return what it leaves in the result buffer."""
        self.given = self._given(executed)
        segment, _ = self.listing.facts.get((self.kernel.name, ".amdhsa_user_sgpr_private_segment_buffer"), ("1", None))
        registers = Registers(
            self.places.widths, self.unknown, keeps=self.family.keeps, refused=self._refused(), segment=segment == "1"
        )
        registers.values.update({"exec_lo": Constant(1), "exec_hi": Constant(0), "vcc_hi": Constant(0)})
        registers.values["v0"] = Constant(executed.wave * self.family.wave)
        if executed.ids is not None:
            registers.values["v0"] = Constant(executed.ids["workitem.id"])
            for place in workgroup_places(self.listing, self.kernel, self.family):
                registers.values[place] = Constant(executed.ids["workgroup.id"])
        return self._from(0, KernelState(registers))

    def _given(self, executed: Executed) -> tuple[Given | None, ...]:
        """Return what the call gives the kernel. Raises InputError for what is no address and no number."""
        given: list[Given | None] = []
        for argument in executed.arguments:
            if argument is not None and not isinstance(argument, AddressOf | Number):
                message = f"kernel '{self.kernel.name}' is given what is no address of a location and no number"
                raise InputError([Diagnostic(self.places.test.source, argument.span, message)])
            given.append(argument)
        return tuple(given)

    def _refused(self) -> str:
        """Return why numbers of floating point are not computed, if they are not."""
        if not self.family.floats:
            return f"arithmetic of floating point is not known of {self.family.name}"
        return refused(self.listing, self.kernel)

    def fail(self, line: AssemblyLine, message: str, hint: str = "") -> InputError:
        """Return the error that a line is."""
        return InputError([Diagnostic(self.listing.source, line.span, message, hint)])

    # ------------------------------------------------------------ control

    def _from(self, index: int, state: KernelState) -> Results:
        lines = self.kernel.lines
        while index < len(lines):
            line = lines[index]
            state.executed += 1
            if state.executed > LIMIT:
                raise self.fail(line, "this loop does not end")
            if index in self.headers:
                if index not in state.entered and index not in self.unrolled:
                    return self._waiting(index, state)
                if not self._goes_on(index, state):
                    return state.out
            touched = self.touched.setdefault(index, Touched())
            if line.mnemonic == "s_endpgm":
                return state.out
            state.registers.touched.clear()
            try:
                if line.mnemonic.startswith(("s_branch", "s_cbranch")):
                    condition = state.registers.settled(self._condition(line, state), 1)
                    touched.add(state.registers.touched)
                    target = self._target(line)
                    known = self._known(condition, state)
                    if known is None:
                        return self._forked(line, condition, state, (index + 1, target))
                    index = target if known else index + 1
                    continue
                self._execute(line, state)
                touched.add(state.registers.touched)
                executes = state.registers.settled(state.registers.mask("exec"), 1)
                known = self._known(executes, state)
                if known is None:
                    return self._forked(line, executes, state, (index + 1, index + 1), execute=True)
                state.registers.put_mask("exec", Constant(known))
            except OperandError as error:
                raise self.fail(line, str(error)) from None
            index += 1
        raise self.fail(lines[-1], "the kernel goes on past its end", "a kernel ends with s_endpgm")

    def _target(self, line: AssemblyLine) -> int:
        if line.target in self.kernel.labels:
            return self.kernel.labels[line.target]
        raise OperandError(f"there is no label '{line.target}' in this kernel")

    def _condition(self, line: AssemblyLine, state: KernelState) -> Expr:
        """Return the condition of a branch, as a truth value."""
        if line.mnemonic == "s_branch":
            return Constant(1)
        match = _BRANCH.match(line.mnemonic)
        if not match:
            raise OperandError(f"unknown branch '{line.mnemonic}'")
        if match[1] == "scc":
            return computed("eq", 1, state.registers.value("scc", 1), Constant(int(match[2])))
        wide = self._wide(state, match[1])
        mask = state.registers.value(match[1], 64) if wide else state.registers.named(f"{match[1]}_lo")
        return computed("ne" if match[2] == "nz" else "eq", 1, mask, Constant(0))

    def _wide(self, state: KernelState, name: str) -> bool:
        """Say whether the upper half of a lane mask is in use."""
        return number(state.registers.values.get(f"{name}_hi", Constant(0))) not in (0, None)

    def _known(self, condition: Expr, state: KernelState) -> int | None:
        """Return a condition's value where it does not depend on memory or this path has decided it before."""
        value = number(condition)
        if value is not None:
            return value & 1
        if condition in state.facts:
            return state.facts[condition]
        opposite = computed("eq", 1, condition, Constant(0))
        return 1 - state.facts[opposite] if opposite in state.facts else None

    def _forked(
        self,
        line: AssemblyLine,
        condition: Expr,
        state: KernelState,
        targets: tuple[int, int],
        *,
        execute: bool = False,
    ) -> Results:
        """Follow both ways; merge what they leave in the result buffer."""
        unknown = state.registers.unknown_in(condition)
        if unknown:
            raise self.fail(line, f"this branch depends on {unknown}, which the kernel did not set")
        choice = Choice(len(self.choices), state.guard, condition, (0, 1))
        self.choices.append(choice)
        ends = []
        for value, target in enumerate(targets):
            inner = state.fork((*state.guard, (choice.index, value)), condition, value)
            self._settle(inner)
            if execute:
                inner.registers.put_mask("exec", Constant(value))
            ends.append(self._from(target, inner))
        undefined = Constant(UNDEF)
        merged: dict[int, Expr] = {}
        for byte in sorted({byte for end in ends for byte in end}):
            arms = tuple(end.get(byte, undefined) for end in ends)
            merged[byte] = arms[0] if arms[0] == arms[1] else Pick(choice.index, arms)
        return merged

    def _settle(self, state: KernelState) -> None:
        """Give registers that hold a truth value its number, where the path has decided it."""
        for name, value in state.registers.values.items():
            truth = value.arguments[0] if isinstance(value, Apply) and value.operation == "zext" else value
            if isinstance(truth, Apply) and truth.bits == 1:
                known = self._known(truth, state)
                if known is not None:
                    state.registers.values[name] = Constant(known)

    # ------------------------------------------------------------ loops

    def _waiting(self, index: int, state: KernelState) -> Results:
        """Follow a loop as one that only waits, from its head; if it turns out not to, unroll it."""
        unknown: frozenset[str] = frozenset()
        kept = [(made, len(made)) for made in (self.steps, self.choices, self.requires, self.beyond)]
        while index not in self.unrolled:
            tried = state.fork(state.guard, Constant(1), 1)
            made_unknown(tried.registers, unknown)
            tried.entered[index] = self._entered(tried, 0, unknown)
            tried.arrived = True
            try:
                return self._from(index, tried)
            except LoopAgain as again:
                if again.header != index:
                    raise
                unknown |= again.registers
            except CarriedValue:
                self.unrolled.add(index)
            for made, count in kept:
                del made[count:]
        return self._from(index, state)

    def _entered(self, state: KernelState, count: int, unknown: frozenset[str] = frozenset()) -> Entered:
        values = dict(state.registers.values)
        return Entered(values, dict(state.private), state.guard, len(self.steps), count, unknown)

    def _goes_on(self, index: int, state: KernelState) -> bool:
        """Say whether a path that is at the head of a loop is to be followed further. Raises Again and Carried."""
        if state.arrived:
            state.arrived = False
            return True
        before = state.entered.get(index)
        if before is not None and not before.count:
            left = differing(before, state.registers)
            waits = only_waits(self.steps[before.steps :], state, lambda truth: self._known(truth, state))
            always = state.guard == before.guard  # constants decide, or nothing does
            if not waits or always or state.private != before.private:
                raise CarriedValue
            if not left <= before.unknown:
                raise LoopAgain(index, left)
            self.requires.append(Require(state.guard, Constant(0)))
            return False
        count = 0 if before is None else before.count
        if before is None or before.guard != state.guard:  # what constants decide does not count
            count += 1
        state.entered[index] = self._entered(state, count)
        if count > self.bound:
            line = self.kernel.lines[index]
            where = f"{self.listing.source.name}:{line.span.line}"
            reason = f"the loop at {where} is followed for {self.bound} iterations"
            self.beyond.append(Unfollowed(state.guard, reason))
            self.requires.append(Require(state.guard, Constant(0)))
        return count <= self.bound

    # ------------------------------------------------------------ instructions

    def _execute(self, line: AssemblyLine, state: KernelState) -> None:
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
        relocation = relocated(line, where, self.places)
        line = substituted(line, relocation)
        accesses = transfers(registers, line)
        if accesses is not None:
            for index, transfer in enumerate(accesses):
                self.access(line, transfer, state, counted=not index)
            return
        writes = arithmetic(registers, line)
        if writes is None:
            raise OperandError(f"unknown instruction '{line.mnemonic}'")
        self._put(registers, writes)

    def _idle(self, line: AssemblyLine, state: KernelState) -> bool:
        """Say whether the instruction works on lanes, of which none executes."""
        if number(state.registers.named("exec_lo")) != 0 or line.mnemonic.startswith(("s_", "v_readfirstlane")):
            return False
        return synchronization(line, self.family) is None

    def _dual(self, line: AssemblyLine, state: KernelState) -> None:
        """Execute the two halves of a dual instruction: both read before either writes."""
        state.program.step(line, self.kernel)
        if number(state.registers.named("exec_lo")) == 0:
            return
        writes: list[Write] = []
        for half in line.text.split("::"):
            mnemonic, _, rest = half.strip().partition(" ")
            operands, bits = split_operands(rest)
            part = replace(line, mnemonic=mnemonic, operands=operands, bits=bits, rest=rest)
            found = arithmetic(state.registers, part)
            if found is None:
                raise OperandError(f"unknown instruction '{mnemonic}'")
            writes += found
        self._put(state.registers, writes)

    def _put(self, registers: Registers, writes: list[Write]) -> None:
        for place, value, bits in writes:
            if place == "scc":
                registers.values["scc"] = value
            elif bits == 1:
                registers.put_mask(place, value)
            else:
                registers.put(place, value, bits)
