"""What events are called and how they are written.

What goes in: the events of a test. What comes out: short names (the labels of the text, and letters where it has none)
and descriptions as in herd: `W[release agent] f=1`. Names and descriptions are the same in words and in pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

from axmem.events.graph import ADDRESS_SHIFT, Event, EventGraph, EventKind, location_at
from axmem.events.values import Value
from axmem.explanations.concrete import ModelView
from axmem.litmus.undef import shown, text_of
from axmem.litmus.words import AddressSpace, Ordering

HALVES = {EventKind.READ: ".r", EventKind.WRITE: ".w"}


class EventNames:
    """The names of the events of a test."""

    def __init__(self, graph: EventGraph) -> None:
        self.graph = graph
        letters = self._letters()
        self._short = [self._name(e, letters) for e in graph.events]

    def __getitem__(self, event: int) -> str:
        return self._short[event]

    def _letters(self) -> dict[int, str]:
        """Return a name for each instruction: its label if no other thread has the same, else the next free letter."""
        labels: dict[int, str] = {}
        owners: dict[str, set[int]] = {}
        for e in self.graph.events:
            if e.thread >= 0:
                labels.setdefault(e.instruction, e.label)
                owners.setdefault(e.label, set()).add(e.thread)
        taken = {label for label, threads in owners.items() if label and len(threads) == 1}
        free = (letter for letter in _letters() if letter not in taken)
        return {number: label if label in taken else next(free) for number, label in labels.items()}

    def _name(self, event: Event, letters: dict[int, str]) -> str:
        if event.kind is EventKind.INIT:
            return f"init {self.place(event)}"
        if event.kind is EventKind.FINAL:
            return f"final {self.place(event)}"
        siblings = [e for e in self.graph.events if e.instruction == event.instruction and e.guard == event.guard]
        name = letters[event.instruction]
        if len({e.kind for e in siblings}) > 1:
            name += HALVES.get(event.kind, "")
        alike = [e for e in siblings if e.kind is event.kind]
        if len(alike) > 1:
            name += f"[{alike.index(event)}]"
        return name

    def place(self, event: Event) -> str:
        """Return the memory of an event: `x`, or `x+4` for a part of it."""
        cell = self.graph.cells[event.cell]
        whole = sum(c.location == cell.location for c in self.graph.cells) == 1
        return cell.location if whole else f"{cell.location}+{cell.offset}"

    def prose(self, event: int) -> str:
        """Return the name as a sentence has it."""
        e = self.graph.events[event]
        if e.kind is EventKind.INIT:
            return f"the initial write of {self.place(e)}"
        return f"the final read of {self.place(e)}" if e.kind is EventKind.FINAL else self._short[event]

    def thread(self, event: Event) -> str:
        """Return the name of an event's thread."""
        return self.graph.threads[event.thread] if event.thread >= 0 else ""


def enumeration(texts: Sequence[str]) -> str:
    """Return texts as a list in a sentence: `A, B and C`."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _letters() -> list[str]:
    """Return A to Z, then A1 and so on, as many as any test needs."""
    return [f"{letter}{number or ''}" for number in range(100) for letter in ascii_uppercase]


def description(view: ModelView, names: EventNames, event: int) -> str:
    """Return what an event does: `W[release agent] f=1 !amdgcn-av:none`."""
    e = view.graph.events[event]
    words = mode(e)
    text = e.kind.value + (f"[{' '.join(words)}]" if words else "")
    if e.cell >= 0:
        value = view.execution.values.get(event)
        text += f" {names.place(e)}={'undef' if value is None else value_text(value, view.graph)}"
    elif e.phase is not None:
        half = "" if e.arrives and e.waits else " wait" if e.waits else " signal"
        text += f"{half} {e.phase[0]}".rstrip()
    elif e.covers is not None:
        places = {view.graph.cells[c].location for c in e.covers}
        text += f" {' '.join(sorted(places))}"
    tags = [f"!{prefix}:{suffix}" for prefix, suffix in sorted(e.tags)]
    return " ".join([text, *tags])


def mode(event: Event) -> list[str]:
    """Return the words of an event's mode: its ordering, its scope, what else is special about it."""
    if event.kind in (EventKind.INIT, EventKind.FINAL, EventKind.BARRIER):
        return []
    words = ["volatile"] if event.volatile else []
    scoped = event.av or event.kind in (EventKind.MAKE_AVAILABLE, EventKind.MAKE_VISIBLE)
    if event.av:
        words.append("av")
    elif event.ordering is not Ordering.NOT_ATOMIC:
        words.append(event.ordering.value)
        scoped = True
    if scoped:
        words.append(event.scope.word + ("-one-as" if event.one_as else ""))
    return words


def capacity(word: str, event: Event) -> str | None:
    """Return what a remark may ask of an event: its scope, what it releases or acquires as, what access it is.

    None for a `store` that is no store and a `load` that is no load.
    """
    releases, acquires = word == "release", word == "acquire"
    if word == "scope":
        return event.scope.word
    if word == "noun":
        return "load" if event.kind is EventKind.READ else "store"
    if releases or acquires:
        if event.kind in (EventKind.MAKE_AVAILABLE, EventKind.MAKE_VISIBLE):
            return "make.available" if event.kind is EventKind.MAKE_AVAILABLE else "make.visible"
        if event.ordering.releases if releases else event.ordering.acquires:
            return f"{event.ordering.value} fence" if event.kind is EventKind.FENCE else event.ordering.value
    elif event.kind is not {"store": EventKind.WRITE, "load": EventKind.READ}[word]:
        return None
    noun = "store" if event.kind is EventKind.WRITE else "load"
    if event.space is AddressSpace.LDS:
        return f"LDS {noun}"
    if event.av:
        return f"av {noun}"
    return f"volatile {noun}" if event.ordering is Ordering.NOT_ATOMIC else f"atomic {noun}"


def value_text(value: Value, graph: EventGraph) -> str:
    """Return a value as outcomes show it, an address by the name of its location."""
    if not isinstance(value, int):
        return text_of(shown(value))
    index, offset = location_at(value)
    if value >> ADDRESS_SHIFT and 0 <= index < len(graph.locations) and offset < 1 << 12:
        return f"&{graph.locations[index]}" + (f"+{offset}" if offset else "")
    return str(value)
