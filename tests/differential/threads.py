"""One thread of a random test, written statement by statement.

What goes in: words that name the role of an operation (`put:x`, `release:f`, `acquire:f`, `get:x`, …). What comes out:
lines of the test language. A word fixes what the operation is for; how it does that is random: a release may be a
store, a fence before a store, an atomicrmw. Registers are named in order, each assigned once on a path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random

from tests.differential.decorations import (
    FAILURES,
    FENCES,
    LOADS,
    OPERATIONS,
    STORES,
    UPDATES,
    Theme,
    Variable,
    View,
    syncscope,
    tags,
    view,
    weighted,
)

ANYWHERE = ("put", "get", "put", "get", "write", "read", "release", "acquire", "update", "swap", "fence", "make")
"""The words from which free statements are drawn."""


@dataclass(frozen=True, slots=True)
class Register:
    """A register that has been assigned: its name and the shape of its value."""

    name: str
    bits: int
    lanes: int


@dataclass(slots=True)
class ThreadText:
    """A thread under construction."""

    rng: Random
    theme: Theme
    variables: dict[str, Variable]
    lines: list[str] = field(default_factory=list)
    registers: list[Register] = field(default_factory=list)
    names: int = 0
    depth: int = 1
    fresh: Iterator[int] = field(default_factory=lambda: count(1))

    def write(self, word: str) -> None:
        """Write the statements of one word, `role` or `role:location`."""
        role, _, name = word.partition(":")
        variable = self.variables.get(name) or self.variables[self.rng.choice(sorted(self.variables))]
        match role:
            case "put":
                self._put(variable)
            case "get":
                self._get(variable)
            case "write":
                self._store(variable, self._ordering(STORES, self.theme.atomic))
            case "read":
                self._load(variable, self._ordering(LOADS, self.theme.atomic))
            case "release":
                self._release(variable)
            case "acquire":
                self._acquire(variable)
            case "copy":
                self._store(variable, self._ordering(STORES, self.theme.atomic), copy=True)
            case "guarded":
                self._guarded(variable)
            case "update":
                self._update(variable, weighted(self.rng, UPDATES))
            case "swap":
                self._swap(variable)
            case "fence" | "before" | "after":
                self._fence({"before": "release", "after": "acquire"}.get(role, ""))
            case "make":
                self._make(variable)
            case "barrier":
                self._line(f"barrier {name}".rstrip())
            case "compute":
                self._compute()
            case "branch":
                self._branch()
            case "assume":
                self._assume()
            case "publish":
                self._line(f"store{self._atomic('release')} &{self._target()}, {name}{self._suffix('release')}")
            case "follow":
                self._follow(name)
            case "any":
                self.write(self.rng.choice(ANYWHERE))
            case _:
                raise ValueError(word)

    # ------------------------------------------------------------ parts of a line

    def _line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def _register(self, bits: int, lanes: int) -> str:
        name = f"r{self.names}"
        self.names += 1
        self.registers.append(Register(name, bits, lanes))
        return name

    def _ordering(self, table: dict[str, int], usual: str) -> str:
        return weighted(self.rng, table) if self.rng.random() < self.theme.noise else usual

    def _atomic(self, ordering: str) -> str:
        return " atomic" if ordering else ""

    def _suffix(self, ordering: str) -> str:
        """Return the scope and ordering of an atomic access, and tags."""
        scope = syncscope(self.rng, self.theme) if ordering else ""
        return f"{scope} {ordering}".rstrip() + tags(self.rng, self.theme)

    def _modifiers(self, seen: View, ordering: str) -> str:
        words = self._atomic(ordering)
        if self.rng.random() < (0.02 if ordering else 0.04) + self.theme.noise / 8:
            words += " volatile"
        if seen.lanes and ordering not in ("", "seq_cst") and self.rng.random() < 0.5:
            words += " elementwise"
        return words

    def _view(self, variable: Variable, *, scalar: bool = False) -> View:
        """Return what is accessed: as `view` says, through a pointer register, or at an index read from memory."""
        rng = self.rng
        seen = view(rng, variable, self.theme, scalar=scalar)
        roll, noise = rng.random(), max(self.theme.noise, self.theme.indexed)
        indices = [r.name for r in self.registers if not r.lanes and r.bits in (32, 64)]
        if roll < 0.01 + noise / 10:
            base, bracket, index = seen.address.partition("[")
            pointer = f"p{self.names}"
            self.names += 1
            self._line(f"{pointer} = &{base}")
            return replace(seen, type=seen.whole, address=pointer + bracket + index)
        if roll < 0.03 + noise / 4 and indices and "[" not in seen.address:
            name = rng.choice(indices)
            return replace(seen, type=seen.whole, address=f"{seen.address}[{name} ^ {name}]")
        if roll < 0.04 + noise / 2 and indices and not seen.lanes and variable.size >= seen.bits // 4:
            return replace(seen, type=seen.whole, address=f"{variable.name}[{rng.choice(indices)} & 1]")
        return seen

    def _value(self, seen: View) -> str:
        """Return a number, undef, a vector, or an expression over a register of the same shape.

        Numbers are mostly new, and different in each byte where accesses differ in size, so that a value tells where
        it comes from.
        """
        rng, noise = self.rng, self.theme.noise
        same = [r for r in self.registers if r.bits == seen.bits and not r.lanes]
        if same and rng.random() < 0.05 + noise / 2:
            name = rng.choice(same).name
            return rng.choice((name, f"{name} + 1", f"({name} ^ {name}) + 2", f"{name} & 1", f"{name} == 1 ? 2 : 3"))
        if rng.random() < noise / 10:
            return "undef"
        if seen.lanes and rng.random() < 0.5:
            return "{" + ", ".join(self._number(seen.bits) for _ in range(seen.lanes)) + "}"
        return self._number(seen.bits)

    def _number(self, bits: int) -> str:
        number = self.rng.randrange(1, 4) if self.rng.random() < 0.15 else next(self.fresh)
        if self.theme.mixed and self.rng.random() < 0.7:
            return str(int.from_bytes(bytes([number & 0x7F]) * (bits // 8), "little"))
        return str(number & 0x7F)

    # ------------------------------------------------------------ accesses

    def _load(self, variable: Variable, ordering: str) -> None:
        seen = self._view(variable)
        type_ = f" {seen.type}," if seen.type else ""
        modifiers = self._modifiers(seen, ordering)
        register = self._register(seen.bits, seen.lanes)
        self._line(f"{register} = load{modifiers}{type_} {seen.address}{self._suffix(ordering)}")

    def _store(self, variable: Variable, ordering: str, *, copy: bool = False) -> None:
        """Store a value; a `copy` is of what was read last, if it fits."""
        seen = self._view(variable)
        type_ = f" {seen.type}" if seen.type else ""
        modifiers, value = self._modifiers(seen, ordering), self._value(seen)
        if copy and self.registers and (self.registers[-1].bits, self.registers[-1].lanes) == (seen.bits, seen.lanes):
            value = self.registers[-1].name
        self._line(f"store{modifiers}{type_} {value}, {seen.address}{self._suffix(ordering)}")

    def _av_type(self, seen: View) -> tuple[str, str]:
        """Return the words of an av load and store for a value of this shape."""
        named = {(8, 0): 8, (16, 0): 16, (32, 0): 32, (32, 2): 64, (32, 4): 128}.get((seen.bits, seen.lanes))
        if named and self.rng.random() < 0.5:
            return f"av.load.b{named}", f"av.store.b{named}"
        shown = f" {seen.type}" if seen.type else ""
        return f"load-visible{shown}{',' if shown else ''}", f"store-available{shown}"

    def _put(self, variable: Variable) -> None:
        """Write data: plainly, with an av store, or atomically."""
        roll = self.rng.random()
        if roll < (0.4 if self.theme.av else 0.1):
            seen = self._view(variable)
            word, value, scope = self._av_type(seen)[1], self._value(seen), syncscope(self.rng, self.theme)
            self._line(f"{word} {value}, {seen.address}{scope}{tags(self.rng, self.theme)}")
        else:
            self._store(variable, "" if roll < 0.85 else weighted(self.rng, STORES))

    def _get(self, variable: Variable) -> None:
        """Read data: plainly, with an av load, or atomically."""
        roll = self.rng.random()
        if roll < (0.4 if self.theme.av else 0.1):
            seen = self._view(variable)
            word, scope = self._av_type(seen)[0], syncscope(self.rng, self.theme)
            register = self._register(seen.bits, seen.lanes)
            self._line(f"{register} = {word} {seen.address}{scope}{tags(self.rng, self.theme)}")
        else:
            self._load(variable, "" if roll < 0.85 else weighted(self.rng, LOADS))

    def _release(self, variable: Variable) -> None:
        """Publish: a release store, a fence before an atomic store, a release update."""
        roll = self.rng.random()
        if roll < 0.25:
            self._fence("release")
            self._store(variable, "monotonic")
        elif roll < 0.35:
            self._update(variable, "release")
        else:
            self._store(variable, self._ordering(STORES, "release"))

    def _acquire(self, variable: Variable) -> None:
        """Observe: an acquire load, a fence after an atomic load, an acquire update."""
        roll = self.rng.random()
        if roll < 0.25:
            self._load(variable, "monotonic")
            self._fence("acquire")
        elif roll < 0.32:
            self._update(variable, "acquire")
        else:
            self._load(variable, self._ordering(LOADS, "acquire"))

    def _update(self, variable: Variable, ordering: str) -> None:
        rng = self.rng
        elementwise = bool(variable.lanes) and ordering != "seq_cst" and rng.random() < 0.5
        seen = self._view(variable, scalar=not elementwise)
        words = " elementwise" if seen.lanes else ""
        type_ = f" {seen.type}" if seen.type else ""
        value, operation = self._value(seen), weighted(rng, OPERATIONS)
        result = f"{self._register(seen.bits, seen.lanes)} = " if rng.random() < 0.8 else ""
        self._line(f"{result}atomicrmw{words} {operation} {seen.address},{type_} {value}{self._suffix(ordering)}")

    def _swap(self, variable: Variable) -> None:
        """Compare and exchange, weakly or not, with or without an ordering for failure."""
        rng = self.rng
        seen = self._view(variable, scalar=True)
        expected, desired = self._value(seen), self._value(seen)
        expected = rng.choice(("0", "0", expected))
        success, failure = weighted(rng, UPDATES), weighted(rng, FAILURES)
        type_ = f" {seen.type}" if seen.type else ""
        old, ok = self._register(seen.bits, 0), f"ok{self.names}"
        weak = " weak" if rng.random() < 0.2 else ""
        orderings = f"{success} {failure}".rstrip()
        scope, tagged = syncscope(rng, self.theme), tags(rng, self.theme)
        line = f"{old}, {ok} = cmpxchg{weak} {seen.address},{type_} {expected}, {desired}{scope} {orderings}{tagged}"
        self._line(line)

    def _fence(self, ordering: str) -> None:
        usual = ordering or ("seq_cst" if self.theme.atomic == "seq_cst" or self.rng.random() < 0.6 else "acq_rel")
        chosen = self._ordering(FENCES, usual)
        self._line(f"fence{syncscope(self.rng, self.theme)} {chosen}{tags(self.rng, self.theme)}")

    def _make(self, variable: Variable) -> None:
        rng = self.rng
        what, operand = rng.choice(("available", "visible")), ""
        pointer = rng.random() < 0.4
        if pointer:
            seen = self._view(variable)
            operand = f" {seen.type}, {seen.address}" if seen.type else f" {seen.address}"
        scope, tagged = syncscope(rng, self.theme), tags(rng, self.theme)
        self._line(f"make.{'ptr.' if pointer else ''}{what}{operand}{scope}{tagged}")

    # ------------------------------------------------------------ registers and control

    def _target(self) -> str:
        return self.rng.choice([v.name for v in self.variables.values() if v.space == "global" and v.type == "i32"])

    def _follow(self, name: str) -> None:
        """Read a pointer and what it points to."""
        pointer = f"q{self.names}"
        self.names += 1
        ordering = self._ordering({"monotonic": 1, "acquire": 1, "": 1}, "acquire")
        self._line(f"{pointer} = load{self._atomic(ordering)} ptr, {name}{self._suffix(ordering)}")
        self._line(f"{self._register(32, 0)} = load i32, {pointer}{tags(self.rng, self.theme)}")

    def _scalars(self) -> list[Register]:
        return [r for r in self.registers if not r.lanes]

    def _compute(self) -> None:
        if not self._scalars():
            return
        rng = self.rng
        one = rng.choice(self._scalars())
        other = rng.choice([r for r in self._scalars() if r.bits == one.bits])
        expression = rng.choice(
            (f"{one.name} + {other.name}", f"{one.name} * 3 - {other.name}", f"~{one.name} | 1", f"{one.name} << 1",
             f"({one.name} < {other.name}) ? {one.name} : {other.name}", f"-{one.name} >> 1")
        )  # fmt: skip
        self._line(f"{self._register(one.bits, 0)} = {expression}")

    def _condition(self) -> str:
        register = self.rng.choice(self._scalars())
        return f"{register.name} {self.rng.choice(('!= 0', '!= 0', '== 0', '== 1', '== 2', '>= 2', '< 2'))}"

    def _branch(self) -> None:
        """Write an `if` with one statement in each arm, or without the second."""
        if not self._scalars() or self.depth > 2:
            self.write("any")
            return
        self._line(f"if {self._condition()} {{")
        self._arm()
        if self.rng.random() < 0.5:
            self._line("} else {")
            self._arm()
        self._line("}")

    def _arm(self) -> None:
        self.depth += 1
        self.write(self.rng.choice(("put", "get", "write", "read", "fence", "release", "compute", "branch")))
        if self.rng.random() < 0.3:
            self._line(f"s0 = {self.rng.randrange(1, 3)}")
        self.depth -= 1

    def _guarded(self, variable: Variable) -> None:
        """Store under a condition on what was read."""
        if self._scalars():
            self._line(f"if {self._condition()} {{")
            self.depth += 1
        self._store(variable, self._ordering(STORES, self.theme.atomic))
        if self._scalars():
            self.depth -= 1
            self._line("}")

    def _assume(self) -> None:
        if self._scalars():
            self._line(f"assume {self._condition()}")
