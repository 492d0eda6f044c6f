"""What opt made of a few functions, recorded: an opt that needs no LLVM.

`python -m tests.passes.recorded` records it anew with opt-22 (`--check`: compares what opt-22 makes today). What goes
in: the functions of `FOUND`, one for each cause that was found without being told. What comes out: a file for each pass
in the folder `recorded`; `install` writes an opt that prints them.
"""

from __future__ import annotations

import argparse
import shutil
import stat
import sys
from pathlib import Path

from axmem.litmus.words import OperationKind, Ordering
from axmem.passes.batches import AMDGPU, Batch, OptTarget
from axmem.passes.fragments import Fragment, FragmentOperation, ModeMark, function
from axmem.refinement.opt_runs import written

LOAD, STORE, FENCE, RMW = OperationKind.LOAD, OperationKind.STORE, OperationKind.FENCE, OperationKind.RMW
A, B = ModeMark.TAG_A, ModeMark.TAG_B
PLACE = Path(__file__).parent / "recorded"
OPT = "opt-22"


def _row(*operations: FragmentOperation) -> Fragment:
    return Fragment(operations, (0,) * len(operations))


FRAGMENTS = {
    "vectorized": _row(FragmentOperation(LOAD), FragmentOperation(LOAD, Ordering.ACQUIRE), FragmentOperation(LOAD)),
    "expanded": _row(FragmentOperation(RMW, Ordering.MONOTONIC, update="nand 1")),
    "idempotent": _row(FragmentOperation(RMW, Ordering.MONOTONIC, update="or 0")),
    "fences": _row(FragmentOperation(FENCE, Ordering.RELEASE, A), FragmentOperation(FENCE, Ordering.RELEASE, B)),
    "unordered": _row(
        FragmentOperation(STORE, Ordering.UNORDERED, A), FragmentOperation(STORE, Ordering.UNORDERED, B, value=2)
    ),
    "alike": _row(FragmentOperation(STORE, mark=A), FragmentOperation(STORE, mark=B)),
    "idle": _row(FragmentOperation(LOAD, used=False), FragmentOperation(LOAD, Ordering.ACQUIRE)),
    "kept": _row(FragmentOperation(STORE), FragmentOperation(STORE, Ordering.RELEASE)),
}
"""Functions: each of the first six has a cause, the others do not."""
FOUND = {
    "load-store-vectorizer": "docs/findings/fixed/vectorized-over-acquire.md",
    "atomic-expand": "docs/findings/fixed/idempotent-read-modify-write.md",
    "instcombine": "docs/findings/dropped-fence.md",
    "dse": "docs/findings/tags-of-one-store.md",
    "newgvn": "docs/findings/tags-of-one-store.md",
    "early-cse<memssa>": "docs/findings/tags-of-one-store.md",
}
"""Passes, each with a page of a cause that is found in what it makes of the functions."""


def target(opt: str) -> OptTarget:
    """Return the target for which it was recorded."""
    triple, options, space = AMDGPU
    return OptTarget(opt, triple, options, space)


def batch(opt: str) -> Batch:
    """Return the functions as a module."""
    texts = ((f"f{k}", function(f"f{k}", each, AMDGPU[2])) for k, each in enumerate(FRAGMENTS.values()))
    return Batch(1, tuple(texts), tuple(FOUND), target(opt))


def file_of(name: str) -> Path:
    """Return the file of a pass; of no pass without a name."""
    return PLACE / f"{name.partition('<')[0] or 'nothing'}.ll"


def install(folder: Path) -> str:
    """Write an opt into a directory that prints what was recorded; return its path."""
    path = folder / "recorded-opt"
    path.write_text(
        f"#!{sys.executable}\nimport sys\nfrom pathlib import Path\n"
        'passes = [word.partition("=")[2] for word in sys.argv if word.startswith("-passes=")] or ["nothing"]\n'
        'text = sys.stdin.read() if "--version" not in sys.argv else ""\n'
        f'file = Path({str(PLACE)!r}, passes[0].partition("<")[0] + ".ll")\n'
        'sys.stdout.write(file.read_text() if "define" in text else text or "LLVM version 22.1.8")\n',
        encoding="utf-8",
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def main() -> int:
    """Record, or compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.passes.recorded", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and change nothing")
    options = parser.parse_args()
    opt = shutil.which(OPT)
    if opt is None:
        parser.error(f"there is no {OPT}")
    made = batch(opt)
    plain = written(opt, made.target.options, made.module())
    texts = {"": plain}
    texts |= {name: written(opt, (*made.target.options, f"-passes={name}"), plain) for name in FOUND}
    if options.check:
        other = [name for name, text in texts.items() if file_of(name).read_text(encoding="utf-8") != text]
        print(f"{len(texts)} runs of {OPT}: {', '.join(other) or 'none'} differ from what was recorded")
        return 1 if other else 0
    PLACE.mkdir(exist_ok=True)
    for name, text in texts.items():
        file_of(name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
