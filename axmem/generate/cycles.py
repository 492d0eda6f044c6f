"""Cycles of edges, with decorations on the events between them.

What goes in: a text such as `Rel Rfe Acq PodRR P Fre P PodWW`, or edges. What comes out: a `Cycle` that begins with the
first event of a thread, chosen so that every rotation of a cycle gives the same one. Invariant: a `Cycle` that
`parse_cycle` or `oriented` returned has no fault: directions match, it has a meaning, and it is not one thread's alone
unless it violates coherence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.generate.edges import SIMPLE, SYNONYMS, CycleEdge, EdgeKind, edge_hint, is_edge, parse_edge
from axmem.generate.marks import DEFAULT, MARK_WORDS, MarkError, fault, is_mark, mark_text, parse_mark, united
from axmem.litmus.syntax import AccessMode

_POINTS = ("W", "WW", "RR", "RW", "WR", "R")
"""The first and last directions of a thread, in the order in which names list threads."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Edge `i` leads from event `i` to event `i + 1`, the last one back to event 0; `marks[i]` decorates event `i`.

    A mark is None where nothing was said. In an oriented cycle the mark of a read-modify-write is that of its read.
    """

    edges: tuple[CycleEdge, ...]
    marks: tuple[AccessMode | None, ...]

    def __len__(self) -> int:
        return len(self.edges)

    @property
    def text(self) -> str:
        """The cycle as it is written; default decorations are left out."""
        words = []
        for mark, edge in zip(self.marks, self.edges, strict=True):
            words += [] if mark is None or mark == DEFAULT else [mark_text(mark)]
            words.append(edge.text)
        return " ".join(words)

    def mark(self, event: int) -> AccessMode:
        """Return the decoration of an event, the default one where nothing was said."""
        return self.marks[event] or DEFAULT

    def rotated(self, start: int) -> Cycle:
        """Return the same cycle beginning with another event."""
        return Cycle(self.edges[start:] + self.edges[:start], self.marks[start:] + self.marks[:start])

    def threads(self) -> tuple[tuple[int, ...], ...]:
        """Return the events of each thread; the cycle begins with the first event of one."""
        threads: list[list[int]] = [[]]
        for event, edge in enumerate(self.edges):
            threads[-1].append(event)
            if edge.external:
                threads.append([])
        return tuple(tuple(thread) for thread in threads if thread)

    def points(self) -> tuple[str, ...]:
        """Return the directions of the first and the last event of each thread, or of its only one."""
        ends = ((self.edges[t[0]].source, self.edges[t[-1]].source if len(t) > 1 else "") for t in self.threads())
        return tuple(first + last for first, last in ends)

    @property
    def one_location(self) -> bool:
        """Whether every event is at one location."""
        return all(edge.same for edge in self.edges)


@dataclass(frozen=True, slots=True)
class CycleFault:
    """What is wrong with a cycle: at an edge, or at the event before it if `at_event`."""

    index: int
    message: str
    hint: str = ""
    at_event: bool = False


def faults(cycle: Cycle) -> tuple[CycleFault, ...]:
    """Return what is wrong with a cycle: with its joints first, and only if they fit with its shape."""
    return tuple(_joints(cycle)) or tuple(_shape(cycle)) or tuple(_decorations(cycle))


def _joints(cycle: Cycle) -> Iterator[CycleFault]:
    """Yield a fault for each edge that does not begin where the one before it ends."""
    words = {"R": "a read", "W": "a write"}
    for index, edge in enumerate(cycle.edges):
        before = cycle.edges[index - 1]
        if before.target != edge.source:
            leads = f"{before.text} leads to {words[before.target]}, but {edge.text} begins with {words[edge.source]}"
            yield CycleFault(index, leads if index else f"the last edge closes the cycle: {leads}")


def _shape(cycle: Cycle) -> Iterator[CycleFault]:
    """Yield the faults of a cycle whose edges fit together."""
    external = [i for i, edge in enumerate(cycle.edges) if edge.external]
    local = [i for i, edge in enumerate(cycle.edges) if not edge.communication]
    different = [i for i, edge in enumerate(cycle.edges) if not edge.same]
    if not local:
        yield CycleFault(0, "communications alone make no cycle", "add an edge of program order, such as PodWW")
    elif len(external) == 1:
        yield CycleFault(
            external[0], "one edge leads to another thread and none leads back", "a cycle has 2 external edges"
        )
    elif not external and (different or len(cycle) != len(local) + 1):
        hint = "end edges in 'e' to lead to another thread; within one, only coherence can be violated: PosWW Wsi"
        yield CycleFault(0, "the cycle stays in one thread", hint)
    elif len(different) == 1:
        hint = "a cycle has no edge to a different location, or at least two"
        yield CycleFault(different[0], "one edge leads to another location and none leads back", hint)


def _decorations(cycle: Cycle) -> Iterator[CycleFault]:
    """Yield the faults of decorations, each at its event."""
    for event, edge in enumerate(cycle.edges):
        if edge.kind is EdgeKind.UPDATE:
            try:
                united(cycle.mark(event), cycle.mark((event + 1) % len(cycle)))
            except MarkError as error:
                yield CycleFault(event, str(error), error.hint, at_event=True)
        elif cycle.edges[event - 1].kind is not EdgeKind.UPDATE:
            message = fault(cycle.mark(event), edge.source)
            if message:
                yield CycleFault(event, message, at_event=True)


def oriented(cycle: Cycle) -> Cycle:
    """Return the rotation of a faultless cycle that begins with the thread that names list first."""
    starts = [i for i in range(len(cycle)) if cycle.edges[i - 1].external]
    if not starts:
        starts = [i for i in range(len(cycle)) if cycle.edges[i - 1].communication]
    whole = _united(cycle)
    return min((whole.rotated(start) for start in starts), key=_rank)


def _united(cycle: Cycle) -> Cycle:
    """Give the first half of each read-modify-write the decorations of both."""
    marks = list(cycle.marks)
    for event, edge in enumerate(cycle.edges):
        after = (event + 1) % len(cycle)
        if edge.kind is EdgeKind.UPDATE and (marks[event] is not None or marks[after] is not None):
            marks[event], marks[after] = united(cycle.mark(event), cycle.mark(after)), DEFAULT
    return Cycle(cycle.edges, tuple(marks))


def _rank(cycle: Cycle) -> tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...]]:
    marks = tuple(mark_text(cycle.mark(i)) for i in range(len(cycle)))
    points = tuple(_POINTS.index(point) for point in cycle.points())
    lengths = tuple(len(thread) for thread in cycle.threads())
    return points, lengths, tuple(edge.text for edge in cycle.edges) + marks


# ---------------------------------------------------------------- reading


def parse_cycle(text: str) -> Cycle:
    """Read a cycle; raise InputError, at the word that is wrong. The result is oriented."""
    reader = _Reader(Source("<cycle>", text))
    for word in re.finditer(r"\S+", text):
        reader.word(word.group(), _span(text, word.start(), word.end()))
    return reader.cycle()


def _span(text: str, start: int, end: int) -> Span:
    line = text.count("\n", 0, start) + 1
    return Span(line, start - text.rfind("\n", 0, start), end - start)


class _Reader:
    """What has been read of a cycle. The decorations before an edge belong to the event that it begins with."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self.edges: list[CycleEdge] = []
        self.marks: list[AccessMode | None] = []
        self.edge_spans: list[Span] = []
        self.event_spans: list[Span] = []
        self.pending: AccessMode | None = None
        self.pending_span: Span | None = None

    def word(self, word: str, span: Span) -> None:
        """Read one word; a word that is wrong is noted and skipped."""
        try:
            if is_edge(word):
                self._edge(parse_edge(word), span)
            elif is_mark(word):
                self.pending = parse_mark(word, self.pending)
                self.pending_span = self.pending_span or span
            else:
                hint = did_you_mean(word, [*SIMPLE, *SYNONYMS, *MARK_WORDS]) or edge_hint(word)
                raise MarkError(f"unknown edge or decoration '{word}'", hint)
        except MarkError as error:
            self._error(span, str(error), error.hint)

    def _edge(self, edge: CycleEdge, span: Span) -> None:
        self.edges.append(edge)
        self.edge_spans.append(span)
        self.marks.append(self.pending)
        self.event_spans.append(self.pending_span or span)
        self.pending = self.pending_span = None

    def cycle(self) -> Cycle:
        """Return the cycle; raise InputError if anything was or is wrong."""
        if not self.diagnostics:
            self._close()
        cycle = Cycle(tuple(self.edges), tuple(self.marks))
        if not self.diagnostics:
            for found in faults(cycle):
                spans = self.event_spans if found.at_event else self.edge_spans
                self._error(spans[found.index], found.message, found.hint)
        if self.diagnostics:
            raise InputError(self.diagnostics)
        return oriented(cycle)

    def _close(self) -> None:
        """Give the decorations after the last edge to the event with which the cycle begins."""
        if len(self.edges) < 2:
            span = self.edge_spans[0] if self.edges else Span(1, 1, max(1, len(self.source.text)))
            self._error(span, "a cycle has at least two edges", "for example 'Rfe PodRR Fre PodWW'")
        elif self.pending is not None and self.pending_span is not None:
            if self.marks[0] is not None:
                message = "the cycle closes here: its first event is decorated already, at the beginning"
                self._error(self.pending_span, message)
            self.marks[0] = self.pending
            self.event_spans[0] = self.pending_span

    def _error(self, span: Span, message: str, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(self.source, span, message, hint))
