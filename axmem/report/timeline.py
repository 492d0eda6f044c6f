"""An execution of the machine as a timeline: what each wave and each cache did, what was stale, and why.

What goes in: a trace. What comes out: `Timeline`: columns (the streams, then the nodes that mattered) and moments,
each an entry in a column. Invariant: the moments are in the order of the trace, numbered from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from axmem.codegen.machine.explore import MachineTrace, trace_to
from axmem.codegen.machine.layout import ItemEffect, LayoutOperation, MachineLayout, layout
from axmem.codegen.machine.layout_analysis import LayoutAnalysis
from axmem.codegen.machine.program import MachineProgram
from axmem.codegen.machine.state import CacheLine, Cells, MachineState
from axmem.codegen.machine.steps import MachineStep
from axmem.events.values import Value
from axmem.front.records import dataclass
from axmem.litmus.undef import shown, text_of
from axmem.mapping.verification import Violation


@dataclass(frozen=True, slots=True)
class TimelineMoment:
    """Something that happens: its number, its column, what, and why a value that was returned there is not the
    newest (`stale: …`) or not yet everybody's (`early: …`), reasons separated by `; `."""

    number: int
    column: str
    text: str
    stale: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The columns, in the order to show them, and the moments."""

    columns: tuple[str, ...]
    moments: tuple[TimelineMoment, ...]


def timeline(layout: MachineLayout, trace: MachineTrace) -> Timeline:
    """Return the timeline of a trace."""
    moments = tuple(_Teller(layout, trace).moments())
    used = {m.column for m in moments}
    streams = [s.thread for s in layout.program.streams]
    nodes = [node.text for node in sorted(layout.nodes, key=lambda n: n.level) if node.text in used]
    return Timeline((*streams, *nodes), moments)


def told_of(
    program: MachineProgram, violation: Violation, switches: Mapping[str, str]
) -> tuple[Timeline, list[str]] | None:
    """Return the timeline of an outcome of a program, and where its threads run."""
    laid = layout(program, violation.placement, switches)
    trace = trace_to(laid, violation.row)
    return None if trace is None else (timeline(laid, trace), list(waves(laid)))


def execution(program: MachineProgram, violation: Violation, switches: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of an execution with an outcome: where the threads run, and the timeline."""
    told = told_of(program, violation, switches)
    if told is not None:
        shown, places = told
        yield from places
        yield from as_text(shown).splitlines()


class _Teller:
    def __init__(self, layout: MachineLayout, trace: MachineTrace) -> None:
        self.layout = layout
        self.trace = trace
        self.groups = len(layout.program.groups)
        self.root = layout.root
        self.filled: dict[int, int] = {}
        self.number = 0

    def moments(self) -> Iterator[TimelineMoment]:
        """Yield every moment: the step itself, what it changed in lines, and what could then go on."""
        for k, step in enumerate(self.trace.steps):
            before, after = self.trace.states[k], self.trace.states[k + 1]
            yield from self._step(step, before, after)
            yield from self._lines(step, before, after)
            yield from self._passed(before, after)

    def _moment(self, column: str, text: str, stale: str = "") -> TimelineMoment:
        self.number += 1
        return TimelineMoment(self.number, column, text, stale)

    def _thread(self, stream: int) -> str:
        return self.layout.program.streams[stream].thread

    def _name(self, group: int) -> str:
        return self.layout.program.groups[group].name

    # ------------------------------------------------------------ steps

    def _step(self, step: MachineStep, before: MachineState, after: MachineState) -> Iterator[TimelineMoment]:
        if step.kind in ("issue", "replay"):
            op = self.layout.ops[step.stream][step.op]
            again = " again, replayed" if step.kind == "replay" else ""
            yield self._moment(self._thread(step.stream), f"{op.instruction.text}{self._operand(op, step)}{again}")
            if op.does is ItemEffect.INV:
                yield from self._dropped(op, op.entry, range(self.groups), before, after)
            yield from self._served(op, step, before, after)
        elif step.kind in ("advance", "lds"):
            if step.op < 0:
                text = f"written-back {self._name(step.group)} arrives"
                yield self._moment(self.layout.nodes[step.node].text, text)
                return
            op = self.layout.ops[step.stream][step.op]
            yield from self._arrived(op, step, before, after)
        elif step.kind == "evict":
            text = f"{self._name(step.group)} is written back"
            yield self._moment(self.layout.nodes[step.node].text, text)

    def _operand(self, op: LayoutOperation, step: MachineStep) -> str:
        return f"  {self._name(step.group)}" if op.does <= ItemEffect.RMW and step.group >= 0 else ""

    def _arrived(
        self, op: LayoutOperation, step: MachineStep, before: MachineState, after: MachineState
    ) -> Iterator[TimelineMoment]:
        node = self.layout.nodes[step.node].text
        what = f"{self._thread(op.stream)}'s {op.instruction.mnemonic} {self._name(step.group)}"
        if op.does is ItemEffect.INV:
            yield from self._dropped(op, step.node, (step.group,), before, after)
        if op.does in (ItemEffect.INV, ItemEffect.WB):
            if before.pending[op.stream] != after.pending[op.stream]:
                done = "has passed" if op.does is ItemEffect.WB else "is complete"
                yield self._moment(node, f"{what} {done}")
            return
        if op.does is ItemEffect.STORE and step.node == self.root:
            yield self._moment(node, f"{what} is done: {self._cells(after, step.group)}")
        elif op.does is ItemEffect.STORE and before.pending[op.stream] != after.pending[op.stream]:
            yield self._moment(node, f"{what} stays here")
        yield from self._served(op, step, before, after)

    def _dropped(
        self, op: LayoutOperation, n: int, groups: Iterable[int], before: MachineState, after: MachineState
    ) -> Iterator[TimelineMoment]:
        """Yield lines that an invalidate drops and that are fetched again at once; others are seen to change."""
        node = self.layout.nodes[n]
        if not op.low <= node.level < op.high or node.port:
            return
        old, new = dict(before.lines), dict(after.lines)
        for g in groups:
            at = n * self.groups + g
            if old.get(at) is not None and old.get(at) == new.get(at) and not old[at].dirty:
                source = self.layout.nodes[node.parent].text
                text = f"drops {self._name(g)}, then fetches {self._name(g)} = {_cells(new[at].cells)} from {source}"
                moment = self._moment(node.text, text)
                self.filled[at] = moment.number
                yield moment

    def _served(
        self, op: LayoutOperation, step: MachineStep, before: MachineState, after: MachineState
    ) -> Iterator[TimelineMoment]:
        """Yield that an access got its values, if it did, and why they are not the newest."""
        if op.does not in (ItemEffect.LOAD, ItemEffect.RMW) or not self._has_returned(op, before, after):
            return
        values = self._returned(op, step.group, after)
        node = self.layout.nodes[step.node]
        place = "hits in" if step.node != self.root and step.hit else "reads from"
        text = f"{op.instruction.mnemonic} {self._name(step.group)} = {values}, {place} {node.text}"
        yield self._moment(self._thread(op.stream), text, self._why_stale(op, step, before))

    def _has_returned(self, op: LayoutOperation, before: MachineState, after: MachineState) -> bool:
        index = {r: k for k, r in enumerate(self._places())}
        own = [index[r] for f in op.footprints for read in f.reads for r in read.reads]
        return any(before.reads[k] != after.reads[k] for k in own)

    def _returned(self, op: LayoutOperation, group: int, after: MachineState) -> str:
        index = {r: k for k, r in enumerate(self._places())}
        for f in op.footprints:
            if f.group == group:
                return ",".join(_text(after.reads[index[r.reads[0]]]) for r in f.reads)
        return "?"

    def _places(self) -> list[int]:
        return list(LayoutAnalysis(self.layout).reads)

    # ------------------------------------------------------------ staleness

    def _why_stale(self, op: LayoutOperation, step: MachineStep, before: MachineState) -> str:
        """Return why a load that is served now does not see the newest value, or nothing."""
        at = step.node * self.groups + step.group
        lines = dict(before.lines)
        here, memory = lines.get(at), lines[self.root * self.groups + step.group]
        ahead = here is not None and here.cells in [
            item.cells for _, items in before.channels for item in items if item.group == step.group
        ]
        reasons: list[str] = []
        if step.node != self.root and step.hit and here is not None and here.cells != memory.cells and not ahead:
            reasons += self._held(step.node, step.group, lines)
        reasons += self._elsewhere(op, step.group, step.node, before)
        word = "early" if ahead and step.hit else "stale"
        return "; ".join(f"{word}: {reason}" for reason in reasons)

    def _held(self, n: int, group: int, lines: Mapping[int, CacheLine]) -> Iterator[str]:
        """Yield how long a node, and those it fetches from, have had a value that is not that of the root."""
        newest = lines[self.root * self.groups + group].cells
        while n != self.root:
            at = n * self.groups + group
            line = lines.get(at)
            if line is not None and line.cells != newest:
                since = self.filled.get(at)
                when = f"since moment {since}" if since else "since the beginning"
                yield f"{self.layout.nodes[n].text} has held {self._name(group)} = {_cells(line.cells)} {when}"
            n = self.layout.nodes[n].parent
        yield f"{self.layout.nodes[self.root].text} has {self._name(group)} = {_cells(newest)}"

    def _elsewhere(self, op: LayoutOperation, group: int, node: int, before: MachineState) -> Iterator[str]:
        """Yield what the load misses: stores on their way or dirty in another cache, invalidates on their way."""
        for channel, items in before.channels:
            via = self.layout.nodes[channel // self.groups].text
            for item in items:
                own = item.stream == op.stream and item.does != int(ItemEffect.INV)
                if item.group != group or item.stream < 0 or own:
                    continue
                mnemonic = self.layout.ops[item.stream][item.number].instruction.mnemonic
                what = f"{self._thread(item.stream)}'s {mnemonic} of {self._name(group)}"
                if item.does in (int(ItemEffect.STORE), int(ItemEffect.RMW), int(ItemEffect.INV)):
                    yield f"{what} is still on its way from {via}"
        for at, line in before.lines:
            if line.dirty and at % self.groups == group and at // self.groups != node:
                where = self.layout.nodes[at // self.groups].text
                yield f"{_cells(line.cells)} is dirty in {where} and not written back"

    # ------------------------------------------------------------ lines and waits

    def _lines(self, step: MachineStep, before: MachineState, after: MachineState) -> Iterator[TimelineMoment]:
        old, new = dict(before.lines), dict(after.lines)
        for at in sorted(old.keys() | new.keys()):
            n, g = divmod(at, self.groups)
            if n == self.root or old.get(at) == new.get(at):
                continue
            text = self._change(g, old.get(at), new.get(at), step)
            if text:
                moment = self._moment(self.layout.nodes[n].text, text)
                if new.get(at) is not None:
                    self.filled[at] = moment.number
                yield moment

    def _change(self, group: int, old: CacheLine | None, new: CacheLine | None, step: MachineStep) -> str:
        name = self._name(group)
        if new is None:
            dropping = step.op >= 0 and self.layout.ops[step.stream][step.op].does is ItemEffect.INV
            return f"drops {name}" if dropping else ""
        if old is not None and old.cells == new.cells:
            return ""
        if new.dirty:
            return f"{name} = {_cells(new.cells)}, dirty"
        stored = step.op >= 0 and self.layout.ops[step.stream][step.op].does is ItemEffect.STORE and step.group == group
        return f"{name} = {_cells(new.cells)}, as it passes" if stored else f"fetches {name} = {_cells(new.cells)}"

    def _passed(self, before: MachineState, after: MachineState) -> Iterator[TimelineMoment]:
        """Yield the waits and barriers that are over now."""
        for s, row in enumerate(self.layout.ops):
            for op in row[before.next[s] : after.next[s]]:
                if op.does in (ItemEffect.WAIT, ItemEffect.PASS) and op.instruction.guard == ():
                    yield self._moment(self._thread(s), f"{op.instruction.text}: over")

    def _cells(self, state: MachineState, group: int) -> str:
        return f"{self._name(group)} = {_cells(dict(state.lines)[self.root * self.groups + group].cells)}"


def _cells(cells: Cells) -> str:
    return ",".join(_text(v) for v in cells)


def _text(value: Value | None) -> str:
    return "?" if value is None else text_of(shown(value))


# ---------------------------------------------------------------- as text


def as_text(shown: Timeline, indent: str = "") -> str:
    """Return a timeline as lines: the number, the column, what happens, and below it what is stale."""
    wide = max((len(c) for c in shown.columns), default=0)
    out = []
    for moment in shown.moments:
        out.append(f"{indent}{moment.number:3}  {moment.column:{wide}}  {moment.text}")
        if moment.stale:
            out += [f"{indent}     {'':{wide}}    {part}" for part in moment.stale.split("; ")]
    return "\n".join(out) + "\n"


def waves(layout: MachineLayout) -> Sequence[str]:
    """Return where each thread runs, as a line for each."""
    placement = layout.placement
    found = []
    for stream in layout.program.streams:
        place = placement.places[stream.wave]
        units = ", ".join(f"{u} {n}" for u, n in zip(placement.units, place, strict=True))
        found.append(f"{stream.thread}: {units}")
    return found
