"""The execution of one statement that is no control flow."""

from __future__ import annotations

from axmem.events.accesses import AccessEvents
from axmem.events.building import EventBuilder
from axmem.events.graph import EventKind, Require
from axmem.events.state import AccessTarget, Lanes, WalkState
from axmem.events.transfers import Transfers
from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus.poison import undefined_where
from axmem.litmus.words import AS_PREFIX, SPACE_TAGS, AddressSpace, Ordering, Tag


class Statements:
    """Executes statements of threads and lanes, and adds their events to those of the test."""

    def __init__(self, builder: EventBuilder) -> None:
        self.builder = builder
        self.transfers = Transfers(builder)

    def execute(self, statement: ast.Statement, state: WalkState) -> None:
        """Execute a statement that is no control flow."""
        match statement:
            case ast.AccessStatement():
                self._access(statement, state)
            case ast.Fence():
                self._fence(statement, state)
            case ast.Make():
                self._make(statement, state)
            case ast.Barrier():
                self._barrier(statement, state)
            case ast.Transfer() | ast.Track() if state.thread >= len(self.builder.test.threads):
                self.builder.fail(statement.span, "the engine knows no DMA operations of kernels")
            case ast.Transfer():
                self.transfers.initiate(statement, state)
            case ast.Track():
                self.transfers.track(statement, state)
            case ast.Assign(register, value):
                state.registers[register] = self.builder.lanes(value, value.type, state)
            case ast.Assume(condition):
                expr = self.builder.scalar(condition, state)
                self.builder.requires.append(Require(state.guard, expr))
                self.builder.note_undefined(state, expr, undefined_where(condition), statement.span)

    def _fence(self, statement: ast.Fence, state: WalkState) -> None:
        """Add a fence: one event, or of a one-as scope one for each address space, which it synchronizes alone."""
        mode = statement.mode
        for tags in self._fence_tags(mode.tags) if mode.scope.one_as else (mode.tags,):
            self.builder.plain_event(
                EventKind.FENCE,
                state,
                ordering=mode.ordering,
                scope=mode.scope.level,
                one_as=mode.scope.one_as,
                tags=tags,
                label=statement.label,
                span=statement.span,
            )

    def _fence_tags(self, tags: frozenset[Tag]) -> list[frozenset[Tag]]:
        """Return the tags for each address space that a fence of a one-as scope synchronizes: one of those that it
        names, or in which there is memory. Without LDS it is as any other fence.
        """
        spaces = {SPACE_TAGS[each.space] for each in self.builder.test.locations}
        named = {tag for tag in tags if tag[0] == AS_PREFIX}
        if SPACE_TAGS[AddressSpace.LDS] not in spaces or len(named or spaces) < 2:
            return [tags]
        return [tags - named | {space} for space in sorted(named or spaces)]

    def _make(self, statement: ast.Make, state: WalkState) -> None:
        attributes = {
            "scope": statement.scope.level,
            "tags": statement.tags,
            "label": statement.label,
            "span": statement.span,
        }
        kind = EventKind.MAKE_VISIBLE if statement.visible else EventKind.MAKE_AVAILABLE
        if statement.address is None:
            self.builder.plain_event(kind, state, **attributes)
            return
        assert statement.type is not None
        for target in self.builder.targets(statement.address, statement.type, state):
            keys = self.builder.footprint(target.location, target.offset, statement.type)
            covers = frozenset(self.builder.cell_index[k] for k in keys) if not self.builder.counting else frozenset()
            inner = replace(state, guard=target.guard)
            self.builder.plain_event(kind, inner, covers=covers, address_reads=target.reads, **attributes)

    def _barrier(self, statement: ast.Barrier, state: WalkState) -> None:
        phase = self.builder.phase(statement.name, state.thread)
        self.builder.phases[state.thread, statement.name] = phase[1]
        self.builder.plain_event(EventKind.BARRIER, state, phase=phase, label=statement.label, span=statement.span)

    def _access(self, statement: ast.AnyAccess, state: WalkState) -> None:
        assert statement.type is not None
        builder = self.builder
        results: list[tuple[AccessTarget, Lanes]] = []
        for target in builder.targets(statement.address, statement.type, state):
            results.append((target, AccessEvents(builder, statement, target, state).make()))
            if builder.counting and builder.decided.tearing and statement.mode.ordering is not Ordering.NOT_ATOMIC:
                builder.footprints |= {(target.location, target.offset + i, 1) for i in range(statement.type.size)}
        self._assign_results(statement, state, results)

    def _assign_results(
        self,
        statement: ast.AnyAccess,
        state: WalkState,
        results: list[tuple[AccessTarget, Lanes]],
    ) -> None:
        """Bind the registers of an access to what it returns, whichever address it went to."""
        if not isinstance(statement, ast.ReadingStatement):
            return
        lanes = self.builder.returned(results)
        thread = self.builder.threads[state.thread]
        bound = [(statement.register, lanes)]
        if isinstance(statement, ast.CmpXchg) and statement.ok_register:
            bound = [(statement.register, lanes[:-1]), (statement.ok_register, lanes[-1:])]
        for register, value in bound:
            if register:
                state.registers[register] = value
                self.builder.loaded[thread, register] = None
