"""How far two pointers into the same memory are apart, which code computes by their numbers: `end - begin`.

What goes in: a function without calls of defined functions. What comes out: the function with the difference of two
offsets in the place of a `sub` of two `ptrtoint` of pointers that come from one alloca, variable or parameter; the
offset of each pointer between is computed beside it. Invariant: the difference is the same number, and undef from null
or undef; an address is no number here otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.formats.ir.flow import PASSING, FunctionFlow
from axmem.formats.ir.memory import constant_offset
from axmem.formats.ir.syntax import Block, ConstantExpression, Function, Instruction, Operand, Value
from axmem.formats.ir.types import IRType, integer, size
from axmem.front.records import replace
from axmem.litmus.syntax import AddressOf, Number, Register, UndefValue

WIDE = integer(64)


def with_distances(function: Function) -> Function:
    """Return a function in which no distance within one memory is the difference of two addresses."""
    flow = FunctionFlow(function)
    work = _Distances(flow)
    found = {each.result: ends for each in flow.instructions if (ends := work.ends(each)) is not None}
    if not found:
        return function
    for ends in found.values():
        for value in ends:
            work.need(value)
    blocks = tuple(Block(b.name, tuple(work.block(b, found)), b.span) for b in function.blocks)
    return replace(function, blocks=blocks)


def _nowhere(value: Value) -> bool:
    """Say whether a pointer is null or undef, from which no distance is known."""
    if isinstance(value, ConstantExpression) and value.operation == "addrspacecast":
        return _nowhere(value.operands[0].value)
    return isinstance(value, UndefValue) or value == Number(0)


class _Distances:
    def __init__(self, flow: FunctionFlow) -> None:
        self.flow = flow
        self.needed: set[str] = set()
        self.names = {*flow.results, *(parameter.name for parameter in flow.function.parameters)}

    def ends(self, each: Instruction) -> tuple[Value, Value] | None:
        """Return the two pointers whose distance an instruction is; None if it is none."""
        if each.operation != "sub" or each.type != WIDE:
            return None
        casts = [self.flow.results.get(o.value.name) for o in each.operands if isinstance(o.value, Register)]
        pointers = [cast.operands[0].value for cast in casts if cast is not None and cast.operation == "ptrtoint"]
        if len(pointers) != 2:
            return None
        one, other = map(self.flow.roots, pointers)
        return (pointers[0], pointers[1]) if one == other and len(one) == 1 and self.known(*pointers) else None

    def known(self, *values: Value) -> bool:
        """Say whether the offsets of pointers can be computed: all that makes them is understood."""
        ahead, seen = list(values), set[str]()
        while ahead:
            value = ahead.pop()
            made = self.made(value)
            if made is None:
                if value not in self.bases(values) and not _nowhere(value):
                    return False
            elif made.result not in seen:
                seen.add(made.result)
                if made.operation == "getelementptr" and not all(o.type.kind == "int" for o in made.operands[1:]):
                    return False
                ahead += self.flow.sources(made)
        return True

    def bases(self, values: tuple[Value, ...]) -> set[Value]:
        """Return the values that pointers come from, whose offset is 0."""
        return {
            AddressOf(root.name) if root.variable else Register(root.name)
            for value in values for root in self.flow.roots(value)
        }  # fmt: skip

    def made(self, value: Value) -> Instruction | None:
        """Return the instruction that makes a pointer of another; None if there is none."""
        found = self.flow.results.get(value.name) if isinstance(value, Register) else None
        return found if found is not None and found.operation in PASSING else None

    def need(self, value: Value) -> None:
        """Note that the offset of a pointer is needed, and of those that it is made of."""
        made = self.made(value)
        if made is not None and made.result not in self.needed:
            self.needed.add(made.result)
            for each in self.flow.sources(made):
                self.need(each)

    def offset(self, value: Value) -> Operand:
        """Return the offset of a pointer."""
        made = self.made(value)
        at_first = UndefValue() if _nowhere(value) else Number(0)
        return Operand(WIDE, at_first if made is None else Register(self.name(made.result)))

    def name(self, pointer: str) -> str:
        """Return the name of the offset of a pointer."""
        name = f"{pointer}.from"
        while name in self.names:
            name += "_"
        return name

    def block(self, block: Block, found: dict[str, tuple[Value, Value]]) -> Iterator[Instruction]:
        """Yield the instructions of a block; offsets that phis merge stand among them."""
        for each in block.instructions:
            if each.result in found:
                operands = tuple(map(self.offset, found[each.result]))
                yield replace(each, operands=operands, words=())
                continue
            yield each
            if each.result in self.needed:
                yield from self.beside(each)

    def beside(self, each: Instruction) -> Iterator[Instruction]:
        """Yield what computes the offset of a pointer."""
        name, span = self.name(each.result), each.span
        if each.operation != "getelementptr":
            pointers = each.operands[1:] if each.operation == "select" else each.operands
            offsets = tuple(self.offset(o.value) for o in pointers)
            operands = (each.operands[0], *offsets) if each.operation == "select" else offsets
            operation = "bitcast" if each.operation == "addrspacecast" else each.operation
            yield Instruction(operation, name, WIDE, operands, targets=each.targets, span=span)
            return
        whole, constant = self.offset(each.operands[0].value), 0
        type_ = IRType("array", element=each.type)
        for number, index in enumerate(each.operands[1:]):
            if isinstance(index.value, Number):
                constant += constant_offset(type_, [0, index.value.value])
            else:
                wide = Operand(WIDE, Register(f"{name}.wide{number}"))
                cast = "sext" if index.type.bits < WIDE.bits else "bitcast"
                yield Instruction(cast, f"{name}.wide{number}", WIDE, (index,), span=span)
                step = Operand(WIDE, Number(size(type_.element or type_)))
                yield Instruction("mul", f"{name}.step{number}", WIDE, (wide, step), span=span)
                added = (whole, Operand(WIDE, Register(f"{name}.step{number}")))
                yield Instruction("add", f"{name}.sum{number}", WIDE, added, span=span)
                whole = Operand(WIDE, Register(f"{name}.sum{number}"))
            field = index.value.value if isinstance(index.value, Number) and type_.kind == "struct" else None
            type_ = (type_.element or type_) if field is None else type_.fields[field]
        yield Instruction("add", name, WIDE, (whole, Operand(WIDE, Number(constant))), span=span)
