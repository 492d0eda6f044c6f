"""Random tests whose outcomes no weak memory can widen: what a correct compiler makes of them is sound.

What goes in: a number. What comes out: the text of a test, the same for the same number: one thread of plain and atomic
accesses of several sizes, orderings and scopes, with branches and values that depend on what was read; two threads of
atomic operations that are all seq_cst and of system scope; or one that computes with integers and vectors of all sizes.
"""

from __future__ import annotations

from random import Random

from axmem.litmus.floats import BRAIN_UPDATES, FLOAT_UPDATES
from axmem.litmus.spelling import RMW_OPERATIONS
from axmem.litmus.words import Ordering

LOCATIONS = ("x", "y", "z")
TYPES = ("i8", "i16", "i32", "i32", "i32", "i64")
SCOPES = ("", 'syncscope("workgroup")', 'syncscope("agent")', 'syncscope("singlethread")')
UPDATES = ("add", "sub", "and", "or", "xor", "max", "umin", "xchg")
WIDE = ("i32", "i64")
"""The types of read-modify-writes that are one instruction."""
PLACES = ("agent 0, workgroup 0", "agent 0, workgroup 1", "agent 1, workgroup 0")


class _Thread:
    """The statements of one thread so far; `registers` have a value on every path, and a type."""

    def __init__(self, rng: Random, types: dict[str, str]) -> None:
        self.rng = rng
        self.types = types
        self.registers: list[tuple[str, str]] = []
        self.made = 0

    def value(self, type_: str) -> str:
        """Return a number, or a register of the type, perhaps with something added."""
        own = [name for name, of in self.registers if of == type_]
        if own and self.rng.random() < 0.5:
            return self.rng.choice(own) + self.rng.choice(("", " + 1"))
        return str(self.rng.randrange(1, 6))

    def register(self, type_: str) -> str:
        """Return the name of a new register."""
        self.made += 1
        self.registers.append((f"r{self.made}", type_))
        return f"r{self.made}"

    def mode(self, orderings: tuple[Ordering, ...]) -> str:
        """Return a scope and an ordering."""
        return f"{self.rng.choice(SCOPES)} {self.rng.choice(orderings).value}".strip()

    def statement(self, depth: int = 0) -> str:
        """Return a statement of a single thread."""
        rng, place = self.rng, self.rng.choice(LOCATIONS)
        type_ = self.types[place]
        kind = rng.choice(("store", "load", "store", "load", "rmw", "cmpxchg", "fence", "if"))
        if kind == "if" and depth < 2 and self.registers:
            return self._branch(depth)
        if kind == "rmw" and type_ in WIDE:
            value, mode = self.value(type_), self.mode((Ordering.MONOTONIC, Ordering.ACQ_REL, Ordering.SEQ_CST))
            return f"{self.register(type_)} = atomicrmw {rng.choice(UPDATES)} {place}, {value} {mode}"
        if kind == "cmpxchg" and type_ in WIDE:
            values, mode = f"{rng.randrange(3)}, {self.value(type_)}", self.mode((Ordering.MONOTONIC, Ordering.ACQ_REL))
            old, done = self.register(type_), self.register("i1")
            return f"{old}, {done} = cmpxchg {place}, {values} {mode} monotonic"
        if kind == "fence":
            return f"fence {self.mode((Ordering.RELEASE, Ordering.ACQUIRE, Ordering.ACQ_REL, Ordering.SEQ_CST))}"
        if kind == "store":
            value = self.value(type_)
            if rng.random() < 0.5:
                return f"store {value}, {place}"
            return f"store atomic {value}, {place} {self.mode((Ordering.MONOTONIC, Ordering.RELEASE))}"
        if rng.random() < 0.5:
            return f"{self.register(type_)} = load {place}"
        mode = self.mode((Ordering.MONOTONIC, Ordering.ACQUIRE))
        return f"{self.register(type_)} = load atomic {place} {mode}"

    def _branch(self, depth: int) -> str:
        name, _ = self.rng.choice(self.registers)
        before = list(self.registers)
        arms = []
        for _ in range(self.rng.randrange(1, 3)):
            arms.append("\n".join(self.statement(depth + 1) for _ in range(self.rng.randrange(1, 3))))
            self.registers = list(before)
        other = f" else {{\n{arms[1]}\n}}" if len(arms) > 1 else ""
        return f"if {name} == {self.rng.randrange(2)} {{\n{arms[0]}\n}}{other}"

    def ordered(self) -> str:
        """Return a statement of a thread in which everything is seq_cst."""
        rng, place = self.rng, self.rng.choice(LOCATIONS[:2])
        match rng.randrange(4):
            case 0:
                return f"{self.register('i32')} = load atomic {place} seq_cst"
            case 1:
                return f"store atomic {self.value('i32')}, {place} seq_cst"
            case 2:
                value = self.value("i32")
                return f"{self.register('i32')} = atomicrmw {rng.choice(UPDATES)} {place}, {value} seq_cst"
        values = f"{rng.randrange(3)}, {self.value('i32')}"
        old, done = self.register("i32"), self.register("i1")
        return f"{old}, {done} = cmpxchg {place}, {values} seq_cst seq_cst"


def single(number: int) -> str:
    """Return a test of one thread."""
    rng = Random(f"single {number}")
    types = {name: rng.choice(TYPES) for name in LOCATIONS}
    thread = _Thread(rng, types)
    lines = "\n".join(thread.statement() for _ in range(rng.randrange(3, 8)))
    places = "\n".join(f"global {types[name]} {name} = {rng.randrange(3)}" for name in LOCATIONS)
    observed = "\n".join(f"observe {name}" for name in LOCATIONS)
    return f"litmus single-{number}\n{places}\nthread P0 {{\n{lines}\n}}\n{observed}\n"


def pair(number: int) -> str:
    """Return a test of two threads whose operations are all seq_cst."""
    rng = Random(f"pair {number}")
    threads = []
    for name, place in zip(("P0", "P1"), (PLACES[0], rng.choice(PLACES)), strict=True):
        thread = _Thread(rng, dict.fromkeys(LOCATIONS, "i32"))
        lines = "\n".join(thread.ordered() for _ in range(rng.randrange(1, 4)))
        threads.append(f"thread {name} @ {place} {{\n{lines}\n}}\n")
    return f"litmus pair-{number}\nglobal x = 0, y = 0\n{''.join(threads)}observe x\nobserve y\n"


ALL_UPDATES = tuple(sorted(RMW_OPERATIONS - {*FLOAT_UPDATES, *BRAIN_UPDATES}))
NARROW = ("i8", "i16", "i32", "i64")
VECTORS = ("<2 x i8>", "<4 x i8>", "<2 x i16>", "<4 x i16>", "<2 x i32>", "<4 x i32>", "<2 x i64>")
PACKED = ("<4 x i8>", "<2 x i16>", "<4 x i16>")
"""Vectors of whole dwords: what is made of read-modify-writes of 8 and 16 bits accesses no more than they have."""
SHIFTS = ("shl", "lshr", "ashr")
COMPUTING = ("add", "sub", "mul", "and", "or", "xor", *SHIFTS)
COMPARISONS = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")


def _width(type_: str) -> int:
    """Return the bits of a type's element."""
    return int(type_.strip("<>").rpartition("i")[2])


class _Computing:
    """Operations on what was loaded; `registers` are (name, type)."""

    def __init__(self, rng: Random, types: dict[str, str]) -> None:
        self.rng = rng
        self.updated = [(name, type_) for name, type_ in types.items() if type_ in WIDE]
        self.updated += [(f"{name}[1]", f"i{_width(type_)}") for name, type_ in types.items() if type_ in PACKED]
        self.registers: list[tuple[str, str]] = []
        self.lines: list[str] = []

    def number(self, bits: int) -> int:
        """Return a number of so many bits, most often one at which something overflows."""
        edges = (0, 1, 3, 64, 65, (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits) - 1, (1 << bits) - 16)
        return self.rng.choice((*edges, self.rng.randrange(1 << bits))) % (1 << bits)

    def constant(self, type_: str, below: int = 0) -> str:
        """Return a constant of a type, the parts of a vector alike or not; perhaps all below a number."""
        bits = _width(type_)
        lanes = int(type_[1]) if type_[0] == "<" else 1
        same = self.number(bits)
        parts = [same if self.rng.random() < 0.3 else self.number(bits) for _ in range(lanes)]
        parts = [part % below if below else part for part in parts]
        return str(parts[0]) if lanes == 1 else "<" + ", ".join(f"i{bits} {part}" for part in parts) + ">"

    def value(self, type_: str) -> str:
        """Return a register of a type, or a constant."""
        own = [name for name, of in self.registers if of == type_]
        return self.rng.choice(own) if own and self.rng.random() < 0.8 else self.constant(type_)

    def make(self, type_: str, text: str) -> str:
        """Assign an expression to a new register; return its name."""
        name = f"r{len(self.registers)}"
        self.lines.append(f"  {name} = {text}")
        self.registers.append((name, type_))
        return name

    def operation(self) -> None:
        """Add an operation on what there is."""
        rng = self.rng
        name, type_ = rng.choice(self.registers)
        kind = rng.randrange(10)
        if kind == 9 and self.updated:
            place, of = rng.choice(self.updated)
            self.make(of, f"atomicrmw {rng.choice(ALL_UPDATES)} {place}, {of} {self.value(of)} monotonic")
        elif kind < 4:
            word = rng.choice(COMPUTING)
            other = self.constant(type_, below=_width(type_)) if word in SHIFTS else self.value(type_)
            if word in SHIFTS and rng.random() < 0.4 and type_[0] != "<":
                other = self.make(type_, f"and {type_} {self.value(type_)}, {_width(type_) - 1}")
            self.make(type_, f"{word} {type_} {name}, {other}")
        elif kind < 5 and type_[0] == "<":
            self.make(f"i{_width(type_)}", f"extractelement {type_} {name}, i32 {rng.randrange(int(type_[1]))}")
        elif kind < 6 and type_[0] != "<":
            of = rng.choice(NARROW)
            if _width(of) != _width(type_):
                word = "trunc" if _width(of) < _width(type_) else rng.choice(("zext", "sext"))
                self.make(of, f"{word} {type_} {name} to {of}")
        elif type_[0] != "<":
            chosen, other = self.value(type_), self.value(type_)
            asked = f"(icmp {rng.choice(COMPARISONS)} {type_} {name}, {self.value(type_)})"
            self.make(type_, f"select i1 {asked}, {type_} {chosen}, {type_} {other}")


def arithmetic(number: int) -> str:
    """Return a test of one thread that computes with what it loads, by plain or atomic loads."""
    rng = Random(f"arithmetic {number}")
    types = {name: rng.choice((*NARROW, *VECTORS)) for name in LOCATIONS}
    made = _Computing(rng, types)
    places = []
    for name, type_ in types.items():
        places.append(f"global {type_} {name} = {made.constant(type_)}")
        atomic = type_[0] != "<" and rng.random() < 0.5
        made.make(type_, f"load atomic {type_}, {name} monotonic" if atomic else f"load {type_}, {name}")
    for _ in range(rng.randrange(2, 7)):
        made.operation()
    last, type_ = made.registers[-1]
    places.append(f"global {type_} out = 0")
    observed = [f"observe {name}" for name in (*LOCATIONS, "out")]
    lines = "\n".join((*places, "thread P0 {", *made.lines, f"  store {type_} {last}, out", "}", *observed))
    return f"litmus arithmetic-{number}\n{lines}\n"
