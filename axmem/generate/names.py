"""Names of tests: the family and, joined by `+`, what decorates each thread.

What goes in: an oriented cycle. What comes out: its name, safe as the name of a file. Where the accesses that do not
synchronize are all plain, or all monotonic (`atomics`), only the decorations of the others are named:
`MP+rel.ag+acq.ag`.
"""

from __future__ import annotations

import re

from axmem.generate.cycles import Cycle
from axmem.generate.edges import DEPENDENCIES, CycleEdge, EdgeKind
from axmem.generate.families import family_name, is_coherence
from axmem.generate.marks import DEFAULT, PLAIN, mark_name


def synchronizing(cycle: Cycle) -> frozenset[int]:
    """Return the accesses at the ends of reads-from edges between threads or, where there is none, every access.

    A read-modify-write is the event of its read.
    """
    size = len(cycle)
    ends = [e for i, edge in enumerate(cycle.edges) if edge.external and edge.kind is EdgeKind.READS_FROM
            for e in (i, (i + 1) % size)]  # fmt: skip
    return frozenset(e - 1 if cycle.edges[e - 1].kind is EdgeKind.UPDATE else e for e in ends or range(size))


def name_of(cycle: Cycle) -> str:
    """Return the name of an oriented cycle."""
    base = family_name(cycle)
    common, listed = _listed(cycle)
    labels = [_label(cycle, thread, listed) for thread in cycle.threads()]
    if not listed and all(label in ("", "pos" if is_coherence(base) else "po") for label in labels):
        labels = []
    parts = [base, *([common] if common else []), *(label for label in labels if label)]
    return re.sub(r"[^A-Za-z0-9._+-]", "_", "+".join(parts))


def accesses(cycle: Cycle) -> frozenset[int]:
    """Return the events but the second halves of read-modify-writes."""
    return frozenset(i for i in range(len(cycle)) if cycle.edges[i - 1].kind is not EdgeKind.UPDATE)


def _listed(cycle: Cycle) -> tuple[str, frozenset[int]]:
    """Return the word for the accesses that are not listed, and the accesses whose decorations are."""
    every = accesses(cycle)
    marks = {cycle.mark(event) for event in every}
    if marks == {DEFAULT}:
        return "", frozenset()
    if marks == {PLAIN}:
        return "plain", frozenset()
    listed = synchronizing(cycle)
    rest = {cycle.mark(event) for event in every - listed}
    if rest == {PLAIN}:
        return "", listed
    return ("atomics", listed) if rest == {DEFAULT} else ("", every)


def _label(cycle: Cycle, thread: tuple[int, ...], listed: frozenset[int]) -> str:
    """Return what decorates one thread."""
    own = accesses(cycle).intersection(thread)
    shown = own & listed
    words = []
    for event in thread:
        if event in shown:
            words.append(mark_name(cycle.mark(event)))
        edge = cycle.edges[event]
        plain = edge.kind is EdgeKind.PROGRAM_ORDER and not edge.same
        if event != thread[-1] and (not plain or len(thread) > 2 or not shown):
            words.append(edge.name + _direction(cycle, thread, event))
    if shown == own and len(set(words)) == 1 and len(synchronizing(cycle) & own) != 1:
        return words[0]
    return "-".join(words)


def _direction(cycle: Cycle, thread: tuple[int, ...], event: int) -> str:
    """Return the direction of an edge's target where neither this edge nor the next one tells it."""
    edge, after = cycle.edges[event], cycle.edges[(event + 1) % len(cycle)]
    if event == thread[-2] or not _open(edge) or not _open(after) or after.kind in DEPENDENCIES:
        return ""
    return edge.target


def _open(edge: CycleEdge) -> bool:
    return edge.kind in (EdgeKind.PROGRAM_ORDER, EdgeKind.FENCE, EdgeKind.ADDRESS, EdgeKind.CONTROL)


class TestNames:
    """The names given in one run; no two of them are one file where the case of letters makes no difference."""

    def __init__(self) -> None:
        self.given: set[str] = set()

    def unique(self, name: str) -> str:
        """Return the name, with a number if it was given before."""
        result, number = name, 2
        while result.casefold() in self.given:
            result, number = f"{name}+{number}", number + 1
        self.given.add(result.casefold())
        return result
