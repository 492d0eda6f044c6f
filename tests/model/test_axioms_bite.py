"""Every axiom, undef rule and flag of every model decides a test of the corpus.

The table names the test, and the variants under which the rule stands on its own where others imply it by default.
Without the rule, the test's outcomes are not those that its file states.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from axmem.check.expectations import MISMATCH, PASSED, checks
from axmem.check.results import Result, outcomes
from axmem.formats.reading import parse_file
from axmem.litmus.syntax import LitmusTest
from axmem.model.library import load, names
from axmem.model.model import Model
from tests.corpus import flagged
from tests.paths import CORPUS, ROOT

Witness = tuple[str, dict[str, str]]

FORMATS = ROOT / "tests" / "formats"
FENCES = {"fence.pairtags": "off"}
AXIOMS: dict[str, Witness] = {
    "happens-before": ("mmra/LB+tags+untagged-between", {"mmra": "adjacent"}),
    "tagged-cycles": ("mmra/NoGo+acquire-first", {"mmra.cycles": "forbidden"}),
    "coherence-ww": ("axioms/CoWW+reader", {}),
    "coherence-rr": ("base/CoRR+mono", {}),
    "coherence-wr": ("base/CoWR+mono", {"coh": "cxx"}),
    "coherence-rw": ("base/CoRW+mono", {"coh": "cxx"}),
    "atomicity": ("base/RMW+RMW", {}),
    "sequential-consistency": ("base/SB+sc+sc", {}),
    "no-thin-air": ("base/LB+data+data", {}),
    "location-order": ("axioms/2W+tags+cycle", {"mmra": "adjacent"}),
    "reads-from-may-see": ("base/MP+rel+acq", {}),
    "no-tearing": ("axioms/Tear+mono", {}),
    "last-modification": ("values/PlainLast+add+add", {"val.plainlast": "ordered", "init.scope": "all"}),
    "coherence": ("base/CoWR+mono", {}),
    "total-store-order": ("base/SB+sc+sc", {}),
    "internal": ("base/CoWR+mono", {}),
    "external": ("base/SB+sc+sc", {}),
}
ADDED = {"mmra.cycles": "forbidden", "vol": "target"}
"""The values of variants whose readings add a rule."""
OWN: dict[tuple[str, str], Witness] = {
    ("vulkan", "consistent"): ("vulkan/khronos/message-by-av-and-vis.test", {}),
    ("vulkan", "scoped-modification-order"): ("vulkan/khronos/order-that-is-not-transitive.test", {}),
    ("vulkan", "barrier-order"): ("vulkan/khronos/barriers-in-two-orders.test", {}),
    ("vulkan", "final-value"): ("dartagnan/vulkan/last-of-one-thread.litmus", {}),
    ("vulkan", "no-race"): ("vulkan/khronos/plain-race.test", {"races": "none"}),
    ("vulkan", "some-race"): ("vulkan/khronos/updates-in-turn.test", {"races": "some"}),
    ("vulkan", "data-race"): ("vulkan/khronos/plain-race.test", {"races": "undef"}),
    ("opencl", "coherence-global"): ("dartagnan/opencl/corr.litmus", {}),
    ("opencl", "coherence-local"): ("dartagnan/opencl/corr-local.litmus", {}),
    ("opencl", "reads-from-future"): ("dartagnan/opencl/read-then-write.litmus", {}),
    ("opencl", "visible-global"): ("dartagnan/opencl/mp-release-acquire.litmus", {}),
    ("opencl", "visible-local"): ("dartagnan/opencl/mp-local.litmus", {}),
    ("opencl", "final-value"): ("dartagnan/opencl/last-of-one-thread.litmus", {}),
    ("opencl", "no-race"): ("dartagnan/opencl/mp-work-group-scope-apart.litmus", {"races": "none"}),
    ("ptx", "coherence"): ("dartagnan/ptx/coww-across.litmus", {}),
    ("ptx", "fence-sc"): ("dartagnan/ptx/sb-fence-sc.litmus", {}),
    ("ptx", "atomicity"): ("dartagnan/ptx/updates.litmus", {}),
    ("ptx", "no-thin-air"): ("dartagnan/ptx/lb-data.litmus", {}),
    ("ptx", "causality"): ("dartagnan/ptx/mp-release-acquire.litmus", {}),
}
"""For rules of models with forms of their own the tests, in those forms."""
IMPLIED = {
    *(("tso", "no-thin-air"), ("aarch64", "no-thin-air")),
    *(("opencl", "happens-before-global"), ("opencl", "happens-before-local")),
}
"""The axioms that follow from others of their models, whatever the variants."""
UNDEFS: dict[str, Witness] = {
    "no-prior-write": ("base/Uninit+plain-load", {}),
    "unordered-write": ("base/MP+plain", {}),
    "several-writes": ("base/WW+race", {}),
}
FLAGS: dict[str, tuple[Witness, Witness]] = {
    "race": (("base/MP+plain", {}), ("classic/MP+atomics+mono", {})),
    "read-as-acq_rel": (("base/SB+sc+sc", {}), ("base/MP+rel+acq", {})),
    "volatile-is-target-dependent": (("amdgpu/Volatile+none", {"vol": "target"}), ("amdgpu/Volatile+none", {})),
}
"""For each flag a test that raises it and one that does not."""


@cache
def corpus_test(name: str) -> LitmusTest:
    return parse_file(FORMATS / name if name.endswith((".test", ".litmus")) else CORPUS / f"{name}.litmus")


def chosen(model: str, variants: dict[str, str]) -> Model:
    """Load a model with those of the variants that it has and that are not its defaults."""
    defaults = {v.name: v.default for v in load(model).variants}
    return load(model, {k: v for k, v in variants.items() if defaults.get(k, v) != v})


def stated(test: LitmusTest, model: Model, result: Result) -> set[str]:
    """Return how the outcome sets that the file states for the model compare: passed, mismatch, or nothing stated."""
    return {c.status for c in checks(test, model, result) if c.kind == "outcomes"}


def rules(kind: str) -> list[tuple[str, str]]:
    """Return every rule of a kind as (model, name)."""
    found = []
    for name in names():
        model = chosen(name, ADDED)
        if kind == "undefs":
            found += [(name, u.name) for u in model.undefs]
        else:
            found += [(name, a.name) for a in model.axioms if a.flag == (kind == "flags")]
    return found


def assert_bites(witness: Witness, full: Model, weaker: Model) -> None:
    """Without a rule the outcomes change, and are not those that the file states."""
    test = corpus_test(witness[0])
    expected, found = outcomes(test, full), outcomes(test, weaker)
    assert expected.complete or not expected.consistent
    assert stated(test, full, expected) <= {PASSED}
    assert set(found.outcomes) != set(expected.outcomes)
    if full.name in ("llvm", "amdgpu"):
        assert stated(test, full, expected) == {PASSED}
        assert stated(test, full, found) == {MISMATCH}


@pytest.mark.parametrize(("model", "name"), [rule for rule in rules("axioms") if rule not in IMPLIED])
def test_an_axiom_bites(model: str, name: str) -> None:
    witness = OWN.get((model, name)) or AXIOMS[name]
    full = chosen(model, witness[1])
    assert_bites(witness, full, replace(full, axioms=tuple(a for a in full.axioms if a.name != name)))


@pytest.mark.parametrize(("model", "name"), rules("undefs"))
def test_an_undef_rule_bites(model: str, name: str) -> None:
    witness = OWN.get((model, name)) or UNDEFS[name]
    full = chosen(model, witness[1])
    assert_bites(witness, full, replace(full, undefs=tuple(u for u in full.undefs if u.name != name)))


@pytest.mark.parametrize(("model", "name"), rules("flags"))
def test_a_flag_is_raised_and_is_not(model: str, name: str) -> None:
    raised, quiet = ((corpus_test(w[0]), chosen(model, w[1])) for w in FLAGS[name])
    assert name in outcomes(*raised).flags
    assert name not in outcomes(*quiet).flags


@pytest.mark.parametrize(("test", "model", "variants", "raised"), flagged())
def test_the_flags_of_the_corpus(test: str, model: str, variants: dict[str, str], raised: frozenset[str]) -> None:
    assert frozenset(outcomes(corpus_test(test), load(model, variants)).flags) == raised


@pytest.mark.parametrize(("model", "name"), sorted(IMPLIED))
def test_an_axiom_follows_from_the_others(model: str, name: str) -> None:
    full = load(model)
    weaker = replace(full, axioms=tuple(a for a in full.axioms if a.name != name))
    for witness in ("base/LB+data+data", "dependencies/LB+plain+ctrl+ctrl", "base/RMW+RMW"):
        test = corpus_test(witness)
        assert outcomes(test, weaker).outcomes == outcomes(test, full).outcomes


@pytest.mark.parametrize("model", [n for n in names() if "hb.acyclic" in load(n).choice])
def test_irreflexivity_bites_where_it_stands_for_acyclicity(model: str) -> None:
    full = chosen(model, {**FENCES, "hb.acyclic": "irreflexive"})
    weaker = replace(full, axioms=tuple(a for a in full.axioms if a.name != "happens-before"))
    test = corpus_test("axioms/LB+fences+tags")
    assert len(outcomes(test, weaker).outcomes) > len(outcomes(test, full).outcomes)
