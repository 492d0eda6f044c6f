"""States of the machine, and what a stream's expressions are worth in them.

A state is a tuple of tuples, so that it can be hashed: see `MachineState`. Values that reads have not returned yet are
None; what depends on them raises `NotYet`.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from axmem.events.graph import Choice, Guard
from axmem.events.values import Expr, Value, choices_of, evaluate, reads_of

Cells: TypeAlias = tuple[Value | None, ...]
"""A value for each cell of a group, None where there is none (or where a store writes none)."""


class CacheLine(NamedTuple):
    """A line: its cells, and in `dirty` a bit for each that is."""

    cells: Cells
    dirty: int


class ChannelItem(NamedTuple):
    """What is in a channel or queue.

    What it does (`Does`), the stream and the number of its operation (-1 for a written-back line), its group, which of
    the operation's footprints it is, and what a store writes (else nothing).
    """

    does: int
    stream: int
    number: int
    group: int
    footprint: int = 0
    cells: Cells = ()


class MachineState(NamedTuple):
    """A state of the machine.

    `next` has for each stream the number of its next operation; `reads` a value for each read; `pending` for each
    stream a bit for each operation and group that is not complete. `lines` and `channels` hold what is there, in order
    of their numbers: node times groups plus group (the channel is that from the node to its parent); `queues` has one
    for each wave, to LDS. The root's lines are memory, LDS included. `again` has for each stream a bit for each
    operation that was replayed.
    """

    next: tuple[int, ...]
    reads: tuple[Value | None, ...]
    pending: tuple[int, ...]
    lines: tuple[tuple[int, CacheLine], ...]
    channels: tuple[tuple[int, tuple[ChannelItem, ...]], ...]
    queues: tuple[tuple[ChannelItem, ...], ...]
    again: tuple[int, ...]


class NotYet(Exception):
    """A read whose value is needed has not returned."""


class Undetermined(Exception):
    """What happens next depends on memory that was never written."""


class ReturnedValues:
    """Evaluates a program's expressions on the reads of a state.

    `asked` has for each choice the places of the reads that it depends on, in order.
    """

    def __init__(self, choices: tuple[Choice, ...], places: dict[int, int]) -> None:
        self.choices = choices
        self.places = places
        self._known: dict[int, tuple[int, ...]] = {}
        self.asked = [self._asked(choice) for choice in range(len(choices))]
        self._arms: list[dict[tuple[Value | None, ...], int | Exception]] = [{} for _ in choices]
        self._guards: dict[Guard, tuple[tuple[int, ...], dict[tuple[Value | None, ...], bool | Exception]]] = {}

    def _asked(self, choice: int) -> tuple[int, ...]:
        if choice not in self._known:
            expr = self.choices[choice].expr
            self._known[choice] = () if expr is None else self.asks(expr)
        return self._known[choice]

    def asks(self, expr: Expr) -> tuple[int, ...]:
        """Return the places of the reads that an expression depends on, through choices, too."""
        found = {self.places[index] for index in reads_of(expr)}
        for choice in choices_of(expr):
            found.update(self._asked(choice))
        return tuple(sorted(found))

    def value(self, expr: Expr, reads: tuple[Value | None, ...]) -> Value:
        """Return the value of an expression. Raises NotYet and Undetermined."""

        def read(index: int) -> Value:
            value = reads[self.places[index]]
            if value is None:
                raise NotYet
            return value

        return evaluate(expr, read, lambda choice: self.arm(choice, reads))

    def arm(self, choice: int, reads: tuple[Value | None, ...]) -> int:
        """Return the arm that a choice takes. Raises NotYet and Undetermined."""
        known = self._arms[choice]
        key = tuple([reads[place] for place in self.asked[choice]])
        found = known.get(key)
        if found is None:
            try:
                found = self._arm(choice, reads)
            except (NotYet, Undetermined) as error:
                found = error.with_traceback(None)
            known[key] = found
        if isinstance(found, int):
            return found
        raise type(found)

    def _arm(self, choice: int, reads: tuple[Value | None, ...]) -> int:
        made = self.choices[choice]
        assert made.expr is not None
        value = self.value(made.expr, reads)
        if not isinstance(value, int):
            raise Undetermined
        if value in made.values:
            return made.values.index(value)
        if None in made.values:
            return made.values.index(None)
        raise Undetermined

    def holds(self, guard: Guard, reads: tuple[Value | None, ...]) -> bool:
        """Tell whether all arms of a guard are taken. Raises NotYet and Undetermined."""
        if not guard:
            return True
        asked = self._guards.get(guard)
        if asked is None:
            asked = self._guards[guard] = (tuple({p for choice, _ in guard for p in self.asked[choice]}), {})
        places, known = asked
        key = tuple([reads[place] for place in places])
        found = known.get(key)
        if found is None:
            try:
                found = all(self.arm(choice, reads) == arm for choice, arm in guard)
            except (NotYet, Undetermined) as error:
                found = error.with_traceback(None)
            known[key] = found
        if isinstance(found, bool):
            return found
        raise type(found)
