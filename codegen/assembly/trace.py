"""What a kernel does to memory: its instructions executed symbolically, by the lanes of one wave together.

What goes in: the lines of a kernel, and the memory of the test. What comes out: `KernelStep`s in program order, each
with the guard under which it is executed, and what the kernel leaves in its result buffer. Both ways of a branch that
depends on memory are followed, each to the end; so are both values of a lane's bit of exec, so that it is always known
which lanes execute. An iteration that changes nothing is left out (`loops`); of others that depend on memory so many
are followed as a bound says, and `beyond` says that there may be more. Executions that are not followed have a
requirement that none meets. Invariant: an instruction that is not known, or an address that depends on something
unknown, is an error at its line.
"""

from __future__ import annotations

import re
from typing import Any

from axmem.codegen.assembly.calls import CALLS, JUMPS, line_at, place_of
from axmem.codegen.assembly.check import Executed
from axmem.codegen.assembly.entry import registers_of, says_arguments
from axmem.codegen.assembly.executing import Execution
from axmem.codegen.assembly.floats import refused
from axmem.codegen.assembly.loops import (
    LoopAgain,
    LoopTrial,
    conjunction,
    differing,
    headers,
    made_unknown,
    silent,
    unchanged,
    updating,
)
from axmem.codegen.assembly.places import TestMemory
from axmem.codegen.assembly.registers import CarriedValue, OperandError, Registers, Touched
from axmem.codegen.assembly.state import Entered, Given, KernelState, PathEnded, Results
from axmem.codegen.assembly.text import AssemblyKernel, AssemblyLine, AssemblyListing
from axmem.codegen.assembly.values import computed, number, with_truths
from axmem.codegen.machine.program import Unfollowed, together
from axmem.codegen.tables import TargetFamily
from axmem.events.graph import Choice, Guard, Require
from axmem.events.values import UNDEF, Apply, Constant, Expr, Pick, apply
from axmem.front.source import Diagnostic, InputError, Span
from axmem.litmus.arithmetic import DEFINED
from axmem.litmus.syntax import AddressOf, Number, PassedStructure

_BRANCH = re.compile(r"s_cbranch_(scc|vcc|exec)(0|1|z|nz)$")
ENDS = ("s_endpgm", "s_trap")
"""Mnemonics of instructions behind which a wave executes nothing; of one that is trapped nothing is known, unless
the model promises nothing."""
LIMIT = 4096
"""How many instructions a path may have: a kernel that has more than that on one path loops for ever."""


class KernelTrace(Execution):
    """The execution of a kernel by one wave."""

    def __init__(
        self,
        listing: AssemblyListing,
        kernel: AssemblyKernel,
        family: TargetFamily,
        places: TestMemory,
        choices: list[Choice],
        *,
        bound: int,
        near: dict[int, int],
    ) -> None:
        super().__init__(listing, kernel, family, places, choices)
        self.bound = bound
        self.near = near
        self.headers = headers(kernel)
        self.loops: dict[int, LoopTrial] = {}
        """What is known of the loops, by the indices of their heads."""
        self.waits: list[tuple[Guard, frozenset[int], Span]] = []
        """Iterations that change nothing: where a loop goes round once more, numbers of steps, and its first line."""
        self.arrivals: list[tuple[int, Entered]] = []
        """Each time that a path comes to the head of a loop: its index, and what there was."""
        self.jumped: dict[int, set[int]] = {}
        """Where each call and return went on."""
        self.touched: dict[int, Touched] = {}
        """Of each line that was executed the registers that it reads and writes."""

    def run(self, executed: Executed) -> Results:
        """Execute the kernel as a wave; return what it leaves in the result buffer."""
        self.given = self._given(executed)
        self.launch = executed.launch
        self.described = says_arguments(self.listing, self.kernel.name)
        if executed.lds:
            self.places.lds = {executed.lds: 0}
        segment, _ = self.listing.facts.get((self.kernel.name, ".amdhsa_user_sgpr_private_segment_buffer"), ("1", None))
        registers = Registers(
            self.places.widths, self.unknown, keeps=self.family.keeps, refused=self._refused(), segment=segment == "1",
            lanes=max(1, len(executed.ids)), near=self.near,
        )  # fmt: skip
        every = (1 << registers.lanes) - 1
        registers.values.update({"exec_lo": Constant(every), "exec_hi": Constant(0), "vcc_hi": Constant(0)})
        registers.values |= registers_of(self.listing, executed, self.family)
        registers.values["v0"] = Constant(executed.wave * self.family.wave)
        for registers.lane, ids in enumerate(executed.ids):
            registers.values[registers.own("v0")] = Constant(ids["workitem.id"])
        registers.lane = 0
        return self._from(0, KernelState(registers))

    def _given(self, executed: Executed) -> tuple[Given | None, ...]:
        """Return what the call gives the kernel. Raises InputError for what is no address and no number."""
        given: list[Given | None] = []
        for argument in executed.arguments:
            if argument is not None and not isinstance(argument, AddressOf | Number | PassedStructure):
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
            undecided = number(state.registers.values["exec_lo"]) is None  # of another lane than the one just decided
            if undecided and (open_ := self._executing(state)) is not None:
                return self._forked(line, open_, state, (index, index))
            if index in self.headers:
                if index not in state.entered:
                    return self._trial(index, state)
                if not self._goes_on(index, state):
                    return state.out
            touched = self.touched.setdefault(index, Touched())
            if line.mnemonic in ENDS:
                if line.mnemonic == "s_trap":
                    reason = f"at {self._where(index)} a wave is trapped, and what the program may do then is not known"
                    self.beyond.append(Unfollowed(state.guard, reason))
                return state.out
            state.registers.touched.clear()
            try:
                if line.mnemonic in JUMPS:
                    index = self._jump(index, line, state)
                    touched.add(state.registers.touched)
                    continue
                if line.mnemonic.startswith(("s_branch", "s_cbranch")):
                    condition = state.registers.settled(self._condition(line, state), 1)
                    touched.add(state.registers.touched)
                    target = self._target(line)
                    known = self._known(condition, state)
                    if known is None:
                        return self._forked(line, condition, state, (index + 1, target))
                    index = target if known else index + 1
                    continue
                self.execute(line, state)
                touched.add(state.registers.touched)
                if (open_ := self._executing(state)) is not None:
                    return self._forked(line, open_, state, (index + 1, index + 1))
            except OperandError as error:
                raise self.fail(line, str(error)) from None
            except PathEnded:
                return state.out
            index += 1
        raise self.fail(lines[-1], "the kernel goes on past its end", "a kernel ends with s_endpgm")

    def _executing(self, state: KernelState) -> Expr | None:
        """Settle which lanes execute, as far as that is known; return what decides it of a lane of which it is not."""
        registers = state.registers
        if "exec_lo" in registers.touched.written:
            every = number(registers.values["exec_lo"])
            registers.whole = every is not None and every >> registers.lanes != 0
        settled = [registers.settled(truth, 1) for truth in registers.masks("exec")]
        known = [self._known(truth, state) for truth in settled]
        truths = [t if k is None else Constant(k) for t, k in zip(settled, known, strict=True)]
        registers.put_mask("exec", truths)
        return next((t for t, k in zip(settled, known, strict=True) if k is None), None)

    def _target(self, line: AssemblyLine) -> int:
        if line.target in self.kernel.labels:
            return self.kernel.labels[line.target]
        raise OperandError(f"there is no label '{line.target}' in this kernel")

    def _jump(self, index: int, line: AssemblyLine, state: KernelState) -> int:
        """Return the line that a call, or a return, goes on at; of a call the line behind it stays in a register."""
        registers, calls = state.registers, line.mnemonic in CALLS
        place = line.operands[-1]
        if line.mnemonic.startswith("s_call"):
            goal = self._target(line)
        else:
            goal = line_at(self.kernel, registers.value(place, 64), line)
        if calls:
            registers.put(line.operands[0], Constant(place_of(index + 1)), 64)
            own = {k for k in state.entered if k >= goal}
            state.entered = {k: each for k, each in state.entered.items() if k not in own}
        self.jumped.setdefault(index, set()).add(goal)
        return goal

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
            ends.append(self._from(target, inner))
        undefined = Constant(UNDEF)
        merged: dict[int, Expr] = {}
        for byte in sorted({byte for end in ends for byte in end}):
            arms = tuple(end.get(byte, undefined) for end in ends)
            merged[byte] = arms[0] if arms[0] == arms[1] else Pick(choice.index, arms)
        return merged

    def _settle(self, state: KernelState) -> None:
        """Give truth values in registers and private memory their numbers, where the path has decided them: in masks,
        and in what a lane has counted of others."""
        held: tuple[dict[str, Expr] | dict[int, Expr], ...] = (state.registers.values, state.private)
        for values in held:
            for name, value in values.items():
                if isinstance(value, Apply):
                    values[name] = with_truths(value, lambda part: self._known(part, state))  # type: ignore[index]

    # ------------------------------------------------------------ loops

    def _trial(self, index: int, state: KernelState) -> Results:
        """Follow a loop from its head, and again until it is known what its iterations leave different and read."""
        known = self.loops.setdefault(index, LoopTrial())
        kept = [(made, len(made)) for made in self._made]
        while True:
            tried = state.fork(state.guard, Constant(1), 1)
            unknown = known.unknown
            made_unknown(tried, unknown)
            tried.entered[index] = self._entered(tried, 1)
            self.arrivals.append((index, tried.entered[index]))
            tried.arrived = True
            try:
                return self._from(index, tried)
            except LoopAgain as again:
                if again.header != index:
                    raise
                known.different |= again.registers
            except CarriedValue as carried:
                read = carried.registers & unknown
                if not read:
                    raise
                known.read |= read
            for made, count in kept:
                del made[count:]

    @property
    def _made(self) -> tuple[list[Any], ...]:
        """What an execution makes, and another trial makes again."""
        return self.steps, self.choices, self.requires, self.beyond, self.waits, self.arrivals

    def _entered(self, state: KernelState, count: int) -> Entered:
        return Entered(dict(state.registers.values), dict(state.private), state.guard, len(self.steps), count)

    def _goes_on(self, index: int, state: KernelState) -> bool:
        """Say whether a path that is at the head of a loop is to be followed further. Raises LoopAgain, CarriedValue.

        It is not where the last iteration has changed nothing.
        """
        if state.arrived:
            state.arrived = False
            return True
        before, known = state.entered[index], self.loops[index]
        left = differing(before, state)
        if not left <= known.different:
            raise LoopAgain(index, left)
        if state.guard != before.guard:
            changed = self._changed(before, state, left & known.read)
            value = self._known(changed, state)
            if value != 1:
                self._silent(index, before, state, changed if value is None else None)
            if value == 0:
                return False
        # What constants decide does not count.
        count = before.count + (before.guard != state.guard)
        made_unknown(state, known.unknown)
        state.entered[index] = self._entered(state, count)
        if count > self.bound:
            reason = f"the loop at {self._where(index)} is followed for {self.bound} iterations"
            self.beyond.append(Unfollowed(state.guard, reason))
            self.requires.append(Require(state.guard, Constant(0)))
            return False
        self.arrivals.append((index, state.entered[index]))
        return True

    def _changed(self, before: Entered, state: KernelState, read: frozenset[str]) -> Expr:
        """Return whether an iteration has changed memory, or registers that are read; what is undef may have."""
        memory = silent(self.steps[before.steps :], state, lambda truth: self._known(truth, state))
        if memory is None:
            return Constant(1)
        same = conjunction((memory, unchanged(before, state, read)))
        if state.registers.unknown_in(same):
            return Constant(1)
        return apply(DEFINED, 1, computed("xor", 1, same, Constant(1)), Constant(1))

    def _silent(self, index: int, before: Entered, state: KernelState, changed: Expr | None) -> None:
        """Leave out the executions of a path in which its last iteration has changed nothing: all, or as a truth value
        decides."""
        guard = state.guard
        if changed is not None:
            choice = Choice(len(self.choices), guard, changed, (0, 1))
            self.choices.append(choice)
            guard = (*state.guard, (choice.index, 0))
            state.guard = (*state.guard, (choice.index, 1))
            state.facts[changed] = 1
        self.requires.append(Require(guard, Constant(0)))
        inside = [k for k in range(before.steps, len(self.steps)) if together(self.steps[k].guard, guard)]
        self.waits.append((guard, frozenset(inside), self.kernel.lines[index].span))
        updates = frozenset(k for k in inside if updating(self.steps[k], lambda truth: self._known(truth, state)))
        if updates:
            reason = f"the loop at {self._where(index)} goes round with an update that may change something"
            self.beyond.append(Unfollowed(guard, reason, updates=updates))

    def _where(self, index: int) -> str:
        """Return where a line is, for messages."""
        return f"{self.listing.source.name}:{self.kernel.lines[index].span.line}"
