"""LLVM's own tests of loop metadata, from a folder: what opt-22 makes of each function, and the same through our cases.

What goes in: the path of a module. What comes out: what was compared of it and how that came out. Counted are functions
that opt-22 changes or warns of: of all others it says nothing that could be compared. Both read the same module, for
the target that it names, or x86-64.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from axmem.front.source import InputError
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import Kernel, LitmusTest
from axmem.transform.latches import with_one_latch
from axmem.transform.loops import irregular, loops, nest
from tests import functions
from tests.loopmd.clang import JAM, Way, compared_kernel, observed
from tests.loopmd.compare import Observed

PIPELINES = {"LoopUnrollAndJam": JAM, "LoopInterchange": "interchange,unroll,transform-warning"}
"""What is asked of the tests in some folders; of the others `O2`."""

FOLDERS = ("LoopUnroll", "LoopUnrollAndJam", "LoopVectorize", "LoopDistribute", "LoopTransformWarning")
"""The folders of `llvm/test/Transforms`; what is below them is for other targets."""
MANY = "costs leave more than"
"""How the message begins that there are too many cases to be told apart."""


@dataclass(slots=True)
class FileCounts:
    """What a module had: functions with loop metadata, how many opt-22 does something to, and those that are compared.

    `unread` are reasons why others are not read, `explained` reasons of differences that the documentation states.
    """

    functions: int = 0
    done: int = 0
    compared: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


def files(folder: str) -> list[str]:
    """Return the modules with loop metadata in a folder, without those of other folders in it."""
    found = [path for path in functions.files(folder) if Path(path).parent == Path(folder)]
    return [path for path in found if "llvm.loop" in functions.content(path)]


def prepared(path: str) -> tuple[Way, str]:
    """Return a module for one of our targets, without weights of branches, and what is asked of it."""
    text = functions.content(path)
    target = "amdgcn" if re.search(r'triple = "(amdgcn|r600)', text) else "x86-64"
    text = re.sub(r"^target (triple|datalayout) .*$|, !prof !\d+", "", text, flags=re.MULTILINE)
    folder = next((part for part in Path(path).parts if part in PIPELINES), "")
    return Way(Path(path).name, target, "", PIPELINES.get(folder, "O2")), text


def explained(difference: str, kernel: Kernel, said: Observed) -> str:
    """Return what docs/transform.md says is not followed, if that may be why there is a difference."""
    flow = single_assignment(kernel)
    if difference.startswith(MANY):
        return "more cases than axmem kernel loopmd tells apart"
    if any("jam" in done for done in said.done) and any(len(nest(loops(flow), each)) > 2 for each in loops(flow)):
        return "unroll-and-jam of three loops in one another"
    if any(phi.type.pointer is not None for each in loops(flow) for phi in flow.block[each.header].phis if phi.type):
        return "a counter that may be a pointer"
    return "a loop of which LLVM makes two" if irregular(with_one_latch(flow)) else ""


def compared(path: str) -> FileCounts:
    """Compare the functions of a module."""
    way, module = prepared(path)
    return compared_module(way, module, path)


def compared_module(way: Way, module: str, source: str, *, all_of_them: bool = False) -> FileCounts:
    """Compare the functions of a module that comes from a source: those that opt-22 does something to, or all."""
    found = FileCounts()
    try:
        said = observed(way, module)
    except AssertionError as refused:
        found.unread[f"opt-22 does not read the file: {str(refused).splitlines()[0][:60]}"] += 1
        return found
    for name, one in said.items():
        found.functions += 1
        done = any(one.done) or bool(one.warnings)
        found.done += done
        if done or all_of_them:
            _compare(way, functions.read(module, name), one, f"{source} {name}", found)
    return found


def _compare(way: Way, test: LitmusTest | str, said: Observed, what: str, found: FileCounts) -> None:
    """Compare a function, or count why it is not read, and say so under what it is."""
    if isinstance(test, str):
        found.unread[functions.reason(test)] += 1
        return
    found.compared += 1
    try:
        differs = compared_kernel(way, test.kernels[0], said)
    except InputError as error:
        differs = error.diagnostics[0].message
    if differs and (why := explained(differs, test.kernels[0], said)):
        found.explained[why] += 1
    elif differs:
        found.differences.append(f"{what}: {differs}")
