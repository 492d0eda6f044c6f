"""The lowering of one operation: waits, the access with its cache policy bits, writebacks and invalidates, and why.

What goes in: an `Operation` and a `Target`. What comes out: the instructions that the target's family emits for it, in
order. What is decided here is only what the operation orders: which address spaces, at which scope, with or without
availability; everything else is in the tables.

It does not depend on the target:

- An operation orders all address spaces; with a `-one-as` scope, those that its own access reaches, without the order
  between spaces. A fence orders those named by `amdgpu-synchronize-as:global` and `:local`, if it has such tags. LDS
  has its own queues, so it is waited for only where spaces are ordered with each other.
- The scope of an LDS access is at most the workgroup.
- A cmpxchg has the release part of its success ordering and the acquire part of both; a seq_cst failure makes it
  seq_cst.
- `volatile` and `nontemporal` change nothing about atomics; an unordered atomic is lowered as a plain access.
- Atomics on private memory are plain accesses; gfx1250 makes them through generic addresses.
- A plain load from a constant address uses the scalar cache until the thread writes or synchronizes. LLVM does so
  wherever it finds no write in between, and some synchronization does not count for it; the tables do not follow it
  there. `--divergent` treats every address as different between lanes.
- The scalar cache serves loads of at least 4 bytes (from GFX12 on also 1 and 2) that are aligned to their size, or to
  4 bytes if wider.
- Wide plain accesses become several pieces (`widest`), and volatile ones of vectors of bytes, on GFX6 and GFX7 also
  of 16 bits, one for each element (`apart`). Each piece is an access of its own: of a volatile access each is waited
  for, except in LDS. LLVM may keep a vector whole that is only stored again as it was loaded.
- A plain access aligned to less than its size has the instruction of an aligned one, where LLVM makes it so. Where
  LLVM may make several pieces, or one instruction with two addresses (`aligned`), `lower` and `verify` refuse it: 8
  and 16 bytes of LDS, on GFX10 also through generic addresses; most non-global accesses on GFX7 and GFX8; all on
  GFX6. `axmem verify --llc` executes the pieces.
- An update without an instruction (`nand`; `usub_sat` before GFX12; fewer than 32 bits) is shown as the cmpxchg of
  LLVM's loop. So is every floating-point update, though some targets have instructions (`global_atomic_add_f32`):
  they differ in nothing that is ordered or waited for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from axmem.codegen.instructions import (
    EmittedInstruction,
    InstructionKind,
    InstructionPart,
    bit_parts,
    has_update,
    mnemonic,
    waits,
)
from axmem.codegen.operations import Operation
from axmem.codegen.tables import TableRow, common
from axmem.codegen.targets import Target
from axmem.front.records import dataclass, replace
from axmem.litmus.floats import FLOAT_UPDATES
from axmem.litmus.syntax import Type
from axmem.litmus.words import (
    NONE_TAG,
    NONPRIVATE_TAG,
    PRIVATE_TAG,
    SPACE_NAMES,
    SPACE_TAGS,
    AddressSpace,
    Level,
    Ordering,
    Scope,
)

_REACHED = {
    AddressSpace.GLOBAL: frozenset({"global"}),
    AddressSpace.LDS: frozenset({"lds"}),
    AddressSpace.GENERIC: frozenset({"global", "lds"}),
    AddressSpace.PRIVATE: frozenset[str](),
    None: frozenset[str](),
}
_ALL = frozenset({"global", "lds", "gds"})
BYTES_APART = 8
"""A vector of bytes has no registers of its own on any target."""
_TAGGED = {SPACE_TAGS[space]: SPACE_NAMES[space] for space in (AddressSpace.LDS, AddressSpace.GLOBAL)}


@dataclass(frozen=True, slots=True)
class _Ordered:
    """What an operation orders: address spaces (global, lds, gds), whether across them, at which scope.

    `silent` operations order without making anything available or visible.
    """

    spaces: frozenset[str]
    across: bool
    scope: Level
    silent: bool


@lru_cache(maxsize=8192)
def lower_operation(operation: Operation, target: Target) -> tuple[EmittedInstruction, ...]:
    """Return the instructions of an operation."""
    return tuple(instruction for _, instruction in lower_steps(operation, target))


def lower_steps(operation: Operation, target: Target) -> tuple[tuple[str, EmittedInstruction], ...]:
    """Return the instructions of an operation, each behind the word of `common.toml` for the step that emits it."""
    if operation.kind == "barrier":
        return tuple(("barrier", instruction) for instruction in _barrier(target))
    if operation.space is AddressSpace.PRIVATE and operation.atomic:
        return _private(operation, target)
    pieces = _split(operation, target)
    if len(pieces) > 1:
        return tuple(emitted for piece in pieces for emitted in lower_steps(piece, target))
    if operation.uniform and not _scalar(operation, target):
        operation = replace(operation, uniform=False)
    kind = operation.kind.removeprefix("av-")
    steps = common().steps(kind, _ordering(operation).value).emits.split()
    ordered = _ordered(operation, target)
    return tuple((step, instruction) for step in steps for instruction in _step(step, operation, ordered, target))


def _scalar(operation: Operation, target: Target) -> bool:
    """Say whether a uniform load goes through the scalar cache."""
    if bypassing(target) and PRIVATE_TAG not in operation.tags:
        return False
    return operation.type.size * 8 >= target.family.scalar


def _private(operation: Operation, target: Target) -> tuple[tuple[str, EmittedInstruction], ...]:
    """Lower an atomic on private memory: as plain accesses, or through a generic address."""
    if target.family.private == "generic":
        return lower_steps(replace(operation, space=AddressSpace.GENERIC), target)
    plain = replace(operation, ordering=Ordering.NOT_ATOMIC, failure=Ordering.NOT_ATOMIC)
    if operation.kind not in ("rmw", "cmpxchg"):
        return lower_steps(plain, target)
    return tuple(emitted for kind in ("load", "store") for emitted in lower_steps(replace(plain, kind=kind), target))


def _ordering(operation: Operation) -> Ordering:
    """Return the ordering an operation is lowered by; that of a cmpxchg has its failure's part in it."""
    merged = common().merged.get((operation.ordering.value, operation.failure.value))
    return operation.ordering if merged is None else Ordering(merged)


def _ordered(operation: Operation, target: Target) -> _Ordered:
    reached = _REACHED[operation.space]
    one_as = operation.scope.one_as
    spaces = reached if one_as and operation.kind != "fence" else _ALL
    if operation.kind == "fence":
        spaces = frozenset(_TAGGED[tag] for tag in operation.tags if tag in _TAGGED) or spaces
    scope = operation.scope.level
    if operation.space is AddressSpace.LDS:
        scope = min(scope, Scope.WORKGROUP)
    silent = NONE_TAG in operation.tags and target.profile != "llvm-22"
    return _Ordered(spaces, not one_as, scope, silent or (bypassing(target) and NONPRIVATE_TAG in operation.tags))


def bypassing(target: Target) -> bool:
    """Say whether accesses that are not tagged vulkan:private pass the caches (the scheme of the MMRA RFC)."""
    return target.profile == "rfc-vulkan"


# ---------------------------------------------------------------- steps


def _step(step: str, operation: Operation, ordered: _Ordered, target: Target) -> Iterator[EmittedInstruction]:
    """Yield what one step of an operation emits."""
    if step == "access":
        yield _access(operation, ordered, target)
    elif step == "before":
        yield from waits(target.family, _before(operation, target))
    elif step in ("writeback", "invalidate"):
        yield from _maintenance(step, ordered, target)
    else:
        yield from waits(target.family, _waited(step, operation, ordered, target))


def _waited(step: str, operation: Operation, ordered: _Ordered, target: Target) -> Iterator[tuple[str, str, str]]:
    """Yield the counters that a step waits for, with why and source."""
    given = target.circumstances | _narrowed(step, operation)
    scope = Scope.SYSTEM.word if step == "settle" else ordered.scope.word
    for row in target.family.tables["waits"]:
        for subject, key in _subjects(step, operation, ordered):
            if row.applies(given, scope=scope, subject=subject):
                why = common().why[key].format(scope=scope)
                for counter in row.emits.split():
                    yield counter, why, target.family.sources[row.source]


def _subjects(step: str, operation: Operation, ordered: _Ordered) -> list[tuple[str, str]]:
    """Return what a step waits for (loads, stores, scalar, lds, gds), each with the key of the reason."""
    own = "loads" if operation.kind == "load" or operation.result else "stores"
    if step == "settle":
        return [(own, f"settle.{own}")] if operation.volatile and operation.space is not AddressSpace.LDS else []
    if step == "complete":
        spaces, vector, reason = _REACHED[operation.space], [own], "complete"
    else:
        spaces, vector, reason = ordered.spaces, ["loads", "stores"], f"order.{_purpose(operation, ordered)}"
    queues = sorted(spaces & {"lds", "gds"}) if ordered.across else []
    in_memory = [(subject, f"{reason}.{subject}") for subject in vector if "global" in spaces]
    if step == "order" and "global" in spaces and operation.kind != "load" and _ordering(operation).releases:
        in_memory.append(("scalar", "order.scalar"))
    return in_memory + [(queue, f"{step}.{queue}") for queue in queues]


def _purpose(operation: Operation, ordered: _Ordered) -> str:
    if operation.kind == "load":
        return "seq_cst"
    if operation.ordering is Ordering.ACQUIRE and operation.kind == "fence":
        return "acquire"
    return "none" if ordered.silent else "release"


def _narrowed(step: str, operation: Operation) -> frozenset[str]:
    """Return the circumstances that widen or narrow a wait: it is part of a release, or only atomics matter to it."""
    acquire_fence = operation.kind == "fence" and operation.ordering is Ordering.ACQUIRE
    releases = operation.ordering.releases
    flags = {
        "release": releases or (step == "order" and not acquire_fence),
        "atomics": step == "complete" or acquire_fence,
    }
    return frozenset(flag for flag, given in flags.items() if given)


def _before(operation: Operation, target: Target) -> Iterator[tuple[str, str, str]]:
    """Yield the counters that the hardware wants waited for directly before an access."""
    given = target.circumstances | _marks(operation)
    for row in target.family.tables["before"]:
        if row.applies(given, operation=_as(operation), space=operation.space_name):
            for counter in row.emits.split():
                yield counter, row.why, target.family.sources[row.source]


def _maintenance(step: str, ordered: _Ordered, target: Target) -> Iterator[EmittedInstruction]:
    """Yield writebacks or invalidates, with the waits that belong to them."""
    if ordered.silent or "global" not in ordered.spaces:
        return
    family, scope = target.family, ordered.scope.word
    for row in family.tables[f"{step}s"]:
        if not row.applies(target.circumstances, scope=scope):
            continue
        why, source = common().why[step].format(scope=scope), family.sources[row.source]
        if row.emits.startswith("wait "):
            wait = common().why[f"{step}.wait"]
            yield from waits(family, ((counter, wait, source) for counter in row.emits.split()[1:]))
            continue
        name, *bits = row.emits.split()
        parts = tuple(InstructionPart(bit, bit, "", source) for bit in bits)
        kind = InstructionKind.WRITEBACK if step == "writeback" else InstructionKind.INVALIDATE
        yield EmittedInstruction(kind, name, parts, f"{why}: {family.does(row.emits).why}", source)


def _barrier(target: Target) -> Iterator[EmittedInstruction]:
    family = target.family
    for row in family.tables["barriers"]:
        why, source = row.why or common().why["barrier"], family.sources[row.source]
        if row.emits.startswith("wait "):
            yield from waits(family, ((c, why, source) for c in row.emits.removeprefix("wait ").split()))
        else:
            name, *operands = row.emits.split()
            parts = tuple(InstructionPart(operand, operand, "", source) for operand in operands)
            yield EmittedInstruction(InstructionKind.BARRIER, name, parts, why, source)


# ---------------------------------------------------------------- the access


def _split(operation: Operation, target: Target) -> tuple[Operation, ...]:
    """Return the accesses that a plain access is made in: it is wider than an instruction can be, or it is a volatile
    one of a vector whose elements have no registers of their own.

    Each is an access of its own to [SIMemoryLegalizer]: if the whole is volatile, each is waited for.
    """
    lanes, element = operation.type.lanes, replace(operation.type, lanes=0)
    if operation.volatile and not operation.atomic and lanes and element.bits <= _apart(target):
        return (replace(operation, type=element),) * lanes
    widest = target.family.widest.get(operation.space_name, 0)
    bits = operation.type.size * 8
    if not widest or bits <= widest or operation.atomic:
        return (operation,)
    return (replace(operation, type=Type(widest)),) * (bits // widest)


def _apart(target: Target) -> int:
    """Return up to how many bits elements are accessed one by one where a vector of them is volatile."""
    named = (bits for name, bits in target.family.apart.items() if target.name.startswith(name))
    return next(named, BYTES_APART)


def _access(operation: Operation, ordered: _Ordered, target: Target) -> EmittedInstruction:
    """Return the access with its cache policy bits."""
    family, why = target.family, common().why
    parts = bit_parts(_bits(operation, ordered, target))
    name = mnemonic(operation, family)
    if operation.uniform:
        return EmittedInstruction(InstructionKind.ACCESS, name, (), why["access.scalar"], common().sources["L"])
    said = "" if parts else why[f"access.{_bare(operation)}"].format(scope=ordered.scope.word)
    if operation.kind == "rmw" and not has_update(operation, family):
        loop = "the target has no such update, so this stands in a loop until it succeeds"
        if operation.update in FLOAT_UPDATES:
            loop = "this stands in a loop until it succeeds, where the target has no update of such numbers"
        said = f"{said}; {loop}" if said else loop
    return EmittedInstruction(InstructionKind.ACCESS, name, parts, said, common().sources["U"])


def _bare(operation: Operation) -> str:
    """Return the key of the reason why an access has no bits."""
    if operation.space in (AddressSpace.LDS, AddressSpace.PRIVATE):
        return SPACE_NAMES[operation.space]
    return "bare" if operation.atomic or operation.kind.startswith("av-") else "plain"


def _bits(operation: Operation, ordered: _Ordered, target: Target) -> Iterator[tuple[str, str, str]]:
    """Yield the cache policy bits of an access, with why and source."""
    family, why = target.family, common().why
    kind, marks = _as(operation), _marks(operation)
    scope, purpose = ordered.scope.word, kind
    if not operation.ordering.at_least(Ordering.MONOTONIC) and not operation.kind.startswith("av-"):
        scope = ""
        if bypassing(target) and PRIVATE_TAG not in operation.tags and operation.ordering is Ordering.NOT_ATOMIC:
            scope, purpose = Scope.SYSTEM.word, "nonprivate"
    for row in family.tables["bits"]:
        if row.applies(target.circumstances | marks, operation=kind, space=operation.space_name, scope=scope):
            source = family.sources[row.source]
            marked = _mark(row)
            said = why[f"access.{marked or purpose}"].format(scope=scope)
            yield row.emits, f"{said}: {family.does(row.emits, kind).why}", source
    if operation.result and operation.space is not AddressSpace.LDS and kind == "rmw":
        yield family.result, why["access.result"], common().sources["L"]


def _mark(row: TableRow) -> str:
    """Return the mark that a row of bits is for, or nothing if it is for a scope."""
    return next((mark for mark in ("last-use", "volatile", "nontemporal") if mark in row.when), "")


def _marks(operation: Operation) -> frozenset[str]:
    """Return the circumstances of an access; marks of plain ones change nothing about an atomic one."""
    if operation.atomic:
        return frozenset({"atomic"})
    marks = {"volatile": operation.volatile, "nontemporal": operation.nontemporal, "last-use": operation.last_use}
    return frozenset(mark for mark, set_ in marks.items() if set_ and not operation.kind.startswith("av-"))


def _as(operation: Operation) -> str:
    """Return the kind of access that the tables select by: a cmpxchg is a read-modify-write as any other."""
    return "rmw" if operation.kind == "cmpxchg" else operation.kind
