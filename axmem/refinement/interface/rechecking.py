"""Are all questions of a certificate answered with `unsat`? `python -m axmem.refinement.interface.rechecking FILE`.

What goes in: a script of SMT-LIB that `axmem refine --certificate` wrote. What comes out: the questions that have
another answer; exit code 0 if there are questions and none has. It knows nothing of rows, as any other solver.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from axmem.encoder.provers import provers

PUSH, POP, ASK, RESET = "(push 1)", "(pop 1)", "(check-sat)", "(reset)"


def answers(script: str) -> Iterator[tuple[str, str]]:
    """Yield the questions of a script, and what Z3 answers."""
    told: list[str] = []
    asked: list[str] | None = None
    what = ""
    for line in script.splitlines():
        if line.startswith(RESET):
            told = []
        elif line.startswith(PUSH):
            asked, what = [], line.partition(";")[2].strip()
        elif line.startswith(POP):
            asked = None
        elif line.startswith(ASK):
            yield what, provers()["z3"]("\n".join([*told, *(asked or ())]))
        else:
            (told if asked is None else asked).append(line)


def main(path: str) -> int:
    """Print what is not `unsat`, and the counts; return the exit code."""
    found = list(answers(Path(path).read_text(encoding="utf-8")))
    wrong = [each for each in found if each[1] != "unsat"]
    for what, said in wrong:
        print(f"{said}: {what}")
    print(f"{len(found)} questions, {len(found) - len(wrong)} unsat")
    return int(bool(wrong) or not found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
