"""Random pairs of functions whose verdict values decide.

What goes in: a seed. What comes out: a function of a few operations on memory, with arithmetic, a branch and
parameters; and what a mutation makes of it. The numbers in them are drawn near powers of two, as are those of attacks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

BITS = {"i32": 32, "i64": 64, "i16": 16}
UPDATES = (
    "add", "sub", "and", "or", "xor", "nand", "xchg", "umax", "umin", "max", "min", "uinc_wrap", "udec_wrap",
    "usub_cond", "usub_sat",
)  # fmt: skip
ARITHMETIC = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem")
FLAGGED = ("add", "sub", "mul", "shl")
CHOSEN = ("umin", "umax", "smin", "smax")
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
ALIGN = {"i8": 1, "i16": 2, "i32": 4, "i64": 8}
HALF = {"i16": "i8", "i32": "i16", "i64": "i32"}
EXCHANGED = (
    ("add", "or"), ("add", "xor"), ("umax", "max"), ("umin", "min"), ("lshr", "ashr"), ("ult", "slt"), ("ugt", "sgt"),
    ("ule", "ult"), ("sge", "sgt"), ("eq", "uge"), ("ne", "sle"), ("uinc_wrap", "add"), ("udec_wrap", "sub"),
    ("and", "nand"), ("acquire", "monotonic"), ("release", "monotonic"), ("xchg", "add"), ("zext", "sext"),
    ("usub_cond", "usub_sat"), ("usub_sat", "sub"), ("udiv", "urem"),
)  # fmt: skip
CALLED = (("umin", "smin"), ("umax", "smax"), ("umin", "umax"), ("smin", "smax"))
SAME = (
    (r"(\S+) = mul (\S+) (\S+), 2$", r"\1 = shl \2 \3, 1"),
    (r"(\S+) = shl (\S+) (\S+), 1$", r"\1 = add \2 \3, \3"),
    (r"(\S+) = udiv (\S+) (\S+), 4$", r"\1 = lshr \2 \3, 2"),
    (r"(\S+) = urem (\S+) (\S+), 8$", r"\1 = and \2 \3, 7"),
    (r"(\S+) = sub (\S+) (\S+), (\d+)$", r"\1 = add \2 \3, -\4"),
    (r"(\S+) = (add|and|or|xor|mul) (\S+) (%\S+), (%\S+)$", r"\1 = \2 \3 \5, \4"),
    (r"(\S+) = icmp slt (\S+) (%\S+), (\S+)$", r"\1 = icmp sgt \2 \4, \3"),
    (r"(\S+) = icmp ult (\S+) (%\S+), (\S+)$", r"\1 = icmp ugt \2 \4, \3"),
    (r"(\S+) = select (i1 \S+), (\S+) (\S+), \3 (\S+)$", r"\1 = select \2, \3 \5, \3 \4"),
    (r"(\S+) = freeze (\S+) (\S+)$", r"\1 = or \2 \3, 0"),
    (r"(\S+) = (add|sub|mul|shl) n[us]w (.*)", r"\1 = \2 \3"),
    (r"(\S+) = atomicrmw sub (\S+ \S+), (\S+) (\d+) (.*)", r"\1 = atomicrmw add \2, \3 -\4 \5"),
    (r"(\S+) = atomicrmw umax (\S+ \S+), (\S+) 0 (.*)", r"\1 = atomicrmw or \2, \3 0 \4"),
    (r"(\S+) = atomicrmw uinc_wrap (\S+ \S+), (\S+) -1 (.*)", r"\1 = atomicrmw add \2, \3 1 \4"),
    (r"(\S+) = atomicrmw nand (\S+ \S+), (\S+) -1 (.*)", r"\1 = atomicrmw xor \2, \3 -1 \4"),
)
"""What computes the same otherwise, or nearly."""
_NUMBER = r"(?<= )-?\d+(?=[, ]|$)"


def boundary(random: Random, bits: int = 32) -> int:
    """Return a number near a power of two, or a small one."""
    number = (1 << random.randrange(bits)) + random.choice((-1, 0, 0, 1))
    return random.choice((number, number, -number, random.randrange(10))) % (1 << bits)


@dataclass(frozen=True)
class Drawn:
    """A pair by its seed: the lines of both bodies, the type of everything in them, and its parameters: a number that
    is no undef, another that may be, a pointer."""

    seed: int
    type: str
    parameters: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def text(self) -> str:
        """The module."""
        head = "".join(f"@{name} = global {self.type} 0\n" for name in "xy") + "@h = global ptr null\n"
        bodies = "".join(self._function(name, body) for name, body in self.sides)
        called = sorted({name for name in CHOSEN for line in (*self.before, *self.after) if f"@llvm.{name}." in line})
        t = self.type
        return head + bodies + "".join(f"declare {t} @llvm.{name}.{t}({t}, {t})\n" for name in called)

    @property
    def sides(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The names and bodies of both."""
        return ("src", self.before), ("tgt", self.after)

    def _function(self, name: str, body: tuple[str, ...]) -> str:
        lines = "\n".join(line if line.endswith(":") else f"  {line}" for line in body)
        return f"define {self.type} @{name}({', '.join(self.parameters)}) {{\n{lines}\n}}\n"


class _Drawing:
    def __init__(self, random: Random, type_: str, parameters: tuple[str, ...]) -> None:
        self.random, self.type = random, type_
        names = [each.split()[-1] for each in parameters]
        self.values = [name for name in names if name != "%p"]
        self.pointers = [f"@{name}" for name in "xy"] + ["%p"] * names.count("%p")
        self.count = 0
        self.lines: list[str] = []

    def register(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def number(self) -> str:
        bits = BITS[self.type]
        found = boundary(self.random, bits)
        return str(found - (1 << bits) if found >> (bits - 1) and self.random.random() < 0.5 else found)

    def value(self) -> str:
        return self.random.choice([*self.values, *self.values, self.number()])

    def operation(self) -> None:
        random, t = self.random, self.type
        place, align = f"ptr {random.choice(self.pointers)}", f"align {ALIGN[t]}"
        kind = random.choice((*("load", "store", "rmw", "cas") * 3, "load", "rmw", "pointer", "half"))
        order = random.choice(("monotonic", "monotonic", "acq_rel"))
        if kind == "store":
            self.store(t, self.value(), place)
            return
        if kind == "half":
            self.half()
            return
        found = self.register()
        if kind == "rmw":
            update = random.choice(UPDATES)
            self.lines.append(f"{found} = atomicrmw {update} {place}, {t} {self.value()} {order}, {align}")
        elif kind == "cas":
            numbers = f"{t} {self.value()}, {t} {self.value()}"
            both = random.choice(("monotonic monotonic", "monotonic monotonic", "acq_rel acquire", "release monotonic"))
            weak = random.choice(("", "", "weak "))
            self.lines.append(f"{found}p = cmpxchg {weak}{place}, {numbers} {both}, {align}")
            self.lines.append(f"{found} = extractvalue {{ {t}, i1 }} {found}p, 0")
            if random.random() < 0.3:
                self.lines.append(f"{found}s = extractvalue {{ {t}, i1 }} {found}p, 1")
                self.lines.append(f"{found}w = select i1 {found}s, {t} {self.value()}, {t} {found}")
                self.values.append(f"{found}w")
        else:
            if kind == "pointer":
                pointer = random.choice(("acquire", "monotonic"))
                self.lines.append(f"{found}a = load atomic ptr, ptr @h {pointer}, align 8")
                place = f"ptr {found}a"
            self.load(found, t, place)
        self.values.append(found)

    def load(self, found: str, t: str, place: str) -> None:
        word = self.random.choice(("", "monotonic", "acquire"))
        atomic = "atomic " * bool(word)
        self.lines.append(f"{found} = load {atomic}{t}, {place}{' ' * bool(word)}{word}, align {ALIGN[t]}")

    def store(self, t: str, value: str, place: str) -> None:
        word = self.random.choice(("", "monotonic", "release"))
        store = "store atomic" if word else "store"
        self.lines.append(f"{store} {t} {value}, {place}{' ' * bool(word)}{word}, align {ALIGN[t]}")

    def half(self) -> None:
        """Read or write a half of a variable."""
        random, t, found = self.random, self.type, self.register()
        half, place = HALF[t], f"ptr {random.choice(self.pointers[:2])}"
        if random.random() < 0.5:
            place = f"ptr getelementptr (i8, {place}, i64 {ALIGN[half]})"
        if random.random() < 0.5:
            self.lines.append(f"{found}h = trunc {t} {self.value()} to {half}")
            self.store(half, f"{found}h", place)
            return
        self.load(f"{found}h", half, place)
        self.lines.append(f"{found} = {random.choice(('zext', 'sext'))} {half} {found}h to {t}")
        self.values.append(found)

    def arithmetic(self) -> None:
        random, found, t = self.random, self.register(), self.type
        way = random.random()
        if way < 0.1:
            compared = f"{random.choice(PREDICATES)} {t} {self.values[-1]}, {self.value()}"
            self.lines.append(f"{found}c = icmp {compared}")
            self.lines.append(f"{found} = select i1 {found}c, {t} {self.value()}, {t} {self.value()}")
        elif way < 0.2:
            name = random.choice(CHOSEN)
            self.lines.append(f"{found} = call {t} @llvm.{name}.{t}({t} {self.value()}, {t} {self.value()})")
        elif way < 0.26:
            half = HALF[t]
            self.lines.append(f"{found}h = trunc {t} {self.value()} to {half}")
            self.lines.append(f"{found} = {random.choice(('zext', 'sext'))} {half} {found}h to {t}")
        elif way < 0.3 and "%m" in self.values:
            self.lines.append(f"{found} = freeze {t} %m")
        else:
            name = random.choice(ARITHMETIC)
            other = self.value()
            if name in ("shl", "lshr", "ashr"):
                other = str(random.randrange(BITS[t]))
            elif name in ("udiv", "urem"):
                other = str(1 << random.randrange(BITS[t] - 1))
            flag = random.choice(("", "", "", "", "nuw ", "nsw ")) if name in FLAGGED else ""
            self.lines.append(f"{found} = {name} {flag}{t} {self.value()}, {other}")
        self.values.append(found)

    def body(self) -> tuple[str, ...]:
        random = self.random
        for _ in range(random.randint(1, 2)):
            self.operation()
            if random.random() < 0.6:
                self.arithmetic()
        way = random.random()
        if way < 0.4:
            self.branch("e")
        elif way < 0.65:
            self.diamond()
        if random.random() < 0.3:
            self.arithmetic()
        return (*self.lines, f"ret {self.type} {self.values[-1]}")

    def branch(self, otherwise: str) -> None:
        """Draw a branch, and an operation in its first arm; what is computed there stays there."""
        random, test, kept = self.random, self.register(), [*self.values]
        compared = f"{self.values[-1]}, {random.choice((self.number(), self.value()))}"
        self.lines += [f"{test} = icmp {random.choice(PREDICATES)} {self.type} {compared}"]
        self.lines += [f"br i1 {test}, label %t, label %{otherwise}", "t:"]
        if random.random() < 0.5:
            self.arithmetic()
        self.operation()
        self.arm, self.values = self.value(), kept
        self.lines += ["br label %e", f"{otherwise}:"]

    def diamond(self) -> None:
        """Draw a branch with two arms, and what comes from them."""
        self.branch("f")
        first, kept = self.arm, [*self.values]
        if self.random.random() < 0.7:
            self.operation()
        second, self.values = self.value(), kept
        found = self.register()
        self.lines += ["br label %e", "e:", f"{found} = phi {self.type} [ {first}, %t ], [ {second}, %f ]"]
        self.values.append(found)


def drawn(seed: int) -> Drawn:
    """Return the pair of a seed; both sides are not the same text."""
    random = Random(f"values {seed}")
    type_ = random.choice(("i32", "i32", "i32", "i64", "i16"))
    parameters = [f"{type_} noundef %n"]
    parameters += [f"{type_} %m"] if random.random() < 0.3 else []
    parameters += ["ptr %p"] if random.random() < 0.15 else []
    while True:
        before = _Drawing(random, type_, tuple(parameters)).body()
        for _ in range(40):
            after = _mutated(random, before, BITS[type_])
            if after is not None and after != before and _fits(after, BITS[type_]):
                return Drawn(seed, type_, tuple(parameters), before, after)


def _fits(lines: tuple[str, ...], bits: int) -> bool:
    """Whether all numbers are numbers of so many bits, and divisors powers of two."""
    numbers = (int(n) for line in lines for n in re.findall(_NUMBER, line) if "getelementptr" not in line)
    divisors = (int(line.rpartition(" ")[2]) for line in lines if re.search(r" = (udiv|urem) ", line))
    return all(-(1 << bits - 1) <= number < 1 << bits for number in numbers) and all(
        d > 0 and d & (d - 1) == 0 for d in divisors
    )


def _mutated(random: Random, lines: tuple[str, ...], bits: int) -> tuple[str, ...] | None:
    """Return lines of which one is another; None if it cannot be."""
    k, way = random.randrange(len(lines)), random.random()
    line, rest = lines[k], lambda new: (*lines[:k], *new, *lines[k + 1 :])
    if way < 0.3:
        known = [(a, b) for pair in EXCHANGED for a, b in (pair, pair[::-1]) if re.search(rf"\b{a}\b", line)]
        if " call " in line:
            known = [(a, b) for pair in CALLED for a, b in (pair, pair[::-1]) if f".{a}." in line]
        if not known or "cmpxchg" in line:
            return None
        a, b = random.choice(known)
        if (b == "acquire" and "store" in line) or (b == "release" and "load" in line):
            return None
        if "rmw" not in line and " call " not in line and b in UPDATES[5:]:
            return None
        made = re.sub(rf"\b{a}\b", b, line, count=1)
        return rest([made if b in FLAGGED else re.sub(r" n[us]w ", " ", made)])
    if way < 0.5:
        found = [m for m in re.finditer(_NUMBER, line) if not line[: m.start()].endswith("align ")]
        if not found or line.startswith("br") or "extractvalue" in line or "getelementptr" in line:
            return None
        match = random.choice(found)
        number = int(match[0]) + random.choice((1, -1, 4096))
        if re.search(r" (shl|lshr|ashr) ", line) and not 0 <= number < bits:
            return None
        return rest([line[: match.start()] + str(number) + line[match.end() :]])
    if way < 0.65 and k + 1 < len(lines):
        name = line.partition(" =")[0]
        apart = not any(
            each.startswith(("br", "ret")) or each.endswith(":") or " phi " in each for each in lines[k : k + 2]
        )
        if not apart or (name.startswith("%") and re.search(rf"{name}\b", lines[k + 1])):
            return None
        return (*lines[:k], lines[k + 1], line, *lines[k + 2 :])
    if way < 0.75:
        return rest([]) if line.startswith("store") else None
    for pattern, other in SAME:
        if re.match(pattern, line):
            return rest([re.sub(pattern, other, line)])
    return None
