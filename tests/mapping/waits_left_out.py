"""Waits of any assembly left out, one at a time: whether that is caught, and if not which other wait does the same.

What goes in: assembly and a target. What comes out: what becomes of each wait. It is *caught* if a hazard appears that
was not there; *idle* if no register waits for what it settles (it may order memory); *subsumed* if other waits, which
are named, settle all of that later, before anybody touches it; *unused* if nobody touches it and nothing settles it.
`used_at_once` of `dropped_waits` says by the text alone what must be caught: else a wait was *overlooked*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from axmem.codegen.assembly.boards import PATH, Pending
from axmem.codegen.assembly.code import Code, CodeFunction, code_of
from axmem.codegen.assembly.flow import Ways, functions_of
from axmem.codegen.assembly.scoreboard import Found, Scoreboard
from axmem.codegen.assembly.text import read_listing
from axmem.codegen.assembly.waits import limits_of
from axmem.codegen.machine.families import machine_of
from axmem.codegen.tables import TargetFamily
from axmem.codegen.targets import target
from axmem.front.records import replace
from tests.mapping.dropped_waits import used_at_once


@dataclass(frozen=True)
class LeftOut:
    """What became of a wait: its line, and in `by` the lines of those that do the same."""

    line: int
    text: str
    why: str
    by: tuple[int, ...] = ()


def left_out(text: str, processor: str, chosen: frozenset[int] | None = None) -> Iterator[LeftOut]:
    """Yield what becomes of each wait, or of those at some lines of the text."""
    listing, family = read_listing(text, "any.s"), target(processor).family
    code, lines = code_of(listing), text.split("\n")
    for function, ways in functions_of(code):
        judged = partial(_judged, code, function, ways, family)
        whole = judged()
        reached = sorted({k for start, _ in ways.after for k in range(start, ways.ends[start])})
        for index in reached:
            line = code.lines[index]
            if not limits_of(line, family) or (chosen is not None and line.span.line not in chosen):
                continue
            mine = {one for one in whole.settled.get(index, ()) if one != PATH}
            if not mine:
                yield LeftOut(line.span.line, line.text, "idle")
                continue
            without = judged(index)
            if set(without.hazards) - set(whole.hazards):
                yield LeftOut(line.span.line, line.text, "caught")
            elif used_at_once(lines, line.span.line - 1):
                yield LeftOut(line.span.line, line.text, "overlooked")
            else:
                by = _settling(without, mine)
                named = tuple(code.lines[k].span.line for k in by)
                yield LeftOut(line.span.line, line.text, "subsumed" if by else "unused", named)


def _judged(code: Code, function: CodeFunction, ways: Ways, family: TargetFamily, *gone: int) -> Found:
    """Return what is found of a function without the waits at some lines."""
    touched, called = dict(enumerate(code.touched)), function.span if ways.returns else None
    every = frozenset(machine_of(family.name).counters) | {"expcnt"}
    kept = [replace(line, left_out=every) if k in gone else line for k, line in enumerate(code.lines)]
    return Scoreboard(function.name, kept, touched, family, ways, called=called).found()


def _settling(found: Found, mine: set[Pending]) -> list[int]:
    """Return the lines that settle some of what a wait settled."""
    return sorted(k for k, settled in found.settled.items() if settled & mine)
