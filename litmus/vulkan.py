"""What Vulkan says of operations that LLVM IR has no words for, as tags.

What goes in: nothing. What comes out: the tags by which a test carries what Vulkan's model asks of its operations, and
the tags that say under which name an access reaches its location and between which threads the system synchronizes.
Invariant: each of these prefixes has the one suffix `vulkan`, so that two operations are compatible whatever they carry
of them: to the models of AMDGPU and LLVM these tags mean nothing.
"""

from __future__ import annotations

from axmem.litmus.words import VULKAN_PREFIX, Tag

CLASSES = ("sc0", "sc1")
"""The storage classes: an access is in one of them."""
SEMANTICS = {"sc0": "semsc0", "sc1": "semsc1"}
"""For each storage class the word for an operation whose semantics concern it."""
SEMAV, SEMVIS = "semav", "semvis"
"""Semantics that make what is before available, and what is after visible."""
AVDEVICE, VISDEVICE = "avdevice", "visdevice"
"""The operations of the device's domain."""

WORDS = (*CLASSES, *SEMANTICS.values(), SEMAV, SEMVIS, AVDEVICE, VISDEVICE)

_REFERENCE, _BEFORE, _AFTER = "ref.", "ssw-before.", "ssw-after."


def mark(word: str) -> Tag:
    """Return the tag of one of `WORDS`."""
    return word, VULKAN_PREFIX


def reference(name: str) -> Tag:
    """Return the tag of an access that reaches its location under a second name."""
    return mark(_REFERENCE + name)


def system_synchronizes(first: str, second: str) -> tuple[Tag, Tag]:
    """Return the tag of all operations of a thread, and that of all of another, with which the first synchronizes."""
    return mark(f"{_BEFORE}{first}.{second}"), mark(f"{_AFTER}{first}.{second}")


def references(tags: frozenset[Tag]) -> frozenset[str]:
    """Return the second names that tags say, at most one."""
    return _names(tags, _REFERENCE)


def synchronizations(tags: frozenset[Tag], *, before: bool) -> frozenset[str]:
    """Return the pairs of threads that the system synchronizes, by those in whose first (or second) thread this is."""
    return _names(tags, _BEFORE if before else _AFTER)


def is_known(tag: Tag) -> bool:
    """Tell whether a tag is one of these."""
    prefix, suffix = tag
    return suffix == VULKAN_PREFIX and (prefix in WORDS or prefix.startswith((_REFERENCE, _BEFORE, _AFTER)))


def _names(tags: frozenset[Tag], beginning: str) -> frozenset[str]:
    return frozenset(p.removeprefix(beginning) for p, s in tags if s == VULKAN_PREFIX and p.startswith(beginning))
