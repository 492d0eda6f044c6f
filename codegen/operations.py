"""What the lowering has to know of a statement.

What goes in: a statement of a well-formed test. What comes out: its `Operation`, or None for a statement that touches
no memory and synchronizes nothing. An operation names no location and no register: two statements with equal operations
are lowered alike.
"""

from __future__ import annotations

from axmem.front.records import dataclass
from axmem.litmus.layout import natural_alignment, offset_of
from axmem.litmus.syntax import (
    I32,
    AccessStatement,
    AddressSpace,
    AtomicRmw,
    Barrier,
    CmpXchg,
    Expr,
    Fence,
    Load,
    Make,
    Ordering,
    Statement,
    Store,
    SyncScope,
    Tag,
    Type,
)
from axmem.litmus.words import SPACE_NAMES, SYSTEM_SCOPE

SCALAR_ALIGNMENT = 4
"""To how many bytes a load through the scalar cache is aligned, unless it has fewer."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A memory operation; `kind` is a word of the tables (`load`, `av-load`, `make.visible`, …) or `barrier`.

    `update` is the operation of an atomicrmw, `result` whether its old value is used; `uniform` says that all lanes
    access one address, and that the thread has neither written nor synchronized before. `align` is how many bytes its
    address is a multiple of if that is less than its size, else 0.
    """

    kind: str
    space: AddressSpace | None = None
    ordering: Ordering = Ordering.NOT_ATOMIC
    failure: Ordering = Ordering.NOT_ATOMIC
    scope: SyncScope = SYSTEM_SCOPE
    type: Type = I32
    update: str = ""
    volatile: bool = False
    nontemporal: bool = False
    last_use: bool = False
    elementwise: bool = False
    result: bool = False
    uniform: bool = False
    align: int = 0
    tags: frozenset[Tag] = frozenset()

    @property
    def atomic(self) -> bool:
        """Whether it is an atomic access; av operations are not."""
        return self.ordering is not Ordering.NOT_ATOMIC and self.kind != "fence"

    @property
    def space_name(self) -> str:
        """The word of the tables for its address space; empty if it accesses no memory."""
        return "" if self.space is None else SPACE_NAMES[self.space]


def operation_of(statement: Statement, *, uniform: bool = False) -> Operation | None:
    """Return what a statement is to the backend, or None if it is nothing."""
    match statement:
        case Load(mode=mode):
            plain = uniform and not (mode.av or mode.volatile or mode.ordering is not Ordering.NOT_ATOMIC)
            return _access("load", statement, uniform=plain)
        case Store():
            return _access("store", statement)
        case AtomicRmw(operation=update, register=register):
            return _access("rmw", statement, update=update, result=bool(register))
        case CmpXchg(failure=failure):
            return _access("cmpxchg", statement, update="cmpxchg", failure=failure, result=True)
        case Fence(mode=mode):
            return Operation("fence", None, mode.ordering, scope=mode.scope, tags=mode.tags)
        case Make(visible=visible, scope=scope, tags=tags):
            return Operation("make.visible" if visible else "make.available", scope=scope, tags=tags)
        case Barrier():
            return Operation("barrier")
    return None


def _access(
    kind: str, statement: AccessStatement, *,
    update: str = "", failure: Ordering = Ordering.NOT_ATOMIC, result: bool = False, uniform: bool = False,
) -> Operation:  # fmt: skip
    mode, type_, align = statement.mode, statement.type or I32, access_alignment(statement)
    space = space_of(statement.address.base)
    return Operation(
        kind=f"av-{kind}" if mode.av else kind,
        space=space,
        ordering=mode.ordering,
        failure=failure,
        scope=mode.scope,
        type=type_,
        update=update,
        volatile=mode.volatile,
        nontemporal=mode.nontemporal,
        elementwise=mode.elementwise,
        result=result,
        uniform=uniform and space is AddressSpace.GLOBAL and align >= min(SCALAR_ALIGNMENT, type_.size),
        align=align if align < min(type_.size, 16) and not mode.av else 0,
        tags=mode.tags,
    )


def space_of(base: Expr) -> AddressSpace:
    """Return the address space that an instruction must be able to reach: that of the pointer's type."""
    pointer = base.type.pointer if base.type is not None else None
    return AddressSpace.GENERIC if pointer is None else pointer


def access_alignment(statement: AccessStatement) -> int:
    """Return how an access is aligned: as stated, or what its place has for certain; an atomic to its size."""
    type_, mode = statement.type or I32, statement.mode
    whole = natural_alignment(type_.size)
    if mode.align or mode.ordering is not Ordering.NOT_ATOMIC:
        return mode.align or whole
    offset = offset_of(statement.address, type_.size)
    if offset is None:
        return min(whole, type_.element.size)
    return min(whole, offset & -offset) if offset else whole
