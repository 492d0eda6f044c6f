"""Whether LLVM finds something on the way to a load that may write where it reads.

What goes in: the blocks of a kernel in SSA form. What comes out: for a load of theirs yes or no, as LLVM 22 decides it
for AMDGPU: by MemorySSA, where every operation that may write or is ordered leaves a state of memory, with a phi where
states meet, and its walker, which goes from a load up to what may write there; from there the search goes on, state by
state. Fences and barriers do not count, nor read-modify-writes of other objects. A store counts if it may touch the
same bytes, and wherever it goes if it is atomic and more than unordered; so does an acquire load, and a monotonic one
behind a fence or barrier. Where paths meet of which one has a fence or a write, the last state of each that is none of
these counts, even a volatile load of something else. Invariant: it is not asked what may happen but what LLVM answers;
where that goes wrong is a finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.convergence.graph import flow_graph, immediate_dominators
from axmem.front.records import dataclass, replace
from axmem.litmus.arithmetic import signed
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernels import SIGNATURES, Call
from axmem.litmus.registers import assigned
from axmem.litmus.syntax import (
    AccessStatement,
    Address,
    AddressOf,
    AddressSpace,
    Assign,
    Expr,
    Fence,
    IntegerOperation,
    Load,
    Make,
    Number,
    Ordering,
    Register,
    RmwStatement,
    Statement,
    Store,
    WritingStatement,
)
from axmem.litmus.walk import addresses

ORDERED = frozenset(Ordering) - {Ordering.NOT_ATOMIC, Ordering.UNORDERED}
ACQUIRING = frozenset({Ordering.ACQUIRE, Ordering.ACQ_REL, Ordering.SEQ_CST})


@dataclass(frozen=True, slots=True)
class MemoryState:
    """A state of memory: what a statement of a block leaves, or -1: what paths that meet at its start bring."""

    block: str
    number: int = -1


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an access goes: a root and an index of a register (or None), moved by a constant number of bytes.

    Without that number it may go anywhere in the root's object. Besides, the size and the address space.
    """

    root: Expr
    index: Expr | None
    offset: int | None
    size: int
    space: AddressSpace | None


@dataclass(frozen=True, slots=True)
class _Read:
    """Where a load reads, and whether its address is plainly the same in all iterations of any loop."""

    place: _Place
    fixed: bool


class Clobbers:
    """What LLVM finds before the loads of one kernel."""

    def __init__(self, flow: ControlFlow) -> None:
        graph = flow_graph(flow.successors)
        self._blocks = {block.name: block for block in flow.blocks if block.name in graph.successors}
        self._before = {name: tuple(b for b in flow.predecessors[name] if b in self._blocks) for name in self._blocks}
        self._above = immediate_dominators(graph)
        self._values = {s.register: s.value for block in flow.blocks for s in block.statements if isinstance(s, Assign)}
        self._entry = graph.entry
        self._home = {
            name: block.name
            for block in flow.blocks
            for statement in (*block.phis, *block.statements)
            for name, _ in assigned(statement)
        }
        self._defs = {
            name: [n for n, s in enumerate(block.statements) if _is_state(s)] for name, block in self._blocks.items()
        }
        self._phis = self._met()

    def on_the_way_to(self, block: KernelBlock, number: int) -> bool:
        """Return whether LLVM finds a write to where a load reads before it."""
        load = self._read(block, number)
        waiting = [self._found(self._preceding(MemoryState(block.name, number)), load, by_load=True)]
        seen: set[MemoryState] = set()
        while waiting:
            state = waiting.pop()
            if state is None or state in seen:
                continue
            seen.add(state)
            if state.number < 0:
                # What paths bring is looked at as it is, whether it may write there or not.
                waiting += [self._last(before) for before in self._before[state.block]]
            elif self._writes(self._statement(state), load.place):
                return True
            else:
                above = self._preceding(state)
                fence = above is not None and above.number >= 0 and isinstance(self._statement(above), Fence)
                waiting.append(above if fence else self._found(above, load, by_load=False))
        return False

    # ------------------------------------------------------------ states

    def _met(self) -> frozenset[str]:
        """Return the blocks in which states meet: the iterated dominance frontier of those that change memory."""
        found: set[str] = set()
        waiting = [name for name, numbers in self._defs.items() if numbers]
        while waiting:
            block = waiting.pop()
            for meeting, before in self._before.items():
                if meeting not in found and len(before) > 1 and self._in_frontier(block, meeting):
                    found.add(meeting)
                    waiting.append(meeting)
        return frozenset(found)

    def _in_frontier(self, block: str, meeting: str) -> bool:
        """Whether a block dominates a predecessor of another, and not the other itself, or is that."""
        above = set(self._dominators(meeting)) - {meeting}
        return block not in above and any(block in self._dominators(b) for b in self._before[meeting])

    def _dominators(self, block: str) -> Iterator[str]:
        at: str | None = block
        while at is not None:
            yield at
            at = self._above.get(at)

    def _start(self, block: str) -> MemoryState | None:
        """Return the state at the start of a block; None: that at the start of the kernel."""
        if block in self._phis:
            return MemoryState(block)
        above = self._above.get(block)
        return None if above is None else self._last(above)

    def _last(self, block: str) -> MemoryState | None:
        numbers = self._defs[block]
        return MemoryState(block, numbers[-1]) if numbers else self._start(block)

    def _preceding(self, state: MemoryState) -> MemoryState | None:
        """Return the state before that of a statement."""
        numbers = [n for n in self._defs[state.block] if n < state.number]
        return MemoryState(state.block, numbers[-1]) if numbers else self._start(state.block)

    def _statement(self, state: MemoryState) -> Statement:
        return self._blocks[state.block].statements[state.number]

    # ------------------------------------------------------------ the walker

    def _found(self, start: MemoryState | None, load: _Read, *, by_load: bool) -> MemoryState | None:
        """Return the nearest state from one upwards that may write where a load reads.

        Where paths meet it goes on above if none of them writes there since they parted from one state. From there on
        an address that may be another in each iteration of a loop may be any of its object.
        """
        at, place = start, load.place
        while True:
            at = self._up(at, None, place, by_load=by_load)
            if at is None or at.number >= 0:
                return at
            parted = self._last(self._above[at.block])
            place = place if load.fixed else replace(place, offset=None)
            waiting, seen = [self._last(before) for before in self._before[at.block]], {at}
            while waiting:
                path = self._up(waiting.pop(), parted, place, by_load=by_load)
                if path == parted or path in seen:
                    continue
                if path is None or path.number >= 0:
                    return at
                seen.add(path)
                waiting += [self._last(before) for before in self._before[path.block]]
            at = parted

    def _up(
        self, state: MemoryState | None, until: MemoryState | None, place: _Place, *, by_load: bool
    ) -> MemoryState | None:
        """Return the first state that may write, is one of paths that meet, or is `until`."""
        while state is not None and state.number >= 0 and state != until:
            if self._counts(self._statement(state), place, by_load=by_load):
                return state
            state = self._preceding(state)
        return state

    # ------------------------------------------------------------ what counts

    def _counts(self, statement: Statement, place: _Place, *, by_load: bool) -> bool:
        """Whether the walker stops at a statement, asked by the load itself or for its memory alone."""
        match statement:
            case Load(mode=mode):
                return mode.ordering in (ACQUIRING if by_load else ORDERED)
            case Store(mode=mode):
                return mode.ordering in ORDERED or self._may_meet(statement, place)
            case RmwStatement(mode=mode):
                return mode.ordering is not Ordering.MONOTONIC or self._may_meet(statement, place)
        return True

    def _writes(self, statement: Statement, place: _Place) -> bool:
        """Whether a statement at which the walker stopped counts: all but fences, barriers and atomics elsewhere."""
        match statement:
            case Fence():
                return False
            case Call(operation=operation):
                return operation not in SIGNATURES
            case RmwStatement():
                return self._may_meet(statement, replace(place, offset=None))
        return True

    def _may_meet(self, statement: Statement, second: _Place) -> bool:
        """Whether an access may touch the bytes of a place."""
        first = self._place(statement)
        if first.space != second.space and AddressSpace.GENERIC not in (first.space, second.space):
            return False
        if first.root == second.root:
            if first.offset is None or second.offset is None or first.index != second.index:
                return True
            return first.offset < second.offset + second.size and second.offset < first.offset + first.size
        return not (isinstance(first.root, AddressOf) and isinstance(second.root, AddressOf))

    def _read(self, block: KernelBlock, number: int) -> _Read:
        """Return where a load reads; its address is fixed in loops if it is computed in the entry or from an object."""
        load = block.statements[number]
        assert isinstance(load, Load)
        return _Read(self._place(load), self._is_fixed(load.address, block.name))

    def _is_fixed(self, address: Address, block: str) -> bool:
        base = address.base
        index, step = _index(address)
        if index is not None or step:
            return block == self._entry or (index is None and self._is_object(base))
        if isinstance(base, Register) and base.name in self._home:
            block = self._home[base.name]
            base = self._values.get(base.name, base)
        if (
            isinstance(base, IntegerOperation)
            and base.name == "add"
            and any(isinstance(o, Number) for o in base.operands)
        ):
            return block == self._entry or any(map(self._is_object, base.operands))
        return block == self._entry or self._is_object(base)

    def _is_object(self, base: Expr) -> bool:
        """Whether a pointer is a location's address or a parameter."""
        return isinstance(base, AddressOf) or (isinstance(base, Register) and base.name not in self._home)

    def _place(self, access: Statement) -> _Place:
        (address,) = addresses(access)
        assert isinstance(access, AccessStatement)
        size = access.type.size if access.type is not None else 0
        root, offset = self._root(address.base)
        index, step = _index(address)
        pointer = address.base.type.pointer if address.base.type is not None else None
        return _Place(root, index, None if offset is None else offset + step * size, size, pointer)

    def _root(self, base: Expr) -> tuple[Expr, int | None]:
        """Return what a pointer is made from by adding, and how much is added (None: it is not constant)."""
        match base:
            case Register(name=name) if name in self._values:
                root, offset = self._root(self._values[name])
                return (root, offset) if isinstance(root, Register | AddressOf) else (base, 0)
            case IntegerOperation(name="add", operands=(left, right)):
                pointer, added = (left, right) if left.type is None or left.type.pointer is not None else (right, left)
                root, offset = self._root(pointer)
                return root, offset + _signed(added) if offset is not None and isinstance(added, Number) else None
        return base, 0


def _index(address: Address) -> tuple[Expr | None, int]:
    """Return an index as something that is not constant, or None, and a number that is added to it."""
    match address.index:
        case None:
            return None, 0
        case Number() as number:
            return None, _signed(number)
        case IntegerOperation(name="add", operands=(index, Number() as number)):
            return index, _signed(number)
    return address.index, 0


def _signed(number: Number) -> int:
    return signed(number.value, number.type.bits if number.type is not None else 64)


def _is_state(statement: Statement) -> bool:
    """Whether MemorySSA takes a statement for one that may change memory: writes, ordered and volatile reads, calls."""
    match statement:
        case Load(mode=mode):
            return mode.ordering in ORDERED or mode.volatile
        case Call(operation=operation):
            return operation not in SIGNATURES or "barrier" in operation
    return isinstance(statement, WritingStatement | Fence | Make)
