"""`python -m tests.long.repairs`: repairs of the corpus with and without theorems about models; exit 1 if they differ.

The search that uses monotonicity is compared with one that tries every set of at most two edits, where those are few.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from itertools import combinations
from pathlib import Path

from axmem.formats.reading import parse_file
from axmem.model.library import load
from axmem.repairs.costs import Costs, parse_weights
from axmem.repairs.goals import Judge
from axmem.repairs.repair import Repairs, RepairStatus, search_repairs
from axmem.repairs.spaces import repair_space
from axmem.repairs.task import Aim, RepairTask
from tests.paths import CORPUS, CORPUS_TESTS
from tests.spread import ended, spread

MODELS = ("llvm", "amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan")
MOST = 2
LARGEST = 1500


def main(arguments: list[str] | None = None) -> int:
    """Compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.long.repairs", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth test (default 1)")
    parser.add_argument("--models", default=",".join(MODELS), help=f"default: {','.join(MODELS)}")
    options = parser.parse_args(arguments)
    paths = CORPUS_TESTS[:: options.every]
    compared = failed = 0
    for model in options.models.split(","):
        for path, found in zip(paths, spread(partial(differs, model), paths, options.jobs), strict=True):
            compared += found is not None
            failed += bool(found)
            if found:
                print(f"{path.relative_to(CORPUS)} under {model}: {found}", flush=True)
    print(f"{compared - failed} passed, {failed} failed")
    return 1 if failed else 0


def differs(model: str, path: Path) -> str | None:
    """Return how the searches differ, empty if they do not; None if there is nothing to repair, or too much to try."""
    test, costs = parse_file(path), Costs(parse_weights(""), None)
    loaded = load(model)
    states = [len(site.states) - 1 for site in repair_space(test, costs)]
    if sum(states) + sum(a * b for a, b in combinations(states, 2)) > LARGEST:
        return None

    def searched(*, monotone: bool) -> Repairs:
        task = RepairTask(Aim.FORBID, (Judge(model, loaded),), costs, limit=10**6, most=MOST, monotone=monotone)
        return search_repairs(test, task)

    fast = searched(monotone=True)
    if fast.status is RepairStatus.NEEDLESS:
        return None
    slow = searched(monotone=False)
    if not fast.exhausted or not slow.exhausted:
        return "a search did not come to its end"
    if fast.contradicted:
        return "the model is not monotone"
    odd = described(fast) ^ described(slow)
    return "; ".join(sorted(odd))


def described(report: Repairs) -> set[str]:
    """Return the repairs of a report, each as one line."""
    return {" and ".join(f"{c.thread}:{c.line} {c.after}" for c in found.changes) for found in report.repairs}


if __name__ == "__main__":
    sys.exit(ended(main))
