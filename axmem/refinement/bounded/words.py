"""The lists of words that say which programs are searched.

What goes in: the text of an option. What comes out: the words' meanings, each once. Raises InputError at the words that
mean nothing. `none` alone is the empty list, where a list may be empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.litmus.words import PLACED, SCOPE_OF, Ordering, Scope, Tag
from axmem.refinement.bounded.constructs import NAMES

T = TypeVar("T")

NOTHING = "none"
_TAG = re.compile(r"[^\s:,\"]+:[^\s:,\"]+")


def constructs(text: str) -> frozenset[str]:
    """Read constructs."""
    return frozenset(_meanings("--constructs", text, {name: name for name in NAMES}))


def orderings(text: str) -> frozenset[Ordering]:
    """Read orderings in LLVM's spelling, `not_atomic` for plain accesses; there is one at least."""
    return frozenset(_meanings("--orderings", text, {o.value: o for o in Ordering}, empty=False))


def scopes(text: str) -> frozenset[Scope]:
    """Read scopes; there is one at least."""
    return frozenset(_meanings("--scopes", text, SCOPE_OF, empty=False))


def levels(text: str) -> tuple[Scope, ...]:
    """Read levels of the scope hierarchy."""
    return tuple(_meanings("--placements", text, {level.word: level for level in PLACED}))


def tags(text: str) -> tuple[Tag, ...]:
    """Read an alphabet of tags."""
    words = [] if text.strip() == NOTHING else listed(text)
    wrong = [(word, column) for word, column in words if not _TAG.fullmatch(word)]
    if wrong or not text.strip():
        raise InputError(
            _about("--tags", text, w, c, message=f"'{w}' is no tag", hint="prefix:suffix")
            for w, c in wrong or [("", 1)]
        )
    return tuple(dict.fromkeys((word.partition(":")[0], word.partition(":")[2]) for word, _ in words))


_LISTS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "constructs": ("constructs", constructs),
    "orderings": ("orderings", orderings),
    "scopes": ("scopes", scopes),
    "tags": ("tags", tags),
    "placements": ("levels", levels),
}
"""For each option the field of `Wanted` that it says, and what reads it."""


def lists(**texts: str | None) -> dict[str, Any]:
    """Read the options that are given, by their names; return what they say as fields of `Wanted`."""
    return {_LISTS[name][0]: _LISTS[name][1](text) for name, text in texts.items() if text is not None}


def _meanings(option: str, text: str, table: Mapping[str, T], *, empty: bool = True) -> list[T]:
    if empty and text.strip() == NOTHING:
        return []
    words = listed(text)
    wrong = [(word, column) for word, column in words if word not in table]
    known = f"known: {', '.join(table)}"
    if wrong or not words:
        raise InputError(
            _about(option, text, w, c, message=f"unknown word '{w}'", hint=did_you_mean(w, table) or known)
            for w, c in wrong or [("", 1)]
        )
    return [table[word] for word in dict.fromkeys(word for word, _ in words)]


def listed(text: str) -> list[tuple[str, int]]:
    """Return the words of a list, separated by commas or blanks, each with its column."""
    return [(match.group(), match.start() + 1) for match in re.finditer(r"[^,\s]+", text)]


def _about(option: str, text: str, word: str, column: int, *, message: str, hint: str) -> Diagnostic:
    return Diagnostic(Source(option, text), Span(1, column, max(1, len(word))), message, hint)
