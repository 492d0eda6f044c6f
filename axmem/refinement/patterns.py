"""Rules of the user: a row of operations that becomes another, with holes.

What goes in: a `Pattern`. What comes out: the change of programs that it means (`change_of`). A hole, whose name begins
with `$`, stands for the same ordering, scope, location or tags wherever it is. An operation that the rows share, by its
register or its value, is one slot of the skeleton; others are in one of the programs alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from axmem.encoder.circuit import FALSE, TRUE
from axmem.front.records import dataclass, replace
from axmem.front.source import Span
from axmem.litmus.words import NONE_TAG, SCOPE_OF, SYNCHRONIZING, Ordering, Scope, tag_text
from axmem.refinement.bounded.attributes import FENCE_TAGS, OperationAttributes, in_reach
from axmem.refinement.bounded.changes import Change, ProgramPair, any_operation, neighbours
from axmem.refinement.bounded.execution import Substitution
from axmem.refinement.bounded.literals import UnsupportedModel
from axmem.refinement.bounded.skeleton import Skeleton
from axmem.refinement.bounded.vocabulary import Compatibility, SymbolicProgram

NONE = tag_text(NONE_TAG)


@dataclass(frozen=True, slots=True)
class Hole:
    """Something that is left open."""

    name: str


@dataclass(frozen=True, slots=True)
class SlotPattern:
    """An operation of a row. `kind` is that of a slot, or `any` for an operation that is left open as a whole.

    `name` is its register, the hole of its value, or the name of the open operation; empty of a fence. `tags` are words
    of tags, or one hole.
    """

    kind: str
    span: Span
    name: str = ""
    location: str = ""
    ordering: Ordering | Hole = Ordering.NOT_ATOMIC
    scope: Scope | Hole = Scope.SYSTEM
    tags: tuple[str, ...] | Hole = ()
    volatile: bool = False
    av: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """`left relation right`; sides are holes or words. `what` says of what: location, ordering, scope or tags."""

    what: str
    left: str
    relation: str
    right: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """Slots, each an operation before and after (or one of them), both orders of them, and what stands for loads.

    An order may have a `GAP` at some places, as many in the one as in the other: there any operations of the context
    may stand. `copies` gives for the slot of a load that goes the slot of the load or store whose value its register
    has then.
    """

    name: str
    text: str
    slots: tuple[tuple[SlotPattern | None, SlotPattern | None], ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    copies: tuple[tuple[int, int], ...] = ()
    conditions: tuple[Condition, ...] = ()

    @property
    def gaps(self) -> int:
        """How many gaps the rows have."""
        return self.before.count(GAP)


GAP = -1
"""Stands in a row of slots for operations of the context."""


def change_of(pattern: Pattern, gaps: Sequence[int] = ()) -> Change:
    """Return the change that a pattern means, with so many operations of the context in each of its gaps.

    They stand in the skeleton after the pattern's own slots; the order of each program says where they are.
    """

    def change(skeleton: Skeleton, slot: int) -> ProgramPair | None:
        if not neighbours(skeleton, slot, len(pattern.slots) + sum(gaps)):
            return None
        return _Applied(pattern, skeleton, slot, gaps).pair()

    return change


class _Applied:
    """A pattern at a place of a skeleton: the literals of its holes, and the operations on both sides."""

    def __init__(self, pattern: Pattern, skeleton: Skeleton, slot: int, gaps: Sequence[int]) -> None:
        self.pattern, self.skeleton, self.base, self.gaps = pattern, skeleton, slot, gaps
        self.circuit = skeleton.circuit
        self.groups: dict[tuple[str, str], dict[Any, int]] = {}
        self.homes: dict[str, int] = {}

    def pair(self) -> ProgramPair:
        """Return any program that has the row, and what it becomes."""
        free = [any_operation(self.skeleton, i) for i in range(len(self.skeleton.slots))]
        compatibility = Compatibility(self.skeleton)
        programs = []
        for side, order in ((0, self.pattern.before), (1, self.pattern.after)):
            slots = list(free)
            homes: dict[int, int] = {}
            for k, steps in enumerate(self.pattern.slots):
                mine = free[self.base + k]
                step = steps[side]
                if side and step is not None and steps[0] is not None and step.kind != "any":
                    mine = any_operation(self.skeleton, self.base + k)
                slots[self.base + k] = replace(mine, present=FALSE) if step is None else mine
                if step is not None and step.kind != "any":
                    self._is(mine, step)
                    homes[self.base + k] = self._home(self.base + k, step, side)
                    if not isinstance(step.tags, Hole) and not set(step.tags) - {NONE}:
                        slots[self.base + k] = mine.untagged()
            in_reach(self.skeleton, slots)
            names = {home: hole.removeprefix("$") for hole, home in self.homes.items()}
            alike = Compatibility(self.skeleton, compatibility.table, homes, names)
            programs.append(SymbolicProgram(self.skeleton, slots, alike, self._order(order)))
        self._conditions(programs[0].compatibility, programs[0].slots)
        return ProgramPair(programs[0], programs[1], self._substitution())

    # ------------------------------------------------------------ one operation

    def _is(self, a: OperationAttributes, step: SlotPattern) -> None:
        """Assert that an operation is what a step says."""
        circuit = self.circuit
        circuit.add(self._known(a.kinds, step.kind))
        self._among(a.orderings, "ordering", step.ordering)
        if isinstance(step.ordering, Hole):
            circuit.add(-a.plain)
        self._among(a.scopes, "scope", step.scope)
        if step.location:
            self._among(dict(enumerate(a.locations)), "location", Hole(step.location))
        circuit.add(a.volatile if step.volatile else -a.volatile)
        circuit.add(a.av if step.av else -a.av)
        self._tags(a, step)

    def _among(self, group: Mapping[Any, int], what: str, wanted: object) -> None:
        if not isinstance(wanted, Hole):
            self.circuit.add(self._known(group, wanted))
            return
        hole = self._hole(what, wanted.name, group)
        for key, literal in group.items():
            self._same(literal, hole[key])

    def _known(self, group: Mapping[Any, int], key: object) -> int:
        """Return a literal of a group; raise UnsupportedModel if the space lacks it: nothing would be checked."""
        if group.get(key, FALSE) == FALSE:
            raise UnsupportedModel(f"the space has no {getattr(key, 'value', key)}")
        return group[key]

    def _hole(self, what: str, name: str, keys: Mapping[Any, int]) -> dict[Any, int]:
        if (what, name) not in self.groups:
            self.groups[what, name] = made = {key: self.circuit.variable() for key in keys}
            self.circuit.exactly_one(list(made.values()))
        return self.groups[what, name]

    def _tags(self, a: OperationAttributes, step: SlotPattern) -> None:
        """Assert the tags of an operation; amdgcn-av:none counts only on what synchronizes."""
        known = (NONE_TAG, *FENCE_TAGS, *self.skeleton.bound.tags)
        bits: dict[Any, int] = {tag_text(tag): a.tags.get(tag, FALSE) for tag in known}
        synchronizing = a.ordered(self.circuit, SYNCHRONIZING)
        if isinstance(step.tags, Hole):
            if ("tags", step.tags.name) not in self.groups:
                opened = {name: self.circuit.variable() if x != FALSE else FALSE for name, x in bits.items()}
                self.groups["tags", step.tags.name] = {**opened, "tagged": self.circuit.variable()}
            hole = self.groups["tags", step.tags.name]
            for name, x in bits.items():
                effective = self.circuit.both(hole[name], synchronizing) if name == NONE else hole[name]
                self._same(x, effective)
            if self.skeleton.bound.any_tags:
                self._same(a.tagging, hole["tagged"])
            return
        for name in set(step.tags) - {NONE}:
            self._known(bits, name)
        for name, x in bits.items():
            wanted = TRUE if name in step.tags else FALSE
            self._same(x, self.circuit.both(wanted, synchronizing) if name == NONE else wanted)
        if self.skeleton.bound.any_tags:
            self.circuit.add(a.tagging if set(step.tags) - {NONE} else -a.tagging)

    def _home(self, slot: int, step: SlotPattern, side: int) -> int:
        """Return whose tags an operation has: those of the first with the same hole, or its own on this side."""
        if isinstance(step.tags, Hole):
            return self.homes.setdefault(step.tags.name, slot)
        return len(self.skeleton.slots) * (side + 1) + slot

    def _same(self, x: int, y: int) -> None:
        if x != y:
            self.circuit.add(-x, y)
            self.circuit.add(x, -y)

    # ------------------------------------------------------------ the row

    def _order(self, row: tuple[int, ...]) -> Callable[[int, int], int]:
        """Return the order of a thread's operations in one of the programs; those that only the other has come last of
        the row, so that a register that is copied is there."""
        own, slots = len(self.pattern.slots), self.skeleton.slots
        between = iter(range(self.base + own, len(slots)))
        context = iter(self.gaps)
        middle: list[int] = []
        for k in row:
            middle += [self.base + k] if k != GAP else [next(between) for _ in range(next(context))]
        middle += [self.base + k for k in range(own) if k not in row]
        places = {slot: self.base + position for position, slot in enumerate(middle)}

        def order(i: int, j: int) -> int:
            if slots[i].thread != slots[j].thread:
                return FALSE
            return TRUE if places.get(i, i) < places.get(j, j) else FALSE

        return order

    def _substitution(self) -> Substitution:
        """Say what operations that go did: a load what stands for it, a store what the next store to its place does."""
        copies, skeleton = dict(self.pattern.copies), self.skeleton
        reading, forwarded, writing, idle = {}, {}, {}, set()
        for k, (before, after) in enumerate(self.pattern.slots):
            if before is None or after is not None:
                continue
            if before.kind == "load":
                read = skeleton.reading(self.base + k)
                other = self.pattern.slots[copies[k]][1] if k in copies else None
                if other is not None and other.kind == "store":
                    forwarded[read] = skeleton.writing(self.base + copies[k])
                elif other is not None:
                    reading[read] = skeleton.reading(self.base + copies[k])
                else:
                    idle.add(read)
            elif before.kind == "store":
                over = self._overwriting(k, before)
                if over is not None:
                    writing[skeleton.writing(self.base + k)] = skeleton.writing(self.base + over)
        return Substitution(reading, forwarded, writing, frozenset(idle))

    def _overwriting(self, k: int, gone: SlotPattern) -> int | None:
        row = self.pattern.before
        for other in row[row.index(k) + 1 :]:
            if other == GAP:
                continue
            before, after = self.pattern.slots[other]
            if before is not None and after is not None and before.kind == "store" and before.location == gone.location:
                return other
        return None

    # ------------------------------------------------------------ conditions

    def _conditions(self, compatibility: Compatibility, slots: Sequence[OperationAttributes]) -> None:
        for c in self.pattern.conditions:
            if c.what == "tags":
                both = compatibility.between(slots, self.homes[c.left], self.homes[c.right])
                self.circuit.add(both if c.relation == "compatible" else -both)
                continue
            left, right = self._side(c.what, c.left), self._side(c.what, c.right)
            for x, a in left.items():
                for y, b in right.items():
                    if not _holds(c.relation, x, y):
                        self.circuit.add(-a, -b)

    def _side(self, what: str, text: str) -> dict[Any, int]:
        if text.startswith("$"):
            return self.groups[what, text]
        return {(Ordering(text) if what == "ordering" else SCOPE_OF[text]): TRUE}


def _holds(relation: str, x: object, y: object) -> bool:
    """Tell whether a relation holds; orderings and scopes have an order, from the weaker to the stronger."""
    if relation in ("=", "!="):
        return (x == y) == (relation == "=")
    small, large = (x, y) if relation == "<=" else (y, x)
    if isinstance(small, Scope) and isinstance(large, Scope):
        return small <= large
    assert isinstance(small, Ordering) and isinstance(large, Ordering)
    return large.at_least(small)
