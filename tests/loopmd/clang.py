"""Loops as clang writes them, with `nuw` and `nsw`, through opt-22 pass by pass, and the same through our cases.

What goes in: the functions of `tests/loopmd/c`, compiled by clang-22 in several ways (`WAYS`). What comes out: what
LLVM did with the loops of each function, and a line for each difference. Invariant: both read the same LLVM IR, flags
and attributes and all.
"""

from __future__ import annotations

import json
import lzma
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from axmem.litmus.syntax import Kernel
from axmem.transform.answers import PassSettings
from axmem.transform.legality import forest
from axmem.transform.metadata import MetadataQuestion, passes_over
from axmem.transform.passes import PassTarget, Profile
from axmem.transform.pipeline_cases import Run, Stage
from axmem.transform.pipelines import passes_of, pipeline
from tests import functions
from tests.loopmd.compare import Observed, difference
from tests.loopmd.llvm import Said, loops, run
from tests.transform.metadata import written

FOLDER = Path(__file__).parent / "c"
RECORD = Path(__file__).parent / "clang.json.xz"
"""The modules that clang 22 made, the commands, and what opt-22 made of each function."""
SOURCES = sorted(path.name for path in FOLDER.glob("*.c"))
CLANG = "clang-22 -S -emit-llvm -fno-discard-value-names -ffp-contract=off -o - {source}"
X86 = "--target=x86_64-unknown-linux-gnu"
GPU = "--target=amdgcn-amd-amdhsa -mcpu=gfx942 -nogpulib"
FRONT = "-Xclang -disable-llvm-passes"
EARLY = "sroa,early-cse,simplifycfg,instcombine,loop-simplify,lcssa,loop-mssa(loop-rotate,licm),simplifycfg,instcombine"
COUNTERS = f"{EARLY},loop-simplify,lcssa,loop(indvars)"


NOT_FOLLOWED = ("-enable-epilogue-vectorization=false", "-unroll-peel-max-count=0")
"""What docs/transform.md says is not followed: vector epilogues, made for some CPUs and widths, and peeling."""


@dataclass(frozen=True, slots=True)
class Way:
    """How IR is made of a source, by the shell in the folder of the sources; for which target of ours; which passes."""

    name: str
    target: str
    command: str
    pipeline: str


def _way(name: str, target: str, options: str, passes: str, pipeline_: str) -> Way:
    machine = X86 if target == "x86-64" else GPU
    command = f"{CLANG} {machine} {options}"
    return Way(name, target, f"{command} | opt-22 -S -passes='{passes}' -" if passes else command, pipeline_)


JAM = "unroll-and-jam,unroll,transform-warning"
WAYS = (
    _way("O0", "x86-64", "-O0", "", "O2"),
    _way("O2", "x86-64", f"-O2 {FRONT}", EARLY, "O2"),
    _way("O2 counters", "x86-64", f"-O2 {FRONT}", COUNTERS, "O2"),
    _way("O1", "x86-64", f"-O1 {FRONT}", COUNTERS, "unroll,transform-warning"),
    _way("O3 v3", "x86-64", f"-O3 -march=x86-64-v3 {FRONT}", COUNTERS, "vectorize,distribute,transform-warning"),
    _way("jam", "x86-64", f"-O2 {FRONT}", COUNTERS, JAM),
    _way("O0 in registers", "x86-64", "-O0 -Xclang -disable-O0-optnone", "mem2reg", "O2"),
    _way("O0", "amdgcn", "-O0", "", "O2"),
    _way("O2", "amdgcn", f"-O2 {FRONT}", COUNTERS, "O2"),
    _way("jam", "amdgcn", f"-O2 {FRONT}", EARLY, JAM),
)


def compiled(way: Way, source: str, folder: Path = FOLDER) -> str:
    """Return the module that a command makes of a source."""
    command = way.command.format(source=source)
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return done.stdout


def observed(way: Way, module: str) -> dict[str, Observed]:
    """Return what LLVM makes of the loops of each function of a module, pass by pass; loops have no labels here."""
    chosen = pipeline(way.pipeline, Profile.LLVM_22)
    names = functions.names(module)
    done: dict[str, list[tuple[str, ...]]] = {name: [] for name in names}
    left: dict[str, list[tuple[str, ...]]] = {name: [] for name in names}
    warnings: dict[str, list[str]] = {name: [] for name in names}
    for pass_ in (*chosen.passes, *(["transform-warning"] if chosen.warns else [])):
        module, said = run(module, pass_, way.target, NOT_FOLLOWED, forced_only=chosen.forced_only)
        found = loops(module)
        for name in names:
            own = said.get(name, Said())
            warnings[name] += own.warnings
            if pass_ != "transform-warning":
                done[name].append(tuple(sorted(own.done)))
                left[name].append(tuple(sorted(" ".join(ids or []) for _, ids in found.get(name, []))))
    return {name: Observed(tuple(done[name]), tuple(left[name]), tuple(sorted(warnings[name]))) for name in names}


def compared(way: Way, module: str, name: str, said: Observed) -> str:
    """Return in which way LLVM and we differ on a function, `""` if we agree."""
    test = functions.read(module, name)
    return f"it is not read: {test}" if isinstance(test, str) else compared_kernel(way, test.kernels[0], said)


def compared_kernel(way: Way, read: Kernel, said: Observed) -> str:
    """Return in which way LLVM and we differ on a function that is read, `""` if we agree."""
    chosen = passes_over(read, MetadataQuestion(Profile.LLVM_22, PassTarget(way.target), way.pipeline))
    if chosen.idle:
        same = not any(said.done) and len({*said.loops}) == 1 and not said.warnings
        return "" if same else f"{chosen.idle}: LLVM {said.done} {said.loops} {said.warnings}"
    settings = PassSettings(Profile.LLVM_22, PassTarget(way.target), chosen.forced_only)
    running = Run(passes_of(chosen, Profile.LLVM_22), settings, warns=chosen.warns)
    return difference(forest(read), running, said, _shown)


def _shown(stage: Stage) -> tuple[str, ...]:
    """Return the loops after a pass, each by its attributes alone: which is which, clang's labels do not say."""
    trees: Iterator[str] = (
        " ".join(written(attribute) for attribute in tree.attributes) for root in stage.loops for tree in root.walk()
    )
    return tuple(sorted(trees))


def differences(number: int) -> tuple[int, int, list[str]]:
    """Return how many functions and loops a module of `everything` has, and what differs."""
    way, source = everything()[number]
    module = compiled(way, source)
    said = observed(way, module)
    found = [f"{way.name} {way.target} {n}: {text}" for n in said if (text := compared(way, module, n, said[n]))]
    return len(said), sum(map(len, loops(module).values())), found


def everything() -> list[tuple[Way, str]]:
    """Return every way with every source."""
    return [(way, source) for way in WAYS for source in SOURCES]


def as_record() -> list[dict[str, Any]]:
    """Return all modules with the commands that made them, and what LLVM makes of each function."""
    return [entry(way, source, compiled(way, source)) for way, source in everything()]


def entry(way: Way, source: str, module: str) -> dict[str, Any]:
    """Return a module with the command that made it of a source, and what LLVM makes of each function."""
    said = {name: asdict(each) for name, each in observed(way, module).items()}
    return {"way": asdict(way), "source": source, "module": module, "said": said}


def recorded(path: Path = RECORD) -> list[dict[str, Any]]:
    """Return what is kept of `as_record`."""
    found: list[dict[str, Any]] = json.loads(lzma.decompress(path.read_bytes()))
    return found


def from_record(each: dict[str, Any], names: Iterable[str]) -> list[str]:
    """Return the differences between what is kept of some functions of a module and our cases."""
    way = Way(**each["way"])
    found = []
    for name in names:
        one = each["said"][name]
        said = Observed(tuple(map(tuple, one["done"])), tuple(map(tuple, one["loops"])), tuple(one["warnings"]))
        if text := compared(way, each["module"], name, said):
            found.append(f"{way.name} {way.target} {name}: {text}")
    return found
