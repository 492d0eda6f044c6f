"""Which DMA operations a test has, and where each is completed.

What goes in: initiations, marks, waits and arrivals in the program order of each thread, as `events.unroll` meets
them. What comes out: the events of DMA operations, appended to those of the test, each operation a thread of its own;
and of each wait and barrier the last events of the DMA operations that are completed there. The asyncmarks of a thread
are a sequence; a wait removes the first of them, and completes whatever was initiated before a mark that is gone
([AMDGPU-Async] "Completion").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.events.accesses import AccessEvents
from axmem.events.building import EventBuilder
from axmem.events.graph import Event, EventKind
from axmem.events.state import WalkState
from axmem.front.records import dataclass, field, replace
from axmem.litmus import syntax as ast
from axmem.litmus.placement import barriers_of
from axmem.litmus.spelling import MARK, WAIT
from axmem.litmus.words import NONE_TAG, Ordering


@dataclass(slots=True)
class _Tracked:
    """Of one thread: the last events of its DMA operations, which are loads, and how many each mark tells of."""

    ends: list[int] = field(default_factory=list)
    loads: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    left: int = 0


class Transfers:
    """The DMA operations of a test as they are met; `names` and `placements` are those of their pseudo-threads."""

    def __init__(self, builder: EventBuilder) -> None:
        self.builder = builder
        self.names: list[str] = []
        self.placements: list[ast.Placement] = []
        self._threads = [_Tracked() for _ in builder.test.threads]
        self._arrived: dict[tuple[str, int], frozenset[int]] = {}

    def initiate(self, statement: ast.Transfer, state: WalkState) -> None:
        """Make the initiation and, as a thread of its own, the operation: entry, reads, writes, a non-av release."""
        builder, tracked, span = self.builder, self._threads[state.thread], statement.span
        initiation = builder.plain_event(EventKind.INITIATE, state, label=statement.label, span=span)
        thread = builder.test.threads[state.thread]
        self.names.append(f"{thread.name}.dma{len(tracked.ends) + 1}")
        outer = builder.test.dma.depth
        numbers = thread.placement.numbers
        self.placements.append(ast.Placement(numbers[:outer] + (None,) * (len(numbers) - outer)))
        inner = replace(state, thread=len(builder.threads) + len(self.names) - 1, within=builder.test.dma)
        self._step(inner)
        builder.plain_event(EventKind.ENTRY, inner, after=frozenset((initiation,)), span=span)
        self._copy(statement, inner)
        self._step(inner)
        tags = frozenset((NONE_TAG,))
        release = builder.plain_event(EventKind.FENCE, inner, ordering=Ordering.RELEASE, tags=tags, span=span)
        tracked.ends.append(release)
        tracked.loads += [release] * statement.to_lds

    def _copy(self, statement: ast.Transfer, inner: WalkState) -> None:
        """Make the reads of the source and the writes of the target, each at the scope of its memory."""
        builder, type_, span = self.builder, statement.type, statement.span
        assert type_ is not None
        own = ast.SyncScope(builder.test.dma)
        wide = max(own, statement.scope, key=lambda scope: scope.level)
        halves = [(statement.memory, wide), (statement.lds, own)]
        (source, read), (target, write) = halves if statement.to_lds else reversed(halves)
        load = ast.Load("", type_, source, ast.AccessMode(scope=read, av=True), span=span)
        store = ast.Store(ast.UndefValue(type_), type_, target, ast.AccessMode(scope=write, av=True), span=span)
        self._step(inner)
        places = builder.targets(source, type_, inner)
        found = [(place, AccessEvents(builder, load, place, inner).make()) for place in places]
        self._step(inner)
        for place in builder.targets(target, type_, inner):
            AccessEvents(builder, store, place, inner).write(builder.returned(found))

    def _step(self, state: WalkState) -> None:
        state.position += 1
        self.builder.instructions += 1

    def track(self, statement: ast.Track, state: WalkState) -> None:
        """Add a mark, wait until so many are left, or let the loads so far arrive at a barrier."""
        tracked = self._threads[state.thread]
        if statement.word == MARK:
            tracked.marks.append(len(tracked.ends))
            tracked.left += 1
        elif statement.word == WAIT:
            tracked.left = min(tracked.left, statement.count)
            gone = tracked.marks[: len(tracked.marks) - tracked.left]
            after = frozenset(tracked.ends[: gone[-1]] if gone else ())
            self.builder.plain_event(EventKind.WAIT, state, after=after, label=statement.label, span=statement.span)
        else:
            self._arrive(statement.barrier, state.thread)

    def _arrive(self, barrier: str, thread: int) -> None:
        """Let loads arrive in the phase of the thread's next barrier; one that executes none arrives once in each."""
        phase = self.builder.phase(barrier, thread)
        if not barriers_of(self.builder.test.threads[thread].body, barrier):
            self.builder.phases[thread, barrier] = phase[1]
        self._arrived[phase] = self._arrived.get(phase, frozenset()) | frozenset(self._threads[thread].loads)

    def completing(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events, each barrier with the last events of the DMA operations that arrive at its phase."""
        for event in events:
            arrived = self._arrived.get(event.phase) if event.kind is EventKind.BARRIER and event.phase else None
            yield replace(event, after=arrived) if arrived else event
