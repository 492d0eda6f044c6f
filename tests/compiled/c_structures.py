"""Random functions in C that hand structures around: by value, in part, nested, as unions and bit fields.

What goes in: a number. What comes out: a `CProgram` of one function, the same for the same number. Invariants: it
computes nothing that C leaves undefined, but for what `-fno-strict-aliasing` allows; it reads no padding, and what a
copy of a whole does to padding is not seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.compiled.c_functions import CFunction, CProgram
from tests.compiled.c_idioms import SIZE, TYPES

MEMORY = "uint64_t"
BYTES = 8 * SIZE
"""Of memory that structures are copied from and to."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number in a structure: how it is named, its type, and whether it is a bit field, which has no address."""

    path: str
    type: str
    bits: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """A structure or union: how it is named and declared, its numbers, and its fields with their types."""

    name: str
    declared: str
    leaves: tuple[Leaf, ...]
    fields: tuple[tuple[str, str], ...]
    full: bool
    """Whether it has no padding, and no bit fields."""
    packed: bool
    """Whether numbers in it may lie where none of their types does."""


def structured(number: int) -> CProgram:
    """Return a function."""
    random = Random(f"structure {number}")
    written = _Writer(random)
    body = written.body(random.randrange(4, 9))
    memory = [("uint64_t", "x", tuple(random.randrange(1 << 64) for _ in range(SIZE)))]
    memory += [("uint64_t", "y", tuple(random.randrange(1 << 16) for _ in range(SIZE)))]
    memory += [("uint64_t", "r", (0,))]
    return CProgram((written.function(body),), tuple(memory), wild=False)


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.made = 0
        self.before: list[str] = [f"#define mem{each} __builtin_mem{each}" for each in ("cpy", "move", "set")]
        self.records: list[Record] = []
        for _ in range(random.randrange(1, 4)):
            self.records.append(self.record())
            self.before.append(self.records[-1].declared)
        self.locals: list[tuple[str, Record]] = []

    def fresh(self, word: str) -> str:
        self.made += 1
        return f"{word}{self.made}"

    # ------------------------------------------------ types

    def record(self) -> Record:
        """Return a new structure or union."""
        random, name = self.random, self.fresh("S")
        union = random.random() < 0.25
        leaves: list[Leaf] = []
        fields: list[tuple[str, str]] = []
        lines: list[str] = []
        packed = not union and random.random() < 0.2
        full = unaligned = packed
        for _ in range(random.randrange(1, 3 if union else 5)):
            field, kind = self.fresh("f"), random.randrange(10)
            type_ = random.choice([*TYPES])
            if kind < 4 or (kind == 9 and not self.records):
                lines.append(f"{type_} {field};")
                leaves.append(Leaf(f".{field}", type_))
                fields.append((field, type_))
            elif kind < 6:
                count = random.randrange(2, 4)
                lines.append(f"{type_} {field}[{count}];")
                leaves += [Leaf(f".{field}[{k}]", type_) for k in range(count)]
            elif kind < 7 and not union:
                bits = [random.randrange(1, TYPES[type_][1] + 1) for _ in range(random.randrange(1, 4))]
                for width in bits:
                    field = self.fresh("b")
                    lines.append(f"{type_} {field} : {width};")
                    leaves.append(Leaf(f".{field}", type_, bits=True))
                full = False
            elif self.records:
                other = random.choice(self.records)
                if other.name.startswith("S") and len(other.leaves) > 8:
                    continue
                count = random.choice((0, 0, 2))
                lines.append(f"struct_{other.name} {field}{f'[{count}]' if count else ''};")
                for k in range(max(1, count)):
                    at = f".{field}[{k}]" if count else f".{field}"
                    leaves += [Leaf(at + each.path, each.type, each.bits) for each in other.leaves]
                if not count:
                    fields.append((field, f"struct_{other.name}"))
                full, unaligned = full and other.full, unaligned or other.packed
        if not leaves:
            lines.append("int32_t z;")
            leaves.append(Leaf(".z", "int32_t"))
        if union:
            # Of a union the numbers of its first member alone are read, but by `pun`.
            first = lines[0].split()[1].rstrip(";").split("[")[0]
            leaves = [each for each in leaves if each.path[1:].split(".")[0].split("[")[0] == first]
        word = "union" if union else "struct"
        attribute = " __attribute__((packed))" if packed else ""
        declared = f"typedef {word}{attribute} {name} {{ {' '.join(lines)} }} struct_{name};"
        return Record(name, declared, tuple(leaves), tuple(fields), full, unaligned)

    # ------------------------------------------------ expressions

    def number(self) -> str:
        """Return an expression of 64 bits without a sign."""
        random, kind = self.random, self.random.randrange(6)
        if kind == 0:
            return f"{random.choice((0, 1, 2, 3, 255, 65537, 0x123456789ABCDEF))}ULL"
        if kind == 1 or not self.locals:
            return f"x[{random.randrange(SIZE)}]"
        if kind == 2:
            return f"y[{random.randrange(SIZE)}]"
        if kind == 3:
            return f"({self.number()} {random.choice('+-^*')} {self.number()})"
        name, record = random.choice(self.locals)
        return f"(uint64_t){name}{random.choice(record.leaves).path}"

    def truth(self) -> str:
        return f"(({self.number()}) & {self.random.choice((1, 2, 4))})"

    def pair(self) -> tuple[str, str, Record]:
        """Return two variables of one type; the second may be the first."""
        name, record = self.random.choice(self.locals)
        other = self.random.choice([each for each, r in self.locals if r is record])
        return name, other, record

    # ------------------------------------------------ statements

    def body(self, count: int) -> list[str]:
        lines: list[str] = []
        for record in [*self.records, *self.random.choices(self.records, k=2)]:
            name = self.fresh("v")
            lines.append(f"struct_{record.name} {name};")
            kind = self.random.randrange(3)
            if kind == 0:
                lines += [f"memset(&{name}, {self.random.choice((0, 0, 255))}, sizeof {name});"]
            elif kind == 1:
                lines[-1] = f"struct_{record.name} {name} = {{}};"
                lines += [f"{name}{each.path} = {self.number()};" for each in record.leaves]
            else:
                lines += [f"memset(&{name}, 0, sizeof {name});"]
                lines += [f"memcpy(&{name}, x, sizeof {name} < {BYTES} ? sizeof {name} : {BYTES});"]
            self.locals.append((name, record))
        for _ in range(count):
            lines += self.statement(0)
        return lines

    def statement(self, depth: int) -> list[str]:
        random, (one, other, record) = self.random, self.pair()
        leaf = random.choice(record.leaves)
        match random.randrange(15):
            case 0 | 1:
                return [f"{one}{leaf.path} = {self.number()};"]
            case 2:
                return [f"{one} = {other};"]
            case 3 if depth < 2:
                inside = [line for _ in range(random.randrange(1, 3)) for line in self.statement(depth + 1)]
                if random.random() < 0.4:
                    more = self.statement(depth + 1)
                    return [f"if {self.truth()} {{", *inside, "} else {", *more, "}"]
                return [f"if {self.truth()} {{", *inside, "}"]
            case 4:
                return [f"{one} = {self.called(record)}({other}, {self.number()});"]
            case 5:
                pointer = self.fresh("p")
                return [
                    f"{{ struct_{record.name} *{pointer} = {self.truth()} ? &{one} : &{other};",
                    f"  {pointer}->{leaf.path[1:]} ^= {self.number()}; }}",
                ]
            case 6:
                begin = random.randrange(3)
                return [f"if (sizeof {one} > {begin}) mem{random.choice(('cpy', 'move'))}((char *)&{one} + {begin}, "
                        f"(char *)&{self.distinct(one, record)} + {begin}, sizeof {one} - {begin} - "
                        f"(sizeof {one} > {begin + 2} ? {random.randrange(3)} : 0));"]  # fmt: skip
            case 7:
                to = f"(char *)y + {random.randrange(4)}, &{one}, sizeof {one} < 16 ? sizeof {one} : 16"
                return [f"mem{random.choice(('cpy', 'move'))}({to});"] if record.full else []
            case 8:
                return [f"memcpy(&{one}, (char *)x + {random.randrange(4)}, sizeof {one} < 16 ? sizeof {one} : 16);"]
            case 9 if not leaf.bits and not record.packed:
                pointer = self.fresh("p")
                return [f"{{ {leaf.type} *{pointer} = &{one}{leaf.path}; *{pointer} += {self.number()}; }}"]
            case 10:
                return [f"{self.changed(record)}(&{one}, {self.number()});"]
            case 11:
                inner = [(f, t) for f, t in record.fields if t.startswith("struct_")]
                for field, type_ in inner:
                    alike = [name for name, r in self.locals if f"struct_{r.name}" == type_]
                    if alike:
                        pair = [f"{one}.{field}", random.choice(alike)]
                        random.shuffle(pair)
                        return [f"{pair[0]} = {pair[1]};"]
                return []
            case 12:
                held = self.fresh("h")
                return [
                    f"{{ struct {{ int k; struct_{record.name} *p; }} {held} = {{1, &{one}}};",
                    f"  {held}.p->{leaf.path[1:]} = {self.number()}; }}",
                ]
            case 13:
                index = self.fresh("i")
                return [f"for (int {index} = 0; {index} < {random.choice(('2', '(int)(x[0] & 3)'))}; {index}++) {{",
                        f"  {one} = {self.called(record)}({other}, {index}); }}"]  # fmt: skip
            case 14:
                row = self.fresh("w")
                return [
                    f"{{ struct_{record.name} {row}[2] = {{{one}, {other}}};",
                    f"  {row}[{self.number()} & 1]{leaf.path} = {self.number()};",
                    f"  {one} = {row}[{random.choice(('0', '1', self.number() + ' & 1'))}]; }}",
                ]
        return []

    def distinct(self, name: str, record: Record) -> str:
        """Return another variable of a type, which is made here if there is none."""
        others = [each for each, r in self.locals if r is record and each != name]
        return self.random.choice(others) if others else f"(struct_{record.name}){{}}"

    def called(self, record: Record) -> str:
        """Return a function that takes a structure by value, changes it, and returns it."""
        name, leaf, more = self.fresh("g"), self.random.choice(record.leaves), self.random.choice(record.leaves)
        attribute = self.random.choice(("", "__attribute__((noinline)) "))
        test = self.random.choice(("k & 1", f"s{more.path} & 2", f"s{more.path} > 7"))
        self.before.append(
            f"static {attribute}struct_{record.name} {name}(struct_{record.name} s, uint64_t k) {{\n"
            f"  if ({test}) s{leaf.path} = k;\n  else s{more.path} += k;\n  return s;\n}}"
        )
        return name

    def changed(self, record: Record) -> str:
        """Return a function that changes a structure behind a pointer."""
        name, leaf = self.fresh("c"), self.random.choice(record.leaves)
        attribute = self.random.choice(("", "__attribute__((noinline)) "))
        self.before.append(
            f"static {attribute}void {name}(struct_{record.name} *s, uint64_t k) {{\n"
            f"  struct_{record.name} t = *s;\n  t{leaf.path} -= k;\n  if (k & 1) *s = t;\n}}"
        )
        return name

    def function(self, body: list[str]) -> CFunction:
        """Return the function, which leaves in `r` what its variables hold."""
        lines = [*body, "uint64_t h = 0;"]
        for name, record in self.locals:
            lines += [f"h = h * 31 + (uint64_t){name}{each.path};" for each in record.leaves]
        lines.append("*r = h;")
        shown = "\n".join(f"  {line}" for line in lines)
        text = "\n".join([*self.before, f"void f(uint64_t *x, uint64_t *y, uint64_t *r) {{\n{shown}\n}}"])
        return CFunction("f", text, ("x", "y", "r"))
