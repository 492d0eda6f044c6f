"""Whether a file of assembly is that of a test and a target.

What goes in: a test, a target, a listing. What comes out: the kernel of each thread, its own or that of its workgroup;
InputError where the file says that it is for another processor or mode, or has kernels that the test has not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from axmem.codegen.assembly.calls import linked
from axmem.codegen.assembly.text import AssemblyKernel, AssemblyListing
from axmem.codegen.ir_kernels import ids_used
from axmem.codegen.ir_launches import alone, launches
from axmem.codegen.ir_module import IDENTITY
from axmem.codegen.ir_slots import StoredSlot
from axmem.codegen.targets import Target
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError, Span, did_you_mean
from axmem.litmus.kernels import Launch
from axmem.litmus.launch import lanes
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import I32, AddressSpace, Expr, Kernel, LitmusTest, PassedStructure

_MODES = {
    ".amdhsa_tg_split": {"1": "tgsplit", "0": "cu"},
    ".amdhsa_workgroup_processor_mode": {"1": "wgp", "0": "cu"},
}
"""What directives say of the mode of a kernel."""


MOST_LANES = 32
"""Lanes of a wave whose masks are one register."""
PLACED = frozenset({"workitem.id", "workgroup.id", "lane.id"})
"""Numbers that a kernel of a test may use: they stand in registers at its start, or are counted there."""


def check_file(test: LitmusTest, target: Target, listing: AssemblyListing) -> None:
    """Raise InputError for every sign that the file is of another target or test."""
    errors = [*_of_target(target, listing), *_of_test(test, listing)]
    if errors:
        raise InputError(errors)


@dataclass(frozen=True, slots=True)
class Executed:
    """What a thread, or a wave of a kernel, executes: code, as the wave of this number in its workgroup.

    `results` are what a thread leaves in its buffer. A wave has a `launch`, the numbers `ids` that each of its lanes
    begins with, by name, and memory in LDS that is its workgroup's alone, `lds`. `arguments` are those of the call;
    `first` is the number of its first lane among threads and lanes. `declared` says how many bytes of LDS the test has.
    """

    name: str
    kernel: AssemblyKernel
    wave: int
    first: int
    results: tuple[StoredSlot, ...] = ()
    ids: tuple[Mapping[str, int], ...] = ()
    arguments: tuple[Expr | PassedStructure | None, ...] = ()
    launch: Launch | None = None
    lds: str = ""
    declared: int = 0


def kernels_of(test: LitmusTest, listing: AssemblyListing) -> list[Executed]:
    """Return what each thread executes, then each wave of the kernels. Raises InputError for one that has no code."""
    numbers = {thread.name: number for number, thread in enumerate(test.threads)}
    found: dict[str, Executed] = {}
    for launch in (*launches(test), *(alone(test, thread) for thread in test.threads)):
        if launch.name in listing.kernels:
            code = linked(listing, listing.kernels[launch.name])
            for wave, (thread, results) in enumerate(zip(launch.threads, launch.results, strict=True)):
                name = thread.name
                found.setdefault(name, Executed(name, code, wave, numbers[name], results, arguments=thread.arguments))
    missing = []
    for thread in test.threads:
        if thread.name not in found:
            name = alone(test, thread).name
            known = ", ".join(listing.kernels)
            hint = did_you_mean(name, listing.kernels) or f"the functions of this file are {known}"
            message = f"this file has no kernel '{name}' for thread {thread.name} of test {test.name}"
            missing.append(Diagnostic(listing.source, Span(1, 1), message, hint))
    missing += _unknown_kernels(test, listing)
    if missing:
        raise InputError(missing)
    return [*(found[thread.name] for thread in test.threads), *_waves(test, listing)]


def code_name(kernel: Kernel) -> str:
    """Return the name of a kernel's function."""
    return kernel.function or kernel.name


def own_lds(kernel: Kernel) -> bool:
    """Say whether a kernel declares memory that each of its workgroups has in LDS."""
    return any(location.space is AddressSpace.LDS for location in kernel.memory)


def _waves(test: LitmusTest, listing: AssemblyListing) -> Iterator[Executed]:
    """Yield what each wave of the kernels executes; one of a single lane has the lane's name."""
    first = len(test.threads)
    for kernel in test.kernels:
        every, together = lanes(kernel), kernel.launch.lanes
        code = linked(listing, listing.kernels[code_name(kernel)])
        for at in range(0, len(every), together):
            members = every[at : at + together]
            lane = members[0]
            name = lane.name if together == 1 else lane.name.rpartition(".")[0]
            lds = f"{kernel.name}.{lane.workgroup}.lds" if own_lds(kernel) else ""
            ids = tuple(each.ids(kernel) for each in members)
            size = sum((each.type or I32).size for each in kernel.memory if each.space is AddressSpace.LDS)
            yield Executed(name, code, lane.wave, first + at, (), ids, kernel.arguments, kernel.launch, lds, size)
        first += len(every)


def _unknown_kernels(test: LitmusTest, listing: AssemblyListing) -> Iterator[Diagnostic]:
    """Yield an error for each kernel that is not in the file, or has what is not known of code."""
    shared = any(location.space is AddressSpace.LDS for location in test.locations)
    for kernel in test.kernels:
        message, hint, name = "", "", code_name(kernel)
        several = [p for p in kernel.parameters if len(p.values) > 1]
        if name not in listing.kernels:
            message = f"{listing.source.name} has no kernel '{name}'"
            hint = did_you_mean(name, listing.kernels) or f"the functions of this file are {', '.join(listing.kernels)}"
        elif kernel.barriers:
            message = "named barriers are not known in code"
        elif shared and own_lds(kernel):
            message = "memory in LDS that a kernel declares, beside LDS of the test, is not known in code"
        elif several:
            message = f"parameter '{several[0].name}' has several values, of which code is given one"
            hint = f"--launch '{kernel.name}<<<…>>>(…, {several[0].name}=4)' says which"
        elif kernel.launch.lanes > MOST_LANES:
            message = f"a wave of {kernel.launch.lanes} lanes: in code at most {MOST_LANES} are followed"
        elif ids_used(single_assignment(kernel)) - PLACED:
            message = "the numbers of waves are not known in code: those of workitems, workgroups and lanes are"
        if message:
            yield Diagnostic(test.source, kernel.span, message, hint)


def _of_target(target: Target, listing: AssemblyListing) -> Iterator[Diagnostic]:
    stated, span = listing.facts.get(("", ".amdgcn_target"), ("", Span(1, 1)))
    match = re.search(r"--(gfx[0-9a-z-]+)((?::\w+[+-])*)", stated)
    if match and match[1] not in (*target.family.targets, target.family.name):
        hint = f"--target {match[1]} is this file's"
        yield Diagnostic(listing.source, span, f"this file is for {match[1]}, not for {target.name}", hint)
        return
    for (kernel, directive), (value, place) in listing.facts.items():
        mode = _MODES.get(directive, {}).get(value, target.mode)
        if kernel and mode != target.mode and mode in target.family.modes:
            message = f"kernel {kernel} is for mode {mode}, not {target.mode}"
            yield Diagnostic(listing.source, place, message, f"--mode {mode} is this file's")


def _of_test(test: LitmusTest, listing: AssemblyListing) -> Iterator[Diagnostic]:
    stated, span = listing.facts.get(("", ".ident"), ("", Span(1, 1)))
    name = stated.strip('"')
    if name.startswith(IDENTITY) and name.removeprefix(IDENTITY) != test.name:
        message = f"this file is the assembly of test {name.removeprefix(IDENTITY)}, not of {test.name}"
        yield Diagnostic(listing.source, span, message)
        return
    threads = {thread.name for thread in test.threads} | {f"{thread.name}.kernel" for thread in test.threads}
    threads |= {launch.name for launch in launches(test)} | {kernel.name for kernel in test.kernels}
    if any(kernel.function for kernel in test.kernels):
        return  # of a module some kernels may be launched, and others not
    for (_, directive), (value, place) in listing.facts.items():
        if directive == ".amdhsa_kernel" and value not in threads:
            message = f"kernel '{value}' is no thread of test {test.name}"
            hint = did_you_mean(value, threads) or f"its threads are {', '.join(t.name for t in test.threads)}"
            yield Diagnostic(listing.source, place, message, hint)
