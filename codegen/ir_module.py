"""A test as LLVM IR: one kernel for each thread; for a target, one for the threads of each workgroup.

What goes in: a well-formed test and a profile, which says which LLVM reads the text. What comes out: a `TestModule`:
the text, the kernels, and where they store the registers that outcomes show. InputError names each operation that
LLVM IR does not have.

The convention, which `axmem.codegen.assembly` relies on, is that of docs/llvm-ir.md: locations are globals of their
names; a kernel's one argument `%out` is a buffer in which it stores its registers when everything else is done; several
LDS locations are one array of bytes, so that they have the same addresses in every kernel.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.codegen import ir_kernels
from axmem.codegen.ir_comments import comments, part
from axmem.codegen.ir_joined import joined
from axmem.codegen.ir_launches import KernelLaunch, alone, launches, private_locations
from axmem.codegen.ir_metadata import Metadata
from axmem.codegen.ir_statements import ThreadBody, av_declaration
from axmem.codegen.ir_values import initial_value
from axmem.codegen.targets import Target
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError
from axmem.litmus.layout import natural_alignment
from axmem.litmus.placement import unknown_to
from axmem.litmus.spelling import type_name
from axmem.litmus.syntax import (
    I32,
    AddressOf,
    AddressSpace,
    AtomicRmw,
    Barrier,
    LitmusTest,
    Load,
    Make,
    Number,
    RmwStatement,
    Statement,
    Store,
    UndefValue,
    VectorOf,
)
from axmem.litmus.walk import located, locations, statements
from axmem.litmus.words import PLACED, Scope

TRIPLE = "amdgcn-amd-amdhsa"
IDENTITY = "axmem test "
"""What the module's identity begins with; the test's name follows, and assembly says it again (.ident)."""


@dataclass(frozen=True, slots=True)
class TestModule:
    """LLVM IR of a test; `lds` gives the byte at which each LDS location begins."""

    text: str
    kernels: tuple[KernelLaunch, ...]
    lds: dict[str, int]


def module(
    test: LitmusTest,
    profile: str = "llvm-24",
    target: Target | None = None,
    *,
    divergent: bool = False,
    annotated: bool = False,
) -> TestModule:
    """Return a test as LLVM IR; with a target the text says how to compile it for that, and workgroups are kernels.

    With `divergent` addresses differ between lanes as far as LLVM knows, so that no load is made a scalar one.
    One that is `annotated`, for no target, can be read back: comments say what LLVM IR cannot (docs/llvm-ir.md).
    """
    errors = list(_refused(test, profile))
    if errors:
        raise InputError(errors)
    lds = lds_layout(test)
    metadata = Metadata()
    places = _places(test, lds)
    kernels = launches(test) if target else tuple(alone(test, thread) for thread in test.threads)
    bodies, temporaries = [], {}
    for launch in kernels:
        parts = [
            ThreadBody(
                test, t, places, metadata, divergent=divergent, prefix=f"{t.name}." if launch.threads[1:] else "",
                annotated=annotated,
            )
            for t in launch.threads
        ]  # fmt: skip
        temporaries[launch.name] = parts[0].values.temporary
        bodies.append(_kernel(launch, test, parts, target))
    bodies += [
        ir_kernels.kernel_function(test, kernel, places, metadata, annotated=annotated) for kernel in test.kernels
    ]
    branches = any(launch.threads[1:] for launch in kernels)
    tail = [*_tail(test, branches=branches), _identity(test, metadata), *metadata.definitions()]
    said = [*comments(test, [k.name for k in kernels], temporaries), *_parted(test, lds)] if annotated else []
    lines = [*said, _head(test, target), *_globals(test, lds), "", *bodies, *tail]
    return TestModule("\n".join(lines) + "\n", kernels, lds)


def _parted(test: LitmusTest, lds: dict[str, int]) -> Iterator[str]:
    """Yield what the array says of which several LDS locations are parts."""
    for name, at in lds.items() if len(lds) > 1 else ():
        yield part(name, lds_name(test), at, test)


def lds_layout(test: LitmusTest) -> dict[str, int]:
    """Return the byte at which each LDS location begins: in the order of the test, each aligned to its size."""
    layout, end = {}, 0
    for location in test.locations:
        if location.space is AddressSpace.LDS:
            size = (location.type or I32).size
            start = -(-end // natural_alignment(size)) * natural_alignment(size)
            layout[location.name], end = start, start + size
    return layout


def llc_options(target: Target) -> tuple[str, ...]:
    """Return the options with which llc compiles a test for a target, so that every operation stays what it is."""
    name = target.name if target.name in target.family.targets else target.family.targets[0]
    modes = target.family.modes
    feature = ""
    if "tgsplit" in modes:
        feature = "+tgsplit" if target.mode == "tgsplit" else "-tgsplit"
    elif "wgp" in modes:
        feature = "+cumode" if target.mode == "cu" else "-cumode"
    features = (f"-mattr={feature}",) if feature else ()
    return ("-O2", f"-mcpu={name}", *features, "-amdgpu-atomic-optimizer-strategy=None",
            "-disable-promote-alloca-to-lds")  # fmt: skip


def _head(test: LitmusTest, target: Target | None) -> str:
    command = f"; llc {' '.join(llc_options(target))}\n" if target is not None else ""
    return f'; {test.name}\n{command}source_filename = "{test.name}.litmus"\ntarget triple = "{TRIPLE}"\n'


def _places(test: LitmusTest, lds: dict[str, int]) -> dict[str, str]:
    """Return how each location's address is written; a private one is a name in the kernel."""
    places = {}
    for location in locations(test):
        if location.space is AddressSpace.PRIVATE:
            places[location.name] = f"%{location.name}"
        elif location.name in lds and len(lds) > 1:
            base = f"ptr addrspace(3) @{lds_name(test)}"
            offset = lds[location.name]
            places[location.name] = f"getelementptr (i8, {base}, i32 {offset})" if offset else f"@{lds_name(test)}"
        else:
            places[location.name] = f"@{location.name}"
    return places


def lds_name(test: LitmusTest) -> str:
    """Return the name of the array that several LDS locations are parts of."""
    name = "lds"
    while name in {location.name for location in test.locations} | {thread.name for thread in test.threads}:
        name += "_"
    return name


def _globals(test: LitmusTest, lds: dict[str, int]) -> Iterator[str]:
    """Yield the definitions of locations. LDS cannot be initialised, so what it must hold at first is a comment."""
    for location in locations(test):
        if location.space is AddressSpace.LDS and location.initial is not None:
            yield f"; {location.name} must hold {initial_value(location.initial, location.type or I32)} at first"
        type_ = location.type or I32
        align = natural_alignment(type_.size)
        if location.space is AddressSpace.GLOBAL:
            value = "undef" if location.initial is None else initial_value(location.initial, type_)
            head = f"@{location.name} = protected addrspace(1) global"
            yield f"{head} {type_name(type_)} {value}, align {align}"
        elif location.space is AddressSpace.LDS and (len(lds) == 1 or location.name not in lds):
            head = f"@{location.name} = internal addrspace(3) global"
            yield f"{head} {type_name(type_)} poison, align {align}"
    if len(lds) > 1:
        last, offset = max(lds.items(), key=lambda item: item[1])
        size = offset + next((x.type or I32).size for x in test.locations if x.name == last)
        for name, start in lds.items():
            yield f"; {name} is byte {start} of @{lds_name(test)}"
        yield f"@{lds_name(test)} = internal addrspace(3) global [{size} x i8] poison, align 16"


def _kernel(launch: KernelLaunch, test: LitmusTest, parts: list[ThreadBody], target: Target | None) -> str:
    """Return a kernel: of each thread its private locations, its statements, the stores of its results."""
    comments = "".join(_comments(launch, parts[0].out))
    head = f"define amdgpu_kernel void @{launch.name}(ptr addrspace(1) %{parts[0].out}) #0 {{"
    if launch.threads[1:]:
        assert target is not None
        lines = list(joined(launch, parts, target.family.wave))
    else:
        (thread,), (body,) = launch.threads, parts
        used = set(private_locations(test, thread))
        for location in test.locations:
            if location.name in used:
                body.private(location)
        body.thread(thread.body, launch.results[0])
        lines = body.values.lines
    return comments + "\n".join([head, *lines, "}", ""])


def _comments(launch: KernelLaunch, out: str) -> Iterator[str]:
    """Yield where each thread runs and what it stores, which is for whoever launches the kernel."""
    for number, (thread, found) in enumerate(zip(launch.threads, launch.results, strict=True)):
        place = thread.placement
        where = ", ".join(f"{scope.word} {index}" for scope, index in zip(PLACED, place.numbers, strict=False))
        wave = f": wave {number}" if launch.threads[1:] else ""
        yield f"; {thread.name} @ {where}, thread {place[Scope.SINGLETHREAD]}{wave}\n"
        for slot in found:
            yield f"; {thread.name}:{slot.name} is {type_name(slot.stored)} at byte {slot.offset} of %{out}\n"


def _tail(test: LitmusTest, *, branches: bool) -> Iterator[str]:
    """Yield declarations and attributes."""
    if branches:
        yield "declare i32 @llvm.amdgcn.workitem.id.x()"
        yield "declare i32 @llvm.amdgcn.readfirstlane.i32(i32)"
    if any(isinstance(s, Barrier) for t in test.threads for s in statements(t.body)):
        yield "declare void @llvm.amdgcn.s.barrier()"
    yield from sorted({av_declaration(s) for t in test.threads for s in statements(t.body)} - {""})
    yield from ir_kernels.tail(test)
    yield "attributes #0 = { nounwind }"


def _identity(test: LitmusTest, metadata: Metadata) -> str:
    """Return what assembly repeats, so that it is known whose it is."""
    identity = f'!{{!"{IDENTITY}{test.name}"}}'
    return f"!llvm.ident = !{{{metadata.node(identity)}}}"


# ---------------------------------------------------------------- what LLVM IR does not have


def _refused(test: LitmusTest, profile: str) -> Iterator[Diagnostic]:
    """Yield an error for each statement, location or barrier that has no IR."""
    yield from unknown_to(test, "LLVM IR for AMDGPU")
    yield from ir_kernels.refused(test)
    for _, statement in located(test):
        message, hint = _lacking(statement, profile)
        if message:
            yield Diagnostic(test.source, statement.span, message, hint)
    for location in locations(test):
        initial = location.initial
        values = initial.elements if isinstance(initial, VectorOf) else (initial,)
        if not all(isinstance(value, (Number, UndefValue, AddressOf, type(None))) for value in values):
            yield Diagnostic(test.source, location.span, "this initial value is no constant of LLVM IR")
    yield from _uneven_barriers(test)


def _lacking(statement: Statement, profile: str) -> tuple[str, str]:
    if isinstance(statement, Make):
        return "no LLVM has make operations: they are a draft", "a release or an acquire fence has the same effect"
    if isinstance(statement, (Load, Store)) and statement.mode.av and profile == "llvm-22":
        return "LLVM 22 has no av loads and stores; they came with LLVM 23", "--profile llvm-24 has them"
    if isinstance(statement, (Load, Store, AtomicRmw)) and statement.mode.elementwise and profile == "llvm-22":
        return "LLVM 22 has no elementwise atomics", "--profile llvm-24 has them"
    if isinstance(statement, RmwStatement) and statement.type and statement.type.bits < 8:
        return "LLVM IR has no atomic truth values", ""
    return "", ""


def _uneven_barriers(test: LitmusTest) -> Iterator[Diagnostic]:
    """Yield an error for each barrier object that is not the one of a whole workgroup."""
    groups: dict[tuple[object, ...], list[str]] = {}
    spans = {thread.name: thread.span for thread in test.threads}
    for thread in test.threads:
        place = thread.placement
        groups.setdefault(place.instance(Scope.WORKGROUP), []).append(thread.name)
    named: dict[tuple[str, ...], list[str]] = {}
    for barrier in test.barriers:
        named.setdefault(tuple(barrier.participants), []).append(barrier.name)
    wholes = [set(group) for group in groups.values()]
    for barrier in test.barriers:
        span = barrier.span if barrier.span.line else spans[barrier.participants[0]]
        if set(barrier.participants) not in wholes:
            message = "llvm.amdgcn.s.barrier is for all threads of a workgroup; this barrier is not"
            yield Diagnostic(test.source, span, message, f"it is for {', '.join(barrier.participants)}")
        elif len(named[tuple(barrier.participants)]) > 1 and barrier.name != named[tuple(barrier.participants)][0]:
            message = "a workgroup has one llvm.amdgcn.s.barrier, but here it has barriers of several names"
            yield Diagnostic(test.source, span, message, "give them one name")
