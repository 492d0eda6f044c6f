"""Which passes of LLVM may change what functions do with memory, by the names by which opt knows them.

What goes in: what a user writes. What comes out: the arguments of opt, and what of a change can be pasted into a report
to LLVM: a file, the command, and how to ask again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from axmem.passes.batches import OptTarget
from axmem.passes.changes import FunctionChange

GENERIC = (
    "instcombine<no-verify-fixpoint>", "early-cse<memssa>", "gvn", "newgvn", "dse", "memcpyopt", "loop-mssa(licm)",
    "loop-idiom", "sink", "mldst-motion", "gvn-hoist", "gvn-sink",
    "simplifycfg<hoist-common-insts;sink-common-insts;speculate-blocks;simplify-cond-branch>", "jump-threading",
    "correlated-propagation", "loop-load-elim", "load-store-vectorizer", "slp-vectorizer", "vector-combine", "sroa",
    "mem2reg", "mergefunc", "atomic-expand", "infer-address-spaces",
)  # fmt: skip
OF_AMDGPU = tuple(
    f"amdgpu-{name}"
    for name in (
        "atomic-optimizer", "codegenprepare", "late-codegenprepare", "promote-alloca", "lower-buffer-fat-pointers",
        "sw-lower-lds", "uniform-intrinsic-combine",
    )
)  # fmt: skip
PIPELINES = tuple(f"default<O{level}>" for level in (1, 2, 3))
ALL = (*GENERIC, *OF_AMDGPU, *PIPELINES)
EVERY = "all"
"""The word for all of them."""
_SHORT = {
    "instcombine": GENERIC[0], "early-cse": "early-cse<memssa>", "licm": "loop-mssa(licm)", "O1": PIPELINES[0],
    "O2": PIPELINES[1], "O3": PIPELINES[2], "simplifycfg": GENERIC[12],
}  # fmt: skip
"""Words that mean a pass as pipelines have it."""


def pass_names(text: str) -> tuple[str, ...]:
    """Return the passes of a list: names as opt has them, or `all`; commas in brackets belong to a pass."""
    found: list[str] = []
    for name in _parts(text):
        found += ALL if name == EVERY else [_SHORT.get(name, name)]
    return tuple(dict.fromkeys(found))


def _parts(text: str) -> Iterator[str]:
    depth, part = 0, ""
    for letter in f"{text},":
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth <= 0:
            if part.strip():
                yield part.strip()
            part = ""
        else:
            part += letter


def command(target: OptTarget, name: str, path: str) -> str:
    """Return the command that shows a change of a file."""
    words = [target.opt.rpartition("/")[2], "-S", *target.options, f"-passes={name}", path]
    return " ".join(map(shlex.quote, words))


def case(change: FunctionChange, target: OptTarget, name: str, words: Sequence[str], path: str) -> str:
    """Return a module with the function before the change; comments have the command, what is said, and the after."""
    head = [f"; {command(target, name, path)}", *(f"; {line}" for line in words)]
    head += ["; It makes of the function below:"]
    head += [f";   {line}".rstrip() for line in change.after.rstrip("\n").split("\n")]
    return "\n".join((*head, "", target.head + change.before.rstrip("\n"))) + "\n"
