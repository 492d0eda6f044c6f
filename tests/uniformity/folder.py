"""LLVM's own tests of uniformity, from a folder: what opt-22 prints of each function, and the same through our rules.

What goes in: the path of a module. What comes out: how many functions were compared, a line for each difference, and
why the others were not read. Compared are the cycles' values and branches that both have: a copy is what it is a copy
of here, and what is not reached is left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.kernels import function_of
from axmem.convergence.uniformity import uniformity
from axmem.formats.ir.names import block_name, spelled
from axmem.litmus.syntax import LitmusTest
from tests import functions
from tests.convergence.llvm import Printed, analysed

FOLDER = "Analysis/UniformityAnalysis/AMDGPU"
"""Where they are in `llvm/test`."""


@dataclass(frozen=True, slots=True)
class FileCounts:
    """What a module had: functions, those compared, why others are not read, and what differs."""

    functions: int
    compared: int
    unread: Counter[str]
    differences: tuple[str, ...]


def compared(path: str) -> FileCounts:
    """Compare the functions of a module."""
    module = functions.content(path)
    names = functions.names(module)
    said = analysed(module) if names else {}
    unread: Counter[str] = Counter()
    found = []
    for name in names:
        test = functions.read(module, name)
        if isinstance(test, str):
            unread[functions.reason(test)] += 1
        elif differs := difference(test, said[name]):
            found.append(f"{path} {name}: {differs}")
    return FileCounts(len(names), len(names) - unread.total(), unread, tuple(found))


def difference(test: LitmusTest, said: Printed) -> str:
    """Return what of a function is divergent for LLVM alone or here alone, `""` if nothing is."""
    function = function_of(test.kernels[0])
    found = uniformity(function, llvm_hierarchy(function.graph))
    registers = {i.register for _, i in function.instructions()}
    values = {function.blocks[place.block].instructions[place.number].register for place in found.values}
    theirs = {spelled(name) for name in said.values | said.arguments}
    branches = {block_name(name) for name in said.branches}
    unlike = [*((values ^ theirs) & registers - {"workitem.id", "lane.id", ""})]
    unlike += (f"->{block}" for block in (set(found.branches) ^ branches) & set(function.graph.successors))
    return " ".join(sorted(unlike))
