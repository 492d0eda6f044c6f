"""Whether a file of assembly is that of a test and a target.

What goes in: a test, a target, a listing. What comes out: the kernel of each thread, its own or that of its workgroup;
InputError where the file says that it is for another processor or mode, or has kernels that the test has not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from axmem.codegen.assembly.text import AssemblyKernel, AssemblyListing
from axmem.codegen.ir_kernels import ids_used
from axmem.codegen.ir_launches import alone, launches
from axmem.codegen.ir_module import IDENTITY
from axmem.codegen.ir_slots import StoredSlot
from axmem.codegen.tables import TargetFamily
from axmem.codegen.targets import Target
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError, Span, did_you_mean
from axmem.litmus.launch import lanes
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import Expr, LitmusTest

_MODES = {
    ".amdhsa_tg_split": {"1": "tgsplit", "0": "cu"},
    ".amdhsa_workgroup_processor_mode": {"1": "wgp", "0": "cu"},
}
"""What directives say of the mode of a kernel."""


PLACED = frozenset({"workitem.id", "workgroup.id"})
"""Numbers that a kernel of a test may use: they stand in registers at its start."""


def check_file(test: LitmusTest, target: Target, listing: AssemblyListing) -> None:
    """Raise InputError for every sign that the file is of another target or test."""
    errors = [*_of_target(target, listing), *_of_test(test, listing)]
    if errors:
        raise InputError(errors)


@dataclass(frozen=True, slots=True)
class Executed:
    """What a thread executes: a kernel, as the wave of this number in its workgroup, and what it leaves as results.

    `ids` are the numbers that a lane of a kernel begins with, by name; `arguments` are those of a `Thread`.
    """

    kernel: AssemblyKernel
    wave: int
    results: tuple[StoredSlot, ...]
    ids: Mapping[str, int] | None = None
    arguments: tuple[Expr | None, ...] = ()


def kernels_of(test: LitmusTest, listing: AssemblyListing) -> list[Executed]:
    """Return what each thread executes, then each lane of the kernels. Raises InputError for one that has no code."""
    found: dict[str, Executed] = {}
    for launch in (*launches(test), *(alone(test, thread) for thread in test.threads)):
        if launch.name in listing.kernels:
            for number, (thread, results) in enumerate(zip(launch.threads, launch.results, strict=True)):
                executed = Executed(listing.kernels[launch.name], number, results, arguments=thread.arguments)
                found.setdefault(thread.name, executed)
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
    lanes_of = [Executed(listing.kernels[kernel.name], lane.wave, (), lane.ids(kernel), kernel.arguments)
                for kernel in test.kernels for lane in lanes(kernel)]  # fmt: skip
    return [*(found[thread.name] for thread in test.threads), *lanes_of]


def workgroup_places(listing: AssemblyListing, kernel: AssemblyKernel, family: TargetFamily) -> Iterator[str]:
    """Yield the register in which the number of the workgroup stands at the start, if the kernel asks for it.

    By the initial execution state of kernels in [AMDGPUUsage] that is the family's own, or the first scalar register
    behind the user's.
    """
    wanted, _ = listing.facts.get((kernel.name, ".amdhsa_system_sgpr_workgroup_id_x"), ("", None))
    users, _ = listing.facts.get((kernel.name, ".amdhsa_user_sgpr_count"), ("", None))
    if wanted == "1":
        yield family.workgroup or f"s{users}"


def _unknown_kernels(test: LitmusTest, listing: AssemblyListing) -> Iterator[Diagnostic]:
    """Yield an error for each kernel that is not in the file, or has what is not known of code."""
    for kernel in test.kernels:
        message = ""
        if kernel.name not in listing.kernels:
            message = f"{listing.source.name} has no kernel '{kernel.name}'"
        elif kernel.launch.lanes > 1 and not kernel.lane_of_thread:
            message = "waves of several lanes are not known in code: a wave is one lane there"
        elif kernel.memory or kernel.barriers:
            message = "memory and barriers that a kernel declares are not known in code"
        elif kernel.parameters:
            message = "arguments of a kernel are not known in code: its memory is to be global"
        elif ids_used(single_assignment(kernel)) - PLACED:
            message = "the numbers of waves and lanes are not known in code: those of workitems and workgroups are"
        if message:
            yield Diagnostic(test.source, kernel.span, message)


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
    for (_, directive), (value, place) in listing.facts.items():
        if directive == ".amdhsa_kernel" and value not in threads:
            message = f"kernel '{value}' is no thread of test {test.name}"
            hint = did_you_mean(value, threads) or f"its threads are {', '.join(t.name for t in test.threads)}"
            yield Diagnostic(listing.source, place, message, hint)
