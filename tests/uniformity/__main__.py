"""`python -m tests.uniformity`: random kernels through `convert` and opt-22, compared with our analyses.

Cycles, divergent values and branches of random kernels, which loads opt-22 lets be scalar and llc-22 makes so, and
whether LLVM's verifier accepts random operations with tokens. Any difference gives exit code 1; without these programs
it says so and gives 2.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from collections import Counter
from collections.abc import Callable

from tests.convergence.llvm import missing
from tests.functions import files
from tests.spread import ended, spread
from tests.uniformity import FILE, folder
from tests.uniformity.compare import (
    CHUNK,
    Block,
    Counts,
    annotation_compared,
    as_record,
    compared,
    loads_compared,
    selection_compared,
    tokens_compared,
)


def main(arguments: list[str] | None = None) -> int:
    """Compare, or record, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.uniformity", description=__doc__)
    parser.add_argument("--kernels", type=int, default=6000, help="random kernels of at most nine blocks (6000)")
    parser.add_argument("--loads", type=int, default=240, help="random kernels of loads for llc-22 (240)")
    parser.add_argument("--annotated", type=int, default=900, help="random kernels of loads for opt-22 (900)")
    parser.add_argument("--tokens", type=int, default=2000, help="random kernels with tokens (2000)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help="write what LLVM says of a sample to a file")
    parser.add_argument("--llvm", metavar="DIR", help="LLVM's own tests alone: llvm/test of its sources")
    options = parser.parse_args(arguments)
    if missing():
        print(missing(), file=sys.stderr)
        return 2
    if options.llvm:
        return max(_of_folder(f"{options.llvm}/{each}", options.jobs) for each in folder.FOLDERS)
    if options.record:
        text = json.dumps(as_record(Block(1000, 60), Block(1001, 60)), separators=(",", ":"))
        FILE.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
        return 0
    first = options.seed * 1_000_000
    small = [Block(first + k) for k in range(-(-options.kernels // CHUNK))]
    large = [Block(first + 500_000 + k, 12, 60) for k in range(len(small) // 10)]
    tokens = [Block(first + 600_000 + k) for k in range(-(-options.tokens // CHUNK))]
    different = _told("kernels", compared, [*small, *large], options.jobs)
    different += _told("kernels whose loads", loads_compared, small[: max(1, len(small) // 10)], options.jobs)
    annotated = [Block(first + 800_000 + k) for k in range(-(-options.annotated // CHUNK))]
    different += _told("kernels whose loads opt-22 annotates", annotation_compared, annotated, options.jobs)
    selected = [Block(first + 700_000 + k) for k in range(-(-options.loads // CHUNK))]
    different += _told("kernels whose loads llc-22 selects", selection_compared, selected, options.jobs)
    different += _told("kernels with tokens", tokens_compared, tokens, options.jobs)
    return 1 if different else 0


def _of_folder(path: str, jobs: int) -> int:
    """Compare the functions of LLVM's own tests, print the numbers, and return the exit code."""
    found = list(spread(folder.compared, files(path), jobs))
    different = [line for each in found for line in each.differences]
    unread = sum((each.unread for each in found), Counter[str]())
    compared_ = sum(each.compared for each in found)
    count = sum(each.functions for each in found)
    print(f"{count} functions of {path}, {compared_} answered: {len(different)} different")
    for line in (*different, *(f"  {number} not answered: {why}" for why, number in unread.most_common())):
        print(line)
    return 1 if different or not compared_ else 0


def _told(what: str, function: Callable[[Block], Counts], blocks: list[Block], jobs: int) -> int:
    """Compare, print the numbers and the first differences, and return how many there are."""
    found = list(spread(function, blocks, jobs))
    different = [difference for counts in found for difference in counts.differences]
    kind = "refused" if "tokens" in what else "with an irreducible cycle"
    values = sum(counts.values for counts in found)
    print(
        f"{sum(counts.functions for counts in found)} {what}, {sum(counts.irreducible for counts in found)} {kind}"
        + f", {values} divergent values" * bool(values)
        + f": {len(different)} different"
    )
    print(*different[:3], sep="\n\n", end="\n" if different else "")
    return len(different)


if __name__ == "__main__":
    sys.exit(ended(main))
