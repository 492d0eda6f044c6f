"""`python -m tests.long.any_waits DIR`: what `axmem verify --waits` says of code from outside, and of waits left out.

What goes in: a folder of modules (llvm/test/CodeGen/AMDGPU), of which a seeded sample goes through llc for five
targets; or, with `--assembly`, one with assembly and code objects, in folders, too, whose text or path has the target.
What is held: every assembly is read; each alarm is printed, to be examined; of a seeded sample of waits each that is
left out is caught, or idle, subsumed by others that are named, or unused (tests/mapping/waits_left_out.py has the
words); `overlooked` gives exit code 1. `--list` prints the waits that are not caught.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from axmem.codegen.assembly.text import read_listing
from axmem.codegen.assembly.waits import limits_of
from axmem.codegen.targets import target_of
from axmem.front.source import InputError
from axmem.mapping.waits import listing_of, waits
from axmem.report.hazards import hazard_text
from tests.mapping.waits_left_out import left_out

_NAMED = re.compile(r"gfx(9[0-9a-f]{2}|1[0-9]{3})")
TARGETS = ("gfx90a", "gfx942", "gfx1100", "gfx1200", "gfx1250")
MOST = 3000
"""How many lines an assembly has of which waits are left out: each is judged anew without it."""


def compiled(llc: str, path: Path, name: str) -> str:
    """Return the assembly of a module, nothing if llc refuses it for a target."""
    command = [llc, "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={name}", "-o", "-", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return ""
    return "" if done.returncode else done.stdout


def modules(options: argparse.Namespace, draw: random.Random) -> Iterator[tuple[Path, str, bytes]]:
    """Yield the file, the target, and the code of each module that is drawn; no target where the code says it."""
    kinds = ("*.s", "*.asm", "*.co", "*.hsaco") if options.assembly else ("*.ll",)
    find = options.folder.rglob if options.assembly else options.folder.glob
    found = sorted(path for kind in kinds for path in find(kind) if path.is_file() and path.stat().st_size)
    for path in draw.sample(found, min(options.modules, len(found))):
        if options.assembly:
            content = path.read_bytes()
            said = b"amdgcn_target" in content or content.startswith(b"\x7fELF")
            named = _NAMED.search(str(path))
            name = "" if said else target_of(str(path), named[0]).name if named else options.target
            yield path, name, content
            continue
        for name in TARGETS:
            text = compiled(options.llc, path, name)
            if text:
                yield path, name, text.encode()


def main(arguments: list[str] | None = None) -> int:
    """Judge, leave out, print the numbers, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--assembly", action="store_true", help="the folder has assembly and code objects")
    parser.add_argument("--target", default="", help="of assembly that does not say it, nor its path")
    parser.add_argument("--modules", type=int, default=100)
    parser.add_argument("--waits", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--llc", default="llc-22", help="default: llc-22")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    draw = random.Random(options.seed)
    tally: Counter[str] = Counter()
    every: list[tuple[str, str, str, int]] = []
    for path, name, content in modules(options, draw):
        every += _judged(str(path), content, name, tally)  # what it includes lies beside it
    print(f"{tally['read']} of {tally['made']} assemblies read, {tally['functions']} functions:",
          f"{tally['hazards']} with hazards, {tally['unknown']} not judged to the end")  # fmt: skip
    words: Counter[str] = Counter()
    for file, name, text, line in draw.sample(every, min(options.waits, len(every))):
        for one in left_out(text, name, frozenset({line})):
            words[one.why] += 1
            if one.why == "overlooked" or (options.list and one.why != "caught"):
                print(f"{file} {name} line {one.line}: {one.text}: {one.why}", *one.by)
    print(f"{sum(words.values())} waits left out:", ", ".join(f"{n} {word}" for word, n in sorted(words.items())))
    return 1 if words["overlooked"] or tally["read"] < tally["made"] * 0.95 else 0


def _judged(where: str, content: bytes, name: str, tally: Counter[str]) -> list[tuple[str, str, str, int]]:
    """Judge an assembly, note what came of it, and return its waits: the file, the target, its text, the line."""
    tally["made"] += 1
    try:
        judged = waits(where, content, name)
        on, printed, _ = listing_of(where, content, name)
    except InputError as error:
        print(error)
        return []
    tally["read"] += 1
    for function in judged.functions:
        tally["functions"] += 1
        tally["hazards"] += bool(function.hazards)
        tally["unknown"] += bool(function.unknown)
        for hazard in function.hazards[:1]:
            print(f"{where} {on.name}: {hazard_text(hazard)}")
    text = printed.source.text
    if text.count("\n") > MOST:
        return []
    kernels = read_listing(text, where).kernels.values()
    lines = [line.span.line for kernel in kernels for line in kernel.lines if limits_of(line, on.family)]
    return [(where, on.name, text, line) for line in lines]


if __name__ == "__main__":
    sys.exit(main())
