"""`python -m tests.long.parser`: random texts through the parser and the printer for as long as is said.

Fragments of the language, and kernels of random lines with labels and phis: each is a test that is printed and read
back, or an `InputError`. Anything else stops the run with the text that did it.
"""

from __future__ import annotations

import argparse
import sys
import time
from random import Random

from axmem.front.source import InputError
from axmem.litmus.parser import parse
from tests.litmus.test_roundtrip import FRAGMENTS, KERNEL_ENDS, KERNEL_LINES, kernel_of, survives


def main() -> int:
    """Try texts until the time is over."""
    parser = argparse.ArgumentParser(prog="python -m tests.long.parser", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    number = accepted = 0
    while time.monotonic() < end:
        random = Random(f"{options.seed} {number}")
        number += 1
        if random.random() < 0.3:
            text = "".join(random.choices(FRAGMENTS, k=random.randrange(30)))
        else:
            lines = random.choices(KERNEL_LINES, k=random.randrange(2, 14))
            text = kernel_of(lines, random.choice(KERNEL_ENDS))
        try:
            survives(text)
        except Exception:
            print(text, file=sys.stderr)
            raise
        accepted += _is_test(text)
    print(f"{number} texts, {accepted} of them tests")
    return 0


def _is_test(text: str) -> bool:
    try:
        parse(text)
    except InputError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
