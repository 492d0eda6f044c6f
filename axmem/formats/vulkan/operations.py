"""The operations of Vulkan's tests as statements: what the words of an instruction mean, and which do not go together.

What goes in: an instruction as `InstructionWords`, in the spelling that Khronos' and Dartagnan's forms share once
their own is taken off. What comes out: statements in LLVM's terms, whose tags say what LLVM has no words for
(`axmem.litmus.vulkan`). Invariant: every rule of the formal model on which words an instruction has is checked here,
and nowhere else.

The translation is the mapping of [Vulkan] to AMDGPU: semantics without av and vis are `amdgcn-av:none`, the classes
that semantics concern `amdgpu-synchronize-as`, accesses that are not nonprivate `vulkan:private`, accesses with av and
vis the av intrinsics, a control barrier a barrier between fences. `axmem.formats.vulkan.losses` says what it loses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from axmem.front.records import dataclass
from axmem.front.source import NOWHERE, Span, did_you_mean
from axmem.litmus import vulkan
from axmem.litmus.spelling import pointer_to
from axmem.litmus.syntax import AccessMode, Address, AddressOf, AtomicRmw, Expr, Fence, Load, Make, Store
from axmem.litmus.words import (
    NONE_TAG,
    NONPRIVATE_TAG,
    PRIVATE_TAG,
    SPACE_TAGS,
    AddressSpace,
    Ordering,
    Scope,
    SyncScope,
    Tag,
)

_CLASS = re.compile(r"(?:sem)?sc[0-9]+")
SCOPES = {"sg": Scope.WAVEFRONT, "wg": Scope.WORKGROUP, "qf": Scope.CLUSTER, "dev": Scope.AGENT}
"""Vulkan's scopes, from the narrowest, and the levels that they are here."""
SPACES = {"sc0": AddressSpace.GLOBAL, "sc1": AddressSpace.LDS}
"""The address space whose tag stands for a storage class."""
KINDS = ("st", "ld", "rmw", "membar", "cbar", vulkan.AVDEVICE, vulkan.VISDEVICE)
ORDERS = ("acq", "rel")
SEMANTICS = (*vulkan.SEMANTICS.values(), vulkan.SEMAV, vulkan.SEMVIS)
PLAIN = ("av", "vis", "nonpriv")

_GLOBAL = pointer_to(AddressSpace.GLOBAL)
"""The type of an address: storage classes are no address spaces here."""

Fault: TypeAlias = tuple[str, str, str]
"""What is wrong with an instruction: the word at which it is, or none of the whole, a message, a hint."""


def unknown(word: str, known: Iterable[str]) -> tuple[str, str]:
    """Return what is said of a word that nobody knows, and the hint; another storage class is no misspelling of one."""
    if _CLASS.fullmatch(word) is not None:
        classes = f"{word.rstrip('0123456789')}0", f"{word.rstrip('0123456789')}1"
        return f"the storage class '{word}' is not read", " and ".join(classes) + " are"
    return f"unknown word '{word}'", did_you_mean(word, known)


@dataclass(frozen=True, slots=True)
class InstructionWords:
    """The words of one instruction, each with its place: one of `KINDS`, and what else is said of it."""

    kind: str
    found: Mapping[str, Span]
    span: Span

    def __contains__(self, word: str) -> bool:
        return word in self.found

    def some(self, *words: str) -> tuple[str, ...]:
        """Return those of these words that it has."""
        return tuple(word for word in words if word in self.found)

    @property
    def accesses(self) -> bool:
        """Whether it accesses memory."""
        return self.kind in ("st", "ld", "rmw")

    @property
    def atomic(self) -> bool:
        """Whether it is an atomic access."""
        return self.kind == "rmw" or (self.accesses and "atom" in self)

    @property
    def scoped(self) -> bool:
        """Whether it has a scope: atomics, barriers, and accesses with av or vis."""
        return self.kind in ("membar", "cbar") or self.atomic or bool(self.some("av", "vis"))


def faults(words: InstructionWords) -> Iterator[tuple[Span, str, str]]:
    """Yield what is wrong with an instruction: the place, the message, a hint."""
    for word, message, hint in _faults_of(words.kind, frozenset(words.found)):
        yield words.found[word] if word else words.span, message, hint


@lru_cache(1024)
def _faults_of(kind: str, found: frozenset[str]) -> tuple[Fault, ...]:
    """Return the same of the words alone, since most instructions of a suite have the words of another."""
    return tuple(_faults(InstructionWords(kind, dict.fromkeys(found, NOWHERE), NOWHERE)))


def _faults(words: InstructionWords) -> Iterator[Fault]:
    """Yield what is wrong with the words of an instruction."""
    yield from _kind_faults(words)
    scopes = words.some(*SCOPES)
    if words.scoped and not scopes:
        yield "", f"{_what(words)} needs a scope", "that of a subgroup, workgroup, queue family or device"
    for word in scopes[0 if not words.scoped else 1 :]:
        message = f"{_what(words)} has no scope" if not words.scoped else "this is a second scope"
        yield word, message, "atomics, barriers, and accesses with av or vis have one"
    classes = words.some(*vulkan.CLASSES)
    if words.accesses and not classes:
        yield "", f"{_what(words)} needs a storage class", "sc0 or sc1"
    for word in classes[0 if not words.accesses else 1 :]:
        message = "an access is in one storage class" if words.accesses else f"{_what(words)} is in no storage class"
        yield word, message, "what semantics concern is written semsc0, semsc1" * (not words.accesses)
    yield from _semantics_faults(words)


def _kind_faults(words: InstructionWords) -> Iterator[Fault]:
    """Yield the words that an instruction of this kind cannot have."""
    for word in words.some("atom"):
        if not words.accesses:
            yield word, f"{_what(words)} is not atomic", ""
    for word, kinds in (("av", ("st", "rmw")), ("vis", ("ld", "rmw")), ("nonpriv", ("st", "ld", "rmw"))):
        if word in words and words.kind not in kinds:
            yield word, f"{_what(words)} cannot be '{word}'", ""
    if words.kind in (vulkan.AVDEVICE, vulkan.VISDEVICE):
        for word in words.some(*ORDERS, *SEMANTICS):
            yield word, f"{words.kind} stands alone: it is no instruction of a shader", ""


def _semantics_faults(words: InstructionWords) -> Iterator[Fault]:
    """Yield what is wrong with acquire, release and their semantics."""
    if words.kind in (vulkan.AVDEVICE, vulkan.VISDEVICE):
        return
    orders = words.some(*ORDERS)
    for word in orders:
        if words.accesses and not words.atomic:
            yield word, "a plain access neither acquires nor releases", "add atom"
        elif (words.kind, word) in (("st", "acq"), ("ld", "rel")):
            does = "store does not acquire" if word == "acq" else "load does not release"
            yield word, f"a {does}", ""
    if words.kind == "membar" and not orders:
        yield "", "a memory barrier needs acq, rel or both", ""
    named = words.some(*vulkan.SEMANTICS.values())
    if orders and not named:
        yield orders[0], "acquire and release concern a storage class", "add semsc0, semsc1 or both"
    for word in named if not orders else ():
        yield word, f"'{word}' is of acquire and release, and here is neither", ""
    for word, order in ((vulkan.SEMAV, "rel"), (vulkan.SEMVIS, "acq")):
        if word in words and order not in words:
            yield word, f"'{word}' belongs to {order}", ""


def _what(words: InstructionWords) -> str:
    kinds = {
        "st": "store",
        "ld": "load",
        "rmw": "a read-modify-write",
        "membar": "a memory barrier",
        "cbar": "a control barrier",
    }
    name = kinds.get(words.kind, words.kind)
    return f"{'an atomic' if words.atomic else 'a plain'} {name}" if words.kind in ("st", "ld") else name


# ---------------------------------------------------------------- statements


def load(words: InstructionWords, register: str, location: str, further: frozenset[Tag] = frozenset()) -> Load:
    """Return a load; `further` are tags of where it goes and who executes it."""
    return Load(register, None, _address(location, words.span), _mode(words, further), span=words.span)


def store(words: InstructionWords, location: str, value: Expr, further: frozenset[Tag] = frozenset()) -> Store:
    """Return a store."""
    return Store(value, None, _address(location, words.span), _mode(words, further), span=words.span)


def update(
    words: InstructionWords, register: str, location: str, value: Expr, *, operation: str = "xchg",
    further: frozenset[Tag] = frozenset(),
) -> AtomicRmw:  # fmt: skip
    """Return a read-modify-write, which exchanges unless another operation is named."""
    address = _address(location, words.span)
    return AtomicRmw(register, operation, None, address, value, _mode(words, further), span=words.span)


def fence(words: InstructionWords, further: frozenset[Tag] = frozenset()) -> Fence:
    """Return a memory barrier, or what a control barrier does to memory, which it does on both of its sides."""
    return Fence(_mode(words, further), span=words.span)


def device(words: InstructionWords, further: frozenset[Tag] = frozenset()) -> Make:
    """Return an operation of the device's domain."""
    visible = words.kind == vulkan.VISDEVICE
    return Make(visible, SyncScope(), tags=further | {vulkan.mark(words.kind)}, span=words.span)


def with_semantics(words: InstructionWords) -> bool:
    """Tell whether a control barrier acquires or releases."""
    return bool(words.some(*ORDERS))


def level_of(words: InstructionWords) -> Scope:
    """Return the level of an instruction's scope."""
    return SCOPES[words.some(*SCOPES)[0]]


def _address(location: str, span: Span) -> Address:
    return Address(AddressOf(location, _GLOBAL, span), None, span)


def _mode(words: InstructionWords, further: frozenset[Tag]) -> AccessMode:
    return _mode_of(words.kind, frozenset(words.found), further)


@lru_cache(1024)
def _mode_of(kind: str, found: frozenset[str], further: frozenset[Tag]) -> AccessMode:
    words = InstructionWords(kind, dict.fromkeys(found, NOWHERE), NOWHERE)
    shared = not words.accesses or words.atomic or bool(words.some(*PLAIN))
    scope = SyncScope(level_of(words)) if words.scoped else SyncScope()
    tags = {*further, *map(vulkan.mark, words.some(*vulkan.CLASSES, *SEMANTICS)), *_translated(words)}
    if not shared:
        tags.add(PRIVATE_TAG)
    return AccessMode(
        _ordering(words), scope, av=words.accesses and not words.atomic and words.scoped, tags=frozenset(tags)
    )


def _ordering(words: InstructionWords) -> Ordering:
    match words.some(*ORDERS):
        case ("acq", "rel"):
            return Ordering.ACQ_REL
        case ("acq",):
            return Ordering.ACQUIRE
        case ("rel",):
            return Ordering.RELEASE
    return Ordering.MONOTONIC if words.atomic else Ordering.NOT_ATOMIC


def _translated(words: InstructionWords) -> Iterator[Tag]:
    """Yield the tags by which AMDGPU's models read an operation as Vulkan does, as far as they can."""
    named = [name for name, word in vulkan.SEMANTICS.items() if word in words]
    if not words.accesses:
        yield NONPRIVATE_TAG
    if words.some(*ORDERS):
        if not words.some(vulkan.SEMAV, vulkan.SEMVIS):
            yield NONE_TAG
        if len(named) == 1:
            yield SPACE_TAGS[SPACES[named[0]]]
    elif "sc1" in words:
        yield SPACE_TAGS[AddressSpace.LDS]
