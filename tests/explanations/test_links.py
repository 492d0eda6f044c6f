"""What keeps two events from being ordered: the sentence is true, and names the reason."""

from __future__ import annotations

from axmem.explanations.explanation import Explanation, explain
from axmem.formats.reading import parse
from tests.explanations.claims import false_sentences


def sentences(text: str, model: str) -> list[str]:
    """Return what is said of the execution that shows a condition, once all of it was tried."""
    test = parse(text)
    found: Explanation = explain(test, model)
    assert list(false_sentences(test, found)) == []
    return [s.text for section in found.sections for s in section.statements]


TWO_WRITES = """litmus Two-writes
global x = 0, f = 0, g = 0
thread P0 @ agent 0, workgroup 0 {
  A: store 1, x
  B: fence syncscope("workgroup") release
  C: store atomic 1, f syncscope("agent") release # amdgcn-av:none
}
thread P1 @ agent 0, workgroup 1 {
  D: r0 = load atomic f syncscope("agent") acquire # amdgcn-av:none
  E: store 2, x
  F: store atomic 1, g syncscope("agent") release
}
thread P2 @ agent 0, workgroup 2 {
  G: r0 = load atomic g syncscope("agent") acquire
  H: r1 = load x
}
exists (P1:r0=1 /\\ P2:r0=1 /\\ P2:r1=undef)
"""


def test_two_writes_of_which_one_happens_before_the_other() -> None:
    """A is not available to E: location order fails, and happens-before does not."""
    found = sentences(TWO_WRITES, "amdgpu")
    assert "A happens before E, but is not location-ordered before it" in found
    assert not any("with each other" in text for text in found)
