"""Families of tests that grow: the same program for axmem and, as C, for herd7.

A `Shape` is threads of memory operations on atomic integers that start at 0. What comes out of it is the text of a
litmus test in either language, the number of its outcomes (where a formula gives it), and a condition to ask alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from math import comb
from pathlib import Path

from axmem.generate.edges import matching_edges
from axmem.generate.enumeration import Decorations, cycles
from axmem.generate.marks import parse_mark
from axmem.generate.suites import Placing, suite

RC11 = str(Path(__file__).resolve().parent / "rc11.cat")
Operation = tuple[str, ...]
"""`("store", x, value, ordering)`, `("load", r, x, ordering)`, `("add", r, x, ordering)`; a value may be a register."""

_C_ORDER = {"monotonic": "relaxed", "acquire": "acquire", "release": "release", "seq_cst": "seq_cst"}


@dataclass(frozen=True, slots=True)
class Shape:
    """A program, how many outcomes it has (None: no formula), and the atoms of its condition."""

    name: str
    threads: tuple[tuple[Operation, ...], ...]
    count: int | None
    condition: tuple[tuple[int, str, int], ...]

    def litmus(self) -> str:
        """Return the test in axmem's language."""
        names = ", ".join(f"{x} = 0" for x in self.locations())
        lines = [f"litmus {self.name}", f"global {names}"]
        for number, thread in enumerate(self.threads):
            lines += [f"thread P{number} {{", *[f"  {_litmus(o)}" for o in thread], "}"]
        atoms = " /\\ ".join(f"P{thread}:{register}={value}" for thread, register, value in self.condition)
        return "\n".join([*lines, f"exists ({atoms})", ""])

    def c(self) -> str:
        """Return the test in C, as herd7 reads it."""
        lines = [f"C {self.name}", "{}"]
        arguments = ", ".join(f"atomic_int* {x}" for x in self.locations())
        for number, thread in enumerate(self.threads):
            lines += [f"P{number} ({arguments}) {{", *[f"  {_c(o)}" for o in thread], "}"]
        observed = [
            f"{number}:{o[1]}" for number, thread in enumerate(self.threads) for o in thread if o[0] in ("load", "add")
        ]
        atoms = " /\\ ".join(f"{thread}:{register}={value}" for thread, register, value in self.condition)
        return "\n".join([*lines, f"locations [{' '.join(o + ';' for o in observed)}]", f"exists ({atoms})", ""])

    def locations(self) -> list[str]:
        """Return the locations, in the order of their first use."""
        return list(dict.fromkeys(o[1] if o[0] == "store" else o[2] for thread in self.threads for o in thread))


def _litmus(operation: Operation) -> str:
    match operation:
        case ("store", x, value, ordering):
            return f"store atomic {value}, {x} {ordering}"
        case ("load", register, x, ordering):
            return f"{register} = load atomic {x} {ordering}"
        case ("add", register, x, ordering):
            return f"{register} = atomicrmw add {x}, 1 {ordering}"
    raise ValueError(operation)


def _c(operation: Operation) -> str:
    order = f"memory_order_{_C_ORDER[operation[-1]]}"
    match operation:
        case ("store", x, value, _):
            return f"atomic_store_explicit({x}, {value}, {order});"
        case ("load", register, x, _):
            return f"int {register} = atomic_load_explicit({x}, {order});"
        case ("add", register, x, _):
            return f"int {register} = atomic_fetch_add_explicit({x}, 1, {order});"
    raise ValueError(operation)


def sb(n: int) -> Shape:
    """Store buffering among n threads: relaxed, every combination of n reads."""
    threads = tuple(
        (("store", f"x{i}", "1", "monotonic"), ("load", "r", f"x{(i + 1) % n}", "monotonic")) for i in range(n)
    )
    return Shape(f"SB-{n}", threads, 2**n, tuple((i, "r", 0) for i in range(n)))


def lb(n: int) -> Shape:
    """Load buffering among n threads: all but the outcome in which every read sees the next thread's write."""
    threads = tuple(
        (("load", "r", f"x{i}", "monotonic"), ("store", f"x{(i + 1) % n}", "1", "monotonic")) for i in range(n)
    )
    return Shape(f"LB-{n}", threads, 2**n - 1, tuple((i, "r", 1) for i in range(n)))


def co(n: int) -> Shape:
    """One location, n relaxed writers, a reader of two loads."""
    writers = tuple((("store", "x", str(i + 1), "monotonic"),) for i in range(n))
    reader = (("load", "r1", "x", "monotonic"), ("load", "r2", "x", "monotonic"))
    return Shape(f"CO-{n}", (*writers, reader), n * n + n + 1, ((n, "r1", 1), (n, "r2", 0)))


def fa(n: int) -> Shape:
    """Relaxed fetch-and-adds of n threads to one location: every order."""
    count = 1
    for i in range(2, n + 1):
        count *= i
    threads = tuple((("add", "r", "x", "monotonic"),) for _ in range(n))
    return Shape(f"FA-{n}", threads, count, ((0, "r", 0), (1, "r", 0)))


def iriw(n: int) -> Shape:
    """Two writers and n readers of both locations, with acquire loads: every combination."""
    writers = tuple((("store", x, "1", "release"),) for x in ("x", "y"))
    readers = tuple(
        (("load", "r1", "xy"[i % 2], "acquire"), ("load", "r2", "xy"[(i + 1) % 2], "acquire")) for i in range(n)
    )
    condition = ((2, "r1", 1), (2, "r2", 0), (3, "r1", 1), (3, "r2", 0))
    return Shape(f"IRIW-{n}", (*writers, *readers), 4**n, condition)


def isa2(n: int) -> Shape:
    """A release-acquire chain of n threads between a write and a read of it; each passes on the flag it has read."""
    threads: list[tuple[Operation, ...]] = [(("store", "x", "1", "monotonic"), ("store", "f1", "1", "release"))]
    for i in range(1, n):
        threads.append((("load", "r", f"f{i}", "acquire"), ("store", f"f{i + 1}", "r", "release")))
    threads.append((("load", "r", f"f{n}", "acquire"), ("load", "d", "x", "monotonic")))
    return Shape(f"ISA2-{n}", tuple(threads), 2 * n + 1, ((n, "r", 1), (n, "d", 0)))


def cochain(n: int) -> Shape:
    """n threads that each write a number of its own to one location and read it: forests of who reads from whom."""
    threads = tuple((("store", "x", str(i + 1), "monotonic"), ("load", "r", "x", "monotonic")) for i in range(n))
    return Shape(f"cochain-{n}", threads, (n + 1) ** (n - 1), ((0, "r", 2), (1, "r", 1)))


def longa(n: int) -> Shape:
    """Two threads of n accesses: writes of rising numbers to a location of their own and reads of the other's.

    Reads do not go back, and no two of them wait for each other's writes. The number is for even n from 4 on.
    """
    threads = tuple(
        tuple(
            ("load", f"r{i}", theirs, "monotonic") if i % 2 else ("store", mine, str(i // 2 + 1), "monotonic")
            for i in range(n)
        )
        for mine, theirs in (("x", "y"), ("y", "x"))
    )
    count = comb(n, n // 2) ** 2 - comb(n, n // 2 - 2) ** 2
    return Shape(f"longa-{n}", threads, count, ((0, "r1", n // 2), (1, "r1", n // 2)))


FAMILIES: dict[str, Callable[[int], Shape]] = {
    "SB": sb,
    "LB": lb,
    "CO": co,
    "FA": fa,
    "IRIW": iriw,
    "ISA2": isa2,
    "cochain": cochain,
    "longa": longa,
}
SMALLEST = {"SB": 8, "LB": 6, "CO": 6, "FA": 4, "IRIW": 4, "ISA2": 8, "cochain": 4}
"""The smallest member that is measured of most families."""


def chain(n: int) -> str:
    """Return an availability and visibility chain through n workgroups, as text (AMDGPU has no counterpart in C).

    A plain store is carried by release and acquire at agent scope from workgroup to workgroup; the last reads it.
    """
    lines = [f"litmus chain-{n}", "global x = 0, " + ", ".join(f"f{i} = 0" for i in range(1, n + 1))]
    scope = 'syncscope("agent")'
    lines += ["thread P0 @ workgroup 0 {", "  store 1, x", f"  store atomic 1, f1 {scope} release", "}"]
    for i in range(1, n):
        lines += [
            f"thread P{i} @ workgroup {i} {{",
            f"  r = load atomic f{i} {scope} acquire",
            f"  store atomic r, f{i + 1} {scope} release",
            "}",
        ]
    lines += [f"thread P{n} @ workgroup {n} {{", f"  r = load atomic f{n} {scope} acquire", "  d = load x", "}"]
    return "\n".join([*lines, f"exists (P{n}:r=1 /\\ P{n}:d=0)", ""])


def classical(count: int) -> list[str]:
    """Return tests of cycles of up to six edges over atomics of four orderings, all different."""
    edges = dict.fromkeys(edge for word in ("Rfe", "Fre", "Wse", "Pod**") for edge in matching_edges(word))
    decorations = Decorations(orderings=tuple(map(parse_mark, ("Mono", "Acq", "Rel", "Sc"))))
    found = suite(cycles(tuple(edges), 6), decorations, Placing())
    return [generated.text for generated in islice(found, count)]
