"""`python -m tests.loopmd`: random loops with metadata through `convert` and opt-22, compared with our cases.

What each pass did, the LoopIDs of all loops after it, and the warnings with number and text; and, once more, what whole
pipelines of opt-22 warn of. The same of loops as clang-22 writes them. Any difference gives exit code 1; without LLVM
22 it says so and gives 2.
"""

from __future__ import annotations

import argparse
import json
import lzma
import shutil
import sys
from collections import Counter

from tests.convergence.llvm import missing
from tests.loopmd import FILE, clang, folder, generated, whole
from tests.loopmd.compare import CHUNK, PIPELINES, Block, as_record, compared
from tests.loopmd.llvm import TARGETS
from tests.spread import ended, spread


def main(arguments: list[str] | None = None) -> int:
    """Compare, or record, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.loopmd", description=__doc__)
    parser.add_argument("--loops", type=int, default=1440, help="random loops, each for both targets (1440)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sources", type=int, default=5, help="random sources in C, each compiled in ten ways (5)")
    parser.add_argument("--llvm", metavar="DIR", help="LLVM's own tests alone: llvm/test of its sources")
    parser.add_argument("--record", action="store_true", help="write what LLVM makes of a sample to a file")
    options = parser.parse_args(arguments)
    if missing() or not shutil.which("clang-22"):
        print(missing() or "clang-22 not on the path: install the Debian package clang-22", file=sys.stderr)
        return 2
    if options.record:
        text = json.dumps(
            as_record([Block(4000 + k, t, p, 15) for k, (t, p) in enumerate(_kinds())]), separators=(",", ":")
        )
        FILE.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
        text = json.dumps(clang.as_record(), separators=(",", ":"))
        clang.RECORD.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
        text = json.dumps(generated.as_record(), separators=(",", ":"))
        generated.RECORD.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
        return 0
    if options.llvm:
        paths = [path for name in folder.FOLDERS for path in folder.files(f"{options.llvm}/Transforms/{name}")]
        return _told("of LLVM's tests", list(spread(folder.compared, paths, options.jobs)))
    first = options.seed * 1_000_000
    numbers = range(-(-options.loops // CHUNK))
    blocks = [Block(first + k, target, PIPELINES[k % len(PIPELINES)]) for k in numbers for target in TARGETS]
    found = list(spread(compared, blocks, options.jobs))
    done = sum((counts.done for counts in found), Counter[str]())
    different = [each for counts in found for each in counts.differences]
    print(
        f"{sum(counts.loops for counts in found)} loops with metadata, "
        f"{sum(counts.warnings for counts in found)} warnings, "
        f"{', '.join(f'{count} {word}' for word, count in sorted(done.items()))}: {len(different)} different"
    )
    print(*different[:3], sep="\n\n", end="\n" if different else "")
    rounds = -(-len(numbers) // len(PIPELINES))
    wholes = [Block(first + k, target, level) for k in range(rounds) for target in TARGETS for level in whole.LEVELS]
    ended = list(spread(whole.compared, wholes, options.jobs))
    otherwise = [each for _, _, lines in ended for each in lines]
    kernels, warnings = sum(n for n, _, _ in ended), sum(w for _, w, _ in ended)
    print(f"{kernels} kernels through whole pipelines, {warnings} warnings: {len(otherwise)} different")
    print(*otherwise[:3], sep="\n\n", end="\n" if otherwise else "")
    compiled = list(spread(clang.differences, range(len(clang.everything())), options.jobs))
    unlike = [each for _, _, lines in compiled for each in lines]
    count, many = sum(n for n, _, _ in compiled), sum(n for _, n, _ in compiled)
    print(f"{count} functions as clang writes them, {many} loops: {len(unlike)} different")
    print(*unlike[:3], sep="\n\n", end="\n" if unlike else "")
    seeds = range(first, first + options.sources)
    random = [each for counts in spread(generated.compared, seeds, options.jobs) for each in counts]
    failed = _told("of random sources in C", random)
    return 1 if different or otherwise or unlike or failed else 0


def _told(what: str, found: list[folder.FileCounts]) -> int:
    """Print what was compared and what differs, and return the exit code: 1 also if nothing was compared."""
    different = [line for each in found for line in each.differences]
    unread = sum((each.unread for each in found), Counter[str]())
    explained = sum((each.explained for each in found), Counter[str]())
    compared_ = sum(each.compared for each in found)
    count, done = sum(each.functions for each in found), sum(each.done for each in found)
    print(f"{count} functions {what}, {done} changed or warned of, {compared_} compared: {len(different)} different")
    print(*different[:20], sep="\n", end="\n" if different else "")
    print(*(f"  {count} not read: {why}" for why, count in unread.most_common()), sep="\n", end="\n" if unread else "")
    print(*(f"  {count} not compared: {why}" for why, count in explained.most_common()), sep="\n", end="")
    return 1 if different or not compared_ else 0


def _kinds() -> list[tuple[str, str]]:
    """Return every target with every pipeline."""
    return [(target, pipeline) for target in TARGETS for pipeline in PIPELINES]


if __name__ == "__main__":
    sys.exit(ended(main))
