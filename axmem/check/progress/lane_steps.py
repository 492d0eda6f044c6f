"""One lane, from one operation that others can see to the next.

What goes in: a lane's state, and what its operation gave. What comes out: the state at its next operation, an access or
a convergent one; what lies between is executed at once. Invariant: a state holds only the registers that are still
read, so that equal states go on alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from axmem.check.progress.memory_bytes import Bytes, Values, bytes_after, value_at
from axmem.check.progress.program import Member
from axmem.check.progress.reach import BlockPlace, Counts
from axmem.events.expressions import inside, why_outside
from axmem.events.graph import location_at
from axmem.events.values import Constant, Value, apply_operation, without_reads
from axmem.litmus import syntax as ast
from axmem.litmus.blocks import KernelBlock
from axmem.litmus.kernels import SIGNATURES
from axmem.litmus.poison import undefined_where
from axmem.litmus.undef import agree

BEFORE = -1
"""The number of a lane's statement where it is about to execute a block, its phis aside."""
DISCARDED = "an `assume` does not hold"
Registers: TypeAlias = tuple[tuple[str, Values], ...]


class BarrierArrival(NamedTuple):
    """An execution of the first half of a barrier: where it stands. Nowhere, once everyone has executed it."""

    place: BlockPlace
    at: int


ALL_ARRIVED = BarrierArrival(BlockPlace("", ()), 0)


class LanePosition(NamedTuple):
    """Where a lane is, and its registers. One that has ended is in no block; `fault` says why it goes no further.

    `at` is the number of the statement that it executes next, `BEFORE` where it is about to execute the block;
    `arrived` the first half of a barrier that it has executed and not yet waited for.
    """

    block: str
    at: int
    counts: Counts
    registers: Registers
    fault: str = ""
    arrived: BarrierArrival | None = None

    @property
    def place(self) -> BlockPlace:
        """Which execution of which block this is."""
        return BlockPlace(self.block, self.counts)

    @property
    def ended(self) -> bool:
        """Whether the lane has returned."""
        return not self.block and not self.fault


class PendingAccess(NamedTuple):
    """An access that a lane is about to make: where, and its operands."""

    statement: ast.AnyAccess
    location: int
    offset: int
    operands: tuple[Values, ...]


class AccessEffect(NamedTuple):
    """What an access may do: the bytes of its location and the lane afterwards.

    It is `spurious` where a weak cmpxchg fails without reason.
    """

    content: Bytes
    lane: LanePosition
    spurious: bool = False


class LaneFault(Exception):
    """A lane's behaviour is undefined, or it does not count."""


class Runner:
    """Executes one lane; with `every_block` it stops before each block, since other lanes may have to come there."""

    def __init__(self, member: Member, *, every_block: bool = False) -> None:
        self.member = member
        self._unit = member.unit
        self._every = every_block and member.unit.kernel.launch.lanes > 1
        self._accesses: dict[LanePosition, PendingAccess | None] = {}

    def start(self, arguments: Mapping[str, Values]) -> LanePosition:
        """Return the state of a lane that has not begun."""
        begin = dict(arguments) | {n: (number,) for n, number in self.member.lane.ids(self._unit.kernel).items()}
        place = self._unit.reach.moved(None, self._unit.flow.entry.name, self._unit.counted)
        return self._state(place, BEFORE, begin)

    def begun(self, state: LanePosition) -> bool:
        """Whether a lane has begun; nothing comes back to the entry."""
        return (state.block, state.at) != (self._unit.flow.entry.name, BEFORE)

    def statement(self, state: LanePosition) -> ast.Statement | None:
        """Return the operation that a lane executes next; None before a block."""
        return None if state.at == BEFORE else self._unit.flow.block[state.block].statements[state.at]

    def go_on(self, state: LanePosition, given: Mapping[str, Values] | None = None) -> LanePosition:
        """Return the next state at an operation, after that of a state, which has given some registers."""
        registers = dict(state.registers) | dict(given or {})
        try:
            after = self._run(state.place, state.at + 1, registers)
        except LaneFault as fault:
            return LanePosition("", 0, (), (), str(fault))
        return after if state.arrived is None else after._replace(arrived=state.arrived)

    # ------------------------------------------------------------ between operations

    def _run(self, place: BlockPlace, index: int, registers: dict[str, Values]) -> LanePosition:
        passed = set[str]()
        while True:
            block = self._unit.flow.block[place.block]
            if index == BEFORE:
                if self._every or place.block in passed:
                    return self._state(place, BEFORE, registers)
                passed.add(place.block)
                index = 0
            for number, statement in enumerate(block.statements[index:], index):
                if not self._local(statement, registers):
                    return self._state(place, number, registers)
            target = self._target(block.terminator, registers)
            if not target:
                kept = self._unit.live[place.block][-1]
                return LanePosition("", 0, (), _sorted(registers, kept))
            registers.update(self._phis(target, block, registers))
            place, index = self._unit.reach.moved(place, target, self._unit.counted), BEFORE

    def _state(self, place: BlockPlace, index: int, registers: Mapping[str, Values]) -> LanePosition:
        kept = self._unit.live[place.block][max(index, 0)]
        return LanePosition(place.block, index, place.counts, _sorted(registers, kept))

    def _local(self, statement: ast.Statement, registers: dict[str, Values]) -> bool:
        """Execute a statement that no other lane sees; return whether it is one."""
        match statement:
            case ast.AccessStatement():
                return False
            case ast.Call(operation=name) if name in SIGNATURES:
                return False
            case ast.Assign(register=register, value=value):
                registers[register] = self._value(value, registers)
            case ast.Assume(condition=condition):
                if not self._decided(condition, registers, undefined_where(condition)):
                    raise LaneFault(DISCARDED)
        return True

    def _phis(self, target: str, before: KernelBlock, registers: Mapping[str, Values]) -> dict[str, Values]:
        return {
            phi.register: self._value(each.value, registers, phi.type)
            for phi in self._unit.flow.block[target].phis
            for each in phi.incoming
            if each.block == before.name
        }

    def _target(self, terminator: ast.Statement, registers: Mapping[str, Values]) -> str:
        """Return where a lane goes, `""` where it ends."""
        match terminator:
            case ast.Unreachable():
                raise LaneFault("`unreachable` is reached")
            case ast.Branch(targets=(target,)):
                return target
            case ast.Branch(targets=(yes, no), condition=condition) if condition is not None:
                return yes if self._decided(condition, registers, "branch on undef") else no
            case ast.Switch(value=of, default=default, cases=cases):
                value = self._decided(of, registers, "switch on undef")
                return next((c.block for c in cases if self._value(c.value, {}) == (value,)), default)
        return ""

    def _decided(self, expr: ast.Expr, registers: Mapping[str, Values], reason: str) -> int:
        value = self._value(expr, registers)[0]
        if not isinstance(value, int):
            raise LaneFault(reason)
        return value

    def _value(self, expr: ast.Expr, registers: Mapping[str, Values], type_: ast.Type | None = None) -> Values:
        lanes = self.member.expressions.lanes(expr, type_ or expr.type, _constants(registers))
        return tuple(map(without_reads, lanes))

    # ------------------------------------------------------------ operations

    def operands(self, state: LanePosition, call: ast.Call) -> list[Values]:
        """Return the operands of a convergent operation."""
        return [self._value(value, dict(state.registers)) for value in call.operands]

    def access(self, state: LanePosition) -> PendingAccess:
        """Return the access that a lane is about to make; raise `LaneFault` if that is undefined behaviour."""
        if state not in self._accesses:
            self._accesses[state] = self._access(state)
        found = self._accesses[state]
        assert found is not None
        return found

    def _access(self, state: LanePosition) -> PendingAccess:
        statement = self.statement(state)
        assert isinstance(statement, ast.AccessStatement) and statement.type is not None
        registers = dict(state.registers)
        expressions = self.member.expressions
        address = expressions.address(statement.address, statement.type, _constants(registers))
        place = without_reads(address)
        if not isinstance(place, int):
            raise LaneFault("access through an undef address")
        if not inside(self.member.test, place, statement.type):
            raise LaneFault(why_outside(self.member.test, Constant(place), statement.type))
        exprs: tuple[ast.Expr, ...] = ()
        match statement:
            case ast.Store(value=value) | ast.AtomicRmw(value=value):
                exprs = (value,)
            case ast.CmpXchg(expected=expected, desired=desired):
                exprs = (expected, desired)
        return PendingAccess(
            statement, *location_at(place), tuple(self._value(e, registers, statement.type) for e in exprs)
        )

    def effects(self, state: LanePosition, content: Bytes) -> Iterator[AccessEffect]:
        """Yield what the access of a lane may do to the bytes of its location."""
        access = self.access(state)
        statement, operands = access.statement, access.operands
        type_ = statement.type or ast.I32
        old = value_at(content, access.offset, type_)

        def after(given: Mapping[str, Values], new: Values | None, *, spurious: bool = False) -> AccessEffect:
            named = {name: value for name, value in given.items() if name}
            changed = content if new is None else bytes_after(content, access.offset, new, type_)
            return AccessEffect(changed, self.go_on(state, named), spurious)

        match statement:
            case ast.Load(register=register):
                yield after({register: old}, None)
            case ast.Store():
                yield after({}, operands[0])
            case ast.AtomicRmw(register=register, operation=name):
                operand = operands[0] * (len(old) if len(operands[0]) == 1 else 1)
                pairs = zip(old, operand, strict=True)
                yield after({register: old}, tuple(_updated(name, type_.bits, *pair) for pair in pairs))
            case ast.CmpXchg(register=register, ok_register=ok, weak=weak):
                expected, desired = operands
                undef = any(not isinstance(value, int) for value in (*old, *expected))
                open_ = undef and all(map(agree, old, expected))
                for succeeds in (1, 0):
                    spurious = weak and not succeeds and old == expected
                    if open_ or spurious or bool(succeeds) == (old == expected):
                        given = {register: old, ok: (succeeds,)} if ok else {register: (*old, succeeds)}
                        yield after(given, desired if succeeds else None, spurious=spurious)


def _updated(operation: str, bits: int, old: Value, operand: Value) -> Value:
    return operand if operation == "xchg" else apply_operation(operation, bits, (), (old, operand))


def _constants(registers: Mapping[str, Values]) -> dict[str, tuple[Constant, ...]]:
    return {name: tuple(map(Constant, values)) for name, values in registers.items()}


def _sorted(registers: Mapping[str, Values], kept: frozenset[str]) -> Registers:
    return tuple(sorted((name, value) for name, value in registers.items() if name in kept))
