"""Tests as programs build them: syntax trees behind which no text stands.

What goes in: a test that was read. What comes out: the same tree without any place in a text.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from axmem.front.source import NOWHERE, Source, Span
from axmem.litmus.syntax import LitmusTest


def built(test: LitmusTest) -> LitmusTest:
    """Return a test as a program would build it: no part of it knows where it stands in a text."""
    return cast(LitmusTest, _bare(test))


def _bare(value: Any) -> Any:
    if isinstance(value, Span):
        return NOWHERE
    if isinstance(value, Source):
        return Source("", "")
    if isinstance(value, tuple):
        return tuple(map(_bare, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _bare(getattr(value, f.name)) for f in fields(value)})
    return value
