"""Whether models say what is read from memory that nobody has written to.

What goes in: a space of programs, models. What comes out: the space without such memory if one of the models has no
rule for it.
"""

from __future__ import annotations

from functools import lru_cache

from axmem.check.results import outcomes
from axmem.check.selection import loaded
from axmem.front.records import replace
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded.bound import Bound

UNWRITTEN = "litmus unwritten\nglobal x\nthread P {\n  r = load x\n}\n"


def initialised(space: Bound, *choices: ModelChoice) -> Bound:
    """Return the space, without uninitialised memory if a model has no rule for reads that no write precedes."""
    return space if all(map(_reads_anything, choices)) else replace(space, uninitialised=False)


@lru_cache(maxsize=64)
def _reads_anything(choice: ModelChoice) -> bool:
    """Tell whether a rule of a model says what is read where nobody has written: it has an execution that does."""
    model = loaded(choice)
    return bool(model.undefs) and bool(outcomes(parse(UNWRITTEN), model).outcomes)
