"""Well-formedness: what LLVM's verifier and the AMDGPU target refuse, and what can have no meaning in a test.

What goes in: a tree; for `check` one with names and types. What comes out: diagnostics, each with LLVM's reason. What
`illegal` finds needs no types: of a text the parser has said it, at the word that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.front.source import NOWHERE, Diagnostic
from axmem.litmus import walk
from axmem.litmus.floats import BRAIN_UPDATES, FLOAT_UPDATES
from axmem.litmus.layout import location_of, offset_of
from axmem.litmus.legality import faults
from axmem.litmus.lexer import NAME
from axmem.litmus.memo import memo
from axmem.litmus.spelling import RESERVED, RMW_OPERATIONS, is_floating, type_name
from axmem.litmus.syntax import (
    AccessStatement,
    Address,
    AddressOf,
    AddressSpace,
    AtomicRmw,
    CmpXchg,
    LitmusTest,
    Location,
    Ordering,
    Statement,
    Transfer,
    Type,
)

_NAME = re.compile(NAME, re.ASCII)


def illegal(test: LitmusTest) -> list[Diagnostic]:
    """Return what is wrong with the words of a test that is no text of ours: LLVM's verifier says it, or our parser.

    These are orderings, scopes, modifiers, operations, and names of locations.
    """
    found = []
    for location in walk.locations(test):
        if location.name in RESERVED or not _NAME.fullmatch(location.name):
            what = "is reserved and names no location" if location.name in RESERVED else "is no name of a location"
            found.append(Diagnostic(test.source, location.span, f"'{location.name}' {what}"))
    for path, statement in walk.located(test):
        kind, mode = walk.kind_of(statement), getattr(statement, "mode", None)
        if kind is None or mode is None:
            continue
        failure = statement.failure if isinstance(statement, CmpXchg) else None
        for fault in faults(kind, mode, failure):
            found.append(_about(test, path, statement, fault.message, fault.hint))
        if isinstance(statement, AtomicRmw) and statement.operation not in RMW_OPERATIONS:
            message = f"unknown atomicrmw operation '{statement.operation}'"
            hint = f"the operations are {', '.join(sorted(RMW_OPERATIONS))}"
            found.append(_about(test, path, statement, message, hint))
    return found


def check(test: LitmusTest) -> list[Diagnostic]:
    """Return everything else that is wrong with a typed test."""
    locations = {location.name: location for location in walk.locations(test)}
    known = memo(("faults", tuple((each.name, each.space, each.type) for each in locations.values())))
    found = []
    for path, statement in walk.located(test):
        for message, hint in known.of(statement, lambda each: tuple(_faults(each, locations))):
            found.append(_about(test, path, statement, message, hint))
    found += _shared_private(test)
    if test.kernels:
        # Most tests have no kernel, and the rules of kernels are a part of what a cold start would load.
        from axmem.litmus.kernel_rules import check_kernels  # noqa: PLC0415

        found += check_kernels(test)
    return found


def _about(test: LitmusTest, path: walk.Path, statement: Statement, message: str, hint: str) -> Diagnostic:
    """Return a diagnostic about a statement: where it stands in the text, else which one of the test it is."""
    if statement.span == NOWHERE:
        message = f"{walk.place_of(test, path)}: {message}"
    return Diagnostic(test.source, statement.span, message, hint)


def _faults(statement: Statement, locations: dict[str, Location]) -> Iterator[tuple[str, str]]:
    """Yield the faults of one statement, each with a hint."""
    if isinstance(statement, Transfer):
        yield from _transfer(statement, locations)
    type_: Type | None = getattr(statement, "type", None)
    for address in walk.addresses(statement):
        yield from _bounds(address, type_, locations) if type_ is not None else ()
    if not isinstance(statement, AccessStatement) or statement.type is None:
        return
    yield from _shape(statement, statement.type)
    if statement.mode.av:
        if statement.type.size not in (1, 2, 4, 8, 16):
            hint = "the intrinsics are b8, b16, b32, b64 and b128"
            yield f"no av intrinsic accesses {statement.type.size} bytes", hint
    elif statement.mode.ordering is not Ordering.NOT_ATOMIC:
        yield from _atomic(statement, statement.type, locations)


def _shape(statement: AccessStatement, type_: Type) -> Iterator[tuple[str, str]]:
    """Check that memory holds such a value and that the operation takes it."""
    word = statement.WORD
    if type_.pair:
        yield f"memory holds no {type_name(type_)}, which is what a cmpxchg gives", "use another register"
    elif type_.bits < 8:
        reason = "cannot access" if statement.mode.ordering is not Ordering.NOT_ATOMIC else "does not access"
        yield f"memory is made of bytes: a {word} {reason} {type_name(type_)}", "widen it with zext ... to i8"
    if statement.mode.elementwise and not type_.lanes:
        yield f"an elementwise {word} accesses a vector, not {type_name(type_)}", ""
    if isinstance(statement, CmpXchg) and type_.lanes:
        yield f"a cmpxchg compares integers or pointers, not {type_name(type_)}", ""
    if isinstance(statement, AtomicRmw):
        floating = statement.operation in FLOAT_UPDATES
        if floating and not is_floating(type_.element):
            hint = "values of 16, 32 and 64 bits can be a half, float or double"
            yield f"an atomicrmw {statement.operation} computes with one number, not {type_name(type_)}", hint
        elif statement.operation in BRAIN_UPDATES and type_.bits != 16:
            yield f"an atomicrmw {statement.operation} computes with a bfloat, not {type_name(type_)}", "it has 16 bits"
        elif type_.lanes and not (floating or statement.operation in BRAIN_UPDATES or statement.mode.elementwise):
            yield f"an atomicrmw on {type_name(type_)} must be elementwise", "write 'atomicrmw elementwise'"
        elif type_.pointer is not None and statement.operation != "xchg":
            yield f"an atomicrmw {statement.operation} computes with integers, not pointers", "only xchg takes them"


def _atomic(
    statement: AccessStatement, type_: Type, locations: dict[str, Location]
) -> Iterator[tuple[str, str]]:
    """Check size and alignment of an atomic access."""
    size, mode = type_.size, statement.mode
    if size & (size - 1):
        yield f"an atomic access has a power-of-two size, not {size} bytes", ""
        return
    unit = type_.element.size if mode.elementwise else size
    if mode.align is not None and mode.align < unit:
        yield f"an atomic access of {unit} bytes is aligned to {unit} bytes, not to {mode.align}", ""
    offset = offset_of(statement.address, size)
    if offset is not None and offset % unit:
        name = location_of(statement.address)
        yield f"this atomic access is misaligned: byte {offset} of '{name}' is no multiple of {unit}", ""


def _transfer(statement: Transfer, locations: dict[str, Location]) -> Iterator[tuple[str, str]]:
    """Check what a DMA operation copies, and between which address spaces."""
    for address, space, what in (
        (statement.memory, AddressSpace.GLOBAL, "global memory"), (statement.lds, AddressSpace.LDS, "LDS"),
    ):  # fmt: skip
        name = location_of(address)
        if name is None:
            yield "a DMA operation names its locations: it goes through no pointer in a register", ""
        elif name in locations and locations[name].space is not space:
            hint = "both kinds name the global memory first: load.async.to.lds x, t"
            yield f"a DMA operation copies between global memory and LDS: '{name}' is not in {what}", hint
    if statement.type is not None and (statement.type.bits < 8 or statement.type.size not in (1, 2, 4, 8, 16)):
        yield f"no DMA operation copies {type_name(statement.type)}", "they copy 1, 2, 4, 8 or 16 bytes"
    if statement.scope.one_as:
        yield "a DMA operation has no one-as scope: it copies between address spaces", ""


def _bounds(address: Address, type_: Type, locations: dict[str, Location]) -> Iterator[tuple[str, str]]:
    """Check that a constant address stays inside its location."""
    name = location_of(address)
    offset = offset_of(address, type_.size)
    declared = locations[name].type if name is not None else None
    if offset is None or declared is None or 0 <= offset <= declared.size - type_.size:
        return
    message = f"this accesses bytes {offset} to {offset + type_.size - 1}, but '{name}' has {declared.size} bytes"
    yield message, f"declare it with a larger type than {type_name(declared)}"


def _shared_private(test: LitmusTest) -> list[Diagnostic]:
    """Refuse a private location that two threads mention: each thread has memory of its own there."""
    found = []
    private = {location.name for location in test.locations if location.space is AddressSpace.PRIVATE}
    if not private:
        return []
    owner: dict[str, str] = {}
    reported: set[tuple[str, str]] = set()
    for path, statement in walk.located(test):
        thread = walk.units(test)[path[0]].name
        for part in (part for expr in walk.expressions(statement) for part in walk.parts(expr)):
            if not isinstance(part, AddressOf) or part.location not in private:
                continue
            first = owner.setdefault(part.location, thread)
            if first != thread and (thread, part.location) not in reported:
                reported.add((thread, part.location))
                message = f"'{part.location}' is private to thread {first}, so {thread} cannot reach it"
                hint = "give each thread a private location of its own, or declare it global"
                found.append(_about(test, path, statement, message, hint))
    return found
