"""Tests with other statements.

What goes in: a test, and what stands at some of its paths instead, or before them. What comes out: the test so changed,
its names, types and places as they were. Invariant: what is not named is as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from axmem.front.records import replace
from axmem.litmus.syntax import AccessStatement, AtomicRmw, CmpXchg, LitmusTest, Load, Statement, Store
from axmem.litmus.walk import Path, arms, located, units, with_arms


def rewritten(test: LitmusTest, change: Callable[[Path, Statement | None], Iterable[Statement]]) -> LitmusTest:
    """Return a test in which each statement is what `change` makes of it: none, one or several.

    The arms of an `If` are changed before the `If` itself. The end of a block has a path, too, and no statement.
    """

    def block(body: tuple[Statement, ...], path: Path) -> tuple[Statement, ...]:
        out: list[Statement] = []
        for index, statement in enumerate(body):
            here = (*path, index)
            if inside := arms(statement):
                statement = with_arms(statement, [block(inner, (*here, arm)) for arm, inner in inside])
            out += change(here, statement)
        return (*out, *change((*path, len(body)), None))

    bodies = [block(unit.body, (number,)) for number, unit in enumerate(units(test))]
    threads = tuple(replace(t, body=b) for t, b in zip(test.threads, bodies, strict=False))
    kernels = tuple(replace(k, body=b) for k, b in zip(test.kernels, bodies[len(threads) :], strict=True))
    return replace(test, threads=threads, kernels=kernels)


def mapped(test: LitmusTest, change: Callable[[Statement], Statement]) -> LitmusTest:
    """Return a test in which another statement stands for each."""
    return rewritten(test, lambda _, statement: () if statement is None else (change(statement),))


def untraced(test: LitmusTest) -> LitmusTest:
    """Return a test without what is known of the provenance of addresses: nothing in it is `noalias`."""

    def change(statement: Statement) -> Statement:
        if not isinstance(statement, Load | Store | AtomicRmw | CmpXchg) or statement.mode.provenance is None:
            return statement
        return replace(statement, mode=replace(statement.mode, provenance=None))

    traced = any(isinstance(s, AccessStatement) and s.mode.provenance is not None for _, s in located(test))
    return mapped(test, change) if traced else test


def edited(
    test: LitmusTest,
    replaced: Mapping[Path, tuple[Statement, ...]],
    inserted: Mapping[Path, tuple[Statement, ...]] | None = None,
) -> LitmusTest:
    """Return a test with statements replaced (by none: left out) and others inserted before those at some paths."""

    def change(path: Path, statement: Statement | None) -> tuple[Statement, ...]:
        return (*(inserted or {}).get(path, ()), *replaced.get(path, () if statement is None else (statement,)))

    return rewritten(test, change)
