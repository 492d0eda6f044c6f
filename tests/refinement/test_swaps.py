"""Swaps of neighbouring operations of incompatible tags: of each pair, and at random, judged by the engine of tests.

That they are sound is proved (`tests/refinement/test_proofs.py`) and searched (the table of theorems). Here programs
are drawn and both orders compared, which shares nothing with either but how programs are written. The control swaps
whatever the tags are, and must be caught.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from axmem.encoder.circuit import Circuit
from axmem.encoder.solver import Session
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import OperationKind, Ordering
from axmem.refinement.bounded.attributes import OperationAttributes
from axmem.refinement.bounded.query import CircuitQuery
from axmem.refinement.bounded.skeleton import Skeleton
from axmem.refinement.bounded_check import judge, rule_claim
from axmem.refinement.rules import BY_NAME
from tests.drawn import examples
from tests.refinement.suspects import drawn

CLASSES: dict[str, Callable[[OperationAttributes], list[int]]] = {
    "plain": lambda a: [a.plain],
    "acquire": lambda a: [a.orderings[Ordering.ACQUIRE], -a.kinds[OperationKind.FENCE]],
    "release": lambda a: [a.orderings[Ordering.RELEASE], -a.kinds[OperationKind.FENCE]],
    "read-modify-write": lambda a: [a.kinds[OperationKind.RMW], a.orderings[Ordering.ACQ_REL]],
    "fence": lambda a: [a.kinds[OperationKind.FENCE], -a.orderings[Ordering.SEQ_CST]],
    "seq_cst": lambda a: [a.orderings[Ordering.SEQ_CST], -a.kinds[OperationKind.FENCE]],
    "seq_cst fence": lambda a: [a.kinds[OperationKind.FENCE], a.orderings[Ordering.SEQ_CST]],
}
"""What a theorem of swaps is about, each by literals of an operation."""


@pytest.mark.parametrize("first", CLASSES)
@pytest.mark.parametrize("second", CLASSES)
def test_swaps_are_of_each_pair(first: str, second: str) -> None:
    """Else the theorem would hold of a pair because there is none: a program of the space has it, and is swapped."""
    rule = BY_NAME["swap-incompatible"]
    skeleton = Skeleton(rule.space, (2,), Circuit())
    pair = rule.change(skeleton, 0)
    assert pair is not None
    before, after = pair.before.slots
    literals = [*CLASSES[first](before), *CLASSES[second](after), before.tagging, after.tagging]
    assert CircuitQuery(skeleton.circuit, Session()).possible(skeleton.circuit.conjunction(literals))
    alike = pair.before.compatibility.between(pair.before.slots, 0, 1)
    assert not CircuitQuery(skeleton.circuit, Session()).possible(alike)


def judged(rule: str, model: str, count: int) -> Iterator[bool]:
    """Yield of programs at random whether a swap is unsound; those that read nothing have nothing to compare."""
    claim = rule_claim(BY_NAME[rule], ModelChoice(model))
    for suspect in drawn(claim, random.Random(f"{rule}{model}"), count, (1, 2)):
        if "load" in suspect.before or "atomicrmw" in suspect.before:
            yield judge(claim, suspect.before, suspect.after) is not None


@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
def test_no_swap_at_random_is_unsound(model: str) -> None:
    found = list(judged("swap-incompatible", model, examples(600)))
    assert len(found) > examples(300) and not any(found)


def test_swapping_whatever_the_tags_is_caught_at_random() -> None:
    assert any(judged("swap-any", "llvm", 400))
