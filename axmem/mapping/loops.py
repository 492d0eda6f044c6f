"""What loops that wait need to end: elements of the code, and groups of which one has to stay.

What goes in: elements, and what waits for ever without some of them. What comes out: `LoopNeeds`. Invariant: of a group
none is needed alone; what rests on a search that was cut is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from axmem.codegen.machine.hangs import Hang
from axmem.codegen.machine.program import ProgramElement
from axmem.encoder.solve import Row
from axmem.front.records import dataclass, field
from axmem.mapping.elements import Elements, smallest
from axmem.mapping.verification import EndlessLoop


@dataclass(frozen=True, slots=True)
class NeedsGroup:
    """Elements of which one has to stay: without all of them outcomes appear that the model does not permit, or a loop
    waits for ever; without all but any one of them nothing does."""

    elements: Elements
    gained: tuple[Row, ...] = ()
    endless: tuple[EndlessLoop, ...] = ()


@dataclass(frozen=True, slots=True)
class LoopNeeds:
    """What loops that wait need to end: elements without one of which one does not, groups of which one has to stay,
    and elements of which that is not known."""

    alone: Mapping[ProgramElement, EndlessLoop] = field(default_factory=dict)
    groups: tuple[NeedsGroup, ...] = ()
    cut: frozenset[ProgramElement] = frozenset()
    exact: bool = True


Loops: TypeAlias = Callable[[Elements], Mapping[Hang, EndlessLoop] | None]
"""The loops that wait for ever without some elements, None if a search was cut."""


def loop_needs(asked: Elements, free: Elements, loops: Loops) -> LoopNeeds:
    """Return what loops need of the elements that are asked about; sets are left out of those that are `free`."""
    whole = loops(())
    if whole is None:
        return LoopNeeds(cut=frozenset(asked), exact=False)

    def new(gone: Elements) -> list[EndlessLoop] | None:
        found = loops(gone)
        return None if found is None else [loop for same, loop in found.items() if same not in whole]

    bare = new(free)
    if bare == [] and asked == free:  # what ends without all of them ends without one
        return LoopNeeds()
    without = {element: new((element,)) for element in asked}
    alone = {element: some[0] for element, some in without.items() if some}
    cut = frozenset(element for element, some in without.items() if some is None)
    if not bare:
        return LoopNeeds(alone, cut=cut, exact=bare is not None)
    universe = [element for element in free if element in without and element not in alone]
    sets = smallest(universe, lambda gone: None if (some := new(gone)) is None else bool(some))
    groups = tuple(NeedsGroup(some, endless=tuple(new(some) or ())) for some in sets.sets)
    return LoopNeeds(alone, groups, cut, sets.exact)
