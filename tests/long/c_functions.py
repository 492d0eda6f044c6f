"""`python -m tests.long.c_functions`: random C functions with scoped atomics, as clang-22 makes them of -O0 to -O3.

What goes in: `--count` functions and half as many pairs (`tests.compiled.c_functions`), and half as many functions that
hand structures around (`tests.compiled.c_structures`), from `--seed` on. What is held: what a function by itself leaves
in memory is what lli-22 says, at every level; what a pair may do at -O2 it may do at -O0, unless `axmem refine` does
not call the change of one of its functions sound. What comes out: counts, what is refused by its reason, and each
difference with its number, which gives exit code 1. `--show N` prints a program.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import takewhile
from pathlib import Path

from axmem.check.results import Result, outcomes
from axmem.cli import main as main_of_axmem
from axmem.encoder.solve import Limits
from axmem.formats.ir.extraction import extract
from axmem.formats.ir.launching import launched_functions
from axmem.formats.ir.slicing import SliceEffect
from axmem.front.exits import OK
from axmem.front.source import InputError, Source
from axmem.refinement.inclusion import UNKNOWN, UNSOUND, inclusion
from tests.compiled.c_functions import CProgram, alone, constant, pair
from tests.compiled.c_structures import structured
from tests.functions import reason
from tests.spread import ended, spread

CLANG, LLI = "clang-22", "lli-22"
LEVELS = "0123"
PLAIN = ("-w", "-x", "c", "-ffp-contract=off", "-fno-strict-aliasing")
GPU = ("--target=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-ffreestanding")
SECONDS = 20.0
BOUND = 5
"""More than any loop has iterations."""
MODEL = "amdgpu"
WIDEST = "int64_t"
CHECKED = ("-fsanitize=undefined", "-fsanitize-trap=undefined")
DIVIDING = ("-fsanitize=integer-divide-by-zero", "-fsanitize-trap=all")
"""What stops a program on this machine where C leaves something undefined."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a program: `kind` is a word of the counts, `why` a difference or the reason of a refusal."""

    kind: str
    why: str = ""


def missing() -> str:
    """Return what to say if a tool is not there, `""` if all are."""
    absent = [tool for tool in (CLANG, LLI) if not shutil.which(tool)]
    return f"{' and '.join(absent)} not on the path: install the Debian packages clang-22 and llvm-22" if absent else ""


def module(program: CProgram, *options: str) -> str:
    """Return the module that clang makes of a program."""
    command = [CLANG, *PLAIN, "-S", "-emit-llvm", *options, "-o", "-", "-"]
    return subprocess.run(command, input=program.text, capture_output=True, text=True, check=True).stdout


def launched(program: CProgram, level: str) -> str:
    """Return the module of a program for AMDGPU, with comments that say what runs and what is seen at last."""
    said = [f"bound {BOUND}", *(f"observe @{name}" for _, name, _ in program.memory)]
    return "".join(f"; axmem: {line}\n" for line in said) + module(program, f"-O{level}", *GPU)


def executed(program: CProgram, *checks: str) -> list[int] | None:
    """Return what memory holds after the only function has run on this machine; None if a check stopped it."""
    lines = ["#include <stdio.h>", "int main(void) {"]
    (function,) = program.functions
    places = {name: name if len(numbers) > 1 else f"&{name}" for _, name, numbers in program.memory}
    given = [places[word] if word in places else constant(WIDEST, int(word)) for word in function.arguments]
    lines.append(f"  {function.name}({', '.join(given)});")
    for type_, name, numbers in program.memory:
        for n in range(len(numbers)):
            # What it holds as a number without a sign, as tests have it.
            lines.append(f'  printf("%llu\\n", (unsigned long long)(u{type_.removeprefix("u")})({places[name]})[{n}]);')
    whole = "\n".join([program.text, *lines, "}", ""])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "main.ll"
        made = [CLANG, *PLAIN, "-O0", "-S", "-emit-llvm", *checks, "-o", str(path), "-"]
        subprocess.run(made, input=whole, text=True, check=True, capture_output=True)
        done = subprocess.run([LLI, str(path)], capture_output=True, text=True, check=False)
    return [int(line) for line in done.stdout.split()] if done.returncode == 0 else None


def read(program: CProgram, level: str) -> tuple[Result, list[str]]:
    """Return the outcomes of a program at a level, and what of it is not known. Raises InputError."""
    source = Source("f.ll", launched(program, level))
    launch = "; ".join(f"{each.name}({', '.join(each.arguments)})" for each in program.functions)
    extraction = extract(source, launched_functions(source, launch))
    unknown = [each.message for each in extraction.unknown]
    unknown += [f"{e.word}: {e.reason.text}" for e in extraction.left_out if e.reason.effect is SliceEffect.BOTH]
    unknown += [each.guess.text for each in extraction.guessed if not unknown]
    return outcomes(extraction.test, MODEL, limits=Limits(seconds=SECONDS)), unknown


def held(result: Result) -> list[list[int | str]]:
    """Return what memory holds in each outcome: numbers, or `undef`."""
    places = [k for k, column in enumerate(result.columns) if ":" not in column.name]
    rows = ([value for k in places for value in row[k]] for row in result.outcomes)
    return [[value if isinstance(value, int) else "undef" for value in row] for row in rows]


def single(number: int) -> list[Answer]:
    """Compare a function by itself with what this machine does."""
    return _levels(number, alone(number))


def structures(number: int) -> list[Answer]:
    """Compare a function that hands structures around with what this machine does."""
    return _levels(number, structured(number))


def _levels(number: int, program: CProgram) -> list[Answer]:
    expected = executed(program, *CHECKED)
    divides = expected is not None or executed(program, *DIVIDING) is not None
    return [_single(number, program, level, expected, divides=divides) for level in LEVELS]


def _single(number: int, program: CProgram, level: str, expected: list[int] | None, *, divides: bool) -> Answer:
    try:
        result, unknown = read(program, level)
    except InputError as error:
        return Answer("refused", reason(error.diagnostics[0].message))
    if result.undefined:
        if expected is None:
            return Answer("undefined")
        return Answer("WRONG", f"-O{level} {number}: undefined behaviour: {result.undefined[0]}")
    if unknown:
        return Answer("guessed", reason(unknown[0]))
    if not result.complete:
        return Answer("unknown", str(result.incomplete[0]))
    if not divides and level == "0":
        return Answer("WRONG", f"-O{level} {number}: no division by zero")
    if expected is None:
        return Answer("undefined")
    found = held(result)
    return Answer("same") if found == [expected] else Answer("WRONG", f"-O{level} {number}: {found}, not {expected}")


def both(number: int) -> list[Answer]:
    """Compare what two functions may do at -O2 with what they may do at -O0."""
    program = pair(number)
    try:
        (before, one), (after, other) = (read(program, level) for level in "02")
    except InputError as error:
        return [Answer("refused", reason(error.diagnostics[0].message))]
    if one or other:
        return [Answer("guessed", reason((one + other)[0]))]
    if not (before.columns and after.columns):
        return [Answer("unknown", str((*before.incomplete, *after.incomplete)[0]))]
    places = {column.name: k for k, column in enumerate(after.columns)}
    columns = [(k, places[c.name]) for k, c in enumerate(before.columns) if ":" not in c.name]
    found = inclusion(before, after, columns)
    if found.verdict == UNKNOWN:
        return [Answer("unknown", "; ".join(found.reasons))]
    if found.verdict == UNSOUND:
        kind, said = ("new", "of") if not sound(program) else ("WRONG", "all sound, and new of")
        return [Answer(kind, f"pair {number}: {said} {len(after.outcomes)}: {found.new[:1] or found.undefined}")]
    return [Answer("same" if before.outcomes == after.outcomes else "fewer" if not found.reasons else "undefined")]


def sound(program: CProgram) -> bool:
    """Say whether `axmem refine` says nothing against what -O2 makes of either function."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{level}.ll" for level in "02"]
        for path, level in zip(paths, "02", strict=True):
            path.write_text(module(program, f"-O{level}", *GPU), encoding="utf-8")
        with redirect_stdout(StringIO()):
            return main_of_axmem(["refine", *map(str, paths), "--timeout", str(SECONDS)]) == OK


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print what stands out, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=600.0, help="of each kind none begins after a third")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", metavar="N", help="print the function N, or `pair N`, or `structures N`")
    options = parser.parse_args(arguments)
    if options.show:
        word, _, number = options.show.rpartition(" ")
        print({"": alone, "pair": pair, "structures": structured}[word](int(number)).text)
        return 0
    if message := missing():
        print(message, file=sys.stderr)
        return 2
    wrong = False
    half = options.count // 2
    trials = (
        ("pairs", both, half),
        ("levels of functions", single, options.count),
        ("levels of structures", structures, half),
    )
    for title, asked, count in trials:
        counts: Counter[str] = Counter()
        reasons: Counter[str] = Counter()
        numbers = _for(20 * options.minutes, range(options.seed, options.seed + count))
        for answers in spread(asked, numbers, options.jobs):
            for answer in answers:
                counts[answer.kind] += 1
                if answer.kind in ("WRONG", "new"):
                    print(f"{answer.kind}: {answer.why}", flush=True)
                elif answer.why:
                    reasons[f"{answer.kind}: {answer.why}"] += 1
        print(f"{title}: {', '.join(f'{number} {kind}' for kind, number in counts.most_common())}")
        for why, number in reasons.most_common():
            print(f"{number:5} {why}")
        wrong |= bool(counts["WRONG"])
    return int(wrong)


def _for(seconds: float, numbers: range) -> Iterator[int]:
    """Yield numbers until so many seconds are over."""
    end = time.monotonic() + seconds
    return takewhile(lambda _: time.monotonic() < end, numbers)


if __name__ == "__main__":
    sys.exit(ended(main))
