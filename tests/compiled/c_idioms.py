"""What authors write in C that is no single access: statements and expressions for `tests.compiled.c_functions`.

What goes in: who writes a function, a `Writer`. What comes out: lines, or an expression of a type. Invariants: as
there, nothing that C leaves undefined is computed, and every loop ends. What must stand before the function, a type, a
table or a function that is called, is added to `before` of who writes, under a name of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol

TYPES = {f"{sign}int{bits}_t": (sign == "", bits) for sign in ("u", "") for bits in (8, 16, 32, 64)}
"""Whether a type has a sign, and its bits."""
SIZE = 4
"""Elements of an array."""
LOADING = ("RELAXED", "ACQUIRE", "SEQ_CST")
STORING = ("RELAXED", "RELEASE", "SEQ_CST")
UPDATING = ("RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
FLOATS = {"float": 127, "double": 4095, "_Float16": 31}
"""Types of numbers with a point, and up to which numbers products of three are exact."""


class Writer(Protocol):
    """What an idiom needs of who writes a function."""

    random: Random
    few: bool
    made: int
    name: str
    before: list[str]

    def expr(self, type_: str, depth: int = 3) -> str: ...
    def truth(self, depth: int) -> str: ...
    def index(self, depth: int = 1) -> str: ...
    def place(self) -> tuple[str, str]: ...
    def variable(self, type_: str) -> str: ...
    def mode(self, orderings: tuple[str, ...]) -> str: ...
    def kind(self) -> str: ...
    def block(self, depth: int) -> list[str]: ...


Idiom = Callable[[Writer, int], list[str]]


def fresh(w: Writer, word: str, *, outside: bool = False) -> str:
    """Return a name that nothing has yet."""
    w.made += 1
    return f"{w.name}_{word}{w.made}" if outside else f"{word}{w.made}"


def unsigned(type_: str) -> str:
    """Return the type of as many bits, at least 32, whose sums have no overflow."""
    return "uint64_t" if TYPES[type_][1] == 64 else "uint32_t"


def mixed(w: Writer, type_: str, *parts: str) -> str:
    """Return parts joined by operators that have no overflow."""
    wide, joined = unsigned(type_), ""
    for part in parts:
        joined += f" {w.random.choice('+-^&|')} ({wide})({part})" if joined else f"({wide})({part})"
    return f"({type_})({joined})"


# ---------------------------------------------------- aggregates


def record(w: Writer, depth: int) -> list[str]:
    """A struct: made, copied whole, changed in part."""
    name, one, two = fresh(w, "s", outside=True), fresh(w, "s"), fresh(w, "s")
    a, b, c = (w.kind() for _ in range(3))
    packed = " __attribute__((packed))" if w.random.random() < 0.2 else ""
    w.before.append(f"struct {name} {{ {a} a; {b} b; {c} c[2]; }}{packed};")
    given = f"{{{w.expr(a, 1)}, {w.expr(b, 1)}, {{{w.expr(c, 1)}, {w.expr(c, 1)}}}}}"
    return [
        f"{{ struct {name} {one} = {given}, {two} = {one};",
        f"  {one}.{w.random.choice(('a', 'b', 'c[1]'))} = {w.expr(a, 2)};",
        f"  if {w.truth(1)} {two} = {one};",
        f"  {two}.c[{w.index()} & 1] = {w.expr(c, 1)};",
        f"  {w.variable(a)}{mixed(w, a, f'{two}.a', f'{one}.b', f'{two}.c[{w.index()} & 1]')};",
        "}",
    ]


def handed(w: Writer, depth: int) -> list[str]:
    """A struct is handed to a function by its value, and comes back changed."""
    name, called, local = (
        fresh(w, "s", outside=True), fresh(w, "h", outside=True), fresh(w, "s"))  # fmt: skip
    a, b = w.kind(), w.kind()
    size = w.random.choice(("", "[3]"))
    attribute = w.random.choice(("", "__attribute__((noinline)) "))
    element = "b[k & 1]" if size else "b"
    w.before.append(f"struct {name} {{ {a} a; {b} b{size}; }};")
    w.before.append(
        f"static {attribute}struct {name} {called}(struct {name} s, {b} k) {{\n"
        f"  s.{element} = {mixed(w, b, 'k', 's.a')};\n  if (k > 2) s.a = ({a})k;\n  return s;\n}}"
    )
    first = f"{{{w.expr(b, 1)}, 1}}" if size else w.expr(b, 1)
    return [
        f"{{ struct {name} {local} = {{{w.expr(a, 1)}, {first}}};",
        f"  {local} = {called}({local}, {w.expr(b, 1)});",
        f"  {w.variable(a)}{mixed(w, a, f'{local}.a', f'{local}.b[1]' if size else f'{local}.b')};",
        "}",
    ]


def halves(w: Writer, depth: int) -> list[str]:
    """The parts of a number, as a union has them."""
    name, whole = fresh(w, "u"), w.random.choice(("uint32_t", "int32_t", "uint64_t"))
    part = w.random.choice(("uint8_t", "int8_t", "uint16_t", "int16_t"))
    count = TYPES[whole][1] // TYPES[part][1]
    at = (f"({w.expr('uint32_t', 1)} & {count - 1})" for _ in range(2))
    return [
        f"{{ union {{ {whole} w; {part} p[{count}]; }} {name} = {{.w = {w.expr(whole, 1)}}};",
        f"  {name}.p[{next(at)}] = {w.expr(part, 2)};",
        f"  {w.variable(whole)}{w.random.choice((f'{name}.w', f'{name}.p[{next(at)}]'))};",
        "}",
    ]


def fields(w: Writer, depth: int) -> list[str]:
    """Fields of bits."""
    name, (p, q, r) = fresh(w, "b"), (w.random.randrange(1, 14) for _ in range(3))
    type_ = w.kind()
    return [
        f"{{ struct {{ uint32_t p : {p}; int32_t q : {q}; uint64_t r : {r + 20}; }} {name} =",
        f"  {{{w.expr('uint32_t', 1)}, {w.expr('int32_t', 1)}, {w.expr('uint64_t', 1)}}};",
        f"  {name}.{w.random.choice('pqr')} = {w.expr(type_, 2)};",
        f"  {w.variable(type_)}{mixed(w, type_, f'{name}.p', f'{name}.q', f'{name}.r')};",
        "}",
    ]


def grid(w: Writer, depth: int) -> list[str]:
    """An array of arrays, filled and read by loops within loops."""
    name, i, j, type_ = fresh(w, "g"), fresh(w, "i"), fresh(w, "j"), w.kind()
    rows, columns = w.random.choice(((2, 2), (2, 3), (3, 2)))
    around = f"for (uint32_t {i} = 0; {i} < {rows}; {i}++) for (int {j} = {columns} - 1; {j} >= 0; {j}--)"
    return [
        f"{{ {type_} {name}[{rows}][{columns}];",
        f"  {around} {name}[{i}][{j}] = {mixed(w, type_, w.expr(type_, 1), i, f'{j} << 1')};",
        f"  {name}[{w.index()} & 1][{w.index()} & 1] = {w.expr(type_, 1)};",
        f"  {around} {w.variable(type_)}{mixed(w, type_, f'{name}[{i}][{j}]', w.expr(type_, 1))};",
        "}",
    ]


def copied(w: Writer, depth: int) -> list[str]:
    """Bytes that are copied or set."""
    one, two, type_ = fresh(w, "t"), fresh(w, "t"), w.kind()
    word = w.random.choice(
        (f"memcpy({two}, {one}, sizeof {two})", f"memset({two}, {w.random.choice((0, 90, 255))}, sizeof {two})",
         f"memmove({one} + 1, {one}, 3 * sizeof *{one}), __builtin_memcpy({two}, {one}, sizeof {two})")
    )  # fmt: skip
    given = ", ".join(w.expr(type_, 1) for _ in range(SIZE))
    return [
        f"{{ {type_} {one}[{SIZE}] = {{{given}}}, {two}[{SIZE}]; __builtin_{word};",
        f"  {w.variable(type_)}{mixed(w, type_, f'{two}[{w.index()}]', f'{one}[{w.index()}]')};",
        "}",
    ]


def vector(w: Writer, depth: int) -> list[str]:
    """A vector: arithmetic of each element, and elements in another order."""
    name, v, type_ = fresh(w, "v", outside=True), fresh(w, "q"), w.random.choice([*TYPES])
    type_ = f"u{type_.removeprefix('u')}"
    w.before.append(f"typedef {type_} {name} __attribute__((ext_vector_type(4)));")
    given = ", ".join(w.expr(type_, 1) for _ in range(4))
    return [
        f"{{ {name} {v} = {{{given}}};",
        f"  {v} = {v} {w.random.choice('+-^&|*')} {v}.{w.random.choice(('wzyx', 'yxwz', 'xxyy'))};",
        f"  {v}[{w.index()}] = {w.expr(type_, 1)};",
        f"  {w.variable(type_)}{v}.{w.random.choice('xyzw')} ^ {v}[{w.index()}];",
        "}",
    ]


# ---------------------------------------------------- functions, pointers and tables


def called(w: Writer, depth: int) -> list[str]:
    """A function that gets a pointer: to memory that others see, or to a variable of the caller."""
    name, (place, type_), local = fresh(w, "h", outside=True), w.place(), fresh(w, "l")
    attribute = w.random.choice(("", "inline ", "__attribute__((noinline)) "))
    accesses = [
        f"{type_} was = __scoped_atomic_fetch_{w.random.choice(('add', 'xor', 'or'))}(p, k, {w.mode(UPDATING)});",
        f"{type_} was = __scoped_atomic_load_n(p, {w.mode(LOADING)}); "
        f"if (was != k) __scoped_atomic_store_n(p, k, {w.mode(STORING)});",
        f"{type_} was = __scoped_atomic_exchange_n(p, k, {w.mode(UPDATING)});",
    ]
    accesses += [] if w.few else [f"{type_} was = *p; *p = {mixed(w, type_, 'was', 'k')};"]
    w.before.append(
        f"static {attribute}{type_} {name}({type_} *p, {type_} k) {{\n  {w.random.choice(accesses)}\n"
        f"  if (k == 1) return k;\n  return was;\n}}"
    )
    given = w.random.choice((place, f"&{local}", f"{w.truth(1)} ? &{local} : ({place})"))
    return [
        f"{{ {type_} {local} = {w.expr(type_, 1)};",
        f"  {w.variable(type_)}{name}({given}, {w.expr(type_, 1)});",
        f"  {w.variable(type_)}{local};",
        "}",
    ]


def pointed(w: Writer, depth: int) -> list[str]:
    """A pointer to one of two variables."""
    p, one, two, type_ = fresh(w, "p"), fresh(w, "l"), fresh(w, "l"), w.kind()
    change = w.random.choice(
        (f"*{p} = {w.expr(type_, 1)};", f"__scoped_atomic_fetch_add({p}, {w.expr(type_, 1)}, {w.mode(UPDATING)});",
         f"if {w.truth(1)} {p} = &{one}; *{p} = {mixed(w, type_, f'*{p}', '1')};")
    )  # fmt: skip
    return [
        f"{{ {type_} {one} = {w.expr(type_, 1)}, {two} = {w.expr(type_, 1)};",
        f"  {type_} *{p} = {w.truth(1)} ? &{one} : &{two}; {change}",
        f"  {w.variable(type_)}{mixed(w, type_, one, two)};",
        "}",
    ]


def walked(w: Writer, depth: int) -> list[str]:
    """A pointer that goes along an array."""
    p, t, type_ = fresh(w, "p"), fresh(w, "t"), w.kind()
    given = ", ".join(w.expr(type_, 1) for _ in range(SIZE))
    head = w.random.choice(
        (f"for ({type_} *{p} = {t}; {p} != {t} + {SIZE}; {p}++)", f"for ({type_} *{p} = {t} + {SIZE}; {p}-- != {t};)")
    )
    return [
        f"{{ {type_} {t}[{SIZE}] = {{{given}}};",
        f"  {head} {{ if (*{p} == {w.expr(type_, 1)}) break; {w.variable(type_)}*{p}; *{p} = "
        f"{mixed(w, type_, f'*{p}', f'{p} - {t}')}; }}",
        f"  {w.variable(type_)}{t}[{w.index()}];",
        "}",
    ]


def tabled(w: Writer, depth: int) -> list[str]:
    """A table that nobody writes."""
    name, type_ = fresh(w, "k", outside=True), w.kind()
    numbers = ", ".join(f"({type_}){w.random.randrange(-300, 300)}" for _ in range(SIZE))
    w.before.append(f"static const {type_} {name}[{SIZE}] = {{{numbers}}};")
    return [f"{w.variable(type_)}{name}[{w.index(2)}];"]


def cased(w: Writer, depth: int) -> list[str]:
    """A switch that clang makes a table of, or whose other cases there are not."""
    type_ = w.kind()
    target = w.variable(type_)
    cases = " ".join(f"case {n}: {target}{w.random.randrange(-9, 99)}; break;" for n in range(4))
    last = w.random.choice(("__builtin_unreachable();", "break;"))
    return [f"switch ({w.expr('uint32_t', 2)} & 3) {{ {cases} default: {last} }}"]


def jumped(w: Writer, depth: int) -> list[str]:
    """A jump forward, or a few back."""
    label, count = fresh(w, "L"), fresh(w, "c")
    if depth or w.random.random() < 0.5:
        return [f"if {w.truth(2)} goto {label};", *w.block(1), f"{label}:;"]
    again = f"if ({count}++ < {w.random.randrange(3)} && {w.truth(1)}) goto {label};"
    return [f"{{ uint32_t {count} = 0; {label}:;", *w.block(1), f"{again} }}"]


# ---------------------------------------------------- accesses


def volatile(w: Writer, depth: int) -> list[str]:
    """Volatile accesses."""
    place, type_ = w.place()
    accesses = [f"*(volatile {type_} *)({place}) = {w.expr(type_, 2)};"]
    accesses += [f"{w.variable(type_)}*(volatile {type_} *)({place});"]
    accesses += [f"__scoped_atomic_store_n((volatile {type_} *)({place}), {w.expr(type_, 1)}, {w.mode(STORING)});"]
    return [w.random.choice(accesses)]


def in_part(w: Writer, depth: int) -> list[str]:
    """An atomic access to a part of a word."""
    place, type_ = w.place()
    parts = [each for each, (_, bits) in TYPES.items() if bits < TYPES[type_][1]]
    if not parts:
        return volatile(w, depth) if not w.few else changed(w, depth)
    part, name = w.random.choice(parts), fresh(w, "w", outside=True)
    w.before.append(f"typedef {part} {name} __attribute__((may_alias));")
    most = TYPES[type_][1] // TYPES[part][1] - 1
    at = str(w.random.randrange(most + 1)) if w.few else f"({w.expr('uint32_t', 1)} & {most})"
    pointer = f"(({name} *)({place}) + {at})"
    return [
        w.random.choice(
            (f"{w.variable(part)}__scoped_atomic_load_n({pointer}, {w.mode(LOADING)});",
             f"__scoped_atomic_store_n({pointer}, {w.expr(part, 1)}, {w.mode(STORING)});",
             f"{w.variable(part)}__scoped_atomic_fetch_{w.random.choice(('add', 'xor', 'max'))}({pointer}, "
             f"{w.expr(part, 1)}, {w.mode(UPDATING)});")
        )
    ]  # fmt: skip


def changed(w: Writer, depth: int) -> list[str]:
    """An update that gives what is there now, or one in the general form."""
    (place, type_), kind = w.place(), w.random.randrange(3)
    if kind == 0:
        word = w.random.choice(("add", "sub", "and", "or", "xor", "nand", "min", "max"))
        return [f"{w.variable(type_)}__scoped_atomic_{word}_fetch({place}, {w.expr(type_, 1)}, {w.mode(UPDATING)});"]
    one, two = fresh(w, "e"), fresh(w, "e")
    if kind == 1:
        return [
            f"{{ {type_} {one} = {w.expr(type_, 1)}, {two};",
            f"  __scoped_atomic_exchange({place}, &{one}, &{two}, {w.mode(UPDATING)}); {w.variable(type_)}{two};",
            "}",
        ]
    mode, failure = w.mode(UPDATING).split(", "), w.random.choice(LOADING)
    return [
        f"{{ {type_} {one} = {w.expr(type_, 1)}, {two} = {w.expr(type_, 1)};",
        f"  if (__scoped_atomic_compare_exchange({place}, &{one}, &{two}, 0, {mode[0]}, __ATOMIC_{failure}, "
        f"{mode[1]}))",
        f"    {w.variable(type_)}{two}; else {w.variable(type_)}{one};",
        "}",
    ]


def retried(w: Writer, depth: int) -> list[str]:
    """A compare-exchange, often a weak one, that is tried until it is done."""
    (place, type_), e, weak = w.place(), fresh(w, "e"), int(w.random.random() < 0.5)
    success, scope = w.mode(UPDATING).split(", ")
    modes = f"{success}, __ATOMIC_{w.random.choice(LOADING)}, {scope}"
    swapped = (
        f"__scoped_atomic_compare_exchange_n({place}, &{e}, {mixed(w, type_, e, w.expr(type_, 1))}, {weak}, {modes})"
    )
    return [
        f"{{ {type_} {e} = __scoped_atomic_load_n({place}, {w.mode(LOADING)});",
        w.random.choice((f"  while (!{swapped});", f"  do {{}} while (!{swapped});")),
        f"  {w.variable(type_)}{e};",
        "}",
    ]


def signalled(w: Writer, depth: int) -> list[str]:
    """A fence for signal handlers, and what is supposed."""
    return [
        w.random.choice(
            ("__atomic_signal_fence(__ATOMIC_SEQ_CST);", f"__builtin_assume(({w.expr('uint32_t', 1)} & 3) < 4);")
        )
    ]


# ---------------------------------------------------- values


def pointed_numbers(w: Writer, depth: int) -> list[str]:
    """Numbers with a point: exact, and made from and to whole ones."""
    kind, q, type_ = w.random.choice([*FLOATS]), fresh(w, "q"), w.kind()
    most = FLOATS[kind]
    small = [f"({kind})(int)({w.expr('uint32_t', 1)} & {most})" for _ in range(3)]
    sign = w.random.choice(("", "-"))
    back = f"({type_})(int){q}" if TYPES[type_][0] else f"({type_})(int64_t){q}"
    return [
        f"{{ {kind} {q} = {small[0]} {w.random.choice('+-')} {small[1]} * ({kind}){w.random.choice((1, 2, 0.5))};",
        f"  if ({q} {w.random.choice(('<', '<=', '>', '>=', '==', '!='))} {small[2]}) {q} = {sign}{q} + ({kind})1.5;",
        f"  {w.variable(type_)}{back};",
        "}",
    ]


def overflown(w: Writer, depth: int) -> list[str]:
    """Sums and products, and whether they are too great."""
    z, type_, word = fresh(w, "z"), w.kind(), w.random.choice(("add", "sub", "mul"))
    return [
        f"{{ {type_} {z}; {w.variable('int32_t')}__builtin_{word}_overflow({w.expr(type_, 1)}, "
        f"{w.expr(type_, 1)}, &{z}); {w.variable(type_)}{z}; }}"
    ]


def counted(w: Writer, depth: int) -> list[str]:
    """Effects within an expression, and truths as numbers."""
    target, other = w.variable("int32_t"), w.variable("uint32_t")
    b, u = fresh(w, "b"), fresh(w, "u")
    return [
        f"{{ _Bool {b} = {w.expr(w.kind(), 2)}; uint32_t {u} = {w.expr('uint32_t', 1)};",
        f"  if ({b} {w.random.choice(('&&', '||'))} ({u}++, {w.truth(1)})) {u} += 3; else {u} <<= 1;",
        f"  {target}(!{b} + {b}); {other}--{u};",
        "}",
    ]


def made(w: Writer, type_: str, depth: int) -> str:
    """An expression of clang's builtins."""
    random, (signed, bits) = w.random, TYPES[type_]
    one, other = w.expr(type_, depth - 1), w.expr(type_, depth - 1)
    same = f"uint{bits}_t"
    wide, suffix = ("uint64_t", "ll") if bits == 64 else ("uint32_t", "")
    found = [
        f"__builtin_popcount{suffix}(({wide})({one}))",
        f"__builtin_parity{suffix}(({wide})({one}))",
        f"__builtin_ffs{suffix}({one})",
        f"__builtin_clz{suffix}(({wide})({one}) | 1)",
        f"__builtin_ctz{suffix}(({wide})({one}) | {1 << random.randrange(bits - 1)}u)",
        f"__builtin_bitreverse{bits}(({same})({one}))",
        f"__builtin_rotateleft{bits}(({same})({one}), ({same})({other}))",
        f"__builtin_rotateright{bits}(({same})({one}), ({same})({other}))",
        f"__builtin_elementwise_{random.choice(('min', 'max', 'add_sat', 'sub_sat'))}(({type_})({one}), "
        f"({type_})({other}))",
        f"__builtin_expect(({one}) > ({other}), {random.randrange(2)})",
        f"(int64_t)(((__int128)(int64_t)({one}) * (int64_t)({other})) >> {random.choice((1, 32, 64))})",
        f"(uint64_t)(((unsigned __int128)(uint64_t)({one}) * (uint64_t)({other})) >> "
        f"{random.choice((1, 32, 64, 100))})",
    ]
    if bits > 8:
        found.append(f"__builtin_bswap{bits}(({same})({one}))")
    if signed and bits < 32:
        found.append(f"__builtin_abs({one})")
    return f"({type_})({random.choice(found)})"


IDIOMS: tuple[Idiom, ...] = (
    record, handed, halves, fields, grid, copied, vector, called, pointed, walked, tabled, cased, jumped,
    volatile, in_part, changed, retried, signalled, pointed_numbers, overflown, counted,
)  # fmt: skip
"""Of a function by itself."""
FEW: tuple[Idiom, ...] = (called, pointed, in_part, changed, retried, handed, halves)
"""Of two that run at once: without races, and with few accesses."""
