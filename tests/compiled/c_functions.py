"""Random functions in C whose atomics have scopes: one by itself, or two that run at once.

What goes in: a number. What comes out: a `CProgram`, the same for the same number: functions that get their memory as
pointers, what this memory holds at first, and the numbers that they are given. The same text is compiled for AMDGPU and
for this machine, where scopes mean nothing. Invariant: what is not called `wild` computes nothing that C leaves
undefined, and every loop ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.compiled.c_idioms import FEW, IDIOMS, LOADING, SIZE, STORING, TYPES, UPDATING, made

SCOPES = ("SINGLE", "WVFRNT", "WRKGRP", "DEVICE", "SYSTEM")
UPDATES = ("fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_nand", "fetch_min", "fetch_max",
           "exchange_n")  # fmt: skip
WILD = 0.08
"""So many functions may compute what C leaves undefined."""


@dataclass(frozen=True, slots=True)
class CFunction:
    """A function, with what stands before it, and what it is given: names of memory, then numbers."""

    name: str
    text: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CProgram:
    """Functions, and memory as (type, name, what it holds at first); arrays have `SIZE` numbers."""

    functions: tuple[CFunction, ...]
    memory: tuple[tuple[str, str, tuple[int, ...]], ...]
    wild: bool

    @property
    def text(self) -> str:
        """The whole in C."""
        held = []
        for type_, name, numbers in self.memory:
            shown = ", ".join(constant(type_, number) for number in numbers)
            held.append(f"{type_} {name}[{SIZE}] = {{{shown}}};" if len(numbers) > 1 else f"{type_} {name} = {shown};")
        return "\n".join(["#include <stdint.h>", *held, *(each.text for each in self.functions), ""])


def constant(type_: str, number: int) -> str:
    """Return a number of a type, as C has it."""
    signed, bits = TYPES[type_]
    number %= 1 << bits
    if signed and number >> (bits - 1):
        # The least number has no sign of its own: C reads it as a sum.
        return f"({type_})(-{(1 << bits) - number - 1}{'LL' if bits == 64 else ''} - 1)"
    return f"({type_}){number}{'ULL' if bits == 64 else 'U'}"


def alone(number: int) -> CProgram:
    """Return a function that runs by itself: any types, loops, switches, arrays."""
    random = Random(f"function {number}")
    types = {name: random.choice([*TYPES]) for name in ("x", "y", "a", "r", "n", "m")}
    wild = random.random() < WILD
    written = _Function("f", random, types, wild=wild)
    body = written.body(random.randrange(3, 8))
    memory = tuple(
        (types[name], name, tuple(_number(random, types[name]) for _ in range(SIZE if name == "a" else 1)))
        for name in ("x", "y", "a", "r")
    )
    given = tuple(str(_number(random, types[name])) for name in ("n", "m"))
    return CProgram((written.function(body, given),), memory, wild)


def pair(number: int) -> CProgram:
    """Return two functions that run at once: a few atomic accesses each, fences, branches, no loop."""
    random = Random(f"pair {number}")
    types = {name: random.choice(("int32_t", "uint32_t")) for name in ("x", "y", "a", "r", "n", "m")}
    found, memory = [], [(types["x"], "x", (0,)), (types["y"], "y", (0,)), (types["a"], "a", (0,) * SIZE)]
    for name in ("f", "g"):
        written = _Function(name, random, types, wild=False, few=True)
        body = written.body(random.randrange(2, 4))
        found.append(written.function(body, (str(random.randrange(3)), str(random.randrange(3))), f"r{name}"))
        memory.append((types["r"], f"r{name}", (0,)))
    return CProgram(tuple(found), tuple(memory), wild=False)


def _number(random: Random, type_: str) -> int:
    """Return a number of a type, most often a small one or one near an end."""
    signed, bits = TYPES[type_]
    end = 1 << (bits - 1 if signed else bits)
    small = (0, 1, 2, 3, 5, 7, 100)
    found = random.choice((*small, *small, end - 1, end // 2, *((-1, -2, -end, -end + 1) if signed else (end - 2,))))
    return found if random.random() < 0.8 else random.randrange(-end if signed else 0, end)


class _Function:
    """Writes one function. `few`: small numbers and few accesses; `locals` are variables with their types."""

    def __init__(self, name: str, random: Random, types: dict[str, str], *, wild: bool, few: bool = False) -> None:
        self.name = name
        self.before: list[str] = []
        self.random = random
        self.types = types
        self.wild = wild
        self.few = few
        self.locals = {"n": types["n"], "m": types["m"]}
        self.made = 0
        self.table = ""

    def function(self, body: list[str], given: tuple[str, ...], result: str = "r") -> CFunction:
        """Return the function of a body, which leaves in `r` what its variables hold."""
        parameters = [f"{self.types[p]} *{p}" for p in ("x", "y", "a", "r")]
        parameters += [f"{self.types[p]} {p}" for p in ("n", "m")]
        whole = " ^ ".join(f"(uint64_t){each}" for each in self.locals)
        shown = "\n".join(f"  {line}" for line in [*body, f"*r = ({self.types['r']})({whole});"])
        text = "\n".join([*self.before, f"void {self.name}({', '.join(parameters)}) {{\n{shown}\n}}"])
        return CFunction(self.name, text, ("x", "y", "a", result, *given))

    def body(self, count: int) -> list[str]:
        """Return the statements: variables first."""
        lines = []
        for _ in range(1 if self.few else 3):
            name = f"v{len(self.locals) - 2}"
            type_ = self.types["x"] if self.few else self.random.choice([*TYPES])
            lines.append(f"{type_} {name} = {self.expr(type_, 1)};")
            self.locals[name] = type_
        if not self.few and self.random.random() < 0.5:
            type_ = self.random.choice([*TYPES])
            numbers = ", ".join(self.expr(type_, 1) for _ in range(SIZE))
            lines.append(f"{type_} t[{SIZE}] = {{{numbers}}};")
            self.table = type_
        for _ in range(count):
            lines += self.statement(0)
        return lines

    # ------------------------------------------------ expressions

    def expr(self, type_: str, depth: int = 3) -> str:
        """Return an expression of a type, without effects."""
        random, (signed, bits) = self.random, TYPES[type_]
        if depth == 0 or random.random() < 0.2:
            if self.locals and random.random() < 0.65:
                name = random.choice([*self.locals])
                return name if self.locals[name] == type_ else f"({type_}){name}"
            return constant(type_, random.randrange(4) if self.few else _number(random, type_))
        kind = random.randrange(9 if self.few else 10)
        wide = "uint64_t" if bits == 64 else "uint32_t"
        one, other = self.expr(type_, depth - 1), self.expr(type_, depth - 1)
        if kind < 3:
            symbol = random.choice("+-*&|^" if not self.few else "+-&^")
            if self.wild and random.random() < 0.3:
                return f"({type_})({one} {symbol} {other})"
            return f"({type_})(({wide})({one}) {symbol} ({wide})({other}))"
        if kind == 3:
            symbol = random.choice(("<<", ">>"))
            amount = f"({other})" if self.wild and random.random() < 0.5 else f"(({other}) & {bits - 1})"
            return f"({type_})(({wide if symbol == '<<' else type_})({one}) {symbol} {amount})"
        if kind == 4:
            symbol = random.choice("/%")
            if self.wild and random.random() < 0.5:
                return f"({type_})(({one}) {symbol} ({other}))"
            # Neither by zero nor by -1.
            if signed and random.random() < 0.5:
                return f"(({other}) > 0 ? ({type_})(({one}) {symbol} ({other})) : ({one}))"
            by = random.choice((3, 5, 7, 8, 10, 100, *((-3, -8) if signed else ())))
            return f"({type_})(({one}) {symbol} {constant(type_, by)})"
        if kind == 5:
            return f"({self.truth(depth - 1)} ? ({one}) : ({other}))"
        if kind == 6:
            return f"({type_})({self.truth(depth - 1)})"
        if kind == 7 and self.table:
            return f"({type_})t[{self.index(depth - 1)}]"
        if kind == 9:
            return made(self, type_, depth)
        between = random.choice([*TYPES])
        return f"({type_}){self.expr(between, depth - 1)}"

    def truth(self, depth: int) -> str:
        """Return a condition."""
        random, type_ = self.random, self.random.choice([*TYPES])
        if depth > 1 and random.random() < 0.25:
            return f"({self.truth(depth - 1)} {random.choice(('&&', '||'))} {self.truth(depth - 1)})"
        symbol = random.choice(("<", "<=", ">", ">=", "==", "!="))
        return f"(({self.expr(type_, depth)}) {symbol} ({self.expr(type_, depth)}))"

    def index(self, depth: int = 1) -> str:
        """Return an index of an array."""
        if self.few:
            return str(self.random.randrange(2))
        return f"({self.expr('uint32_t', depth)} & {SIZE - 1})"

    # ------------------------------------------------ statements

    def kind(self) -> str:
        """Return a type for something new."""
        return self.types["x"] if self.few else self.random.choice([*TYPES])

    def place(self) -> tuple[str, str]:
        """Return a pointer and the type of what is there."""
        name = self.random.choice(("x", "x", "y", "a") if not self.few else ("x", "y", "x", "y", "a"))
        return (f"&a[{self.index()}]" if name == "a" else name), self.types[name]

    def variable(self, type_: str) -> str:
        """Return a variable to be assigned a value of a type, with `=` and the cast."""
        name = self.random.choice([each for each in self.locals if each not in ("n", "m")])
        return f"{name} = ({self.locals[name]})"

    def mode(self, orderings: tuple[str, ...]) -> str:
        """Return an ordering and a scope."""
        # Two that run at once have no races, in which much that compilers do is new.
        scope = self.random.choice(("DEVICE", "SYSTEM") if self.few else SCOPES)
        return f"__ATOMIC_{self.random.choice(orderings)}, __MEMORY_SCOPE_{scope}"

    def statement(self, depth: int) -> list[str]:
        """Return a statement in lines."""
        random, kind = self.random, self.random.randrange(20)
        if random.random() < (0.25 if self.few else 0.4):
            return random.choice(FEW if self.few else IDIOMS)(self, depth)
        if kind < 7 or (self.few and kind < 10):
            return [self.access()]
        if kind < 9 and not self.few:
            place, type_ = self.place()
            if random.random() < 0.5:
                return [f"*({place}) = {self.expr(type_)};"]
            return [f"{self.variable(type_)}*({place});"]
        if kind < 10 or (self.few and kind < 12):
            fences = ("ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
            return [f"__scoped_atomic_thread_fence({self.mode(fences)});"]
        if kind < 12 and self.table:
            return [f"t[{self.index()}] = {self.expr(self.table)};"]
        if kind < 13 or depth > 1:
            name = random.choice([each for each in self.locals if each not in ("n", "m")])
            return [f"{name} = {self.expr(self.locals[name])};"]
        if kind < 16 or self.few:
            lines = [f"if {self.truth(2)} {{", *self.block(depth), "}"]
            return [*lines[:-1], "} else {", *self.block(depth), "}"] if random.random() < 0.5 else lines
        return self.switch(depth) if kind == 16 else self.loop(depth)

    def block(self, depth: int) -> list[str]:
        """Return one statement or two, further in."""
        count = 1 if self.few else random_count(self.random)
        return [f"  {line}" for _ in range(count) for line in self.statement(depth + 1)]

    def access(self) -> str:
        """Return an atomic access."""
        random, (place, type_) = self.random, self.place()
        kind = random.randrange(6)
        if kind < 2:
            return f"{self.variable(type_)}__scoped_atomic_load_n({place}, {self.mode(LOADING)});"
        if kind < 4:
            return f"__scoped_atomic_store_n({place}, {self.expr(type_, 2)}, {self.mode(STORING)});"
        if kind == 4:
            word, value = random.choice(UPDATES), self.expr(type_, 2)
            target = self.variable(type_) if random.random() < 0.7 else "(void)"
            return f"{target}__scoped_atomic_{word}({place}, {value}, {self.mode(UPDATING)});"
        self.made += 1
        name, weak = f"e{self.made}", 0
        failure, mode = random.choice(LOADING), self.mode(UPDATING).split(", ")
        swapped = f"__scoped_atomic_compare_exchange_n({place}, &{name}, {self.expr(type_, 1)}, {weak}, "
        swapped += f"{mode[0]}, __ATOMIC_{failure}, {mode[1]})"
        first, second = self.variable("int32_t"), self.variable(type_)
        return f"{{ {type_} {name} = {self.expr(type_, 1)}; {first}{swapped}; {second}{name}; }}"

    def switch(self, depth: int) -> list[str]:
        """Return a switch, some of whose cases go on into the next one."""
        type_ = self.random.choice(("uint32_t", "int32_t", "uint8_t", "int64_t"))
        lines = [f"switch (({self.expr(type_, 2)}) & 3) {{"]
        for number in sorted(self.random.sample(range(4), self.random.randrange(1, 4))):
            lines += [f"case {number}:", *self.block(depth)]
            lines += ["  break;"] if self.random.random() < 0.7 else []
        if self.random.random() < 0.7:
            lines += ["default:", *self.block(depth), "  ;"]
        return [*lines, "  ;", "}"]

    def loop(self, depth: int) -> list[str]:
        """Return a loop of at most three iterations, which may be left or gone on with early."""
        self.made += 1
        name, random = f"i{self.made}", self.random
        most = str(random.randrange(1, 4)) if random.random() < 0.5 else f"(({self.expr('uint32_t', 1)}) & 3)"
        inside = self.block(depth)
        if random.random() < 0.3:
            inside.insert(0, f"  if {self.truth(1)} {random.choice(('break', 'continue'))};")
        if random.random() < 0.6:
            return [f"for (uint32_t {name} = 0, {name}e = {most}; {name} < {name}e; {name}++) {{", *inside, "}"]
        if random.random() < 0.5:
            return [f"for (uint32_t {name} = {most}; {name}--;) {{", *inside, "}"]
        # `continue` goes to the condition, which counts.
        return [f"{{ uint32_t {name} = {most}; do {{", *inside, f"}} while ({name}-- > 1 && {name} < 4); }}"]


def random_count(random: Random) -> int:
    """Return how many statements a block has."""
    return random.choice((1, 1, 2))
