"""Which numbers a function returns, for what attributes of its result promise.

What goes in: the flow of a function. What comes out: whether every number that it returns is in a range, and whether
nothing that it returns is undef or poison. Invariant: of what is not understood every number is possible, and it may be
undef. Poison is in every range, since a result outside would be poison.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.formats.ir.flow import FunctionFlow
from axmem.formats.ir.syntax import Instruction, Operand
from axmem.formats.ir.types import IRType
from axmem.litmus.syntax import AddressOf, Number, Register

Numbers = tuple[tuple[int, int], ...]
"""Numbers without a sign: disjoint pairs of the first and the last, in order."""
MOST_PAIRS = 8
"""Of more pairs than this only the first and the last number are kept."""
_DEFINED = frozenset({"add", "sub", "mul", "and", "or", "xor", "zext", "sext", "trunc", "icmp", "select", "phi"})
"""Instructions that are neither undef nor poison if their operands are not, and they have no flags."""


class Returned:
    """What a function returns."""

    def __init__(self, flow: FunctionFlow) -> None:
        self.flow = flow
        self.results = [each.operands[0] for each in flow.instructions if each.operation == "ret" and each.operands]
        self._known: dict[str, Numbers] = {}

    def within(self, bits: int, first: int, end: int) -> bool:
        """Say whether all results are integers of so many bits in a range that may wrap: [LangRef] `range`."""
        last = (1 << bits) - 1
        first, end = first & last, end & last
        if first == end or any(each.type.kind != "int" or each.type.bits != bits for each in self.results):
            return False
        most = [(first, end - 1)] if first < end else [(first, last), (0, end - 1)]
        found = (pair for each in self.results for pair in self._numbers(each))
        return all(any(low <= one and other <= high for low, high in most) for one, other in found)

    def defined(self) -> bool:
        """Say whether no result is undef or poison."""
        return all(self._defined(each, frozenset()) for each in self.results)

    # ------------------------------------------------ definedness

    def _defined(self, operand: Operand, seen: frozenset[str]) -> bool:
        value = operand.value
        if not isinstance(value, Register):
            return isinstance(value, Number | AddressOf)
        if value.name in seen:
            return True  # What comes round a loop is defined if all that comes into it is.
        made = self.flow.results.get(value.name)
        if made is None:
            parameters = {each.name: each.attributes for each in self.flow.function.parameters}
            return "noundef" in parameters.get(value.name, ())
        if made.operation == "freeze":
            return True
        flags = made.words[1:] if made.operation == "icmp" else made.words
        pure = made.operation in _DEFINED and not flags
        return pure and all(self._defined(each, seen | {value.name}) for each in made.operands)

    # ------------------------------------------------ numbers

    def _numbers(self, operand: Operand) -> Numbers:
        value, whole = operand.value, _whole(operand.type)
        if isinstance(value, Number):
            number = value.value & whole[0][1]
            return ((number, number),)
        if not isinstance(value, Register) or value.name not in self.flow.results:
            return whole
        if value.name not in self._known:
            self._known[value.name] = whole  # What comes round a loop may be anything.
            made = self.flow.results[value.name]
            self._known[value.name] = self._made(made, whole) if operand.type.kind == "int" else whole
        return self._known[value.name]

    def _made(self, made: Instruction, whole: Numbers) -> Numbers:
        last = whole[0][1]
        if made.operation == "freeze" and not self._defined(made.operands[0], frozenset()):
            return whole
        if made.operation in ("phi", "select", "freeze"):
            arms = made.operands[1:] if made.operation == "select" else made.operands
            return _joined(pair for each in arms for pair in self._numbers(each))
        if any(each.type.kind != "int" for each in made.operands):
            return whole
        given = [self._numbers(each) for each in made.operands]
        match made.operation:
            case "zext":
                return given[0]
            case "sext":
                half = 1 << made.operands[0].type.bits - 1
                low = [(a, min(b, half - 1)) for a, b in given[0] if a < half]
                high = [(max(a, half) - 2 * half & last, b - 2 * half & last) for a, b in given[0] if b >= half]
                return _joined(low + high)
            case "trunc":
                return given[0] if given[0][-1][1] <= last else whole
            case "and":
                return ((0, min(each[-1][1] for each in given)),)
            case "or" | "xor":
                return ((0, (1 << max(each[-1][1].bit_length() for each in given)) - 1),)
            case "lshr" | "udiv" | "urem":
                return _divided(made, given[0])
        return whole


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


def _whole(type_: IRType) -> Numbers:
    return ((0, (1 << type_.bits) - 1 if type_.kind == "int" else 0),)


def _joined(pairs: Iterable[tuple[int, int]]) -> Numbers:
    """Return pairs in order, of which those that touch are one."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return tuple(found) if len(found) <= MOST_PAIRS else ((found[0][0], found[-1][1]),)
