"""The statements of a thread as LLVM IR.

What goes in: a thread of a well-formed test. What comes out: the lines of its kernel, and the slots of the buffer in
which it stores its results. Registers are LLVM's values; after a branch a phi merges them. An `assume` is not LLVM's,
which would let the compiler do anything where it does not hold: its condition is stored as a result.
"""

from __future__ import annotations

from axmem.codegen.ir_metadata import Metadata
from axmem.codegen.ir_slots import StoredSlot, slots
from axmem.codegen.ir_values import IrValues, initial_value, zero
from axmem.codegen.operations import access_alignment
from axmem.formats.ir.printer import modifiers, order
from axmem.front.typing import override
from axmem.litmus.floats import BRAIN_UPDATES, FLOAT_UPDATES
from axmem.litmus.layout import natural_alignment
from axmem.litmus.registers import register_types
from axmem.litmus.spelling import AV_TYPES, floating_name, type_name
from axmem.litmus.syntax import (
    I1,
    I32,
    POINTER,
    AccessMode,
    AccessStatement,
    Assign,
    Assume,
    AtomicRmw,
    Barrier,
    CmpXchg,
    Fence,
    If,
    LitmusTest,
    Load,
    Location,
    Statement,
    Store,
    Thread,
    Type,
)


class IrStatements:
    """Instructions of one function so far: statements that are no control flow."""

    def __init__(self, types: dict[str, Type], values: IrValues, metadata: Metadata, prefix: str = "") -> None:
        self.types = types
        self.prefix = prefix
        self.values = values
        self.metadata = metadata
        self.versions: dict[str, int] = {}

    # ------------------------------------------------ registers

    def define(self, register: str, text: str) -> None:
        """Add an instruction whose result is a register's new value."""
        name = self.version(register)
        self.values.emit(f"{name} = {text}")
        self.values.registers[register] = name

    def version(self, register: str) -> str:
        """Return a name for a new value of a register: its own, where LLVM allows that and it is the first."""
        count = self.versions.get(register, 0)
        self.versions[register] = count + 1
        if count or (register.isdecimal() and not self.prefix):
            return f"%{self.values.fresh()}"
        return f"%{self.prefix}{register}"

    def private(self, location: Location) -> None:
        """Add the memory of a private location, with what it holds at first."""
        type_ = location.type or I32
        align = f"align {natural_alignment(type_.size)}"
        self.values.emit(f"%{location.name} = alloca {type_name(type_)}, {align}, addrspace(5)")
        if location.initial is not None:
            value = initial_value(location.initial, type_)
            self.values.emit(f"store {type_name(type_)} {value}, ptr addrspace(5) %{location.name}, {align}")

    def statement(self, statement: Statement) -> None:
        """Add one statement."""
        match statement:
            case Load():
                self._load(statement)
            case Store():
                self._store(statement)
            case AtomicRmw():
                self._update(statement)
            case CmpXchg():
                self._cmpxchg(statement)
            case Fence(mode=mode):
                self.values.emit(f"fence{order(mode)}{self._notes(mode)}")
            case Barrier():
                self.values.emit("call void @llvm.amdgcn.s.barrier()")
            case Assign(register=register, value=value):
                wanted = self.types[register]
                self.values.registers[register] = self.values.operand(value, wanted)
            case _:
                raise AssertionError("refused before")

    def _load(self, statement: Load) -> None:
        type_, mode = statement.type or I32, statement.mode
        place, pointer = self.values.address(statement.address, type_)
        shown = type_name(type_)
        if mode.av:
            carried, name = av_type(type_), _av("load", type_, pointer)
            where = f"{type_name(pointer)} {place}"
            text = f"call {type_name(carried)} {name}({where}, metadata {self._scope(mode)}){self._notes(mode)}"
            if carried != type_:
                text = f"bitcast {type_name(carried)} {self.values.result(text)} to {shown}"
        else:
            text = f"load {modifiers(mode)}{shown}, {type_name(pointer)} {place}{order(mode)}, {_align(statement)}"
            text += self._notes(mode)
        self.define(statement.register, text) if statement.register else self.values.result(text)

    def _store(self, statement: Store) -> None:
        type_, mode = statement.type or I32, statement.mode
        value = f"{type_name(type_)} {self.values.operand(statement.value, type_)}"
        place, pointer = self.values.address(statement.address, type_)
        if mode.av:
            carried, name = av_type(type_), _av("store", type_, pointer)
            if carried != type_:
                value = f"{type_name(carried)} {self.values.result(f'bitcast {value} to {type_name(carried)}')}"
            where = f"{type_name(pointer)} {place}"
            self.values.emit(f"call void {name}({where}, {value}, metadata {self._scope(mode)}){self._notes(mode)}")
            return
        text = f"store {modifiers(mode)}{value}, {type_name(pointer)} {place}{order(mode)}, {_align(statement)}"
        self.values.emit(text + self._notes(mode))

    def _update(self, statement: AtomicRmw) -> None:
        type_, mode = statement.type or I32, statement.mode
        place, pointer = self.values.address(statement.address, type_)
        shown, value = type_name(type_), self.values.operand(statement.value, type_)
        brain = BRAIN_UPDATES.get(statement.operation, "")
        if floating := bool(brain) or statement.operation in FLOAT_UPDATES:
            shown = floating_name(type_).replace("half", "bfloat") if brain else floating_name(type_)
            value = self.values.result(f"bitcast {type_name(type_)} {value} to {shown}")
        words = ("volatile " if mode.volatile else "") + ("elementwise " if mode.elementwise else "")
        where = f"{type_name(pointer)} {place}, {shown} {value}"
        text = f"atomicrmw {words}{brain or statement.operation} {where}{order(mode)}, {_align(statement)}"
        text += self._notes(mode) + self._coarse()
        if floating and statement.register:
            text = f"bitcast {shown} {self.values.result(text)} to {type_name(type_)}"
        self.define(statement.register, text) if statement.register else self.values.result(text)

    def _cmpxchg(self, statement: CmpXchg) -> None:
        type_, mode = statement.type or I32, statement.mode
        place, pointer = self.values.address(statement.address, type_)
        shown = type_name(type_)
        old, new = (self.values.operand(value, type_) for value in (statement.expected, statement.desired))
        words = ("weak " if statement.weak else "") + ("volatile " if mode.volatile else "")
        text = f"cmpxchg {words}{type_name(pointer)} {place}, {shown} {old}, {shown} {new}{order(mode)}"
        text += f" {statement.failure.value}, {_align(statement)}{self._notes(mode)}"
        if not statement.ok_register:
            self.define(statement.register, text) if statement.register else self.values.result(text)
            return
        pair = self.values.result(text)
        self.define(statement.register, f"extractvalue {{ {shown}, i1 }} {pair}, 0")
        self.define(statement.ok_register, f"extractvalue {{ {shown}, i1 }} {pair}, 1")

    # ------------------------------------------------ words

    def _scope(self, mode: AccessMode) -> str:
        return self.metadata.node(f'!{{!"{mode.scope.spelling}"}}')

    def _notes(self, mode: AccessMode) -> str:
        notes = f", !nontemporal {self.metadata.node('!{i32 1}')}" if mode.nontemporal else ""
        notes += f", !mmra {self.metadata.tags(mode.tags)}" if mode.tags else ""
        return notes + self.metadata.promises(mode.promises)

    def _coarse(self) -> str:
        """Return the promise that memory is not fine-grained, without which LLVM may make an update a loop."""
        empty = self.metadata.node("!{}")
        return f", !amdgpu.no.fine.grained.memory {empty}, !amdgpu.no.remote.memory {empty}"


class ThreadBody(IrStatements):
    """What one thread does so far: a kernel from its `entry` on, or with a `prefix` of its names a part of one."""

    def __init__(
        self,
        test: LitmusTest,
        thread: Thread,
        places: dict[str, str],
        metadata: Metadata,
        *,
        divergent: bool,
        prefix: str = "",
        annotated: bool = False,
    ) -> None:
        types = {register: t for (name, register), t in register_types(test).items() if name == thread.name}
        taken = {*types, *(location.name for location in test.locations)}
        self.out = "out" if prefix else unused("out", taken)
        super().__init__(types, IrValues(places, prefix + unused("t", taken, prefix=True)), metadata, prefix)
        self.values.typed = self.annotated = annotated
        self.current = "entry"
        self.assumed = 0
        for slot in slots(test, thread):
            if slot.assumed:
                self.types[slot.register] = I1
                self.values.registers[slot.register] = "true"
        if not prefix:
            self.begin("entry")
        if divergent:
            lane = self.values.result('call i32 asm "", "=v,0"(i32 0)')
            self.values.lane = self.values.result(f"zext i32 {lane} to i64")

    # ------------------------------------------------ statements

    def thread(self, body: tuple[Statement, ...], found: tuple[StoredSlot, ...]) -> None:
        """Add the statements of a thread, and after them the stores of its results and its end.

        An `if` that is last returns from each of its arms: there is nothing to merge.
        """
        last = body[-1] if body else None
        if not isinstance(last, If):
            self.block(body)
            if self.annotated:
                self.say_finals(found)
            self.results(found)
            self.values.emit("ret void")
            return
        self.block(body[:-1])
        condition = self.values.operand(last.condition, I1)
        number, registers = self.values.fresh(), dict(self.values.registers)
        self.values.emit(f"br i1 {condition}, label %{number}.then, label %{number}.else")
        for word, arm in (("then", last.then), ("else", last.otherwise)):
            self.values.registers = dict(registers)
            self.begin(f"{number}.{word}")
            self.thread(arm, found)

    def say_finals(self, found: tuple[StoredSlot, ...]) -> None:
        """Say in comments which registers have other values at the end than those of their names."""
        for register in dict.fromkeys(slot.register for slot in found if not slot.assumed):
            value = self.values.registers.get(register, zero(self.types[register]))
            if value != f"%{register}":
                self.values.emit(f"; axmem: final %{register} = {value}")

    def begin(self, label: str) -> None:
        """Begin a block."""
        self.values.label(label)
        self.current = label

    def taken(self) -> list[str]:
        """Return the lines so far, which are not kept."""
        lines, self.values.lines = self.values.lines, []
        return lines

    def block(self, body: tuple[Statement, ...]) -> None:
        """Add the statements of a block."""
        for statement in body:
            self.statement(statement)

    @override
    def statement(self, statement: Statement) -> None:
        """Add one statement; the condition of an assume is a result."""
        if isinstance(statement, If):
            self._if(statement)
        elif isinstance(statement, Assume):
            self.assumed += 1
            held = self.values.registers[f"assume {self.assumed}"] = self.values.operand(statement.condition, I1)
            if self.annotated:
                self.values.emit(f"; axmem: assume {held}")
        elif self.annotated and isinstance(statement, Assign):
            name = self.version(statement.register)
            self.values.name(name, statement.value, self.types[statement.register])
            self.values.registers[statement.register] = name
        else:
            super().statement(statement)
        if self.annotated and isinstance(statement, Barrier) and statement.name:
            self.values.emit(f"; axmem: named {statement.name}")
        if self.annotated and statement.label:
            self.values.emit(f"; axmem: label {statement.label}")

    def _if(self, statement: If) -> None:
        """Add a branch; registers that an arm assigns are merged where the arms meet."""
        condition = self.values.operand(statement.condition, I1)
        number = self.values.fresh()
        before, registers = self.current, dict(self.values.registers)
        arms = [("then", statement.then), *([("else", statement.otherwise)] if statement.otherwise else [])]
        end = f"{number}.end"
        labels = [f"{number}.{word}" for word, _ in arms]
        other = labels[1] if len(labels) > 1 else end
        self.values.emit(f"br i1 {condition}, label %{labels[0]}, label %{other}")
        ends = [] if len(labels) > 1 else [(before, registers)]
        for label, (_, body) in zip(labels, arms, strict=True):
            self.values.registers = dict(registers)
            self.begin(label)
            self.block(body)
            self.values.emit(f"br label %{end}")
            ends.append((self.current, self.values.registers))
        self.begin(end)
        self.merge(ends)

    def merge(self, ends: list[tuple[str, dict[str, str]]]) -> None:
        """Merge the registers of the ends of blocks, of which one is not assigned in is zero."""
        self.values.registers = {}
        for register in dict.fromkeys(name for _, registers in ends for name in registers):
            type_ = self.types[register]
            given = [(registers.get(register, zero(type_)), label) for label, registers in ends]
            if len({value for value, _ in given}) > 1:
                arms = ", ".join(f"[ {value}, %{label} ]" for value, label in given)
                self.define(register, f"phi {type_name(type_)} {arms}")
            else:
                self.values.registers[register] = given[0][0]

    # ------------------------------------------------ results

    def results(self, found: tuple[StoredSlot, ...]) -> None:
        """Store the registers, and the conditions of assumes, in the buffer."""
        for slot in found:
            value = self._held(slot)
            if slot.stored != slot.type:
                value = self.values.result(f"zext {type_name(slot.type)} {value} to {type_name(slot.stored)}")
            place = f"%{self.out}"
            if slot.offset:
                place = self.values.result(f"getelementptr i8, ptr addrspace(1) {place}, i64 {slot.offset}")
            align = min(16, slot.stored.size & -slot.stored.size)
            self.values.emit(f"store {type_name(slot.stored)} {value}, ptr addrspace(1) {place}, align {align}")

    def _held(self, slot: StoredSlot) -> str:
        whole = self.types[slot.register]
        value = self.values.registers.get(slot.register, zero(whole))
        if slot.part is None:
            return value
        return self.values.result(f"extractvalue {type_name(whole)} {value}, {slot.part}")


def unused(word: str, taken: set[str], *, prefix: bool = False) -> str:
    """Return a word that is no name that is taken, or with `prefix` begins none."""
    while any(name.startswith(word) if prefix else name == word for name in taken):
        word += "_"
    return word


def av_type(type_: Type) -> Type:
    """Return what the intrinsic of a type's size carries."""
    return AV_TYPES[type_.size * 8]


def _av(what: str, type_: Type, pointer: Type) -> str:
    return f"@llvm.amdgcn.av.{what}.b{type_.size * 8}.p{int(pointer.pointer or 0)}"


def av_declaration(statement: Statement) -> str:
    """Return the declaration of the intrinsic that a statement calls, or nothing."""
    if not isinstance(statement, Load | Store) or not statement.mode.av:
        return ""
    carried, pointer = av_type(statement.type or I32), statement.address.base.type or POINTER
    if isinstance(statement, Load):
        return f"declare {type_name(carried)} {_av('load', carried, pointer)}({type_name(pointer)}, metadata)"
    return f"declare void {_av('store', carried, pointer)}({type_name(pointer)}, {type_name(carried)}, metadata)"


def _align(statement: AccessStatement) -> str:
    return f"align {access_alignment(statement)}"
