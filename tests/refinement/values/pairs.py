"""Random pairs of functions whose verdict values decide.

What goes in: a seed. What comes out: a function of a few operations on memory, with arithmetic, a branch and a
parameter; and what a mutation makes of it. The numbers in them are drawn near powers of two, as are those of attacks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

BITS = {"i32": 32, "i64": 64, "i16": 16}
UPDATES = ("add", "sub", "and", "or", "xor", "nand", "xchg", "umax", "umin", "max", "min", "uinc_wrap", "udec_wrap")
ARITHMETIC = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr")
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
ALIGN = {"i16": 2, "i32": 4, "i64": 8}
EXCHANGED = (
    ("add", "or"), ("add", "xor"), ("umax", "max"), ("umin", "min"), ("lshr", "ashr"), ("ult", "slt"), ("ugt", "sgt"),
    ("ule", "ult"), ("sge", "sgt"), ("eq", "uge"), ("uinc_wrap", "add"), ("udec_wrap", "sub"), ("and", "nand"),
    ("acquire", "monotonic"), ("release", "monotonic"), ("xchg", "add"), ("zext", "sext"),
)  # fmt: skip
SAME = (
    (r"(\S+) = mul (\S+) (\S+), 2$", r"\1 = shl \2 \3, 1"),
    (r"(\S+) = sub (\S+) (\S+), (\d+)$", r"\1 = add \2 \3, -\4"),
    (r"(\S+) = (add|and|or|xor|mul) (\S+) (%\S+), (%\S+)$", r"\1 = \2 \3 \5, \4"),
    (r"(\S+) = icmp slt (\S+) (%\S+), (\S+)$", r"\1 = icmp sgt \2 \4, \3"),
    (r"(\S+) = icmp ult (\S+) (%\S+), (\S+)$", r"\1 = icmp ugt \2 \4, \3"),
    (r"(\S+) = atomicrmw sub (\S+ \S+), (\S+) (\d+) (.*)", r"\1 = atomicrmw add \2, \3 -\4 \5"),
    (r"(\S+) = atomicrmw umax (\S+ \S+), (\S+) 0 (.*)", r"\1 = atomicrmw or \2, \3 0 \4"),
    (r"(\S+) = atomicrmw uinc_wrap (\S+ \S+), (\S+) -1 (.*)", r"\1 = atomicrmw add \2, \3 1 \4"),
)
"""What computes the same otherwise."""


def boundary(random: Random, bits: int = 32) -> int:
    """Return a number near a power of two, or a small one."""
    number = (1 << random.randrange(bits)) + random.choice((-1, 0, 0, 1))
    return random.choice((number, number, -number, random.randrange(10))) % (1 << bits)


@dataclass(frozen=True)
class Drawn:
    """A pair by its seed: the lines of both bodies, the type of everything in them, and whether one is by pointers."""

    seed: int
    type: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def text(self) -> str:
        """The module."""
        head = "".join(f"@{name} = global {self.type} 0\n" for name in "xy") + "@h = global ptr null\n"
        return head + "".join(_function(name, self.type, body) for name, body in self.sides)

    @property
    def sides(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The names and bodies of both."""
        return ("src", self.before), ("tgt", self.after)


def _function(name: str, type_: str, body: tuple[str, ...]) -> str:
    lines = "\n".join(line if line.endswith(":") else f"  {line}" for line in body)
    return f"define {type_} @{name}({type_} noundef %n) {{\n{lines}\n}}\n"


class _Drawing:
    def __init__(self, random: Random, type_: str) -> None:
        self.random, self.type = random, type_
        self.values, self.count = ["%n"], 0
        self.lines: list[str] = []

    def register(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def number(self) -> str:
        found = boundary(self.random, BITS[self.type])
        return str(found - (1 << BITS[self.type]) if self.random.random() < 0.3 and found else found)

    def value(self) -> str:
        return self.random.choice([*self.values, *self.values, self.number()])

    def operation(self) -> None:
        random, t = self.random, self.type
        place, align = f"ptr @{random.choice('xy')}", f"align {ALIGN[t]}"
        kind = random.choice((*("load", "store", "rmw", "cas") * 3, "load", "rmw", "pointer"))
        order = random.choice(("monotonic", "monotonic", "acq_rel"))
        if kind == "store":
            word = random.choice(("", "monotonic", "release"))
            store = "store atomic" if word else "store"
            self.lines.append(f"{store} {t} {self.value()}, {place}{' ' * bool(word)}{word}, {align}")
            return
        found = self.register()
        if kind == "rmw":
            update = random.choice(UPDATES)
            self.lines.append(f"{found} = atomicrmw {update} {place}, {t} {self.value()} {order}, {align}")
        elif kind == "cas":
            numbers = f"{t} {self.value()}, {t} {self.value()}"
            self.lines.append(f"{found}p = cmpxchg {place}, {numbers} monotonic monotonic, {align}")
            self.lines.append(f"{found} = extractvalue {{ {t}, i1 }} {found}p, 0")
        else:
            if kind == "pointer":
                pointer = random.choice(("acquire", "monotonic"))
                self.lines.append(f"{found}a = load atomic ptr, ptr @h {pointer}, align 8")
                place = f"ptr {found}a"
            word = random.choice(("", "monotonic", "acquire"))
            self.lines.append(f"{found} = load {'atomic ' * bool(word)}{t}, {place}{' ' * bool(word)}{word}, {align}")
        self.values.append(found)

    def arithmetic(self) -> None:
        random, found = self.random, self.register()
        name = random.choice(ARITHMETIC)
        shift = str(random.randrange(BITS[self.type]))
        other = shift if name in ("shl", "lshr", "ashr") else self.value()
        self.lines.append(f"{found} = {name} {self.type} {self.value()}, {other}")
        self.values.append(found)

    def body(self) -> tuple[str, ...]:
        random = self.random
        for _ in range(random.randint(1, 2)):
            self.operation()
            if random.random() < 0.6:
                self.arithmetic()
        if random.random() < 0.6:
            test, kept = self.register(), [*self.values]
            compared = f"{self.values[-1]}, {random.choice((self.number(), self.value()))}"
            self.lines += [f"{test} = icmp {random.choice(PREDICATES)} {self.type} {compared}"]
            self.lines += [f"br i1 {test}, label %t, label %e", "t:"]
            if random.random() < 0.5:
                self.arithmetic()
            self.operation()
            self.lines += ["br label %e", "e:"]
            self.values = kept
        if random.random() < 0.3:
            self.arithmetic()
        return (*self.lines, f"ret {self.type} {self.values[-1]}")


def drawn(seed: int) -> Drawn:
    """Return the pair of a seed; both sides are not the same text."""
    random = Random(f"values {seed}")
    type_ = random.choice(("i32", "i32", "i32", "i64", "i16"))
    while True:
        before = _Drawing(random, type_).body()
        for _ in range(40):
            after = _mutated(random, before, BITS[type_])
            if after is not None and after != before and _fits(after, BITS[type_]):
                return Drawn(seed, type_, before, after)


def _fits(lines: tuple[str, ...], bits: int) -> bool:
    """Whether all numbers are numbers of so many bits."""
    numbers = (int(n) for line in lines for n in re.findall(r"(?<= )-?\d+(?=[, ]|$)", line))
    return all(-(1 << bits - 1) <= number < 1 << bits for number in numbers)


def _mutated(random: Random, lines: tuple[str, ...], bits: int) -> tuple[str, ...] | None:
    """Return lines of which one is another; None if it cannot be."""
    k, way = random.randrange(len(lines)), random.random()
    line, rest = lines[k], lambda new: (*lines[:k], *new, *lines[k + 1 :])
    if way < 0.3:
        known = [(a, b) for pair in EXCHANGED for a, b in (pair, pair[::-1]) if re.search(rf"\b{a}\b", line)]
        if not known or "cmpxchg" in line:
            return None
        a, b = random.choice(known)
        if (b == "acquire" and "store" in line) or (b == "release" and "load" in line):
            return None
        if "rmw" not in line and b in UPDATES[5:]:
            return None
        return rest([re.sub(rf"\b{a}\b", b, line, count=1)])
    if way < 0.5:
        found = [m for m in re.finditer(r"(?<= )-?\d+(?=[, ]|$)", line) if not line[: m.start()].endswith("align ")]
        if not found or line.startswith("br") or "extractvalue" in line:
            return None
        match = random.choice(found)
        number = int(match[0]) + random.choice((1, -1, 4096))
        if re.search(r" (shl|lshr|ashr) ", line) and not 0 <= number < bits:
            return None
        return rest([line[: match.start()] + str(number) + line[match.end() :]])
    if way < 0.65 and k + 1 < len(lines):
        name = line.partition(" =")[0]
        apart = not any(each.startswith(("br", "ret")) or each.endswith(":") for each in lines[k : k + 2])
        if not apart or (name.startswith("%") and re.search(rf"{name}\b", lines[k + 1])):
            return None
        return (*lines[:k], lines[k + 1], line, *lines[k + 2 :])
    if way < 0.75:
        return rest([]) if line.startswith("store") else None
    for pattern, other in SAME:
        if re.match(pattern, line):
            return rest([re.sub(pattern, other, line)])
    return None
