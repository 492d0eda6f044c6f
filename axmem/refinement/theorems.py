"""The properties that the documents claim, each as a claim that can be checked with a bound.

What comes out: `THEOREMS`, in the order of the documents: the five properties of the AMDGPU document, what MMRA's says
of deleting and merging tags, and what the two models are said to be to each other. Each says what is expected of it:
that it holds to a bound, or that it is refuted, and by which test of the corpus besides the smallest program that is
found.
"""

from __future__ import annotations

from axmem.front.records import replace
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import NONPRIVATE_TAG, PRIVATE_TAG, OperationKind, Scope
from axmem.refinement import mmra
from axmem.refinement.bounded.bound import KINDS, Bound
from axmem.refinement.bounded_check import REFUTED, Claim, models_claim
from axmem.refinement.claims import (
    AMDGPU,
    KHRONOS,
    LLVM,
    MAKING,
    NARROW,
    ONE_DEVICE,
    ORDINARY,
    SMALL,
    UNTAGGED,
    VULKAN,
    Theorem,
    of_rule,
    property_claim,
    unordered_by,
    variant,
    within,
)
from axmem.refinement.mmra import DROPS
from axmem.refinement.properties import (
    ACYCLIC,
    BETWEEN_ANY,
    BOUNDED,
    CHAIN,
    INSIDE,
    NEAR,
    NECESSARY,
    NO_NARROWER,
)
from axmem.refinement.rules import CORE, FULL

UNASKED = variant("amdgpu", lo_hb="no")
"""The model in which location order through availability and visibility does not also need happens-before."""
LETTER = ModelChoice("amdgpu-doc")
AS_VULKAN = ModelChoice("amdgpu-vulkan")

_PROPERTIES = '[AMDGPU-MM] "Properties" '
_NEWEST = _PROPERTIES + "1, of any two accesses"
_WEAK = (("lo", "hb-loc"), ("hidden", "hidden"))
_STRONG = (("hb-loc", "lo"), ("hidden", "hidden"))
_OLD_READS = """(** @after lo.readpo *)
override let lo-from-read = 0
override let may-see = (candidates \\ hidden) \\ (lo | ([R] ; (ahb & loc)))^-1
"""
_READS = '[AMDGPU-MM] "Location Order": reads, as worded before pull request 213044'
_SAME_READS = (("lo", "lo"), ("overwrites", "overwrites"), ("hidden", "hidden"), ("may-see", "may-see"))


def _properties() -> tuple[Theorem, ...]:
    literal = variant("amdgpu", vis_instance="literal")
    return (
        Theorem(
            "P1",
            "without tags, a write that is location-ordered before a read happens before it; nothing asks for it",
            _PROPERTIES + "1",
            property_claim(NECESSARY.format(order="hb"), UNASKED, UNTAGGED),
            bound=6,
        ),
        Theorem(
            "P1-doc",
            "the same of the document's letter",
            _PROPERTIES + "1",
            property_claim(NECESSARY.format(order="hb"), LETTER, UNTAGGED),
            bound=6,
        ),
        Theorem(
            "P1-any",
            "without tags, of any two accesses that are location-ordered the first happens before the second",
            _NEWEST,
            property_claim(BETWEEN_ANY.format(order="hb"), UNASKED, UNTAGGED),
            bound=6,
        ),
        Theorem(
            "P1-any-tags",
            "with tags, the first of them happens before the second, or precedes it in its thread",
            _NEWEST,
            property_claim(BETWEEN_ANY.format(order="hbv")),
        ),
        Theorem(
            "P1-tags",
            "the same of a write and a read where nothing asks for it: what lo.hb=require is for",
            _PROPERTIES + "1",
            property_claim(NECESSARY.format(order="hbv"), UNASKED),
            REFUTED,
        ),
        Theorem(
            "P1-literal",
            "the same to the letter, with tags",
            _PROPERTIES + "1",
            property_claim(NECESSARY.format(order="hb"), LETTER),
            REFUTED,
            corpus="mmra/MP+private-data+ag",
        ),
        Theorem(
            "P1-literal-threads",
            "the same to the letter between threads",
            _PROPERTIES + "1",
            property_claim(NECESSARY.format(order="(hb | int)"), LETTER),
            REFUTED,
            corpus="mmra/MP+private-data+ag",
        ),
        Theorem(
            "P2",
            "the scope instance of an availability operation on a write contains the write (most clauses ask for it)",
            _PROPERTIES + "2",
            property_claim(INSIDE, LETTER),
            bound=6,
        ),
        Theorem(
            "P2-reason",
            "the reason that is given: every scope instance that includes the operation includes the write",
            _PROPERTIES + "2",
            property_claim(NO_NARROWER),
            REFUTED,
        ),
        Theorem(
            "P3",
            "where a write is visible lies in the scope instance of an availability operation on it",
            _PROPERTIES + "3",
            property_claim(BOUNDED),
        ),
        Theorem(
            "P4-contrary",
            "a write is visible only in scope instances that contain it (property 4 denies it)",
            _PROPERTIES + "4",
            property_claim(NEAR),
            REFUTED,
            corpus="amdgpu/Visible+other-workgroup",
        ),
        Theorem(
            "P5",
            "a visible write has an availability and a visibility operation with inclusive scopes whose common "
            "instance contains the write and the observer",
            _PROPERTIES + "5",
            property_claim(CHAIN),
        ),
        Theorem(
            "P5-literal",
            "the same with visibility to the letter",
            _PROPERTIES + "5",
            property_claim(CHAIN, literal, SMALL),
            REFUTED,
            bound=6,
            corpus="amdgpu/Launder+fence.singlethread",
        ),
    )


def _order() -> tuple[Theorem, ...]:
    source = '[LangRef] "Memory Model for Concurrent Operations"'
    loose = {name: variant(name, hb_acyclic="irreflexive") for name in ("llvm", "amdgpu")}
    return (
        Theorem(
            "HB",
            "without tags, an irreflexive happens-before is acyclic",
            source,
            property_claim(ACYCLIC, loose["llvm"], UNTAGGED),
            bound=6,
        ),
        Theorem(
            "HB-tags",
            "the same with tags",
            source,
            property_claim(ACYCLIC, loose["llvm"]),
            REFUTED,
            bound=6,
            corpus="mmra/LB+tags+untagged-between",
        ),
    )


def _models() -> tuple[Theorem, ...]:
    subset = '[AMDGPU-MM] "The Vulkan Memory Model"'
    defaults = '[AMDGPU-MM] "Availability and Visibility": the default instructions'
    safe = '[AMDGPU-MM] "MakeAvailable and MakeVisible"'
    unread = variant("amdgpu", lo_readpo="off")
    return (
        Theorem("T-WEAK", "every outcome of llvm is one of amdgpu", subset, within(LLVM, AMDGPU, FULL, _WEAK)),
        Theorem(
            "T-STRONG",
            "LLVM is the strong subset: a program that opts out of nothing has under amdgpu no outcome "
            "that it has not under llvm (with T-WEAK: T-EQ)",
            defaults,
            within(AMDGPU, LLVM, ORDINARY, _STRONG),
            bound=6,
        ),
        Theorem(
            "T-STRONG-opt-outs",
            "the same of every program",
            defaults,
            within(AMDGPU, LLVM, FULL, _STRONG),
            REFUTED,
            corpus="amdgpu/MP+st-rel.none+acq-ld",
        ),
        Theorem(
            "T-SAFE av",
            "replacing an av access by a monotonic atomic of its scope only strengthens",
            safe,
            of_rule("atomic-instead-of-av"),
            bound=4,
        ),
        Theorem("T-SAFE none", "dropping amdgcn-av:none only strengthens", safe, of_rule("drop-av-none"), bound=4),
        Theorem(
            "T-WIDEN",
            "widening a scope only strengthens",
            '[AMDGPU-Usage] "Memory Scopes"',
            of_rule("widen-scope"),
            bound=4,
        ),
        Theorem(
            "T-ORD",
            "strengthening an ordering only strengthens",
            '[LangRef] "Atomic Memory Ordering Constraints"',
            of_rule("strengthen-ordering"),
            bound=4,
        ),
        Theorem(
            "T-213044",
            "both wordings agree without tags",
            _READS,
            Claim(UNTAGGED, AMDGPU, AMDGPU, alike=_SAME_READS, overrides=_OLD_READS, side="before"),
        ),
        Theorem(
            "T-213044 back",
            "both wordings agree without tags, the other way round",
            _READS,
            Claim(UNTAGGED, AMDGPU, AMDGPU, alike=_SAME_READS, overrides=_OLD_READS, side="after"),
        ),
        Theorem(
            "T-213044 tags",
            "the same with tags, reads being ordered by happens-before alone (lo.readpo=off)",
            _READS,
            Claim(replace(CORE, any_tags=True), unread, unread, alike=_SAME_READS, overrides=_OLD_READS, side="after"),
        ),
        Theorem(
            "T-213044 readpo",
            "the same with tags and lo.readpo=on",
            _READS,
            Claim(FULL, AMDGPU, AMDGPU, alike=_SAME_READS, overrides=_OLD_READS, side="after"),
            REFUTED,
            corpus="mmra/Coherence+load-store+tags",
        ),
    )


def _vulkan() -> tuple[Theorem, ...]:
    source = '[AMDGPU-MM] "The Vulkan Memory Model"'
    any_tags = replace(VULKAN, any_tags=True)
    private = replace(VULKAN, tags=(PRIVATE_TAG, NONPRIVATE_TAG))
    return (
        Theorem(
            "T-VULKAN",
            "a program of Vulkan's instructions, each mapped to one of amdgpu, has under amdgpu no outcome that it has "
            "not under amdgpu-vulkan, our end-to-end reading (not Khronos' model: T-KHRONOS)",
            source,
            models_claim(AMDGPU, AS_VULKAN, VULKAN),
            bound=4,
        ),
        Theorem(
            "T-VULKAN back",
            "nor the other way round: amdgpu promises no more than that reading (with tags on atomics it does: "
            "Hops+store)",
            source,
            models_claim(AS_VULKAN, AMDGPU, VULKAN),
            bound=4,
        ),
        Theorem(
            "T-VULKAN private",
            "the same with private accesses: what was made visible may be read by one whatever is synchronized",
            source,
            models_claim(AMDGPU, AS_VULKAN, private),
            REFUTED,
            bound=4,
        ),
        *[
            Theorem(
                f"T-VULKAN tags{which}",
                f"the same {text}where tags are any, and not those of the memory that an access is of",
                source,
                models_claim(first, second, any_tags),
                REFUTED,
                bound=4,
            )
            for which, text, first, second in (("", "", AMDGPU, AS_VULKAN), (" back", "back ", AS_VULKAN, AMDGPU))
        ],
    )


def _khronos() -> tuple[Theorem, ...]:
    """Return what the AMDGPU document says of Vulkan's model, as Khronos wrote it down."""
    source = '[AMDGPU-MM] "The Vulkan Memory Model"'
    accesses = replace(ONE_DEVICE, kinds=tuple(kind for kind in KINDS if kind is not OperationKind.FENCE))
    devices = replace(ONE_DEVICE, scopes=(*ONE_DEVICE.scopes, Scope.SYSTEM), levels=(*ONE_DEVICE.levels, Scope.AGENT))
    return (
        Theorem(
            "T-KHRONOS",
            "LLVM is a strong subset of Vulkan: by Khronos' formal model, with undef where accesses race, a program of "
            "one device that opts out of nothing has no outcome that it has not under llvm",
            source,
            models_claim(KHRONOS, LLVM, ONE_DEVICE),
            REFUTED,
            bound=6,
            corpus="amdgpu/Chain+acquire-fence",
        ),
        Theorem(
            "T-KHRONOS accesses",
            "the same of programs without fences, in which availability and visibility pass from access to access",
            source,
            models_claim(KHRONOS, LLVM, accesses),
            bound=5,
        ),
        Theorem(
            "T-KHRONOS special",
            "the AMDGPU model is a special case of Vulkan's: of programs without fences that opt out, too",
            source,
            models_claim(KHRONOS, AMDGPU, replace(accesses, none=True, av=True)),
            REFUTED,
            bound=5,
        ),
        Theorem(
            "T-KHRONOS devices",
            "the same as the first of programs of several devices",
            source,
            models_claim(KHRONOS, LLVM, replace(devices, apart=True)),
            REFUTED,
            bound=5,
        ),
    )


def _convergence() -> tuple[Theorem, ...]:
    values = {"sc": "sequential-consistency"}
    return tuple(
        Theorem(
            f"CONV {model}",
            "that lanes are converged orders nothing: without converged instances and values from other lanes no rule "
            f"is another, but {values.get(model, 'no-thin-air')}, which forbids no more",
            '[ConvergenceAndUniformity] "Memory Model Non-Interaction"',
            unordered_by("conv xlane", model, values.get(model, "no-thin-air")),
            bound=0,
        )
        for model in ("llvm", "amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan", "sc")
    )


SLOW: dict[str, Bound] = {
    "P3": MAKING,
    "P5": MAKING,
    "T-STRONG": replace(NARROW, any_tags=False, none=False),
    "T-ORD": NARROW,
    "T-WIDEN": NARROW,
    "T-SAFE none": NARROW,
    "T-SAFE av": replace(NARROW, av=True),
    "M-DROP llvm mmra=closure": NARROW,
    "M-DROP llvm mmra=endtoend": NARROW,
    "M-DROP llvm mmra.sync=ignore": NARROW,
    "M-DROP llvm mmra.sync=never": NARROW,
    "M-DROP llvm mmra.cycles=forbidden": NARROW,
    **{f"M-DROP amdgpu {switch}={value}": NARROW for switch, value in DROPS},
}
"""Theorems whose whole space is searched to one operation less, with the spaces in which they are searched to all."""


def _bounded(theorem: Theorem) -> Theorem:
    """Return a theorem with the bounds that a run of an hour reaches."""
    return replace(theorem, bound=theorem.bound - 1, narrow=SLOW[theorem.key]) if theorem.key in SLOW else theorem


_STATEMENTS = (
    *_properties(),
    *_order(),
    *mmra.order(),
    *mmra.statements(),
    *_models(),
    *_vulkan(),
    *_khronos(),
    *_convergence(),
)
THEOREMS = tuple(map(_bounded, _STATEMENTS))
