"""The long comparison: what is in its suite, and that it notices a difference."""

from __future__ import annotations

from dataclasses import replace

import pytest

from axmem.encoder.oracle import Enumeration, enumerate_outcomes
from axmem.events.graph import EventGraph
from axmem.model.model import Model
from tests.differential import compare
from tests.long.__main__ import main
from tests.long.suite import SIZE, generated_tests


def test_the_suite_has_many_small_tests() -> None:
    tests = generated_tests()
    assert len(tests) >= 500
    assert all(len(generated.cycle) <= SIZE for generated in tests)


def test_some_of_it_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--jobs", "1", "--every", "300"]) == 0
    assert capsys.readouterr().out.endswith(" passed, 0 failed\n")


def test_a_lost_outcome_is_reported(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def poorer(graph: EventGraph, model: Model) -> Enumeration:
        found = enumerate_outcomes(graph, model)
        return replace(found, outcomes=frozenset(list(found.outcomes)[1:]))

    monkeypatch.setattr(compare, "enumerate_outcomes", poorer)
    assert main(["--jobs", "1", "--every", "1500"]) == 1
    shown = capsys.readouterr().out
    assert "only the solver has outcome" in shown
    assert shown.endswith("0 passed, 3 failed\n")
