"""Functions of LLVM IR as the analyses see them, whatever stands in them.

What goes in: a function of a module. What comes out: its `FlowFunction`: the registers that instructions define and
use, and where control goes. Nothing is asked of what instructions compute, so that one that nobody knows is one more;
parameters are divergent or not by calling convention and attributes. Invariant: names are those of the module.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.convergence.divergence import Sources, is_opaque, unmangled
from axmem.convergence.function import (
    UNCONTROLLED,
    Control,
    ConvergenceRole,
    FlowBlock,
    FlowFunction,
    FlowIncoming,
    FlowInstruction,
    Sort,
)
from axmem.convergence.graph import flow_graph
from axmem.convergence.kernels import Threads
from axmem.convergence.tokens import faults
from axmem.formats.ir.attributes import CONVERGENT, is_convergent, is_divergent
from axmem.formats.ir.blocks import successors
from axmem.formats.ir.opaque import value_text
from axmem.formats.ir.syntax import Block, Function, Instruction, Module, Operand
from axmem.formats.ir.types import METADATA
from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError
from axmem.litmus.call_parser import TOKEN_NAME
from axmem.litmus.kernels import SIGNATURES
from axmem.litmus.syntax import Number, Register, UndefValue

DECIDING = ("br", "switch", "ret", "indirectbr", "invoke", "callbr", "resume", "catchswitch")
"""The ends of blocks that have operands."""


def flow_of(module: Module, function: Function, threads: Threads = Threads.WAVE) -> FlowFunction:
    """Return what the analyses see of a function, for uniformity across a set of threads."""
    sources = Sources(module, function)
    reader = _Reader(module, sources, threads)
    blocks = {block.name: reader.block(block) for block in function.blocks}
    entry = function.blocks[0].name
    divergent = (p for p in function.parameters if is_divergent(p, function))
    own = tuple(FlowInstruction(p.name, sort=Sort.DIVERGENT, span=p.span) for p in divergent)
    blocks[entry] = replace(blocks[entry], instructions=(*own, *blocks[entry].instructions))
    if sources.single:
        blocks = {name: _uniform(block) for name, block in blocks.items()}
    return FlowFunction(flow_graph(successors(function)), blocks)


def checked_flow(module: Module, function: Function, threads: Threads = Threads.WAVE) -> FlowFunction:
    """Return the same of a function whose tokens break no rule; raise `InputError` with what they break."""
    flow = flow_of(module, function, threads)
    found = [
        Diagnostic(module.source, flow.blocks[f.place.block].instructions[f.place.number].span, f.message)
        for f in faults(flow, convergent=CONVERGENT in function.attributes)
    ]
    if found:
        raise InputError(found)
    return flow


class _Reader:
    """Reads the blocks of one function."""

    def __init__(self, module: Module, sources: Sources, threads: Threads) -> None:
        self._module = module
        self._sort = sources.sort if threads is Threads.WAVE else sources.sort_in_workgroup

    def block(self, block: Block) -> FlowBlock:
        *inside, last = block.instructions
        made = [self.instruction(each) for each in inside]
        condition = used_registers(last) if last.operation in DECIDING else ()
        if last.operation == "invoke":
            # LLVM takes the branch to be divergent, but not what is returned.
            name = f"invoke in {block.name}"
            made.append(FlowInstruction(name, sort=Sort.DIVERGENT, span=last.span))
            condition = (name,)
        if last.result:
            made.append(FlowInstruction(last.result, opaque=True, span=last.span))
        return FlowBlock(tuple(made), condition)

    def instruction(self, instruction: Instruction) -> FlowInstruction:
        span, uses = instruction.span, used_registers(instruction)
        if instruction.operation == "phi":
            pairs = zip(instruction.operands, instruction.targets, strict=True)
            incoming = tuple(dict.fromkeys(_incoming(operand, block) for operand, block in pairs))
            return FlowInstruction(instruction.result, uses, incoming=incoming, span=span)
        return FlowInstruction(
            instruction.result, uses, self._sort(instruction), control=self.control(instruction),
            opaque=is_opaque(instruction), span=span,
        )  # fmt: skip

    def control(self, instruction: Instruction) -> Control:
        """Return what an instruction is to convergence control."""
        if instruction.operation != "call":
            return UNCONTROLLED
        if token := TOKEN_NAME.fullmatch(instruction.callee):
            return Control(ConvergenceRole(token[1]), instruction.token, convergent=True)
        known = unmangled(instruction.callee).removeprefix("llvm.amdgcn.") in SIGNATURES
        return Control(ConvergenceRole.CALL, instruction.token, known or is_convergent(self._module, instruction))


def used_registers(instruction: Instruction) -> tuple[str, ...]:
    """Return the registers that an instruction uses, each once."""
    return tuple(dict.fromkeys(_registers(instruction)))


def _registers(instruction: Instruction) -> Iterator[str]:
    for operand in instruction.operands:
        if isinstance(operand.value, Register) and operand.type != METADATA:
            yield operand.value.name
    if instruction.token:
        yield instruction.token
    if instruction.callee.startswith("%"):
        yield instruction.callee[1:].strip('"')


def _incoming(operand: Operand, block: str) -> FlowIncoming:
    match operand.value:
        case Register(name=name):
            return FlowIncoming(block, register=name)
        case UndefValue():
            return FlowIncoming(block)
        case Number(value=number) if operand.type.kind == "int":
            return FlowIncoming(block, constant=str(number % (1 << operand.type.bits)))
    return FlowIncoming(block, constant=value_text(operand.value))


def _uniform(block: FlowBlock) -> FlowBlock:
    """Return a block in which nothing is divergent."""
    return FlowBlock(tuple(replace(i, sort=Sort.UNIFORM) for i in block.instructions), block.condition)
