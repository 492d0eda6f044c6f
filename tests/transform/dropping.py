"""Metadata dropped from the tests of the corpus: what their outcomes are then.

What goes in: a test. What comes out: the test without any tags, or without those of one statement; the test without
LoopIDs; and whether it then does only what it did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from axmem.litmus.loops import LoopID
from axmem.litmus.syntax import Branch, For, LitmusTest, Make, Statement, While
from axmem.litmus.walk import Path, arms, located, units, with_arms
from axmem.litmus.words import PRIVATE_TAG, Ordering

Change = Callable[[Path, Statement], Statement]


def changed(test: LitmusTest, change: Change) -> LitmusTest:
    """Return a test in which something else stands for each statement."""
    bodies = [_changed(unit.body, (number,), change) for number, unit in enumerate(units(test))]
    threads = len(test.threads)
    return replace(
        test,
        threads=tuple(replace(t, body=body) for t, body in zip(test.threads, bodies[:threads], strict=True)),
        kernels=tuple(replace(k, body=body) for k, body in zip(test.kernels, bodies[threads:], strict=True)),
    )


def _changed(body: tuple[Statement, ...], path: Path, change: Change) -> tuple[Statement, ...]:
    found = []
    for number, statement in enumerate(body):
        here = (*path, number)
        inner = [_changed(each, (*here, arm), change) for arm, each in arms(statement)]
        found.append(change(here, with_arms(statement, inner) if inner else statement))
    return tuple(found)


def tagged(test: LitmusTest) -> list[Path]:
    """Return the statements of a test that have tags."""
    return [path for path, statement in located(test) if untagged(statement) != statement]


def untagged(statement: Statement) -> Statement:
    """Return a statement without tags."""
    if isinstance(statement, Make):
        return replace(statement, tags=frozenset())
    mode = getattr(statement, "mode", None)
    return statement if mode is None else replace(statement, mode=replace(mode, tags=frozenset()))


def without_tags(test: LitmusTest) -> Iterator[tuple[str, LitmusTest, bool]]:
    """Yield a test without any tags, and without those of each statement.

    The last says that an atomic alone loses `vulkan:private`, and counts as nonprivate: docs/references.md has it as
    the one place where that weakens, unless atomics without a tag are compatible with everything.
    """
    paths = tagged(test)
    yield "all", changed(test, lambda _, statement: untagged(statement)), False
    found = dict(located(test))
    for path in paths if len(paths) > 1 else ():
        without = changed(test, lambda here, s, path=path: untagged(s) if here == path else s)  # type: ignore[misc]
        yield f"{path}", without, _private(found[path])


def _private(statement: Statement) -> bool:
    """Whether a statement is an atomic that is private for Vulkan."""
    mode = getattr(statement, "mode", None)
    return mode is not None and mode.ordering is not Ordering.NOT_ATOMIC and PRIVATE_TAG in mode.tags


def loop_ids(test: LitmusTest) -> list[LoopID]:
    """Return the LoopIDs of a test."""
    return [s.loop for _, s in located(test) if isinstance(s, Branch | While | For) and s.loop is not None]


def without_loop_ids(test: LitmusTest) -> LitmusTest:
    """Return a test without LoopIDs."""
    return changed(test, lambda _, s: replace(s, loop=None) if isinstance(s, Branch | While | For) else s)
