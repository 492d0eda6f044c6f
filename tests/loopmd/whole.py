"""Random loops through the whole pipelines of opt-22, `default<O1>` to `default<O3>`, and the same through our cases.

What goes in: a block. What comes out: how many warnings LLVM gave, and a line for each kernel whose warnings are those
of none of our cases. Between the passes that metadata speaks of, others change loops there, so that only what is left
at the end is compared. Left out are the shapes (`CHANGED`) of which a pass that knows no metadata makes other loops.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.codegen.ir_module import module
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.syntax import Kernel
from axmem.transform.answers import PassSettings
from axmem.transform.legality import forest
from axmem.transform.passes import PassTarget, Profile
from axmem.transform.pipeline_cases import Run, Stage, after, case_of
from axmem.transform.pipelines import passes_of
from tests.loopmd.compare import Block, passes, texts
from tests.loopmd.llvm import Said, run_whole

LEVELS = ("O1", "O2", "O3")

CHANGED = {
    "apart": "loop-load-elim makes a second loop of one that loads what it stored an iteration before",
    "recurrence %n": "the same pass makes a second loop, for when addresses wrap",
    "unordered": "loop-idiom makes a call of a loop that copies memory",
    "nest columns": "after the passes between LLVM unrolls an epilogue whose trip count is costly without them",
}
"""What is not compared, and why."""

MOST = 3000
"""Of a kernel with more cases nothing is said, nor of one of which a pass leaves more than `loopmd` shows."""


def compared(block: Block) -> tuple[int, int, list[str]]:
    """Return how many kernels were compared, how many warnings LLVM gave of them, and what differs."""
    kernels, text = texts(block)
    said = run_whole(module(parse(text), "llvm-22").text, block.pipeline, block.target)
    count = warnings = 0
    different = []
    for number, (generated, parsed) in enumerate(zip(kernels, parse(text).kernels, strict=True)):
        if any(generated.shape.startswith(shape) for shape in CHANGED):
            continue
        theirs = tuple(sorted(said.get(f"K{number}", Said()).warnings))
        ours = set(_warnings(block, parsed))
        if not ours:
            continue
        count += 1
        warnings += len(theirs)
        if theirs not in ours:
            shown = [[words[:30] for words in each] for each in sorted(ours)]
            name = f"{generated.shape} {generated.attributes}"
            different.append(f"{block}: {name}\n  warnings: LLVM {[w[:30] for w in theirs]} here {shown}")
    return count, warnings, different


def _warnings(block: Block, kernel: Kernel) -> Iterator[tuple[str, ...]]:
    """Yield the warnings of each of our cases; nothing if there are too many."""
    chosen = passes(block)
    settings = PassSettings(Profile.LLVM_22, PassTarget(block.target), chosen.forced_only)
    running = Run(passes_of(chosen, Profile.LLVM_22), settings, warns=chosen.warns)
    (nest,) = forest(kernel)
    kept: list[tuple[Stage, ...]] = [()]
    for pass_ in running.passes:
        try:
            kept = [(*old, new) for old in kept for new in after(pass_, old[-1].loops if old else (nest,), running)]
        except InputError:
            return
        if len(kept) > MOST:
            return
    for stages in kept:
        yield tuple(sorted(each.text for each in case_of(nest, stages, running).warnings))
