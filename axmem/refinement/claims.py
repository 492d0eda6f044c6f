"""Statements about models: what a theorem is, the spaces in which theorems are checked, and how claims are made.

What goes in: models, rules, cat text that denies a property. What comes out: claims with their spaces, for the tables
(`axmem.refinement.theorems`, `axmem.refinement.optimizations`).
"""

from __future__ import annotations

from axmem.front.records import dataclass, replace
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import PLACED, Ordering, Scope
from axmem.refinement.bounded.bound import MAKES, Bound
from axmem.refinement.bounded_check import HOLDS, Claim, rule_claim
from axmem.refinement.rules import BY_NAME, CORE, FULL


def variant(model: str, **settings: str) -> ModelChoice:
    """Return a model with variants; underscores in their names stand for points."""
    return ModelChoice(model, tuple(sorted((n.replace("_", "."), v) for n, v in settings.items())))


AMDGPU, LLVM = ModelChoice("amdgpu"), ModelChoice("llvm")


@dataclass(frozen=True, slots=True)
class Theorem:
    """A statement with its source, the claim, what is expected, and to how many operations it is checked: those of the
    program, or of a rule those of its context; 0 where executions are of any size.

    `narrow` is a smaller space, in which it is checked to one more operation. `corpus` names a test of the corpus that
    refutes it.
    """

    key: str
    statement: str
    source: str
    claim: Claim
    expected: str = HOLDS
    bound: int = 5
    narrow: Bound | None = None
    corpus: str = ""

    def claims(self) -> tuple[tuple[Claim, int], ...]:
        """Return the claims to check with their bounds: in the whole space, and in the narrow one if there is one."""
        if self.narrow is None:
            return ((self.claim, self.bound),)
        return ((self.claim, self.bound), (replace(self.claim, space=self.narrow), self.bound + 1))


ALL = replace(FULL, kinds=(*FULL.kinds, *MAKES))
UNTAGGED = replace(ALL, any_tags=False, synchronize_as=False)
ORDINARY = replace(FULL, any_tags=False, none=False, av=False, synchronize_as=False)
"""Programs that opt out of nothing: no tags, no amdgcn-av:none, no av intrinsics."""

SMALL = replace(CORE, any_tags=False, none=True, av=True, scopes=(Scope.SINGLETHREAD, Scope.AGENT, Scope.SYSTEM))
NARROW = replace(CORE, any_tags=True, none=True)
"""A space in which checks of one more operation end in reasonable time."""

MAKING = replace(NARROW, kinds=(*NARROW.kinds, *MAKES), av=True, any_tags=False)
"""The same for properties of availability and visibility."""

VULKAN = replace(
    UNTAGGED,
    kinds=FULL.kinds,
    orderings=tuple(o for o in Ordering if o not in (Ordering.UNORDERED, Ordering.SEQ_CST)),
    scopes=tuple(s for s in Scope if s is not Scope.CLUSTER),
    levels=tuple(s for s in PLACED if s is not Scope.CLUSTER),
    volatile=False,
    volatile_atomics=False,
    synchronize_as=True,
    uninitialised=False,
)
"""What Vulkan's instructions are mapped to: plain and av accesses, and relaxed, acquire and release atomics and fences
with and without amdgcn-av:none at Vulkan's scopes; two storage classes, which are the two memories, and masks of them
on barriers, which are amdgpu-synchronize-as."""

ONE_DEVICE = replace(
    CORE, scopes=(Scope.WORKGROUP, Scope.AGENT), levels=(Scope.WORKGROUP,), apart=False, any_tags=False
)
"""What LLVM's instructions are to Vulkan, without opt-outs: two scopes within one device, beyond which nothing becomes
available."""

KHRONOS = ModelChoice("vulkan", (("races", "undef"),))
"""Khronos' formal model, with undef where accesses race as in LLVM's."""


def property_claim(deny: str, model: ModelChoice = AMDGPU, space: Bound = ALL, *, threads: int | None = None) -> Claim:
    """Return the claim that no execution of a model has what a text asserts."""
    return Claim(space, model, model, deny=deny, threads=threads)


def of_rule(name: str, model: ModelChoice = AMDGPU) -> Claim:
    """Return the claim that a rule is sound, by its name."""
    return rule_claim(BY_NAME[name], model)


def unordered_by(lost: str, model: str, weaker: str = "") -> Claim:
    """Return the claim that no rule of a model changes as primitives lose facts, but that axioms hold more often."""
    choice = ModelChoice(model)
    return Claim(Bound(), choice, choice, lost=frozenset(lost.split()), weaker=tuple(weaker.split()))


def within(first: ModelChoice, second: ModelChoice, space: Bound, alike: tuple[tuple[str, str], ...]) -> Claim:
    """Return the claim that every outcome of the first model is one of the second."""
    return Claim(space, second, first, alike=alike)
