"""Forbidden outcomes: the rules that are named exclude them alone, and the cycle is the one that herd shows."""

from __future__ import annotations

import pytest

from axmem.encoder.cores import excluding_rules
from axmem.events.unroll import events_under
from axmem.events.values import UNDEF
from axmem.explanations.explanation import explain
from axmem.formats.reading import parse
from axmem.litmus.walk import compares_undef
from axmem.model.library import load
from tests.corpus import corpus_test
from tests.drawn import some
from tests.long.explanations import CLASSIC, checked, classic_checked
from tests.paths import CORPUS


def test_the_classic_family_is_explained_under_every_model() -> None:
    """Each `never` names its cycle, and no execution with undef that nobody asked about is the reason; each race has
    its pair."""
    assert [problem for case in some(CLASSIC, of=29) for problem in classic_checked(case)] == []


@pytest.mark.parametrize(
    ("path", "rule", "cycle"),
    [
        ("LB+sc+sc", "happens-before", "A —po→ B —sw→ C —po→ D —sw→ A"),
        ("MP+atomics+rel+acq", "coherence-wr", "A —po→ B —sw→ C —po→ D —fr→ A"),
        ("SB+sc+sc+readings", "sequential-consistency", "A —po→ B —fr→ C —po→ D —fr→ A"),
        ("WRC+rel-acq", "coherence-rr", "A —rf→ B —po→ C —sw→ D —po→ E —fr→ A"),
        ("Z6.5+sc", "sequential-consistency", "A —po→ B —mo→ C —po→ D —mo→ E —po→ F —fr→ A"),
    ],
)
def test_the_cycle_of_a_textbook_test(path: str, rule: str, cycle: str) -> None:
    """That the final value is not the last one of the modification order is no reason, either."""
    found = explain(corpus_test(CORPUS / f"classic/{path}.litmus"), "llvm")
    assert (found.core[0].rule.name, found.sections[0].breach) == (rule, cycle)


def test_undef_without_a_reason_is_what_is_asked_about() -> None:
    """The pseudo-rule `defined` is named where the condition names undef."""
    found = explain(corpus_test(CORPUS / "classic/MP+sc+sc.litmus"), "llvm")
    assert [part.rule.name for part in found.core] == ["defined"]


def test_undef_in_one_lane_is_asked_about_too() -> None:
    test = corpus_test(CORPUS / "amdgpu/Bytes+b128.litmus")
    assert [part.rule.name for part in explain(test, "llvm").core] == ["defined"] and compares_undef(test.condition)


@pytest.mark.parametrize("path", some(["amdgpu/Bytes+b128", "scopes/MP+rel+fence.acq.one-as+lds-flag"], of=2))
def test_every_sentence_is_true_of_what_the_trial_of_all_has_found(path: str) -> None:
    assert checked(CORPUS / f"{path}.litmus") == []


def test_a_core_of_a_comparison_names_undef_only_of_outcomes_with_it() -> None:
    text = """litmus Message
global x = 0, f = 0
thread P0 { store 1, x
  store atomic 1, f release
}
thread P1 { r0 = load atomic f acquire
  r1 = load x
}
exists (true)
"""
    model = load("llvm")
    graph = events_under(parse(text), model)
    stale, undef = (excluding_rules(graph, model, ((1,), (value,))) for value in (0, UNDEF))
    assert [rule.name for rule in stale] == ["reads-from-may-see"]
    assert [rule.name for rule in undef] == ["defined"]
