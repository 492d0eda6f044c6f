"""What another compiler made of a test: read from a file, or made by llc.

What goes in: a test, a target, and a file of assembly or the name of llc. What comes out: the machine program, and
where it differs from the lowering of the tables. Raises InputError for a compiler that is not there or fails, and for
assembly that is not the test's.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache

from axmem.codegen.assembly.program import assembly_program
from axmem.codegen.assembly.text import read_listing
from axmem.codegen.ir_module import llc_options, module
from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.program import MachineProgram, Stream, Wait
from axmem.codegen.program import check_operations, lower
from axmem.codegen.targets import Target
from axmem.events.graph import Guard
from axmem.front.records import replace
from axmem.front.source import mistake
from axmem.litmus.syntax import LitmusTest
from axmem.mapping import objects

SECONDS = 120
"""How long llc may take."""
MENDED = 23
"""The first version of LLVM that mends something."""


def assembled(test: LitmusTest, target: Target, text: str, name: str) -> MachineProgram:
    """Return what a file of assembly is to the machine."""
    return assembly_program(test, target, read_listing(text, name))


def assembly_of(path: str) -> tuple[str, str] | None:
    """Return a file that is a code object as assembly, behind the name that places in it have; None of others."""
    binary = objects.code_object(path)
    return objects.assembly(path, binary) if binary else None


def compiled(
    test: LitmusTest, target: Target, llc: str, *, divergent: bool = False, options: tuple[str, ...] = ()
) -> tuple[MachineProgram, str]:
    """Compile a test, with more options of llc; return what its assembly is to the machine, and the assembly."""
    profile = profile_of(llc)
    where = replace(target, profile=profile)
    check_operations(test, where)
    if divergent and test.kernels:
        raise mistake("--divergent", "what lanes compute in kernels is as the test has it")
    command = [llc, *llc_options(where), *options, "-o", "-"]
    text = _run(command, module(test, profile, where, divergent=divergent).text, llc)
    return assembled(_as_printed(test), where, text, f"{llc} of {test.name}"), text


def _as_printed(test: LitmusTest) -> LitmusTest:
    """Return a test whose kernels have the names and parameters of the module that it is printed as."""
    kernels = (
        replace(kernel, function="", arguments=tuple(p.values[0] for p in kernel.parameters) or kernel.arguments)
        if kernel.function else kernel for kernel in test.kernels
    )  # fmt: skip
    return replace(test, kernels=tuple(kernels))


@cache
def profile_of(llc: str) -> str:
    """Return the profile of a compiler, by its version. Raises InputError if it is no llc."""
    if shutil.which(llc) is None:
        raise mistake("--llc", f"there is no program '{llc}'", "name LLVM's llc, such as llc-22")
    match = re.search(r"LLVM version (\d+)", _run([llc, "--version"], "", llc))
    if match is None:
        raise mistake("--llc", f"'{llc}' does not say which LLVM it is of", "it is to be LLVM's llc")
    return profile_of_version(int(match[1]))


def profile_of_version(number: int) -> str:
    """Return the profile of a version of LLVM."""
    return "llvm-22" if number < MENDED else "llvm-24"


def _run(command: list[str], text: str, llc: str) -> str:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        raise mistake("--llc", f"'{llc}' cannot be run: {error}") from None
    if done.returncode:
        said = next((line for line in done.stderr.splitlines() if line.strip()), f"exit code {done.returncode}")
        raise mistake("--llc", f"'{llc}' failed: {said}")
    return done.stdout


# ---------------------------------------------------------------- against the tables


def differences(program: MachineProgram, test: LitmusTest, target: Target) -> Iterator[str]:
    """Yield where a compiler's instructions are not those of the tables of the target's profile, thread by thread.

    A line begins with the thread; `-` is what only the tables have, `+` what only the compiler has. Waits for nothing,
    which LLVM drops, are left out on both sides. Raises InputError where the machine does not have the lowering.
    """
    lowered = machine_program(lower(test, target))
    for tables, stream in zip(lowered.streams, program.streams, strict=True):
        ours, theirs = list(_words(tables)), list(_words(stream))
        matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag != "equal":
                yield from (f"{stream.thread}  - {text}" for text in ours[a:b])
                yield from (f"{stream.thread}  + {text}" for text in theirs[c:d])


def _words(stream: Stream) -> Iterator[str]:
    """Yield instructions as tables and compiler both spell them, and each counter that something is waited for at."""
    counted: dict[str, list[Guard]] = {}
    for instruction in stream.instructions:
        operation = instruction.operation
        if isinstance(operation, Wait):
            for counter, limit in operation.limits:
                if len(counted.get(counter, ())) > limit:
                    yield f"wait for {counter} {limit}"
                if not limit:  # what is executed only where the wait is has been waited for
                    left = [g for g in counted.get(counter, []) if not set(instruction.guard) <= set(g)]
                    counted[counter] = left
            continue
        for counter in instruction.counters:
            counted.setdefault(counter, []).append(instruction.guard)
        yield re.sub(r"_e(32|64)\b", "", " ".join([instruction.mnemonic, *instruction.bits]))
