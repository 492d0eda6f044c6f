"""The sequentially consistent outcomes of a test, by running it.

What goes in: a resolved test. What comes out: every outcome of some interleaving of its threads' statements, and the
reasons of undefined behaviour. Memory is a table of bytes; nothing of events, cells, relations or axioms is used, so
that this is a check of all of them. Each statement is one step; fences, make operations and barriers do nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from axmem.events.graph import address_of, location_at
from axmem.events.values import UNDEF, Value
from axmem.litmus import syntax as ast

Bytes = tuple[int | None, ...]
Lanes = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """A state: the bytes of each location, each thread's registers and what it has left to execute."""

    memory: tuple[Bytes, ...]
    registers: tuple[tuple[tuple[str, Lanes], ...], ...]
    left: tuple[tuple[ast.Statement, ...], ...]


@dataclass(slots=True)
class Runner:
    """Runs one test; `undefined` collects the reasons met."""

    test: ast.LitmusTest
    undefined: set[str] = field(default_factory=set)

    def final_states(self) -> set[Machine]:
        """Return every state in which all threads have ended."""
        memory = tuple(self._initial(x) for x in self.test.locations)
        start = Machine(memory, ((),) * len(self.test.threads), tuple(t.body for t in self.test.threads))
        seen, todo, ends = {start}, [start], set()
        while todo:
            state = todo.pop()
            if not any(state.left):
                ends.add(state)
            for after in self._successors(state):
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        return ends

    def _initial(self, location: ast.Location) -> Bytes:
        type_ = location.type or ast.I32
        if location.initial is None:
            return (None,) * type_.size
        lanes = self._value(location.initial, {})
        return to_bytes(lanes * max(1, type_.lanes) if len(lanes) == 1 else lanes, type_.bits)

    def _successors(self, state: Machine) -> Iterator[Machine]:
        for thread, statements in enumerate(state.left):
            if statements:
                left = (*state.left[:thread], statements[1:], *state.left[thread + 1 :])
                yield from self._step(replace(state, left=left), thread, statements[0])

    def _step(self, state: Machine, thread: int, statement: ast.Statement) -> Iterator[Machine]:
        registers = dict(state.registers[thread])
        match statement:
            case ast.Fence() | ast.Make() | ast.Barrier():
                yield state
            case ast.Assign(register, value):
                registers[register] = self._value(value, registers)
                yield with_registers(state, thread, registers)
            case ast.Assume(condition):
                (truth,) = self._value(condition, registers)
                self._note(truth, "`assume` of undef")
                if truth != 0:
                    yield state
            case ast.If(condition, then, otherwise):
                (truth,) = self._value(condition, registers)
                self._note(truth, "branch on undef")
                for taken, body in ((1, then), (0, otherwise)):
                    if truth is UNDEF or bool(truth) == bool(taken):
                        left = (*state.left[:thread], (*body, *state.left[thread]), *state.left[thread + 1 :])
                        yield replace(state, left=left)
            case ast.Load() | ast.Store() | ast.AtomicRmw() | ast.CmpXchg():
                yield from self._access(state, thread, statement, registers)
            case _:
                raise AssertionError("straight threads alone")

    def _note(self, value: Value, reason: str) -> None:
        if value is UNDEF:
            self.undefined.add(reason)

    def _access(
        self,
        state: Machine,
        thread: int,
        statement: ast.Load | ast.Store | ast.AtomicRmw | ast.CmpXchg,
        registers: dict[str, Lanes],
    ) -> Iterator[Machine]:
        type_ = statement.type or ast.I32
        (address,) = self._address(statement.address, type_, registers)
        if address is UNDEF:
            raise NotImplementedError("an access through undef goes anywhere")
        location, offset = location_at(address)
        if not 0 <= location < len(state.memory) or offset + type_.size > len(state.memory[location]):
            self.undefined.add("access outside every location")
            return
        place = slice(offset, offset + type_.size)
        old = from_bytes(state.memory[location][place], type_)

        def written(lanes: Lanes) -> Machine:
            content = list(state.memory[location])
            content[place] = to_bytes(lanes, type_.bits)
            memory = (*state.memory[:location], tuple(content), *state.memory[location + 1 :])
            return with_registers(replace(state, memory=memory), thread, registers)

        def operand(expr: ast.Expr) -> Lanes:
            lanes = self._value(expr, dict(state.registers[thread]))
            return lanes * len(old) if len(lanes) == 1 else lanes

        match statement:
            case ast.Load(register):
                registers[register] = old
                yield with_registers(state, thread, registers)
            case ast.Store(value):
                yield written(operand(value))
            case ast.AtomicRmw(register, operation, _, _, value):
                new = tuple(update(operation, type_.bits, a, b) for a, b in zip(old, operand(value), strict=True))
                if register:
                    registers[register] = old
                yield written(new)
            case ast.CmpXchg(register, ok_register, weak):
                expected, desired = operand(statement.expected), operand(statement.desired)
                unknown = UNDEF in (old[0], expected[0])
                for succeeds in (False, True):
                    if unknown or (succeeds and old == expected) or (not succeeds and (weak or old != expected)):
                        result: Lanes = (int(succeeds),)
                        named = {register: old, ok_register: result} if ok_register else {register: old + result}
                        registers.update({k: v for k, v in named.items() if k})
                        yield written(desired) if succeeds else with_registers(state, thread, registers)

    def _address(self, address: ast.Address, type_: ast.Type, registers: dict[str, Lanes]) -> Lanes:
        (base,) = self._value(address.base, registers)
        if address.index is None:
            return (base,)
        (index,) = self._value(address.index, registers)
        if base is UNDEF or index is UNDEF:
            return (UNDEF,)
        return (base + as_signed(index, address.index.type.bits if address.index.type else 64) * type_.size,)

    def _value(self, expr: ast.Expr, registers: dict[str, Lanes]) -> Lanes:
        bits = expr.type.bits if expr.type else 64
        lanes = max(1, expr.type.lanes) if expr.type else 1
        match expr:
            case ast.Number(value):
                return (value % (1 << bits),)
            case ast.UndefValue():
                return (UNDEF,) * lanes
            case ast.Given(index):
                raise AssertionError(f"parameter {index} is open")
            case ast.Register(name):
                return registers.get(name, (0,) * lanes)
            case ast.AddressOf(location):
                names = [x.name for x in self.test.locations]
                return (address_of(names.index(location)),)
            case ast.VectorOf(elements):
                return tuple(self._value(e, registers)[0] for e in elements)
            case ast.Element(value, index):
                return (self._value(value, registers)[index],)
            case ast.IntegerOperation(name, operands):
                (shape,) = {len(self._value(o, registers)) for o in operands}
                assert shape == 1
                arguments = [self._value(o, registers)[0] for o in operands]
                inner = operands[-1].type.bits if operands[-1].type else 64
                return (compute(name, bits, inner, arguments),)


def with_registers(state: Machine, thread: int, registers: dict[str, Lanes]) -> Machine:
    named = tuple(sorted(registers.items(), key=lambda item: item[0]))
    return replace(state, registers=(*state.registers[:thread], named, *state.registers[thread + 1 :]))


def as_signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >= 1 << (bits - 1) else value


def to_bytes(lanes: Lanes, bits: int) -> Bytes:
    out: list[int | None] = []
    for lane in lanes:
        size = max(1, bits // 8)
        out += [None] * size if lane is UNDEF else list(lane.to_bytes(size, "little"))
    return tuple(out)


def from_bytes(content: Bytes, type_: ast.Type) -> Lanes:
    size = type_.element.size
    lanes: list[Value] = []
    for i in range(0, len(content), size):
        part = [b for b in content[i : i + size] if b is not None]
        lanes.append(int.from_bytes(bytes(part), "little") if len(part) == size else UNDEF)
    return tuple(lanes)


def update(operation: str, bits: int, old: Value, operand: Value) -> Value:
    """Return what an atomicrmw writes, by LangRef's table."""
    if operation == "xchg":
        return operand
    if old is UNDEF or operand is UNDEF:
        return UNDEF
    x, y = as_signed(old, bits), as_signed(operand, bits)
    results = {
        "add": old + operand, "sub": old - operand, "and": old & operand, "nand": -1 - (old & operand),
        "or": old | operand, "xor": old ^ operand, "max": x if x > y else y, "min": x if x < y else y,
        "umax": old if old > operand else operand, "umin": old if old < operand else operand,
        "uinc_wrap": old + 1 if old < operand else 0,
        "udec_wrap": operand if old == 0 or old > operand else old - 1,
        "usub_cond": old - operand if old >= operand else old,
        "usub_sat": old - operand if old >= operand else 0,
    }  # fmt: skip
    return results[operation] % (1 << bits)


def compute(name: str, bits: int, operand_bits: int, arguments: list[Value]) -> Value:
    """Return the value of an operation of the expression language."""
    if name == "select":
        return UNDEF if arguments[0] is UNDEF else arguments[1] if arguments[0] else arguments[2]
    numbers = [a for a in arguments if a is not UNDEF]
    if len(numbers) < len(arguments):
        return UNDEF
    a, b = (*numbers, 0)[:2]
    if name in ("shl", "lshr", "ashr") and b >= bits:
        return UNDEF
    x, y = as_signed(a, operand_bits), as_signed(b, operand_bits)
    results: dict[str, Callable[[], int]] = {
        "add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b, "and": lambda: a & b, "or": lambda: a | b,
        "xor": lambda: a ^ b, "shl": lambda: a * 2**b, "lshr": lambda: a // 2**b, "ashr": lambda: x // 2**b,
        "not": lambda: -1 - a, "zext": lambda: a, "sext": lambda: x, "trunc": lambda: a,
        "eq": lambda: a == b, "ne": lambda: a != b, "ult": lambda: a < b, "ule": lambda: a <= b,
        "ugt": lambda: a > b, "uge": lambda: a >= b, "slt": lambda: x < y, "sle": lambda: x <= y,
        "sgt": lambda: x > y, "sge": lambda: x >= y,
    }  # fmt: skip
    return int(results[name]()) % (1 << bits)
