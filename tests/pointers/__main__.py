"""`python -m tests.pointers`: judge what LLVM's pipeline makes of functions with atomic pointers, pass by pass.

What goes in: `functions.cpp`, twenty functions as authors of lists, reference counts and locks write
them, which clang-22 compiles without any pass. What comes out: each pass of `-O2` that changes the operations of a
function, with the verdict of `axmem refine`, and how many of these changes are decided. opt prints the module after
each pass that changed it; two that follow one another are a change.

No answer may be `unsound`: what LLVM does to these functions is believed to be right, and a counterexample is either a
fault of axmem's or a finding. The bodies of the standard library are read with their callers, before opt inlines them
and after. Exit code 1 if there is one, or if fewer than `--share` of 100 changes are decided.

With `--wrong` what goes in are the functions that come out of the pipeline, and wrong changes of them (`wrong.py`), of
which none may be `sound`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from axmem.front.records import dataclass
from axmem.refinement.inclusion import BOUNDED, SOUND, UNSOUND
from axmem.refinement.timed import Timed, timed
from tests.pointers import MODEL, Step, steps
from tests.pointers.wrong import wrong
from tests.spread import ended, spread

DECIDED = (SOUND, BOUNDED, UNSOUND)


@dataclass(frozen=True, slots=True)
class Asked:
    """A step and how far to go: operations of a context, seconds of a processor."""

    step: Step
    context: int
    seconds: float


def judged(asked: Asked) -> Timed:
    """Return what is known of a step."""
    return timed(asked.step.pair, MODEL, asked.context, asked.seconds)


def main() -> int:
    """Print a line for each change, and the shares; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.pointers", description=__doc__)
    parser.add_argument("--context", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5.0, help="of a processor, for each change")
    parser.add_argument("--only", default="", metavar="TEXT", help="functions whose names have it")
    parser.add_argument("--share", type=float, default=80.0, help="of 100 changes so many must be decided")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="of N changes one")
    parser.add_argument("--wrong", action="store_true", help="wrong changes, of which none may be sound")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    found_in = [step for step in (wrong() if options.wrong else steps()) if options.only in step.function]
    asked = [Asked(step, options.context, options.seconds) for step in found_in[:: options.every]]
    if not asked:
        parser.error(f"no function's name has '{options.only}'")
    verdicts: Counter[str] = Counter()
    for each, found in zip(asked, spread(judged, asked, options.jobs), strict=True):
        verdicts[found.verdict] += 1
        reasons = "; ".join(found.reasons) if found.verdict != SOUND else ""
        said = f"{each.step.function:16} {each.step.name:28} {found.verdict:8} {found.seconds:6.2f} s"
        print(f"{said}  {reasons}".rstrip(), flush=True)
    share = 100 * sum(verdicts[verdict] for verdict in DECIDED) / len(asked)
    said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    functions = len({each.step.function for each in asked})
    print(f"{len(asked)} changes of {functions} functions: {said}; {share:.0f} % decided")
    if options.wrong:
        return int(verdicts[SOUND] > 0)
    return int(verdicts[UNSOUND] > 0 or share < options.share)


if __name__ == "__main__":
    sys.exit(ended(main))
