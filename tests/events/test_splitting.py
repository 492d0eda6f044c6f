"""What the accesses of a test make of a location into cells changes no outcome of its other accesses.

An idle load of one byte, the last statement of a random test's first thread, splits a location. Nothing depends on it,
so that every model has the outcomes that it has without, whatever is read from initial writes and in the end.
`make test-long` draws more.
"""

from __future__ import annotations

from random import Random

import pytest

import axmem
from axmem.litmus.parser import parse
from axmem.model.library import load
from tests.differential.compare import random_variants
from tests.differential.programs import drawn
from tests.drawn import parts

CHUNK = 10
CHUNKS = 16
FIRST = 5_000_000
IDLE = "idle"


def split(text: str, location: str) -> str:
    """Return the text of a test whose first thread ends with a load of the first byte of a location."""
    head, thread, rest = text.partition("thread P0")
    body, end, rest = rest.partition("\n}")
    return f"{head}{thread}{body}\n  {IDLE} = load i8, {location}{end}{rest}"


@pytest.mark.parametrize("number", parts(CHUNKS, of=CHUNKS))
def test_an_idle_load_that_splits_a_location_changes_no_outcome(number: int) -> None:
    compared = 0
    for seed in range(FIRST + number * CHUNK, FIRST + (number + 1) * CHUNK):
        made, rng = drawn(seed), Random(seed // 10)
        wide = [x.name for x in made.test.locations if x.type is not None and x.type.size > 1]
        if not wide:
            continue
        finer = parse(split(made.text, rng.choice(wide)))
        for name in ("llvm", "amdgpu"):
            variants = {k: v for k, v in random_variants(rng, name).items() if k != "bytes.notear"}
            for model in (load(name), load(name, variants)):
                before, after = axmem.outcomes(made.test, model), axmem.outcomes(finer, model)
                kept = [k for k, c in enumerate(after.columns) if c.name != f"P0:{IDLE}"]
                rows = {tuple(row[k] for k in kept) for row in after.outcomes}
                assert rows == set(before.outcomes), (model.name, variants, made.text)
                compared += 1
    assert compared > CHUNK
