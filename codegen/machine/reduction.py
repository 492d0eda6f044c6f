"""Which steps may be taken alone, because nothing is lost by not taking another one first.

What goes in: a state and a step that is possible. What comes out: whether every execution from the state may begin
with that step, or is matched by one with the same outcome that does. docs/machine.md, "Walking the states", gives the
reasons; tests compare the outcomes with those of all steps.
"""

from __future__ import annotations

from axmem.codegen.machine.facts import Facts
from axmem.codegen.machine.layout import Does, Layout
from axmem.codegen.machine.state import CacheLine, Item, MachineState
from axmem.front.records import dataclass

INV, WB, LOAD, STORE, WBACK = (int(d) for d in (Does.INV, Does.WB, Does.LOAD, Does.STORE, Does.WBACK))


@dataclass(frozen=True, slots=True)
class View:
    """What is still to come in a state: by stream the groups it touches and those it writes, in channels or later.

    `flying` are streams with a marker in a channel, `back` the groups of lines that are dirty or being written back.
    """

    state: MachineState
    lines: dict[int, CacheLine]
    touched: list[int]
    written: list[int]
    flying: int
    back: int


class Reduction:
    """Judges the steps of one layout."""

    def __init__(self, layout: Layout, facts: Facts) -> None:
        self.layout = layout
        self.facts = facts
        self.groups = facts.groups
        self.root = layout.root
        self.streams = range(len(layout.program.streams))

    def view(self, state: MachineState) -> View:
        """Return what is still to come."""
        facts = self.facts
        touched = [facts.future_touches[s][n] for s, n in enumerate(state.next)]
        written = [facts.future_writes[s][n] for s, n in enumerate(state.next)]
        flying = back = 0
        for _, items in state.channels:
            for does, stream, _, group, _, _ in items:
                if stream < 0:
                    back |= 1 << group
                elif does in (INV, WB):
                    flying |= 1 << stream
                else:
                    touched[stream] |= 1 << group
                    if does != LOAD:
                        written[stream] |= 1 << group
        for at, line in state.lines:
            if line.dirty:
                back |= 1 << (at % self.groups)
        return View(state, dict(state.lines), touched, written, flying, back=back)

    def writes_left(self, state: MachineState) -> int:
        """Return the groups that something may still write."""
        view = self.view(state)
        mask = view.back
        for written in view.written:
            mask |= written
        return mask

    def arrives_alone(self, view: View, n: int, item: Item) -> bool:
        """Tell whether the first item of a channel may arrive at a node before anything else happens."""
        does, stream, _, group, _, _ = item
        at = n * self.groups + group
        if stream < 0:
            return False
        if does in (INV, WB):
            line = view.lines.get(at)
            return n == self.root or line is None or (does == WB and not line.dirty)
        if n == self.root:
            return self._served_alone(view, does, stream, group)
        if at in view.lines:
            return False
        if self.layout.nodes[n].back and not self.facts.passes[at] and does != LOAD:
            return False
        return not self._meets(view, n, stream, group)

    def _served_alone(self, view: View, does: int, stream: int, group: int) -> bool:
        """Tell whether an access may be done at the root: nobody else will change, or see, what it finds and leaves."""
        others = view.back
        for s in self.streams:
            if s != stream or self.facts.mixed[s] >> group & 1:
                others |= view.written[s] if does == LOAD else view.touched[s]
        return not others >> group & 1

    def _meets(self, view: View, n: int, stream: int, group: int) -> bool:
        """Tell whether another stream may send something through a node, for a group, or a marker.

        Even loads matter: of two in one channel, the second cannot return an older value.
        """
        facts, single = self.facts, self.facts.single
        under = facts.under[n]
        if view.back >> group & 1 or facts.mixed[stream] >> group & 1:
            return True
        if view.flying & under & ~(1 << stream):
            return True
        for s in self.streams:
            if s == stream or not under >> s & 1:
                continue
            theirs = view.touched[s] if single else view.touched[s] >> group & 1
            if theirs or facts.future_markers[n][s][view.state.next[s]]:
                return True
        return False

    def issued_alone(self, view: View, s: int) -> bool:
        """Tell whether a stream may issue its next instruction before anything else happens."""
        op = self.layout.ops[s][view.state.next[s]]
        n = op.entry
        if self.facts.at_once(op):
            return False
        if op.does is Does.WB:
            return True
        if op.does is Does.INV:
            return self._drops_alone(view, s, n)
        for f in op.footprints:
            at = n * self.groups + f.group
            if self.facts.lds[f.group]:
                if self._shares_wave(s):
                    return False
                continue
            if self._meets(view, n, s, f.group):
                return False
            line = view.lines.get(at)
            if line is not None and (op.does is not Does.STORE or len(line.cells) > 1):
                return False
        return True

    def _drops_alone(self, view: View, s: int, n: int) -> bool:
        """Tell whether an invalidate that is issued drops no line that another stream may hit."""
        first = n * self.groups
        present = [at for at in view.lines if first <= at < first + self.groups]
        if not present or self.layout.nodes[n].port:
            return True
        return self.facts.under[n] == 1 << s

    def _shares_wave(self, s: int) -> bool:
        streams = self.layout.program.streams
        return any(t != s and streams[t].wave == streams[s].wave for t in self.streams)
