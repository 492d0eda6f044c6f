"""Accesses of unlike sizes under the models of machines: an atomic access is one, also where others access parts of it.

Verdicts are derived by hand: [Lamport] one operation after the other; [X86-TSO] "memory", to which a store goes as a
whole; [Armv8] "Single-copy atomicity". What is not atomic a compiler may split, so that tso and aarch64 promise nothing
of it. That `sc` is what running a test step by step finds, with unlike sizes too, tests/encoder/test_interleavings.py
tries on random programs. `make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import axmem
from axmem.encoder.engines import Engine
from tests.drawn import parts

CHUNK = 5
CHUNKS = 120

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


# ---------------------------------------------------------------- random programs, under two texts of each model

ARM_TEXT = """AArch64 "ordered before, as Arm states it of mixed sizes"
let full = DMB.SY
let lrs = [W] ; (po-loc \\ (po-loc ; [W] ; po-loc)) ; [R]
let dob = addr | data | ctrl ; [W] | addr ; po ; [W] | (addr | data) ; lrs
let aob = rmw | [range(rmw)] ; lrs ; [A | Q]
let bob = po ; [full] ; po | [R] ; po ; [DMB.LD] ; po | [L] ; po ; [A] | [A | Q] ; po | po ; [L]
let rec ob = (rfe | fre | coe) ; si | (po-loc ; [W]) ; si | dob | aob | bob | ob ; ob
irreflexive ob as external
acyclic po-loc | rf | fr | co as internal
empty rmw & (fre ; coe) as atomic
"""
X86_TEXT = """X86 "stores are delayed, and nothing else"
let kept = po \\ (W * R) | po & (A * _ | _ * A) | po ; [MFENCE] ; po
acyclic kept | (rfe | fre | coe) ; si as order
acyclic po-loc | rf | fr | co as each-byte
empty rmw & (fre ; coe) as atomic
"""
ORDERINGS = {"load": ("monotonic", "acquire", "seq_cst"), "store": ("monotonic", "release", "seq_cst")}


def drawn(seed: int) -> str:
    """Return a test of two or three threads that access eight bytes, their halves and another location."""
    random = Random(seed)
    threads = []
    for _ in range(random.choice((2, 2, 3))):
        lines: list[str] = []
        for k in range(random.randint(1, 3)):
            place, type_ = random.choice((("x", "i64"), ("x", "i32"), ("x+4", "i32"), ("y", "i32")))
            value = random.choice((WHOLE, 2 << 32, 3)) if type_ == "i64" else random.choice((1, 2))
            kind = random.choice(("load", "load", "store", "store", "update", "fence"))
            if kind == "load":
                lines.append(f"r{k} = load atomic {type_} {place} {random.choice(ORDERINGS[kind])}")
            elif kind == "store":
                lines.append(f"store atomic {type_} {value}, {place} {random.choice(ORDERINGS[kind])}")
            elif kind == "update":
                order = random.choice(("monotonic", "acq_rel"))
                lines.append(f"r{k} = atomicrmw xchg {place}, {type_} {value} {order}")
            else:
                lines.append(f"fence {random.choice(('acquire', 'seq_cst'))}")
        threads.append("\n".join(f"  {line}" for line in lines))
    return program(*threads, condition="true").replace("exists (true)", "observe x, y\nexists (true)")


@pytest.mark.parametrize("number", parts(CHUNKS, of=CHUNKS))
def test_two_texts_of_a_model_answer_alike(number: int, tmp_path: Path) -> None:
    """Ours, and another after the documents in the words of another dialect, by two engines."""
    others = {}
    for name, text in (("aarch64", ARM_TEXT), ("tso", X86_TEXT)):
        (tmp_path / f"{name}.cat").write_text(text, encoding="utf-8")
        others[name] = f"dartagnan:{tmp_path / name}.cat"
    for seed in range(number * CHUNK, (number + 1) * CHUNK):
        text = drawn(seed)
        test = axmem.parse(text)
        whole = axmem.outcomes(test, "sc").outcomes
        for name, other in others.items():
            found = axmem.outcomes(test, name)
            assert found.complete and set(whole) <= set(found.outcomes), text
            assert found.outcomes == axmem.outcomes(test, other).outcomes, text
        if seed % 10 == 0:
            assert axmem.outcomes(test, "tso", engine=Engine.ORACLE).outcomes == axmem.outcomes(test, "tso").outcomes
