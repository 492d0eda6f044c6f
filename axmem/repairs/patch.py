"""Tests with other statements, and the files they become.

What goes in: a test, and what stands at some of its paths instead, or before them. What comes out: the test so changed.
Invariant: what is not named is as it was; a patched file reads back as the test that was checked.
"""

from __future__ import annotations

from axmem.litmus.edit import edited
from axmem.litmus.syntax import LitmusTest, Statement
from axmem.litmus.walk import Path
from axmem.repairs.sites import OWN, Site


def patched(test: LitmusTest, sites: tuple[Site, ...], point: tuple[int, ...]) -> LitmusTest:
    """Return a test in which each site has the state that a point chooses for it."""
    replaced: dict[Path, tuple[Statement, ...]] = {}
    inserted: dict[Path, tuple[Statement, ...]] = {}
    for site, chosen in zip(sites, point, strict=True):
        statement = site.states[chosen].statement
        if site.slot == OWN:
            if chosen != site.original:
                replaced[site.path] = () if statement is None else (statement,)
        elif statement is not None:
            inserted[site.path] = (*inserted.get(site.path, ()), *site.states[chosen].statements)
    return edited(test, replaced, inserted)
