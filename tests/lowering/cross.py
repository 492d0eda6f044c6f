"""The operations that are compared, and the LLVM IR of each.

What goes in: a target. What comes out: operations, each with the text of a function that performs it and nothing else.
The pointer of the access is the argument `%p`, by which the access is found in machine code; in assembly it stands
between marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from axmem.codegen.operations import Operation
from axmem.codegen.program import in_pieces
from axmem.codegen.targets import Target
from axmem.litmus.syntax import I32, I64, AddressSpace, Ordering, SyncScope, Tag, Type
from axmem.litmus.words import AMDGPU, syncscopes

POINTERS = {
    AddressSpace.GENERIC: "ptr",
    AddressSpace.GLOBAL: "ptr addrspace(1)",
    AddressSpace.LDS: "ptr addrspace(3)",
    AddressSpace.PRIVATE: "ptr addrspace(5)",
}
LOADS = (Ordering.UNORDERED, Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.SEQ_CST)
STORES = (Ordering.UNORDERED, Ordering.MONOTONIC, Ordering.RELEASE, Ordering.SEQ_CST)
UPDATES = (Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.RELEASE, Ordering.ACQ_REL, Ordering.SEQ_CST)
FENCES = (Ordering.ACQUIRE, Ordering.RELEASE, Ordering.ACQ_REL, Ordering.SEQ_CST)
FAILURES = (Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.SEQ_CST)
TYPES = {Type(8): "i8", Type(16): "i16", I64: "i64", Type(32, 2): "<2 x i32>", Type(32, 4): "<4 x i32>"}
VECTORS = {Type(8, 2): "<2 x i8>", Type(8, 4): "<4 x i8>", Type(16, 2): "<2 x i16>", Type(16, 4): "<4 x i16>"}
"""Vectors whose elements may have no registers of their own: volatile ones are made of accesses to each."""
ALL_UPDATES = ("xchg", "sub", "and", "or", "xor", "max", "umax", "min", "umin", "uinc_wrap", "udec_wrap")
MARKS = tuple(product((False, True), repeat=2))
LOCAL: Tag = ("amdgpu-synchronize-as", "local")
GLOBAL: Tag = ("amdgpu-synchronize-as", "global")
NONE: Tag = ("amdgcn-av", "none")
PRIVATE: Tag = ("vulkan", "private")
TAGS: tuple[frozenset[Tag], ...] = (
    frozenset(),
    frozenset({LOCAL}),
    frozenset({GLOBAL}),
    frozenset({LOCAL, GLOBAL}),
    frozenset({NONE}),
    frozenset({PRIVATE}),
)
MARK = 'call void asm sideeffect "; axmem {}", ""() #0'
_METADATA = {tag: number for number, tag in enumerate((LOCAL, GLOBAL, NONE, PRIVATE), 3)}
TRAILER = "\n".join(
    [
        "declare void @llvm.amdgcn.s.barrier()",
        "attributes #0 = { nounwind memory(none) }",
        "attributes #1 = { noinline optnone }",
        "!0 = !{i32 1}",
        "!1 = !{i32 5, i32 6}",
        "!2 = !{}",
        *(f'!{number} = !{{!"{prefix}", !"{suffix}"}}' for (prefix, suffix), number in _METADATA.items()),
        f"!9 = !{{!{_METADATA[LOCAL]}, !{_METADATA[GLOBAL]}}}",
        "",
    ]
)


def operations(target: Target, *, thin: bool = False) -> Iterator[Operation]:
    """Yield the operations for a target; `thin` leaves out marks and tags that change nothing about atomics."""
    marks = MARKS[:1] if thin else MARKS
    for space in POINTERS:
        if space is AddressSpace.GENERIC and "generic" not in target.family.instructions:
            continue
        for kind, (volatile, nontemporal) in product(("load", "store"), MARKS):
            yield Operation(kind, space, volatile=volatile, nontemporal=nontemporal)
        for kind, type_ in product(("load", "store"), TYPES):  # one that is made in several has several waits
            yield Operation(kind, space, type=type_, volatile=True)
        for kind, type_ in product(("load", "store"), VECTORS):
            yield Operation(kind, space, type=type_, volatile=True)
        for scope in syncscopes(AMDGPU).values():
            yield from _accesses(space, scope, marks, thin)
        yield from _aligned(space, target)
        if not thin:
            yield from _widths(space)
    for scope, ordering, tags in product(syncscopes(AMDGPU).values(), FENCES, TAGS):
        yield Operation("fence", None, ordering, scope=scope, tags=tags)
    for type_ in (I32, I64, Type(32, 4)):
        yield Operation("load", AddressSpace.GLOBAL, type=type_, uniform=True)
    yield Operation("load", AddressSpace.GLOBAL, uniform=True, nontemporal=True)
    yield Operation("barrier")


def _aligned(space: AddressSpace, target: Target) -> Iterator[Operation]:
    """Yield accesses that are aligned to less than their size, and are made like those that are aligned to it."""
    for kind, type_ in product(("load", "store"), (I32, *TYPES)):
        for align in (1 << shift for shift in range(type_.size.bit_length() - 1)):
            operation = Operation(kind, space, type=type_, volatile=True, align=align)
            if not in_pieces(operation, target):
                yield operation


def _widths(space: AddressSpace) -> Iterator[Operation]:
    """Yield accesses of every size, and every update that all targets have."""
    for kind, type_ in product(("load", "store"), TYPES):
        yield Operation(kind, space, type=type_)
    if space is not AddressSpace.PRIVATE:
        agent = syncscopes(AMDGPU)["agent"]
        for update, type_, result in product(ALL_UPDATES, (I32, I64), (True, False)):
            yield Operation("rmw", space, Ordering.MONOTONIC, scope=agent, type=type_, update=update, result=result)


def _accesses(
    space: AddressSpace, scope: SyncScope, marks: tuple[tuple[bool, ...], ...], thin: bool
) -> Iterator[Operation]:
    for volatile, nontemporal in marks:
        for kind, orderings in (("load", LOADS), ("store", STORES)):
            for ordering in orderings:
                yield Operation(kind, space, ordering, scope=scope, volatile=volatile, nontemporal=nontemporal)
    if space is AddressSpace.PRIVATE:
        return
    for volatile, result, ordering in product((False, True)[: 2 - thin], (True, False), UPDATES):
        yield Operation("rmw", space, ordering, scope=scope, update="add", volatile=volatile, result=result)
        for failure in FAILURES:
            yield Operation(
                "cmpxchg", space, ordering, failure, scope=scope, update="cmpxchg", volatile=volatile, result=result
            )
    for kind, those in (("load", LOADS), ("store", STORES), ("rmw", UPDATES)):
        for ordering in () if thin else those:
            update = "add" if kind == "rmw" else ""
            yield Operation(kind, space, ordering, scope=scope, update=update, tags=frozenset({NONE}))


def module(found: Iterable[Operation]) -> str:
    """Return a module with the functions f0, f1, … of some operations."""
    return "".join(function(operation, f"f{number}") for number, operation in enumerate(found)) + TRAILER


def function(operation: Operation, name: str) -> str:
    """Return a function that performs an operation."""
    return _FUNCTIONS[operation.kind](operation, name)


def _load(operation: Operation, name: str) -> str:
    type_ = _type(operation)
    access = f"load {_atomic(operation)}{type_}, {_pointer(operation)} %p{_order(operation)}"
    text = _marked(f"%r = {access}, align {operation.align or operation.type.size}{_notes(operation)}")
    if operation.uniform:
        head = f"define amdgpu_kernel void @{name}(ptr addrspace(1) %p, ptr addrspace(3) %q)"
        return f"{head} {{\n{text}\n  store {type_} %r, ptr addrspace(3) %q\n  ret void\n}}\n"
    return f"define {type_} @{name}({_pointer(operation)} %p) #1 {{\n{text}\n  ret {type_} %r\n}}\n"


def _store(operation: Operation, name: str) -> str:
    pointer, value = _pointer(operation), f"{_type(operation)} %v"
    align = f"align {operation.align or operation.type.size}"
    text = f"store {_atomic(operation)}{value}, {pointer} %p{_order(operation)}, {align}{_notes(operation)}"
    return f"define void @{name}({pointer} %p, {value}) #1 {{\n{_marked(text)}\n  ret void\n}}\n"


def _update(operation: Operation, name: str) -> str:
    volatile = "volatile " if operation.volatile else ""
    type_ = _type(operation)
    place = f"{volatile}{{}}{_pointer(operation)} %p, {type_} %v"
    if operation.kind == "rmw":
        hints = ", !noalias.addrspace !1, !amdgpu.no.fine.grained.memory !2, !amdgpu.no.remote.memory !2"
        update = place.format(f"{operation.update} ")
        text = _marked(f"%r = atomicrmw {update}{_order(operation)}{hints}{_notes(operation)}")
    else:
        order = f"{_order(operation)} {operation.failure.value}"
        pair = f"%q = cmpxchg {place.format('')}, {type_} %w{order}, !noalias.addrspace !1{_notes(operation)}"
        text = f"{_marked(pair)}\n  %r = extractvalue {{{type_}, i1}} %q, 0"
    result, value = (type_, f"{type_} %r") if operation.result else ("void", "void")
    head = f"define {result} @{name}({_pointer(operation)} %p, {type_} %v, {type_} %w) #1"
    return f"{head} {{\n{text}\n  ret {value}\n}}\n"


def _fence(operation: Operation, name: str) -> str:
    fence = _marked(f"fence{_order(operation)}{_notes(operation)}")
    return f"define void @{name}() #1 {{\n{fence}\n  ret void\n}}\n"


def _barrier(operation: Operation, name: str) -> str:
    call = _marked("call void @llvm.amdgcn.s.barrier()")
    return f"define amdgpu_kernel void @{name}() #1 {{\n{call}\n  ret void\n}}\n"


_FUNCTIONS = {
    "load": _load,
    "store": _store,
    "rmw": _update,
    "cmpxchg": _update,
    "fence": _fence,
    "barrier": _barrier,
}


def _marked(text: str) -> str:
    """Return a line between marks that survive into assembly."""
    return "\n".join(f"  {line}" for line in (MARK.format("begin"), text, MARK.format("end")))


def _pointer(operation: Operation) -> str:
    assert operation.space is not None
    return POINTERS[operation.space]


def _type(operation: Operation) -> str:
    return {**TYPES, **VECTORS}.get(operation.type, "i32")


def _atomic(operation: Operation) -> str:
    return ("atomic " if operation.atomic else "") + ("volatile " if operation.volatile else "")


def _order(operation: Operation) -> str:
    if operation.ordering is Ordering.NOT_ATOMIC:
        return ""
    scope = operation.scope.spelling
    return (f' syncscope("{scope}")' if scope else "") + f" {operation.ordering.value}"


def _notes(operation: Operation) -> str:
    notes = ", !nontemporal !0" if operation.nontemporal else ""
    if len(operation.tags) == 2:
        return f"{notes}, !mmra !9"
    return notes + "".join(f", !mmra !{_METADATA[tag]}" for tag in operation.tags)
