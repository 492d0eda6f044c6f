"""What may be left out of a program: a literal for each wait, invalidate, writeback, counter and bit.

What goes in: a layout, and whether anything may be left out. What comes out: conditions: that an element is there, that
an access goes past a level, that an invalidate drops a level, each as the elements left make it. Without literals every
element is there, and the conditions are constants.
"""

from __future__ import annotations

import re
from itertools import chain, combinations

from axmem.codegen.instructions import InstructionKind
from axmem.codegen.machine.families import Machine, machine_of
from axmem.codegen.machine.layout import ItemEffect, LayoutOperation, MachineLayout
from axmem.codegen.machine.mutants import elements
from axmem.codegen.machine.program import Invalidate, MachineInstruction, ProgramElement, Writeback
from axmem.encoder.circuit import FALSE, TRUE, Circuit

_BIT = re.compile(r"(?:glc|slc|dlc|sc0|sc1|nt|th:\w+|scope:\w+)$")
_WORD = {ItemEffect.LOAD: "load", ItemEffect.STORE: "store", ItemEffect.RMW: "rmw"}


class Elements:
    """The elements of one layout; `literals` has those that were asked about."""

    def __init__(self, layout: MachineLayout, circuit: Circuit, *, optional: bool) -> None:
        self.circuit = circuit
        self.machine: Machine = machine_of(layout.program.family)
        self.optional = frozenset(elements(layout.program)) if optional else frozenset()
        self.literals: dict[ProgramElement, int] = {}

    def _literal(self, element: ProgramElement) -> int:
        if element not in self.optional:
            return TRUE
        return self.literals.get(element) or self.literals.setdefault(element, self.circuit.variable())

    def whole(self, thread: int, instruction: MachineInstruction) -> int:
        """Return that an instruction is there; only invalidates and writebacks are left out as a whole."""
        if instruction.kind not in (InstructionKind.INVALIDATE, InstructionKind.WRITEBACK):
            return TRUE
        return self._literal(ProgramElement(thread, instruction.number))

    def part(self, thread: int, instruction: MachineInstruction, part: str) -> int:
        """Return that an instruction and a counter or bit of it are there."""
        own = self._literal(ProgramElement(thread, instruction.number, part)) if part in instruction.parts else TRUE
        return self.circuit.both(self.whole(thread, instruction), own)

    # ------------------------------------------------------------ what bits mean

    def beyond(self, op: LayoutOperation, level: int) -> int:
        """Return that the scope of an access or writeback is more than a level."""
        if op.does is ItemEffect.INV:
            return FALSE
        if not self.optional:
            return TRUE if op.scope > level else FALSE
        return self.circuit.disjunction([kept for kept, scope in self._scopes(op) if scope > level])

    def drops(self, op: LayoutOperation, level: int) -> int:
        """Return that an invalidate drops the lines of nodes of a level."""
        if not self.optional:
            return TRUE if op.low <= level < op.high else FALSE
        found = []
        for kept, bits in self._kept(op):
            levels = self.machine.invalidates.get(" ".join([op.instruction.mnemonic, *bits]))
            if levels is not None and levels[0] <= level < levels[1]:
                found.append(kept)
        return self.circuit.disjunction(found)

    def _scopes(self, op: LayoutOperation) -> list[tuple[int, int]]:
        found = []
        for kept, bits in self._kept(op):
            if op.does is ItemEffect.WB:
                scope = self.machine.writebacks.get(" ".join([op.instruction.mnemonic, *bits]))
            else:
                scope = self.machine.scope(_WORD[op.does], bits)
            # A combination that the table does not have is not an instruction: it keeps the scope it has with all bits.
            found.append((kept, op.scope if scope is None else scope))
        return found

    def _kept(self, op: LayoutOperation) -> list[tuple[int, tuple[str, ...]]]:
        """Return every set of bits that may be left of an instruction, with its condition."""
        instruction = op.instruction
        bits = tuple(word for word in instruction.text.split() if _BIT.match(word))
        if not isinstance(instruction.operation, Invalidate | Writeback) and op.entry < 0:
            return []
        optional = [bit for bit in bits if bit in instruction.parts]
        found = []
        for left_out in chain.from_iterable(combinations(optional, n) for n in range(len(optional) + 1)):
            literals = [-self.bit(op, bit) if bit in left_out else self.bit(op, bit) for bit in optional]
            found.append((self.circuit.conjunction(literals), tuple(bit for bit in bits if bit not in left_out)))
        return found

    def bit(self, op: LayoutOperation, bit: str) -> int:
        """Return that a bit of an access, invalidate or writeback is there."""
        return self._literal(ProgramElement(op.stream, op.instruction.number, bit))
