"""Convergence adds no happens-before edge: what is not marked has the outcomes of what is, values aside.

A model sees of convergence `conv`, and of values that lanes exchange `xlane`: that it makes no order of them is read
off its terms. Kernels without their markings are the other half: they have the outcomes that they have with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from axmem.check.selection import loaded
from axmem.encoder.events import EventGraph
from axmem.encoder.solve import solve
from axmem.encoder.unroll import conventions, event_graph
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.model.library import load, names
from axmem.model.terms import Model
from tests.corpus import corpus_test
from tests.paths import CORPUS_TESTS

VALUES_ALONE = {"no-thin-air", "sequential-consistency"}
"""The axioms that speak of values that come from other lanes: a value is not computed from itself."""
KERNELS = [path for path in CORPUS_TESTS if corpus_test(path).kernels]


def in_variants(name: str) -> Iterator[Model]:
    """Yield a model, and with each other value of each of its variants if it is the one that has all of them."""
    yield load(name)
    for variant in load(name).variants if name == "amdgpu" else ():
        for value in set(variant.values) - {variant.default}:
            yield load(name, {variant.name: value})


@pytest.mark.parametrize("name", names())
def test_no_model_makes_an_order_of_convergence(name: str) -> None:
    for model in in_variants(name):
        assert "conv" not in model.base_names
        rules = [(rule.name, rule.term) for rule in model.axioms] + [(rule.name, rule.term) for rule in model.undefs]
        for rule, term in rules:
            primitives = {model.terms[part].name for part in model.needed([term])}
            assert "xlane" not in primitives or rule in VALUES_ALONE, (model.chosen, rule)


def unmarked(graph: EventGraph) -> EventGraph:
    """Return the events as if no two lanes' instances of a statement were converged."""
    return replace(graph, events=tuple(replace(event, instance=-1) for event in graph.events))


@pytest.mark.parametrize(("number", "path"), enumerate(KERNELS), ids=lambda value: getattr(value, "stem", None))
def test_kernels_have_their_outcomes_without_converged_instances(number: int, path: Path) -> None:
    model = loaded(ModelChoice(("llvm", "amdgpu")[number % 2]))
    graph = event_graph(corpus_test(path), conventions(model))
    marked, bare = solve(graph, model), solve(unmarked(graph), model)
    assert (marked.outcomes, marked.undefined) == (bare.outcomes, bare.undefined)


CALLING = """
litmus calls-of-convergent-functions
global x = 0, f = 0
declare void @c(i32) convergent
kernel K() workgroups 2, lanes 2 {
  i = 0
  r = 0
  CALL
  if workgroup.id == 0 {
    store lane.id + 1, x
    CALL
    store atomic 1, f release
  } else {
    CALL
    while i <= lane.id {
      r = load atomic f acquire
      CALL
      i = i + 1
    }
    if r == 1 {
      CALL
      v = load x
    }
  }
}
"""


@pytest.mark.parametrize("seed", range(6))
def test_calls_that_are_convergent_order_nothing(seed: int) -> None:
    """A convergent call, one that is not, and none: everywhere the same outcomes."""
    random = Random(seed)
    text = re.sub("CALL", lambda _: random.choice(["", "call void @c(i32 r)"]), CALLING)
    model = loaded(ModelChoice("llvm"))
    found = [
        solve(event_graph(parse(changed), conventions(model)), model).outcomes
        for changed in (text, text.replace(" convergent\n", "\n"), text.replace("call void @c(i32 r)", ""))
    ]
    assert found[0] == found[1] == found[2]
