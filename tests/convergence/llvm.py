"""LLVM 22 as an oracle: what `opt-22` says of functions.

What goes in: functions as LLVM IR. What comes out: the cycles, the divergent values and branches that LLVM finds.
Invariant: nothing is guessed; a line of a form that is not known is an assertion.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field

OPT, LLC = "opt-22", "llc-22"
TARGET = ("-mtriple=amdgcn--", "-mcpu=gfx942")
PRINT = "-passes=print<cycles>,print<uniformity>"


@dataclass(slots=True)
class Printed:
    """What LLVM printed of a function: cycles as lines `DEPTH ENTRIES : BLOCKS`, what is divergent by its register."""

    cycles: list[str] = field(default_factory=list)
    values: set[str] = field(default_factory=set)
    branches: set[str] = field(default_factory=set)
    arguments: set[str] = field(default_factory=set)


def missing() -> str:
    """Return what to say if the tool is not there, `""` if it is."""
    absent = [tool for tool in (OPT, LLC) if not shutil.which(tool)]
    return f"{' and '.join(absent)} not on the path: install the Debian package llvm-22" if absent else ""


def analysed(module: str) -> dict[str, Printed]:
    """Return what LLVM's analyses say of each function of a module."""
    command = [OPT, *TARGET, PRINT, "-disable-output", "-"]
    done = subprocess.run(command, input=module, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return read(done.stderr.splitlines())


def read(lines: Iterable[str]) -> dict[str, Printed]:
    """Read what the analyses print."""
    found: dict[str, Printed] = {}
    current = Printed()
    block = part = ""
    for line in lines:
        if head := re.fullmatch(r"(?:CycleInfo for function: |UniformityInfo for function ')([-\w.$]+)'?:?", line):
            current = found.setdefault(head[1], Printed())
            part = "cycles" if line.startswith("Cycle") else ""
        elif (cycle := re.fullmatch(r" *depth=(\d+): entries\(([^)]*)\)(.*)", line)) and part == "cycles":
            current.cycles.append(f"{cycle[1]} {cycle[2]} : {' '.join(sorted((cycle[2] + cycle[3]).split()))}")
        elif line.startswith("BLOCK "):
            block, part = line.split()[1], "block"
        elif line in ("DIVERGENT ARGUMENTS:", "DEFINITIONS", "TERMINATORS", "END BLOCK"):
            part = line
        elif part == "DIVERGENT ARGUMENTS:" and (value := re.match(r"  DIVERGENT: .*%([\w.]+)$", line)):
            current.arguments.add(value[1])
        elif line.startswith("  DIVERGENT:") and part == "TERMINATORS":
            current.branches.add(block)
        elif part == "DEFINITIONS" and (value := re.match(r"  DIVERGENT: +%([\w.]+) = ", line)):
            current.values.add(value[1])
    return found


def scalar_loads(module: str) -> dict[str, set[str]]:
    """Return for each function the registers of the loads that LLVM's annotation of uniform values lets be scalar."""
    command = [OPT, *TARGET, "-passes=amdgpu-annotate-uniform", "-S", "-"]
    done = subprocess.run(command, input=module, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    functions = re.findall(r"^define .*?@([\w.]+)\((.*?)^}$", done.stdout, re.MULTILINE | re.DOTALL)
    return {n: set(re.findall(r"%([\w.]+) = load i32,.*!amdgpu\.noclobber", text)) for n, text in functions}


def selected_loads(module: str) -> dict[str, set[str]]:
    """Return for each function the registers of the loads of which llc-22 makes scalar instructions.

    An instruction names the address that it reads, if addresses are not moved (`-disable-cgp`); every load of global
    memory that is no atomicrmw is found again.
    """
    command = [LLC, *TARGET, "-disable-cgp", "-stop-after=si-fix-sgpr-copies", "-o", "-", "-"]
    done = subprocess.run(command, input=module, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    instruction = r"(S|GLOBAL)_LOAD_\w+ .*\bload (?:\w+ )*\(s32\) from %ir\.([\w.]+), addrspace 1\)"
    found = {}
    parts = re.split(r"^name: +", done.stdout.rsplit("--- |", 1)[-1], flags=re.MULTILINE)[1:]
    for name, text in re.findall(r"^define .*?@([\w.]+)\((.*?)^}$", module, re.MULTILINE | re.DOTALL):
        (made,) = (part for part in parts if part.split()[0] == name)
        read = re.findall(r"%([\w.]+) = load [\w ]*i32, ptr addrspace\(1\) [%@]([\w.]+)", text)
        kinds = {address: kind for kind, address in re.findall(instruction, made)}
        addresses = {address: register for register, address in read if address.startswith("t")}
        assert kinds.keys() >= addresses.keys(), f"{name}: no load of {addresses.keys() - kinds.keys()}\n{text}"
        found[name] = {register for address, register in addresses.items() if kinds[address] == "S"}
    return found


def refused(module: str) -> str:
    """Return the first message of LLVM's verifier about a module, `""` if it accepts it."""
    done = subprocess.run(
        [OPT, "-passes=verify", "-disable-output", "-"], input=module, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stderr.splitlines()[0]
