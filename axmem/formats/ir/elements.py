"""Pointers of which a function accesses one element, as pointers to that element.

What goes in: a function, or one before and after a change. What comes out: functions in which a parameter `p` that is
used as `p + s * i + c` alone, of one `i` that is computed of parameters, stands for `p + s * i`, so that memory is no
longer addressed by `i`. Both have the same memory and the same numbers: whichever address the element has, it is that
of some `p`. Invariant: `i` is not undef; where it is poison, nothing is accessed, as where the pointer leads nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from axmem.formats.ir.flow import value_names
from axmem.formats.ir.mnemonics import COMMUTING
from axmem.formats.ir.syntax import Function, Instruction, Operand, Parameter
from axmem.formats.ir.types import integer, size
from axmem.front.records import dataclass, replace
from axmem.litmus.spelling import NUMBERED_SPACES, pointer_to
from axmem.litmus.syntax import Number, Register

_COMPUTING = COMMUTING | {"sub", "shl", "lshr", "ashr", "udiv", "urem", "trunc", "zext", "sext"}
_SHIFTED = re.compile(r"align|dereferenceable|nonnull")
"""What is said of where a pointer leads, and not of the element."""
_DEPTH = 12
_SAID = "%{0} is the address of the element of %{0} that is accessed"
_POISON = "what flags say of an index need not be so"


class _Place(NamedTuple):
    """`scale` times a number that has a key, and `more`, in bytes; a key is the same where the number is."""

    scale: int
    key: str
    more: int


@dataclass(frozen=True, slots=True)
class Elements:
    """Functions whose parameters are pointers to elements, what is said of that, and why a change may be right that is
    wrong by them."""

    functions: tuple[Function, ...]
    said: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()


def at_elements(functions: Sequence[Function], moved: Container[int] = ()) -> Elements | None:
    """Return functions with the same parameters with pointers to elements; None if there are none.

    The low bits of pointers that are `moved` matter: they stay as they are.
    """
    works = [_Indices(function, functions[0].parameters) for function in functions]
    found: dict[int, _Place] = {}
    for at, parameter in enumerate(functions[0].parameters):
        if parameter.type.kind != "ptr" or at in moved or parameter.type.space not in NUMBERED_SPACES:
            continue
        places = {place for work in works for place in work.uses(at)}
        if None not in places and len({(each.scale, each.key) for each in places if each is not None}) == 1:
            (place, *_) = places
            if place is not None and place.key:
                found[at] = place
    if not found:
        return None
    said = tuple(_SAID.format(functions[0].parameters[at].name) for at in found)
    doubtful = (_POISON,) if any(work.flagged for work in works) else ()
    return Elements(tuple(work.rewritten(found) for work in works), said, doubtful)


class _Indices:
    """The indices of a function; parameters have the names that those at their places have in the function before."""

    def __init__(self, function: Function, named_as: Sequence[Parameter]) -> None:
        self.function = function
        self.given = {
            each.name: (each, f"%{other.name}") for each, other in zip(function.parameters, named_as, strict=True)
        }
        everything = (each for block in function.blocks for each in block.instructions)
        self.made = {each.result: each for each in everything if each.result}
        self.flagged = False

    def uses(self, at: int) -> Iterator[_Place | None]:
        """Yield where a parameter leads wherever it is used; None for what is no index of it."""
        parameter = self.function.parameters[at]
        bits = pointer_to(NUMBERED_SPACES[parameter.type.space]).bits
        for block in self.function.blocks:
            for each in block.instructions:
                if any(parameter.name in value_names(operand.value) for operand in each.operands):
                    yield self._place(each, parameter.name, bits)

    def _place(self, each: Instruction, name: str, bits: int) -> _Place | None:
        if each.operation != "getelementptr" or len(each.operands) != 2 or not each.type.sized:
            return None
        base, index = each.operands
        if base.value != Register(name) or name in value_names(index.value):
            return None
        place = self._linear(index, bits)
        step = size(each.type)
        return None if place is None else _Place(place.scale * step, place.key, place.more * step)

    def _linear(self, operand: Operand, bits: int) -> _Place | None:
        """Return an index of so many bits, or one that is extended to that with its sign."""
        if operand.type.kind != "int" or operand.type.bits > bits:
            return None
        if isinstance(operand.value, Number):
            return _Place(0, "", operand.value.value)
        if operand.type.bits < bits:
            return self._atom(f"sext({{}}, {operand.type}, i{bits})", operand)
        made = self.made.get(operand.value.name) if isinstance(operand.value, Register) else None
        if made is not None and len(made.operands) == 2 and isinstance(by := made.operands[1].value, Number):
            inner = self._linear(made.operands[0], bits) if made.operation in ("add", "sub", "mul", "shl") else None
            if inner is not None:
                self.flagged |= bool(made.words)
                if made.operation in ("add", "sub"):
                    return inner._replace(more=inner.more + (by.value if made.operation == "add" else -by.value))
                times = by.value if made.operation == "mul" else 1 << min(by.value, bits)
                return _Place(inner.scale * times, inner.key, inner.more * times)
        if made is not None and made.operation in ("sext", "zext"):
            return self._extended(made, bits)
        return self._atom("{}", operand)

    def _extended(self, made: Instruction, bits: int) -> _Place | None:
        """Return an index that is extended: what is added to a number that does not wrap is added behind it."""
        word = "sext" if made.operation == "sext" or "nneg" in made.words else "zext"
        self.flagged |= bool(made.words)
        (operand,) = made.operands
        shape = f"{word}({{}}, {operand.type}, i{bits})"
        inner = self.made.get(operand.value.name) if isinstance(operand.value, Register) else None
        wraps = "nsw" if word == "sext" else "nuw"
        if inner is not None and inner.operation == "add" and wraps in inner.words:
            by, place = inner.operands[1].value, self._atom(shape, inner.operands[0])
            if isinstance(by, Number) and place is not None:
                self.flagged = True
                return place._replace(more=by.value)
        return self._atom(shape, operand)

    def _atom(self, shape: str, operand: Operand) -> _Place | None:
        key = self._key(operand)
        return None if key is None else _Place(1, shape.format(key), 0)

    def _key(self, operand: Operand, depth: int = _DEPTH) -> str | None:
        """Return the text of a number that is computed of parameters that are not undef; None of others."""
        if isinstance(operand.value, Number):
            return str(operand.value.value)
        if not isinstance(operand.value, Register) or not depth:
            return None
        if operand.value.name in self.given:
            parameter, name = self.given[operand.value.name]
            return name if "noundef" in parameter.attributes else None
        made = self.made.get(operand.value.name)
        if made is None or made.operation not in _COMPUTING:
            return None
        self.flagged |= bool(made.words)
        operation, operands = made.operation, made.operands
        if "disjoint" in made.words:
            operation = "add"
        if operation == "zext" and "nneg" in made.words:
            operation = "sext"
        given = [self._key(each, depth - 1) for each in operands]
        if operation == "shl" and isinstance(by := operands[1].value, Number) and by.value < made.type.bits:
            operation, given[1] = "mul", str(1 << by.value)
        if None in given:
            return None
        texts = sorted(map(str, given)) if operation in COMMUTING else map(str, given)
        return f"{operation}({', '.join((*texts, str(operands[0].type), str(made.type)))})"

    def rewritten(self, found: Mapping[int, _Place]) -> Function:
        """Return the function in which these parameters are pointers to elements."""
        names = {self.function.parameters[at].name: at for at in found}

        def meant(each: Instruction) -> Instruction:
            base = each.operands[0].value if each.operation == "getelementptr" else None
            if not isinstance(base, Register) or base.name not in names:
                return each
            bits = pointer_to(NUMBERED_SPACES[each.operands[0].type.space]).bits
            place = self._place(each, base.name, bits)
            assert place is not None
            behind = Operand(integer(bits), Number(place.more), each.span)
            return replace(each, type=integer(8), operands=(each.operands[0], behind), words=())

        parameters = tuple(_plain(each) if each.name in names else each for each in self.function.parameters)
        blocks = (replace(block, instructions=tuple(map(meant, block.instructions))) for block in self.function.blocks)
        return replace(self.function, parameters=parameters, blocks=tuple(blocks))


def _plain(parameter: Parameter) -> Parameter:
    """Return a pointer of which nothing is said that need not hold of an element."""
    words, kept, at = parameter.attributes, list[str](), 0
    while at < len(words):
        end = at + 1
        if words[end : end + 1] == ("(",):
            end = words.index(")", end) + 1
        elif words[at] == "align":
            end += 1
        kept += () if _SHIFTED.match(words[at]) else words[at:end]
        at = end
    return replace(parameter, attributes=tuple(kept))
