"""Flags of LLVM's instructions that make poison, and that no test shows.

What goes in: functions before and after a change. What comes out: the instructions after it with a flag that only they
have, of the flags without a rule in `axmem.litmus.poison`: those of addresses, of floating point, of products of odd
widths; and whether addresses are ordered. Everything else of arithmetic is in the tests of a pair.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from axmem.formats.ir.flow import ADDRESSED
from axmem.formats.ir.opaque import value_text
from axmem.formats.ir.pairs import instructions
from axmem.formats.ir.syntax import ConstantExpression, Function, Instruction, Operand, Value
from axmem.formats.ir.types import offsets, size
from axmem.formats.ir.uses import promoted
from axmem.front.records import replace
from axmem.litmus.poison import ruled
from axmem.litmus.syntax import Number, Register

POISONING = frozenset({"nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw", "nnan", "ninf"})
"""Flags that make a result poison."""
_USING = frozenset({"store", "cmpxchg", "atomicrmw", "br", "switch", "ret", "call", "load"})
_FRESH = frozenset({"load", "call", "cmpxchg", "atomicrmw", "phi", "alloca"})
"""What may be another number each time."""
_DEPTH = 9


def new_flags(before: Function, after: Function) -> tuple[str, ...]:
    """Return the instructions with flags that only the function after has, in words, each once.

    That an address is in bounds is no new promise where the function before says so of it, or accesses it; without
    that, it does not wrap where it is behind another that is in bounds, too ([LangRef] "getelementptr").
    """
    first, second = _Flags(_offset(before)), _Flags(_offset(after))
    return tuple(dict.fromkeys(second.beyond(first)))


def compares_places(function: Function) -> bool:
    """Whether a function asks which of two addresses is less."""
    compared = (each for each in instructions(function) if each.operation == "icmp")
    return any(each.operands[0].type.kind == "ptr" and each.words[-1] not in ("eq", "ne") for each in compared)


def same_memory_operations(before: Function, after: Function) -> bool:
    """Whether two functions do the same operations on memory, in the same order, and call the same."""
    return [*_operations(before)] == [*_operations(after)]


def _operations(function: Function) -> Iterator[Hashable]:
    for each in instructions(function):
        if each.operation in ("load", "store", "fence", "cmpxchg", "atomicrmw", "call"):
            type_ = each.operands[0].type if each.operation == "store" else each.type
            yield each.operation, type_, each.mode, each.failure, each.callee, each.words


def _offset(function: Function) -> Function:
    """Return a function in which an address at one of two constant offsets is one of two addresses.

    No offset is no computation ([LangRef] "getelementptr").
    """
    made = {each.result: each for each in instructions(function) if each.result}

    def written(each: Instruction) -> Iterator[Instruction]:
        offset = each.operands[-1].value if each.operation == "getelementptr" and len(each.operands) == 2 else None
        chosen = made.get(offset.name) if isinstance(offset, Register) else None
        if chosen is None or chosen.operation != "select" or not all(_is_number(o) for o in chosen.operands[1:]):
            yield each
            return
        base, arms = each.operands[0], []
        for k, arm in enumerate(chosen.operands[1:]):
            if arm.value != Number(0):
                yield replace(each, result=f"{each.result}.{k}", operands=(base, arm))
            arms.append(base if arm.value == Number(0) else replace(base, value=Register(f"{each.result}.{k}")))
        yield replace(chosen, result=each.result, type=base.type, operands=(chosen.operands[0], *arms))

    blocks = (
        replace(block, instructions=tuple(line for each in block.instructions for line in written(each)))
        for block in function.blocks
    )
    return replace(function, blocks=tuple(blocks))


def _is_number(operand: Operand) -> bool:
    return isinstance(operand.value, Number)


class _Flags:
    """The instructions of a function that may make poison and that something uses, by what they compute of what."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.made = {each.result: each for each in instructions(function) if each.result}
        self.given = {each.name: k for k, each in enumerate(function.parameters)}
        self.fresh: dict[Hashable, list[str]] = {}
        self.held = _stored_once(function)
        for each in self.made.values():
            self.of(Register(each.result))
        self.flags: dict[Hashable, set[str]] = {}
        self.inside: set[Hashable] = set()
        """Places that are said to be in bounds, or are accessed."""
        self.used = _used(function, self.made)
        for each in instructions(function):
            if each.operation in ADDRESSED:
                self.inside.add(self.place(each.operands[ADDRESSED[each.operation]].value))
            if flags := self.own(each):
                self.flags.setdefault(self.key(each), set()).update(flags)
                if "inbounds" in flags:
                    self.inside.update(self.ends(each))

    def beyond(self, other: _Flags) -> Iterator[str]:
        """Yield what the flags of this function promise, and those of another do not."""
        for each in self.made.values():
            flags = self.own(each) - other.flags.get(self.key(each), set())
            if each.operation == "getelementptr":
                flags -= self._follow(each, other)
            if flags and each.result in self.used:
                yield f"{each.operation} {' '.join(sorted(self.own(each)))}"

    def _follow(self, each: Instruction, other: _Flags) -> set[str]:
        """Return the flags of an address that promise nothing more than another function does."""
        ends = self.ends(each)
        if ends[0] == ends[1]:  # No offset is no computation.
            return {"inbounds", "nusw", "nuw"}
        if "inbounds" not in self.own(each) or not other.inside.issuperset(ends):
            return set()
        return {"inbounds", "nusw", "nuw"} if self._forward(each) else {"inbounds", "nusw"}

    def _forward(self, each: Instruction) -> bool:
        """Whether an address is surely not below the one that it is computed of."""
        numbers = [o.value.value for o in each.operands[1:] if isinstance(o.value, Number)]
        others = [self.made.get(o.value.name) for o in each.operands[1:] if isinstance(o.value, Register)]
        wide = all(made is not None and made.operation == "zext" for made in others)
        return len(numbers) + len(others) == len(each.operands) - 1 and wide and all(n >= 0 for n in numbers)

    def own(self, each: Instruction) -> set[str]:
        """Return the flags of an instruction that make poison, and that no test shows."""
        return {flag for flag in POISONING.intersection(each.words) if not _shown(each, flag)} if each.result else set()

    def key(self, each: Instruction) -> Hashable:
        """Return what an instruction computes, but for its flags."""
        if each.operation == "getelementptr":
            return self.ends(each)
        return (each.operation, *(self.of(o.value) for o in each.operands))

    def ends(self, each: Instruction) -> tuple[Hashable, Hashable]:
        """Return the place that an address is computed of, and where it is."""
        return self.place(each.operands[0].value), self.place(Register(each.result))

    def place(self, value: Value, depth: int = _DEPTH) -> Hashable:
        """Return where an address is: behind what, by how many bytes, and by which numbers times how many."""
        offset, steps = 0, list[Hashable]()
        while True:
            value = self.settled(value)
            made = self.made.get(value.name) if isinstance(value, Register) else value
            if not isinstance(made, Instruction | ConstantExpression) or made.operation != "getelementptr":
                return (self.of(value, depth), offset, tuple(steps))
            type_ = made.type
            for number, operand in enumerate(made.operands[1:]):
                if number and type_ is not None and type_.kind != "struct":
                    type_ = type_.element or type_
                if type_ is None or not (isinstance(operand.value, Number) or type_.kind != "struct" or not number):
                    return (self.of(value, depth), offset, tuple(steps))
                if number and type_.kind == "struct" and isinstance(operand.value, Number):
                    offset += offsets(type_)[operand.value.value]
                    type_ = type_.fields[operand.value.value]
                elif isinstance(operand.value, Number):
                    offset += operand.value.value * size(type_)
                else:
                    steps.append((self.of(operand.value, depth - 1), size(type_)))
            value = made.operands[0].value

    def settled(self, value: Value) -> Value:
        """Return what a value is that was stored before it was loaded."""
        while isinstance(value, Register) and value.name in self.held:
            value = self.held[value.name]
        return value

    def of(self, value: Value, depth: int = _DEPTH) -> Hashable:
        """Return what a value is, but for flags."""
        value = self.settled(value)
        if isinstance(value, ConstantExpression):
            return (value.operation, *(self.of(each.value, depth) for each in value.operands))
        if not isinstance(value, Register):
            return value_text(value)
        each = self.made.get(value.name)
        if each is None or depth <= 0:
            return self.given.get(value.name, value.name)
        if each.operation == "getelementptr":
            return self.place(value, depth - 1)
        words = tuple(word for word in each.words if word not in POISONING)
        operands = (self.of(o.value, depth - 1) for o in each.operands)
        found: Hashable = (each.operation, words, str(each.type), *operands)
        if each.operation in _FRESH:
            same = self.fresh.setdefault(found, [])
            same += [each.result] if each.result not in same else []
            return found, same.index(each.result)
        return found


def _stored_once(function: Function) -> dict[str, Value]:
    """Return what loads return of variables of the thread alone that are stored once."""
    found: dict[str, Value] = {}
    for name in promoted(function):
        slot = Register(name)
        stores = [e for e in instructions(function) if e.operation == "store" and e.operands[1].value == slot]
        if len(stores) == 1:
            loads = (e for e in instructions(function) if e.operation == "load" and e.operands[0].value == slot)
            found |= {each.result: stores[0].operands[0].value for each in loads}
    return found


def _shown(each: Instruction, flag: str) -> bool:
    """Whether the tests of a pair show that a flag is broken."""
    return each.operation != "getelementptr" and ruled(each.operation, flag, each.operands[0].type.bits)


def _used(function: Function, made: dict[str, Instruction]) -> set[str]:
    """Return the values of a function that something uses."""
    found: set[str] = set()
    ahead = [each for each in instructions(function) if each.operation in _USING]
    while ahead:
        for name in {n for operand in ahead.pop().operands for n in _names(operand.value)} - found:
            found.add(name)
            ahead += [made[name]] if name in made else []
    return found


def _names(value: object) -> Iterator[str]:
    if isinstance(value, Register):
        yield value.name
    elif isinstance(value, ConstantExpression):
        for operand in value.operands:
            yield from _names(operand.value)
