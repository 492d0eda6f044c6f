"""Iterations of a loop that begin as an earlier one did: what comes of them, comes of that one, too.

What goes in: a layout whose streams come to the heads of loops, and the states of its exploration. What comes out:
which of them need not be followed. Two states in which a stream is at one head are alike if registers that its
iterations leave different are worth the same, memory, caches, channels and all other streams are the same, and what
the stream has on its way is, instruction by instruction: the one is then the other, by another name for the same code.
So every execution from the one has one from the other, as long, with the same outcome; one that comes to a third state
which is left out for that reason has come some steps nearer its end. This way loops are followed for more iterations
than there are copies of their code. Invariant: a state that stands for others has another copy of the loop before it,
so that what its stream may do later is known to whatever orders steps; and states are looked at by how many iterations
lie behind them, so that the first of those that are alike is the one that is followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from axmem.codegen.machine.layout import ItemEffect, LayoutOperation, MachineLayout
from axmem.codegen.machine.layout_analysis import LayoutAnalysis
from axmem.codegen.machine.program import Footprint, LoopArrival, Wait, together
from axmem.codegen.machine.state import ChannelItem, MachineState, NotYet, Undetermined
from axmem.events.graph import Guard
from axmem.events.values import Apply, Constant, Expr, Pick, ReadOf, Value, choices_of, reads_of
from axmem.front.source import Span

Key: TypeAlias = tuple[object, ...]


class _Unlike(Exception):
    """A state that is compared with none."""


class Revisits:
    """The states at heads of loops that were followed."""

    def __init__(self, layout: MachineLayout, facts: LayoutAnalysis) -> None:
        self.layout = layout
        self.facts = facts
        waves = [stream.wave for stream in layout.program.streams]
        usable = len(set(waves)) == len(waves) and layout.switches["inv_inflight"] != "lands"
        self.at: list[dict[int, list[LoopArrival]]] = [{} for _ in layout.ops]
        alike = [self._alike(row) for row in layout.ops]
        for arrival in layout.program.arrivals if usable else ():
            for number in self._standing(arrival) if alike[arrival.stream] else ():
                self.at[arrival.stream].setdefault(number, []).append(arrival)
        self.others = [self._others(s) for s in range(len(layout.ops))]
        self.followed: set[Key] = set()

    @staticmethod
    def _alike(row: tuple[LayoutOperation, ...]) -> bool:
        """Say whether all copies of a wait leave as many known operations on their way: how many follows from what was
        before it, and so from the iteration."""
        limits: dict[Span, Wait] = {}
        waits = ((op.instruction.span, op.instruction.operation) for op in row)
        return all(limits.setdefault(span, wait) == wait for span, wait in waits if isinstance(wait, Wait))

    def _standing(self, arrival: LoopArrival) -> Iterator[int]:
        """Yield the operations that a stream may come to next where it has done nothing but wait since an arrival."""
        done: list[Guard] = []
        for op in self.layout.ops[arrival.stream]:
            behind = op.instruction.number >= arrival.number and together(arrival.guard, op.guard)
            if behind and not any(together(guard, op.guard) for guard in done):
                yield op.number
                if op.does is not ItemEffect.WAIT:
                    done.append(op.guard)

    def _others(self, s: int) -> list[int]:
        """Return the places of all reads but a stream's own."""
        own = {index for op in self.layout.ops[s] for f in op.footprints for read in f.reads for index in read.reads}
        own |= {op.decides.read for op in self.layout.ops[s] if op.decides is not None}
        return [place for index, place in self.facts.reads.items() if index not in own]

    def arrivals(self, state: MachineState) -> list[LoopArrival]:
        """Return the heads of loops that streams are at."""
        found = []
        for at, n in zip(self.at, state.next, strict=True):
            for arrival in at.get(n, ()):
                try:
                    if self.facts.values.holds(arrival.guard, state.reads):
                        found.append(arrival)
                except (NotYet, Undetermined):
                    continue
        return found

    def known(self, state: MachineState, arrivals: list[LoopArrival]) -> bool:
        """Say whether a state like one was followed; else it is from now on, where another copy of its loop follows."""
        keys = [(arrival, key) for arrival in arrivals if (key := self._key(state, arrival)) is not None]
        if any(key in self.followed for arrival, key in keys if arrival.level > 1):
            return True
        self.followed.update(key for arrival, key in keys if arrival.more)
        return False

    def _key(self, state: MachineState, arrival: LoopArrival) -> Key | None:
        """Return what states have in common that are alike but for a stream's iteration; None of what is not known."""
        s = arrival.stream
        try:
            live = tuple(self._worth(expr, state) for expr in arrival.live)
            row = self.layout.ops[s]
            way = self._way(state, s)
            position = {op.number: k for k, op in enumerate(way)}
            channels = tuple((channel, self._items(items, s, position)) for channel, items in state.channels)
            queues = tuple(self._items(items, s, position) for items in state.queues)
            own = tuple(self._under_way(state, op, position) for op in way)
        except (NotYet, Undetermined, _Unlike):
            return None
        rest = tuple(
            (state.next[t], state.pending[t], state.again[t]) for t in range(len(state.next)) if t != s
        )  # fmt: skip
        reads = tuple(state.reads[place] for place in self.others[s])
        ahead = row[state.next[s]].instruction
        return (s, arrival.header, ahead.span, ahead.text, live, own, channels, queues, state.lines, rest, reads)

    def _worth(self, expr: Expr | None, state: MachineState) -> Value | None:
        """Return what a register is worth; raises _Unlike of one that nobody set."""
        if expr is None:
            return None
        if reads_of(expr) - self.facts.reads.keys():
            raise _Unlike
        return self.facts.values.value(expr, state.reads)

    def _way(self, state: MachineState, s: int) -> list[LayoutOperation]:
        """Return what a stream has issued since the first operation that is still on its way."""
        flying = {
            item.number
            for items in (*(items for _, items in state.channels), *state.queues)
            for item in items
            if item.stream == s
        }
        groups, row, n = self.facts.groups, self.layout.ops[s], state.next[s]
        pending = (state.pending[s] & -state.pending[s]).bit_length() - 1
        first = min([n, *flying, *([pending // groups] if pending >= 0 else [])])
        return [op for op in row[first:n] if self.facts.values.holds(op.guard, state.reads)]

    def _items(self, items: tuple[ChannelItem, ...], s: int, position: dict[int, int]) -> Key:
        """Return items, a stream's own by their place on its way."""
        return tuple(item._replace(number=position[item.number], footprint=0) if item.stream == s else item
                     for item in items)  # fmt: skip

    def _under_way(self, state: MachineState, op: LayoutOperation, position: dict[int, int]) -> Key:
        """Return what an operation is, and how far it has come, by no number of its copy."""
        s, groups, n = op.stream, self.facts.groups, op.number
        pending = state.pending[s] >> (n * groups) & (1 << groups) - 1
        reasons = self.facts.reasons[s][state.next[s]][n] & state.pending[s]
        for_whom = tuple(k for o, k in position.items() if reasons >> (o * groups) & (1 << groups) - 1)
        done = [self._does(f, op) for f in op.footprints if self.facts.values.holds(f.guard, state.reads)]
        again = state.again[s] >> n & 1
        return (op.instruction.span, op.instruction.text, pending, again, for_whom, *done)

    def _does(self, footprint: Footprint, op: LayoutOperation) -> Key:
        """Return what an access does in a group, if that follows from what it reads there."""
        own = {index: k for k, index in enumerate(index for read in footprint.reads for index in read.reads)}
        cells = tuple(read.cell for read in footprint.reads)
        if op.does is not ItemEffect.RMW:
            return (footprint.group, cells)
        writes = tuple(
            (w.cell, _shape(w.value, own), None if w.when is None else _shape(w.when, own)) for w in footprint.writes
        )
        return (footprint.group, cells, *writes)


def _shape(expr: Expr, own: dict[int, int]) -> Key:
    """Return an expression over an access's own reads, by their order. Raises _Unlike for any other."""
    if choices_of(expr) or reads_of(expr) - own.keys():
        raise _Unlike
    match expr:
        case Constant(value):
            return ("constant", value)
        case ReadOf(event):
            return ("read", own[event])
        case Apply(operation, bits, arguments, parameters):
            return (operation, bits, parameters, *(_shape(argument, own) for argument in arguments))
        case Pick():
            raise _Unlike
    raise _Unlike
