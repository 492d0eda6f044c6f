"""A program that tells two models apart, with everything to be said about it.

What goes in: a program that the search found. What comes out: a `Distinction`: its test, whose condition is an outcome
that one model permits and the other does not match, with the verdicts of both as expectations; the comparison of the
models on it; and why the one permits the outcome and the other does not.
"""

from __future__ import annotations

from functools import reduce

from axmem.check.compare import Comparison, compare, unmatched
from axmem.check.results import Result, outcomes
from axmem.check.selection import choice_of, loaded
from axmem.encoder.solve import Row
from axmem.encoder.solver import Session
from axmem.events.values import Value
from axmem.explanations.explanation import Explanation, explain
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.printer import print_test
from axmem.litmus.undef import Partial, covers
from axmem.model.model import Model
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.judge import ModelPair, checked, plainest, shown_finals
from axmem.refinement.bounded.operations import BoundedProgram
from axmem.refinement.bounded.printed import printed
from axmem.refinement.bounded.programs import litmus_test


@dataclass(frozen=True, slots=True)
class Distinction:
    """A distinguishing test; `weaker` if it is the second model that permits the outcome of its condition.

    `explanations` are of that outcome: under the model that does not permit it, then under the one that does.
    """

    program: BoundedProgram
    test: ast.LitmusTest
    weaker: bool
    comparison: Comparison
    explanations: tuple[Explanation, ...]

    @property
    def text(self) -> str:
        """The litmus file; raise Misprinted if `axmem check` warns of it."""
        return printed(print_test(self.test))


@dataclass(frozen=True, slots=True)
class Presentation:
    """How to present programs found between two models: made plainer or as they are, with explanations or without."""

    first: ast.ModelChoice
    second: ast.ModelChoice
    bound: Bound
    plainer: bool = True
    explained: bool = True


def distinction(
    program: BoundedProgram, wanted: Presentation, name: str, description: str, session: Session, *, weaker: bool
) -> Distinction:
    """Return what is to be said of a program; raise Disagreement if the checker finds no difference on it."""
    permitting, refusing = (wanted.second, wanted.first) if weaker else (wanted.first, wanted.second)
    pair = ModelPair(loaded(permitting), loaded(refusing), session)
    program = (plainest if wanted.plainer else checked)(program, wanted.bound, pair)
    bare = litmus_test(program, name, description, shown_finals(wanted.bound, program))
    test = litmus_test(program, name, description, (), _condition(bare, pair))
    expectations = tuple(_expectation(test, loaded(c), session) for c in (wanted.first, wanted.second))
    test = replace(test, expectations=expectations)
    explanations = tuple(
        explain(test, c, session=session) for c in ((refusing, permitting) if wanted.explained else ())
    )
    comparison = compare(test, wanted.first, wanted.second, session=session)
    return Distinction(program, test, weaker, comparison, explanations)


def _condition(test: ast.LitmusTest, pair: ModelPair) -> ast.Condition:
    """Return what says least and still is an outcome that one model has and the other does not match.

    A program without reads and final values has one outcome at most, of which there is nothing to say; nor is there
    where the other model permits no execution.
    """
    first, second = pair.results(test)
    if not second.consistent:
        return ast.Truth(True)
    best: tuple[int, Row, list[int]] | None = None
    for row in unmatched(first.outcomes, second.outcomes):
        kept = _needed(row, second)
        if best is None or len(kept) < best[0]:
            best = (len(kept), row, kept)
    assert best is not None
    _, row, kept = best
    atoms = [_atom(first.columns[k].name, row[k][0]) for k in kept]
    return reduce(ast.Both, atoms) if atoms else ast.Truth(True)


def _needed(row: Row, other: Result) -> list[int]:
    """Return columns, final values dropped first, on which no outcome of the other model matches a row."""
    kept = list(range(len(row)))
    for k in sorted(kept, key=lambda k: (":" in other.columns[k].name, k)):
        fewer = [j for j in kept if j != k]
        if fewer and not any(_matches(row, seen, fewer) for seen in other.outcomes):
            kept = fewer
    return kept


def _matches(row: Row, seen: Row, columns: list[int]) -> bool:
    return all(covers(seen[k][0], row[k][0]) for k in columns)


def _atom(name: str, value: Value) -> ast.Condition:
    thread, colon, register = name.rpartition(":")
    side = ast.RegisterOf(thread, register) if colon else ast.FinalValue(name)
    partly = value if isinstance(value, Partial) else None
    said = ast.Number(value, ast.I32) if isinstance(value, int) else ast.UndefValue(ast.I32, partly=partly)
    return ast.ValueComparison("=", side, said)


def _expectation(test: ast.LitmusTest, model: Model, session: Session) -> ast.Expectation:
    found = outcomes(test, model, session=session)
    # That nothing has an execution is expected by `never` of the condition `true`.
    return ast.Expectation((choice_of(model),), found.verdict if found.consistent else "never")
