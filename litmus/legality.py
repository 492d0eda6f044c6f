"""What LLVM's verifier says of an operation's ordering, scope and modifiers, whatever its types.

What goes in: the kind of an operation and its mode; of a text also the words that it has written, which a tree cannot
show. What comes out: the faults, each with the part of the operation that it is about, with LLVM's reason. The parser
says them at that part, well-formedness of a tree (`axmem.litmus.wellformed`) of the statement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from axmem.front.records import dataclass
from axmem.litmus.syntax import AccessMode
from axmem.litmus.words import FAILURES, SYSTEM_SCOPE, OperationKind, Ordering, failure_of, legal_for


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong. `part` is `operation`, `ordering`, `failure`, `syncscope`, `align` or a modifier."""

    part: str
    message: str
    hint: str = ""


WORDS = {
    OperationKind.LOAD: "load",
    OperationKind.AV_LOAD: "av load",
    OperationKind.STORE: "store",
    OperationKind.AV_STORE: "av store",
    OperationKind.RMW: "atomicrmw",
    OperationKind.CMPXCHG: "cmpxchg",
    OperationKind.FENCE: "fence",
    OperationKind.MAKE_AVAILABLE: "make operation",
    OperationKind.MAKE_VISIBLE: "make operation",
}
"""What messages call an operation."""

ORDERED = (OperationKind.LOAD, OperationKind.STORE, OperationKind.RMW, OperationKind.CMPXCHG, OperationKind.FENCE)
"""The operations that may have an ordering."""

_NEEDED = "add monotonic, or a stronger ordering"
_FENCES = "acquire, release, acq_rel or seq_cst"


def named(kind: OperationKind) -> str:
    """Return what messages call an operation, with its article."""
    return f"{'an' if WORDS[kind].startswith('a') else 'a'} {WORDS[kind]}"


def faults(
    kind: OperationKind, mode: AccessMode, failure: Ordering | None = None, written: Collection[str] = ()
) -> Iterator[Fault]:
    """Yield what is wrong with the mode of an operation; `failure` is that of a cmpxchg."""
    if not written and failure is None and _is_sound(kind, mode):
        return
    what = named(kind)
    for word in _refused(kind):
        if word in written or getattr(mode, word, False):
            yield Fault(word, f"{what} cannot be {word}")
    if kind not in ORDERED:
        if mode.ordering is not Ordering.NOT_ATOMIC or "ordering" in written:
            hint = "its scope says how far the value travels"
            yield Fault("ordering", f"{what} is not atomic and has no ordering", hint)
    elif mode.av:
        yield Fault("operation", f"{what} is no av intrinsic", "only loads and stores are")
    if kind in (OperationKind.LOAD, OperationKind.STORE):
        yield from _load_or_store(kind, mode, written)
    elif kind in (OperationKind.RMW, OperationKind.CMPXCHG, OperationKind.FENCE):
        yield from _always_atomic(kind, mode, written)
    piecewise = mode.elementwise and kind in ORDERED and "elementwise" not in _refused(kind)
    if piecewise and mode.ordering is Ordering.SEQ_CST:
        reason = "its elements are separate accesses without one place in the total order"
        yield Fault("ordering", f"an elementwise {WORDS[kind]} cannot be seq_cst: {reason}")
    if kind is OperationKind.CMPXCHG and failure is not None:
        yield from _failing(mode.ordering, failure, written)
    if kind is OperationKind.FENCE and mode.align is not None:
        yield Fault("operation", "a fence accesses no memory that could be aligned")
    if mode.align is not None:
        yield from alignment_faults(mode.align)


def _is_sound(kind: OperationKind, mode: AccessMode) -> bool:
    """Say whether an atomic operation has an ordering that is legal, a scope, tags, and nothing else."""
    if mode.ordering is Ordering.NOT_ATOMIC or kind not in ORDERED or mode.ordering not in legal_for(kind):
        return False
    return not (mode.volatile or mode.elementwise or mode.nontemporal or mode.av) and mode.align is None


def alignment_faults(align: int) -> Iterator[Fault]:
    """Yield what is wrong with a stated alignment."""
    if align < 1 or align & (align - 1):
        yield Fault("align", f"alignment {align} is not a power of two")


def _refused(kind: OperationKind) -> tuple[str, ...]:
    """Return the modifiers that an operation cannot have."""
    if kind is OperationKind.FENCE:
        return ("atomic", "volatile", "elementwise", "nontemporal")
    if kind is OperationKind.CMPXCHG:
        return ("elementwise",)
    return () if kind in ORDERED else ("atomic", "volatile", "elementwise")


def _load_or_store(kind: OperationKind, mode: AccessMode, written: Collection[str]) -> Iterator[Fault]:
    """Yield what is wrong with the ordering of a load or store; an ordering makes it atomic."""
    word = WORDS[kind]
    half, reason = "release", "it writes nothing that could be released"
    if kind is OperationKind.STORE:
        half, reason = "acquire", "it reads nothing that could be acquired"
    if mode.ordering is not Ordering.NOT_ATOMIC:
        if mode.ordering not in legal_for(kind):
            yield Fault("ordering", f"a {word} cannot have {half} ordering '{mode.ordering.value}': {reason}")
    elif "ordering" in written:
        yield Fault("ordering", f"'not_atomic' is what a {word} without an ordering is", "leave it out")
    elif "atomic" in written:
        yield Fault("atomic", f"an atomic {word} needs an ordering", _NEEDED)
    elif "syncscope" in written or mode.scope != SYSTEM_SCOPE:
        hint = "add an ordering, or leave the scope out"
        yield Fault("syncscope", f"a {word} that is not atomic cannot have a syncscope", hint)
    elif mode.elementwise:
        yield Fault("elementwise", f"an elementwise {word} must be atomic")


def _always_atomic(kind: OperationKind, mode: AccessMode, written: Collection[str]) -> Iterator[Fault]:
    """Yield what is wrong with the ordering of a read-modify-write or fence, which always has one."""
    if mode.ordering in legal_for(kind):
        return
    fence = kind is OperationKind.FENCE
    hint = _FENCES if fence else _NEEDED
    if mode.ordering is Ordering.NOT_ATOMIC and "ordering" not in written:
        yield Fault("operation", f"{named(kind)} needs an ordering", hint)
        return
    reason = "a read-modify-write is atomic, so it has at least monotonic ordering"
    if fence:
        reason = "it would order nothing"
    yield Fault("ordering", f"{named(kind)} cannot be {mode.ordering.value}: {reason}", hint if fence else "")


def _failing(success: Ordering, failure: Ordering, written: Collection[str]) -> Iterator[Fault]:
    """Yield what is wrong with the ordering of a failed cmpxchg; one that follows from its success is no fault."""
    if failure in FAILURES or ("failure" not in written and failure is failure_of(success)):
        return
    reason = "its read is at least monotonic"
    if failure.releases:
        reason = "a failed one writes nothing to release"
    yield Fault("failure", f"a cmpxchg cannot fail with {failure.value}: {reason}")
