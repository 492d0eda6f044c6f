"""Convergence adds no happens-before edge: what is not marked has the outcomes of what is, values aside.

A model sees of convergence `conv`, and of values that lanes exchange `xlane`: that it makes no order of them is read
off its terms, of our models as theorems (`axmem prove --bounded CONV`). Kernels without their markings are the other
half: they have the outcomes that they have with them. `make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from axmem.check.selection import loaded
from axmem.encoder.solve import solve
from axmem.events.conventions import conventions
from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.model.library import load, names
from axmem.model.vocabulary import rules_of
from axmem.refinement.bounded_check import HOLDS, REFUTED, check
from axmem.refinement.claims import unordered_by
from axmem.refinement.theorems import THEOREMS
from tests.corpus import corpus_test
from tests.drawn import some
from tests.paths import CORPUS_TESTS

VALUES_ALONE = {"no-thin-air", "sequential-consistency"}
"""The axioms that speak of values that come from other lanes: a value is not computed from itself."""
KERNELS = [path for path in CORPUS_TESTS if re.search("^kernel ", path.read_text(encoding="utf-8"), re.MULTILINE)]


@pytest.mark.parametrize("name", names())
def test_no_model_makes_an_order_of_convergence(name: str) -> None:
    model = load(name)
    assert "conv" not in model.base_names
    for rule in rules_of(model):
        primitives = {model.terms[part].name for part in model.needed([rule.term])}
        assert "xlane" not in primitives or rule.name in VALUES_ALONE, rule.name


@pytest.mark.parametrize("key", some(["CONV llvm", "CONV amdgpu", "CONV sc"], of=2))
def test_it_is_a_theorem_under_every_variant(key: str) -> None:
    (theorem,) = (t for t in THEOREMS if t.key == key)
    assert check(theorem.claim, theorem.bound).status == HOLDS


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("acyclic (po | (conv \\ id)) as together", "together of broken is not the same without conv or xlane"),
        ("undef R & domain(xlane) as taken", "taken of broken is not the same without conv or xlane"),
        ("acyclic (rf | xlane) as no-thin-air", ""),
        ("empty (rf \\ xlane) as no-thin-air", "no-thin-air of broken is not the same without conv or xlane"),
        ("flag ~empty xlane as no-thin-air", "no-thin-air of broken is not the same without conv or xlane"),
        ("let own = conv ; po\nempty (rf & own) as atomicity", "atomicity of broken is not the same"),
        ('empty (if "v=on" then rf & conv else 0) as kept', "kept of broken under v=on is not the same"),
    ],
)
def test_models_of_which_it_is_not_true(rule: str, said: str, tmp_path: Path) -> None:
    """Where a rule speaks of convergence, only an axiom that was named may, and only so that it then forbids less."""
    path = tmp_path / "broken.cat"
    path.write_text(f'"broken"\n(** @variant v = *off | on : one more rule *)\n{rule}\n', encoding="utf-8")
    found = check(unordered_by("conv xlane", str(path), "no-thin-air"), 0)
    assert found.status == (REFUTED if said else HOLDS)
    assert " ".join(found.reasons).startswith(said)


def unmarked(graph: EventGraph) -> EventGraph:
    """Return the events as if no two lanes' instances of a statement were converged."""
    return replace(graph, events=tuple(replace(event, instance=-1) for event in graph.events))


@pytest.mark.parametrize(
    ("number", "path"), some(list(enumerate(KERNELS)), of=9), ids=lambda value: getattr(value, "stem", None)
)
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
