"""What the lowering has to know of a statement.

What goes in: a statement of a well-formed test. What comes out: its `Operation`, or None for a statement that touches
no memory and synchronizes nothing. An operation names no location and no register: two statements with equal operations
are lowered alike.
"""

from __future__ import annotations

from axmem.front.records import dataclass
from axmem.litmus.syntax import (
    I32,
    AccessMode,
    Address,
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
from axmem.litmus.words import SYSTEM_SCOPE


@dataclass(frozen=True, slots=True)
class Operation:
    """A memory operation; `kind` is a word of the tables (`load`, `av-load`, `make.visible`, …) or `barrier`.

    `update` is the operation of an atomicrmw, `result` whether its old value is used; `uniform` says that all lanes
    access one address, and that the thread has neither written nor synchronized before.
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
    elementwise: bool = False
    result: bool = False
    uniform: bool = False
    tags: frozenset[Tag] = frozenset()

    @property
    def atomic(self) -> bool:
        """Whether it is an atomic access; av operations are not."""
        return self.ordering is not Ordering.NOT_ATOMIC and self.kind != "fence"


def operation_of(statement: Statement, *, uniform: bool = False) -> Operation | None:
    """Return what a statement is to the backend, or None if it is nothing."""
    match statement:
        case Load(type=type_, address=address, mode=mode):
            plain = uniform and not (mode.av or mode.volatile or mode.ordering is not Ordering.NOT_ATOMIC)
            return _access("load", type_, address, mode, uniform=plain)
        case Store(type=type_, address=address, mode=mode):
            return _access("store", type_, address, mode)
        case AtomicRmw(type=type_, address=address, mode=mode, operation=update, register=register):
            return _access("rmw", type_, address, mode, update=update, result=bool(register))
        case CmpXchg(type=type_, address=address, mode=mode, failure=failure):
            return _access("cmpxchg", type_, address, mode, update="cmpxchg", failure=failure, result=True)
        case Fence(mode=mode):
            return Operation("fence", None, mode.ordering, scope=mode.scope, tags=mode.tags)
        case Make(visible=visible, scope=scope, tags=tags):
            return Operation("make.visible" if visible else "make.available", scope=scope, tags=tags)
        case Barrier():
            return Operation("barrier")
    return None


def _access(
    kind: str, type_: Type | None, address: Address, mode: AccessMode, *,
    update: str = "", failure: Ordering = Ordering.NOT_ATOMIC, result: bool = False, uniform: bool = False,
) -> Operation:  # fmt: skip
    space = space_of(address.base)
    return Operation(
        kind=f"av-{kind}" if mode.av else kind,
        space=space,
        ordering=mode.ordering,
        failure=failure,
        scope=mode.scope,
        type=type_ or I32,
        update=update,
        volatile=mode.volatile,
        nontemporal=mode.nontemporal,
        elementwise=mode.elementwise,
        result=result,
        uniform=uniform and space is AddressSpace.GLOBAL,
        tags=mode.tags,
    )


def space_of(base: Expr) -> AddressSpace:
    """Return the address space that an instruction must be able to reach: that of the pointer's type."""
    pointer = base.type.pointer if base.type is not None else None
    return AddressSpace.GENERIC if pointer is None else pointer
