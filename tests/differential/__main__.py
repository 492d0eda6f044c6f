"""`python -m tests.differential`: compare the engines on random tests until stopped; exit 1 if they differ."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

from tests.corpus import judging
from tests.differential.kinds import KINDS
from tests.differential.programs import Size
from tests.differential.search import Finding, search
from tests.spread import ended, spread

FINDINGS = Path(__file__).parent / "findings"
BLOCK = 25


def main(arguments: list[str] | None = None) -> int:
    """Run the search; return the exit code."""
    options = _parser().parse_args(arguments)
    models = tuple(options.models.split(",")) if options.models else judging()
    starts: Iterator[int] = count(options.seed, BLOCK)
    if options.count is not None:
        starts = iter(range(options.seed, options.seed + options.count, BLOCK))
    last = None if options.count is None else options.seed + options.count
    found = _run(starts, last, models, options)
    print(f"{len(found)} differences", file=sys.stderr)
    return 1 if found else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--count", type=int, help="how many tests (default: until stopped)")
    parser.add_argument("--models", help="names of models, separated by commas (default: all)")
    kinds = f"kinds of tests, in turn, separated by commas (default: {','.join(KINDS)})"
    parser.add_argument("--kinds", default=",".join(KINDS), help=kinds)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--variants", choices=("default", "random"), default="default", help="of the models")
    parser.add_argument("--candidates", type=int, default=Size().candidates, help="reads-from maps a test may have")
    return parser


def _run(
    starts: Iterator[int], last: int | None, models: tuple[str, ...], options: argparse.Namespace
) -> list[Finding]:
    """Search block after block of seeds; write findings down as they come."""
    found: list[Finding] = []
    began, done, incomplete = time.monotonic(), 0, 0
    blocks = (range(start, start + BLOCK if last is None else min(start + BLOCK, last)) for start in starts)
    kinds = tuple(options.kinds.split(","))
    vary = options.variants == "random"
    work = partial(search, models=models, size=Size(options.candidates), vary=vary, kinds=kinds)
    try:
        for findings, cut in spread(work, blocks, options.jobs):
            done, incomplete = done + BLOCK, incomplete + cut
            found += findings
            for finding in findings:
                _write(finding)
            rate = done / (time.monotonic() - began)
            counts = f"{done} tests, {incomplete} answers incomplete, {len(found)} differences"
            print(f"\r{counts}, {rate:.1f} tests/s", end="", file=sys.stderr)
    except KeyboardInterrupt:
        pass
    print(file=sys.stderr)
    return found


def _write(finding: Finding) -> None:
    FINDINGS.mkdir(exist_ok=True)
    path = FINDINGS / f"{finding.model}-{finding.seed}.litmus"
    path.write_text(finding.report(), encoding="utf-8")
    print(f"\n{path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(ended(main))
