"""A test in a form of Dartagnan's held against what its comments expect, under an engine."""

from __future__ import annotations

from pathlib import Path

from axmem.check.expectations import checks
from axmem.check.results import outcomes
from axmem.check.selection import runs
from axmem.encoder.engines import Engine
from axmem.formats.reading import parse_file

ENGINES = (Engine.AUTO, Engine.ORACLE)


def ours(form: str) -> list[Path]:
    """Return our own tests in a form."""
    return sorted((Path(__file__).parent / form).glob("*.litmus"))


def states(path: Path, engine: Engine) -> set[str]:
    """Return how the answers agree with what a test expects; it expects something."""
    test = parse_file(path)
    models = [model for _, model in runs(test, (), {})]
    answers = [check for model in models for check in checks(test, model, outcomes(test, model, engine=engine))]
    assert len(answers) == len(test.expectations) + len(test.outcome_sets) > 0
    return {check.status for check in answers}
