"""What the readers of assembly share: registers, labels, and how a column becomes a thread.

What goes in: the columns of a test, cut into instructions. What comes out: threads of axmem. A register that is never
assigned stands for its initial value; a thread with labels is one with control flow. Names are those of the question,
or else those of the program: machines have several for one register.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable

from axmem.formats.herd.c_types import type_of
from axmem.formats.herd.front import Front, ThreadColumn, asked, assembled, columns, cursor_on, undeclared
from axmem.front.records import dataclass, replace
from axmem.front.source import Span, did_you_mean
from axmem.litmus import walk
from axmem.litmus.cursor import Cursor, Unparsable, spanning
from axmem.litmus.lexer import Token
from axmem.litmus.nesting import nested
from axmem.litmus.spelling import pointer_to
from axmem.litmus.syntax import (
    POINTER,
    AddressOf,
    AddressSpace,
    Assign,
    Branch,
    Condition,
    Expr,
    IntegerOperation,
    Kernel,
    Label,
    Launch,
    LitmusTest,
    Location,
    Number,
    Observable,
    Operand,
    Placement,
    Register,
    RegisterOf,
    Return,
    Statement,
    Thread,
    Type,
    ValueComparison,
)

DEFAULT_BITS = 32
"""How wide a register is that nothing says more of."""
GLOBAL = pointer_to(AddressSpace.GLOBAL)
"""The type of an address: all memory of a machine is global."""


@dataclass(frozen=True, slots=True)
class Named:
    """A register as it is written: of which `family` it is (`X0` of `W0`), and how many bits of it are meant."""

    family: str
    bits: int
    span: Span


@dataclass(frozen=True, slots=True)
class AssemblyInstruction:
    """One instruction: its mnemonic in capitals, its words, the label before it. A label alone has no mnemonic."""

    label: str
    mnemonic: str
    cursor: Cursor
    span: Span


class MachineReader(ABC):
    """What a machine's reader knows of its registers and instructions; made anew for each column.

    `named` are the locations whose names stand in instructions.
    """

    model = ""
    """The model of the machine."""
    words: re.Pattern[str]
    """What instructions are made of."""

    def __init__(self, front: Front, column: ThreadColumn, question: dict[str, str]) -> None:
        self.front = front
        self.column = column
        self.names = dict(question)
        self.initials = self._initials()
        self.out: list[Statement] = []
        self.targets: set[str] = set()
        self.count = 0
        self.instructions = list(self._cut())
        self.assigned: set[str] = set()
        self.bases: set[str] = set()
        self.bits: dict[str, int] = {}
        self.writes: Counter[str] = Counter()
        self.named: list[AddressOf] = []
        self.broken = False

    # ------------------------------------------------ what a machine says

    @classmethod
    @abstractmethod
    def register_named(cls, word: str) -> tuple[str, int] | None:
        """Return the family of a register and its bits; None for a word that names none."""

    @abstractmethod
    def uses(self, instruction: AssemblyInstruction) -> Iterable[tuple[Named, str]]:
        """Yield the registers of an instruction, each as `read`, `write`, `base` or `value`."""

    @abstractmethod
    def execute(self, index: int) -> int:
        """Emit an instruction and return the index of the next."""

    # ------------------------------------------------ instructions

    def _cut(self) -> Iterable[AssemblyInstruction]:
        for cell in self.column.cells:
            cursor = cursor_on(self.front, cell, self.words)
            if cursor.broken:
                continue
            start = cursor.peek()
            label = ""
            while cursor.at("name") and cursor.peek(1).kind == ":":
                if label:
                    yield AssemblyInstruction(label, "", cursor, start.span)
                label = cursor.next().text
                cursor.next()
            if cursor.at("end"):
                yield AssemblyInstruction(label, "", cursor, start.span)
                continue
            word = cursor.peek()
            if word.kind != "name":
                cursor.error(word.span, f"expected an instruction, found '{word.text}'")
                continue
            cursor.next()
            yield AssemblyInstruction(label, word.text.upper(), cursor, spanning(start.span, cursor.tokens[-2].span))

    def read(self) -> Thread | Kernel:
        """Return the thread of the column."""
        name, span = self.column.name, self.column.span
        if self.column.place.text:
            self.front.error(self.column.place.start, self.column.place.end, "threads of machines have no place here")
        self._survey()
        index = 0
        labels = [each.label for each in self.instructions if each.label]
        for label in labels:
            if labels.count(label) > 1:
                self.front.error_at(span, f"label '{label}' stands twice in {name}")
        while index < len(self.instructions):
            instruction = self.instructions[index]
            if instruction.label:
                self.begin(instruction.label, instruction.span)
            if not instruction.mnemonic:
                index += 1
                continue
            following = index + 1
            try:
                following = self.execute(index)
                after = self.instructions[following - 1].cursor
                if not after.at("end"):
                    after.fail_expected("the end of the instruction")
            except Unparsable:
                self.broken = True
            index = following
        for target in sorted(self.targets - set(labels)):
            self.front.error_at(span, f"no label is named '{target}' in {name}", did_you_mean(target, labels))
        controlled = any(isinstance(each, Label | Branch) for each in self.out)
        body = (*self._beginning(controlled=controlled), *self.out)
        return unit(Thread(name, Placement(), body, span), self.front)

    def _survey(self) -> None:
        """Find out which registers are assigned, which hold addresses, and how wide they are used or declared to be."""
        for initial in self.front.initials:
            named = self.register_named(initial.name) if initial.thread == self.column.name else None
            declared = type_of(initial.type) if initial.type and not initial.pointers else None
            if named is not None and declared is not None:
                self.bits[named[0]] = max(declared.bits, self.bits.get(named[0], 0))
        for instruction in self.instructions:
            if not instruction.mnemonic:
                continue
            start, before = instruction.cursor.index, len(self.front.diagnostics)
            try:
                for register, role in self.uses(instruction):
                    family = register.family
                    if role == "base":
                        self.bases.add(family)
                        continue
                    if role == "write":
                        self.assigned.add(family)
                        self.writes[family] += 1
                    if register.bits > self.bits.get(family, 0):
                        self.bits[family] = register.bits
            except Unparsable:
                del self.front.diagnostics[before:]
            instruction.cursor.index = start

    def _initials(self) -> dict[str, tuple[Expr, Span]]:
        found = {}
        for initial in self.front.initials:
            if initial.thread != self.column.name:
                continue
            named = self.register_named(initial.name)
            if named is None:
                self.front.error_at(initial.span, f"no register of this machine is named '{initial.name}'")
                continue
            found[named[0]] = (initial.value or Number(0), initial.span)
        return found

    def _beginning(self, *, controlled: bool) -> tuple[Statement, ...]:
        """Return what gives registers their initial values that are not constants of the thread."""
        found: list[Statement] = []
        used = {*self.assigned, *self.names}
        for family, (value, span) in self.initials.items():
            if family in used:
                given = self.constant(family, value) if isinstance(value, Number) else value
                found.append(Assign(self.name(family), given, span=span))
        if controlled:
            rest = [f for f in sorted(self.assigned) if f not in self.initials and f not in self.bases]
            found += [Assign(self.name(family), self.constant(family, Number(0))) for family in rest]
        return tuple(found)

    # ------------------------------------------------ registers

    def name(self, family: str) -> str:
        """Return the name of a register in axmem's test."""
        return self.names.get(family, family)

    def type(self, family: str) -> Type:
        """Return the type of a register: an address, or as wide as it is ever used."""
        return POINTER if family in self.bases else Type(self.bits.get(family, DEFAULT_BITS))

    def get(self, register: Named) -> Expr:
        """Return the value of a register."""
        if register.family not in self.assigned:
            value, _ = self.initials.get(register.family, (Number(0), register.span))
            if isinstance(value, AddressOf):
                return AddressOf(value.location, GLOBAL, register.span)
            return replace(value, span=register.span)
        value = Register(self.name(register.family), span=register.span)
        own = self.type(register.family)
        if own.pointer is None and own.bits > register.bits:
            return IntegerOperation("trunc", (value,), Type(register.bits), register.span)
        return value

    def put(self, register: Named, value: Expr, span: Span) -> None:
        """Assign a register; what has fewer bits than it leaves the others 0."""
        own = self.type(register.family)
        if isinstance(value, Number):
            value = self.constant(register.family, replace(value, value=value.value % 2**register.bits))
        elif own.pointer is None and own.bits > register.bits:
            value = IntegerOperation("zext", (value,), own, span)
        self.emit(Assign(self.name(register.family), value, span=span))

    def constant(self, family: str, value: Number) -> Expr:
        """Return a number of the type of a register: one that has no type is of 32 bits."""
        own = self.type(family)
        if own.pointer is not None or own.bits <= DEFAULT_BITS:
            return value
        return IntegerOperation("add", (value, Number(0, span=value.span)), own, value.span)

    def fresh(self) -> str:
        """Return a register of axmem's test that the machine does not have."""
        self.count += 1
        return f"_{self.count}"

    def loaded(self, register: Named, memory: Callable[[str, Type], Statement], span: Span) -> None:
        """Emit a statement that reads memory into a register, by its name and the type of what is read."""
        own = self.type(register.family)
        if own.pointer is not None or own.bits == register.bits:
            self.emit(memory(self.name(register.family), own))
            return
        name = self.fresh()
        self.emit(memory(name, Type(register.bits)))
        self.put(register, Register(name), span)

    # ------------------------------------------------ statements

    def emit(self, statement: Statement) -> None:
        """Add a statement."""
        self.out.append(statement)

    def begin(self, label: str, span: Span) -> None:
        """Begin a block."""
        if not (self.out and isinstance(self.out[-1], Branch)):
            self.emit(Branch((label,), span=span))
        self.emit(Label(label, span=span))

    def jump(self, target: Token, condition: Expr | None, span: Span) -> None:
        """Go to a label, always or if a condition holds."""
        self.targets.add(target.text)
        if condition is None:
            self.emit(Branch((target.text,), span=span))
        else:
            self.count += 1
            following = f"next{self.count}"
            self.emit(Branch((target.text, following), condition, span=span))
            self.emit(Label(following, span=span))

    def dead(self, index: int) -> int:
        """Return the index of the next instruction that may be executed after a jump: it has a label."""
        while index < len(self.instructions) and not self.instructions[index].label:
            self.instructions[index].cursor.index = len(self.instructions[index].cursor.tokens) - 1
            index += 1
        return index


def unit(thread: Thread, front: Front) -> Thread | Kernel:
    """Return a thread with labels and branches as one with `if`s, or, where it has a loop, as a kernel of one lane."""
    body = thread.body
    if not any(isinstance(each, Label | Branch) for each in body):
        return thread
    end: tuple[Statement, ...] = () if isinstance(body[-1], Branch | Return) else (Return(),)
    kernel = Kernel(
        thread.name, (), Launch(), thread.placement, (), (), (*body, *end), lane_of_thread=True, span=thread.span
    )
    found = "" if front.diagnostics else nested(kernel)
    return found if isinstance(found, Thread) else kernel


def read_machine(front: Front, machine: type[MachineReader]) -> LitmusTest:
    """Return the test of a program in columns."""
    named = machine.register_named
    question: dict[str, dict[str, str]] = {}
    for observable in asked(front):
        if isinstance(observable, RegisterOf) and (found := named(observable.register)):
            question.setdefault(observable.thread, {}).setdefault(found[0], observable.register)
    readers = [machine(front, column, question.get(column.name, {})) for column in columns(front)]
    names = [reader.column.name for reader in readers]
    for initial in front.initials:
        if initial.thread and initial.thread not in names:
            front.error_at(initial.span, f"there is no thread {initial.thread}")
    units = [reader.read() for reader in readers]
    front = _renamed(front, {reader.column.name: reader for reader in readers})
    threads = [unit for unit in units if isinstance(unit, Thread)]
    kernels = [unit for unit in units if isinstance(unit, Kernel)]
    return assembled(front, _locations(front, readers), threads, kernels=kernels, model=machine.model)


def _renamed(front: Front, readers: dict[str, MachineReader]) -> Front:
    """Return the front with the names of registers that the threads have."""

    def observable(each: Observable) -> Observable:
        if not isinstance(each, RegisterOf) or each.thread not in readers:
            return each
        reader = readers[each.thread]
        found = reader.register_named(each.register)
        if found is None:
            front.error_at(each.span, f"no register of this machine is named '{each.register}'")
            return each
        family = found[0]
        if family not in reader.assigned and family not in reader.initials and not reader.broken:
            front.error_at(each.span, f"{each.thread} never assigns '{each.register}', and it has no initial value")
        return walk.changed(each, register=reader.name(family))

    def side(each: Operand) -> Operand:
        return observable(each) if isinstance(each, RegisterOf) else each

    def comparison(atom: ValueComparison) -> Condition:
        return walk.changed(atom, left=side(atom.left), right=side(atom.right))

    ending = front.ending
    new = walk.changed(
        ending,
        observe=tuple(observable(each) for each in ending.observe),
        filter=None if ending.filter is None else walk.with_comparisons(ending.filter, comparison),
        condition=walk.with_comparisons(ending.condition, comparison),
    )
    sets = tuple(
        replace(each, rows=tuple(tuple((observable(o), v) for o, v in row) for row in each.rows))
        for each in front.outcome_sets
    )
    return walk.changed(front, ending=new, outcome_sets=sets)


def _locations(front: Front, readers: list[MachineReader]) -> list[Location]:
    """Return the locations: those with initial values, and those that programs or registers name."""
    found = []
    for initial in front.initials:
        if initial.thread:
            continue
        declared = type_of(initial.type) if initial.type else None
        if initial.type and declared is None:
            front.error_at(initial.span, f"'{' '.join(initial.type)}' is no type that is read")
        type_ = POINTER if initial.pointers else declared.type if declared else None
        if initial.length is not None:
            type_ = replace(type_ or Type(32), lanes=initial.length)
        found.append(Location(initial.name, AddressSpace.GLOBAL, type_, initial.value or Number(0), initial.span))
    used = [address for reader in readers for address in reader.named]
    values = [initial.value for initial in front.initials if initial.value is not None]
    used += [part for value in values for part in walk.parts(value) if isinstance(part, AddressOf)]
    return [*found, *undeclared(front, [(each.location, each.span) for each in used])]
