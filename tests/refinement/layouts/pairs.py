"""Functions with two or three pointers before and after a change, as LLVM IR and as what `interpreter` executes.

What goes in: a seed. What comes out: a `Pair`: some accesses of several sizes at constant offsets and at indices,
comparisons of addresses, stores behind a branch on them; and a rewrite, as a pass makes it, or might.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

SIZES = (1, 2, 4, 4, 4, 8)
OFFSETS = (0, 0, 0, 1, 2, 4, 4, 8, -4)


@dataclass(frozen=True)
class Place:
    """An address: so many bytes behind a pointer, or at an index of elements of `stride` bytes, plus an addend."""

    pointer: str
    offset: int = 0
    index: str = ""
    stride: int = 4


@dataclass(frozen=True)
class Operation:
    """A `load`, a `store` of a number, a `compare` of two addresses, or of one with `null`; `guard`: if that is so."""

    kind: str
    name: str
    place: Place
    size: int = 4
    value: int = 0
    other: Place | None = None
    guard: str = ""
    aligned: bool = True


@dataclass(frozen=True)
class Pair:
    """Both functions, with the same parameters."""

    pointers: tuple[str, ...]
    indices: tuple[str, ...]
    before: tuple[Operation, ...]
    after: tuple[Operation, ...]
    results: tuple[str, ...]
    variable: str = "g"
    """What the variable is called in the text: it may have the name of a pointer."""

    @property
    def text(self) -> str:
        """Both functions as LLVM IR."""
        parts = ["@g = global i64 0"]
        for name, body in (("src", self.before), ("tgt", self.after)):
            parameters = [f"ptr noundef %{p}" for p in self.pointers] + [f"i64 noundef %{i}" for i in self.indices]
            parts += [f"define i64 @{name}({', '.join(parameters)}) {{", *_lines(body, self.results), "}"]
        return "\n".join(parts).replace("@g", f"@{self.variable}")


def _lines(body: tuple[Operation, ...], results: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    kinds = {each.name: each for each in body if each.name}
    for n, each in enumerate(body):
        lines, place = _address(each.place, f"a{n}")
        type_ = f"i{8 * each.size}"
        match each.kind:
            case "load":
                lines.append(f"  %{each.name} = load {type_}, ptr {place}{'' if each.aligned else ', align 1'}")
            case "store":
                lines.append(f"  store {type_} {each.value}, ptr {place}{'' if each.aligned else ', align 1'}")
            case "compare" if each.other is not None:
                more, second = _address(each.other, f"b{n}")
                lines += [*more, f"  %{each.name} = icmp eq ptr {place}, {second}"]
            case _:
                lines.append(f"  %{each.name} = icmp eq ptr {place}, null")
        if each.guard:
            head = f"  br i1 %{each.guard}, label %then{n}, label %end{n}"
            lines = [head, f"then{n}:", *lines, f"  br label %end{n}", f"end{n}:"]
        found += lines
    total = "0"
    for n, name in enumerate(results):
        bits = 8 * kinds[name].size if kinds[name].kind == "load" else 1
        if bits < 64:
            found.append(f"  %w{n} = zext i{bits} %{name} to i64")
        found += [f"  %m{n} = mul i64 {total}, 3", f"  %t{n} = add i64 %m{n}, %{f'w{n}' if bits < 64 else name}"]
        total = f"%t{n}"
    return [*found, f"  ret i64 {total}"]


def _address(place: Place, name: str) -> tuple[list[str], str]:
    base = "@g" if place.pointer == "g" else f"%{place.pointer}"
    if place.index:
        step = f"  %{name}i = add i64 %{place.index}, {place.offset}"
        return [step, f"  %{name} = getelementptr i{8 * place.stride}, ptr {base}, i64 %{name}i"], f"%{name}"
    if place.offset:
        return [f"  %{name} = getelementptr i8, ptr {base}, i64 {place.offset}"], f"%{name}"
    return [], base


def drawn(seed: int) -> Pair:
    """Return the pair of a seed."""
    random = Random(f"layouts {seed}")
    while True:
        pointers = ("p", "q", "r")[: random.choice((1, 2, 2, 2, 3))]
        indices = ("i", "j")[: random.choice((0, 0, 0, 1, 2))]
        variable = ("g", "g", *pointers[:1])[seed % 3]
        before = _body(random, pointers, indices, 0.15 if variable == "g" else 0.5)
        after = _rewritten(random, before)
        if after is not None and after != before:
            results = tuple(each.name for each in before if each.name)
            if {*results} <= {each.name for each in after}:
                return Pair(pointers, indices, before, after, results, variable)


def _body(random: Random, pointers: tuple[str, ...], indices: tuple[str, ...], share: float) -> tuple[Operation, ...]:
    """Return a function that accesses the variable in a share of its places."""
    found: list[Operation] = []
    size = random.choice(SIZES)

    def place(bytes_: int, aligned: bool) -> Place:
        if indices and random.random() < 0.5:
            return Place(random.choice(pointers), random.choice((0, 0, 0, 1)), random.choice(indices), size)
        if random.random() < share:
            return Place("g", random.choice((0, 0, 4)) if bytes_ < 8 else 0)
        offset = random.choice(OFFSETS)
        return Place(random.choice(pointers), offset // bytes_ * bytes_ if aligned else offset)

    for n in range(random.randint(2, 5)):
        aligned, bytes_ = random.random() < 0.9, size if random.random() < 0.7 else random.choice(SIZES)
        conditions = [each.name for each in found if each.kind in ("compare", "null")]
        match random.choice(("load", "load", "store", "store", "store", "compare", "null")):
            case "load":
                found.append(Operation("load", f"v{n}", place(bytes_, aligned), bytes_, aligned=aligned))
            case "store":
                guard = random.choice(conditions) if conditions and random.random() < 0.7 else ""
                number = random.choice((1, 2, 3, 255, 256, 65536)) % (1 << 8 * bytes_ - 1)
                found.append(
                    Operation("store", "", place(bytes_, aligned), bytes_, number, guard=guard, aligned=aligned)
                )
            case "compare":
                found.append(Operation("compare", f"c{n}", place(1, False), other=place(1, False)))
            case _:
                found.append(Operation("null", f"c{n}", place(1, False)))
    return tuple(found)


def _rewritten(random: Random, old: tuple[Operation, ...]) -> tuple[Operation, ...] | None:
    new, n = list(old), random.randrange(len(old))
    each = new[n]
    match random.choice(("swap", "swap", "delete", "number", "number", "guard", "moved")):
        case "swap" if n + 1 < len(old) and each.name != new[n + 1].guard:
            new[n], new[n + 1] = new[n + 1], each
        case "delete" if each.kind == "store":
            del new[n]
        case "number" if each.kind == "store":
            new[n] = replace(each, value=7)
        case "guard" if each.guard:
            new[n] = replace(each, guard="")
        case "moved" if each.kind in ("load", "store"):
            new[n] = replace(each, place=replace(each.place, offset=each.place.offset + (4 if each.size < 8 else 8)))
        case _:
            return None
    return tuple(new)
