"""Instructions of which no values are asked: what computes something that no test has, and calls of anything.

What goes in: an instruction, and the values of its function. What comes out: a call that nobody knows, with what of its
operands a test can have. Invariant: what computes and does nothing else is told from what may do anything.
"""

from __future__ import annotations

from contextlib import suppress

from axmem.formats.ir.attributes import is_convergent
from axmem.formats.ir.memory import MOST_LANES, Unspeakable, memory_type
from axmem.formats.ir.mnemonics import BINARY, CASTS, PLAIN
from axmem.formats.ir.syntax import Instruction
from axmem.formats.ir.types import value_type
from axmem.formats.ir.values import Values
from axmem.litmus.kernels import UNKNOWN, Call
from axmem.litmus.syntax import Expr, Type

COMPUTING = frozenset({*BINARY, *CASTS, *PLAIN, "icmp", "fcmp", "getelementptr", "extractvalue"})
"""The instructions that compute a value and do nothing else."""


def unknown(instruction: Instruction, values: Values) -> Call | None:
    """Return what computes a value of which only the type is known; None if a test has none of the type."""
    type_ = value_type(instruction.type)
    if instruction.operation not in COMPUTING or type_ is None:
        return None
    operation, register = f"{UNKNOWN}{instruction.operation}", values.registers[instruction.result]
    return Call(operation, _used(instruction, values), register, type_, convergent=False, span=instruction.span)


def unknown_call(call: Instruction, values: Values, register: str, token: str) -> Call:
    """Return the call of a function that may do anything."""
    type_ = value_type(call.type) if register else None
    convergent = is_convergent(values.module, call)
    operation = f"{UNKNOWN}@{call.callee}"
    return Call(operation, _used(call, values), register, type_, token=token, convergent=convergent, span=call.span)


def some_memory(alloca: Instruction) -> Type:
    """Return the type of memory that an alloca is, or of as much as a test has."""
    try:
        return memory_type(alloca.type, alloca.span)
    except Unspeakable:
        return Type(8, MOST_LANES)


def _used(instruction: Instruction, values: Values) -> tuple[Expr, ...]:
    """Return the operands of an instruction that a test can have."""
    found = []
    for operand in instruction.operands:
        with suppress(Unspeakable):
            found.append(values.expr(operand))
    return tuple(found)
