"""What scalar registers hold of addresses: where a computed jump may go.

What goes in: the code, the blocks of a function, what may follow what. What comes out: the values that a register may
have at a line: numbers, and symbols of other functions. A value is followed back to where the program counter is taken,
and constants and labels are added; a register that rests on itself, in a loop or behind a call, has whatever comes
around, up to `MOST` values. Invariant: what is not known is None, never left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from axmem.codegen.assembly.code import Code
from axmem.codegen.assembly.operands import named

Values: TypeAlias = "frozenset[int | str] | None"
"""What the low half of an address may be: numbers, and symbols of other functions; None if that is not known."""
_LABELS = re.compile(r"\(?([\w.$]+)-([\w.$]+)\)?(&4294967295)?$")
_FUNCTION = re.compile(r"([A-Za-z_.$][\w.$]*)@\w*rel(32|64)?(@lo)?([+-]\d+)?$")
_ADDED = re.compile(r"s_(add|sub)(k)?_(co_|nc_)?[ui](32|64)$")
MOST = 64
"""How many values a register may have, and so how many goals a jump."""
CALLS = ("s_swappc", "s_swap_pc", "s_call_b64")
RETURN = "behind the call"
"""What the link of a call holds, as a value."""


class AddressValues:
    """The values of registers of one function, from its first line on."""

    def __init__(self, code: Code, start: int) -> None:
        self.code = code
        self.start = start
        self.ends: Mapping[int, int] = {}
        self.after: Mapping[int, tuple[int, ...]] = {}
        self.held: dict[str, dict[int, Values]] = {}
        self.made: dict[tuple[str, int], Values] = {}
        self.open: dict[str, dict[int, Values]] = {}
        """What is known so far of registers that are being followed, and `rests` which of them was asked for."""
        self.rests: set[str] = set()

    def follow(self, ends: Mapping[int, int], after: Mapping[int, tuple[int, ...]]) -> None:
        """Forget what was known, and take the blocks and what may follow them as they are now."""
        self.ends, self.after = ends, after
        self.held.clear()
        self.made.clear()

    def value(self, register: str, start: int, line: int) -> Values:
        """Return what a register may hold before a line of a block."""
        maker = self._maker(register, start, line)
        if maker is not None:
            return self._written(register, start, maker)
        if register in self.open:
            self.rests.add(register)
            return self.open[register].get(start, frozenset())
        if register in self.held:
            return self.held[register].get(start, frozenset())
        outer, self.rests = self.rests, set()
        found = self._fixpoint(register)
        if not self.rests:
            self.held[register] = found
        self.rests |= outer
        return found.get(start, frozenset())

    def _fixpoint(self, register: str) -> dict[int, Values]:
        """Return what a register may hold where each block begins; what is open is taken as far as it is known."""
        makers = {start: self._maker(register, start, end) for start, end in self.ends.items()}
        held: dict[int, Values] = {self.start: None}
        self.open[register] = held
        made: dict[int, Values] = {}
        again: dict[int, None] = {}
        rests: set[str] = set()
        left = [self.start, *(start for start, maker in makers.items() if maker is not None)]
        while left:
            start = left.pop()
            maker = makers.get(start)
            if maker is not None and start not in made:
                self.rests = set()
                value = self._written(register, start, maker)
                rests |= self.rests
                if self.rests:
                    again[start] = None
                else:
                    made[start] = value
            else:
                value = held.get(start, frozenset()) if maker is None else made[start]
            for later in self.after.get(start, ()):
                old = held.get(later, frozenset())
                new = None if old is None or value is None or len(old | value) > MOST else old | value
                if new != old:
                    held[later] = new
                    left += [later, *again]
        del self.open[register]
        self.rests = rests - {register}
        return held

    def _maker(self, register: str, start: int, end: int) -> int | None:
        """Return the last line of a part of a block that writes a register."""
        touched = self.code.touched
        return next((k for k in range(end - 1, start - 1, -1) if register in touched[k].written), None)

    def _written(self, register: str, start: int, index: int) -> Values:
        """Return what an instruction of a block writes to a register; once, unless that rests on what is open."""
        key = register, index
        if key in self.made:
            return self.made[key]
        outer, self.rests = self.rests, set()
        value = self._made(register, start, index)
        if not self.rests:
            self.made[key] = value
        self.rests |= outer
        return value

    def _made(self, register: str, start: int, index: int) -> Values:
        """Return what an instruction of a block writes to a register."""
        line = self.code.lines[index]
        name, operands = line.mnemonic, line.operands
        if register not in named(operands[0])[:1]:
            return None
        if name.startswith(CALLS):
            return frozenset({RETURN})
        if name.startswith(("s_getpc", "s_get_pc")):
            return frozenset({self.code.addresses[index + 1]}) if index not in self.code.last else None
        if name in ("s_mov_b32", "s_mov_b64"):
            return self._operand(operands[1], start, index)
        if name in ("s_load_dwordx2", "s_load_b64"):  # of the address of a function, out of the global offset table
            value = self._operand(operands[1], start, index)
            return None if value is None or not all(isinstance(each, str) for each in value) else value
        if name == "s_cselect_b32":
            values = [self._operand(each, start, index) for each in operands[1:3]]
            return None if None in values else frozenset().union(*(v or () for v in values))
        if name == "s_abs_i32":  # of an offset whose sign the path depends on: the other way is not taken
            value = self._operand(operands[1], start, index)
            return value and frozenset(-v & _WORD for v in value if isinstance(v, int) and v & _SIGN)
        match = _ADDED.match(name)
        if not match:
            return None
        one, two = operands[0 if match[2] else 1], operands[1 if match[2] else 2]
        if line.relocation:
            two = line.relocation
        first, second = self._operand(one, start, index), self._operand(two, start, index)
        if first is None or second is None:
            return None
        return frozenset(_sum(a, b, -1 if match[1] == "sub" else 1) for a in first for b in second)

    def _operand(self, operand: str, start: int, index: int) -> Values:
        """Return what a source operand is: a register, a number, a label or the distance of two, a function."""
        registers = named(operand)
        if registers:
            return self.value(registers[0], start, index)
        number = re.fullmatch(r"(?:lit(?:64)?\()?(-?(?:0x[0-9a-fA-F]+|\d+))\)?", operand)
        if number:
            return frozenset({int(number[1], 0) & _WORD})
        labels, addresses = self.code.labels, self.code.addresses
        match = _LABELS.match(operand)
        if match and match[1] in labels and match[2] in labels:
            return frozenset({(addresses[labels[match[1]]] - addresses[labels[match[2]]]) & _WORD})
        if operand in labels:  # a literal is relative to where it lies, four bytes behind the instruction's beginning
            return frozenset({(addresses[labels[operand]] - addresses[index] - 4) & _WORD})
        match = _FUNCTION.match(operand)
        return frozenset({match[1]}) if match else None


_WORD, _SIGN = 0xFFFFFFFF, 0x80000000


def _sum(one: int | str, other: int | str, sign: int) -> int | str:
    """Return the sum of two numbers; the address of a function is that, whatever is added to it."""
    if isinstance(one, int) and isinstance(other, int):
        return (one + sign * other) & _WORD
    return one if isinstance(one, str) else other
