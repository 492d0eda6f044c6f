"""`python -m tests.pointers`: judge what LLVM's pipeline makes of functions with atomic pointers, pass by pass.

What goes in: `functions.cpp`, twenty functions as authors of lists, reference counts and locks write
them, which clang-22 compiles without any pass. What comes out: each pass of `-O2` that changes the operations of a
function, with the verdict of `axmem refine`, and how many of these changes are decided. opt prints the module after
each pass that changed it; two that follow one another are a change.

No answer may be `unsound`: what LLVM does to these functions is believed to be right, and a counterexample is either a
fault of axmem's or a finding. The bodies of the standard library are read with their callers, before opt inlines them
and after. Exit code 1 if there is one, or if fewer than `--share` of 100 changes are decided.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from axmem.formats.ir.pairs import FunctionPair, Side, sides
from axmem.front.records import dataclass
from axmem.front.source import Source
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.timed import Timed, timed
from tests.spread import ended, spread

FUNCTIONS = Path(__file__).with_name("functions.cpp")
MODEL = ModelChoice("llvm")
DECIDED = ("sound", "no counterexample", "unsound")
_DUMP = re.compile(r"^(?:; )?\*\*\* IR Dump After (\w+) on .*$", re.MULTILINE)
_NAMES = re.compile(r"^(?:bool|int|void|Node|Counted) ?\*{0,2}(\w+)\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """What one pass makes of one function."""

    function: str
    name: str
    pair: FunctionPair


def names() -> tuple[str, ...]:
    """Return the names of the functions, in order."""
    return tuple(_NAMES.findall(FUNCTIONS.read_text(encoding="utf-8").partition('extern "C"')[2]))


def dumps() -> Iterator[tuple[str, str]]:
    """Yield the pass that changed the module, and the module after it; first the module that clang wrote."""
    clang = ["clang++-22", "-std=c++17", "-O2", "-fno-exceptions", "-S", "-emit-llvm", "-o", "-"]
    written = _output([*clang, "-Xclang", "-disable-llvm-passes", str(FUNCTIONS)], "").stdout
    yield "clang", written
    opt = ["opt-22", "-passes=default<O2>", "-print-changed=quiet", "-print-module-scope", "-disable-output", "-"]
    _, *parts = _DUMP.split(_output(opt, written).stderr)
    yield from zip(parts[::2], parts[1::2], strict=True)


def _output(command: list[str], text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True)


def steps() -> Iterator[Step]:
    """Yield what each pass changes of each function."""
    wanted = names()
    before: dict[str, Side] = {}
    for name, text in dumps():
        after = sides(Source(f"{name}.ll", text))
        for function in wanted:
            if function in before:
                pair = FunctionPair(before[function], after[function])
                if pair.before.function.blocks != pair.after.function.blocks:
                    yield Step(function, name, pair)
        before = after


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
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    asked = [Asked(step, options.context, options.seconds) for step in steps() if options.only in step.function]
    if not asked:
        parser.error(f"no function's name has '{options.only}'")
    verdicts: Counter[str] = Counter()
    for each, found in zip(asked, spread(judged, asked, options.jobs), strict=True):
        verdicts[found.verdict] += 1
        reasons = "; ".join(found.reasons) if found.verdict != DECIDED[0] else ""
        said = f"{each.step.function:16} {each.step.name:28} {found.verdict:8} {found.seconds:6.2f} s"
        print(f"{said}  {reasons}".rstrip(), flush=True)
    share = 100 * sum(verdicts[verdict] for verdict in DECIDED) / len(asked)
    said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    functions = len({each.step.function for each in asked})
    print(f"{len(asked)} changes of {functions} functions: {said}; {share:.0f} % decided")
    return int(verdicts[DECIDED[1]] > 0 or share < options.share)


if __name__ == "__main__":
    sys.exit(ended(main))
