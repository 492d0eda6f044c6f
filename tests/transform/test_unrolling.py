"""Unrolled loops: their shapes, as the documents describe them, and that they do what the loop did."""

from __future__ import annotations

import pytest

from axmem.litmus.ssa import single_assignment
from axmem.transform.loops import loops
from tests.transform.running import kernel_test, results, transformed

ROTATED = """\
entry:
  br h
h:
  %i = phi i32 [ 0, entry ], [ %j, h ]
  r = load x
  store r + %i, x
  %j = add i32 %i, 1
  store %j, y
  br %j < LIMIT, h, z
z:
  store i32 r, a[1]
"""
WHILE = "for i in 0..LIMIT {\n r = load x\n store r + i, x\n store i, y\n }\nstore i32 i, a[1]"


def kernel(body: str, limit: str) -> str:
    return body.replace("LIMIT", limit)


ASKED = "K.0.0.0:r, x, y, a"


@pytest.mark.parametrize("body", [ROTATED, WHILE])
@pytest.mark.parametrize(
    ("limit", "arguments"),
    [
        ("4", ""), ("0", ""), ("1", ""), ("4", ", 2"), ("4", ", 4"), ("4", ", 8"), ("5", ", 2"), ("7", ", 3"),
        ("m", ", 2, tests"), ("4", ", 3, tests"),
    ],
)  # fmt: skip
def test_an_unrolled_loop_does_what_the_loop_did(body: str, limit: str, arguments: str) -> None:
    before = kernel_test(kernel(body, limit), ASKED)
    (loop,) = loops(single_assignment(before.kernels[0]))
    after, _ = transformed(before, f"unroll({loop.header}{arguments})")
    assert results(after) == results(before)
