"""Kernels as the analyses see them.

What goes in: a kernel of a resolved test. What comes out: its `FlowFunction`, in SSA form, in which an expression is no
more than the registers that it reads. Invariant: the lane's own numbers are registers that the entry defines, so that
nothing is divergent without an instruction that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from enum import Enum
from math import prod
from typing import TypeGuard

from axmem.convergence.divergence import WAVE_BITS, split_evenly
from axmem.convergence.function import (
    Control,
    ConvergenceRole,
    FlowBlock,
    FlowFunction,
    FlowIncoming,
    FlowInstruction,
    Sort,
)
from axmem.convergence.graph import flow_graph
from axmem.convergence.tokens import faults
from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError, Span
from axmem.litmus import blocks
from axmem.litmus.kernels import Call, ConvergenceToken, Phi
from axmem.litmus.ssa import single_assignment, without_copies
from axmem.litmus.syntax import (
    AddressSpace,
    Assign,
    Expr,
    IntegerOperation,
    Kernel,
    LitmusTest,
    Load,
    Number,
    Register,
    RmwStatement,
    Statement,
    UndefValue,
)
from axmem.litmus.walk import expressions, parts, results


class Threads(Enum):
    """The set of threads across which a value is uniform or not ([ConvergenceAndUniformity])."""

    WAVE = "wave"
    """The lanes of a wave, as in LLVM's analysis."""
    WORKGROUP = "workgroup"
    """The lanes of all waves of a workgroup."""


DIVERGENT_IDS = {Threads.WAVE: ("workitem.id", "lane.id"), Threads.WORKGROUP: ("workitem.id", "wave.id", "lane.id")}
"""The numbers of a lane that differ between threads of a set."""
ALWAYS_UNIFORM = ("readfirstlane", "readlane", "ballot")


def function_of(kernel: Kernel, threads: Threads = Threads.WAVE) -> FlowFunction:
    """Return what the analyses see of a kernel, for uniformity across a set of threads."""
    flow = without_copies(single_assignment(kernel))
    found = {block.name: _block(block, threads) for block in flow.blocks}
    if threads is Threads.WAVE and split_evenly(kernel.workgroup):
        whole = {s.register for block in flow.blocks for s in block.statements if _is_of_wave(s)}
        found = {name: _uniform(block, whole) for name, block in found.items()}
    for block in flow.blocks:
        for phi in block.phis:
            for incoming in phi.incoming:
                if _computed(incoming.value):
                    before = found[incoming.block]
                    value = _instruction(_name(phi, incoming.block), [incoming.value], incoming.span)
                    found[incoming.block] = FlowBlock((*before.instructions, value), before.condition)
    entry = found[flow.entry.name]
    read = {r for block in found.values() for i in block.instructions for r in i.uses}
    read |= {register for block in found.values() for register in block.condition}
    own = (*DIVERGENT_IDS[threads], *(p.name for p in kernel.parameters if p.divergent))
    ids = tuple(FlowInstruction(name, sort=Sort.DIVERGENT) for name in own if name in read)
    found[flow.entry.name] = FlowBlock((*ids, *entry.instructions), entry.condition)
    if kernel.workgroup and prod(kernel.workgroup) == 1:
        every = {i.register for block in found.values() for i in block.instructions}
        found = {name: _uniform(block, every) for name, block in found.items()}
    return FlowFunction(flow_graph(flow.successors), found)


def _uniform(block: FlowBlock, registers: Set[str]) -> FlowBlock:
    """Return a block in which some registers are uniform whatever their operands are."""
    sorts = (Sort.UNIFORM if i.register in registers else i.sort for i in block.instructions)
    instructions = (replace(i, sort=sort) for i, sort in zip(block.instructions, sorts, strict=True))
    return FlowBlock(tuple(instructions), block.condition)


def _is_of_wave(statement: Statement) -> TypeGuard[Assign]:
    """Tell whether a statement computes what of `workitem.id` all lanes of a wave have alike."""
    if not isinstance(statement, Assign) or not isinstance(statement.value, IntegerOperation):
        return False
    match statement.value.name, statement.value.operands:
        case ("lshr" | "ashr"), (Register(name="workitem.id"), Number(value=bits)):
            return bits >= WAVE_BITS
        case "and", (Register(name="workitem.id"), Number(value=mask)):
            return not mask % (1 << WAVE_BITS)
        case "and", (Number(value=mask), Register(name="workitem.id")):
            return not mask % (1 << WAVE_BITS)
    return False


def checked(kernel: Kernel, test: LitmusTest, threads: Threads = Threads.WAVE) -> FlowFunction:
    """Return the function of a kernel whose tokens break no rule; raise `InputError` with what they break."""
    function = function_of(kernel, threads)
    found = [
        Diagnostic(test.source, function.blocks[f.place.block].instructions[f.place.number].span, f.message)
        for f in faults(function)
    ]
    if found:
        raise InputError(found)
    return function


def controls(kernel: Kernel) -> FlowFunction | None:
    """Return what the statements of each block are to tokens, an instruction for each; None without any token."""
    flow = blocks.control_flow(kernel)
    if not any(isinstance(statement, ConvergenceToken) for block in flow.blocks for statement in block.statements):
        return None
    seen = {block.name: (next(_instructions(s, Threads.WAVE)) for s in block.statements) for block in flow.blocks}
    found = {name: FlowBlock(tuple(instructions)) for name, instructions in seen.items()}
    return FlowFunction(flow_graph(flow.successors), found)


def _block(block: blocks.KernelBlock, threads: Threads) -> FlowBlock:
    phis = tuple(_phi(phi) for phi in block.phis)
    statements = tuple(i for statement in block.statements for i in _instructions(statement, threads))
    return FlowBlock((*phis, *statements), _read(expressions(block.terminator)))


def _phi(phi: Phi) -> FlowInstruction:
    incoming = tuple(_incoming(phi, each.value, each.block) for each in phi.incoming)
    uses = tuple(dict.fromkeys(i.register for i in incoming if i.register))
    return FlowInstruction(phi.register, uses, incoming=tuple(dict.fromkeys(incoming)), span=phi.span)


def _incoming(phi: Phi, value: Expr, block: str) -> FlowIncoming:
    match value:
        case Register(name=name):
            return FlowIncoming(block, register=name)
        case UndefValue():
            return FlowIncoming(block)
        case Number(value=number, type=type_) if type_ is not None:
            return FlowIncoming(block, constant=str(number % (1 << type_.bits)))
    return FlowIncoming(block, register=_name(phi, block))


def _computed(value: Expr) -> bool:
    return not isinstance(value, Register | Number | UndefValue)


def _name(phi: Phi, block: str) -> str:
    """Return a name for an expression that a phi takes, which no register of a text has."""
    return f"{phi.register} from {block}"


def _read(values: Iterable[Expr]) -> tuple[str, ...]:
    """Return the registers in expressions, each once."""
    return tuple(dict.fromkeys(p.name for value in values for p in parts(value) if isinstance(p, Register)))


def _instruction(register: str, values: Iterable[Expr], span: Span) -> FlowInstruction:
    return FlowInstruction(register, _read(values), span=span)


def _instructions(statement: Statement, threads: Threads) -> Iterator[FlowInstruction]:
    """Return an instruction for each register that a statement assigns, one without if it assigns none."""
    if isinstance(statement, ConvergenceToken):
        control = Control(ConvergenceRole(statement.kind), statement.token, convergent=True)
        yield FlowInstruction(statement.register, control=control, span=statement.span)
        return
    control, sort = Control(), _sort(statement) if threads is Threads.WAVE else _sort_in_workgroup(statement)
    if isinstance(statement, Call):
        control = Control(ConvergenceRole.CALL, statement.token, statement.convergent)
    for register in results(statement) or ("",):
        uses = _read(expressions(statement))
        yield FlowInstruction(register, uses, sort, control=control, span=statement.span)


def _sort(statement: Statement) -> Sort:
    """Return where the uniformity of a statement's result comes from, as LLVM 22 has it for AMDGPU."""
    match statement:
        case RmwStatement():
            return Sort.DIVERGENT
        case Load(address=address):
            space = address.base.type.pointer if address.base.type is not None else None
            return Sort.DIVERGENT if space in (AddressSpace.GENERIC, AddressSpace.PRIVATE) else Sort.OPERANDS
        case Call(operation=operation) if operation in ALWAYS_UNIFORM:
            return Sort.UNIFORM
    return Sort.OPERANDS


def _sort_in_workgroup(statement: Statement) -> Sort:
    """Return where the uniformity of a statement's result across a workgroup comes from.

    Waves load by themselves, and somebody may write between; each has its own results of cross-lane operations. What
    is alike in all lanes that come to it is so in the first of each wave; tokens may have others come.
    """
    match statement:
        case Load():
            return Sort.DIVERGENT
        case Call(operation=operation, token=token) if operation != "readfirstlane" or token:
            return Sort.DIVERGENT
    return _sort(statement) if not isinstance(statement, Call) else Sort.OPERANDS
