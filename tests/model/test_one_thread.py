"""Every model of the package gives a program of one thread its one outcome, that of executing it in order.

The programs are all of three accesses of one location: loads, stores and updates, plain and atomic, of a word and of
half of it. Which half, which ordering and which memory is drawn. Eight of them, each with a location of its own, are
one test. What they leave is computed here, byte by byte; `sc` is one of the models. `make test` takes every seventh
program, so that each two accesses begin one; `make test-long` takes all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from random import Random

import pytest

import axmem
from axmem.front.source import Source
from axmem.litmus.syntax import LitmusTest
from axmem.litmus.words import AMDGPU
from axmem.model.library import load, load_text, names, text
from axmem.model.model import Model
from tests.drawn import some

ORDERINGS = {
    "load": ("unordered", "monotonic", "acquire", "seq_cst"),
    "store": ("unordered", "monotonic", "release", "seq_cst"),
    "atomicrmw": ("monotonic", "acq_rel", "seq_cst"),
}
ACCESSES = (*product(("load", "store"), (False, True), (4, 2)), ("atomicrmw", True, 4), ("atomicrmw", True, 2))
PROGRAMS = tuple(product(ACCESSES, repeat=3))
MEMORIES = ("global", "lds", "private")
BATCH = 8


def program(numbers: Sequence[int], levels: str) -> str:
    """Return these programs as one test, whose condition is what they leave."""
    heads, body, left = [], [], []
    for number in numbers:
        draw, memory = Random(number), bytearray(4)
        heads.append(f"{MEMORIES[number % 3]} i32 x{number} = 0")
        for place, (kind, atomic, size) in enumerate(PROGRAMS[number]):
            at, register = draw.choice((0, 2)) if size == 2 else 0, f"r{number}{'abc'[place]}"
            value, where = 0x10001 * (place + 1) & (1 << 8 * size) - 1, slice(at, at + size)
            address, ordering = f"x{number}[{at // size}]", draw.choice(ORDERINGS[kind]) if atomic else ""
            found = int.from_bytes(memory[where], "little")
            if kind != "store":
                left.append(f"P0:{register}={found}")
            word, mode = f"i{8 * size}", "atomic " if atomic else ""
            if kind == "load":
                body.append(f"  {register} = load {mode}{word}, {address} {ordering}")
                continue
            if kind == "store":
                body.append(f"  store {mode}{word} {value}, {address} {ordering}")
            else:
                body.append(f"  {register} = atomicrmw add {address}, {word} {value} {ordering}")
                value += found
            memory[where] = value.to_bytes(size, "little")
        left.append(f"x{number}={int.from_bytes(memory, 'little')}")
    condition = " /\\ ".join(left)
    return "\n".join(["litmus one-thread", levels, *heads, "thread P0 {", *body, "}", f"exists ({condition})", ""])


@cache
def batches(levels: str) -> tuple[LitmusTest, ...]:
    """Return the programs that are tried."""
    tried = some(range(len(PROGRAMS)), of=7)
    return tuple(axmem.parse(program(tried[n : n + BATCH], levels)) for n in range(0, len(tried), BATCH))


def wrong(model: Model) -> Iterator[int]:
    """Yield the batches to which a model gives another outcome, or several."""
    levels = "" if model.levels == AMDGPU else f"levels {' '.join(level.word for level in model.levels)}"
    limits = axmem.Limits(outcomes=2)
    verdicts = (axmem.outcomes(test, model, limits=limits).verdict for test in batches(levels))
    return (number for number, verdict in enumerate(verdicts) if verdict != "always")


@pytest.mark.parametrize("model", some([*names()], of=2))
def test_one_thread_is_executed_in_order(model: str) -> None:
    assert not list(wrong(load(model)))


@pytest.mark.parametrize(
    ("model", "rule", "instead"),
    [
        ("opencl", "irreflexive co ; (hb-global | hb-local) as final-value", ""),
        ("opencl", "let G = (M & (GLOBAL | PRIVATE))", "let G = (M & GLOBAL)"),
        ("opencl", "empty (rf ; [R & NA & L]) \\ visible(hb-local) as visible-local", ""),
        ("rc11", "irreflexive (hb ; eco?) as coherence", ""),
    ],
)
def test_a_rule_that_is_gone_is_missed(model: str, rule: str, instead: str) -> None:
    whole = text(model).text
    assert rule in whole
    assert any(True for _ in wrong(load_text(Source("changed.cat", whole.replace(rule, instead)))))
