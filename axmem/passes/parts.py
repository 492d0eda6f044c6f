"""One function, and parts of it as functions of their own.

What goes in: a function as opt writes it. What comes out: where it may be cut, what a part reads, writes and returns,
and the function of a part. `Anchored` lines do more than to compute: they access memory, call, branch, or are labels.
Parts are ranges of them; what is computed stands with the part that needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product

from axmem.formats.ir.flow import ADDRESSED, address, used, value_names
from axmem.formats.ir.printer import computed, shown
from axmem.formats.ir.renaming import with_values
from axmem.formats.ir.syntax import Function, Instruction, Operand, Parameter, Value
from axmem.formats.ir.types import VOID, IRType, integer
from axmem.front.records import replace
from axmem.litmus.syntax import Number, Register, UndefValue
from axmem.litmus.words import Ordering
from axmem.passes.modules import LABEL, body, label_of, names_of, with_body
from axmem.passes.scalars import filled
from axmem.passes.skeleton import is_anchored, unflagged, written_out

ARGUMENT = "v"
"""The parameter that is a value from before."""
ANY = frozenset({"*"})
"""Instead of parameters: of a fence, of what is called, and of pointers that were read."""
NOTHING: frozenset[str] = frozenset()
WORD = integer(32)
"""The type of what parts return, and are given."""
Accesses = dict[tuple[str, bool], frozenset[str]]
"""Addresses that are read and written, as `FunctionSide.memory` has them."""
_ACCESSES = {
    "load": (False,), "store": (True,), "atomicrmw": (False, True), "cmpxchg": (False, True), "fence": (True,),
    "call": (True,),
}  # fmt: skip
"""Whether instructions read (False) and write (True)."""
_BRANCHES = ("br", "switch")


class FunctionSide:
    """A function: its lines without those that make its result, and the values of that.

    `anchored` are the numbers of lines that do more than to compute, `rows` those lines, and nothing behind the last;
    `sources` has for each name the results of such lines from which it is computed, and `roots` the parameters; `made`
    is what computes a name, if it is no such line. An `expression` is that of an address, whatever the address space in
    which it is written. `entry` is the name of the first block.
    """

    def __init__(self, function: Function, lines: Sequence[Instruction], returned: tuple[Value, ...]) -> None:
        self.function, self.returned = function, returned
        self.entry = label_of(lines[0]) if lines else ""
        self.lines = lines[bool(self.entry) :]
        self.anchored = [k for k, line in enumerate(self.lines) if is_anchored(line)]
        self.rows = [*(self.lines[k] for k in self.anchored), Instruction("")]
        self.count = len(self.anchored)
        self.given = ARGUMENT in names_of(function)
        self.sources = dict.fromkeys(names_of(function), NOTHING)
        self.roots = {name: frozenset({name}) for name in self.sources}
        self.sources |= {row.result: frozenset({row.result}) for row in self.rows if row.result}
        self.roots |= dict.fromkeys((row.result for row in self.rows if row.result), ANY)
        self.made: dict[str, Instruction] = {}
        self.written: dict[str, str] = {}
        self.expression = written_out(self.made, self.written)

    def trace(self) -> bool:
        """Note from what everything is computed; say whether all of that is known."""
        for line in self.lines:
            if is_anchored(line):
                continue
            names = [*used(line)]
            if not line.result or not all(name in self.sources for name in names):
                return False
            self.sources[line.result] = NOTHING.union(*(self.sources[name] for name in names))
            self.roots[line.result] = NOTHING.union(*(self.roots[name] for name in names))
            self.made[line.result] = unflagged(line)
            if line.operation == "addrspacecast" and names:
                self.written[line.result] = self.expression(names[0])
        return True

    def results(self, begin: int, end: int) -> frozenset[str]:
        """Return the results of a part."""
        return frozenset(row.result for row in self.rows[begin:end]) - {""}

    def needed(self, *values: Value) -> frozenset[str]:
        """Return the results from which values are computed."""
        return self._from(name for value in values for name in value_names(value))

    def _from(self, names: Iterable[str]) -> frozenset[str]:
        return NOTHING.union(*[self.sources.get(name, NOTHING) for name in names])

    @cached_property
    def needs(self) -> list[frozenset[str]]:
        """The results that each row needs."""
        return [self._from(used(row)) for row in self.rows]

    @cached_property
    def _wanted(self) -> frozenset[str]:
        return self.needed(*self.returned).union(*self.needs)

    # ------------------------------------------------ memory

    def memory(self, begin: int, end: int, *, idle: bool = True) -> Accesses:
        """Return which addresses a part reads and writes (True), each with the parameters from which it is computed.

        Without what is `idle` if that is said.
        """
        found: Accesses = {}
        for at in range(begin, end):
            if idle or not self.idle(at, at + 1):
                found |= self._accesses[at]
        return found

    @cached_property
    def _accesses(self) -> list[Accesses]:
        return [dict(self._accessed(row)) for row in self.rows]

    def _accessed(self, row: Instruction) -> Iterator[tuple[tuple[str, bool], frozenset[str]]]:
        place = address(row) if row.operation in ADDRESSED else None
        roots = self.roots.get(place.name, ANY) if isinstance(place, Register) else ANY
        keys = self._elements(row, place.name) if isinstance(place, Register) and roots != ANY else [row.operation]
        for key, writes in product(keys, _ACCESSES.get(row.operation, ())):
            yield (key, writes), roots

    def _elements(self, row: Instruction, place: str) -> Iterator[str]:
        """Yield the addresses of the elements that an access has, each as it is written where it stands alone."""
        first = self.expression(place)
        yield first
        accessed = {"load": row.type, "store": row.operands[0].type}.get(row.operation, VOID)
        count = accessed.count if accessed.element == WORD else 2 if accessed == integer(64) else 1
        pointer = shown(row.operands[ADDRESSED[row.operation]].type)
        for k in range(1, count):
            yield f"(getelementptr i8, {pointer} {first}, i64 {4 * k})"

    def fences(self, begin: int, end: int) -> frozenset[Ordering]:
        """Return the orderings of the fences of a part."""
        return frozenset(row.mode.ordering for row in self.rows[begin:end] if row.operation == "fence")

    def idle(self, begin: int, end: int) -> bool:
        """Whether a part is a load that nobody has use for, and that orders nothing."""
        row, quiet = self.rows[begin], (Ordering.NOT_ATOMIC, Ordering.UNORDERED)
        weak = row.operation == "load" and not row.mode.volatile and row.mode.ordering in quiet
        return end - begin == 1 and weak and row.result not in self._wanted

    # ------------------------------------------------ values

    def gets(self, begin: int, end: int) -> bool:
        """Whether a part uses the parameter that is a value from before."""
        return any(ARGUMENT in used(row) for row in self.rows[begin:end])

    def handed(self, begin: int, end: int, results: frozenset[str]) -> tuple[str, ...] | None:
        """Return the values of some results from elsewhere that a part stores or tests; None for any other use."""
        found: dict[str, None] = {}
        for k in range(begin, end):
            if not self.needs[k] & results:
                continue
            name, rest = self.taken(k)
            if not name or not self.sources.get(name, NOTHING) <= results or rest & results:
                return None
            found[name] = None
        return tuple(found)

    def taken(self, at: int) -> tuple[str, frozenset[str]]:
        """Return the value that a line stores, or that a branch asks about, and which results it needs besides."""
        row = self.rows[at]
        value = row.operands[0].value if row.operation == "store" and row.operands[0].type == WORD else None
        if isinstance(value, Register):
            return value.name, self.needed(row.operands[1].value)
        test = self.tested(row)
        return ("", self.needs[at]) if test is None else (test[0], NOTHING)

    def tested(self, line: Instruction) -> tuple[str, object] | None:
        """Return the value that a branch compares with a number, and what is asked of it."""
        asked = condition(line)
        made = self.made.get(asked.name) if isinstance(asked, Register) else None
        if made is None or made.operation != "icmp" or made.operands[0].type != WORD:
            return None
        value, number = (each.value for each in made.operands)
        if not isinstance(value, Register) or not isinstance(number, Number):
            return None
        return value.name, (made.words, number)

    # ------------------------------------------------ control

    def block(self, at: int) -> str:
        """Return the name of the block in which a line stands, of a label the block before."""
        return next(filter(None, map(label_of, reversed(self.rows[:at]))), self.entry)

    def labels(self, begin: int, end: int) -> frozenset[str]:
        """Return the blocks that begin in a part."""
        return frozenset(map(label_of, self.rows[begin:end])) - {""}

    def parts(self, at: int) -> bool:
        """Whether control passes from what stands before a place to what stands behind it there and nowhere else."""
        ahead, behind = label_of(self.rows[at]), self.labels(at, self.count)
        inside = {self.entry, ahead, *self.labels(0, at)}
        if any(not inside.issuperset(targets(row)) for row in self.rows[:at]):
            return False
        if at and not ahead and targets(self.rows[at - 1]):
            return False
        coming = behind | {"" if ahead else self.block(at)}
        return all(
            (behind - {ahead}).issuperset(targets(row)) and (row.operation != "phi" or coming.issuperset(row.targets))
            for row in self.rows[at:]
        )

    def shown(self, begin: int, end: int, values: Sequence[Value], given: str) -> list[object]:
        """Return what a part does, and values, with expressions for what is computed and numbers for what is read."""
        rows = self.rows[begin:end]
        names = {given: ARGUMENT} | {label_of(row) or row.result: f"line{k}" for k, row in enumerate(rows)}

        written = written_out(self.made, names)
        found: list[object] = [computed(row, written) for row in rows]
        return [*found, *(written(each.name) if isinstance(each, Register) else each for each in values)]

    def part(
        self, begin: int, end: int, values: Sequence[Value], given: str, frame: Sequence[Instruction] = ()
    ) -> Function:
        """Return the function of a part that returns values, between two more operations if there is a frame.

        `given` is a value from before, which is a parameter.
        """
        own = self.anchored[begin:end]
        known: dict[str, Value] = {given: Register(ARGUMENT)} if given else {}
        lines = [with_values(line, known) for line in self.lines] if given else self.lines
        names = [name for k in own for name in used(lines[k])]
        needed = {*self._needed([*names, *(name for value in values for name in value_names(value))])} - {given}
        computed = [k for k, line in enumerate(lines) if k not in own and line.result in needed]
        first, last = (own[0], own[-1]) if own else (len(lines), len(lines))
        bound = {k for k in computed if self._from(used(lines[k]))}
        head = [lines[k] for k in computed if k not in bound]
        middle = [lines[k] for k in sorted((*own, *(k for k in bound if first < k < last)))]
        tail = [lines[k] for k in computed if k in bound and k > last]
        begins = [middle.pop(0)] if middle and label_of(middle[0]) else []
        if any(line.operation in (LABEL, *_BRANCHES, "phi") for line in middle):
            begins = begins or [Instruction(LABEL, targets=(self.block(begin),))]
        else:
            begins = []
        if middle and targets(middle[-1]):
            middle.append(self.rows[end])
        type_ = {0: VOID, 1: WORD}.get(len(values), IRType("struct", fields=(WORD,) * len(values)))
        argument = (Parameter(ARGUMENT, WORD),) if given else ()
        function = replace(self.function, parameters=(*self.function.parameters, *argument), result=type_)
        everything = (*begins, *frame[:1], *head, *middle, *tail, *frame[1:], *_returning(values, type_))
        return with_body(function, everything)

    def _needed(self, ahead: list[str]) -> Iterator[str]:
        """Yield the names that are computed for some names, and those of them that are computed."""
        seen: set[str] = set()
        while ahead:
            name = ahead.pop()
            if name in self.made and name not in seen:
                seen.add(name)
                ahead += used(self.made[name])
                yield name


def keeps(sides: Sequence[FunctionSide], ranges: Sequence[tuple[int, int]], rest: Iterable[tuple[int, int]]) -> bool:
    """Whether a part loses no access that one of the rest of the function before may replace.

    What is idle may go for no reason. A fence does what a weaker one did. One operation that became another one of the
    same memory is what it is: if another one is why, the functions in which it is are asked.
    """
    rest = [*rest]
    own, made = (side.memory(*each) for side, each in zip(sides, ranges, strict=True))
    if not made.keys() <= own.keys():
        return False
    if made and all(end - begin == 1 for begin, end in ranges):
        return True
    left = sides[1].fences(*ranges[1])
    lost = [each for each in sides[0].fences(*ranges[0]) if not any(other.at_least(each) for other in left)]
    if lost and any(sides[0].fences(*each) for each in rest):
        return False
    busy = sides[0].memory(*ranges[0], idle=False)
    roots = NOTHING.union(*busy.values())
    elsewhere = NOTHING.union(*(used for each in rest for used in sides[0].memory(*each).values()))
    if roots | elsewhere >= ANY and elsewhere:
        elsewhere |= roots
    return {access for access, used in busy.items() if used & elsewhere} <= made.keys()


def side_of(function: Function) -> FunctionSide | None:
    """Return a function as it is cut; None if it makes its result in another way."""
    found = _returned(function)
    if found is None or any(line.operation == "unreachable" for line in found[0]):
        return None
    side = FunctionSide(function, *found)
    return side if side.trace() else None


def _returned(function: Function) -> tuple[list[Instruction], tuple[Value, ...]] | None:
    """Return the lines of a function but for those that make its result, and the values of that."""
    if sum(block.instructions[-1].operation == "ret" for block in function.blocks) != 1:
        return None
    *lines, last = body(function)
    if last.operation != "ret":
        return None
    if not last.operands or last.type == WORD:
        return lines, tuple(each.value for each in last.operands)
    values: dict[int, Value] = {}
    whole = last.operands[0].value
    while lines and lines[-1].operation == "insertvalue" and Register(lines[-1].result) == whole:
        inner, value = lines[-1].operands
        if value.type != WORD:
            return None
        values.setdefault(lines.pop().indices[0], value.value)
        whole = inner.value
    if not (isinstance(whole, UndefValue) and whole.poison) or len(values) != len(function.result.fields):
        return None
    return lines, tuple(values[k] for k in sorted(values))


def _returning(values: Sequence[Value], type_: IRType) -> Iterator[Instruction]:
    """Yield what returns values."""
    operands = tuple(Operand(WORD, value) for value in values)
    if values[1:]:
        rows, whole = filled("result", type_, operands)
        yield from rows
        operands = (whole,)
    yield Instruction("ret", type=type_, operands=operands)


def targets(line: Instruction) -> tuple[str, ...]:
    """Return the blocks to which a line branches."""
    return line.targets if line.operation in _BRANCHES else ()


def condition(line: Instruction) -> Value | None:
    """Return what a branch with two targets asks about."""
    return line.operands[0].value if line.operation == "br" and line.operands else None
