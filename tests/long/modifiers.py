"""`python -m tests.long.modifiers`: memory instructions with modifiers, as many as `llvm-mc-22` assembles.

What goes in: the instructions and modifiers of tests/codegen/test_modifiers.py, one, two and three modifiers each,
assembled for nine targets. What is held: what assembles is understood, as the formula has it, or refused by name. What
comes out: how many assemble and how many of these are understood; what fails gives exit code 1.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from itertools import combinations

from tests.codegen.test_modifiers import FORMS, MODIFIERS, Form, check

TARGETS = ("gfx600", "gfx700", "gfx803", "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250")
Drawn = tuple[Form, tuple[str, ...]]


def every(most: int) -> list[Drawn]:
    """Return every instruction with up to so many modifiers."""
    return [(form, some) for form in FORMS for size in range(most + 1) for some in combinations(MODIFIERS, size)]


def assembled(drawn: list[Drawn], target: str, llvm_mc: str) -> list[Drawn]:
    """Return those that assemble for a target."""
    text = "".join(" ".join([form.text, *modifiers]) + "\n" for form, modifiers in drawn)
    command = [llvm_mc, "-triple=amdgcn", f"-mcpu={target}", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    wrong = {int(line) for line in re.findall(r"^<stdin>:(\d+):\d+: error", done.stderr, re.MULTILINE)}
    return [each for number, each in enumerate(drawn, 1) if number not in wrong]


def main(arguments: list[str] | None = None) -> int:
    """Assemble, ask, print the numbers, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llvm-mc", default="llvm-mc-22", help="default: llvm-mc-22")
    parser.add_argument("--most", type=int, default=2, help="how many modifiers an instruction has at most (default 2)")
    options = parser.parse_args(arguments)
    drawn, wrong = every(options.most), 0
    for target in TARGETS:
        known = assembled(drawn, target, options.llvm_mc)
        understood = 0
        for form, modifiers in known:
            try:
                understood += check(form, modifiers)
            except AssertionError as error:
                wrong += 1
                print(f"{target}: {form.text} {' '.join(modifiers)}: {error}")
        print(f"{target}: {len(known)} of {len(drawn)} assemble, {understood} of them understood, the rest refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
