"""Execution of these functions one operation after the other, where their pointers lead somewhere in particular.

What goes in: a pair, a random `Layout`: objects with addresses, pointers with the object that they are of, or none.
What comes out: the result and memory of a function, or None where its behaviour is undefined: an access outside of its
pointer's object, or of an address that is not aligned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.refinement.layouts.pairs import Operation, Pair, Place

MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Object:
    """Memory from an address on."""

    begin: int
    size: int


@dataclass(frozen=True)
class Layout:
    """Where pointers lead: an address, and the object that they may access, if any; and what indices are."""

    objects: tuple[Object, ...]
    pointers: dict[str, tuple[int, Object | None]]
    indices: dict[str, int]
    memory: dict[int, int]


def layout(random: Random, pair: Pair) -> Layout:
    """Return a random layout for a pair."""
    at, objects = 64, []
    for size in (32, 24, 8):
        objects.append(Object(at, size))
        at += size + random.choice((0, 8, 64))
    pointers: dict[str, tuple[int, Object | None]] = {"g": (objects[2].begin, objects[2])}
    for name in pair.pointers:
        made = random.choice(("object", "object", "object", "object", "same", "null", "g", "stray"))
        one = random.choice(objects[:2])
        match made:
            case "object":
                pointers[name] = one.begin + random.choice((0, 0, 4, 8, 8, 12, 1, 2, 16)), one
            case "same":
                address, owner = random.choice([*pointers.values()])
                pointers[name] = address + random.choice((0, 0, 0, 1, 2, 4, -4, 8)) & MASK, owner
            case "null":
                pointers[name] = 0, None
            case "g":
                pointers[name] = objects[2].begin + random.choice((0, 0, 4, -4)), objects[2]
            case _:
                pointers[name] = random.choice((5, *(o.begin + d for o in objects for d in (0, o.size, -4)))), None
    indices = {name: random.choice((0, 0, 1, 2, 3, -1)) for name in pair.indices}
    bytes_ = {o.begin + k: random.choice((0, 0, 1, 255, random.randrange(256))) for o in objects for k in range(o.size)}
    return Layout(tuple(objects), pointers, indices, bytes_)


def executed(body: Sequence[Operation], results: Sequence[str], at: Layout) -> tuple[int, dict[int, int]] | None:
    """Return the result and memory after a function, None if its behaviour is undefined."""
    memory, values = dict(at.memory), dict[str, int]()
    for each in body:
        if each.guard and not values[each.guard]:
            continue
        address, owner = _address(each.place, at)
        if each.kind == "compare" and each.other is not None:
            values[each.name] = address == _address(each.other, at)[0]
        elif each.kind == "null":
            values[each.name] = address == 0
        else:
            inside = owner is not None and owner.begin <= address and address + each.size <= owner.begin + owner.size
            if not inside or (each.aligned and address % each.size):
                return None
            cells = range(address, address + each.size)
            if each.kind == "load":
                values[each.name] = sum(memory[cell] << 8 * k for k, cell in enumerate(cells))
            else:
                memory |= {cell: each.value >> 8 * k & 255 for k, cell in enumerate(cells)}
    total = 0
    for name in results:
        total = total * 3 + values[name] & MASK
    return total, memory


def _address(place: Place, at: Layout) -> tuple[int, Object | None]:
    base, owner = at.pointers[place.pointer]
    offset = (at.indices[place.index] + place.offset) * place.stride if place.index else place.offset
    return base + offset & MASK, owner


def differing(pair: Pair, random: Random, layouts: int) -> Layout | None:
    """Return one of so many random layouts in which the function after does what that before does not."""
    for _ in range(layouts):
        at = layout(random, pair)
        before = executed(pair.before, pair.results, at)
        if before is not None and executed(pair.after, pair.results, at) != before:
            return at
    return None
