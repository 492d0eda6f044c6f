"""Explanations in words.

What goes in: an `Explanation`. What comes out: lines: the events, what is read from where, the chain of relations that
permits or excludes, one definition below the other, and which link of availability or visibility is missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.encoder.constraints import Rule
from axmem.encoder.events import Event, EventGraph, Kind
from axmem.encoder.values import UNDEF
from axmem.encoder.witness import Execution
from axmem.explain.derivation import Chain, Derivations, Step
from axmem.explain.explanation import Explanation, UndefRead, sentence
from axmem.litmus.syntax import Ordering, Scope
from axmem.model.relation import bits

DEPTH = 4
_KINDS = {
    Kind.READ: "R", Kind.WRITE: "W", Kind.FENCE: "F", Kind.MAKE_AVAILABLE: "make.available",
    Kind.MAKE_VISIBLE: "make.visible", Kind.BARRIER: "barrier", Kind.INIT: "W", Kind.FINAL: "R",
}  # fmt: skip
_NONE = ("amdgcn-av", "none")


class Names:
    """What events are called: their labels, else letters in the order of the text."""

    def __init__(self, graph: EventGraph) -> None:
        taken = {e.label for e in graph.events}
        letters = (name for name in _letters() if name not in taken)
        self.graph = graph
        self.of: dict[int, str] = {}
        for e in graph.events:
            if e.kind is Kind.INIT:
                self.of[e.index] = f"init {self.place(e)}"
            elif e.kind is Kind.FINAL:
                self.of[e.index] = f"final {self.place(e)}"
            else:
                self.of[e.index] = next(letters) if not e.label or e.label in self.of.values() else e.label

    def place(self, event: Event) -> str:
        """Return the memory of an event: `x`, or `x[2]` for bytes from the third on."""
        if event.cell < 0:
            return ""
        cell = self.graph.cells[event.cell]
        return cell.location + (f"[{cell.offset}]" if cell.offset else "")

    def text(self, event: Event, execution: Execution | None = None) -> str:
        """Return what an event does: `W x=1 release agent #amdgcn-av:none`."""
        words = [_KINDS[event.kind]]
        if place := self.place(event):
            value = None if execution is None else execution.values.get(event.index)
            shown = "" if execution is None or value is None else f"={'undef' if value is UNDEF else value}"
            words.append(place + shown)
        if event.kind not in (Kind.INIT, Kind.FINAL, Kind.BARRIER):
            if event.ordering is not Ordering.NOT_ATOMIC:
                words.append(event.ordering.value)
            if (event.ordering is not Ordering.NOT_ATOMIC or event.av) and event.scope is not Scope.SYSTEM:
                words.append(event.scope.word + ("-one-as" if event.one_as else ""))
            words += [w for w, yes in (("av", event.av), ("volatile", event.volatile), ("rmw", event.rmw)) if yes]
            words += [f"#{prefix}:{suffix}" for prefix, suffix in sorted(event.tags)]
        return " ".join(words)


def _letters() -> Iterator[str]:
    number = 0
    while True:
        letter = chr(ord("a") + number % 26)
        yield letter + (str(number // 26) if number >= 26 else "")
        number += 1


def lines(explanation: Explanation) -> Iterator[str]:
    """Yield an explanation as text."""
    model = explanation.model
    heading = f"{explanation.test.name} under {model.name}: "
    if explanation.unknown:
        yield f"{heading}unknown: {explanation.unknown}"
        return
    if explanation.permitted:
        yield f"{heading}permitted, for example by"
    else:
        yield f"{heading}forbidden by"
        yield from (f"  {rule_line(rule)}" for rule in explanation.rules)
        if explanation.execution is None:
            return
        yield f"without {_names(tuple(b.rule for b in explanation.breaks))} it would be"
    execution = explanation.execution
    assert execution is not None
    teller = _Teller(execution)
    yield from teller.events()
    yield from teller.reads(permitted=explanation.permitted)
    for undef in explanation.undef:
        yield from teller.undef(undef)
    for broken in explanation.breaks:
        yield f"  breaks {broken.rule.name}: {broken.kind}"
        yield from (f"    {teller.names.of[e]}: {teller.text(e)}" for e in broken.events if not broken.chains)
        for chain in broken.chains:
            yield from teller.chain(chain, "    ")


def rule_line(rule: Rule) -> str:
    """Return a rule with its sentence."""
    told = sentence(rule.doc)
    return rule.name + (f": {told}" if told else "")


def _names(rules: tuple[Rule, ...]) -> str:
    names = [r.name for r in rules]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


class _Teller:
    """Tells of one execution."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.graph = execution.graph
        self.names = Names(execution.graph)
        self.derivations = Derivations(execution)
        self.told: set[Step] = set()

    def text(self, event: int) -> str:
        return self.names.text(self.graph.events[event], self.execution)

    def events(self) -> Iterator[str]:
        """Yield the events of each thread."""
        for number, thread in enumerate(self.graph.threads):
            for e in self.graph.events:
                if e.thread == number and self.execution.executed >> e.index & 1:
                    yield f"  {thread}  {self.names.of[e.index]}: {self.text(e.index)}"

    def reads(self, *, permitted: bool) -> Iterator[str]:
        """Yield where each read's value is from and, where all is well, how the write reaches it."""
        for w, row in enumerate(self.execution.rf):
            for r in bits(row):
                if self.graph.events[r].kind is Kind.READ:
                    yield f"  {self.names.of[r]} reads from {self.names.of[w]}"
                    if permitted and self.graph.events[w].kind is not Kind.INIT:
                        yield from self.link(w, r, "    ")

    def undef(self, read: UndefRead) -> Iterator[str]:
        """Yield why a read returns undef: the rules, and the writes it may see."""
        yield f"  {self.names.of[read.event]} returns undef" + (":" if read.rules else ", which no rule demands")
        yield from (f"    {rule_line(rule)}" for rule in read.rules)
        for w in read.competing:
            yield f"    it may see {self.names.of[w]}: {self.text(w)}"
            if self.graph.events[w].kind is not Kind.INIT:
                yield from self.link(w, read.event, "      ")

    def link(self, write: int, read: int, indent: str) -> Iterator[str]:
        """Yield how a write is ordered before a read, or which link between them is missing."""
        order = next((n for n in ("lo", "hb-loc") if n in self.execution.definitions), "hb")
        if self.execution.relation(order)[write] >> read & 1:
            yield from self._story(write, read, indent)
            yield from self.chain((Step(write, order, read),), indent)
            return
        name = self.names.of
        if not self._related("hb", write, read):
            yield f"{indent}{name[write]} does not happen before {name[read]}"
            return
        yield f"{indent}{name[write]} happens before {name[read]}, but"
        yield from self._missing(write, read, indent + "  ")

    def _story(self, write: int, read: int, indent: str) -> Iterator[str]:
        """Yield by whom a write is made available and visible to a read, in a sentence."""
        name = self.names.of
        for v in self._executed():
            reached = v == read or self._related("po", v, read)
            if not (reached and self._related("vis", write, v)):
                continue
            before = [m for m in self._executed() if self._related("av", write, m) and self._related("hb", m, v)]
            told = []
            if before:
                told.append(f"{name[write]} is made available at {self._scope(before[0])} scope by {name[before[0]]}")
            told.append(f"{name[before[0] if before else write]} happens before {name[v]}")
            told.append(f"{name[v]} makes {name[write]} visible" + ("" if v == read else f" to {name[read]}"))
            yield indent + ", ".join(told)
            return

    def _scope(self, event: int) -> str:
        return self.graph.events[event].scope.word

    def _missing(self, write: int, read: int, indent: str) -> Iterator[str]:
        """Yield the broken link of availability or visibility between a write and a read that it happens before."""
        name = self.names.of
        available = [m for m in self._executed() if self._related("av", write, m)]
        if not available:
            yield f"{indent}no availability operation makes {name[write]} available"
        for m in available:
            yield f"{indent}{name[m]} makes {name[write]} available at {self._scope(m)} scope"
        visible = [v for v in self._executed() if self._related("vis", write, v)]
        if available and not visible:
            yield f"{indent}no visibility operation makes {name[write]} visible"
        for v in visible:
            yield f"{indent}{name[v]} makes {name[write]} visible, not to {name[read]}"
        for e in self._executed():
            event = self.graph.events[e]
            if _NONE in event.tags and (self._related("hb", write, e) or self._related("hb", e, read)):
                yield f"{indent}{name[e]} carries amdgcn-av:none"

    def _executed(self) -> Iterator[int]:
        return bits(self.execution.executed)

    def _related(self, relation: str, first: int, second: int) -> bool:
        if relation == "po":
            a, b = self.graph.events[first], self.graph.events[second]
            return a.thread == b.thread and a.position < b.position
        return self.execution.relation(relation)[first] >> second & 1 == 1

    def chain(self, chain: Chain, indent: str, depth: int = DEPTH) -> Iterator[str]:
        """Yield a chain on one line, and below it the chains of its steps."""
        if not chain:
            return
        yield indent + self.joined(chain)
        if depth:
            for step in chain:
                if step not in self.told and not step.name.endswith("^-1"):
                    self.told.add(step)
                    inner = self.derivations.definition(step.name, step.first, step.second)
                    if inner and inner != (step,):
                        yield from self.chain(inner, indent + "  ", depth - 1)

    def joined(self, chain: Chain) -> str:
        """Return `a -hb-> b -vis-> c`."""
        text = self.names.of[chain[0].first]
        for step in chain:
            text += f" -{step.name}-> {self.names.of[step.second]}"
        return text
