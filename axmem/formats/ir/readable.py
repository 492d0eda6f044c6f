"""A function of a launch in terms that a test has.

What goes in: a function without calls of defined functions, and the values that are asked about. What comes out: the
function with a value for each part of a structure and for each variable of its own, and without what only compilers
and machines write: copies of memory, traps, distances as numbers. In the place of calls that stop the program there is
`unreachable`, so that to come there is a fault at their line. Vectors whose flags (`nsw`, `exact`, …) make poison of
some lanes, and comparisons of vectors, become an operation of each lane. Invariant: every value that is named is there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from axmem.formats.ir.aggregates import in_parts, parted
from axmem.formats.ir.carried import carried
from axmem.formats.ir.counting import with_counts
from axmem.formats.ir.distances import with_distances
from axmem.formats.ir.flow import used
from axmem.formats.ir.folding import thawed
from axmem.formats.ir.inlining import coming_from, executed
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.mnemonics import BINARY, CASTS
from axmem.formats.ir.pieces import in_pieces
from axmem.formats.ir.registers import in_registers
from axmem.formats.ir.syntax import Block, ConstantExpression, Function, Instruction, Operand, Value
from axmem.formats.ir.types import VOID, integer
from axmem.formats.ir.widths import with_widths
from axmem.front.records import replace
from axmem.front.source import did_you_mean
from axmem.litmus.poison import POISONING
from axmem.litmus.syntax import Number, Register, UndefValue


def readable(function: Function, asked: Collection[str]) -> Function:
    """Return a function in terms that a test has; if nobody has optimized it, with its own variables as values."""
    found = whole = parted(function)
    before = None
    while found is not before:  # What holds a pointer to a structure may be a value, and then the structure may be.
        before = found
        split = in_pieces(found)
        if "optnone" in function.attributes or split is not found:
            found = in_registers(split, asked)
    found = with_counts(with_traps(lanewise(in_parts(with_widths(found)))))
    found = in_registers(found, asked) if "optnone" in function.attributes or before is not whole else found
    return _checked(carried(with_distances(thawed(found, (), read=True))))


def _checked(function: Function) -> Function:
    """Return a function in which every value that is named is there. Raises `Unspeakable`."""
    instructions = [each for block in function.blocks for each in block.instructions]
    values = {each.result for each in instructions} | {p.name for p in function.parameters}
    for each in instructions:
        for name in used(each):
            if name not in values:
                raise Unspeakable(each.span, f"nothing assigns '%{name}' here", did_you_mean(name, values - {""}))
    return function


TRAPS = frozenset(
    {"llvm.trap", "llvm.ubsantrap", "abort", "__assert_fail", "__assertfail", "_ZSt9terminatev", "__cxa_pure_virtual"}
)
"""What is called where an assertion fails, by C's libraries, CUDA's and clang."""


def with_traps(function: Function) -> Function:
    """Return a function that stops where it says so."""
    found = {b.name: at for b in function.blocks for at, i in enumerate(b.instructions) if i.callee in TRAPS}
    if not found:
        return function
    blocks = tuple(_stopped(block) for block in function.blocks)
    left = {(b.name, target) for b in function.blocks if b.name in found for target in b.instructions[-1].targets}
    return executed(replace(function, blocks=tuple(_without(block, left) for block in blocks)))


def _stopped(block: Block) -> Block:
    """Return a block up to the first call that stops."""
    for at, each in enumerate(block.instructions):
        if each.callee in TRAPS:
            end = Instruction("unreachable", span=each.span)
            return replace(block, instructions=(*block.instructions[:at], end))
    return block


def _without(block: Block, left: set[tuple[str, str]]) -> Block:
    """Return a block whose phis take nothing from edges that are gone."""

    instructions = (
        coming_from(each, {name for name in each.targets if (name, block.name) not in left})
        for each in block.instructions
    )
    return replace(block, instructions=tuple(instructions))


def lanewise(function: Function) -> Function:
    """Return a function in which no operation makes poison of some lanes of a vector, or compares vectors."""
    if not any(_apart(each) for block in function.blocks for each in block.instructions):
        return function
    blocks = (
        Block(b.name, tuple(made for each in b.instructions for made in _lanes(each)), b.span) for b in function.blocks
    )
    return replace(function, blocks=tuple(blocks))


def _apart(each: Instruction) -> bool:
    if each.operation in ("icmp", "fcmp", "select"):
        return each.operands[0].type.kind == "vector"
    known = each.operation in BINARY or each.operation in CASTS
    return known and each.type.kind == "vector" and not POISONING.isdisjoint(each.words)


def _lanes(each: Instruction) -> Iterator[Instruction]:
    """Yield what an instruction is, lane by lane if need be."""
    if not _apart(each):
        yield each
        return
    whole = Operand(each.type, UndefValue(), each.span)
    for lane in range(each.type.count):
        operands = []
        for number, operand in enumerate(each.operands):
            type_ = operand.type.element or VOID
            if isinstance(operand.value, Register):
                name = f"{each.result}.lane{lane}.{number}"
                at = Operand(integer(64), Number(lane), each.span)
                yield Instruction("extractelement", name, type_, (operand, at), span=each.span)
                operands.append(Operand(type_, Register(name), each.span))
            else:
                value: Value = operand.value
                if isinstance(value, ConstantExpression) and value.operation == "aggregate":
                    value = value.operands[lane].value
                operands.append(Operand(type_, value, each.span))
        name, type_ = f"{each.result}.lane{lane}", each.type.element or VOID
        yield replace(each, result=name, type=type_, operands=tuple(operands))
        result = each.result if lane == each.type.count - 1 else f"{name}.whole"
        by = (whole, Operand(type_, Register(name), each.span), Operand(integer(64), Number(lane), each.span))
        yield Instruction("insertelement", result, each.type, by, span=each.span)
        whole = Operand(each.type, Register(result), each.span)
