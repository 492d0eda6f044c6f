"""A kernel executed by one lane, step by step: what its registers hold in which iteration, what it does to memory.

What goes in: a test with one kernel of one lane. What comes out: an `Execution`. It shares nothing with the engines but
the arithmetic of the language: values are integers, addresses too, memory is a table of bytes. Invariant: nothing is
guessed; what this knows nothing of is an assertion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from axmem.litmus.arithmetic import UNDEF, apply_operation
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import IDS, Branch, Call, Phi, Return, Switch
from axmem.litmus.loops import ITERATION
from axmem.litmus.spelling import COMPARISONS
from axmem.litmus.syntax import (
    I32,
    Address,
    AddressOf,
    Assign,
    AtomicRmw,
    Expr,
    Fence,
    IntegerOperation,
    Kernel,
    LitmusTest,
    Load,
    Number,
    Register,
    Statement,
    Store,
    VectorOf,
)
from axmem.transform.loops import around, loops

MOST = 20_000
"""How many statements are executed at most."""

_ACCESSES = (Load, Store, AtomicRmw)

Numbers = tuple[int, ...]
"""The numbers of the iterations of the loops around a statement, outermost first."""


@dataclass(frozen=True, slots=True)
class Done:
    """One execution of a statement: its block, its number there, the iterations, what it gave or wrote and where.

    `known` are the registers then, and `iteration of h` of each loop.
    """

    block: str
    number: int
    statement: Statement
    iterations: Numbers
    value: object
    known: Mapping[str, int]
    place: int = 0


@dataclass(slots=True)
class Execution:
    """What was executed, and what memory holds at the end; `fault` says why it did not end as it should."""

    done: list[Done] = field(default_factory=list)
    memory: dict[int, int] = field(default_factory=dict)
    registers: dict[str, int] = field(default_factory=dict)
    fault: str = ""


class Fault(Exception):
    """The lane does something undefined."""


def executed(test: LitmusTest, kernel: Kernel, flow: ControlFlow) -> Execution:
    """Execute the graph of a kernel, with the memory and the parameters of its test."""
    return _Lane(test, kernel, flow).run()


class _Lane:
    def __init__(self, test: LitmusTest, kernel: Kernel, flow: ControlFlow) -> None:
        self.flow = flow
        self.loops = loops(flow)
        self.bases = {location.name: n + 1 << 16 for n, location in enumerate(test.locations)}
        self.found = Execution()
        self.valid: set[int] = set()
        for location in test.locations:
            type_, base = location.type or I32, self.bases[location.name]
            self.valid |= set(range(base, base + type_.size))
            if location.initial is not None:
                elements = location.initial.elements if isinstance(location.initial, VectorOf) else (location.initial,)
                for n, element in enumerate(elements):
                    self.write(base + n * type_.element.size, self.value(element), type_.element.size)
        self.known = dict.fromkeys(IDS, 0) | {p.name: self.value(p.values[0]) for p in kernel.parameters}
        self.turns: dict[str, int] = {}

    @property
    def known(self) -> dict[str, int]:
        return self.found.registers

    @known.setter
    def known(self, registers: dict[str, int]) -> None:
        self.found.registers = registers

    def run(self) -> Execution:
        try:
            before, name = "", self.flow.entry.name
            while name:
                before, name = name, self.block(before, self.flow.block[name])
        except Fault as fault:
            self.found.fault = str(fault)
        return self.found

    def block(self, before: str, block: KernelBlock) -> str:
        """Execute a block; return where the lane goes, empty at the end."""
        for loop in self.loops:
            if loop.header == block.name:
                self.turns[loop.header] = self.turns[loop.header] + 1 if before in loop.blocks else 0
        numbers = tuple(self.turns[loop.header] for loop in around(self.loops, block.name))
        values = [next(i.value for i in phi.incoming if i.block == before) for phi in block.phis]
        for phi, value in zip(block.phis, [self.value(v) for v in values], strict=True):
            self.known[phi.register] = value
        for n, phi in enumerate(block.phis):
            self.note(block, n - len(block.phis), phi, numbers)
        for n, statement in enumerate(block.statements):
            self.statement(statement)
            self.note(block, n, statement, numbers)
        match block.terminator:
            case Branch(targets=(target,)):
                return target
            case Branch(targets=targets, condition=condition) if condition is not None:
                return targets[0 if self.value(condition) else 1]
            case Switch(value=chosen, default=default, cases=cases):
                number = self.value(chosen)
                return next((c.block for c in cases if self.value(c.value) == number), default)
            case Return():
                return ""
        raise Fault("unreachable")

    def note(self, block: KernelBlock, number: int, statement: Statement, numbers: Numbers) -> None:
        if len(self.found.done) > MOST:
            raise Fault("it does not end")
        result: object = None
        place = self.place(statement.address, statement.type or I32) if isinstance(statement, _ACCESSES) else 0
        match statement:
            case Phi(register=name) | Assign(register=name) | Load(register=name) | AtomicRmw(register=name):
                result = self.known.get(name)
            case Store():
                result = self.value(statement.value)
        known = self.known | {f"{ITERATION}{header}": turn for header, turn in self.turns.items()}
        self.found.done.append(Done(block.name, number, statement, numbers, result, known, place))

    def statement(self, statement: Statement) -> None:
        match statement:
            case Assign(register=register, value=value):
                self.known[register] = self.value(value)
            case Load(register=register, type=type_, address=address):
                self.known[register] = self.read(self.place(address, type_ or I32), (type_ or I32).size)
            case Store(value=value, type=type_, address=address):
                self.write(self.place(address, type_ or I32), self.value(value), (type_ or I32).size)
            case AtomicRmw(register=register, operation="add", type=type_, address=address, value=value):
                size, place = (type_ or I32).size, self.place(address, type_ or I32)
                old = self.read(place, size)
                self.write(place, (old + self.value(value)) % (1 << 8 * size), size)
                self.known |= {register: old} if register else {}
            case Call(operation="ballot", operands=(operand,), register=register):
                self.known[register] = self.value(operand)
            case Fence():
                pass
            case _:
                raise AssertionError(f"not known here: {statement}")

    def place(self, address: Address, type_: object) -> int:
        """Return where an access goes; an index is signed, and counts in elements."""
        base = self.value(address.base)
        if address.index is None:
            return base
        bits = (address.index.type or I32).bits
        index = self.value(address.index)
        index -= (1 << bits) * (index >> (bits - 1) & 1)
        return base + index * getattr(type_, "size", 4)

    def read(self, place: int, size: int) -> int:
        if not all(byte in self.valid for byte in range(place, place + size)):
            raise Fault("an access outside every location")
        return sum(self.found.memory.get(place + n, 0) << 8 * n for n in range(size))

    def write(self, place: int, value: int, size: int) -> None:
        if not all(byte in self.valid for byte in range(place, place + size)):
            raise Fault("an access outside every location")
        for n in range(size):
            self.found.memory[place + n] = value >> 8 * n & 255

    def value(self, expr: Expr) -> int:
        return evaluated(expr, self.found.registers, self.bases)


def evaluated(expr: Expr, known: Mapping[str, int], bases: Mapping[str, int]) -> int:
    """Return the value of a scalar expression."""
    bits = (expr.type or I32).bits
    match expr:
        case Number(value=value):
            return int(value) % (1 << bits)
        case Register(name=name):
            return known[name]
        case AddressOf(location=location):
            return bases[location]
        case IntegerOperation(name="select", operands=(condition, *ways)):
            # What is not taken may be undef, as where a flag would be broken.
            return evaluated(ways[not evaluated(condition, known, bases)], known, bases)
        case IntegerOperation(name=name, operands=operands):
            inner = (operands[0].type or I32).bits
            parameters = (inner,) if name == "sext" or (name in COMPARISONS and name.startswith("s")) else ()
            found = apply_operation(name, bits, parameters, tuple(evaluated(o, known, bases) for o in operands))
            assert found is not UNDEF and isinstance(found, int)
            return found
    raise AssertionError(f"not known here: {expr}")


def instances(done: Sequence[Done]) -> Iterator[tuple[tuple[str, Numbers], Done]]:
    """Yield what was executed with its register and iterations, of statements that have a register."""
    for each in done:
        register = getattr(each.statement, "register", "")
        if register:
            yield (register, each.iterations), each
