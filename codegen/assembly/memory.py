"""Instructions that access memory: what each accesses, where, and how.

What goes in: registers and a line. What comes out: `AddressAccess`s, the accesses in the order of their addresses;
None if the mnemonic is no such instruction. Addresses and data are expressions; nothing is known yet of locations.
"""

from __future__ import annotations

import re

from axmem.codegen.assembly.registers import OperandError, Registers, dwords, integer
from axmem.codegen.assembly.text import AssemblyLine
from axmem.codegen.assembly.values import computed, joined, sliced
from axmem.events.values import Constant, Expr
from axmem.front.records import dataclass

_SIZES = {"ubyte": 8, "sbyte": 8, "byte": 8, "u8": 8, "i8": 8, "b8": 8, "ushort": 16, "sshort": 16, "short": 16,
          "u16": 16, "i16": 16, "b16": 16, "dword": 32, "b32": 32, "dwordx2": 64, "b64": 64, "dwordx3": 96, "b96": 96,
          "dwordx4": 128, "b128": 128, "dwordx8": 256, "b256": 256, "dwordx16": 512, "b512": 512}  # fmt: skip
_SIGNED = frozenset({"sbyte", "i8", "sshort", "i16"})
_UPDATES = {"swap": "xchg", "wrxchg": "xchg", "storexchg": "xchg", "cmpswap": "cmpxchg", "cmpst": "cmpxchg",
            "cmpstore": "cmpxchg", "add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "smax": "max",
            "umax": "umax", "smin": "min", "umin": "umin", "inc": "uinc_wrap", "dec": "udec_wrap",
            "cond_sub": "usub_cond", "sub_clamp": "usub_sat", "csub": "usub_sat", "fmax": "fmax",
            "fmin": "fmin"}  # fmt: skip
_NUMBERS = {"add": "fadd", "max": "fmax", "max_num": "fmax", "min": "fmin", "min_num": "fmin"}
"""Updates of numbers of floating point, which have an f where others have b, u or i."""
_MOVE = re.compile(r"(global|flat|buffer|scratch)_(load|store)_(d16_(?:hi_)?)?(\w+?)(_d16(?:_hi)?)?$")
_UPDATE = re.compile(r"(global|flat|buffer)_atomic_([a-z_]+?)(_x2|_([buif])(32|64))?$")
_LDS_MOVE = re.compile(r"ds_(read|load|write|store)(2|_2addr)?(st64|_stride64)?_([bui]\d+)(_d16)?(_hi)?$")
_LDS_UPDATE = re.compile(r"ds_([a-z_]+?)(_rtn)?_([buif])(32|64)$")
_SCALAR = re.compile(r"s_load_(\w+)$")
RETURNING = re.compile(r"glc|sc0|th:TH_ATOMIC_(\w+_)?RETURN")
"""The bits of an atomic that returns the old value."""


@dataclass(frozen=True, slots=True)
class AddressAccess:
    """An access to `bits` at an address. `memory` is how it gets there: global, flat, lds, scalar or private.

    `value` is what a store writes or an update works with, `expected` what a cmpxchg compares with. A result goes to
    `destination`, from the register `first` on; narrow ones are extended as `signed` says, or put into a `half` of it.
    The `name` is the mnemonic of an update.
    """

    action: str
    memory: str
    address: Expr
    bits: int
    value: Expr | None = None
    expected: Expr | None = None
    update: str = ""
    destination: str = ""
    first: int = 0
    signed: bool = False
    half: str = ""
    name: str = ""


def returns(line: AssemblyLine) -> bool:
    """Say whether the bits of an atomic ask for the old value."""
    return any(RETURNING.fullmatch(bit) for bit in line.bits)


def policy_of(line: AssemblyLine) -> tuple[str, ...]:
    """Return the cache policy bits among a line's modifiers."""
    return tuple(bit for bit in line.bits if re.match(r"(glc|slc|dlc|scc|sc0|sc1|nt|th:\w+|scope:\w+)$", bit))


_POLICY = r"glc|slc|dlc|sc0|sc1|nt|nv|th:\w+|scope:\w+"
_MEANT = (
    (re.compile(r"s_"), rf"{_POLICY}|offset:\S+|scale_offset"),
    (re.compile(r"(global|flat)_"), rf"{_POLICY}|off|offset:\S+|scale_offset"),
    (re.compile(r"scratch_"), rf"{_POLICY}|off|offset:\S+"),
    (re.compile(r"buffer_"), rf"{_POLICY}|off|offset:\S+|offen|addr64"),
    (re.compile(r"ds_\w*(2|2addr)(_stride64|st64)?_"), r"offset[01]:\S+"),
    (re.compile(r"ds_"), r"offset:\S+"),
)
"""Modifiers of instructions that reach memory, by how their mnemonics begin: all others are refused."""


def check_bits(line: AssemblyLine) -> None:
    """Raise OperandError for a modifier that has no meaning here."""
    meant = next((known for begins, known in _MEANT if begins.match(line.mnemonic)), "")
    for bit in line.bits:
        if not re.fullmatch(meant, bit):
            raise OperandError(f"unknown modifier '{bit}' of '{line.mnemonic}'")


def transfers(registers: Registers, line: AssemblyLine) -> list[AddressAccess] | None:
    """Return what an instruction accesses, or None if it accesses no memory. Raises OperandError."""
    for pattern, rule in ((_SCALAR, _scalar), (_MOVE, _move), (_UPDATE, _update), (_LDS_MOVE, _lds_move),
                          (_LDS_UPDATE, _lds_update)):  # fmt: skip
        match = pattern.match(line.mnemonic)
        if match:
            check_bits(line)
            try:
                return rule(registers, line, match)
            except IndexError:
                raise OperandError(f"'{line.mnemonic}' has too few operands") from None
    return None


def _size(word: str) -> int:
    if word not in _SIZES:
        raise OperandError(f"unknown size '{word}'")
    return _SIZES[word]


def _offset(line: AssemblyLine, name: str = "offset") -> int:
    for bit in line.bits:
        if bit.startswith(f"{name}:"):
            return integer(bit.partition(":")[2])
    return 0


def _plus(address: Expr, amount: int, bits: int = 64) -> Expr:
    return computed("add", bits, address, Constant(amount & (1 << bits) - 1))


# ---------------------------------------------------------------- vector memory


def _place(
    registers: Registers, line: AssemblyLine, memory: str, operands: tuple[str, ...], size: int
) -> tuple[str, Expr]:
    """Return how an access reaches memory, and its address, from the operands that are not data."""
    if memory == "buffer":
        return _buffer(registers, line, operands)
    if memory == "scratch":
        vector, scalar = operands[0], operands[1] if len(operands) > 1 else "off"
        address = computed("add", 32, registers.value(vector), registers.value(scalar))
        return "private", _plus(address, _offset(line), 32)
    vector, scalar = operands[0], operands[1] if len(operands) > 1 else "off"
    if scalar in ("off", "null"):
        if "scale_offset" in line.bits:
            raise OperandError("scale_offset needs a register that is added to another, and there is none")
        return memory, _plus(registers.value(vector, 64), _offset(line))
    index = computed("sext" if "scale_offset" in line.bits else "zext", 64, registers.value(vector),
                     parameters=(32,) if "scale_offset" in line.bits else ())  # fmt: skip
    if "scale_offset" in line.bits:
        index = computed("mul", 64, index, Constant(size // 8))
    return memory, _plus(computed("add", 64, registers.value(scalar, 64), index), _offset(line))


def _buffer(registers: Registers, line: AssemblyLine, operands: tuple[str, ...]) -> tuple[str, Expr]:
    """Return the address of a buffer access; private memory has the descriptor that the kernel begins with.

    Raises OperandError for any other that the kernel did not make.
    """
    vector, resource, scalar = operands[0], operands[1], operands[2]
    words = [registers.named(name) for name in dwords(resource)]
    unknown = next((found for word in words if (found := registers.unknown_in(word))), "")
    if unknown and not registers.private(words):
        raise OperandError(f"the descriptor {resource} depends on {unknown}, which the kernel did not set")
    if unknown:
        address = registers.value(scalar)
        if "offen" in line.bits:
            address = computed("add", 32, address, registers.value(vector))
        return "private", _plus(address, _offset(line), 32)
    high = sliced(words[1], 0, 16, registers.widths)
    base = joined((words[0], high, Constant(0)), (32, 16, 16), registers.widths)
    base = computed("add", 64, base, computed("zext", 64, registers.value(scalar)))
    if "addr64" in line.bits and "offen" in line.bits:
        raise OperandError("'offen' beside addr64")
    if "addr64" in line.bits:
        base = computed("add", 64, base, registers.value(vector, 64))
    elif "offen" in line.bits:
        base = computed("add", 64, base, computed("zext", 64, registers.value(vector)))
    return "global", _plus(base, _offset(line))


def _move(registers: Registers, line: AssemblyLine, match: re.Match[str]) -> list[AddressAccess]:
    memory, action, word, half = match[1], match[2], match[4], match[3] or match[5] or ""
    bits = _size(word)
    operands = line.operands
    if action == "load":
        how, address = _place(registers, line, memory, operands[1:], bits)
        half = half and "lh"["hi" in half]
        return [AddressAccess("load", how, address, bits, destination=operands[0], signed=word in _SIGNED, half=half)]
    if memory == "buffer":
        data, rest = operands[0], operands[1:]
    else:
        data, rest = operands[1], (operands[0], *operands[2:])
    how, address = _place(registers, line, memory, rest, bits)
    value = registers.value(data, max(bits, 32))
    low = 16 if "hi" in half else 0
    return [
        AddressAccess("store", how, address, bits, sliced(value, low, bits, registers.widths) if bits < 32 else value)
    ]


def _named(word: str, letter: str) -> str:
    """Return the update that an instruction does, by its word and the letter of its type. Raises OperandError."""
    if letter == "f":
        found = _NUMBERS.get(word)
    else:
        found = _UPDATES.get(f"{'u' if letter == 'u' else 's'}{word}" if word in ("max", "min") else word)
    if found is None:
        raise OperandError(f"unknown update '{word}'")
    return found


def _update(registers: Registers, line: AssemblyLine, match: re.Match[str]) -> list[AddressAccess]:
    memory, word, suffix, letter = match[1], match[2], match[3] or "", match[4] or ""
    bits = 64 if suffix == "_x2" or suffix.endswith("64") else 32
    update, expected = _named(word, letter), None
    returning = returns(line)
    operands = list(line.operands)
    if memory == "buffer":
        destination, data, rest = operands[0], operands[0], operands[1:]
    else:
        destination = operands.pop(0) if returning else ""
        data, rest = operands[1], [operands[0], *operands[2:]]
    how, address = _place(registers, line, memory, tuple(rest), bits)
    value = registers.value(data, bits)
    if update == "cmpxchg":
        names = dwords(data)
        if len(names) * 32 < 2 * bits:
            raise OperandError(f"'{data}' has {len(names) * 32} bits, not {2 * bits}")
        both = registers.value(data, 2 * bits)
        value, expected = (sliced(both, low, bits, registers.widths) for low in (0, bits))
    result = destination if returning else ""
    return [
        AddressAccess(
            "rmw", how, address, bits, value=value, expected=expected, update=update, destination=result,
            name=line.mnemonic,
        )
    ]  # fmt: skip


# ---------------------------------------------------------------- LDS


def _lds_move(registers: Registers, line: AssemblyLine, match: re.Match[str]) -> list[AddressAccess]:
    load = match[1] in ("read", "load")
    bits = _size(match[4])
    operands = line.operands
    base = registers.value(operands[1] if load else operands[0])
    if not match[2]:
        address = _plus(base, _offset(line), 32)
        if load:
            half = ("h" if match[6] else "l") if match[5] else ""
            signed = match[4] in _SIGNED
            return [AddressAccess("load", "lds", address, bits, destination=operands[0], signed=signed, half=half)]
        value = registers.value(operands[1], max(bits, 32))
        cut = sliced(value, 16 if match[6] else 0, bits, registers.widths) if bits < 32 else value
        return [AddressAccess("store", "lds", address, bits, cut)]
    unit = bits // 8 * (64 if match[3] else 1)
    places = [_plus(base, _offset(line, f"offset{index}") * unit, 32) for index in (0, 1)]
    if load:
        return [AddressAccess("load", "lds", place, bits, destination=operands[0], first=index * bits // 32)
                for index, place in enumerate(places)]  # fmt: skip
    return [AddressAccess("store", "lds", place, bits, registers.value(operands[1 + index], bits))
            for index, place in enumerate(places)]  # fmt: skip


def _lds_update(registers: Registers, line: AssemblyLine, match: re.Match[str]) -> list[AddressAccess]:
    word, returns, letter, bits = match[1], match[2], match[3], int(match[4])
    update = _named(word, letter)
    operands = list(line.operands)
    destination = operands.pop(0) if returns else ""
    address = _plus(registers.value(operands[0]), _offset(line), 32)
    value, expected = registers.value(operands[1], bits), None
    if update == "cmpxchg":
        other = registers.value(operands[2], bits)
        # ds_cmpst has what it compares with first, ds_cmpstore (from GFX11 on) second.
        value, expected = (other, value) if word == "cmpst" else (value, other)
    return [
        AddressAccess(
            "rmw",
            "lds",
            address,
            bits,
            value=value,
            expected=expected,
            update=update,
            destination=destination,
            name=line.mnemonic,
        )
    ]


# ---------------------------------------------------------------- scalar memory


def _scalar(registers: Registers, line: AssemblyLine, match: re.Match[str]) -> list[AddressAccess]:
    bits = _size(match[1])
    operands = line.operands
    offset: Expr = Constant(0)
    immediate = len(operands) < 3 or bool(re.match(r"-?\d", operands[2]))
    if "scale_offset" in line.bits and immediate:
        raise OperandError("scale_offset scales a register, and this offset is a number")
    if len(operands) > 2:
        offset = registers.value(operands[2], 64 if immediate else 32)
        offset = offset if immediate else computed("zext", 64, offset)
    if "scale_offset" in line.bits:
        offset = computed("mul", 64, offset, Constant(bits // 8))
    address = computed("add", 64, registers.value(operands[1], 64), offset)
    place, signed = _plus(address, _offset(line)), match[1] in _SIGNED
    return [AddressAccess("load", "scalar", place, bits, destination=operands[0], signed=signed)]
