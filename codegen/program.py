"""The lowering of a whole test: per thread and statement, the instructions.

What goes in: a well-formed test and a target. What comes out: a `LoweredTest`, or InputError with a place for each
operation that the target does not have. Statements are lowered one by one: waits that two neighbours both want stand
there twice, as they do after LLVM's memory legalizer and before later passes drop what is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.codegen.instructions import EmittedInstruction
from axmem.codegen.lowering import lower_operation
from axmem.codegen.operations import Operation, operation_of
from axmem.codegen.tables import common
from axmem.codegen.targets import NEWEST_LLVM, Target
from axmem.codegen.targets import target as target_named
from axmem.formats.reading import as_test
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Source
from axmem.litmus.floats import BRAIN_UPDATES
from axmem.litmus.placement import kernels_in, unknown_to
from axmem.litmus.syntax import (
    Address,
    AddressOf,
    AddressSpace,
    If,
    LitmusTest,
    Load,
    Number,
    Ordering,
    Statement,
)
from axmem.litmus.walk import Path, arms, located


@dataclass(frozen=True, slots=True)
class LoweredStatement:
    """A statement and its instructions; without `operation` and instructions if it does not touch memory.

    `unknown` says of one that may, and is in no table, that this is so.
    """

    path: Path
    statement: Statement
    operation: Operation | None
    instructions: tuple[EmittedInstruction, ...]
    unknown: str = ""

    @property
    def depth(self) -> int:
        """How many branches it stands in."""
        return len(self.path) // 2 - 1


@dataclass(frozen=True, slots=True)
class LoweredThread:
    """A thread's statements in the order of the text, an `If` before what stands in it."""

    name: str
    statements: tuple[LoweredStatement, ...]


COMPILED = "the code that a compiler makes of it is judged: axmem verify … --llc llc-22, or --asm FILE"
"""What to do instead of lowering a kernel."""


@dataclass(frozen=True, slots=True)
class LoweredTest:
    """A test as one target executes it."""

    test: LitmusTest
    target: Target
    threads: tuple[LoweredThread, ...]


def lower(
    test: str | LitmusTest,
    target: str | Target,
    *,
    mode: str = "",
    profile: str = NEWEST_LLVM,
    divergent: bool = False,
) -> LoweredTest:
    """Return the instructions of a test on a target; `mode` and `profile` are for one that is given by its name.

    With `divergent` no address counts as uniform, so that nothing goes through the scalar cache. Raises InputError for
    what is wrong with the test, for an unknown target, for operations that the target does not have, and for accesses
    that LLVM may make in pieces for their alignment.
    """
    test = as_test(test)
    target = target_named(target, mode, profile) if isinstance(target, str) else target
    check_operations(test, target)
    if errors := [*kernels_in(test, "lowering", COMPILED), *_in_pieces(test, target)]:
        raise InputError(errors)
    threads = tuple(
        LoweredThread(thread.name, tuple(_Walk(target, divergent=divergent).block(thread.body, (number,))))
        for number, thread in enumerate(test.threads)
    )
    return LoweredTest(test, target, threads)


def check_operations(test: LitmusTest, target: Target) -> None:
    """Raise InputError for operations that the target does not have, of threads and of kernels."""
    errors = list(_lacking(test, target))
    if errors:
        raise InputError(errors)


class _Walk:
    """The way through one thread. `clean` says that it has neither written nor synchronized so far."""

    def __init__(self, target: Target, *, divergent: bool) -> None:
        self.target = target
        self.clean = not divergent

    def block(self, body: tuple[Statement, ...], path: Path) -> Iterator[LoweredStatement]:
        """Yield the statements of the block at a path, lowered."""
        for index, statement in enumerate(body):
            here = (*path, index)
            yield self.lowered(statement, here)
            if isinstance(statement, If):
                before, ends = self.clean, []
                for arm, inner in arms(statement):
                    self.clean = before
                    yield from self.block(inner, (*here, arm))
                    ends.append(self.clean)
                self.clean = all(ends)

    def lowered(self, statement: Statement, path: Path) -> LoweredStatement:
        """Lower one statement, and note whether the thread is clean after it."""
        uniform = self.clean and isinstance(statement, Load) and _constant(statement.address)
        operation = operation_of(statement, uniform=uniform)
        if operation is None:
            return LoweredStatement(path, statement, None, ())
        weak = not operation.ordering.at_least(Ordering.MONOTONIC)
        if not (operation.kind == "load" and weak and not operation.volatile):
            self.clean = False
        return LoweredStatement(path, statement, operation, lower_operation(operation, self.target))


def _constant(address: Address) -> bool:
    """Say whether every lane has this address for certain: a location, with a constant index."""
    return isinstance(address.base, AddressOf) and (address.index is None or isinstance(address.index, Number))


# ---------------------------------------------------------------- what a target lacks


def _lacking(test: LitmusTest, target: Target) -> Iterator[Diagnostic]:
    """Yield an error for each operation that the target does not have."""
    yield from unknown_to(test, "lowering")
    for _, statement in located(test):
        operation = operation_of(statement)
        why = "" if operation is None else lacks(operation, target)
        if why:
            yield without(test.source, statement, operation, target, why)


def without(source: Source, statement: Statement, operation: Operation | None, target: Target, why: str) -> Diagnostic:
    """Return what is said of an operation that the target does not have."""
    message = f"{target.name} does not have this operation: {why}"
    return Diagnostic(source, statement.span, message, _hint(operation, target))


def _in_pieces(test: LitmusTest, target: Target) -> Iterator[Diagnostic]:
    """Yield an error for each access that the tables do not have since it is aligned to too little."""
    for _, statement in located(test):
        operation = operation_of(statement)
        if operation is not None and in_pieces(operation, target):
            yield piecewise(test.source, statement, operation, target)


def piecewise(source: Source, statement: Statement, operation: Operation, target: Target) -> Diagnostic:
    """Return what is said of an access that LLVM may make in pieces."""
    size, space = operation.type.size, operation.space_name
    where = "through a generic address" if space == "generic" else f"of {space} memory"
    message = f"LLVM may make this access {where} in pieces: {size} bytes, aligned to {operation.align}"
    least = target.family.aligned[space][size * 8]
    hint = f"`axmem verify --llc` executes what LLVM makes of it; the tables have it with `align {least}`"
    return Diagnostic(source, statement.span, message, hint)


def in_pieces(operation: Operation, target: Target) -> bool:
    """Say whether LLVM may make an access in more pieces than one that is aligned to its size ([SITargetLowering])."""
    least = target.family.aligned.get(operation.space_name, {})
    return 0 < operation.align < least.get(operation.type.size * 8, 0)


def lacks(operation: Operation, target: Target) -> str:
    """Return why a target does not have an operation, or nothing."""
    for row in (*common().tables["lacks"], *target.family.tables["lacks"]):
        if row.applies(target.circumstances, operation=operation.kind, space=operation.space_name):
            return row.why
    if operation.space is None:
        return ""
    bits = operation.type.size * 8
    if operation.update in BRAIN_UPDATES or (operation.update and operation.type.lanes and not operation.elementwise):
        return "updates of bfloats, and of vectors as a whole, are not known here"
    if bits not in common().names[target.family.names].size:
        return f"no instruction accesses {bits} bits at once"
    if operation.atomic and bits > 64 and not operation.elementwise:
        return f"no instruction accesses {bits} bits atomically"
    if operation.atomic and bits > 32 and operation.space is AddressSpace.PRIVATE:
        return "atomics on private memory have at most 32 bits" if target.family.private == "generic" else ""
    return ""


def _hint(operation: Operation | None, target: Target) -> str:
    later = (
        operation is not None
        and target.profile == "llvm-22"
        and not lacks(operation, Target(target.name, target.family, target.mode))
    )
    if later:
        return "--profile llvm-24 has it"
    if operation is not None and operation.space is AddressSpace.GENERIC:
        named = replace(operation, space=AddressSpace.GLOBAL)
        return "" if lacks(named, target) else "name the address space of the pointer: addrspace(1) is global memory"
    return ""
