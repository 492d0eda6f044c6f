"""How long reading tests in other tools' forms takes, beside the same tests in ours.

What goes in: the tests of `tests/formats` in each form. What comes out: rows of a table, with the CPU milliseconds of
one test in its form and printed as ours, and their ratio. The two are read by turns, and of each text the best of
several readings counts, so that what else the machine does hardly shows; each is a first reading, since what is kept
of lines that stood at the same places in an earlier text is forgotten before.
"""

from __future__ import annotations

import time
from pathlib import Path

from axmem.formats.reading import parse
from axmem.litmus.lexer import forget_lines
from axmem.litmus.printer import print_test

TESTS = Path(__file__).resolve().parent.parent / "tests" / "formats"
FORMS = (
    "herd/c", "herd/opencl", "herd/x86", "herd/aarch64", "vulkan/khronos", "dartagnan/vulkan", "dartagnan/ptx",
    "dartagnan/opencl",
)  # fmt: skip
ROUNDS = 15


def rows() -> list[list[str]]:
    """Return a row for each form."""
    return [[form, *_figures([path.read_text("utf-8") for path in sorted((TESTS / form).iterdir())])] for form in FORMS]


def _figures(texts: list[str]) -> list[str]:
    """Return the number of the tests, the milliseconds of one in their form and in ours, and the ratio."""
    theirs = ours = 0.0
    for text in texts:
        printed = print_test(parse(text))
        best = [float("inf")] * 2
        for _ in range(ROUNDS):
            for index, each in enumerate((text, printed)):
                forget_lines()
                start = time.process_time()
                parse(each)
                best[index] = min(best[index], time.process_time() - start)
        theirs, ours = theirs + best[0], ours + best[1]
    times = [f"{1e3 * seconds / len(texts):.2f}" for seconds in (theirs, ours)]
    return [str(len(texts)), *times, f"{theirs / ours:.2f}"]


if __name__ == "__main__":
    for row in rows():
        print("  ".join(row))
