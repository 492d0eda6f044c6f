"""Tests with other statements, and the files they become.

What goes in: a test, and what stands at some of its paths instead, or before them. What comes out: the test so changed.
Invariant: what is not named is as it was; a patched file reads back as the test that was checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from axmem.litmus.syntax import If, LitmusTest, Statement
from axmem.repair.sites import OWN, Path, Site


def with_statements(
    test: LitmusTest, replaced: Mapping[Path, Statement | None], inserted: Mapping[Path, tuple[Statement, ...]]
) -> LitmusTest:
    """Return a test with statements replaced (by None: left out) and others inserted before those at some paths."""
    threads = tuple(
        replace(thread, body=_block(thread.body, (number,), replaced, inserted))
        for number, thread in enumerate(test.threads)
    )
    return replace(test, threads=threads)


def _block(
    body: tuple[Statement, ...],
    path: Path,
    replaced: Mapping[Path, Statement | None],
    inserted: Mapping[Path, tuple[Statement, ...]],
) -> tuple[Statement, ...]:
    out: list[Statement] = []
    for index, statement in enumerate(body):
        here = (*path, index)
        out += inserted.get(here, ())
        if isinstance(statement, If):
            then = _block(statement.then, (*here, "then"), replaced, inserted)
            otherwise = _block(statement.otherwise, (*here, "else"), replaced, inserted)
            out.append(replace(statement, then=then, otherwise=otherwise))
            continue
        now = replaced.get(here, statement)
        out += [] if now is None else [now]
    return (*out, *inserted.get((*path, len(body)), ()))


def patched(test: LitmusTest, sites: tuple[Site, ...], point: tuple[int, ...]) -> LitmusTest:
    """Return a test in which each site has the state that a point chooses for it."""
    replaced: dict[Path, Statement | None] = {}
    inserted: dict[Path, tuple[Statement, ...]] = {}
    for site, chosen in zip(sites, point, strict=True):
        statement = site.states[chosen].statement
        if site.slot == OWN:
            if chosen != site.original:
                replaced[site.path] = statement
        elif statement is not None:
            inserted[site.path] = (*inserted.get(site.path, ()), statement)
    return with_statements(test, replaced, inserted)
