"""The registers of a wave.

What goes in: operands as the assembler spells them. What comes out: their values, and new values put in their place.
Each lane has vector registers of its own; lane masks (vcc, exec) have a bit for each, the first lane's in bit 0. What a
register holds at the start is unknown: a read with a negative number, whose name `unknown` tells; only what depends on
none may reach memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from axmem.codegen.assembly.bits import settled
from axmem.codegen.assembly.values import LDS_APERTURE, PRIVATE_APERTURE, computed, joined, number, sliced
from axmem.events.values import Constant, Expr, ReadOf, reads_of
from axmem.front.records import dataclass, field
from axmem.litmus.floats import bits_of

_PLAIN = re.compile(r"([sva])(\d+)$|ttmp(\d+)$")
_RANGE = re.compile(r"([sva]|ttmp)\[(\d+):(\d+)\]$")
_HALF = re.compile(r"(v\d+)\.([lh])$")
_NUMBER = re.compile(r"(?:lit(?:64)?\()?(-?(?:0x[0-9a-fA-F]+|\d+))\)?$")
_SIGN = re.compile(r"(-?)(\|?)([^|]+)(\|?)$")
_NAMED = {name: (f"{name}_lo", f"{name}_hi") for name in ("vcc", "exec", "flat_scratch", "xnack_mask")}
_SINGLE = frozenset({"vcc_lo", "vcc_hi", "exec_lo", "exec_hi", "m0", "scc", "flat_scratch_lo", "flat_scratch_hi",
                     "xnack_mask_lo", "xnack_mask_hi"})  # fmt: skip
_APERTURES = {"src_shared_base": LDS_APERTURE, "src_private_base": PRIVATE_APERTURE,
              "src_shared_base_lo": LDS_APERTURE, "src_private_base_lo": PRIVATE_APERTURE,
              "src_flat_scratch_base_lo": PRIVATE_APERTURE, "src_flat_scratch_base_hi": PRIVATE_APERTURE}  # fmt: skip
FLOATS = frozenset({"1.0", "-1.0", "0.5", "-0.5", "2.0", "-2.0", "4.0", "-4.0"})
"""Inline constants that the assembler spells as floating-point numbers, of as many bits as the operand has."""


HALF = 16
"""Bits of half a register."""

CARRIED = "what an earlier iteration left in "
"""What the name of an unknown value begins with that only a loop makes unknown."""


class CarriedValue(Exception):
    """A value is used that depends on what an earlier iteration left in these registers."""

    def __init__(self, registers: frozenset[str]) -> None:
        super().__init__(registers)
        self.registers = registers


class OperandError(Exception):
    """An operand that is not known, with the message for it."""


@dataclass(slots=True)
class Touched:
    """The 32-bit registers that an instruction reads and writes, and where its accesses went: `lds`, `global`.

    What loads one half writes that alone, `v0.l` or `v0.h`.
    """

    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    reached: set[str] = field(default_factory=set)

    def clear(self) -> None:
        """Forget them, before the next instruction."""
        self.read.clear()
        self.written.clear()
        self.reached.clear()

    def copy(self) -> Touched:
        """Return the same sets, to be changed on their own."""
        return Touched(set(self.read), set(self.written), set(self.reached))

    def add(self, other: Touched) -> None:
        """Add what another execution of the instruction touched."""
        self.read |= other.read
        self.written |= other.written
        self.reached |= other.reached


@dataclass(slots=True)
class Registers:
    """The values of registers by name. `widths` are the bits of reads, `unknown` names negative ones.

    Of the instruction being executed `bits` are the modifiers, and `given` the values of sources that are parts of
    registers, by the names that they have instead. `keeps` says that a result of 16 bits leaves the upper half of its
    register as it was, as since GFX10; before, it is 0. `refused` is why numbers of floating point are not computed, if
    they are not. With a `segment` the kernel begins with the descriptor of private memory in s[0:3]. `touched` are the
    registers that the instruction being executed reads and writes; `lane` is the one whose vector registers these are,
    of so many `lanes`. While the `whole` wave executes, so do lanes that there are not: their registers keep values.
    `near` has for each number of which an approximation is taken how far this is from the nearest one, in units of the
    last place.
    """

    widths: dict[int, int]
    unknown: list[str]
    values: dict[str, Expr] = field(default_factory=dict)
    bits: tuple[str, ...] = ()
    given: Mapping[str, Expr] = field(default_factory=dict)
    keeps: bool = True
    refused: str = ""
    segment: bool = True
    touched: Touched = field(default_factory=Touched)
    lanes: int = 1
    lane: int = 0
    whole: bool = False
    near: dict[int, int] = field(default_factory=dict)

    def copy(self) -> Registers:
        """Return registers that change on their own from here."""
        return Registers(
            self.widths, self.unknown, dict(self.values), keeps=self.keeps, refused=self.refused, segment=self.segment,
            lanes=self.lanes, whole=self.whole, near=self.near,
        )  # fmt: skip

    def own(self, name: str) -> str:
        """Return the name of the register of this name that the lane has: a vector register is each lane's own."""
        return f"{name} of lane {self.lane}" if self.lane and name[0] in "va" and name[1:].isdecimal() else name

    def named(self, name: str) -> Expr:
        """Return the value of one 32-bit register."""
        self.touched.read.add(name)
        name = self.own(name)
        if name not in self.values:
            self.values[name] = self.entry(name)
        return self.values[name]

    def entry(self, name: str) -> Expr:
        """Return the unknown value that a register has at the start; `entry_of` finds it again."""
        if name not in self.unknown:
            self.unknown.append(name)
        return ReadOf(-1 - self.unknown.index(name))

    def entry_of(self, expr: Expr) -> str:
        """Return the register whose value at the start this is, or nothing."""
        known = isinstance(expr, ReadOf) and expr.event < 0
        return self.unknown[-1 - expr.event] if known and isinstance(expr, ReadOf) else ""

    def settled(self, expr: Expr, bits: int) -> Expr:
        """Return a value without what is unknown, if the lowest `bits` do not depend on it."""
        return settled(expr, bits, self.widths)

    def unknown_in(self, expr: Expr) -> str:
        """Return the name of something unknown that a value is made of, or nothing. Raises Carried."""
        names = [self.unknown[-1 - read] for read in sorted(reads_of(expr)) if read < 0]
        carried = frozenset(name.removeprefix(CARRIED) for name in names if name.startswith(CARRIED))
        if carried:
            raise CarriedValue(carried)
        return next(iter(names), "")

    def private(self, words: Sequence[Expr]) -> bool:
        """Say whether a descriptor is that of private memory, perhaps moved to where the wave's begins."""
        names = [{self.unknown[-1 - read] for read in reads_of(word) if read < 0} for word in words]
        return self.segment and all(f"s{k}" in found for k, found in enumerate(names))

    # ------------------------------------------------ operands

    def value(self, operand: str, bits: int = 32) -> Expr:
        """Return the value of a source operand of so many bits. Raises OperandError."""
        if operand in self.given:
            return sliced(self.given[operand], 0, bits, self.widths)
        match = _NUMBER.match(operand)
        if match:
            return Constant(integer(match[1]) & (1 << bits) - 1)
        if operand in FLOATS and bits in (32, 64):
            return Constant(bits_of(float(operand), bits))
        if operand in ("null", "off"):
            return Constant(0)
        if operand in _APERTURES:
            return Constant(_APERTURES[operand] if bits == 64 else 0)
        half = _HALF.match(operand)
        if half:
            return sliced(self.named(half[1]), 16 * (half[2] == "h"), 16, self.widths)
        names = dwords(operand)
        if len(names) * 32 < bits:
            raise OperandError(f"'{operand}' has {len(names) * 32} bits, not {bits}")
        parts = tuple(self.named(name) for name in names[: max(1, bits // 32)])
        if bits < 32:
            return sliced(parts[0], 0, bits, self.widths)
        return parts[0] if len(parts) == 1 else joined(parts, (32,) * len(parts), self.widths)

    def put(self, operand: str, value: Expr, bits: int = 32) -> None:
        """Set a destination operand; a value of 16 bits for a whole register leaves its upper half as `keeps` says."""
        if operand in ("null", "off"):
            return
        half = _HALF.match(operand)
        if half:
            self._half(half[1], value, high=half[2] == "h")
            return
        names = dwords(operand)
        if bits == HALF and self.keeps:
            self._half(operand, value, high=False)
            return
        if len(names) * 32 < bits:
            raise OperandError(f"'{operand}' has {len(names) * 32} bits, not {bits}")
        for index in range(max(1, bits // 32)):
            self.values[self.own(names[index])] = sliced(value, 32 * index, min(bits, 32), self.widths)
            self.touched.written.add(names[index])

    def _half(self, name: str, value: Expr, *, high: bool) -> None:
        old = self.named(name)
        low = sliced(old, 0, 16, self.widths) if high else value
        top = value if high else sliced(old, 16, 16, self.widths)
        self.values[self.own(name)] = joined((low, top), (16, 16), self.widths)
        self.touched.written.add(name)

    def mask(self, operand: str) -> Expr:
        """Return the bit of the lane in a lane mask, as a truth value."""
        return sliced(self.named(dwords(operand)[0]), self.lane, 1, self.widths)

    def masks(self, operand: str) -> list[Expr]:
        """Return the bits of all lanes in a lane mask, as truth values."""
        whole = self.named(dwords(operand)[0])
        return [sliced(whole, lane, 1, self.widths) for lane in range(self.lanes)]

    def put_mask(self, operand: str, truths: Sequence[Expr]) -> None:
        """Set a lane mask to what holds for each lane; the bits of lanes that there are not are 0."""
        if operand == "null":
            return
        names = dwords(operand)
        self.values[names[0]] = mask_of(truths, self.widths)
        for name in names[1:]:
            self.values[name] = Constant(0)
        self.touched.written.update(names)


def mask_of(truths: Sequence[Expr], widths: dict[int, int]) -> Expr:
    """Return truth values side by side, the first in bit 0, with zeros above them."""
    numbers = [number(truth) for truth in truths]
    known = [value for value in numbers if value is not None]
    if len(known) == len(numbers):
        return Constant(sum((value & 1) << lane for lane, value in enumerate(known)))
    if len(truths) == 1:
        return computed("zext", 32, truths[0])
    return joined((*truths, Constant(0)), (*(1 for _ in truths), 32 - len(truths)), widths)


def integer(text: str) -> int:
    """Return the number that an operand is. Raises OperandError."""
    try:
        return int(text, 0)
    except ValueError:
        raise OperandError(f"'{text}' is no number") from None


def signs(operand: str) -> tuple[str, bool, bool]:
    """Return a source operand without its signs; whether it is negated; whether its absolute value is taken before."""
    match = _SIGN.match(operand)
    if not match or (match[2] != match[4]) or (match[1] and match[3][0].isdecimal()):
        return operand, False, False
    return match[3], bool(match[1]), bool(match[2])


def dwords(operand: str) -> tuple[str, ...]:
    """Return the names of the 32-bit registers of an operand, the lowest first. Raises OperandError."""
    if operand in _NAMED:
        return _NAMED[operand]
    if operand in _SINGLE or _PLAIN.match(operand):
        return (operand,)
    match = _RANGE.match(operand)
    if match:
        return tuple(f"{match[1]}{index}" for index in range(int(match[2]), int(match[3]) + 1))
    if operand.startswith("[") and operand.endswith("]"):
        return tuple(name for part in operand[1:-1].split(",") for name in dwords(part.strip()))
    raise OperandError(f"unknown operand '{operand}'")
