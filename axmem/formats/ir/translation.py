"""A function of LLVM IR as the body of a thread or kernel.

What goes in: a function without calls of other functions (`axmem.formats.ir.inlining`), and what its parameters are.
What comes out: statements with spans in the module. A value in SSA form is a register of its name; a pointer that only
addresses memory, and what is but another name, has none. A result of the function goes to the register `return`.
Invariant: each instruction becomes a statement or a value, or is an error at its place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from axmem.formats.ir.bodies import BUFFER, FunctionBody, FunctionComments, is_straight
from axmem.formats.ir.brain import is_brain
from axmem.formats.ir.floats import known_type
from axmem.formats.ir.intrinsics import IntrinsicCalls, has_no_effect, known_intrinsic
from axmem.formats.ir.memory import Unspeakable, aligned, memory_type, space_of
from axmem.formats.ir.mnemonics import ASSUME
from axmem.formats.ir.names import FreshNames, block_name
from axmem.formats.ir.structures import Structures
from axmem.formats.ir.syntax import Function, Instruction, Module, Operand
from axmem.formats.ir.truths import BYTE, as_byte, is_truth
from axmem.formats.ir.types import VOID, IRType, value_type
from axmem.formats.ir.unasked import some_memory, unknown, unknown_call
from axmem.formats.ir.uses import ADDRESS, escaping, halves, named_bits, parts_in_phis, promoted, repeats, used_early
from axmem.formats.ir.values import Pointer, Values, moved, placed, type_of
from axmem.front.records import replace
from axmem.front.source import Diagnostic
from axmem.litmus import walk
from axmem.litmus.floats import FLOAT_UPDATES
from axmem.litmus.kernels import IDS, Branch, Case, Incoming, Label, Phi, Return, Switch, Unreachable
from axmem.litmus.syntax import (
    AddressOf,
    AddressSpace,
    Assign,
    Assume,
    AtomicRmw,
    Barrier,
    Call,
    CmpXchg,
    Element,
    Expr,
    Fence,
    Given,
    Load,
    Location,
    Number,
    Register,
    Statement,
    Store,
    Type,
    UndefValue,
    VectorOf,
)
from axmem.litmus.words import RESULT


class Translation:
    """One function on its way. `arguments` are its parameters' values, `wanted` the values that must have registers.

    The parameters of one that is `launched` are registers. What comments say of its statements is `said`. No register
    has one of the names `apart`. With `unasked` values an instruction that computes what no test has is a call that
    nobody knows: who reads the test asks for no value.
    """

    def __init__(
        self, module: Module, function: Function, places: FreshNames, *, arguments: Mapping[str, Expr],
        wanted: Collection[str], barriers: dict[str, str], launched: bool = False,
        said: FunctionComments | None = None, apart: Collection[str] = (), unasked: bool = False,
    ) -> None:  # fmt: skip
        self.function = function
        self.unasked = unasked
        self.module = module
        self.places = places
        self.wanted = set(wanted)
        taken = {*places.given.values(), *places.taken, *IDS, *apart}
        self.values = Values(module, function, FreshNames(taken), places)
        self.calls = IntrinsicCalls(module, self.values, barriers)
        self.blocks = FreshNames(spell=block_name)
        self.straight = is_straight(function)
        self.memory: list[Location] = []
        self.allocated: dict[str, str] = {}
        self.statements: list[Statement] = []
        self.diagnostics: list[Diagnostic] = []
        self.block = ""
        self.results = {i.result: i for b in function.blocks for i in b.instructions if i.result}
        self.structures = Structures(self.values)
        self.structures.pairs = {name for name, each in self.results.items() if each.operation == "cmpxchg"}
        self.values.types = {name: each.type for name, each in self.results.items()}
        own = {p.name: p.type for p in function.parameters if p.name not in arguments}
        if launched:
            self.values.types |= own
        else:
            shown = ", ".join("@x" if p.type.kind == "ptr" else "1" for p in function.parameters)
            hint = f"for example: ; axmem: thread @{function.name}({shown})"
            self.values.unsaid = dict.fromkeys(own, hint)
            self.values.types |= {p.name: p.type for p in function.parameters if p.name in arguments}
        self.said = said or FunctionComments()
        self.values.parts = dict(self.said.parts)
        if self.said.temporary:
            self.wanted |= {name for name in self.results if not self.said.is_temporary(name)}
        self.bits = named_bits(function, self.said)
        self.escaping = escaping(function) | self.wanted
        for name, value in arguments.items():
            if isinstance(value, VectorOf) and name not in self.wanted:
                self.values.known[name] = value
            else:
                self.give(name, placed(value))
        for name in self.said.buffers:
            self.values.known[name] = AddressOf(BUFFER)
        self.wanted |= used_early(function, self.values.known) | parts_in_phis(function)
        self.promoted = {name: self.values.registers.fresh(name) for name in promoted(function)}
        self.returned = ""

    def body(self) -> FunctionBody:
        """Return the whole body."""
        for number, block in enumerate(self.function.blocks):
            if not self.straight:  # what pointers are given stands behind the first label
                self.statements.insert(number and len(self.statements), Label(self.blocks[block.name], span=block.span))
            self.block = block.name
            line = block.span.line
            for instruction in block.instructions:
                try:
                    self.assume(line, instruction.span.line)
                    line = instruction.span.line
                    self.instruction(instruction)
                except Unspeakable as reason:
                    made = unknown(instruction, self.values) if self.unasked else None
                    self.statements += [made] if made else []
                    self.straight = self.straight and not made
                    self.diagnostics += [] if made else [reason.about(self.module)]
        for line, label in self.said.labels.items():
            if (index := self.above(line)) is not None:
                self.statements[index] = replace(self.statements[index], label=label)
        for line, name in self.said.barriers.items():
            index = self.above(line)
            barrier = None if index is None else self.statements[index]
            if index is not None and isinstance(barrier, Barrier):
                self.statements[index] = replace(barrier, name=name)
        registers = {**self.values.registers.given, RESULT: self.returned or RESULT}
        return FunctionBody(tuple(self.statements), registers, tuple(self.memory), self.allocated, self.straight)

    def above(self, line: int) -> int | None:
        """Return which is the last statement above a line of the function."""
        last = self.function.blocks[-1].instructions[-1].span.line
        if not self.function.span.line < line <= last:
            return None
        return max((i for i, s in enumerate(self.statements) if 0 < s.span.line < line), default=None)

    # ------------------------------------------------ values

    def give(self, name: str, value: Expr | Pointer) -> None:
        """Let a name stand for a value: in a register of its name, or, if it is only another name, as it is."""
        if isinstance(value, Register) and value.name == name:
            self.values.registers.given[name] = name
        pointer = isinstance(value, Pointer)
        if isinstance(value, Pointer) and value.plain:
            value, pointer = value.base, False
        plain = isinstance(value, Number | Given | UndefValue | AddressOf | Register | Element)
        folded = plain or (pointer and name not in self.escaping) or self.said.is_temporary(name)
        if (name in self.wanted and value != Register(name)) or not folded:
            register = self.values.registers[name]
            self.statements.append(Assign(register, moved(value) if isinstance(value, Pointer) else value))
        else:
            self.values.known[name] = value

    def register(self, instruction: Instruction) -> str:
        """Return the register of an instruction's result."""
        return self.values.registers[instruction.result] if instruction.result else ""

    # ------------------------------------------------ instructions

    def instruction(self, instruction: Instruction) -> None:
        """Add what an instruction is."""
        operation = instruction.operation
        match operation:
            case "load" | "store" if variable := self.variable(instruction):
                self.move(instruction, variable)
            case "store" if self.reports(instruction):
                pass
            case "load" | "store" if is_truth(instruction):
                self.truth(instruction)
            case "load" | "store" | "atomicrmw" | "cmpxchg" | "fence":
                self.statements.append(self.access(instruction))
            case "br" | "switch" | "ret" | "unreachable":
                self.terminator(instruction)
            case "phi":
                self.statements.append(self.phi(instruction))
            case "call":
                self.call(instruction)
            case "alloca":
                self.alloca(instruction)
            case "extractvalue":
                self.extract(instruction)
            case "insertvalue":
                self.structures.insert(instruction)
            case "bitcast" if instruction.result in self.bits.values():
                pass
            case _:
                divides = None if self.unasked else self.values.divides(instruction)
                if divides is not None:
                    self.statements.append(Assume(divides, span=instruction.span))
                value = self.values.computed(instruction)
                before = len(self.statements)
                self.give(instruction.result, value)
                for index in range(before, len(self.statements)):
                    self.statements[index] = replace(self.statements[index], span=instruction.span)

    def reports(self, instruction: Instruction) -> bool:
        """Say whether a store goes to a buffer of results, which is none of the test."""
        return self.values.pointer(instruction.operands[1]).base == AddressOf(BUFFER)

    def truth(self, instruction: Instruction) -> None:
        """Add an access of a truth value."""
        name = self.values.registers.fresh(f"{instruction.result or 'stored'}.byte")
        self.values.types[name] = BYTE
        for each in as_byte(instruction, name):
            self.instruction(each)

    def variable(self, instruction: Instruction) -> str:
        """Return the register that an access is about, if it is one of a variable of the thread alone."""
        value = instruction.operands[ADDRESS[instruction.operation]].value
        return self.promoted.get(value.name, "") if isinstance(value, Register) else ""

    def move(self, instruction: Instruction, variable: str) -> None:
        """Add a load or a store of a variable of the thread alone, which is a register."""
        if instruction.operation == "load":
            found = Assign(self.register(instruction), Register(variable), span=instruction.span)
        else:
            found = Assign(variable, self.values.expr(instruction.operands[0]), span=instruction.span)
        self.statements.append(found)

    def access(self, instruction: Instruction) -> Statement:
        """Return an access of memory, or a fence."""
        span, operands = instruction.span, instruction.operands
        if instruction.operation == "cmpxchg" and (parts := self.parted(instruction)):
            old, ok = (self.values.registers[each] for each in parts)
            return replace(self.compare_exchange(instruction, old), ok_register=ok)
        unused = instruction.operation == "atomicrmw" and self.said.is_temporary(instruction.result)
        register = self.values.registers[bits] if (bits := self.bits.get(instruction.result)) else ""
        register = register if unused else self.register(instruction)
        expr = self.values.expr
        match instruction.operation:
            case "fence":
                return Fence(instruction.mode, span=span)
            case "load":
                type_ = self.accessed(instruction.type, instruction)
                mode = aligned(instruction.mode, type_)
                return Load(register, type_, self.values.address(operands[0], type_), mode, span=span)
            case "store":
                type_ = self.accessed(operands[0].type, instruction)
                mode, address = aligned(instruction.mode, type_), self.values.address(operands[1], type_)
                return Store(expr(operands[0]), type_, address, mode, span=span)
            case "atomicrmw":
                word, *words = instruction.words
                if word in FLOAT_UPDATES:
                    self.values.floats.permitted(tuple(words), "atomicrmw", span)
                    if is_brain(operands[1].type):
                        word = f"b{word}"
                    else:
                        known_type(operands[1].type, span)
                type_ = self.accessed(operands[1].type, instruction)
                mode, address = aligned(instruction.mode, type_), self.values.address(operands[0], type_)
                return AtomicRmw(
                    register, word, type_, address, expr(operands[1]), mode, span=span,
                )  # fmt: skip
        return self.compare_exchange(instruction, register or self.values.registers.fresh("pair"))

    def compare_exchange(self, instruction: Instruction, register: str) -> CmpXchg:
        """Return a cmpxchg."""
        operands, expr, span = instruction.operands, self.values.expr, instruction.span
        type_ = self.accessed(operands[1].type, instruction)
        mode, address = aligned(instruction.mode, type_), self.values.address(operands[0], type_)
        return CmpXchg(
            register=register, ok_register="", weak=bool(instruction.words),
            type=type_, address=address, expected=expr(operands[1]), desired=expr(operands[2]), mode=mode,
            failure=instruction.failure, span=span,
        )  # fmt: skip

    def parted(self, pair: Instruction) -> tuple[str, str] | None:
        """Return the two registers in which a pair is kept that is only a part of expressions."""
        return halves(self.results.values(), pair) if self.said.is_temporary(pair.result) else None

    def accessed(self, type_: IRType, instruction: Instruction) -> Type:
        """Return the type of an access."""
        return type_of(type_, instruction.span)

    def extract(self, instruction: Instruction) -> None:
        """Add a part of what a cmpxchg gives."""
        (operand,) = instruction.operands
        name = operand.value.name if isinstance(operand.value, Register) else ""
        if name in self.structures.pairs and self.parted(self.results[name]):
            return
        self.give(instruction.result, replace(self.structures.extract(instruction), span=instruction.span))

    def alloca(self, instruction: Instruction) -> None:
        """Add memory of the thread; of a CPU's thread it is memory as any other, whose address may be given away."""
        if register := self.promoted.get(instruction.result):
            undef = UndefValue(type_of(instruction.type, instruction.span))
            self.statements.append(Assign(register, undef, span=instruction.span))
            return
        if repeats(self.function, self.block):
            hint = "allocate it in the first block of the function"
            raise Unspeakable(instruction.span, "memory that a loop allocates anew has no meaning in a test", hint)
        space = space_of(instruction.indices[0], instruction.span)
        type_ = some_memory(instruction) if self.unasked else memory_type(instruction.type, instruction.span)
        space = AddressSpace.PRIVATE if space is AddressSpace.PRIVATE else AddressSpace.GLOBAL
        name = self.places.fresh(instruction.result or "alloca")
        self.memory.append(Location(name, space, type_, None, instruction.span))
        self.allocated[instruction.result] = name
        self.values.known[instruction.result] = AddressOf(name, span=instruction.span)

    def call(self, call: Instruction) -> None:
        """Add what a call is."""
        if has_no_effect(call.callee) or (self.unasked and call.callee == ASSUME):
            return
        if call.callee.startswith("llvm.") and (known_intrinsic(call.callee) or not self.unasked):
            if (value := self.calls.value(call)) is not None:
                self.give(call.result, value)
                return
            statement = self.calls.statement(call, self.register(call))
            alone = self.straight and isinstance(statement, Call)
            self.statements.append(Barrier(span=call.span) if alone else statement)
            return
        self.straight = False
        token = self.calls.token(call)
        if self.unasked:
            register = self.register(call) if value_type(call.type) else ""
            self.statements.append(unknown_call(call, self.values, register, token))
            return
        if not any(each.name == call.callee for each in self.module.declared):
            message = f"'@{call.callee}' is not defined in this module, and what it does is not known"
            hint = f"; axmem: declare void @{call.callee}() says that it does nothing"
            raise Unspeakable(call.span, message, hint if call.type.kind == "void" else "define it here")
        operands = tuple(self.values.expr(operand) for operand in call.operands)
        self.statements.append(Call(f"@{call.callee}", operands, token=token, span=call.span))

    # ------------------------------------------------ control

    def phi(self, instruction: Instruction) -> Phi:
        """Return a phi."""
        type_ = type_of(instruction.type, instruction.span)
        self.values.floats.permitted(instruction.words, "phi", instruction.span)
        pairs = zip(instruction.operands, instruction.targets, strict=True)
        incoming = tuple(Incoming(self.values.expr(value), self.blocks[block], value.span) for value, block in pairs)
        return Phi(self.register(instruction), type_, incoming, span=instruction.span)

    def terminator(self, instruction: Instruction) -> None:
        """Add the end of a block; a result is left in its register."""
        span, targets = instruction.span, tuple(self.blocks[each] for each in instruction.targets)
        if instruction.operation == "unreachable":
            self.statements.append(Unreachable(span=span))
        elif instruction.operation == "ret":
            self.settle(span.line)
            if instruction.operands:
                (operand,) = instruction.operands
                whole = operand.type.kind == "struct"
                value = self.structures.returned(operand) if whole else self.values.expr(operand)
                self.statements.append(Assign(self.result(), value, span=span))
            if not self.straight:
                self.statements.append(Return(span=span))
        elif instruction.operation == "br":
            condition = self.values.expr(instruction.operands[0]) if instruction.operands else None
            self.statements.append(Branch(targets, condition, instruction.loop, span=span))
        else:
            value = self.values.expr(instruction.operands[0])
            numbers = [self.case(operand) for operand in instruction.operands[1:]]
            cases = tuple(Case(n, t, n.span) for n, t in zip(numbers, targets[1:], strict=True))
            self.statements.append(Switch(value, targets[0], cases, span=span))

    def assume(self, begin: int, end: int) -> None:
        """Add what comments between two lines assume."""
        for line, condition in self.said.assumed:
            if begin < line < end:
                self.statements.append(Assume(walk.replaced(condition, self.final)))

    def settle(self, end: int) -> None:
        """Assign what the comments of the block that ends here say of registers."""
        block = next(b for b in self.function.blocks if b.name == self.block)
        for line, register, value in self.said.finals:
            if block.span.line <= line < end:
                self.statements.append(Assign(self.values.registers[register], walk.replaced(value, self.final)))

    def final(self, value: Expr) -> Expr:
        """Return a value of the function that a comment names."""
        if isinstance(value, Register):
            return self.values.expr(Operand(self.values.types.get(value.name, VOID), value, value.span))
        return value

    def case(self, operand: Operand) -> Number:
        """Return the number of a case."""
        found = self.values.expr(operand)
        if not isinstance(found, Number):
            raise Unspeakable(operand.span, "a case is a number")
        return found

    def result(self) -> str:
        """Return the register of the function's result."""
        self.returned = self.returned or self.values.registers.fresh(RESULT)
        return self.returned
