"""One model against another: is every outcome of the first one of the second?

What goes in: a test, two models, their results. What comes out: a `ModelRefinement`: the verdict on this test and, if
it is unsound, for the first new outcome why the first model allows it and why the second forbids it.
"""

from __future__ import annotations

from axmem.check.results import Result
from axmem.check.selection import label
from axmem.encoder.solver import Session
from axmem.explanations.explanation import Explanation, explain
from axmem.front.records import dataclass
from axmem.litmus import syntax as ast
from axmem.litmus.walk import located
from axmem.refinement.inclusion import inclusion


@dataclass(frozen=True, slots=True)
class ModelRefinement:
    """What became of one test: `new` are outcomes of the first model that nothing of the second matches."""

    test: ast.LitmusTest
    models: tuple[ast.ModelChoice, ast.ModelChoice]
    verdict: str
    new: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def size(self) -> tuple[int, int]:
        """Order tests by their statements, then by their threads: the smallest counterexample is shown."""
        return sum(1 for _ in located(self.test)), len(self.test.threads)


def refines(
    test: ast.LitmusTest, models: tuple[ast.ModelChoice, ast.ModelChoice], results: tuple[Result, Result]
) -> ModelRefinement:
    """Return whether every outcome of the first model is one of the second, from the results of both."""
    first, second = results
    found = inclusion(second, first)
    states = dict(zip(first.outcomes, first.states(), strict=True))
    new = tuple(states[row] for row in found.new)
    reasons = tuple(
        reason.replace("before: ", f"{label(models[1])}: ").replace("after: ", f"{label(models[0])}: ")
        for reason in found.reasons
    )
    return ModelRefinement(test, models, found.verdict, new, undefined=found.undefined, reasons=reasons)


def explanations(
    found: ModelRefinement, seconds: float | None = None, session: Session | None = None
) -> tuple[Explanation, ...]:
    """Return why the first model allows the first new outcome (or behaves undefined), and why the second does not."""
    first, second = found.models
    if found.undefined:
        return (explain(found.test, first, seconds=seconds, session=session),)
    outcome = found.new[0].replace("  ", " /\\ ")
    return tuple(explain(found.test, c, outcome=outcome, seconds=seconds, session=session) for c in (first, second))
