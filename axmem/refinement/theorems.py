"""The properties that the documents claim, each as a claim that can be checked with a bound.

What comes out: `THEOREMS`, in the order of the documents: the five properties of the AMDGPU document, what MMRA's says
of deleting and merging tags, and what the two models are said to be to each other. Each says what is expected of it:
that it holds to a bound, or that it is refuted, and by which test of the corpus besides the smallest program that is
found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from axmem.families.bound import MAKES, Bound
from axmem.litmus.syntax import ModelChoice, Scope
from axmem.refinement.contexts import HOLDS, REFUTED, Claim, rule_claim
from axmem.refinement.properties import ACYCLIC, BOUNDED, CHAIN, INSIDE, NEAR, NECESSARY, PROGRAM_ORDER
from axmem.refinement.rules import BY_NAME, CORE, FULL


def variant(model: str, **settings: str) -> ModelChoice:
    """Return a model with variants; underscores in their names stand for points."""
    return ModelChoice(model, tuple(sorted((n.replace("_", "."), v) for n, v in settings.items())))


AMDGPU, LLVM = ModelChoice("amdgpu"), ModelChoice("llvm")


@dataclass(frozen=True, slots=True)
class Theorem:
    """A statement with its source, the claim, what is expected, and to how many operations it is checked: those of the
    program, or of a rule those of its context.

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

_PROPERTIES = '[AMDGPU-MM] "Properties" '
_WEAK = (("lo", "hb-loc"), ("hidden", "hidden"))
_STRONG = (("hb-loc", "lo"), ("hidden", "hidden"))
_OLD_READS = (
    ('let lo-from-read = [R] ; ((if "lo.readpo=on" then hb | po else hb) & loc)', "let lo-from-read = 0"),
    (
        "let may-see = (candidates \\ hidden) \\ lo^-1",
        "let may-see = (candidates \\ hidden) \\ (lo | ([R] ; (hb & loc)))^-1",
    ),
)
_READS = '[AMDGPU-MM] "Location Order": reads, as worded before pull request 213044'
_SAME_READS = (("lo", "lo"), ("overwrites", "overwrites"), ("hidden", "hidden"), ("may-see", "may-see"))


def _property(deny: str, model: ModelChoice = AMDGPU, space: Bound = ALL, *, threads: int | None = None) -> Claim:
    return Claim(space, model, model, deny=deny, threads=threads)


def _rule(name: str, model: ModelChoice = AMDGPU, space: Bound | None = None) -> Claim:
    return rule_claim(BY_NAME[name], model, space)


def _within(first: ModelChoice, second: ModelChoice, space: Bound, alike: tuple[tuple[str, str], ...]) -> Claim:
    """Return the claim that every outcome of the first model is one of the second."""
    return Claim(space, second, first, alike=alike)


def _properties() -> tuple[Theorem, ...]:
    literal = variant("amdgpu", vis_instance="literal")
    return (
        Theorem(
            "P1",
            "a write that is location-ordered before a read happens before it, or precedes it in its thread",
            _PROPERTIES + "1",
            _property(NECESSARY.format(order="hbv")),
            bound=6,
        ),
        Theorem(
            "P1-untagged",
            "without tags, a write that is location-ordered before a read happens before it",
            _PROPERTIES + "1",
            _property(NECESSARY.format(order="hb"), space=UNTAGGED),
            bound=6,
        ),
        Theorem(
            "P1-literal",
            "the same to the letter, with tags",
            _PROPERTIES + "1",
            _property(NECESSARY.format(order="hb"), ModelChoice("amdgpu-doc")),
            REFUTED,
            corpus="mmra/MP+private-data+ag",
        ),
        Theorem(
            "P1-literal-threads",
            "the same to the letter between threads",
            _PROPERTIES + "1",
            _property(NECESSARY.format(order="(hb | int)"), ModelChoice("amdgpu-doc")),
            REFUTED,
            corpus="mmra/MP+private-data+ag",
        ),
        Theorem(
            "P2",
            "the scope instance of an availability operation on a write contains the write",
            _PROPERTIES + "2",
            _property(INSIDE),
            bound=6,
        ),
        Theorem(
            "P3",
            "where a write is visible lies in the scope instance of an availability operation on it",
            _PROPERTIES + "3",
            _property(BOUNDED),
        ),
        Theorem(
            "P4-contrary",
            "a write is visible only in scope instances that contain it (property 4 denies it)",
            _PROPERTIES + "4",
            _property(NEAR),
            REFUTED,
            corpus="amdgpu/Visible+other-workgroup",
        ),
        Theorem(
            "P5",
            "a visible write has an availability and a visibility operation with inclusive scopes whose common "
            "instance contains the write and the observer",
            _PROPERTIES + "5",
            _property(CHAIN),
        ),
        Theorem(
            "P5-literal",
            "the same with visibility to the letter",
            _PROPERTIES + "5",
            _property(CHAIN, literal, SMALL),
            REFUTED,
            bound=6,
            corpus="amdgpu/Launder+fence.singlethread",
        ),
    )


def _order() -> tuple[Theorem, ...]:
    source = '[LangRef] "Memory Model for Concurrent Operations"'
    loose = {name: variant(name, hb_acyclic="irreflexive") for name in ("llvm", "amdgpu")}
    found = [
        Theorem(
            "HB",
            "without tags, an irreflexive happens-before is acyclic",
            source,
            _property(ACYCLIC, loose["llvm"], UNTAGGED),
            bound=6,
        ),
        Theorem(
            "HB-tags",
            "the same with tags",
            source,
            _property(ACYCLIC, loose["llvm"]),
            REFUTED,
            bound=6,
            corpus="mmra/LB+tags+untagged-between",
        ),
    ]
    for mmra, expected in (("adjacent", HOLDS), ("endtoend", HOLDS), ("closure", REFUTED)):
        found.append(
            Theorem(
                f"M-PO {mmra}",
                "two operations of one thread with incompatible tags happen before each other only "
                f"through another thread, with mmra={mmra}",
                '[MMRA] "Ordering"',
                _property(PROGRAM_ORDER, variant("llvm", mmra=mmra), threads=1),
                expected,
                bound=6,
                corpus="mmra/Bridge+untagged-load" if expected is REFUTED else "",
            )
        )
    return tuple(found)


_DROPS = (
    ("mmra", "adjacent"),
    ("mmra", "closure"),
    ("mmra", "endtoend"),
    ("mmra.sync", "ignore"),
    ("mmra.sync", "never"),
)
"""The readings of tags under which deleting them is checked."""


def _tags() -> tuple[Theorem, ...]:
    deleting, merging = '[MMRA] "Consequences": deleting metadata', '[MMRA] "Merging"'
    found = []
    for model in ("llvm", "amdgpu"):
        for name, value in _DROPS:
            choice = ModelChoice(model, ((name, value),))
            found.append(
                Theorem(
                    f"M-DROP {model} {name}={value}",
                    "deleting all tags of one prefix, or all tags, of an operation only strengthens",
                    deleting,
                    _rule("drop-prefix", choice),
                    bound=4,
                )
            )
    return (
        *found,
        Theorem(
            "M-DROP1",
            "deleting one tag of several of one prefix only strengthens",
            deleting,
            _rule("drop-tag"),
            REFUTED,
            bound=3,
            corpus="mmra/Drop+one-tag",
        ),
        *[
            Theorem(
                f"M-UNION {kind}",
                f"merging two {kind} with the prefix-wise union of their tags only strengthens",
                merging,
                _rule(f"merge-{kind}-prefixwise"),
                bound=3,
            )
            for kind in ("fences", "loads", "stores")
        ],
        Theorem(
            "M-INTER",
            "merging two loads with the intersection of their tags only strengthens",
            merging,
            _rule("merge-loads-intersection"),
            REFUTED,
            bound=3,
            corpus="mmra/Combine+intersection",
        ),
        Theorem(
            "M-SETUNION",
            "merging two loads with all tags of both only strengthens",
            merging,
            _rule("merge-loads-union"),
            REFUTED,
            bound=3,
        ),
        *_reordering(),
    )


def _reordering() -> tuple[Theorem, ...]:
    source = '[MMRA] "Ordering"'
    found = []
    for mmra in ("adjacent", "endtoend", "closure"):
        for rule, text in (
            ("reorder-plain", "swapping neighbouring plain accesses of different locations is sound"),
            ("drop-idle-load", "deleting a plain load whose value nobody uses is sound"),
        ):
            found.append(
                Theorem(
                    f"M-REORD {rule} {mmra}",
                    f"{text}, with mmra={mmra}",
                    source,
                    _rule(rule, variant("llvm", mmra=mmra)),
                    REFUTED,
                    bound=4,
                    corpus="mmra/Bridge+untagged-load" if mmra == "closure" else "",
                )
            )
    return tuple(found)


def _models() -> tuple[Theorem, ...]:
    subset = '[AMDGPU-MM] "The Vulkan Memory Model"'
    defaults = '[AMDGPU-MM] "Availability and Visibility": the default instructions'
    safe = '[AMDGPU-MM] "MakeAvailable and MakeVisible"'
    unread = variant("amdgpu", lo_readpo="off")
    return (
        Theorem("T-WEAK", "every outcome of llvm is one of amdgpu", subset, _within(LLVM, AMDGPU, FULL, _WEAK)),
        Theorem(
            "T-STRONG",
            "LLVM is the strong subset: a program that opts out of nothing has under amdgpu no outcome "
            "that it has not under llvm (with T-WEAK: T-EQ)",
            defaults,
            _within(AMDGPU, LLVM, ORDINARY, _STRONG),
        ),
        Theorem(
            "T-STRONG-opt-outs",
            "the same of every program",
            defaults,
            _within(AMDGPU, LLVM, FULL, _STRONG),
            REFUTED,
            corpus="amdgpu/MP+st-rel.none+acq-ld",
        ),
        Theorem(
            "T-SAFE av",
            "replacing an av access by a monotonic atomic of its scope only strengthens",
            safe,
            _rule("atomic-instead-of-av"),
            bound=4,
        ),
        Theorem("T-SAFE none", "dropping amdgcn-av:none only strengthens", safe, _rule("drop-av-none"), bound=4),
        Theorem(
            "T-WIDEN",
            "widening a scope only strengthens",
            '[AMDGPU-Usage] "Memory Scopes"',
            _rule("widen-scope"),
            bound=4,
        ),
        Theorem(
            "T-ORD",
            "strengthening an ordering only strengthens",
            '[LangRef] "Atomic Memory Ordering Constraints"',
            _rule("strengthen-ordering"),
            bound=4,
        ),
        Theorem(
            "T-213044",
            "both wordings agree without tags",
            _READS,
            Claim(UNTAGGED, AMDGPU, AMDGPU, alike=_SAME_READS, patched=_OLD_READS, side="before"),
        ),
        Theorem(
            "T-213044 back",
            "both wordings agree without tags, the other way round",
            _READS,
            Claim(UNTAGGED, AMDGPU, AMDGPU, alike=_SAME_READS, patched=_OLD_READS, side="after"),
        ),
        Theorem(
            "T-213044 tags",
            "the same with tags, reads being ordered by happens-before alone (lo.readpo=off)",
            _READS,
            Claim(replace(CORE, any_tags=True), unread, unread, alike=_SAME_READS, patched=_OLD_READS, side="after"),
        ),
        Theorem(
            "T-213044 readpo",
            "the same with tags and lo.readpo=on",
            _READS,
            Claim(FULL, AMDGPU, AMDGPU, alike=_SAME_READS, patched=_OLD_READS, side="after"),
            REFUTED,
            corpus="mmra/Coherence+load-store+tags",
        ),
    )


SLOW: dict[str, Bound] = {
    "P3": MAKING,
    "P5": MAKING,
    "T-ORD": NARROW,
    "T-WIDEN": NARROW,
    "T-SAFE none": NARROW,
    "T-SAFE av": replace(NARROW, av=True),
    "M-DROP llvm mmra=closure": NARROW,
    "M-DROP llvm mmra=endtoend": NARROW,
    "M-DROP llvm mmra.sync=ignore": NARROW,
    "M-DROP llvm mmra.sync=never": NARROW,
    **{f"M-DROP amdgpu {switch}={value}": NARROW for switch, value in _DROPS},
}
"""Theorems whose whole space is searched to one operation less, with the spaces in which they are searched to all."""


def _bounded(theorem: Theorem) -> Theorem:
    """Return a theorem with the bounds that a run of an hour reaches."""
    return replace(theorem, bound=theorem.bound - 1, narrow=SLOW[theorem.key]) if theorem.key in SLOW else theorem


THEOREMS = tuple(_bounded(t) for t in (*_properties(), *_order(), *_tags(), *_models()))
