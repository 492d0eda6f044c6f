"""LLVM's own tests of uniformity and of cycles, from a folder: what opt-22 prints of each function, and what we say.

What goes in: the path of a module, read as it stands. What comes out: how many functions were compared, a line for each
difference, and why the others were not answered. Compared are cycles, divergent values and divergent ends of blocks, of
what the entry reaches.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from axmem.check.uniform import uniform_alone
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.modules import checked_flow
from axmem.convergence.uniformity import uniformity
from axmem.formats.ir.syntax import Function, Module
from axmem.formats.ir.whole import whole
from axmem.front.source import InputError, Source
from tests import functions
from tests.convergence.llvm import Printed, analysed
from tests.uniformity.compare import comparable, written

FOLDERS = ("Analysis/UniformityAnalysis/AMDGPU", "Analysis/CycleInfo")
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
    return of_module(path, Path(path).read_text(encoding="utf-8"))


def of_module(path: str, text: str) -> FileCounts:
    """Compare the functions of a module by its text."""
    module = whole(Source(path, text))
    said = analysed(text) if module.names() else {}
    unread: Counter[str] = Counter()
    found = []
    for name in module.names():
        try:
            module.check(name)
            differs = difference(module.module, module.module.functions[name], said[name])
        except InputError as error:
            unread[functions.reason(error.diagnostics[0].message)] += 1
            continue
        found += [f"{path} {name}: {differs}"] * bool(differs)
    return FileCounts(len(module.names()), len(module.names()) - unread.total(), unread, tuple(found))


def difference(module: Module, function: Function, said: Printed) -> str:
    """Return what of a function is divergent for LLVM alone or here alone, and cycles of one alone; `""`: nothing."""
    flow = checked_flow(module, function)
    hierarchy = llvm_hierarchy(flow.graph)
    report = uniform_alone(module, function)
    defined = {answer.register for answer in report.answers}
    values = {answer.register for answer in report.answers if answer.register and answer.llvm is not None}
    ends = set(uniformity(flow, hierarchy).branches)
    unlike = [*((values ^ (said.values | said.arguments)) & defined)]
    unlike += (f"->{block}" for block in (ends ^ said.branches) & set(flow.graph.successors))
    unlike += set(written(hierarchy)) ^ set(map(comparable, said.cycles))
    return " ".join(sorted(unlike))
