"""Annotations and their changes in words.

What goes in: annotations before and after. What comes out: each change with the kind of edit that it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.litmus.words import NONE_TAG, Ordering, SyncScope, tag_text
from axmem.repairs.strength import Strength

EDIT_KINDS = {
    "ordering": "a stronger ordering of an atomic operation or fence",
    "scope": "a wider scope",
    "access": "av or atomic in place of a plain access, atomic in place of av",
    "fence": "a new fence",
    "barrier": "a new barrier of a kernel's workgroup, with fences around it",
    "make": "a new make.available or make.visible",
    "none": "no amdgcn-av:none",
    "tags": "no tags of some prefix",
    "silent": "amdgcn-av:none on an ordering that is new",
}
"""The kinds of edits by the names that `--edits` has for them."""

DEFAULT_KINDS = frozenset(EDIT_KINDS) - {"silent"}
"""The kinds that are tried unless others are asked for."""

KERNEL_KINDS = DEFAULT_KINDS - {"access", "make"}
"""Those of kernels: what their languages have words for."""


def changes(before: Strength | None, after: Strength | None) -> Iterator[tuple[str, str]]:
    """Yield what is different, as a kind of edit and in words; None is an instruction that is not there."""
    if before is None or after is None:
        inserted = after if before is None else before
        if inserted is not None:
            kind = "make" if inserted.av else "fence"
            yield kind, "inserted" if before is None else "removed"
        if after is not None and after.silent:
            yield "silent", f"with {tag_text(NONE_TAG)}"
        return
    if before.av != after.av or (before.rank == 0) != (after.rank == 0):
        yield "access", f"{_word(before)} → {_word(after)}{_at(before, after)}"
    elif before.ordering is not after.ordering:
        yield "ordering", f"{_word(before)} → {_word(after)}"
    if before.failure is not after.failure:
        yield "ordering", f"on failure {before.failure.value} → {after.failure.value}"
    if before.scope is not None and after.scope is not None and before.scope != after.scope:
        yield "scope", f"{_scope(before.scope)} → {_scope(after.scope)}"
    if before.silent != after.silent:
        yield ("none", "without " + tag_text(NONE_TAG)) if before.silent else ("silent", "with " + tag_text(NONE_TAG))
    for prefix in sorted({p for p, _ in before.tags} - {p for p, _ in after.tags}):
        yield "tags", f"without tags of {prefix}"


def words(before: Strength | None, after: Strength | None) -> tuple[str, ...]:
    """Return the edits in words. An ordering that is new is one edit, also if it carries amdgcn-av:none."""
    found: list[str] = []
    kinds: list[str] = []
    for kind, text in changes(before, after):
        if kind == "silent" and {"ordering", "access", "fence"} & set(kinds):
            found[0] = f"{found[0]} {text}"
        else:
            found.append(text)
        kinds.append(kind)
    return tuple(found)


def _at(before: Strength, after: Strength) -> str:
    return f" at {_scope(after.scope)}" if before.scope is None and after.scope is not None else ""


def _word(strength: Strength) -> str:
    if strength.av:
        return "av"
    return "plain" if strength.ordering is Ordering.NOT_ATOMIC else strength.ordering.value


def _scope(scope: SyncScope) -> str:
    return scope.level.word + ("-one-as" if scope.one_as else "")
