"""`python -m tests.lowering`: compile the cross product with LLVM and compare it with the tables.

With llc-22 on the path, or the program that `--llc` names, its code after the memory legalizer is compared, with
its version's profile, else, or with `--assembly`, llvmlite's assembly. Differences that are explained in
`tests.lowering.differences` are counted; any other gives exit code 1.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator

from axmem.codegen.lowering import lower_operation
from axmem.codegen.operations import Operation
from axmem.codegen.tables import families
from axmem.codegen.targets import Target
from axmem.mapping.compiled import profile_of
from tests.lowering import assembly, mir
from tests.lowering.canonical import Sequence, access_name, canonical
from tests.lowering.cross import function, module, operations
from tests.lowering.differences import explained
from tests.lowering.record import read, write
from tests.spread import ended, spread

Compiler = Callable[[Target, str], dict[int, Sequence]]
CHUNK = 600
"""Functions that are compiled at a time: LLVM takes longer over one large module than over several small ones."""


def main(arguments: list[str] | None = None) -> int:
    """Compare, or record, or print the record, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.lowering", description=__doc__)
    parser.add_argument("targets", nargs="*", help="processors; without any, all")
    parser.add_argument("--assembly", action="store_true", help="compare assembly even if there is llc-22")
    parser.add_argument("--record", action="store_true", help="write what LLVM says of the first targets to a file")
    parser.add_argument("--llc", default="", help="instead of llc-22, such as an llc-24")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what is recorded, operation by operation")
    options = parser.parse_args(arguments)
    if options.show:
        show(options.targets)
        return 0
    llc = options.llc or mir.find_llc() or ""
    profile = profile_of(llc) if llc else "llvm-22"
    how = "assembly" if options.assembly or not llc else "mir"
    if how == "assembly" and assembly.llvmlite() is None:
        print("there is neither llc-22 nor llvmlite with LLVM 22: pip install 'llvmlite==0.50.*'", file=sys.stderr)
        return 2
    known = list(_targets(profile))
    for name in set(options.targets) - {target.name for target, _ in known}:
        parser.error(f"unknown processor '{name}'")
    chosen = [(target, thin) for target, thin in known if target.name in (options.targets or [target.name])]
    if options.record:
        elders = [target for target, thin in chosen if not thin]
        write((target, _compile(how, llc, target, list(operations(target, thin=True)))) for target in elders)
        return 0
    totals: Counter[str] = Counter()
    jobs = [(how, llc, profile, target.name, target.mode, thin) for target, thin in chosen]
    for (*_, name, mode, _), (count, reasons, found) in zip(jobs, spread(_compare, jobs, options.jobs), strict=True):
        totals.update(reasons)
        totals["functions"] += count
        totals["different"] += len(found)
        print(f"{name} {mode}: {count} functions, {len(found)} different", *found[:5], sep="\n", flush=True)
    for reason in sorted(set(totals) - {"functions", "different"}):
        print(f"explained, {totals[reason]} times: {reason}")
    print(f"{len(chosen)} targets, {totals['functions']} functions compared ({how}), {totals['different']} different")
    return 1 if totals["different"] else 0


def show(names: list[str]) -> None:
    """Print what LLVM made of each operation for some processors, or all, as it was recorded."""
    modes = {f"{target.name} {target.mode}": target for target, _ in _targets("llvm-22")}
    for name, made in read().items():
        target = modes[name]
        if target.name not in (names or [target.name]):
            continue
        print(f"{name}:")
        for operation, sequence in zip(operations(target, thin=True), made, strict=True):
            body = [line.strip() for line in function(operation, "f").splitlines() if line.startswith("  ")]
            code = "; ".join(line for line in body if "sideeffect" not in line and not line.startswith("ret"))
            tags = " ".join(f"{prefix}:{tag}" for prefix, tag in sorted(operation.tags))
            print(f"  {code}{' with ' * bool(tags)}{tags}", *sequence, sep="\n      ")


def _targets(profile: str) -> Iterator[tuple[Target, bool]]:
    """Yield every processor in every mode; whether it has an elder of its family, for which all was compared."""
    for family in families().values():
        for index, name in enumerate(family.targets):
            for mode in family.modes:
                yield Target(name, family, mode, profile), bool(index)


def _compile(how: str, llc: str, target: Target, found: list[Operation]) -> list[Sequence | None]:
    """Return what LLVM makes of operations."""
    out: list[Sequence | None] = []
    for start in range(0, len(found), CHUNK):
        chunk = found[start : start + CHUNK]
        text = module(chunk)
        made = (
            mir.compiled(llc, target, text) if how == "mir" else assembly.compiled(assembly.llvmlite(), target, text)
        )
        out += [made.get(number) for number in range(len(chunk))]
    return out


def _compare(job: tuple[str, str, str, str, str, bool]) -> tuple[int, Counter[str], list[str]]:
    """Compare one target: how many functions, which differences are explained, and the others as text."""
    how, llc, profile, name, mode, thin = job
    target = next(t for t, _ in _targets(profile) if (t.name, t.mode) == (name, mode))
    found = list(operations(target, thin=thin))
    reasons: Counter[str] = Counter()
    different = []
    for operation, theirs in zip(found, _compile(how, llc, target, found), strict=True):
        ours = canonical(lower_operation(operation, target), access_name if how == "mir" else str)
        if ours == theirs:
            continue
        reason = explained(operation, target, ours, theirs)
        if reason:
            reasons[reason] += 1
        else:
            different.append(f"{function(operation, 'f')}  tables: {ours}\n  LLVM:   {theirs}")
    return len(found), reasons, different


if __name__ == "__main__":
    sys.exit(ended(main))
