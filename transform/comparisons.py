"""The comparisons by which a loop goes on or is left.

What goes in: a loop and one of its exits. What comes out: comparisons of a register of the loop with a limit over what
stands before it, all of which hold where the loop goes on. Invariant: a condition that is no such comparison is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from axmem.litmus.blocks import ControlFlow
from axmem.litmus.kernels import Branch
from axmem.litmus.poison import unguarded
from axmem.litmus.syntax import I32, Assign, Expr, IntegerOperation, Register, Statement
from axmem.transform.constants import constant, number_of
from axmem.transform.loops import Loop, is_invariant

Comparison: TypeAlias = tuple[str, Register, Expr]
"""Under which a loop goes on: its name, a register of the loop, a limit over what stands before it."""
NEGATED = {"eq": "ne", "ne": "eq", "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt"}
NEGATED |= {"slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt"}
SWAPPED = {"eq": "eq", "ne": "ne", "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule"}
SWAPPED |= {"slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle"}
Definitions: TypeAlias = Mapping[str, tuple[str, Statement]]
"""What `defined_in` returns."""


def comparison(flow: ControlFlow, loop: Loop, exit_: str, definitions: Definitions) -> Comparison | None:
    """Return the only comparison that decides whether a loop goes on."""
    found = comparisons(flow, loop, exit_, definitions)
    return found[0] if len(found) == 1 else None


def comparisons(flow: ControlFlow, loop: Loop, exit_: str, definitions: Definitions) -> list[Comparison | None]:
    """Return the comparisons that all hold where a loop goes on, None for what is none."""
    branch = flow.block[exit_].terminator
    assert isinstance(branch, Branch)
    goes = branch.targets[0] in loop.blocks
    waiting, found = [branch.condition], list[Comparison | None]()
    while waiting:
        condition = _defined(waiting.pop(), definitions)
        match condition:
            case IntegerOperation(name="and", operands=operands) if goes:
                waiting += operands
            case IntegerOperation(name="or", operands=operands) if not goes:
                waiting += operands
            case IntegerOperation(name="select", operands=(first, second, none)) if goes and number_of(none) == 0:
                waiting += (first, second)
            case IntegerOperation(name="select", operands=(first, one, second)) if not goes and number_of(one) == 1:
                waiting += (first, second)
            case _:
                found.append(_compared(flow, condition, definitions, goes=goes))
    return found


def _defined(expr: Expr | None, definitions: Definitions) -> Expr | None:
    """Return what a register of a loop is computed by."""
    while isinstance(expr, Register) and expr.name in definitions:
        _, statement = definitions[expr.name]
        expr = unguarded(statement.value) if isinstance(statement, Assign) else None
    return expr


def _before(expr: Expr, definitions: Definitions) -> Expr:
    """Return a limit that a loop computes from what stands before it, as an expression over that."""
    found = _defined(expr, definitions)
    if isinstance(expr, Register) and isinstance(found, IntegerOperation) and found.name in ("sext", "zext", "trunc"):
        inner = _before(found.operands[0], definitions)
        if is_invariant(inner, definitions):
            return IntegerOperation(found.name, (inner,), found.type)
    return expr


def is_small(flow: ControlFlow, limit: Expr, step: int, flag: str) -> bool:
    """Whether a counter that goes on below a limit, with or without sign, cannot wrap with its next step."""
    values = {s.register: s.value for b in flow.blocks for s in b.statements if isinstance(s, Assign)}
    value = unguarded(values.get(limit.name, limit) if isinstance(limit, Register) else limit)
    bits = (limit.type or I32).bits
    if isinstance(value, IntegerOperation) and value.name in ("zext", "sext"):
        inner = (value.operands[0].type or I32).bits
        return (value.name == "zext" or flag == "nsw") and inner < bits and step < 1 << (bits - 1 - inner)
    number = number_of(value)
    if number is None:
        return False
    top = 1 << (bits - (flag == "nsw"))
    return number >= top or step < number < top - step


def _compared(flow: ControlFlow, condition: Expr | None, definitions: Definitions, *, goes: bool) -> Comparison | None:
    """Return a condition as a comparison of a register of the loop with a limit; with `goes` it holds in the loop."""
    if not isinstance(condition, IntegerOperation) or condition.name not in NEGATED:
        return None
    name = condition.name if goes else NEGATED[condition.name]
    left, right = (_before(each, definitions) for each in condition.operands)
    inner = tuple(_unextended(flow, each) for each in (left, right))
    if inner[0] is not None and inner[1] is not None and inner[0].type == inner[1].type:
        left, right = inner[0], inner[1]
        name = f"u{name[1:]}" if name.startswith("s") else name
    elif (number := number_of(right)) is not None and inner[0] is not None and _fits(number, inner[0]):
        left, right = inner[0], constant(number, inner[0].type)
        name = f"u{name[1:]}" if name.startswith("s") else name
    if is_invariant(left, definitions):
        name, left, right = SWAPPED[name], right, left
    if not isinstance(left, Register) or not is_invariant(right, definitions):
        return None
    return name, left, right


def _fits(number: int, narrow: Expr) -> bool:
    """Whether a number is one of so few bits, without sign."""
    return 0 <= number < 1 << (narrow.type or I32).bits


def _unextended(flow: ControlFlow, expr: Expr) -> Expr | None:
    """Return what a register is the extension of with zeros; None if it is none."""
    if not isinstance(expr, Register):
        return None
    values = (
        s.value for block in flow.blocks for s in block.statements if isinstance(s, Assign) and s.register == expr.name
    )
    value = next(values, None)
    found = None if value is None else unguarded(value)
    return found.operands[0] if isinstance(found, IntegerOperation) and found.name == "zext" else None


def greatest(flow: ControlFlow, expr: Expr) -> int | None:
    """Return a number that an expression without sign does not exceed, None if its parts say of none."""
    values = {s.register: s.value for b in flow.blocks for s in b.statements if isinstance(s, Assign)}
    value = unguarded(values.get(expr.name, expr) if isinstance(expr, Register) else expr)
    if (number := number_of(value)) is not None:
        return number
    match value:
        case IntegerOperation(name="zext", operands=(inner,)):
            return greatest(flow, inner)
        case IntegerOperation(name="select", operands=(IntegerOperation(name="ult", operands=pair), *least)):
            tops = [greatest(flow, each) for each in least] if [*pair] == least else []  # That is `umin`.
            return min((top for top in tops if top is not None), default=None)
        case IntegerOperation(name="and", operands=pair):
            return min((top for each in pair if (top := greatest(flow, each)) is not None), default=None)
        case IntegerOperation(name="add" | "sub" as name, operands=(left, right)):
            if (n := number_of(right)) is None:
                return None
            most, bits = greatest(flow, left), (value.type or I32).bits
            n = n - (1 << bits) if n >= 1 << (bits - 1) else n
            found = None if most is None else most + (n if name == "add" else -n)
            return found if found is not None and 0 <= found < 1 << bits else None
    return None
