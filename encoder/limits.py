"""What cuts an answer, and how that is said.

What comes out: a `Reason`, which is a kind of limit and the words that reports print. Invariant: what is done about a
limit depends on its kind, never on the words.
"""

from __future__ import annotations

from enum import Enum

from axmem.front.records import dataclass
from axmem.front.typing import override

SAT, UNSAT, UNKNOWN = 1, -1, 0
"""What an engine says of a question: a solution has it, none has, a limit was reached."""


class Limit(Enum):
    """What may keep an answer from being complete."""

    TIME = "the user's seconds"
    MEMORY = "the memory of the process"
    OUTCOMES = "the number of outcomes that were asked for"
    STEPS = "the steps of the solver that a question is worth"
    VALUES = "the finite set of values that the encoding has"
    LOOPS = "the number of iterations that executions may have"
    CHOICES = "the combinations of choices of which tables are made"
    SOLVER = "a failure of the solver, which may not happen again"
    NOTHING = "the lack of any consistent execution, of which a verdict could speak"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an answer is not complete; it prints as its text."""

    limit: Limit
    text: str

    @override
    def __str__(self) -> str:
        return self.text


TIME_LIMIT = Reason(Limit.TIME, "the time limit was reached")
MEMORY_LIMIT = Reason(Limit.MEMORY, "the memory limit was reached")
STEP_LIMIT = Reason(Limit.STEPS, "the limit of steps was reached")
NO_EXECUTION = Reason(Limit.NOTHING, "no execution is consistent")
"""Of a program that the model forbids as such: everything would hold of all its outcomes, and nothing of some."""


def solver_stopped(error: Exception) -> Reason:
    """Return the reason that the solver failed."""
    return Reason(Limit.SOLVER, f"the solver stopped: {error}")
