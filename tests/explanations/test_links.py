"""What keeps two events from being ordered: the sentence is true, and names the reason.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.explanations.explanation import Explanation, explain
from axmem.formats.reading import parse
from axmem.front.records import replace
from axmem.litmus.parser import with_condition
from tests.corpus import corpus_test
from tests.drawn import some
from tests.explanations.claims import false_sentences, idle_changes
from tests.explanations.downstream import lost
from tests.paths import CORPUS, CORPUS_TESTS


def sentences(text: str, model: str) -> list[str]:
    """Return what is said of the execution that shows a condition, once all of it was tried."""
    test = parse(text)
    found: Explanation = explain(test, model)
    assert list(false_sentences(test, found)) == []
    return [s.text for section in found.sections for s in section.statements]


TWO_WRITES = """litmus Two-writes
global x = 0, f = 0, g = 0
thread P0 @ agent 0, workgroup 0 {
  A: store 1, x
  B: fence syncscope("workgroup") release
  C: store atomic 1, f syncscope("agent") release # amdgcn-av:none
}
thread P1 @ agent 0, workgroup 1 {
  D: r0 = load atomic f syncscope("agent") acquire # amdgcn-av:none
  E: store 2, x
  F: store atomic 1, g syncscope("agent") release
}
thread P2 @ agent 0, workgroup 2 {
  G: r0 = load atomic g syncscope("agent") acquire
  H: r1 = load x
}
exists (P1:r0=1 /\\ P2:r0=1 /\\ P2:r1=undef)
"""


def test_two_writes_of_which_one_happens_before_the_other() -> None:
    """A is not available to E: location order fails, and happens-before does not."""
    found = sentences(TWO_WRITES, "amdgpu")
    assert "A happens before E, but is not location-ordered before it" in found
    assert not any("with each other" in text for text in found)


STORES = """litmus Store-buffering
global x = 0, y = 0
thread P0 { A: store atomic 1, x seq_cst
  B: r0 = load atomic y monotonic
}
thread P1 { C: store atomic 1, y seq_cst
  D: r0 = load atomic x seq_cst
}
exists (P0:r0=0 /\\ P1:r0=0)
"""
TAGGED = STORES.replace("monotonic", "seq_cst # t:a").replace("x seq_cst\n  B", "x seq_cst # t:a\n  B")
TAGGED = TAGGED.replace("y seq_cst\n", "y seq_cst # t:b\n").replace("x seq_cst\n}", "x seq_cst # t:b\n}")


@pytest.mark.parametrize(
    ("text", "lacking"), [(STORES, "B is not seq_cst"), (TAGGED, "C carries t:b and D carries t:b")]
)
def test_annotations_that_order_nothing_and_forbid_the_outcome(text: str, lacking: str) -> None:
    """[Cpp20] "atomics.order": what the order of seq_cst excludes need not be ordered by happens-before."""
    cycle = "otherwise sequential-consistency would forbid this: A —po→ B —fr→ C —po→ D —fr→ A"
    for model in ("llvm", "amdgpu"):
        found = sentences(text, model)
        assert f"{lacking}; {cycle}" in found
        assert not any("no other ordering" in each for each in found)


def test_a_false_sentence_about_what_forbids_is_found() -> None:
    test = parse(STORES)
    found = explain(test, "llvm")
    told = next(s for section in found.sections for s in section.statements if s.forbidding)
    (change,) = told.forbidding
    for changes in ((replace(change, lack="RLX"),), (change, replace(change, instruction=0, event=0))):
        sections = (replace(found.sections[0], statements=(replace(told, forbidding=changes),)),)
        assert list(false_sentences(test, replace(found, sections=sections)))


LOCAL = """litmus Fences-of-local
global x = 0, f = 0
thread P0 @ agent 0, workgroup 0 {
  A: store 1, x
  B: fence syncscope("workgroup") release # amdgpu-synchronize-as:local
  C: store atomic 1, f syncscope("workgroup") monotonic
}
thread P1 @ agent 0, workgroup 0, wavefront 1 {
  D: r0 = load atomic f syncscope("workgroup") monotonic
  E: fence syncscope("workgroup") acquire # amdgpu-synchronize-as:local
  F: r1 = load x
}
exists (P1:r0=1 /\\ P1:r1=undef)
"""
EARLY = """litmus Make-early
global x = 0, f = 0
thread P0 @ agent 0, workgroup 0 {
  A: store 1, x
  B: make.available syncscope("agent")
  C: fence syncscope("agent") release # amdgcn-av:none
  D: store atomic 1, f syncscope("agent") monotonic
}
thread P1 @ agent 0, workgroup 1 {
  E: r0 = load atomic f syncscope("agent") monotonic
  F: make.visible syncscope("agent")
  G: fence syncscope("agent") acquire # amdgcn-av:none
  H: r1 = load x
}
exists (P1:r0=1 /\\ P1:r1=undef)
"""
PARTS_TAGS = "(amdgpu-synchronize-as: local against global)"


@pytest.mark.parametrize(
    ("text", "said", "not_said"),
    [
        # [MMRA] "Compatibility": the fences order LDS alone; that C is no release is not what is wrong.
        (LOCAL, f"the tags of B and A are not compatible {PARTS_TAGS}, so the program order of A and B does not count",
         "C is no release"),
        # [AMDGPU-MM] "Visibility Operation": what comes before the acquire makes nothing visible.
        (EARLY, "A does not happen before F, so F does not make A visible", "no other"),
        # [AMDGPU-MM] "Location Order": the instance of the availability operation on A does not contain E.
        (TWO_WRITES, "B's workgroup does not contain E", "no other"),
        ("amdgpu/HopTooFar+wg+cl", "B's workgroup does not contain G, so G does not make A available", "no other"),
        ("amdgpu/Launder+fence.singlethread", "E's own thread does not contain A, so E does not make A visible",
         "no other"),
        # [AMDGPU-DMA] "synchronizes-with": one operation may be left at the wait.
        ("dma/Load+wait.one",
         "the DMA operation that J ends is not complete at K, so J does not synchronize with K", "no other"),
    ],
)  # fmt: skip
def test_the_link_that_is_named_is_the_reason(text: str, said: str, not_said: str) -> None:
    program = text if text.startswith("litmus") else (CORPUS / f"{text}.litmus").read_text(encoding="utf-8")
    found = sentences(program, "amdgpu")
    assert said in found
    assert not any(not_said in each for each in found)


CARRIED = """litmus Carried
global data = 0, flag = 0, out = 5
thread P0 @ workgroup 0 { A: store 1, data
  B: store atomic 1, flag syncscope("agent") monotonic
}
thread P1 @ workgroup 1 { C: f = load atomic flag syncscope("agent") monotonic
  D: d = load data
  E: store d, out
}
exists (P1:f=1 /\\ out=undef)
"""


def test_undef_that_was_carried_along_is_explained_at_its_source() -> None:
    assert "B is no release and C is no acquire, so B does not synchronize with C" in sentences(CARRIED, "amdgpu")


@pytest.mark.parametrize("path", some(CORPUS_TESTS[3::18], of=14), ids=lambda path: path.stem)
def test_reasons_stay_one_store_downstream_and_alter_outcomes(path: Path) -> None:
    """A condition moved one store downstream loses no reason; what is said to be missing alters outcomes if made."""
    test = corpus_test(path)
    for model in ("llvm", "amdgpu"):
        assert list(lost(test, model)) == []
        assert list(idle_changes(test, explain(test, model, repairs=False))) == []


def test_a_reason_that_is_lost_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("axmem.explanations.explanation._Explainer._carried", lambda self, execution, reads: reads)
    assert list(lost(parse(CARRIED.replace("out=undef", "P1:d=undef")), "amdgpu"))


RACES = {
    "rc11": ("A does not happen before D", "C is no acquire, so B does not synchronize with C"),
    "vulkan": ("A does not happen before D", "C is no acquire, so B does not synchronize with C"),
    "opencl": ("A does not happen before H", "B carries amdgpu-synchronize-as:local and G carries "
               "amdgpu-synchronize-as:local"),
}  # fmt: skip
"""For each model what is said of two accesses that race: of a message without acquire, and of fences of local memory
around a barrier."""
BARRIER = """litmus Barrier-of-local
global x = 0
thread P0 @ workgroup 0 { A: store 1, x
  B: fence syncscope("workgroup") release # amdgpu-synchronize-as:local
  C: barrier
  D: fence syncscope("workgroup") acquire # amdgpu-synchronize-as:local
}
thread P1 @ workgroup 0, wavefront 1 {
  E: fence syncscope("workgroup") release # amdgpu-synchronize-as:local
  F: barrier
  G: fence syncscope("workgroup") acquire # amdgpu-synchronize-as:local
  H: r0 = load x
}
exists (P1:r0=0)
"""


@pytest.mark.parametrize("model", RACES)
def test_a_race_has_its_pair(model: str) -> None:
    """The pair, and what does not order it."""
    message = corpus_test(CORPUS / "classic/MP+rel+mono.litmus")
    test = parse(BARRIER) if model == "opencl" else with_condition(message, "P1:r0=1 /\\ P1:r1=1")
    found = explain(test, model)
    race = next(section for section in found.sections if section.title.endswith(" race"))
    assert RACES[model] == tuple(s.text for s in race.statements[1:3])
    assert list(false_sentences(test, found)) == []


def test_of_many_races_some_are_told() -> None:
    writes = "\n".join(f"thread P{n} {{ store {n + 1}, x }}" for n in range(4))
    found = explain(f"litmus Many\nglobal x = 0\n{writes}\nexists (x=1)\n", "rc11")
    assert [s.title for s in found.sections if " race" in s.title][-1] == "2 other pairs race"
