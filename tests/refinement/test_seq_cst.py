"""A seq_cst read-modify-write is one operation: what its halves would order if they were two may not be used.

The programs are Z6.U of P0668, for which C++20's strongly-happens-before was made, with a read-modify-write at its end.
"""

from __future__ import annotations

import pytest

import axmem

PROGRAM = """\
litmus Z6.U
global x = 0, y = 0
thread P0 {{
  store atomic 1, x seq_cst
  store atomic 1, y release
}}
thread P1 {{
  {middle}
  c = load atomic y monotonic
}}
thread P2 {{
  store atomic 3, y seq_cst
  a = load atomic x seq_cst
}}
"""
ADD, FENCE = "b = atomicrmw add y, 1 seq_cst", "fence seq_cst"
IDLE = ("b = atomicrmw or y, 0 seq_cst", "fence seq_cst\n  b = load atomic y seq_cst")


@pytest.mark.parametrize(
    ("before", "after", "answer"),
    [
        (f"{ADD}\n  {FENCE}", ADD, "unsound"),
        (f"{ADD}\n  {FENCE}\n  {FENCE}", f"{ADD}\n  {FENCE}", "sound"),
        (*IDLE, "sound"),
    ],
)
def test_a_fence_after_a_read_modify_write_stays(before: str, after: str, answer: str) -> None:
    """The fence orders P1 behind P0; without it the read-modify-write alone does not, nor does a load in its place."""
    for model in ("llvm", "amdgpu"):
        found = axmem.refine(PROGRAM.format(middle=before), PROGRAM.format(middle=after), model, closed=True)
        assert str(found.verdict) == answer
