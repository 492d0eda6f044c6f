"""`python -m tests.long`: both engines on every generated test under sc, llvm and amdgpu; exit 1 if they differ."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import islice

from axmem.encoder.solver import Session
from axmem.litmus.parser import parse
from axmem.model.library import load
from tests.differential.compare import Subject, compare
from tests.long.suite import generated_tests
from tests.spread import ended, spread

MODELS = ("sc", "llvm", "amdgpu")
BLOCK = 20


def main(arguments: list[str] | None = None) -> int:
    """Compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.long", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth test (default 1)")
    options = parser.parse_args(arguments)
    texts = [generated.text for generated in islice(generated_tests(), None, None, options.every)]
    blocks = [texts[i : i + BLOCK] for i in range(0, len(texts), BLOCK)]
    passed = failed = 0
    for block, failures in zip(blocks, spread(compared, blocks, options.jobs), strict=True):
        passed, failed = passed + len(block) - len(failures), failed + len(failures)
        for failure in failures:
            print(failure, flush=True)
        print(f"\r{passed + failed} of {len(texts)} tests", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def compared(texts: list[str]) -> list[str]:
    """Return a report on each of the tests on which the engines differ, or the solver gives up, under some model."""
    session = Session()
    return [report for text in texts if (report := "\n".join(_differences(text, session)))]


def _differences(text: str, session: Session) -> Iterator[str]:
    subject = Subject(parse(text))
    for name in MODELS:
        comparison = compare(subject, load(name), session)
        lines = comparison.lines if comparison.complete else (*comparison.lines, "the solver's answer is incomplete")
        if lines:
            yield "\n".join([*(f"; {name}: {line}" for line in lines), text])


if __name__ == "__main__":
    sys.exit(ended(main))
