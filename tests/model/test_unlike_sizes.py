"""Accesses of unlike sizes under the models of machines: an atomic access is one, also where others access parts of it.

Verdicts are derived by hand: [Lamport] one operation after the other; [X86-TSO] "memory", to which a store goes as a
whole; [Armv8] "Single-copy atomicity". What is not atomic a compiler may split, so that tso and aarch64 promise nothing
of it. That `sc` is what running a test step by step finds, with unlike sizes too, tests/encoder/test_interleavings.py
tries on random programs.
"""

from __future__ import annotations

import pytest

import axmem
from axmem.encoder.engines import Engine

WHOLE = 1 + (1 << 32)
MODELS = ("sc", "tso", "aarch64")


def program(*threads: str, condition: str) -> str:
    body = "\n".join(f"thread P{n} {{\n{text}\n}}" for n, text in enumerate(threads))
    return f"litmus unlike\nglobal i64 x = 0\nglobal y = 0\n{body}\nexists ({condition})\n"


WRITER = f"  store atomic i64 {WHOLE}, x {{0}}"

CASES = {
    # The load comes before or after the whole store, and has both halves of it, or none.
    "a load between two halves": (
        program(WRITER.format("monotonic"), "  store atomic i32 2, x monotonic", "  r = load atomic i64 x monotonic",
                condition="P2:r=1"),
        "never never never",
    ),
    "that is not atomic": (
        program(WRITER.format("monotonic"), "  store atomic i32 2, x monotonic", "  r = load i64 x",
                condition="P2:r=1"),
        "never sometimes sometimes",
    ),
    # Of two loads in order the second sees no less of one store; AArch64 orders loads only by acquire.
    "two loads of halves": (
        program(WRITER.format("monotonic"),
                "  r0 = load atomic i32 x monotonic\n  r1 = load atomic i32 x+4 monotonic",
                condition="P1:r0=1 /\\ P1:r1=0"),
        "never never sometimes",
    ),
    "the first acquires": (
        program(WRITER.format("monotonic"),
                "  r0 = load atomic i32 x acquire\n  r1 = load atomic i32 x+4 monotonic",
                condition="P1:r0=1 /\\ P1:r1=0"),
        "never never never",
    ),
    # Nobody writes between the halves of an update, to any part of it.
    "a store into an update": (
        program("  r0 = atomicrmw add x, i64 1 monotonic", "  store atomic i32 5, x+4 monotonic",
                condition="P0:r0=0 /\\ x=1"),
        "never never never",
    ),
    # Two threads see two halves of stores in opposite orders; each store is seen by all at once.
    "two readers": (
        program("  store atomic i32 1, x monotonic", "  store atomic i32 1, x+4 monotonic",
                "  r = load atomic i64 x monotonic", "  r = load atomic i64 x monotonic",
                condition=f"P2:r=1 /\\ P3:r={1 << 32}"),
        "never never never",
    ),
    # A later write of one part comes after what the whole earlier access sees: R -> W64 -> who reads its other half.
    "through the other half": (
        program("  r0 = load atomic i32 x monotonic\n  store atomic i64 4294967297, x monotonic",
                "  r0 = load atomic i32 x+4 acquire\n  store atomic i32 7, x monotonic",
                condition="P0:r0=7 /\\ P1:r0=1"),
        "never never never",
    ),
    # A store buffer delays a wide store as any other.
    "store buffering of unlike sizes": (
        program(WRITER.format("monotonic") + "\n  r0 = load atomic y monotonic",
                "  store atomic 1, y monotonic\n  r0 = load atomic i32 x+4 monotonic",
                condition="P0:r0=0 /\\ P1:r0=0"),
        "never sometimes sometimes",
    ),
}  # fmt: skip
"""Of each the verdicts under sc, tso and aarch64."""


@pytest.mark.parametrize("engine", [Engine.AUTO, Engine.ORACLE])
@pytest.mark.parametrize("name", CASES)
def test_verdicts(name: str, engine: Engine) -> None:
    text, verdicts = CASES[name]
    test = axmem.parse(text)
    assert " ".join(str(axmem.outcomes(test, m, engine=engine).verdict) for m in MODELS) == verdicts
