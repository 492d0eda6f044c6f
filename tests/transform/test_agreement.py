"""Transformations mean what they say, on a sample of random kernels; `python -m tests.long.transforms` takes more.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from random import Random

import pytest

from axmem.litmus.parser import parse
from axmem.transform.applying import Refused
from axmem.transform.registry import TRANSFORMATIONS
from tests.drawn import parts
from tests.transform.agreement import applications, differences
from tests.transform.programs import program


@pytest.mark.parametrize("seed", parts(18, of=4))
def test_a_kernel_does_after_transformations_what_it_did(seed: int) -> None:
    """Whatever is not refused leaves memory, what is asked for, and instance by instance what registers hold."""
    test = parse(program(seed, lanes=2 if seed % 6 == 5 else 1), "k")
    for text in applications(test.kernels[0], Random(seed)):
        try:
            found = differences(test, text)
        except Refused:
            continue
        assert not found, f"{text}: {found}"


def test_the_sample_has_every_transformation() -> None:
    """Each is applied somewhere."""
    applied = set()
    for seed in range(60):
        test = parse(program(seed), "k")
        for text in applications(test.kernels[0], Random(seed)):
            name = text.partition("(")[0]
            if name not in applied:
                try:
                    differences(test, text)
                    applied.add(name)
                except Refused:
                    pass
    # The random kernels have no place that a check alone finds apart from others (test_invariants), no anchors, and no
    # branch behind a phi of constants (test_motion).
    assert applied >= set(TRANSFORMATIONS) - {"version", "sink-anchor", "hoist-common", "thread"}
