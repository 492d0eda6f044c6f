"""The lowering of a function of LLVM IR as it stands: what is emitted for each access of memory.

What goes in: a function of a module and a target. What comes out: a `LoweredTest` with the function as its one thread;
of a pointer only its address space is asked. What an instruction emits that is in no table is said where it stands.
Raises InputError for an access that the target does not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from axmem.codegen.lowering import lower_operation
from axmem.codegen.operations import Operation, operation_of
from axmem.codegen.program import LoweredStatement, LoweredTest, LoweredThread, in_pieces, lacks, piecewise, without
from axmem.codegen.targets import Target
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.divergence import silent
from axmem.convergence.modules import flow_of
from axmem.convergence.uniformity import uniformity
from axmem.formats.ir.blocks import reached, successors
from axmem.formats.ir.intrinsics import IntrinsicCalls, has_no_effect, is_av
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.names import FreshNames
from axmem.formats.ir.syntax import Function, Instruction, Module, Operand
from axmem.formats.ir.types import IRType
from axmem.formats.ir.values import Values, type_of
from axmem.formats.ir.whole import LAST_USE
from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError
from axmem.front.typing import override
from axmem.litmus.spelling import NUMBERED_SPACES, pointer_to
from axmem.litmus.syntax import (
    Address,
    AtomicRmw,
    Barrier,
    CmpXchg,
    Expr,
    Fence,
    Label,
    LitmusTest,
    Load,
    Number,
    Ordering,
    Register,
    Statement,
    Store,
    Type,
)
from axmem.litmus.words import Scope

CONSTANT = 4
"""The address space of memory that nobody writes."""


def lower_function(module: Module, function: Function, target: Target, *, divergent: bool = False) -> LoweredTest:
    """Return the instructions of a function on a target; with `divergent` no address counts as uniform."""
    walk = _Walk(module, function, target, divergent=divergent)
    statements = tuple(walk.statements())
    if walk.wrong:
        raise InputError(walk.wrong)
    test = LitmusTest(Path(module.source.name).stem, "", (), (), source=module.source)
    return LoweredTest(test, target, (LoweredThread(function.name, statements),))


class _Places(Values):
    """The values of a function of which only the types are asked."""

    @override
    def expr(self, operand: Operand) -> Expr:
        """Return something in the place of a value."""
        return operand.value if isinstance(operand.value, Number) else Register("value", span=operand.span)

    @override
    def address(self, operand: Operand, accessed: Type) -> Address:
        """Return an address of which the address space is known."""
        space = NUMBERED_SPACES.get(operand.type.space)
        if space is None:
            hint = f"the tables have {', '.join(map(str, NUMBERED_SPACES))}"
            raise Unspeakable(operand.span, f"accesses of address space {operand.type.space} are in no table", hint)
        pointer = pointer_to(space)
        return Address(Register("address", pointer, operand.span), span=operand.span)


class _Walk:
    """The way through one function; `wrong` is what the target does not have, or what is not known of accesses."""

    def __init__(self, module: Module, function: Function, target: Target, *, divergent: bool) -> None:
        self.module, self.function, self.target = module, function, target
        values = _Places(module, function, FreshNames(), FreshNames())
        self.values, self.calls = values, IntrinsicCalls(module, values, {})
        self.used = {o.value.name for b in function.blocks for i in b.instructions for o in i.operands
                     if isinstance(o.value, Register)}  # fmt: skip
        self.wrong: list[Diagnostic] = []
        self.divergent: set[str] | None = None if divergent else self._divergent()
        self.dirty = self._dirty()

    def _divergent(self) -> set[str]:
        flow = flow_of(self.module, self.function)
        found = uniformity(flow, llvm_hierarchy(flow.graph))
        return {flow.blocks[place.block].instructions[place.number].register for place in found.values}

    def _dirty(self) -> set[str]:
        """Return the blocks before which something has perhaps been written, or synchronized."""
        after = successors(self.function)
        writing = (b.name for b in self.function.blocks if any(map(_writes, b.instructions)))
        return reached(after, (target for name in writing for target in after[name]))

    def statements(self) -> Iterator[LoweredStatement]:
        """Yield the lines of the function, each with what is emitted for it."""
        index = 0
        for block in self.function.blocks:
            if block.span.line != block.instructions[0].span.line:
                yield LoweredStatement((0, index), Label(block.name, span=block.span), None, ())
                index += 1
            clean = block.name not in self.dirty
            for instruction in block.instructions:
                if not has_no_effect(instruction.callee):
                    yield self.lowered(instruction, (0, index), clean=clean)
                    index += 1
                clean = clean and not _writes(instruction)

    def lowered(self, instruction: Instruction, path: tuple[int, ...], *, clean: bool) -> LoweredStatement:
        """Return a line with what is emitted for it."""
        shown = Label("", span=instruction.span)
        try:
            statement = self.statement(instruction)
            operation = None if statement is None else self.operation(instruction, statement, clean=clean)
        except Unspeakable as reason:
            self.wrong.append(reason.about(self.module))
            return LoweredStatement(path, shown, None, ())
        if statement is None or operation is None:
            unknown = "" if silent(instruction) else f"what {instruction_name(instruction)} emits is in no table"
            return LoweredStatement(path, shown, None, (), unknown)
        if why := lacks(operation, self.target):
            self.wrong.append(without(self.module.source, statement, operation, self.target, why))
        elif in_pieces(operation, self.target):
            self.wrong.append(piecewise(self.module.source, statement, operation, self.target))
        else:
            return LoweredStatement(path, statement, operation, lower_operation(operation, self.target))
        return LoweredStatement(path, statement, None, ())

    def operation(self, instruction: Instruction, statement: Statement, *, clean: bool) -> Operation | None:
        """Return what a statement is to the backend."""
        self.refuse_scope(statement, instruction)
        uniform = isinstance(statement, Load) and self.is_scalar(instruction, clean=clean)
        found = operation_of(statement, uniform=uniform)
        if found is not None and instruction.operation == "cmpxchg":
            found = replace(found, result=instruction.result in self.used)
        last = any(promise.shown == LAST_USE for promise in instruction.promises)
        return replace(found, last_use=True) if found is not None and last else found

    def refuse_scope(self, statement: Statement, instruction: Instruction) -> None:
        """Raise `Unspeakable` for a scope that AMDGPU does not have."""
        mode = getattr(statement, "mode", None)
        if mode is not None and not isinstance(mode.scope.level, Scope):
            name = mode.scope.spelling
            raise Unspeakable(instruction.span, f"AMDGPU has no scope '{name}'", "LLVM's backend refuses it, too")

    def is_scalar(self, load: Instruction, *, clean: bool) -> bool:
        """Say whether all lanes load from one address, and nothing has been written before."""
        (address,) = load.operands
        if self.divergent is None or not (clean or address.type.space == CONSTANT):
            return False
        return not isinstance(address.value, Register) or address.value.name not in self.divergent

    def statement(self, instruction: Instruction) -> Statement | None:
        """Return the statement of the test language that an instruction is to the backend, if it is one."""
        span, operands, mode = instruction.span, instruction.operands, instruction.mode
        register = instruction.result if instruction.result in self.used else ""
        expr = self.values.expr
        match instruction.operation:
            case "load":
                type_ = self.accessed(instruction.type, instruction)
                return Load("r", type_, self.values.address(operands[0], type_), mode, span=span)
            case "store":
                type_ = self.accessed(operands[0].type, instruction)
                return Store(expr(operands[0]), type_, self.values.address(operands[1], type_), mode, span=span)
            case "atomicrmw":
                type_ = self.accessed(operands[1].type, instruction)
                address, (word, *_) = self.values.address(operands[0], type_), instruction.words
                word = f"b{word}" if _is_brain(operands[1].type) else word
                return AtomicRmw(register, word, type_, address, expr(operands[1]), mode, span=span)
            case "cmpxchg":
                type_ = self.accessed(operands[1].type, instruction)
                address, old, new = self.values.address(operands[0], type_), expr(operands[1]), expr(operands[2])
                return CmpXchg(
                    register="r", ok_register="", weak=False, type=type_, address=address, expected=old, desired=new,
                    mode=mode, failure=instruction.failure, span=span,
                )  # fmt: skip
            case "fence":
                return Fence(mode, span=span)
            case "call" if instruction.callee == "llvm.amdgcn.s.barrier":
                return Barrier(span=span)
            case "call" if is_av(instruction.callee):
                return self.calls.statement(instruction, register)
        return None

    def accessed(self, type_: IRType, instruction: Instruction) -> Type:
        """Return the type of an access."""
        if type_.kind in ("struct", "array"):
            hint = "load and store its elements"
            raise Unspeakable(instruction.span, f"how {type_} is accessed is in no table", hint)
        return type_of(type_, instruction.span)


def _writes(instruction: Instruction) -> bool:
    """Say whether an instruction may write, or orders what others write."""
    if instruction.operation == "load":
        return instruction.mode.ordering.at_least(Ordering.MONOTONIC) or instruction.mode.volatile
    if instruction.operation in ("store", "atomicrmw", "cmpxchg", "fence"):
        return True
    return bool(instruction.callee) and not silent(instruction) and not has_no_effect(instruction.callee)


def _is_brain(type_: IRType) -> bool:
    return (type_.element or type_).name == "bfloat"


def instruction_name(instruction: Instruction) -> str:
    """Return how messages name what an instruction does."""
    callee = instruction.callee
    if not callee:
        return f"'{instruction.operation}'"
    return "inline assembly" if callee.startswith("asm ") else f"'{callee if callee[0] == '%' else f'@{callee}'}'"
