"""Calls that count or move bits, and divisions by powers of two, as arithmetic of a test.

What goes in: a function. What comes out: the function with shifts, masks and sums in the place of `ctpop`, `cttz`,
`ctlz`, `bitreverse`, `bswap`, `fshl`, `fshr`, `abs`, of sums that stop at a bound or say whether they overflow, of
`mbcnt` of a mask that is not -1, and of unsigned divisions by a power of two. Invariant: the results are the same
numbers; where they may be poison (counts of zero, `abs` of the least number) they are those that are not, or poison.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.formats.ir.syntax import Function, Instruction, Operand
from axmem.formats.ir.types import IRType, integer
from axmem.front.records import replace
from axmem.litmus.syntax import Number, Register, UndefValue

_COUNTED = re.compile(r"llvm\.(ctpop|cttz|ctlz)\.i(8|16|32|64)|llvm\.amdgcn\.(mbcnt)\.(lo|hi)")
_MOVED = re.compile(r"llvm\.(bitreverse|bswap|fshl|fshr|abs|[us](?:add|sub)\.sat)\.i(8|16|32|64)")
_OVERFLOWING = re.compile(r"llvm\.([us])(add|sub|mul)\.with\.overflow\.i(8|16|32|64)")
_VOTED = re.compile(r"llvm\.amdgcn\.icmp\.i(32|64)\.i\d+")
_PREDICATES = dict(enumerate(("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"), 32))
"""LLVM's numbers of comparisons."""
_DIVIDING = {"udiv": "lshr", "urem": "and"}
_WHOLE = (-1, 0xFFFFFFFF)


def used_again(callee: str) -> tuple[int, ...]:
    """Return which operands of an intrinsic are here used several times, each bit of them that is."""
    found = _COUNTED.fullmatch(callee) or _MOVED.fullmatch(callee) or _OVERFLOWING.fullmatch(callee)
    if found is None or found[1] in (None, "bswap", "bitreverse"):
        return ()
    return (2,) if found[1] in ("fshl", "fshr") else (0, 1)


def with_counts(function: Function, *, poison: bool = False) -> Function:
    """Return a function in which no such call or division is left; `poison`: what LLVM makes poison is that."""
    everything = [each for block in function.blocks for each in block.instructions]
    if not any(
        any(known.fullmatch(each.callee) for known in (_COUNTED, _MOVED, _OVERFLOWING, _VOTED))
        or each.operation in _DIVIDING
        for each in everything
    ):
        return function
    blocks = (
        replace(block, instructions=tuple(made for each in block.instructions for made in _meant(each, poison)))
        for block in function.blocks
    )
    return replace(function, blocks=tuple(blocks))


def _meant(each: Instruction, poison: bool) -> Iterator[Instruction]:
    """Yield what an instruction is."""
    if poison and each.result and (least := _unwanted(each)) is not None:
        whole, type_ = replace(each, result=f"{each.result}.whole"), each.operands[0].type
        yield from _meant(whole, False)
        work, poisoned = Arithmetic(each, type_), Operand(type_, UndefValue(poison=True), each.span)
        wrong = work.truth("eq", each.operands[0], least)
        work.either(wrong, poisoned, Operand(type_, Register(whole.result), each.span), each.result)
        yield from work.instructions
        return
    match = _COUNTED.fullmatch(each.callee)
    if (moved := _MOVED.fullmatch(each.callee)) and each.result:
        work = Arithmetic(each, integer(int(moved[2])))
        work.move(moved[1])
        yield from work.instructions
    elif (sum_ := _OVERFLOWING.fullmatch(each.callee)) and each.result:
        work = Arithmetic(each, integer(int(sum_[3])))
        work.pair(*work.overflowing(sum_[1] + sum_[2]))
        yield from work.instructions
    elif (vote := _VOTED.fullmatch(each.callee)) and each.result and len(each.operands) == 3:
        yield from _voted(each, vote[1])
    elif each.operation in _DIVIDING:
        by, type_ = each.operands[1].value, each.operands[0].type
        number = by.value % (1 << type_.bits) if isinstance(by, Number) and type_.kind == "int" else 0
        if number.bit_count() == 1:
            power = number.bit_length() - 1 if each.operation == "udiv" else number - 1
            yield Instruction(
                _DIVIDING[each.operation], each.result, each.type,
                (each.operands[0], replace(each.operands[1], value=Number(power))), words=each.words, span=each.span,
            )  # fmt: skip
        else:
            yield each
    elif match is None or not each.result:
        yield each
    elif match[3]:
        mask = each.operands[0]
        if isinstance(mask.value, Number) and mask.value.value in _WHOLE:
            yield each
        else:
            work = Arithmetic(each, integer(32))
            yield from work.below(match[4] == "hi")
    else:
        work = Arithmetic(each, integer(int(match[2])))
        value = each.operands[0]
        if match[1] == "cttz":
            less = work.made("sub", value, 1)
            value = work.made("and", work.made("xor", value, -1), less)
        elif match[1] == "ctlz":
            shift = 1
            while shift < work.type.bits:
                value = work.made("or", value, work.made("lshr", value, shift))
                shift *= 2
            value = work.made("xor", value, -1)
        work.ones(value, each.result)
        yield from work.instructions


def _unwanted(call: Instruction) -> int | None:
    """Return of which number a call is poison, if it is of one: zero, or the least."""
    found = re.fullmatch(r"llvm\.(cttz|ctlz|abs)\.i(8|16|32|64)", call.callee)
    says = call.operands[1].value if found and len(call.operands) > 1 else None
    if found is None or not isinstance(says, Number) or not says.value & 1:
        return None
    return 1 << (int(found[2]) - 1) if found[1] == "abs" else 0


def _voted(call: Instruction, bits: str) -> Iterator[Instruction]:
    """Yield what asks every lane of the wave for a comparison, which a number names."""
    which = call.operands[2].value
    if not isinstance(which, Number) or which.value not in _PREDICATES:
        yield call
        return
    truth, bit = f"{call.result}.truth", integer(1)
    words = (_PREDICATES[which.value],)
    yield Instruction("icmp", truth, bit, call.operands[:2], words=words, span=call.span)
    operand = Operand(bit, Register(truth), call.span)
    yield replace(call, callee=f"llvm.amdgcn.ballot.i{bits}", operands=(operand,))


class Arithmetic:
    """The instructions that stand for a call, or another result, one by one, of one type."""

    def __init__(self, call: Instruction, type_: IRType) -> None:
        self.call = call
        self.type = type_
        self.instructions: list[Instruction] = []

    def made(self, word: str, one: Operand, other: Operand | int, result: str = "") -> Operand:
        """Add an instruction; return what it gives."""
        return self._added(Instruction(word, result, self.type, (one, self._number(other))))

    def truth(self, word: str, one: Operand, other: Operand | int) -> Operand:
        """Add a comparison; return what it gives."""
        return self._added(Instruction("icmp", "", integer(1), (one, self._number(other)), words=(word,)))

    def either(self, condition: Operand, yes: Operand | int, no: Operand | int, result: str = "") -> Operand:
        """Add a choice of two; return it."""
        operands = (condition, self._number(yes), self._number(no))
        return self._added(Instruction("select", result, self.type, operands))

    def chosen(self, word: str, one: Operand, other: Operand | int, yes: Operand | int, no: Operand) -> None:
        """Add a comparison, and what it chooses of two, which is the result."""
        self.either(self.truth(word, one, other), yes, no, self.call.result)

    def overflowing(self, name: str) -> tuple[Operand, Operand]:
        """Add a sum, difference or product; return it, and whether it is another number than without bounds."""
        one, other = self.call.operands[:2]
        word = name[1:]
        whole = self.made(word, one, other)
        if word == "mul":
            return whole, self.product(whole, signed=name[0] == "s")
        if name[0] == "u":
            return whole, self.truth("ult", whole, one) if word == "add" else self.truth("ult", one, other)
        # The sign is another than that of both numbers, or, of a difference, than that of the first of two unlike ones.
        changed = self.made("xor", whole, one)
        unlike = self.made("xor", whole if word == "add" else one, other)
        return whole, self.truth("slt", self.made("and", changed, unlike), 0)

    def product(self, whole: Operand, *, signed: bool) -> Operand:
        """Return whether a product is another number than without bounds."""
        one, other = self.call.operands[:2]
        bits = self.type.bits
        if bits < 64:
            self.type, narrow = integer(2 * bits), self.type
            cast = "sext" if signed else "zext"
            first, second, third = (self.cast(cast, each) for each in (one, other, whole))
            found = self.truth("ne", self.made("mul", first, second), third)
            self.type = narrow
            return found
        # Divided by a factor it is not the other one; what would be divided by 0 or -1 is asked otherwise.
        if not signed:
            by = self.either(self.truth("eq", one, 0), 1, one)
            less = self.either(self.truth("eq", one, 0), whole, other)
            return self.truth("ne", self.made("udiv", whole, by), less)
        small = self.truth("ult", self.made("add", one, 1), 2)
        by, less = self.either(small, 1, one), self.either(small, whole, other)
        wrong = self.either(self.truth("ne", self.made("sdiv", whole, by), less), 1, 0)
        least = self.either(self.truth("eq", other, 1 << (bits - 1)), self.made("lshr", one, bits - 1), 0)
        return self.truth("ne", self.either(small, least, wrong), 0)

    def cast(self, word: str, operand: Operand) -> Operand:
        """Add a cast to the type; return what it gives."""
        return self._added(Instruction(word, "", self.type, (operand,)))

    def pair(self, value: Operand, truth: Operand) -> None:
        """Add the result as the pair of a number and a truth."""
        type_ = self.call.type
        first = f"{self.call.result}.pair"
        empty = Operand(type_, UndefValue(), self.call.span)
        given = Operand(type_, Register(first), self.call.span)
        self.instructions += [
            Instruction("insertvalue", first, type_, (empty, value), indices=(0,), span=self.call.span),
            Instruction("insertvalue", self.call.result, type_, (given, truth), indices=(1,), span=self.call.span),
        ]

    def move(self, name: str) -> None:
        """Add what a call is that moves the bits of a number, or bounds it."""
        value, bits, result = self.call.operands[0], self.type.bits, self.call.result
        if name == "abs":
            self.chosen("slt", value, 0, self.made("sub", self._number(0), value), value)
        elif name == "usub.sat":
            other = self.call.operands[1]
            self.chosen("ult", value, other, 0, self.made("sub", value, other))
        elif name in ("sadd.sat", "ssub.sat"):  # The bound on the side of the first number.
            whole, over = self.overflowing(name[:4])
            bound = self.made("xor", self.made("ashr", value, bits - 1), (1 << (bits - 1)) - 1)
            self.either(over, bound, whole, result)
        elif name == "uadd.sat":
            whole = self.made("add", value, self.call.operands[1])
            self.chosen("ult", whole, value, -1, whole)
        elif name in ("fshl", "fshr"):
            low, by = self.call.operands[1:3]
            left = self.made("and", by, bits - 1)
            if name == "fshl":
                rest = self.made("lshr", self.made("lshr", low, 1), self.made("xor", left, bits - 1))
                self.made("or", self.made("shl", value, left), rest, result)
            else:
                rest = self.made("shl", self.made("shl", value, 1), self.made("xor", left, bits - 1))
                self.made("or", rest, self.made("lshr", low, left), result)
        else:  # Halves change places, then their halves, down to bytes or bits.
            size, least = bits // 2, 8 if name == "bswap" else 1
            while size >= least:
                mask = sum(((1 << size) - 1) << at for at in range(0, bits, 2 * size))
                up = self.made("shl", self.made("and", value, mask), size)
                down = self.made("and", self.made("lshr", value, size), mask)
                value = self.made("or", up, down, result if size == least else "")
                size //= 2

    def _added(self, each: Instruction) -> Operand:
        """Add an instruction, with a name if it has none; return what it gives."""
        name = each.result or f"{self.call.result}.bits{len(self.instructions)}"
        self.instructions.append(replace(each, result=name, span=self.call.span))
        return Operand(each.type, Register(name), self.call.span)

    def _number(self, value: Operand | int) -> Operand:
        if isinstance(value, Operand):
            return value
        return Operand(self.type, Number(value & ((1 << self.type.bits) - 1)), self.call.span)

    def ones(self, value: Operand, result: str = "") -> Operand:
        """Count the bits that are set: of pairs, of fours, of bytes, and of all bytes."""
        bits = self.type.bits
        repeated = (1 << bits) // 255 if bits > 8 else 1
        pairs = self.made("sub", value, self.made("and", self.made("lshr", value, 1), 0x55 * repeated))
        low = self.made("and", pairs, 0x33 * repeated)
        fours = self.made("add", low, self.made("and", self.made("lshr", pairs, 2), 0x33 * repeated))
        whole = self.made("add", fours, self.made("lshr", fours, 4))
        found = self.made("and", whole, 0x0F * repeated, result if bits == 8 else "")
        if bits == 8:
            return found
        return self.made("lshr", self.made("mul", found, repeated), bits - 8, result)

    def below(self, high: bool) -> Iterator[Instruction]:
        """Yield how many bits of a mask stand for lanes below, in 32 lanes of a wave, and so many more."""
        call, mask, base = self.call, *self.call.operands[:2]
        lane = Operand(self.type, Register(f"{call.result}.lane"), call.span)
        yield Instruction(
            "call", f"{call.result}.lane", self.type, (Operand(self.type, Number(-1)), Operand(self.type, Number(0))),
            callee="llvm.amdgcn.mbcnt.lo", span=call.span,
        )  # fmt: skip
        # Lanes from 32 on have all of the low half below them, and lanes before none of the high half.
        at = self.made("sub", lane, 32) if high else lane
        within = self.truth("uge" if high else "ult", lane, 32)
        some = self.made("sub", self.made("shl", Operand(self.type, Number(1)), at), 1)
        below = self.either(within, some, 0 if high else 0xFFFFFFFF)
        self.made("add", self.ones(self.made("and", mask, below)), base, call.result)
        yield from self.instructions
