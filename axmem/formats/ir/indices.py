"""How far the accesses of a test reach into memory, as far as its numbers say.

What goes in: a test whose memory need not be as large as it is accessed. What comes out: for each location, between
which bytes the accesses are whose index is known. Numbers come from the launch, constants and parameters; a loop is
followed a few times. Where a pointer leads by an index of which nothing is known, there are some elements. This only
guesses how much room there should be: too much harms nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

from axmem.litmus import walk
from axmem.litmus.arithmetic import FLOATS, apply_operation, told
from axmem.litmus.kernels import Phi
from axmem.litmus.launch import lanes
from axmem.litmus.syntax import (
    AccessStatement,
    AddressOf,
    Assign,
    Expr,
    IntegerOperation,
    LitmusTest,
    Number,
    Register,
    Statement,
    UndefValue,
)

Known = frozenset[int] | None
"""What a value may be; None: nothing is known."""
ROUNDS = 8
"""So often is a loop followed."""
MOST = 512
"""So many values are told apart."""
ROOM = 32
"""So many bytes are there where nothing is known of a pointer."""
ELEMENTS = 4
"""So many elements are there where nothing is known of an index: each is memory that models and machine look at."""
FARTHEST = 16
"""So many elements there are at most because an index may be so large that is masked."""
_APART = 40
"""Locations are this many bits apart, so that a number says of which it is an address."""


class Ends(NamedTuple):
    """Between which bytes of each location the accesses are of which something is known, and where it is not of some.

    It is not either where a pointer that is chosen among several leads. `begins` are below 0.
    """

    ends: dict[str, int]
    begins: dict[str, int]
    open: set[str]


def behind(test: LitmusTest, assumed: Known = frozenset(range(ELEMENTS)), farthest: int | None = None) -> Ends:
    """Return how far accesses reach.

    `assumed` is what is read from memory where nothing is known of an index; so an access is not taken to be more than
    `farthest` elements away.
    """
    names = [each.name for each in (*test.locations, *(own for kernel in test.kernels for own in kernel.memory))]
    ends: dict[str, int] = {}
    begins: dict[str, int] = {}
    open_ = set[str]()
    for body, given in _bodies(test):
        work, assuming = _Values(names, given), _Values(names, given, assumed)
        for each in (each for _ in range(ROUNDS) for each in walk.statements(body)):
            work.note(each)
            assuming.note(each)
        for each in walk.statements(body):
            if isinstance(each, AccessStatement) and each.type is not None:
                base, by = each.address.base, each.address.index
                unknown = work.value(base) is None or (by is not None and work.value(by) is None)
                for name in work.into(base) if unknown else ():
                    room = ROOM if by is None or work.value(base) is None else ELEMENTS * each.type.size
                    ends[name] = max(room, ends.get(name, 0))
                    open_.add(name)
                leads = work.into(base)
                open_ |= leads if len(leads) > 1 else set()
                guessed = assuming.addresses(each) if unknown and leads else frozenset[int]()
                most = None if farthest is None else farthest * each.type.size
                for address in work.addresses(each) | guessed:
                    index, place = divmod(address + (1 << (_APART - 1)), 1 << _APART)
                    offset = place - (1 << (_APART - 1))
                    far = address in guessed and most is not None and abs(offset) > most
                    if 0 < index <= len(names) and not far:
                        name = names[index - 1]
                        ends[name] = max(offset + each.type.size, ends.get(name, 0))
                        begins[name] = min(offset, begins.get(name, 0))
    return Ends(ends, begins, open_)


def _bodies(test: LitmusTest) -> Iterator[tuple[tuple[Statement, ...], dict[str, Known]]]:
    """Yield what is executed, with what is known at first."""
    for thread in test.threads:
        yield thread.body, {}
    for kernel in test.kernels:
        given: dict[str, Known] = {}
        for lane in lanes(kernel):
            for name, value in lane.ids(kernel).items():
                given[name] = frozenset((given.get(name) or frozenset()) | {value})
        none = _Values([location.name for location in test.locations], {})
        for parameter in kernel.parameters:
            given[parameter.name] = _union(none.value(each) for each in parameter.values)
        yield kernel.body, given


def _union(sets: Iterator[Known]) -> Known:
    found: set[int] = set()
    for each in sets:
        if each is None:
            return None
        found |= each
    return frozenset(found) if len(found) <= MOST else None


class _Values:
    """What the registers of a body may hold; one that nothing was noted of holds nothing yet.

    `assumed` is what is taken to be read from memory.
    """

    def __init__(self, names: list[str], given: Mapping[str, Known], assumed: Known = None) -> None:
        self.names = names
        self.assumed = assumed
        self.known: dict[str, Known] = dict(given)
        self.roots: dict[str, frozenset[str]] = {}

    def note(self, each: Statement) -> None:
        """Note what a statement assigns."""
        if isinstance(each, Assign):
            self.add(each.register, self.value(each.value))
            self.roots[each.register] = self.into(each.value)
        elif isinstance(each, Phi):
            self.add(each.register, _union(self.value(incoming.value) for incoming in each.incoming))
            self.roots[each.register] = frozenset().union(*(self.into(incoming.value) for incoming in each.incoming))
        else:
            for register in walk.results(each):
                self.known[register] = self.assumed

    def add(self, register: str, values: Known) -> None:
        """Note what a register may hold besides."""
        before = self.known.get(register, frozenset())
        self.known[register] = _union(iter((before, values)))

    def addresses(self, access: AccessStatement) -> frozenset[int]:
        """Return where an access may go, as far as that is known."""
        base = self.value(access.address.base)
        index = self.value(access.address.index) if access.address.index is not None else frozenset({0})
        assert access.type is not None
        type_ = access.address.index.type if access.address.index is not None else None
        bits = type_.bits if type_ is not None else 64
        if base is None or index is None or len(base) * len(index) > MOST:
            return frozenset()
        return frozenset(b + _signed(i, bits) * access.type.size for b in base for i in index)

    def into(self, expr: Expr) -> frozenset[str]:
        """Return the locations into which a pointer may lead."""
        match expr:
            case AddressOf(location=location):
                return frozenset({location})
            case Register(name=name):
                return self.roots.get(name, frozenset())
            case IntegerOperation(name="add" | "select", operands=operands):
                return frozenset().union(*map(self.into, operands))
        return frozenset()

    def value(self, expr: Expr) -> Known:
        """Return what an expression may be."""
        match expr:
            case Number(value=value):
                return frozenset({value})
            case AddressOf(location=location):
                return frozenset({(self.names.index(location) + 1) << _APART}) if location in self.names else None
            case Register(name=name):
                return self.known.get(name, frozenset())
            case UndefValue():
                return frozenset()
            case IntegerOperation(name="select", operands=(_, one, other)):
                return _union(iter((self.value(one), self.value(other))))
            case IntegerOperation(name=name, operands=operands):
                return self.operation(expr, name, [self.value(each) for each in operands])
        return None

    def operation(self, expr: IntegerOperation, name: str, sets: list[Known]) -> Known:
        """Return what an operation may give."""
        sure = [each for each in sets if each is not None]
        if len(sure) != len(sets):
            return _within(name, expr.operands, sets)
        if name in FLOATS:
            return None  # Types of registers are not known, and so is how wide a number is.
        first = expr.operands[0].type
        bits = expr.type.bits if expr.type is not None else 64
        width = first.bits if first is not None else bits
        tuples = list(islice(product(*sure), MOST + 1))
        if len(tuples) > MOST:
            return None
        mask = (1 << width) - 1
        # For the same reason a sign must be left.
        wrapped = ([n if n >> _APART and (n > 0 or name == "sext") else n & mask for n in each] for each in tuples)
        values = (apply_operation(name, bits, told(name, width), tuple(each)) for each in wrapped)
        return frozenset(value for value in values if isinstance(value, int))


def _within(name: str, operands: Sequence[Expr], sets: Sequence[Known]) -> Known:
    """Return the numbers below a bound that a mask, a divisor or a shift sets to what is not known."""
    known = [max(each) for each in sets if each]
    bits = next((each.type.bits for each in operands if each.type is not None), 64)
    if name == "and" and known:
        most = min(known) + 1
    elif name == "urem" and sets[1] and min(sets[1]) > 0:
        most = max(sets[1])
    elif name == "lshr" and sets[1] and max(sets[1]) < bits:
        most = 1 << (bits - min(sets[1]))
    else:
        return None
    return frozenset(range(most)) if 0 < most <= FARTHEST else None


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value
