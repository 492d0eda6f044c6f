"""The engines agree under random models.

The models that come with the package use each operator of cat in few places; these use all of them everywhere, with
recursion that no acyclic relation bounds, rules on co, and undef rules. `make test-long` tries more of them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from axmem.encoder.solve import solve
from axmem.encoder.solver import Session
from axmem.front.source import Source
from axmem.model.elaborate import elaborate
from axmem.model.model import Model
from axmem.model.terms import Op
from tests.differential.compare import Subject, compare
from tests.differential.models import model_text
from tests.differential.programs import Size, drawn
from tests.drawn import WHOLE, parts

CHUNK = 20
CHUNKS = 30
SMALL = Size(candidates=30, orders=6)
SESSION = Session()


def model(seed: int) -> Model:
    return elaborate(Source(f"random-{seed}.cat", model_text(seed)), {}, lambda name, including: None)


@cache
def small_test(seed: int) -> Subject:
    made = drawn(seed, SMALL)
    return Subject(made.test, made.graph)


@pytest.mark.parametrize("number", parts(CHUNKS, of=CHUNKS))
def test_engines_agree_under_random_models(number: int) -> None:
    for seed in range(number * CHUNK, (number + 1) * CHUNK):
        for test in (small_test(seed % 100), small_test(100 + seed % 50)):
            comparison = compare(test, model(seed), SESSION)
            assert comparison.agree, f"{model_text(seed)}\n{test.test.source.text}\n{comparison.lines}"


def test_random_models_use_the_whole_language() -> None:
    models = [model(seed) for seed in range(300)]
    reached = [m.terms[i] for m in models for i in m.reached]
    assert {t.op for t in reached} >= set(Op) - {Op.TAGGED, Op.ORDER}
    assert {(a.kind, a.negated) for m in models for a in m.axioms if not a.flag} >= {
        (kind, negated) for kind in {a.kind for a in models[0].axioms} for negated in (False, True)
    }
    assert any(m.undefs for m in models) and any("Fin" in m.base_names for m in models)


def test_random_models_hold_of_some_executions_and_not_of_others() -> None:
    """Models that allow everything or nothing would compare nothing."""
    counts = []
    tried = 200 if WHOLE else 60
    for seed in range(tried):
        chosen = model(seed)
        graph = small_test(seed % 60).graph(chosen)
        free = replace(chosen, axioms=tuple(a for a in chosen.axioms if a.name == "no-thin-air"))
        counts.append((len(solve(graph, chosen).outcomes), len(solve(graph, free).outcomes)))
    assert sum(0 < some < every for some, every in counts) >= tried // 40
    assert sum(some == 0 for some, _ in counts) >= tried // 7
    assert sum(some == every for some, every in counts) >= tried // 7
