"""The LoopIDs of loops that transformations make, as `axmem.transform.followups` has them.

What goes in: which pass leaves which kind of loop, and the LoopID of the loop before. What comes out: a LoopID with a
name of its own, or none. Invariant: a loop whose attributes stay keeps its LoopID.
"""

from __future__ import annotations

from collections.abc import Collection

from axmem.litmus.blocks import ControlFlow
from axmem.litmus.kernels import Branch, Terminator
from axmem.litmus.loop_printer import loop_ids, promises_made
from axmem.litmus.loops import LoopID
from axmem.litmus.syntax import AccessMode, LitmusTest
from axmem.transform.attributes import attributes_of
from axmem.transform.followups import followup_loop, written
from axmem.transform.passes import Profile, When, passes
from axmem.transform.unroll_decisions import is_asked


class Identities:
    """Makes LoopIDs with names that nothing of a graph has."""

    def __init__(self, flow: ControlFlow, reserved: Collection[str] = ()) -> None:
        self._taken = set(reserved) | {name for block in flow.blocks for name in _of(block.terminator)}
        for block in flow.blocks:
            for statement in block.statements:
                mode = getattr(statement, "mode", None)
                if isinstance(mode, AccessMode) and mode.promises is not None:
                    self._taken |= {*mode.promises.groups, *mode.promises.loops}
        self._passes = passes(Profile.LLVM_22)

    def made(self, pass_: str, kind: str, old: LoopID | None, inner: LoopID | None = None) -> LoopID | None:
        """Return the LoopID of a kind of loop that a pass makes of a loop; `inner` is that of the loop in it."""
        by = self._passes[pass_]
        when = frozenset({When.FORCED} if is_asked(attributes_of(old)) else ())
        found = followup_loop(by, by.makeup(kind), written(old), when, written(inner))
        if found is None or found.name:
            return next((each for each in (old, inner) if found is not None and each and each.name == found.name), None)
        return found.loop_id(self.fresh())

    def fresh(self) -> str:
        """Return a name that nothing has, each time another."""
        name = next(n for k in range(len(self._taken) + 1) if (n := str(k)) not in self._taken)
        self._taken.add(name)
        return name


def _of(terminator: Terminator) -> set[str]:
    return names_of(terminator.loop) if isinstance(terminator, Branch) else set()


def names_of(identity: LoopID | None) -> set[str]:
    """Return the names that a LoopID brings: its own, those in its followups, and those of access groups."""
    if identity is None:
        return set()
    found, waiting = {identity.name}, list(identity.attributes)
    while waiting:
        attribute = waiting.pop()
        found |= set(attribute.groups) | {inner.name for inner in attribute.loop_ids}
        waiting += [*attribute.attributes, *(a for inner in attribute.loop_ids for a in inner.attributes)]
    return found


def names_in(test: LitmusTest) -> frozenset[str]:
    """Return the names of all LoopIDs and access groups of a test."""
    promised = (name for promises in promises_made(test) for name in (*promises.groups, *promises.loops))
    return frozenset(promised).union(*map(names_of, loop_ids(test)))
