"""The types of LLVM IR, and how they lie in memory.

What goes in: types as a module writes them. What comes out: sizes, alignments and offsets in bytes, as LLVM's default
data layout has them (pointers to LDS and private memory have 32 bits, all others 64); and the type of the test language
of a value, if it has one: numbers of floating point are the integers of their bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import gcd

from axmem.front.records import dataclass
from axmem.front.typing import override
from axmem.litmus.spelling import INTEGERS, NUMBERED_SPACES, pointer_to
from axmem.litmus.syntax import Type

FLOATS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "fp128": 128, "ppc_fp128": 128, "x86_fp80": 80}
WORDS = frozenset({"void", "label", "token", "metadata", "x86_amx", "opaque"})
"""Types without a size."""
Path = tuple[int, ...]
"""The indices of a part of a structure or array."""
Bytes = tuple[int, int]
"""The first byte, and the one behind the last."""


@dataclass(frozen=True, slots=True)
class IRType:
    """A type. `kind` is int, float, ptr, vector, array, struct, target, function, or a word of `WORDS`.

    `bits` are those of a number, `space` is the address space of a pointer, `count` and `element` are those of a vector
    or array, `fields` those of a structure, or the parameters of a function whose result is `element`.
    """

    kind: str
    bits: int = 0
    space: int = 0
    count: int = 0
    element: IRType | None = None
    fields: tuple[IRType, ...] = ()
    packed: bool = False
    name: str = ""

    @override
    def __str__(self) -> str:
        """Write the type as LLVM does."""
        if self.name:
            return self.name
        match self.kind:
            case "int":
                return f"i{self.bits}"
            case "ptr":
                return f"ptr addrspace({self.space})" if self.space else "ptr"
            case "vector":
                return f"<{self.count} x {self.element}>"
            case "array":
                return f"[{self.count} x {self.element}]"
            case "struct":
                inside = f"{{ {', '.join(map(str, self.fields))} }}" if self.fields else "{}"
                return f"<{inside}>" if self.packed else inside
            case "function":
                return f"{self.element} ({', '.join(map(str, self.fields))})"
        return self.kind

    @property
    def sized(self) -> bool:
        """Whether memory can hold such a value."""
        if self.kind in ("vector", "array"):
            return self.element is not None and self.element.sized
        if self.kind == "struct":
            return all(field.sized for field in self.fields)
        return self.kind in ("int", "float", "ptr")


VOID, LABEL, METADATA = IRType("void"), IRType("label"), IRType("metadata")
BARRIER = 'target("amdgcn.named.barrier", 0)'
"""The name of the type of a named barrier."""
UNKNOWN = IRType("unknown")
"""The type of what is not asked for its type."""


def integer(bits: int) -> IRType:
    """Return the integer type of so many bits."""
    return IRType("int", bits=bits)


@lru_cache(maxsize=1024)
def alignment(type_: IRType) -> int:
    """Return the ABI alignment in bytes."""
    match type_.kind:
        case "struct":
            return 1 if type_.packed else max(map(alignment, type_.fields), default=1)
        case "array":
            return alignment(type_.element or VOID)
        case "vector":
            return _power(_bytes(type_))
    return min(16, _power(_bytes(type_)))


@lru_cache(maxsize=1024)
def size(type_: IRType) -> int:
    """Return how many bytes one of an array of the type takes."""
    if type_.kind == "array":
        return type_.count * size(type_.element or VOID)
    if type_.kind == "struct":
        end = offsets(type_)[-1] + size(type_.fields[-1]) if type_.fields else 0
        return _up(end, alignment(type_))
    return _up(_bytes(type_), alignment(type_))


@lru_cache(maxsize=1024)
def offsets(type_: IRType) -> tuple[int, ...]:
    """Return the byte at which each field of a structure begins."""
    found, end = [], 0
    for field in type_.fields:
        begin = end if type_.packed else _up(end, alignment(field))
        found.append(begin)
        end = begin + size(field)
    return tuple(found)


def _bytes(type_: IRType) -> int:
    if type_.kind == "vector":
        element = type_.element or VOID
        bits = 8 * _bytes(element) if element.kind == "ptr" else element.bits
        return -(-bits * type_.count // 8)
    if type_.kind == "ptr":
        return pointer_to(NUMBERED_SPACES[type_.space]).size if type_.space in NUMBERED_SPACES else 8
    return -(-type_.bits // 8)


def _power(number: int) -> int:
    return 1 << max(0, number - 1).bit_length()


def _up(number: int, align: int) -> int:
    return -(-number // align) * align


def parts(type_: IRType, start: int = 0, path: Path = ()) -> Iterator[tuple[Path, IRType, int]]:
    """Yield the parts of a structure or array that are neither, with their indices and the bytes before them."""
    if type_.kind == "struct":
        for index, (field, offset) in enumerate(zip(type_.fields, offsets(type_), strict=True)):
            yield from parts(field, start + offset, (*path, index))
    elif type_.kind == "array" and type_.element is not None:
        for index in range(type_.count):
            yield from parts(type_.element, start + index * size(type_.element), (*path, index))
    else:
        yield path, type_, start


def scalars(type_: IRType) -> list[tuple[int, IRType]]:
    """Return the numbers and pointers of which a type consists, each with its offset."""
    found: list[tuple[int, IRType]] = []
    for _, part, at in parts(type_):
        element = part.element if part.kind == "vector" else None
        step = max(1, _bytes(element)) if element is not None else 0
        found += [(at, part)] if element is None else [(at + i * step, element) for i in range(part.count)]
    return found


def grain(type_: IRType) -> int:
    """Return the largest size, in bytes, of equal pieces of which no number or pointer of a type is less than one."""
    return gcd(size(type_), *(number for at, each in scalars(type_) for number in (at, size(each)))) or 1


def value_type(type_: IRType) -> Type | None:
    """Return the type of the test language that values of a type have; None if it has none."""
    match type_.kind:
        case "int":
            return INTEGERS.get(f"i{type_.bits}")
        case "float":
            return INTEGERS.get(f"i{type_.bits}")
        case "ptr":
            space = NUMBERED_SPACES.get(type_.space)
            return None if space is None else pointer_to(space)
        case "vector":
            lane = value_type(type_.element or VOID)
            return None if lane is None else Type(lane.bits, type_.count, lane.pointer)
    return None


def covering(those: Iterable[int], begin: int, align: int) -> list[tuple[Bytes, IRType]]:
    """Return integers that have some bytes: from the first one, aligned so, each lies at a multiple of its size."""
    found, left = [], set(those)
    while left:
        low = min(left)
        widths = (n for n in (8, 4, 2, 1) if align % n == 0 and (low - begin) % n == 0)
        length = next(n for n in widths if left.issuperset(range(low, low + n)))
        left -= set(range(low, low + length))
        found.append(((low, low + length), integer(8 * length)))
    return found
