"""`python -m tests.lowering`: compile the cross product with LLVM and compare it with the tables."""

from __future__ import annotations

import sys

from axmem.codegen.lowering import lower
from axmem.codegen.tables import families
from axmem.codegen.targets import Target
from tests.lowering.canonical import canonical
from tests.lowering.cross import TRAILER, function, operations
from tests.lowering.mir import compile_functions, find_llc

FEATURES = {"tgsplit": "+tgsplit", "cu": "+cumode", "wgp": "-cumode"}


def features(target: Target) -> str:
    if len(target.family.modes) == 1:
        return ""
    if target.mode == "cu" and "tgsplit" in target.family.modes:
        return "-tgsplit"
    return FEATURES[target.mode]


def main() -> int:
    llc = find_llc()
    total = bad = 0
    only = sys.argv[1:]
    for family in families().values():
        for index, name in enumerate(family.targets):
            for mode in family.modes:
                target = Target(name, family, mode, "llvm-22")
                if only and name not in only:
                    continue
                ops = list(operations(target, thin=bool(index)))
                text = "".join(function(op, f"f{n}") for n, op in enumerate(ops)) + TRAILER
                found = compile_functions(llc, target, features(target), text)
                diffs = []
                for n, op in enumerate(ops):
                    mine = canonical(lower(op, target))
                    if mine != found.get(n):
                        diffs.append((op, mine, found.get(n)))
                total += len(ops); bad += len(diffs)
                print(target.label, len(ops), len(diffs), flush=True)
                for op, mine, theirs in diffs[:8]:
                    print("   ", op.kind, op.space and op.space.name, op.ordering.value, op.failure.value, op.scope.level.word, op.scope.one_as, "vol" if op.volatile else "", "nt" if op.nontemporal else "", "res" if op.result else "", set(op.tags), "\n        ours  ", mine, "\n        llvm  ", theirs)
    print(total, bad)
    return 0


sys.exit(main())
