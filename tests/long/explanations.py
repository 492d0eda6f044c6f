"""`python -m tests.long.explanations`: the explanation of every test of the corpus under llvm and amdgpu, checked."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from axmem.formats.reading import parse_file
from tests.explain.explaining import problems
from tests.paths import CORPUS
from tests.spread import spread

MODELS = ("llvm", "amdgpu")


def main(arguments: list[str] | None = None) -> int:
    """Check; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.long.explanations", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    options = parser.parse_args(arguments)
    paths = sorted(CORPUS.rglob("*.litmus"))
    failed = 0
    for path, found in zip(paths, spread(checked, paths, options.jobs), strict=True):
        failed += bool(found)
        for problem in found:
            print(f"{path.relative_to(CORPUS)}: {problem}", flush=True)
    print(f"{len(paths) - failed} passed, {failed} failed")
    return 1 if failed else 0


def checked(path: Path) -> list[str]:
    """Return what is wrong with the explanations of a test."""
    test = parse_file(path)
    return [f"{model}: {problem}" for model in MODELS for problem in problems(test, model)]


if __name__ == "__main__":
    sys.exit(main())
