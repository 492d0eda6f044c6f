"""Functions without the branches that constants decide: a loop that is executed twice is a row of operations.

What goes in: a function. What comes out: a function of one block that does the same, operation by operation, or nothing
if a branch depends on what is read or given, or if it goes on for long. Addresses that are computed twice stand once.
"""

from __future__ import annotations

from itertools import count

from axmem.formats.ir.folding import value_of
from axmem.formats.ir.plain import SPACES
from axmem.formats.ir.renaming import with_values
from axmem.formats.ir.syntax import Function, Instruction, Value
from axmem.formats.ir.types import integer
from axmem.front.records import replace
from axmem.litmus.syntax import Number, Register
from axmem.passes.modules import with_body

MOST = 200
"""How many lines a function without branches may have, and how many blocks are executed."""
_ADDRESSES = ("getelementptr", "addrspacecast")
_FOLDED = ("add", "icmp")
"""What is computed of numbers alone; so loops count."""
_LARGE = 1 << 31


def straightened(function: Function) -> Function | None:
    """Return a function of one block that does the same; None if there is none that this finds."""
    if not function.blocks[0].name:
        return function
    lines = _Execution(function).lines()
    return None if lines is None else with_body(function, lines)


class _Execution:
    """Executes a function as far as constants go. `values` says what each name stands for now."""

    def __init__(self, function: Function) -> None:
        self.blocks = {block.name: block.instructions for block in function.blocks}
        self.values: dict[str, Value] = {}
        self.taken = {each.name for each in function.parameters}
        self.addresses: dict[Instruction, str] = {}
        self.casts: dict[str, int] = {}
        self.found: list[Instruction] = []

    def lines(self) -> list[Instruction] | None:
        """Return the lines that are executed, with names of their own."""
        block, before = next(iter(self.blocks)), ""
        for _ in range(MOST):
            *inside, last = self.blocks[block]
            phis = [each for each in inside if each.operation == "phi"]
            if not all(before in each.targets for each in phis):
                return None
            self.values |= {each.result: self._incoming(each, before) for each in phis}
            for each in inside[len(phis) :]:
                self._execute(with_values(each, self.values))
            last = with_values(last, self.values)
            if last.operation == "ret":
                return [*self.found, last]
            following = _next(last)
            if following not in self.blocks or len(self.found) > MOST:
                return None
            block, before = following, block
        return None

    def _incoming(self, phi: Instruction, before: str) -> Value:
        """Return the value of a phi if control comes from a block."""
        return with_values(phi, self.values).operands[phi.targets.index(before)].value

    def _execute(self, each: Instruction) -> None:
        if not each.result:
            self.found.append(each)
            return
        address = replace(each, result="") if each.operation in _ADDRESSES else None
        if (value := _constant(each) or self._space(each)) is not None:
            self.values[each.result] = value
        elif address in self.addresses:
            self.values[each.result] = Register(self.addresses[address])
        else:
            own = next(name for k in count() if (name := f"{each.result}.{k}" if k else each.result) not in self.taken)
            self.taken.add(own)
            if own != each.result:
                self.values[each.result] = Register(own)
            self.found.append(replace(each, result=own))
            if address is not None:
                self.addresses[address] = own
                self.casts[own] = each.operands[0].type.space if each.operation == "addrspacecast" else 0

    def _space(self, each: Instruction) -> Value | None:
        """Return whether a pointer that was cast from an address space is into that which is asked about."""
        asked = SPACES.get(each.callee)
        pointer = each.operands[0].value if asked else None
        space = self.casts.get(pointer.name, 0) if isinstance(pointer, Register) else 0
        return Number(int(space == asked)) if space else None


def _next(last: Instruction) -> str:
    """Return the block to which a branch goes; nothing if that is not known."""
    if last.operation != "br":
        return ""
    asked = last.operands[0].value if last.operands else Number(1)
    return last.targets[0 if asked.value & 1 else 1] if isinstance(asked, Number) else ""


def _constant(each: Instruction) -> Value | None:
    """Return the value of an instruction on small numbers."""
    if each.operation not in _FOLDED or each.operands[0].type != integer(32):
        return None
    value = value_of(each)
    numbers = [operand.value for operand in each.operands]
    return value if value is not None and all(map(_small, (*numbers, value))) else None


def _small(value: Value) -> bool:
    return isinstance(value, Number) and 0 <= value.value < _LARGE
