"""Random loops through `convert` and opt-22, pass by pass, and the same through our cases.

What goes in: a seed. What comes out: what LLVM did, and a line for each difference. LLVM's remarks say what was done in
a function, not to which of its loops; so one of our cases has to agree in everything: what each pass did, the LoopIDs
of all loops after it, and the warnings. Invariant: LLVM reads nothing but what `convert` makes of the text of a test.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from axmem.codegen.ir_module import module
from axmem.litmus.parser import parse
from axmem.litmus.syntax import Kernel
from axmem.transform.answers import Outcome, PassSettings
from axmem.transform.forest import Tree
from axmem.transform.legality import forest
from axmem.transform.passes import PassTarget, Profile
from axmem.transform.pipeline_cases import Decision, Run, Stage, after, case_of
from axmem.transform.pipelines import Pipeline, passes_of, pipeline
from tests.loopmd.llvm import Said, loops, run
from tests.loopmd.shapes import Generated, kernel, text_of
from tests.transform.metadata import written

CHUNK = 60
"""Functions in a module: starting opt takes longer than its work."""

PIPELINES = (
    "O2",
    "O1",
    "lto",
    "O3+unroll-and-jam",
    "unroll,vectorize,transform-warning",
    "vectorize,distribute,unroll,transform-warning",
    "versioning-licm,unroll,transform-warning",
    "interchange,unroll,transform-warning",
)


@dataclass(frozen=True, slots=True)
class Block:
    """So many random loops from a seed, for a target, through a pipeline."""

    seed: int
    target: str
    pipeline: str
    count: int = CHUNK


@dataclass(frozen=True, slots=True)
class Observed:
    """What LLVM made of a function: after each pass what it did, and the loops; the warnings at the end."""

    done: tuple[tuple[str, ...], ...]
    loops: tuple[tuple[str, ...], ...]
    warnings: tuple[str, ...]


def texts(block: Block) -> tuple[list[Generated], str]:
    """Return the kernels of a block, and the text of a test with all of them."""
    random = Random(block.seed)
    kernels = [kernel(random) for _ in range(block.count)]
    return kernels, text_of(kernels)


def passes(block: Block) -> Pipeline:
    """Return the passes of a block."""
    return pipeline(block.pipeline, Profile.LLVM_22)


def observed(block: Block) -> list[Observed]:
    """Return what LLVM makes of the kernels of a block, pass by pass."""
    kernels, text = texts(block)
    now = module(parse(text), "llvm-22").text
    done: list[list[tuple[str, ...]]] = [[] for _ in kernels]
    after: list[list[tuple[str, ...]]] = [[] for _ in kernels]
    warnings: list[list[str]] = [[] for _ in kernels]
    chosen = passes(block)
    for name in (*chosen.passes, *(["transform-warning"] if chosen.warns else [])):
        now, said = run(now, name, block.target, forced_only=chosen.forced_only)
        found = loops(now)
        for number in range(len(kernels)):
            own = said.get(f"K{number}", Said())
            warnings[number] += own.warnings
            if name != "transform-warning":
                nest = kernels[number].shape.startswith("nest")
                done[number].append(tuple(sorted(own.done)))
                after[number].append(tuple(sorted(_line(*each, nest=nest) for each in found[f"K{number}"])))
    return [Observed(tuple(d), tuple(a), tuple(sorted(w))) for d, a, w in zip(done, after, warnings, strict=True)]


def _line(label: str, ids: list[str] | None, *, nest: bool) -> str:
    """Return a loop as a line; labels without the numbers that make them unlike others.

    In nests copies of the inner loop have one name, whether they stand in the remainder or not.
    """
    label = re.sub(
        r"^(vector\.body|pred\.\w+\.continue)\d*", "vector.body", re.sub(r"\.ldist\d+|\.split(?=\.|$)", "", label)
    )
    label = re.sub(r"(?:\.|(?<=epil))\d+(?=\.|$)", "", re.sub(r"\.prol", ".epil", re.sub(r"^l\b", "h", label)))
    return f"{_without_remainders(label) if nest else label} {' '.join(ids or [])}".strip()


def _without_remainders(label: str) -> str:
    """Return the label of a copy without how often it is one of a remainder."""
    return re.sub(r"(\.epil)+$", "", label)


def _did(stage: Stage) -> list[frozenset[str]]:
    """Return what a pass did, in the words of LLVM's remarks."""
    return [words for words in map(_words, stage.decisions) if words]


def _loops(stage: Stage, *, nest: bool) -> Iterable[str]:
    for tree in (each for root in stage.loops for each in root.walk()):
        label = _without_remainders(_label(tree)) if nest else _label(tree)
        yield f"{label} {' '.join(written(each) for each in tree.attributes)}".strip()


def _label(tree: Tree) -> str:
    """Return the label that LLVM gives the latch of a loop; that of an outer one is `h` here, too."""
    label = "h"
    for kind in tree.name.split(".")[1:]:
        match kind:
            case "vectorized":
                label = "vector.body"
            case "remainder" | "remainder-outer" | "remainder-inner":
                label += ".epil"
            case "fallback" | "unversioned":
                label += ".lver.orig"
    return label


def _words(decision: Decision) -> frozenset[str]:
    """Return what a decision may be in the words of `tests.loopmd.llvm.DONE`; nothing if nothing is done."""
    return frozenset(_word(decision.transformation, each) for each in decision.outcomes)


def _word(transformation: str, outcome: Outcome) -> str:
    match transformation:
        case "unroll":
            if not outcome.kinds:
                return "unroll: full"
            return "unroll: runtime" if "at run time" in outcome.words else "unroll: partial"
        case "vectorize":
            return "vectorize: interleaved" if "interleaved" in outcome.words else "vectorize: vectorized"
        case "unroll-and-jam":
            return "jam" if "outer" in outcome.kinds else "jam: full"
    return transformation


def _agree(ours: Iterable[frozenset[str]], said: tuple[str, ...]) -> bool:
    """Whether what LLVM says is what some decisions may be, one by one."""
    left = list(said)
    for words in sorted(ours, key=len):
        found = next((word for word in left if word in words), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def compared_kernel(block: Block, parsed: Kernel, name: str, said: Observed) -> str:
    """Return in which way LLVM and we differ on a kernel, which has a name in messages, `""` if we agree."""
    chosen = passes(block)
    settings = PassSettings(Profile.LLVM_22, PassTarget(block.target), chosen.forced_only)
    running = Run(passes_of(chosen, Profile.LLVM_22), settings, warns=chosen.warns)
    trees = forest(parsed)
    found = difference(trees, running, said, lambda stage: tuple(sorted(_loops(stage, nest=bool(trees[0].inner)))))
    return f"{block}: {name}\n  {found}" if found else ""


def difference(trees: tuple[Tree, ...], running: Run, said: Observed, shown: Callable[[Stage], tuple[str, ...]]) -> str:
    """Return in which way LLVM and we differ on the loops of a function, `""` if one of our cases is what LLVM did.

    `shown` says of a stage which loops there are after it, as `said` has them.
    """
    kept: list[tuple[Stage, ...]] = [()]
    for pass_, done, left in zip(running.passes, said.done, said.loops, strict=True):
        old = [(stages, stages[-1].loops if stages else trees) for stages in kept]
        new = [(*stages, stage) for stages, now in old for stage in after(pass_, now, running)]
        made = [(stages, _did(stages[-1]), shown(stages[-1])) for stages in new]
        kept = [stages for stages, does, loops_ in made if _agree(does, done) and loops_ == left]
        if not kept:
            near = next((each for each in made if _agree(each[1], done)), made[0])
            here = f"here {[*map(sorted, near[1])]} {near[2]}"
            return f"after {pass_.name}: LLVM {done} {left}\n{' ' * len(pass_.name)}          {here}"
    warned = [sorted(each.text for each in case_of(trees[0], stages, running).warnings) for stages in kept]
    if list(said.warnings) in warned:
        return ""
    return f"warnings: LLVM {[w[:30] for w in said.warnings]} here {[w[:30] for w in warned[0]]}"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many loops there were, what was done to them, and what differs."""

    loops: int
    done: Counter[str]
    warnings: int
    differences: tuple[str, ...]


def compared(block: Block) -> Counts:
    """Ask LLVM about a block of loops, and compare."""
    kernels, text = texts(block)
    said = observed(block)
    parsed = parse(text).kernels
    names = [f"{kernel.shape} {kernel.attributes}" for kernel in kernels]
    found = [compared_kernel(block, *each) for each in zip(parsed, names, said, strict=True)]
    done = Counter(word for each in said for words in each.done for word in words)
    return Counts(len(kernels), done, sum(len(each.warnings) for each in said), tuple(filter(None, found)))


def as_record(blocks: list[Block]) -> dict[str, Any]:
    """Return what LLVM makes of some blocks of loops, to be kept for where there is no LLVM."""
    said = [{"block": asdict(b), "test": texts(b)[1], "said": [asdict(o) for o in observed(b)]} for b in blocks]
    return {"llvm": "22.1.8", "blocks": said}


def from_record(each: dict[str, Any]) -> list[str]:
    """Return the differences between what is kept of a block and our cases."""
    said = [
        Observed(tuple(map(tuple, o["done"])), tuple(map(tuple, o["loops"])), tuple(o["warnings"]))
        for o in each["said"]
    ]
    parsed = parse(each["test"]).kernels
    block = Block(**each["block"])
    pairs = zip(parsed, said, strict=True)
    return [text for kernel_, one in pairs if (text := compared_kernel(block, kernel_, kernel_.name, one))]
