"""Cross-lane operations as expressions over the values of the lanes of a wave.

What goes in: an operation, and the lanes of one wave that come to its node, each with its operands. What comes out: the
result of each lane. Whether another lane is at the node is decided by that lane's branches, so that a result is a
selection by them; a lane that is not there has no value, and what would be read from it is undef.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce

from axmem.events.paths import LaneState, Paths
from axmem.events.state import Lanes
from axmem.events.values import UNDEF, ZERO, Constant, Expr, apply
from axmem.litmus import syntax as ast
from axmem.litmus.arithmetic import DEFINED, DIFFERS

NOTHING = Constant(UNDEF)
DIFFERS_IN_WAVE, DIFFERS_IN_WORKGROUP = "differs in wave", "differs in workgroup"
"""Whether a lane's operand differs from that of the first lane of its wave or workgroup whose operand is not undef.

No text can name them; nothing may depend on their results but what is observed.
"""


class CrossLane:
    """The operations of one kernel."""

    def __init__(self, kernel: ast.Kernel, paths: Sequence[Paths]) -> None:
        self.width = kernel.launch.lanes
        self.paths = paths

    def waves(self, lanes: int) -> Iterator[range]:
        """Yield the numbers of the lanes of each wave, of so many lanes in all."""
        return groups_of(self.width, lanes)

    def results(
        self, call: ast.Call, here: Mapping[int, LaneState], values: Mapping[int, list[Lanes]]
    ) -> dict[int, Lanes]:
        """Return the result of every lane of a wave (or workgroup) that may be here, by its number in the kernel."""
        if not call.register:
            return {}
        name, type_ = call.operation, call.type or ast.I32
        bits = type_.element.bits
        count = max(1, type_.lanes)

        def of(number: int, operand: int, part: int, otherwise: Expr) -> Expr:
            """The operand of a lane where it is here, else something else."""
            if number not in here:
                return otherwise
            return self.if_here(number, here[number], values[number][operand][part], otherwise)

        if name == "readfirstlane":
            first: list[Expr] = [NOTHING] * count
            for number in sorted(here, reverse=True):
                first = [of(number, 0, part, rest) for part, rest in enumerate(first)]
            return dict.fromkeys(here, tuple(first))
        if name in (DIFFERS_IN_WAVE, DIFFERS_IN_WORKGROUP):
            first_of: Expr = NOTHING
            for number in sorted(here):
                first_of = apply(DEFINED, bits, first_of, of(number, 0, 0, NOTHING))
            return {n: (apply(DIFFERS, 1, first_of, of(n, 0, 0, NOTHING)),) for n in here}
        if name == "ballot":
            parts = [apply("shl", bits, of(n, 0, 0, ZERO), Constant(n % self.width)) for n in here]
            return dict.fromkeys(here, (_folded("or", bits, parts),))
        if name.startswith("wave.reduce."):
            operation = name.removeprefix("wave.reduce.")
            neutral = Constant(_neutral(operation, bits))
            return dict.fromkeys(here, tuple(
                _reduced(operation, bits, [of(n, 0, k, neutral) for n in here]) for k in range(count)
            ))  # fmt: skip
        return {n: self._read(call, n, values[n], of) for n in here}

    def if_here(self, number: int, lane: LaneState, value: Expr, otherwise: Expr) -> Expr:
        """Return a value where a lane has come to where it is, else another."""
        return self.paths[number].tree([(path, value) for path in lane.paths], otherwise, depending=True)

    def _read(
        self, call: ast.Call, number: int, operands: list[Lanes], of: Callable[[int, int, int, Expr], Expr]
    ) -> Lanes:
        """Return what a lane reads from the lane that it names: readlane, ds.bpermute."""
        start = number - number % self.width
        permute = call.operation == "ds.bpermute"
        which = operands[0 if permute else 1][0]
        if permute:
            which = apply("and", 32, apply("lshr", 32, which, Constant(2)), Constant(self.width - 1))
        source = 1 if permute else 0
        found = []
        for part in range(len(operands[source])):
            value: Expr = NOTHING
            for lane in reversed(range(self.width)):
                same = apply("eq", 1, which, Constant(lane))
                if same == Constant(0):
                    continue
                there = of(start + lane, source, part, NOTHING)
                value = there if same == Constant(1) else apply("select", 32, same, there, value)
            found.append(value)
        return tuple(found)


def _folded(operation: str, bits: int, parts: Sequence[Expr]) -> Expr:
    return reduce(lambda a, b: apply(operation, bits, a, b), parts)


def _reduced(operation: str, bits: int, parts: Sequence[Expr]) -> Expr:
    """Return the reduction of the lanes' values; minima and maxima are selections."""
    less = {"umin": "ult", "umax": "ugt", "min": "slt", "max": "sgt"}.get(operation)
    if less is None:
        return _folded(operation, bits, parts)
    signed = (bits,) if less[0] == "s" else ()
    return reduce(lambda a, b: apply("select", bits, apply(less, 1, a, b, parameters=signed), a, b), parts)


def _neutral(operation: str, bits: int) -> int:
    """Return the value that changes no reduction."""
    ones = (1 << bits) - 1
    return {"umin": ones, "and": ones, "min": ones >> 1, "max": 1 << (bits - 1)}.get(operation, 0)


def groups_of(size: int, lanes: int) -> Iterator[range]:
    """Yield the numbers of lanes in groups of one size: waves, or workgroups."""
    return (range(start, start + size) for start in range(0, lanes, size))
