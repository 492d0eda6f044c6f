"""A change of a function with branches, block by block: what is changed in two arms is two changes of rows.

What goes in: a function before and after. What comes out: for each block what it does before and after, as functions
without branches. Both functions must have the same flow of control: the same branches on the same values, and phis of
the same. Then each block is a part like any other: the rest is its context. Edges that only skip a block count as empty
blocks, so that a pass may empty an arm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from axmem.front.records import dataclass, replace
from axmem.passes.modules import INCOMING, PHI, ModuleFunction, defined, is_label, said
from axmem.passes.parts import TESTED, FunctionSide, keeps, side_of, targets

Pair = tuple[ModuleFunction, ModuleFunction]


@dataclass(frozen=True, slots=True)
class _Block:
    """A block: which lines of its side are its own, besides its label, phis and branch; these as text."""

    begin: int
    end: int
    phis: tuple[str, ...]
    last: str


def rows(one: ModuleFunction, other: ModuleFunction) -> tuple[Pair, ...] | None:
    """Return what the blocks of two functions do; None if their flow differs, or if a block needs more than rows do."""
    sides = [side_of(_split(each)) for each in (one, other)]
    if sides[0] is None or sides[1] is None or len(sides[0].returned) != len(sides[1].returned):
        return None
    return _Flow(sides[0], sides[1]).rows()


def _split(function: ModuleFunction) -> ModuleFunction:
    """Return a function in which a branch on a value goes to blocks to which nothing else goes."""
    came = Counter(name for line in function.body for name in targets(line))
    moved: dict[tuple[str, str], str] = {}
    body: list[str] = []
    block = ""
    for line in function.body:
        block = line[:-1] if is_label(line) else block
        aims = targets(line)
        if len(aims) < 2 or aims[0] == aims[1]:
            body.append(line)
            continue
        for aim in aims:
            if came[aim] > 1:
                moved[block, aim] = f"{block}.to.{aim}"
                line = line.replace(f"label %{aim}", f"label %{moved[block, aim]}")
        body.append(line)
        for aim in aims:
            if (block, aim) in moved:
                body += [f"{moved[block, aim]}:", f"  br label %{aim}"]
    for k, line in enumerate(body):
        block = line[:-1] if is_label(line) else block
        if PHI.match(said(line)):
            body[k] = INCOMING.sub(lambda m: f"[ {m[1]}, %{moved.get((m[2], block), m[2])} ]", line)  # noqa: B023
    return replace(function, body=tuple(body))


class _Flow:
    """Two functions, block by block. `outputs` are the values of a block that others need, of both functions."""

    def __init__(self, one: FunctionSide, other: FunctionSide) -> None:
        self.sides = (one, other)
        self.blocks = [_blocks(side) for side in self.sides]
        self.orders = [_order(side, found) for side, found in zip(self.sides, self.blocks, strict=True)]
        self.outputs: dict[int, dict[tuple[str, str], None]] = {}

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
        return (names[0][0], names[1][0]) if self._noted(f"%{names[0][0]}", f"%{names[1][0]}") else None

    def _foreign(self, side: FunctionSide, block: _Block) -> tuple[str, ...] | None:
        others = side.results(0, side.count) - side.results(block.begin, block.end)
        return side.handed(block.begin, block.end, others)

    def _flows(self, number: int) -> bool:
        """Whether control comes into a block and goes on from it in the same way."""
        pair = self._pair(number)
        if len(pair[0].phis) != len(pair[1].phis):
            return False
        for lines in zip(pair[0].phis, pair[1].phis, strict=True):
            matches = [PHI.match(said(line)) for line in lines]
            if any(match is None or match[1] != "i32" for match in matches):
                return False
            incoming = [
                sorted((order.index(label), value) for value, label in INCOMING.findall(match[2]))
                for order, match in zip(self.orders, matches, strict=True)
                if match is not None
            ]
            if [at for at, _ in incoming[0]] != [at for at, _ in incoming[1]]:
                return False
            if not all(self._noted(a, b) for (_, a), (_, b) in zip(*incoming, strict=True)):
                return False
        aims = [[order.index(each) for each in targets(b.last)] for order, b in zip(self.orders, pair, strict=True)]
        if aims[0] != aims[1]:
            return False
        return len(aims[0]) < 2 or self._tested(pair[0].last, pair[1].last)

    def _tested(self, one: str, other: str) -> bool:
        """Whether two branches ask the same of values that are the same."""
        tests = [side.tested(line) for side, line in zip(self.sides, (one, other), strict=True)]
        if tests[0] is not None and tests[1] is not None:
            return tests[0][1] == tests[1][1] and self._noted(f"%{tests[0][0]}", f"%{tests[1][0]}")
        asked = [match[1] for line in (one, other) if (match := TESTED.match(line))]
        free = not any(side.needed(value) for side, value in zip(self.sides, asked, strict=False))
        return len(asked) == 2 and free and self._noted(asked[0], asked[1])

    def _returns(self) -> bool:
        return all(self._noted(a, b) for a, b in zip(self.sides[0].returned, self.sides[1].returned, strict=True))

    def _noted(self, one: str, other: str) -> bool:
        """Whether two values are of the same block, or of none and the same; note that it is needed elsewhere."""
        needed = [side.needed(value) for side, value in zip(self.sides, (one, other), strict=True)]
        if not any(needed):
            shown = [
                side.expression(value[1:]) if value.startswith("%") else value
                for side, value in zip(self.sides, (one, other), strict=True)
            ]
            return shown[0] == shown[1]
        homes = [self._homes(n, each) for n, each in enumerate(needed)]
        if len(homes[0]) != 1 or homes[0] != homes[1]:
            return False
        number, phi = next(iter(homes[0]))
        if phi < 0:
            self.outputs.setdefault(number, {})[one, other] = None
        elif [one, other] != [f"%{defined(block.phis[phi])}" for block in self._pair(number)]:
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
            homes |= {(number, k) for k, line in enumerate(block.phis) if defined(line) in names}
        return homes

    def _keeps(self, number: int) -> bool:
        """Whether what vanishes from a block has nothing in another block that may be why."""
        ranges = [(block.begin, block.end) for block in self._pair(number)]
        rest = (self.blocks[0][label] for at, label in enumerate(self.orders[0]) if at != number)
        return keeps(self.sides, ranges, ((block.begin, block.end) for block in rest))


def _blocks(side: FunctionSide) -> dict[str, _Block]:
    """Return the blocks of a function by their labels."""
    starts = [-1, *(at for at in range(side.count) if is_label(side.line(at)))]
    found: dict[str, _Block] = {}
    for at, behind in zip(starts, [*starts[1:], side.count], strict=True):
        begin, end = at + 1, behind
        label = side.entry if at < 0 else side.line(at)[:-1]
        while begin < end and " = phi " in side.line(begin):
            begin += 1
        last = side.line(end - 1) if end > begin and targets(side.line(end - 1)) else ""
        phis = tuple(side.line(k) for k in range(at + 1, begin))
        found[label] = _Block(begin, end - bool(last), phis, last)
    return found


def _order(side: FunctionSide, blocks: dict[str, _Block]) -> tuple[str, ...]:
    """Return the labels of the blocks that control reaches, in an order that depends on branches alone."""
    return tuple(_reached(side.entry, blocks, set()))


def _reached(label: str, blocks: dict[str, _Block], seen: set[str]) -> Iterator[str]:
    if label in seen or label not in blocks:
        return
    seen.add(label)
    yield label
    for aim in targets(blocks[label].last):
        yield from _reached(aim, blocks, seen)
