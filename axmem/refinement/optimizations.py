"""What LLVM does to programs with memory, each transformation under `llvm` and under `amdgpu`.

What comes out: `OPTIMIZATIONS`: for every rule of `axmem refine` and each of the two models the claim that it is sound,
with what is expected of it; and who does it in LLVM (`DONE_BY`).
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.front.records import replace
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import HOLDS, REFUTED
from axmem.refinement.claims import Theorem, of_rule
from axmem.refinement.rules import RULES

MODELS = ("llvm", "amdgpu")

_CSE = "EarlyCSE, GVN (combineMetadata merges prefix by prefix)"

DONE_BY: Mapping[str, str] = {
    "drop-tag": "nobody; what deletes metadata deletes all of it",
    "drop-prefix": "whatever drops metadata that it does not know",
    "merge-fences-prefixwise": "what InstCombine, which merges identical fences, could do with unlike ones",
    "merge-fences-intersection": "the example of MMRA's document does so",
    "merge-fences-union": "appendTags, which is meant for front ends",
    "merge-loads-prefixwise": _CSE,
    "merge-loads-intersection": "the example of MMRA's document does so",
    "merge-loads-union": "appendTags, which is meant for front ends",
    "merge-stores-prefixwise": "what DSE could do",
    "reorder-plain": "schedulers, LICM, sinking and hoisting",
    "reorder-atomic": "nobody",
    "hoist-over-incompatible-fence": "what GVN could do with MMRA",
    "drop-idle-load": "DCE, InstCombine",
    "drop-repeated-load": "EarlyCSE, GVN",
    "forward-store": "EarlyCSE, GVN, InstCombine",
    "drop-overwritten-store": "DSE, EarlyCSE, InstCombine: the tags of the later store stay",
    "drop-repeated-fence": "InstCombine",
    "widen-scope": "targets that do not know a scope",
    "narrow-scope": "nobody",
    "demote-workgroup": "nobody",
    "demote-workgroup-of-one-wave": "SIMemoryLegalizer, where a workgroup fits a wavefront",
    "strengthen-ordering": "AtomicExpand, targets without the ordering",
    "weaken-ordering": "nobody",
    "atomic-instead-of-av": "targets without av accesses",
    "drop-av-none": "whatever drops metadata that it does not know",
}
"""Who makes a transformation in LLVM."""

UNSOUND = frozenset(
    {
        "drop-tag",
        "merge-fences-intersection",
        "merge-fences-union",
        "merge-loads-intersection",
        "merge-loads-union",
        "reorder-plain",
        "reorder-atomic",
        "drop-idle-load",
        "forward-store",
        "drop-overwritten-store",
        "narrow-scope",
        "demote-workgroup",
        "weaken-ordering",
    }
)
"""Those that some context shows to be unsound, under either model."""

BOUND = 3
LARGER = frozenset({"reorder-plain", "drop-idle-load", "forward-store"})
"""Those that only a context of one operation more shows to be unsound."""

BY_TAGS = ("reorder-plain", "drop-idle-load", "forward-store", "drop-overwritten-store")
"""Those that only contexts with tags show to be unsound, which most programs have not."""


def _untagged(theorem: Theorem) -> Theorem:
    """Return a theorem of programs without tags."""
    claim = replace(theorem.claim, space=replace(theorem.claim.space, any_tags=False))
    key, statement = f"{theorem.key} untagged", f"{theorem.statement}, in programs without tags"
    return replace(theorem, key=key, statement=statement, claim=claim, expected=HOLDS, bound=BOUND)


_ALL = tuple(
    Theorem(
        f"{rule.name} {model}",
        rule.text,
        DONE_BY[rule.name],
        of_rule(rule.name, ModelChoice(model)),
        REFUTED if rule.name in UNSOUND else HOLDS,
        BOUND + (rule.name in LARGER),
    )
    for rule in RULES
    for model in MODELS
)
OPTIMIZATIONS = (*_ALL, *(_untagged(each) for each in _ALL if each.claim.rule in BY_TAGS))
