"""Which numbers a function returns, for what attributes of its result promise.

What goes in: the flow of a function. What comes out: whether every number that it returns is in a range, and whether
nothing that it returns is undef or poison. Invariant: of what is not understood every number is possible, and it may be
undef. Poison is in every range, since a result outside would be poison.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.formats.ir.flow import FunctionFlow
from axmem.formats.ir.syntax import Instruction, Operand
from axmem.formats.ir.uses import is_defined, undefined
from axmem.litmus.syntax import Number, Register

Numbers = tuple[tuple[int, int], ...]
"""Numbers without a sign: disjoint pairs of the first and the last, in order."""
MOST_PAIRS = 8
"""Of more pairs than this only the first and the last number are kept."""


class Returned:
    """What a function returns."""

    def __init__(self, flow: FunctionFlow) -> None:
        self.results = [each.operands[0] for each in flow.instructions if each.operation == "ret" and each.operands]
        self._undefined = undefined(flow.function)
        self._known: dict[str, Numbers] = {}
        """What results may be; of one that stands further down, as what comes round a loop, nothing is known yet."""
        for each in flow.instructions:
            if (found := self._made(each)) is not None:
                self._known[each.result] = found

    def within(self, bits: int, parts: Iterable[tuple[int, int]]) -> bool:
        """Say whether all results are integers of so many bits in parts of a range, each of its first number and the
        one behind its last; a part may wrap: [LangRef] `range`.
        """
        last = (1 << bits) - 1
        if any(each.type.kind != "int" or each.type.bits != bits for each in self.results):
            return False
        most: list[tuple[int, int]] = []
        for first, end in parts:
            if first != end:
                most += [(first, end - 1)] if first < end else [(first, last), (0, end - 1)]
        found = [pair for each in self.results for pair in self._numbers(each)]
        return all(any(low <= one and other <= high for low, high in most) for one, other in found)

    def defined(self) -> bool:
        """Say whether no result is undef or poison."""
        return all(is_defined(each, self._undefined) for each in self.results)

    def _numbers(self, operand: Operand) -> Numbers:
        """Return what an integer may be."""
        last = (1 << operand.type.bits) - 1
        if isinstance(operand.value, Number):
            return ((operand.value.value & last,) * 2,)
        known = self._known.get(operand.value.name) if isinstance(operand.value, Register) else None
        return known or ((0, last),)

    def _made(self, made: Instruction) -> Numbers | None:
        """Return what the result of an instruction may be, None if that is not understood."""
        if any(each.type.kind != "int" for each in made.operands):
            return None
        given = [self._numbers(each) for each in made.operands]
        match made.operation:
            case "phi":
                return _joined(pair for each in given for pair in each)
            case "select":
                return _joined(pair for each in given[1:] for pair in each)
            case "freeze" if is_defined(made.operands[0], self._undefined):
                return given[0]
            case "zext":
                return given[0]
            case "sext":
                half, last = 1 << made.operands[0].type.bits - 1, (1 << made.type.bits) - 1
                low = [(a, min(b, half - 1)) for a, b in given[0] if a < half]
                high = [(max(a, half) - 2 * half & last, b - 2 * half & last) for a, b in given[0] if b >= half]
                return _joined(low + high)
            case "trunc" if given[0][-1][1] >> made.type.bits == 0:
                return given[0]
            case "and":
                return ((0, min(each[-1][1] for each in given)),)
            case "or" | "xor":
                return ((0, (1 << max(each[-1][1].bit_length() for each in given)) - 1),)
            case "lshr" | "udiv" | "urem":
                return _divided(made, given[0])
        return None


def _divided(made: Instruction, given: Numbers) -> Numbers:
    """Return what a shift or a division by a constant may give; a shift by too much is poison."""
    by = made.operands[1].value
    most = given[-1][1]
    if not isinstance(by, Number) or by.value <= 0:
        return ((0, most),)
    if made.operation == "urem":
        return ((0, min(most, by.value - 1)),)
    divisor = by.value if made.operation == "udiv" else 1 << min(by.value, made.type.bits)
    return _joined((a // divisor, b // divisor) for a, b in given)


def _joined(pairs: Iterable[tuple[int, int]]) -> Numbers:
    """Return pairs in order, of which those that touch are one."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return tuple(found) if len(found) <= MOST_PAIRS else ((found[0][0], found[-1][1]),)
