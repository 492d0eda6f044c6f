"""The provers that are asked whether a text of SMT-LIB has a model: Z3, and cvc5 where it is installed.

What goes in: text. What comes out: what each prover says. Limits count steps of the prover and no seconds, so that an
answer does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import z3

from axmem.front.clock import held

SATISFIABLE, UNSATISFIABLE, UNKNOWN = "sat", "unsat", "unknown"

STEPS = 2_000_000
"""How many steps Z3 may take for one question: fifty times what the hardest step of a proof takes that it has."""

_STEPS_CVC5 = 200_000


def provers() -> dict[str, Callable[[str], str]]:
    """Return the provers that there are, by name; Z3 is always one."""
    found = find_spec("cvc5")
    return {"z3": _z3, **({"cvc5": _cvc5} if found and found.origin else {})}


@held()
def _z3(text: str) -> str:
    solver = z3.SimpleSolver(ctx=z3.Context())
    solver.set("rlimit", STEPS)
    solver.from_string(text)
    return str(solver.check())


def _cvc5(text: str) -> str:
    import cvc5  # noqa: PLC0415 -- not everywhere installed

    solver = cvc5.Solver()
    solver.setOption("rlimit", str(_STEPS_CVC5))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    symbols = parser.getSymbolManager()
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += str(command.invoke(solver, symbols))
    answer = said.strip()
    return answer if answer in (SATISFIABLE, UNSATISFIABLE) else UNKNOWN
