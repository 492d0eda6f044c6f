"""Numbers of values: what is computed alike of the same values has the same number.

What goes in: operands and instructions that only compute, and the numbers of registers. What comes out: numbers
(`Term`), whose keys say how they are computed. Invariant: values with one number are the same, undef and poison
included, whichever registers they are in; what is not known here raises `Unnumbered`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from axmem.formats.ir.mnemonics import COMMUTING
from axmem.formats.ir.syntax import ConstantExpression, Instruction, Operand, Value
from axmem.formats.ir.types import IRType, offsets, size
from axmem.litmus.syntax import AddressOf, Number, Register, UndefValue, VectorOf

FLOATS = frozenset({"fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "fcmp", "fptrunc", "fpext"})
_NEGATED = {"ne": "eq", "uge": "ult", "ule": "ugt", "sge": "slt", "sle": "sgt"}
_SWAPPED = {"ugt": "ult", "sgt": "slt"}

_CAST = ("addrspacecast", "ptr", (("ptr addrspace(1)",), (), ()))
"""How the key begins of a pointer to global memory that is cast to the generic address space, where it is the same."""

Term = int
Registers = Callable[[str], Term]


class Unnumbered(Exception):
    """A value of which nothing is known here."""


class Numbering:
    """The values of two functions."""

    def __init__(self) -> None:
        self.terms: dict[Hashable, Term] = {}
        self.keys: list[tuple[Hashable, ...]] = []

    def term(self, *key: Hashable) -> Term:
        """Return the number of a value."""
        if key not in self.terms:
            self.terms[key] = len(self.keys)
            self.keys.append(key)
        return self.terms[key]

    def value(self, operand: Operand, registers: Registers) -> Term:
        """Return the number of an operand."""
        return self._value(operand.value, operand.type, registers)

    def _value(self, value: Value, type_: IRType, registers: Registers) -> Term:
        match value:
            case Register(name=name):
                return registers(name)
            case Number(value=number):
                bits = type_.bits if type_.kind == "int" else 0
                return self.term("number", number % (1 << bits) if bits else number, str(type_))
            case UndefValue(poison=poison):
                return self.term("undef", poison, str(type_))
            case AddressOf(location=name):
                return self.term("variable", name)
            case VectorOf(elements=elements):
                element = type_.element or type_
                return self.term("vector", *(self._value(each, element, registers) for each in elements))
            case ConstantExpression(operation=operation, type=made, operands=operands, words=words):
                given = tuple(self.value(each, registers) for each in operands)
                return self.term("constant", operation, str(made), words, given, str(type_))
        raise Unnumbered

    def constant(self, term: Term) -> int | None:
        """Return the number that a value is; None if that is not known."""
        kind, number, *_ = (*self.keys[term], None)
        return number if kind == "number" and isinstance(number, int) else None

    def computed(self, each: Instruction, registers: Registers) -> Term:
        """Return the number of what an instruction computes, but for its flags."""
        if each.operation == "getelementptr":
            return self._address(each, registers)
        given = [self.value(operand, registers) for operand in each.operands]
        types = tuple(str(operand.type) for operand in each.operands)
        if each.operation == "icmp":
            word = each.words[0]
            negated, word = word in _NEGATED, _NEGATED.get(word, word)
            if word in _SWAPPED:
                word, given = _SWAPPED[word], given[::-1]
            found = self.term("icmp", word, types, *(sorted(given) if word == "eq" else given))
            return self.term("not", found) if negated else found
        true = self.term("number", 1, "i1")
        if each.operation == "xor" and str(each.type) == "i1" and given[1] == true:
            negated, base = self.negation(given[0])
            return base if negated else self.term("not", base)
        if each.operation in COMMUTING:
            given.sort()
        if each.operation == "bitcast" and types[0] == str(each.type):
            return given[0]
        words = each.words if each.operation in FLOATS | {"select"} else ()
        return self.term(each.operation, str(each.type), (types, words, each.indices), *given)

    def negation(self, term: Term) -> tuple[bool, Term]:
        """Return whether a truth is the opposite of another one, and that one, or itself."""
        kind, *rest = self.keys[term]
        return (True, rest[0]) if kind == "not" and isinstance(rest[0], int) else (False, term)

    def uncast(self, term: Term) -> Term:
        """Return the global pointer of which one is the cast to the generic address space; or that one."""
        key = self.keys[term]
        return key[3] if key[:3] == _CAST and isinstance(key[3], int) else term

    def _address(self, each: Instruction, registers: Registers) -> Term:
        """Return the number of an address: a base, what is added to it of numbers, and so many bytes."""
        base, *indices = each.operands
        if base.type.kind != "ptr" or any(operand.type.kind != "int" for operand in indices):
            raise Unnumbered
        begin = self.value(base, registers)
        found, bytes_, type_ = self.uncast(begin), 0, each.type
        for level, index in enumerate(indices):
            if level and type_.kind == "struct":
                if not isinstance(index.value, Number):
                    raise Unnumbered
                bytes_ += offsets(type_)[index.value.value]
                type_ = type_.fields[index.value.value]
                continue
            if level:
                if type_.kind != "array" or type_.element is None:
                    raise Unnumbered
                type_ = type_.element
            if isinstance(index.value, Number):
                bytes_ += size(type_) * index.value.value
            else:
                number = self.value(index, registers)
                found = self.term("element", self._moved(found, bytes_), size(type_), number, str(index.type))
                bytes_ = 0
        place = self._moved(found, bytes_)
        # What is behind the cast of a pointer is the cast of what is behind that.
        return place if self.uncast(begin) == begin else self.term(*self.keys[begin][:3], place)

    def _moved(self, base: Term, bytes_: int) -> Term:
        """Return the number of an address so many bytes behind another one."""
        key = self.keys[base]
        if key[0] == "moved" and isinstance(key[1], int) and isinstance(key[2], int):
            base, bytes_ = key[1], bytes_ + key[2]
        return self.term("moved", base, bytes_) if bytes_ else base
