"""The classical families of litmus tests, in the orderings that a model knows.

What goes in: a family, the ordering of writes, that of reads, and what stands between two accesses of a thread. What
comes out: the test, whose condition is the outcome that the family is about, one that no interleaving has.
"""

from __future__ import annotations

import axmem
from axmem.litmus.syntax import LitmusTest

FAMILIES = {
    "MP": ("W x 1; W y 1 | R y; R x", r"P1:r0=1 /\ P1:r1=0"),
    "SB": ("W x 1; R y | W y 1; R x", r"P0:r0=0 /\ P1:r0=0"),
    "LB": ("R x; W y 1 | R y; W x 1", r"P0:r0=1 /\ P1:r0=1"),
    "S": ("W x 2; W y 1 | R y; W x 1", r"P1:r0=1 /\ x=2"),
    "R": ("W x 1; W y 1 | W y 2; R x", r"P1:r0=0 /\ y=2"),
    "2+2W": ("W x 1; W y 2 | W y 1; W x 2", r"x=1 /\ y=1"),
    "WRC": ("W x 1 | R x; W y 1 | R y; R x", r"P1:r0=1 /\ P2:r0=1 /\ P2:r1=0"),
    "ISA2": ("W x 1; W y 1 | R y; W z 1 | R z; R x", r"P1:r0=1 /\ P2:r0=1 /\ P2:r1=0"),
    "IRIW": (
        "W x 1 | W y 1 | R x; R y | R y; R x", r"P2:r0=1 /\ P2:r1=0 /\ P3:r0=1 /\ P3:r1=0",
    ),
    "CoRR": ("W x 1 | R x; R x", r"P1:r0=1 /\ P1:r1=0"),
    "CoWW": ("W x 1; W x 2 | W z 1", "x=1"),
    "CoRW": ("R x; W x 1 | W z 1", "P0:r0=1"),
    "CoWR": ("W x 1; R x | W x 2", r"P0:r0=2 /\ x=1"),
}  # fmt: skip
"""The accesses of each thread, and the condition."""

ACROSS = ("MP", "SB", "LB", "S", "R", "2+2W", "WRC", "ISA2", "IRIW")
"""The families about several locations."""
COHERENCE = ("CoRR", "CoWW", "CoRW", "CoWR")
"""Those about one."""


def classic(family: str, *, write: str = "monotonic", read: str = "monotonic", between: str = "") -> LitmusTest:
    """Return the test of a family: its threads lie in workgroups of their own."""
    threads, condition = FAMILIES[family]
    lines = [f"litmus {family}"] + [f"global {name} = 0" for name in "xyz" if f" {name}" in threads]
    for n, thread in enumerate(threads.split(" | ")):
        accesses = [_access(text, write, read) for text in _numbered(thread)]
        lines.append(f"thread P{n} @ agent 0, workgroup {n} {{")
        lines.append(f"\n  {between}\n  ".join(accesses))
        lines.append("}")
    lines.append(f"exists ({condition})")
    return axmem.parse("\n".join(lines), family)


def _numbered(thread: str) -> list[str]:
    """Return the accesses of a thread, reads with the number of their register."""
    found, reads = [], 0
    for text in thread.split("; "):
        found.append(f"{text} {reads}" if text.startswith("R") else text)
        reads += text.startswith("R")
    return found


def _access(text: str, write: str, read: str) -> str:
    kind, location, value = text.split()
    if kind == "W":
        return f"store {_atomic(write)}{value}, {location}{_ordering(write)}"
    return f"r{value} = load {_atomic(read)}{location}{_ordering(read)}"


def _atomic(ordering: str) -> str:
    return "" if ordering == "na" else "atomic "


def _ordering(ordering: str) -> str:
    return "" if ordering == "na" else f" {ordering}"
