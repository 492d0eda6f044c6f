"""Random tests of one thread that computes with numbers of floating point, which have one outcome.

What goes in: a number. What comes out: the text of a test whose values are drawn so that sums cancel, products
overflow and become denormal, and conversions do not fit; few are NaN, of which little is known after that.
"""

from __future__ import annotations

from random import Random

from axmem.litmus.floats import FORMATS, PREDICATES, bits_of

VECTORS = {"half": (2, 4), "float": (2, 4), "double": (2,)}
INTEGERS = ("i8", "i16", "i32", "i64")
ARITHMETIC = ("fadd", "fsub", "fmul", "fma", "fmuladd")


def number(rng: Random, name: str) -> int:
    """Return the bits of a number: most often one that is near others, sometimes any."""
    width = FORMATS[name]
    match rng.randrange(8):
        case 0:
            return rng.randrange(1 << width)
        case 1:
            infinite = bits_of(float("inf"), width)
            edges = (0, 1, infinite, infinite - 1, rng.randrange(1 << width // 2), infinite >> 1)
            return rng.choice(edges) | rng.randrange(2) << width - 1
        case 2:
            return bits_of(float(rng.randrange(-300, 300)), width)
    exponent = rng.choice((0, 0, 0, 1, 3, 12, -12, -20, 40))
    return bits_of(rng.choice((-1, 1)) * rng.randrange(1 << 24) / (1 << 23) * 2.0**exponent, width)


class _Numbers:
    """Operations on what was loaded; `registers` are (name, type of floating point or integer, lanes)."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.registers: list[tuple[str, str, int]] = []
        self.lines: list[str] = []

    def stored(self, name: str, lanes: int) -> str:
        """Return the type of the bits of a number, or of a vector of them."""
        lane = f"i{FORMATS[name]}" if name in FORMATS else name
        return f"<{lanes} x {lane}>" if lanes else lane

    def constant(self, name: str, lanes: int) -> str:
        """Return the bits of a constant."""
        width = FORMATS[name] if name in FORMATS else int(name[1:])
        if name not in FORMATS:
            drawn = [self.rng.randrange(1 << width) >> self.rng.randrange(width) for _ in range(max(1, lanes))]
            shown = [str(x) for x in drawn]
        else:
            shown = [f"0x{number(self.rng, name):0{width // 4}X}" for _ in range(max(1, lanes))]
        return "<" + ", ".join(f"i{width} {x}" for x in shown) + ">" if lanes else shown[0]

    def operand(self, name: str, lanes: int) -> str:
        """Return a register of a type or a constant, perhaps with another sign."""
        own = [register for register, *of in self.registers if of == [name, lanes]]
        value = self.rng.choice(own) if own and self.rng.random() < 0.8 else self.constant(name, lanes)
        shown = f"<{lanes} x {name}>" if lanes else name
        signs = self.rng.choice(("", "", "", "", "fneg", "fabs", "both")) if value in own else ""
        if signs == "both":
            return f"(fneg {shown} (fabs {shown} {value}))"
        return f"({signs} {shown} {value})" if signs else value

    def make(self, name: str, lanes: int, text: str) -> None:
        """Assign an expression to a new register."""
        self.lines.append(f"  r{len(self.registers)} = {text}")
        self.registers.append((f"r{len(self.registers)}", name, lanes))

    def operation(self) -> None:
        """Add an operation on what there is."""
        rng = self.rng
        register, name, lanes = rng.choice(self.registers)
        shown = f"<{lanes} x {name}>" if lanes else name
        kind = rng.randrange(8)
        if name in FORMATS and kind < 4:
            word = rng.choice(ARITHMETIC)
            count = 3 if word.startswith("fm") and word != "fmul" else 2
            values = [self.operand(name, lanes) for _ in range(count)]
            values[rng.randrange(count)] = register
            self.make(name, lanes, f"{word} {shown} {', '.join(values)}")
        elif lanes and kind < 6:
            self.converted(register, name, lanes)
        elif lanes:
            lane = rng.randrange(lanes)
            self.make(name, 0, f"extractelement {self.stored(name, lanes)} {register}, i32 {lane}")
        elif name not in FORMATS:
            to = rng.choice(tuple(FORMATS))
            self.make(to, 0, f"{rng.choice(('sitofp', 'uitofp'))} {name} {register} to {to}")
        elif kind < 6:
            bits = self.stored(name, 0)
            asked = f"(fcmp {rng.choice(PREDICATES)} {name} {register}, {self.operand(name, 0)})"
            self.make(name, 0, f"select i1 {asked}, {bits} {self.operand(name, 0)}, {bits} {self.operand(name, 0)}")
        elif kind == 6:
            to = rng.choice([other for other in FORMATS if other != name])
            self.make(to, 0, f"{'fpext' if FORMATS[to] > FORMATS[name] else 'fptrunc'} {name} {register} to {to}")
        else:
            word = rng.choice(("fptosi", "fptoui")) + rng.choice(("", ".sat"))
            to = rng.choice(INTEGERS)
            self.make(to, 0, f"{word} {name} {register} to {to}")

    def converted(self, register: str, name: str, lanes: int) -> None:
        """Add a vector of the same numbers in another type."""
        rng = self.rng
        if name not in FORMATS:
            to, word = rng.choice(tuple(FORMATS)), rng.choice(("sitofp", "uitofp"))
        else:
            to = rng.choice([other for other in (*FORMATS, "i8", "i16", "i32") if other != name])
            word = rng.choice(("fptosi", "fptoui")) + rng.choice(("", ".sat"))
            if to in FORMATS:
                word = "fpext" if FORMATS[to] > FORMATS[name] else "fptrunc"
        if lanes in VECTORS.get(to, (lanes,)):
            self.make(to, lanes, f"{word} <{lanes} x {name}> {register} to <{lanes} x {to}>")


def floats(seed: int) -> str:
    """Return a test of one thread that computes with the numbers that it loads."""
    rng = Random(f"floats {seed}")
    made = _Numbers(rng)
    main = rng.choice(tuple(FORMATS))
    places = []
    for place in ("x", "y", "z"):
        name = rng.choice((main, main, rng.choice((*FORMATS, *INTEGERS))))
        lanes = rng.choice((0, 0, *VECTORS.get(name, (2,) if name in ("i8", "i16", "i32") else ())))
        type_ = made.stored(name, lanes)
        places.append(f"global {type_} {place} = {made.constant(name, lanes)}")
        made.make(name, lanes, f"load {type_}, {place}")
    for _ in range(rng.randrange(2, 8)):
        made.operation()
    last = [made.stored(name, lanes) for _, name, lanes in made.registers]
    kept = sorted([*rng.sample(range(3, len(last)), min(3, len(last) - 3)), len(last) - 1])
    for index in dict.fromkeys(kept):
        places.append(f"global {last[index]} o{index} = 0")
        made.lines.append(f"  store {last[index]} r{index}, o{index}")
    observed = [f"observe o{index}" for index in dict.fromkeys(kept)]
    lines = "\n".join((*places, "thread P0 {", *made.lines, "}", *observed))
    return f"litmus floats-{seed}\n{lines}\n"
