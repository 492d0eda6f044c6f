"""The sequentially consistent outcomes of a test, by running it.

What goes in: a resolved test. What comes out: every outcome of some interleaving of its threads' statements, and the
reasons of undefined behaviour. Memory is a table of bytes; nothing of events, cells, relations or axioms is used, so
that this is a check of all of them. Each statement is one step; fences, make operations and barriers do nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from axmem.events.graph import address_of, location_at
from axmem.litmus import syntax as ast
from axmem.litmus.undef import POISONED, UNDEF, Partial, Value

Bytes = tuple[str, ...]
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
            return ("?" * 8,) * type_.size
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
                    if not isinstance(truth, int) or bool(truth) == bool(taken):
                        left = (*state.left[:thread], (*body, *state.left[thread]), *state.left[thread + 1 :])
                        yield replace(state, left=left)
            case ast.Load() | ast.Store() | ast.AtomicRmw() | ast.CmpXchg():
                yield from self._access(state, thread, statement, registers)
            case _:
                raise AssertionError("straight threads alone")

    def _note(self, value: Value, reason: str) -> None:
        if not isinstance(value, int):
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
        if not isinstance(address, int):
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
                equal = compute("eq", 1, type_.bits, [old[0], expected[0]])
                for succeeds in (False, True):
                    if not isinstance(equal, int) or bool(equal) == succeeds or (weak and not succeeds):
                        result: Lanes = (int(succeeds),)
                        named = {register: old, ok_register: result} if ok_register else {register: old + result}
                        registers.update({k: v for k, v in named.items() if k})
                        yield written(desired) if succeeds else with_registers(state, thread, registers)

    def _address(self, address: ast.Address, type_: ast.Type, registers: dict[str, Lanes]) -> Lanes:
        (base,) = self._value(address.base, registers)
        if address.index is None:
            return (base,)
        (index,) = self._value(address.index, registers)
        if not (isinstance(base, int) and isinstance(index, int)):
            return (UNDEF,)
        return (base + as_signed(index, address.index.type.bits if address.index.type else 64) * type_.size,)

    def _value(self, expr: ast.Expr, registers: dict[str, Lanes]) -> Lanes:
        bits = expr.type.bits if expr.type else 64
        lanes = max(1, expr.type.lanes) if expr.type else 1
        match expr:
            case ast.Number(value):
                return (value % (1 << bits),)
            case ast.UndefValue(poison=True):
                return (POISONED,) * lanes
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


def bits_of(value: Value, width: int) -> str:
    """Return the bits of a value, lowest first, `?` for one that is undef."""
    if isinstance(value, Partial):
        return "".join("?" if value.free >> i & 1 else str(value.bits >> i & 1) for i in range(width))
    if not isinstance(value, int):
        return "?" * width
    return format(value % (1 << width), f"0{width}b")[::-1]


def value_of(bits: str) -> Value:
    """Return the value of these bits."""
    if "?" not in bits:
        return int(bits[::-1] or "0", 2)
    if set(bits) == {"?"}:
        return UNDEF
    return Partial(int(bits[::-1].replace("?", "0"), 2), int(bits[::-1].replace("1", "0").replace("?", "1"), 2))


def to_bytes(lanes: Lanes, bits: int) -> Bytes:
    out: list[str] = []
    for lane in lanes:
        whole = bits_of(lane, max(8, bits))
        out += ["poison" if lane is POISONED else whole[at : at + 8] for at in range(0, len(whole), 8)]
    return tuple(out)


def from_bytes(content: Bytes, type_: ast.Type) -> Lanes:
    size = type_.element.size
    parts = [content[i : i + size] for i in range(0, len(content), size)]
    return tuple(POISONED if "poison" in part else value_of("".join(part)) for part in parts)


def update(operation: str, bits: int, old: Value, operand: Value) -> Value:
    """Return what an atomicrmw writes, by LangRef's table."""
    if operation == "xchg":
        return operand
    if POISONED in (old, operand):
        return POISONED
    if operation in ("and", "or", "xor", "nand", "add", "sub") and not (
        isinstance(old, int) and isinstance(operand, int)
    ):
        if operation == "nand":
            return compute("not", bits, bits, [compute("and", bits, bits, [old, operand])])
        return compute(operation, bits, bits, [old, operand])
    if not (isinstance(old, int) and isinstance(operand, int)):
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
        if isinstance(arguments[0], int):
            return arguments[1] if arguments[0] else arguments[2]
        if POISONED in arguments:
            return POISONED
        both = zip(bits_of(arguments[1], bits), bits_of(arguments[2], bits), strict=True)
        return value_of("".join(a if a == b else "?" for a, b in both))
    if POISONED in arguments:
        return POISONED
    numbers = [a for a in arguments if isinstance(a, int)]
    if len(numbers) < len(arguments):
        return _undef(name, bits, operand_bits, arguments)
    a, b = (*numbers, 0)[:2]
    if name in ("shl", "lshr", "ashr") and b >= bits:
        return POISONED
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


_TABLES = {
    "and": {"00": "0", "01": "0", "10": "0", "0?": "0", "?0": "0", "11": "1"},
    "or": {"11": "1", "01": "1", "10": "1", "1?": "1", "?1": "1", "00": "0"},
    "xor": {"00": "0", "11": "0", "01": "1", "10": "1"},
}


def _undef(name: str, bits: int, operand_bits: int, arguments: list[Value]) -> Value:
    """Return the value of an operation of which an operand has undef bits, as LangRef says of each of them."""
    x, y = (*(bits_of(a, operand_bits) for a in arguments), "")[:2]
    if name in _TABLES:
        return value_of("".join(_TABLES[name].get(a + b, "?") for a, b in zip(x, y, strict=True)))
    if name == "not":
        return value_of("".join({"0": "1", "1": "0"}.get(a, "?") for a in x))
    if name in ("zext", "sext", "trunc"):
        return value_of((x + (x[-1] if name == "sext" else "0") * bits)[:bits])
    if name in ("shl", "lshr", "ashr"):
        by = arguments[1]
        if not isinstance(by, int) or by >= bits:
            return POISONED
        return value_of(("0" * by + x)[:bits] if name == "shl" else x[by:] + ("0" if name == "lshr" else x[-1]) * by)
    if name in ("eq", "ne"):
        return int(name == "ne") if any(a + b in ("01", "10") for a, b in zip(x, y, strict=True)) else UNDEF
    if name in ("add", "sub"):
        return _lowest(name, bits, x, y)
    if name == "mul":
        rows = ["0" * i + "".join(_TABLES["and"].get(a + b, "?") for a in x) for i, b in enumerate(y)]
        total = "0" * bits
        for row in rows:
            total = bits_of(_lowest("add", bits, total, row[:bits]), bits)
        return value_of(total)
    assert name[0] in "us"
    if UNDEF in arguments:
        return UNDEF
    ends = [[value_of(_end(each, name, to)) for to in "01"] for each in (x, y)]
    found = {compute(name, bits, operand_bits, [a, b]) for a in ends[0] for b in ends[1]}
    return found.pop() if len(found) == 1 else UNDEF


def _end(bits: str, name: str, to: str) -> str:
    """Return the least or the greatest number that these bits may be."""
    top = {"0": "1", "1": "0"}[to] if name[0] == "s" else to
    return bits[:-1].replace("?", to) + bits[-1].replace("?", top)


def _lowest(name: str, bits: int, x: str, y: str) -> Value:
    """Return the sum or the difference, as far as no undef bit stands below."""
    whole = compute(name, bits, bits, [value_of(each.replace("?", "0")) for each in (x, y)])
    known = min((x + "?").index("?"), (y + "?").index("?"))
    return value_of(bits_of(whole, bits)[:known] + "?" * (bits - known))
