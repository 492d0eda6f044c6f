"""`python -m tests.lowering.folder DIR`: LLVM's own tests of the memory legalizer, as `axmem lower` reads them.

What goes in: `llvm/test` of LLVM's sources. Printed is how many functions are lowered on a target of each family, and
why the others are not. Exit code 1 if fewer than 95 of 100 are.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from axmem.codegen.functions import lower_function
from axmem.codegen.targets import all_targets, target
from axmem.formats.ir.whole import whole
from axmem.front.source import InputError, Source
from tests import functions
from tests.spread import ended, spread

FOLDER, NAMES = "CodeGen/AMDGPU", "memory-legalizer-*.ll"
ENOUGH = 0.95


@dataclass(frozen=True, slots=True)
class FileCounts:
    """What a module had: functions on targets, and why some are not lowered."""

    count: int
    refused: Counter[str]


def lowered(path: str) -> FileCounts:
    """Lower the functions of a module on every family."""
    module = whole(Source(path, Path(path).read_text(encoding="utf-8")))
    families = dict.fromkeys(each.family.name for each in all_targets("llvm-22"))
    targets = [target(name, "", "llvm-22") for name in families]
    refused: Counter[str] = Counter()
    for name in module.names():
        for each in targets:
            try:
                module.check(name)
                lower_function(module.module, module.module.functions[name], each)
            except InputError as error:
                refused[functions.reason(error.diagnostics[0].message)] += 1
    return FileCounts(len(module.names()) * len(targets), refused)


def main(arguments: list[str] | None = None) -> int:
    """Lower everything, print the numbers, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.lowering.folder", description=__doc__)
    parser.add_argument("llvm", help="llvm/test of LLVM's sources")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    paths = sorted(str(path) for path in (Path(options.llvm) / FOLDER).glob(NAMES))
    found = list(spread(lowered, paths, options.jobs))
    count, refused = sum(each.count for each in found), sum((each.refused for each in found), Counter[str]())
    print(f"{count} functions of the memory legalizer's tests on targets, {count - refused.total()} lowered")
    for why, number in refused.most_common():
        print(f"  {number} not lowered: {why}")
    return 0 if count and count - refused.total() >= ENOUGH * count else 1


if __name__ == "__main__":
    sys.exit(ended(main))
