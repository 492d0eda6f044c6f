"""Properties that do not hold, for `axmem prove --bounded` and `axmem prove`: of broken models, and wrong wordings.

A theorem is to be refuted, a proof not to succeed. Which wordings are wrong the table says, with programs that the
engine of single tests judges (`results/theorems`); how models are broken, the tests of theorems and of proofs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from axmem.commands.pages.soundness import VERDICT_OF
from axmem.front.records import replace
from axmem.refinement.bounded_check import check
from axmem.refinement.proofs.check import PROVED
from axmem.refinement.proofs.tasks import Task, prove
from axmem.refinement.theorems import THEOREMS
from tests.controls import FOUND, MISSED, Control
from tests.refinement import test_proofs, test_theorems

WRONG = {
    "P1-tags": 3,
    "P1-literal": 2,
    "P1-literal-threads": 3,
    "P2-reason": 2,
    "P4-contrary": 2,
    "M-PO closure": 3,
    "M-DROP1": 2,
    "M-INTER": 2,
    "M-SETUNION": 2,
    "M-REORD reorder-plain closure": 2,
    "T-213044 readpo": 2,
    "T-VULKAN private": 3,
    "T-VULKAN tags": 3,
    "T-VULKAN tags back": 3,
}
"""Theorems that are wrong, with the operations that show it."""


def controls() -> Iterator[Control]:
    """Yield the controls of theorems and of proofs."""
    for key, operations in WRONG.items():
        why = "a program of results/theorems refutes it"
        yield Control("theorems", key, "", "", why, partial(refuted, key, operations))
    for name in test_theorems.BREAKS:
        yield Control("theorems", name, "", "", "the model lacks what the theorem rests on", partial(broken, name))
    for key in test_proofs.BREAKS:
        why = "the model lacks what the proof rests on"
        yield Control("prove", f"{key} of a broken model", "", "", why, partial(unproved, key))
    for key, overrides in test_proofs.FOLLOWERS:
        why = "the model that has to follow lacks something"
        yield Control("prove", f"{key} with '{overrides}'", "", "", why, partial(unfollowed, key, overrides))


def refuted(key: str, operations: int) -> str:
    """Return what is said of a theorem up to so many operations."""
    (theorem,) = (t for t in THEOREMS if t.key == key)
    return VERDICT_OF[check(theorem.claim, operations).status]


def broken(name: str) -> str:
    """Return what is said of a property of a model that is broken."""
    overrides, claim, operations = test_theorems.BREAKS[name]
    return VERDICT_OF[check(test_theorems.broken(overrides, claim), operations).status]


def unproved(key: str) -> str:
    """Return whether a property is proved of a model that is broken on both sides."""
    task = test_proofs.theorem(key)
    choice = replace(task.claim.after, model="amdgpu")
    claim = replace(task.claim, before=choice, after=choice, overrides=test_proofs.BREAKS[key], side="after")
    return _said(replace(task, claim=claim))


def unfollowed(key: str, overrides: str) -> str:
    """Return whether it is proved that a model follows that is broken."""
    task = test_proofs.theorem(key)
    return _said(replace(task, claim=replace(task.claim, overrides=overrides, side="before")))


def _said(task: Task) -> str:
    return MISSED if prove(task).status == PROVED else FOUND
