"""`python -m tests.lowering.folder DIR`: LLVM's own tests of the memory legalizer, as `axmem lower` reads them.

What goes in: `llvm/test` of LLVM's sources. Printed is how many functions are lowered on a target of each family, and
why the others are not; and, where there is llc-22, in how many its code has other accesses, bits, writebacks or
invalidates, scalar loads aside. Exit code 1 if fewer than 95 of 100 are lowered, or if any differs.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from axmem.codegen.functions import lower_function
from axmem.codegen.instructions import InstructionKind
from axmem.codegen.program import LoweredTest
from axmem.codegen.targets import Target, all_targets, target
from axmem.formats.ir.whole import whole
from axmem.front.source import InputError, Source
from tests import functions
from tests.lowering.mir import find_llc
from tests.spread import ended, spread

FOLDER, NAMES = "CodeGen/AMDGPU", "memory-legalizer-*.ll"
ENOUGH = 0.95
COMPARED = ("gfx90a", "gfx942", "gfx1030", "gfx1200")
"""The processors for which llc compiles the functions."""
EXPLAINED = {"_Z6brokenPd": "llc removes the load of what nobody reads, and the stores to memory of its own"}
"""Functions that differ, and why."""
_MEMORY = (InstructionKind.ACCESS, InstructionKind.WRITEBACK, InstructionKind.INVALIDATE)
_INSTRUCTION = re.compile(r"^\s+((?:global|flat|ds|buffer|scratch)_\w+?)(?:_e(?:32|64))?\b(.*)$", re.MULTILINE)
_BIT = re.compile(r"\b(?:glc|slc|dlc|sc0|sc1|nt|th:\w+|scope:\w+)\b")
_LABEL = re.compile(r"^(\w+):\s*; @\w+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FileCounts:
    """What a module had: functions on targets, why some are not lowered, how many are compared, and what differs."""

    count: int
    refused: Counter[str]
    compared: int
    differences: tuple[str, ...]


def lowered(path: str) -> FileCounts:
    """Lower the functions of a module on every family, and compare what llc makes of them."""
    text = Path(path).read_text(encoding="utf-8")
    module = whole(Source(path, text))
    families = dict.fromkeys(each.family.name for each in all_targets("llvm-22"))
    targets = [target(name, "", "llvm-22") for name in dict.fromkeys((*families, *COMPARED))]
    refused: Counter[str] = Counter()
    compared, differences = 0, []
    for each in targets:
        code = compiled(each, text) if each.name in COMPARED else {}
        for name in module.names():
            try:
                module.check(name)
                found = lower_function(module.module, module.module.functions[name], each)
            except InputError as error:
                refused[functions.reason(error.diagnostics[0].message)] += 1
                continue
            compared += name in code
            if name in code and name not in EXPLAINED and memory(found) != code[name]:
                differences.append(f"{path} {name} on {each.name}: llc {code[name]}, here {memory(found)}")
    return FileCounts(len(module.names()) * len(targets), refused, compared, tuple(differences))


def memory(test: LoweredTest) -> list[str]:
    """Return what of a lowered function accesses memory or its caches, scalar loads aside."""
    found = [i.text for s in test.threads[0].statements for i in s.instructions if i.kind in _MEMORY]
    return [each for each in found if not each.startswith("s_load")]


def compiled(processor: Target, text: str) -> dict[str, list[str]]:
    """Return the same of each function as llc compiles it; nothing if it refuses the module, or is not there."""
    llc = find_llc()
    command = [llc or "", "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={processor.name}", "-o", "-", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False) if llc else None
    if done is None or done.returncode:
        return {}
    _, *parts = _LABEL.split(done.stdout)
    bodies = {name: body.split("s_endpgm")[0] for name, body in zip(parts[::2], parts[1::2], strict=True)}
    return {
        name: [" ".join([found[1], *_BIT.findall(found[2])]) for found in _INSTRUCTION.finditer(body)]
        for name, body in bodies.items()
    }


def main(arguments: list[str] | None = None) -> int:
    """Lower everything, print the numbers, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.lowering.folder", description=__doc__)
    parser.add_argument("llvm", help="llvm/test of LLVM's sources")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    paths = sorted(str(path) for path in (Path(options.llvm) / FOLDER).glob(NAMES))
    found = list(spread(lowered, paths, options.jobs))
    count, refused = sum(each.count for each in found), sum((each.refused for each in found), Counter[str]())
    different = [line for each in found for line in each.differences]
    print(f"{count} functions of the memory legalizer's tests on targets, {count - refused.total()} lowered")
    for why, number in refused.most_common():
        print(f"  {number} not lowered: {why}")
    print(f"{sum(each.compared for each in found)} compared with llc-22: {len(different)} different")
    print(*different[:20], *(f"  {name} aside: {why}" for name, why in EXPLAINED.items()), sep="\n")
    return 0 if count and not different and count - refused.total() >= ENOUGH * count else 1


if __name__ == "__main__":
    sys.exit(ended(main))
