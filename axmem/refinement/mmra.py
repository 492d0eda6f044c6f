"""What MMRA's document says of order, of deleting and merging tags and of reordering, each as a claim to check."""

from __future__ import annotations

from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import HOLDS, REFUTED
from axmem.refinement.claims import Theorem, of_rule, property_claim, variant
from axmem.refinement.properties import PROGRAM_ORDER


def order() -> tuple[Theorem, ...]:
    """Return what is said of program order that tags break."""
    found = []
    for mmra, expected in (("adjacent", HOLDS), ("endtoend", HOLDS), ("closure", REFUTED)):
        found.append(
            Theorem(
                f"M-PO {mmra}",
                "two operations of one thread with incompatible tags happen before each other only "
                f"through another thread, with mmra={mmra}",
                '[MMRA] "Ordering"',
                property_claim(PROGRAM_ORDER, variant("llvm", mmra=mmra), threads=1),
                expected,
                bound=6,
                corpus="mmra/Bridge+untagged-load" if expected is REFUTED else "",
            )
        )
    return tuple(found)


DROPS = (
    ("mmra", "adjacent"),
    ("mmra", "closure"),
    ("mmra", "endtoend"),
    ("mmra.sync", "ignore"),
    ("mmra.sync", "never"),
    ("mmra.cycles", "forbidden"),
)
"""The readings of tags under which deleting them is checked."""


def statements() -> tuple[Theorem, ...]:
    """Return what is said of deleting and merging tags, and of reordering."""
    deleting, merging = '[MMRA] "Consequences": deleting metadata', '[MMRA] "Merging"'
    found = []
    for model in ("llvm", "amdgpu"):
        for name, value in DROPS:
            choice = ModelChoice(model, ((name, value),))
            found.append(
                Theorem(
                    f"M-DROP {model} {name}={value}",
                    "deleting all tags of one prefix, or all tags, of an operation only strengthens",
                    deleting,
                    of_rule("drop-prefix", choice),
                    bound=4,
                )
            )
    return (
        *found,
        Theorem(
            "M-DROP1",
            "deleting one tag of several of one prefix only strengthens",
            deleting,
            of_rule("drop-tag"),
            REFUTED,
            bound=3,
            corpus="mmra/Drop+one-tag",
        ),
        *[
            Theorem(
                f"M-UNION {kind}",
                f"merging two {kind} with the prefix-wise union of their tags only strengthens",
                merging,
                of_rule(f"merge-{kind}-prefixwise"),
                bound=3,
            )
            for kind in ("fences", "loads", "stores")
        ],
        Theorem(
            "M-INTER",
            "merging two loads with the intersection of their tags only strengthens",
            merging,
            of_rule("merge-loads-intersection"),
            REFUTED,
            bound=3,
            corpus="mmra/Combine+intersection",
        ),
        Theorem(
            "M-SETUNION",
            "merging two loads with all tags of both only strengthens",
            merging,
            of_rule("merge-loads-union"),
            REFUTED,
            bound=3,
        ),
        *[
            Theorem(
                f"M-LATER {model}",
                "merging two stores with the tags of the later (LLVM's DSE, EarlyCSE, InstCombine) only strengthens",
                merging,
                of_rule("drop-overwritten-store", ModelChoice(model)),
                REFUTED,
                bound=3,
            )
            for model in ("llvm", "amdgpu")
        ],
        *_reordering(),
        *_swapping(),
    )


def _swapping() -> tuple[Theorem, ...]:
    source = '[MMRA] "Ordering"'
    text = (
        "two neighbouring operations of incompatible tags, of different locations if they have one, may be swapped, "
        "whatever they are: plain or atomic accesses, read-modify-writes, acquires, releases, fences, seq_cst"
    )
    neighbours = "the same whatever their tags are"
    raw = "the same where program order that tags break counts for"
    return (
        *[Theorem(f"M-SWAP {m}", text, source, of_rule("swap-incompatible", ModelChoice(m)), bound=3) for m in _BOTH],
        *[
            Theorem(f"M-SWAP {m} any", neighbours, source, of_rule("swap-any", ModelChoice(m)), REFUTED, bound=3)
            for m in _BOTH
        ],
        Theorem(
            "M-SWAP llvm sc.tags=po",
            f"{raw} the order of seq_cst (sc.tags=po)",
            source,
            of_rule("swap-incompatible", variant("llvm", sc_tags="po")),
            REFUTED,
            bound=3,
        ),
    )


_BOTH = ("llvm", "amdgpu")


def _reordering() -> tuple[Theorem, ...]:
    source = '[MMRA] "Ordering"'
    found = []
    for setting, swap, drop, bound in (
        (("mmra", "adjacent"), REFUTED, REFUTED, 4),
        (("mmra", "endtoend"), REFUTED, REFUTED, 4),
        (("mmra", "closure"), REFUTED, REFUTED, 4),
        (("hb.acyclic", "sync"), HOLDS, REFUTED, 4),
        # Of deleting in contexts of three operations the search has suspects that it finds to be none, without end.
        (("mmra.cycles", "forbidden"), HOLDS, HOLDS, 2),
    ):
        name, value = setting
        for rule, text, expected, events in (
            ("reorder-plain", "swapping neighbouring plain accesses of different locations is sound", swap, 4),
            ("drop-idle-load", "deleting a plain load whose value nobody uses is sound", drop, bound),
        ):
            found.append(
                Theorem(
                    f"M-REORD {rule} {value}",
                    f"{text}, with {name}={value}",
                    source,
                    of_rule(rule, ModelChoice("llvm", (setting,))),
                    expected,
                    bound=events,
                    corpus="mmra/Bridge+untagged-load" if value == "closure" else "",
                )
            )
    return tuple(found)
