"""Tests in forms of other tools held against what they expect, under an engine."""

from __future__ import annotations

from pathlib import Path

from axmem.check.expectations import checks
from axmem.check.results import outcomes
from axmem.check.selection import runs
from axmem.encoder.engines import Engine
from axmem.litmus.syntax import LitmusTest

ENGINES = (Engine.AUTO, Engine.ORACLE)


def ours(folder: str) -> list[Path]:
    """Return our own tests of a folder beside this file."""
    return sorted((Path(__file__).parent / folder).glob("*.litmus"))


def states(test: LitmusTest, engine: Engine) -> set[str]:
    """Return how the answers agree with what a test expects; each model has all that is expected of it."""
    stated = [each.models for each in test.expectations] + [each.models for each in test.outcome_sets]
    expected = sum(map(len, stated))
    found = [checks(test, model, outcomes(test, model, engine=engine)) for _, model in runs(test, (), {})]
    assert all(found) and sum(map(len, found)) == expected and expected > 0
    return {check.status for some in found for check in some}
