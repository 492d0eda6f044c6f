"""A change of a function with branches, block by block: what is changed in two arms is two changes of rows.

What goes in: a function before and after. What comes out: for each block what it does before and after, as functions
without branches. Both functions must have the same flow of control: the same branches on the same values, and phis of
the same. Then each block is a part like any other: the rest is its context. Edges that only skip a block count as empty
blocks, so that a pass may empty an arm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import takewhile

from axmem.formats.ir.syntax import Block, Function, Instruction, Value
from axmem.front.records import dataclass, replace
from axmem.litmus.syntax import Register
from axmem.passes.modules import LABEL, label_of
from axmem.passes.parts import WORD, FunctionSide, condition, keeps, side_of, targets

Pair = tuple[Function, Function]


@dataclass(frozen=True, slots=True)
class _Block:
    """A block: which lines of its side are its own, besides its label, phis and branch; it may have none."""

    begin: int
    end: int
    phis: tuple[Instruction, ...]
    last: Instruction | None

    @property
    def aims(self) -> tuple[str, ...]:
        """The blocks to which it branches."""
        return self.last.targets if self.last else ()


def rows(one: Function, other: Function) -> tuple[Pair, ...] | None:
    """Return what the blocks of two functions do; None if their flow differs, or if a block needs more than rows do."""
    sides = [side_of(_split(each)) for each in (one, other)]
    if sides[0] is None or sides[1] is None or len(sides[0].returned) != len(sides[1].returned):
        return None
    return _Flow(sides[0], sides[1]).rows()


def _split(function: Function) -> Function:
    """Return a function in which a branch on a value goes to blocks to which nothing else goes."""
    came = Counter(name for block in function.blocks for name in targets(block.instructions[-1]))
    moved: dict[tuple[str, str], str] = {}
    blocks: list[Block] = []
    for block in function.blocks:
        *inside, last = block.instructions
        aims = targets(last)
        new = {aim: f"{block.name}.to.{aim}" for aim in aims if came[aim] > 1} if len({*aims[:2]}) > 1 else {}
        moved |= {(block.name, aim): name for aim, name in new.items()}
        last = replace(last, targets=tuple(new.get(aim, aim) for aim in last.targets))
        blocks.append(replace(block, instructions=(*inside, last)))
        blocks += (Block(name, (Instruction("br", targets=(aim,)),)) for aim, name in new.items())
    if not moved:
        return function

    def merged(each: Instruction, block: str) -> Instruction:
        if each.operation != "phi":
            return each
        return replace(each, targets=tuple(moved.get((label, block), label) for label in each.targets))

    found = (
        replace(block, instructions=tuple(merged(each, block.name) for each in block.instructions)) for block in blocks
    )
    return replace(function, blocks=tuple(found))


class _Flow:
    """Two functions, block by block. `outputs` are the values of a block that others need, of both functions."""

    def __init__(self, one: FunctionSide, other: FunctionSide) -> None:
        self.sides = (one, other)
        self.blocks = [_blocks(side) for side in self.sides]
        self.orders = [_order(side, found) for side, found in zip(self.sides, self.blocks, strict=True)]
        self.outputs: dict[int, dict[tuple[Value, Value], None]] = {}

    def rows(self) -> tuple[Pair, ...] | None:
        """Return both sides of each block as functions."""
        if len(self.orders[0]) != len(self.orders[1]) or len(self.orders[0]) < 2:
            return None
        count = range(len(self.orders[0]))
        given = [self._given(k) for k in count]
        if any(each is None for each in given) or not all(self._flows(k) for k in count) or not self._returns():
            return None
        if not all(self._keeps(k) for k in count):
            return None
        found = []
        for k, values in zip(count, given, strict=True):
            outputs = [*self.outputs.get(k, ())]
            one, other = (
                side.part(block.begin, block.end, [pair[n] for pair in outputs], (values or ("", ""))[n])
                for n, (side, block) in enumerate(zip(self.sides, self._pair(k), strict=True))
            )
            found.append((one, other))
        return tuple(found)

    def _pair(self, number: int) -> list[_Block]:
        return [found[order[number]] for found, order in zip(self.blocks, self.orders, strict=True)]

    def _given(self, number: int) -> tuple[str, str] | None:
        """Return the value of other blocks that a block stores, of both functions; None if it needs anything else."""
        names = [self._foreign(side, block) for side, block in zip(self.sides, self._pair(number), strict=True)]
        if names[0] is None or names[1] is None or len(names[0]) != len(names[1]) or len(names[0]) > 1:
            return None
        if len({side.gets(b.begin, b.end) for side, b in zip(self.sides, self._pair(number), strict=True)}) > 1:
            return None
        if not names[0]:
            return ("", "")
        if any(side.given for side in self.sides):
            return None
        return (names[0][0], names[1][0]) if self._noted(Register(names[0][0]), Register(names[1][0])) else None

    def _foreign(self, side: FunctionSide, block: _Block) -> tuple[str, ...] | None:
        others = side.results(0, side.count) - side.results(block.begin, block.end)
        return side.handed(block.begin, block.end, others)

    def _flows(self, number: int) -> bool:
        """Whether control comes into a block and goes on from it in the same way."""
        pair = self._pair(number)
        if len(pair[0].phis) != len(pair[1].phis):
            return False
        for phis in zip(pair[0].phis, pair[1].phis, strict=True):
            if any(phi.type != WORD for phi in phis):
                return False
            incoming = [
                sorted((order.index(label), k) for k, label in enumerate(phi.targets))
                for order, phi in zip(self.orders, phis, strict=True)
            ]
            if [at for at, _ in incoming[0]] != [at for at, _ in incoming[1]]:
                return False
            values = ([phi.operands[k].value for _, k in came] for phi, came in zip(phis, incoming, strict=True))
            if not all(self._noted(a, b) for a, b in zip(*values, strict=True)):
                return False
        aims = [[order.index(each) for each in b.aims] for order, b in zip(self.orders, pair, strict=True)]
        if aims[0] != aims[1]:
            return False
        return len(aims[0]) < 2 or self._tested(pair[0].last, pair[1].last)

    def _tested(self, one: Instruction | None, other: Instruction | None) -> bool:
        """Whether two branches ask the same of values that are the same."""
        asked = [condition(line) for line in (one, other) if line]
        tests = [side.tested(line) for side, line in zip(self.sides, (one, other), strict=True) if line]
        if tests[0] is not None and tests[1] is not None:
            return tests[0][1] == tests[1][1] and self._noted(Register(tests[0][0]), Register(tests[1][0]))
        first, second = asked
        if first is None or second is None or self.sides[0].needed(first) or self.sides[1].needed(second):
            return False
        return self._noted(first, second)

    def _returns(self) -> bool:
        return all(self._noted(a, b) for a, b in zip(self.sides[0].returned, self.sides[1].returned, strict=True))

    def _noted(self, one: Value, other: Value) -> bool:
        """Whether two values are of the same block, or of none and the same; note that it is needed elsewhere."""
        needed = [side.needed(value) for side, value in zip(self.sides, (one, other), strict=True)]
        if not any(needed):
            shown = [
                side.expression(value.name) if isinstance(value, Register) else value
                for side, value in zip(self.sides, (one, other), strict=True)
            ]
            return shown[0] == shown[1]
        homes = [self._homes(n, each) for n, each in enumerate(needed)]
        if len(homes[0]) != 1 or homes[0] != homes[1]:
            return False
        number, phi = next(iter(homes[0]))
        if phi < 0:
            self.outputs.setdefault(number, {})[one, other] = None
        elif [one, other] != [Register(block.phis[phi].result) for block in self._pair(number)]:
            return False
        return True

    def _homes(self, which: int, names: frozenset[str]) -> set[tuple[int, int]]:
        """Return the blocks in which results are computed, with which phis they are, or -1."""
        side, found, order = self.sides[which], self.blocks[which], self.orders[which]
        homes = set()
        for number, label in enumerate(order):
            block = found[label]
            if names & side.results(block.begin, block.end):
                homes.add((number, -1))
            homes |= {(number, k) for k, each in enumerate(block.phis) if each.result in names}
        return homes

    def _keeps(self, number: int) -> bool:
        """Whether what vanishes from a block has nothing in another block that may be why."""
        ranges = [(block.begin, block.end) for block in self._pair(number)]
        rest = (self.blocks[0][label] for at, label in enumerate(self.orders[0]) if at != number)
        return keeps(self.sides, ranges, ((block.begin, block.end) for block in rest))


def _blocks(side: FunctionSide) -> dict[str, _Block]:
    """Return the blocks of a function by their labels."""
    found: dict[str, _Block] = {}
    begin, label = 0, side.entry
    for at, row in enumerate(side.rows):
        if row.operation != LABEL and at < side.count:
            continue
        inside = side.rows[begin:at]
        phis = tuple(takewhile(lambda each: each.operation == "phi", inside))
        last = inside[-1] if inside[len(phis) :] and targets(inside[-1]) else None
        found[label] = _Block(begin + len(phis), at - bool(last), phis, last)
        begin, label = at + 1, label_of(row)
    return found


def _order(side: FunctionSide, blocks: dict[str, _Block]) -> tuple[str, ...]:
    """Return the labels of the blocks that control reaches, in an order that depends on branches alone."""
    return tuple(_reached(side.entry, blocks, set()))


def _reached(label: str, blocks: dict[str, _Block], seen: set[str]) -> Iterator[str]:
    if label in seen or label not in blocks:
        return
    seen.add(label)
    yield label
    for aim in blocks[label].aims:
        yield from _reached(aim, blocks, seen)
