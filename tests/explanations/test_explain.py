"""Explanations: answers that agree with verdicts, witnesses that replay, cores that are minimal, what the words say.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from axmem.check.run.fingerprint import model_digest
from axmem.cli import main
from axmem.encoder.constraints import ModelRule
from axmem.events.graph import EventKind
from axmem.explanations.explanation import ExplainedAnswer, Explanation, explain
from axmem.explanations.proofs import Proofs
from axmem.explanations.statements import SentenceClaim
from axmem.explanations.words import PLACE
from axmem.formats.reading import parse
from axmem.front.records import replace
from axmem.front.source import Source
from axmem.litmus.words import AMDGPU
from axmem.model.library import load, load_text
from axmem.model.primitives import FUNCTIONS, PRIMITIVES, lacks
from axmem.report.explanation import section
from axmem.report.printers.text import lines
from tests.corpus import corpus_test
from tests.drawn import parts, some
from tests.explanations.claims import false_sentences
from tests.explanations.explaining import problems
from tests.golden import compare_command
from tests.long.explanations import random_checked
from tests.paths import CORPUS, GOLDENS, ROOT

FOLDER = GOLDENS / "explain"
TESTS = sorted(CORPUS.rglob("*.litmus"))
SAMPLE = some(TESTS[::11], of=4)

MP = "base/MP+rel+acq.litmus"
NONE = "amdgpu/MP+st-rel.none+acq-ld.litmus"
LAUNDER = "amdgpu/Launder+fence.singlethread.litmus"

CASES = {
    "mp": f"explain {MP} --model amdgpu --outcome P1:r0=1/\\P1:r1=0",
    "mp-llvm": f"explain {MP} --model llvm",
    "none": f"explain {NONE} --model amdgpu",
    "launder": f"explain {LAUNDER} --model amdgpu",
    "launder-literal": f"explain {LAUNDER} --model amdgpu --variant vis.instance=literal",
    "race": "explain base/MP+mono+mono.litmus --model amdgpu",
    "several-writes": "explain base/WW+race.litmus --model llvm",
    "tags": "explain mmra/MP+fence.local+global-data.litmus --model amdgpu",
    "barrier": "explain barriers/Barrier+fence.litmus --model amdgpu",
    "coherence": "explain classic/CoRR1+rmw.litmus --model llvm",
    "sc": "explain classic/IRIW+fence.sc.litmus --model amdgpu",
    "sc-model": "explain classic/SB+mono+mono.litmus --model sc",
    "sc-model-allowed": "explain classic/SB+mono+mono.litmus --model sc --outcome P0:r0=1",
    "tearing": "explain axioms/Tear+mono.litmus --model llvm",
    "stale": "explain classic/ISA2+rel-mono-acq.litmus --model llvm",
    "undefined": "explain base/Undef+branch.litmus --model amdgpu",
    "models": f"explain {NONE}",
    "each": f"explain {NONE} --model amdgpu --each",
    "wild": "explain base/MP+plain.litmus --model llvm --outcome P1:r0=7",
    "json": f"explain {NONE} --model amdgpu --format json",
    "own": f"explain {MP} --model ../../tests/models/tellers.cat",
    "own-undef": "explain classic/MP+rel+mono.litmus --model ../../tests/models/tellers.cat --outcome P1:r1=undef",
    "error-condition": f"explain {MP} --outcome P1:r0=1/\\",
    "error-register": f"explain {MP} --outcome P1:r9=1",
    "error-trailing": f"explain {MP} --outcome P1:r0=1)",
    "error-file": f"explain {MP} base/Nowhere.litmus --model llvm",
    "error-model": f"explain {MP} --model llmv",
    "error-variant": f"explain {MP} --model llvm --variant vis.instance=literal",
    "error-freeze": f"explain {MP} --model llvm --variant undef.exists=freeze",
    "graph-json": f"graph {LAUNDER} --format json --show rf,av,vis,lo",
    "graph-dot": f"graph {MP} --model llvm --format dot --outcome P1:r0=1/\\P1:r1=0",
    "graph-error-relation": f"graph {MP} --show rf,vsi",
    "graph-error-many": f"graph {MP} {NONE}",
    "graph-error-nothing": f"graph {MP} --model sc --outcome P1:r0=7",
}


@pytest.mark.parametrize("path", some(SAMPLE, of=2), ids=lambda path: path.stem)
@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
def test_explains(path: Path, model: str) -> None:
    """The answer is the verdict's, a witness replays on plain sets, a core is minimal, the nearest is nearest."""
    assert list(problems(corpus_test(path), model)) == []


@pytest.mark.parametrize("name", CASES)
def test_prints(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command prints what its golden file says (which `AXMEM_UPDATE_GOLDENS=1` writes anew)."""
    monkeypatch.chdir(CORPUS)
    compare_command(CASES[name], FOLDER / f"{name}.txt", capsys)


def test_no_golden_is_forgotten() -> None:
    assert {f.stem for f in FOLDER.glob("*.txt")} == set(CASES)


def _explained(path: str, model: str, condition: str = "", **variants: str) -> Explanation:
    test = corpus_test(CORPUS / path)
    return explain(test, load(model, variants), outcome=condition or None, label=model)


def _statements(found: Explanation) -> list[str]:
    return [s.text for section in found.sections for s in section.statements]


def test_the_chain_of_a_message() -> None:
    """Release, synchronization and acquire are told in this order."""
    chain = [
        "A is made available at system scope by B (release)",
        "B synchronizes with C: C reads from B",
        "C makes A visible in the system (acquire)",
        "so A is location-ordered before D",
    ]
    section = _explained(MP, "amdgpu", r"P1:r0=1 /\ P1:r1=1").sections[-1]
    assert section.title == "D reads x=1 from A"
    assert [s.text for s in section.statements] == chain


def test_the_missing_link_is_named() -> None:
    found = _explained(NONE, "amdgpu")
    missing = [s.text for section in found.sections for s in section.statements if s.lacking]
    assert missing == [
        "A happens before D, but is not location-ordered before it",
        "B carries amdgcn-av:none, so B does not make A available",
    ]


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("amdgpu/MP+st-rel+acq.none-ld.litmus", "C carries amdgcn-av:none, so C does not make A visible"),
        (LAUNDER, "C carries amdgcn-av:none, so C does not make A visible"),
        ("amdgpu/MP+make.ptr.available.litmus", "C does not cover y, so C does not make B available"),
        ("classic/MP+rel+mono.litmus", "C is no acquire, so B does not synchronize with C"),
        ("mmra/MP+rel.a+acq.b.litmus", "the tags of B and C are not compatible (f: a against b), "
         "so B does not synchronize with C"),
        ("base/Race+plain-store+atomic-load.litmus", "A does not happen before B"),
    ],
)  # fmt: skip
def test_each_kind_of_link(path: str, link: str) -> None:
    assert link in _statements(_explained(path, "amdgpu", "true" if "Race" in path else ""))


MESSAGE = """litmus Message
global x = 0, f = 0
thread P0 @ agent 0, workgroup 0 {{
  A: {write}
  B: store atomic 1, f {scope}{release}
}}
thread P1 @ agent 0, workgroup 1 {{
  C: r0 = load atomic f {scope}acquire{silent}
  D: r1 = {read}
  {after}
}}
exists (P1:r0=1 /\\ P1:r1=undef)
"""
"""A message from one workgroup to another; a test says what is wrong with it."""

WORDS = {
    "write": "store 1, x", "scope": "", "release": "release", "silent": "", "read": "load x", "after": "",
}  # fmt: skip
NONE_AT_ALL = {"release": "release # amdgcn-av:none", "silent": " # amdgcn-av:none", "scope": 'syncscope("agent") '}

AV_STORE, AV_LOAD = 'av.store.b32 1, x syncscope("{}")', 'av.load.b32 x syncscope("{}")'


@pytest.mark.parametrize(
    ("words", "said", "not_said"),
    [
        # [MMRA] "SPIRV NonPrivatePointer": the release is nonprivate, though nobody wrote so.
        ({"write": "store 1, x # vulkan:private"},
         "A carries vulkan:private", "no other ordering"),
        # [AMDGPU-MM] "Visibility Operation": what is available by itself lacks an instance that holds both.
        ({**NONE_AT_ALL, "write": AV_STORE.format("workgroup"), "read": AV_LOAD.format("agent")},
         "the scopes of A and D are not inclusive", "no availability operation on A"),
        ({**NONE_AT_ALL, "write": AV_STORE.format("agent"), "read": AV_LOAD.format("workgroup")},
         "the scopes of A and D are not inclusive", "no availability operation on A"),
        # [AMDGPU-MM] "Location Order": a visibility operation counts that the read is or follows.
        ({"silent": " # amdgcn-av:none", "after": "E: fence acquire"},
         "E follows D in program order, and does nothing for it", "no other ordering"),
        # A plain store would have to be atomic first.
        ({"release": "monotonic"}, "B is no release, so B does not synchronize with C", "neither atomic"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_message(words: dict[str, str], said: str, not_said: str) -> None:
    found = _statements(explain(parse(MESSAGE.format(**{**WORDS, **words})), "amdgpu"))
    assert any(said in text for text in found)
    assert not any(not_said in text for text in found)


def test_a_plain_store_is_no_release_since_it_is_not_atomic() -> None:
    text = """litmus Plain-flag
global x = 0, f = 0
thread P0 { A: store 1, x
  B: store 1, f
}
thread P1 { C: r0 = load atomic f acquire
  D: r1 = load x
}
exists (P1:r1=undef)
"""
    found = _statements(explain(parse(text), "llvm"))
    assert any("B is neither atomic nor a release" in text for text in found)


def test_writes_that_are_not_atomic_with_each_other() -> None:
    """[AMDGPU-Usage] "Memory Scopes": each write has a scope that includes the read, and not the other write."""
    text = """litmus Rivals
global x = 0
thread P0 @ workgroup 0 { A: store atomic 1, x syncscope("workgroup") monotonic }
thread P1 @ workgroup 1 { B: store atomic 2, x monotonic }
thread P2 @ workgroup 0 { C: r1 = load atomic x monotonic }
exists (P2:r1=undef)
"""
    for model in ("llvm", "amdgpu"):
        assert "A and B do not have inclusive scopes" in _statements(explain(parse(text), model))


LAUNDERED = """litmus Laundered
global x = 0, f = 0, g = 0
thread P0 @ agent 0, workgroup 0 {
  A: store 1, x
  B: store atomic 1, f syncscope("agent") release
}
thread P1 @ agent 0, workgroup 1 {
  C: r0 = load atomic f syncscope("agent") acquire # amdgcn-av:none
  D: store atomic 1, g syncscope("agent") release
}
thread P2 @ agent 0, workgroup 1 {
  E: r0 = load atomic g syncscope("workgroup") acquire
  F: r1 = load x
}
exists (P1:r0=1 /\\ P2:r0=1 /\\ P2:r1=undef)
"""
"""D makes A available from another thread. E would make A visible if the common instance did not have to hold A."""


def test_a_clause_is_cited_of_a_pair_that_it_is_true_of() -> None:
    found = explain(parse(LAUNDERED), "amdgpu")
    cited = {s.text: s.by.name for section in found.sections for s in section.statements if s.by is not None}
    assert cited["A is made available at agent scope by B (release)"] == "av-follows"
    assert cited["A is made available at agent scope by D (release)"] == "includes-write"


def test_an_answer_that_rests_on_a_repair_says_so() -> None:
    found = explain(parse(LAUNDERED), "amdgpu")
    assert found.letter == "amdgpu-doc"
    assert [(r.variant, r.value, r.letter) for r in found.repairs] == [("vis.instance", "fixed", "literal")]
    assert any("vis.instance=literal instead of fixed" in line for line in lines([section(found)]))
    literal = explain(parse(LAUNDERED), "amdgpu[vis.instance=literal]").repairs
    assert "vis.instance" not in [r.variant for r in literal]
    assert not _explained(MP, "amdgpu").repairs


def test_order_by_location_alone_is_program_order() -> None:
    """[MMRA] "Consequences": tags that are not compatible part two writes, which stay in order as one location's."""
    text = """litmus Parted
global x = 0
thread P0 { A: store atomic 1, x monotonic # a:1
  B: store atomic 2, x monotonic # a:2
}
thread P1 { C: r0 = load atomic x monotonic
  D: r1 = load atomic x monotonic
}
exists (P1:r0=2 /\\ P1:r1=1)
"""
    found = explain(parse(text), "amdgpu")
    assert "A —po→ B —mo→ A" in {part.without for part in found.core}


def test_what_is_missing_beyond_happens_before_is_said_too() -> None:
    text = MESSAGE.format(**{**WORDS, "release": "monotonic", "silent": " # amdgcn-av:none"})
    found = _statements(explain(parse(text), "amdgpu"))
    at = found.index("even then A is not location-ordered before D")
    assert "C carries amdgcn-av:none, so C does not make A visible" in found[at:]


@pytest.mark.parametrize("seed", [40 + part for part in parts(12, of=4)])
def test_random_explanations_are_true(seed: int) -> None:
    """`tests.long.explanations` tries more."""
    assert random_checked(seed) == []


def test_a_false_sentence_is_found() -> None:
    """What checks the sentences notices each kind of falsehood."""
    test = parse(MESSAGE.format(**{**WORDS, "release": "monotonic"}))
    found = explain(test, "amdgpu")
    assert list(false_sentences(test, found)) == []
    section = found.sections[-1]
    lacking = next(s for s in section.statements if s.lacking and s.claims[0].changes)
    (claim, *_), view = lacking.claims, found.exhibit.view if found.exhibit else None
    assert view is not None
    rule = ModelRule("av-follows", view.definitions["av-follows"].doc)
    vain = tuple(replace(change, instruction=view.graph.events[0].instruction, event=0) for change in claim.changes)
    falsehoods = [
        replace(lacking, claims=(replace(claim, changes=vain),)),
        replace(lacking, claims=(replace(claim, changes=(), holds=True),)),
        replace(lacking, claims=(replace(claim, changes=(), holds=False, hopeless=True),)),
        replace(lacking, by=rule, claims=(SentenceClaim(claim.term, (0, 0), holds=True),)),
    ]
    for falsehood in falsehoods:
        changed = replace(found, sections=(replace(section, statements=(falsehood,)),))
        assert list(false_sentences(test, changed)), falsehood


NARROW = """litmus Narrow-store
global x = 0
global f = 0
global g = 0
global h = 0

thread P0 @ agent 0, workgroup 0, wavefront 0 {
  A: av.store.b32 1, x syncscope("wavefront")
  B: store atomic 1, f syncscope("wavefront") release  # amdgcn-av:none
}

thread P1 @ agent 0, workgroup 0, wavefront 0 {
  C: r0 = load atomic f syncscope("wavefront") acquire  # amdgcn-av:none
  D: store atomic 1, g syncscope("workgroup") release  # amdgcn-av:none
}

thread P2 @ agent 0, workgroup 0, wavefront 1 {
  E: r0 = load atomic g syncscope("workgroup") acquire  # amdgcn-av:none
  F: store atomic 1, h syncscope("agent") release  # amdgcn-av:none
}

thread P3 @ agent 0, workgroup 1 {
  G: r0 = load atomic h syncscope("agent") acquire  # amdgcn-av:none
  H: r1 = av.load.b32 x syncscope("agent")
}

exists (P1:r0=1 /\\ P2:r0=1 /\\ P3:r0=1 /\\ P3:r1=undef)
"""
"""One scope is too narrow, and to do without it would take three operations that leave out availability."""


def test_a_scope_that_is_too_narrow() -> None:
    found = _statements(explain(parse(NARROW), "amdgpu"))
    assert "A has wavefront scope where agent scope is needed, so H does not make A visible" in found


def test_a_rare_scope_is_spoken_of_where_the_test_has_it() -> None:
    """Both workgroups are of one of two clusters of the agent, which the narrowest scope that suffices then names."""
    text = NARROW.replace("agent 0,", "agent 0, cluster 0,")
    text = text.replace("exists", "thread P4 @ agent 0, cluster 1 {\n  fence release\n}\n\nexists")
    found = _statements(explain(parse(text), "amdgpu"))
    assert "A has wavefront scope where cluster scope is needed, so H does not make A visible" in found


TAGGED = """litmus Tags-of-the-fence
global x = 0
global y = 0
thread P0 {
  A: store 1, x  # f:b
  B: fence release  # f:a
  C: store atomic 1, y monotonic  # f:b
}
thread P1 {
  D: r0 = load atomic y acquire
  E: r1 = load x
}
exists (P1:r0=1 /\\ P1:r1=undef)
"""


def test_tags_of_one_operation_are_one_thing() -> None:
    """Dropping the fence's tags is one edit and costs nothing; that C is no release is not what one would mend."""
    found = _statements(explain(parse(TAGGED), "llvm"))
    assert "the tags of B and C are not compatible (f: a against b), so B does not synchronize with D" in found
    assert not any("C is no release" in text for text in found)


def test_a_chain_whose_stations_must_concern_both_ends() -> None:
    """Under `mmra=endtoend` it is an operation on the way that breaks happens-before."""
    path = "mmra/Chain+shared-tag.litmus"
    broken = "on the way from A to D some operation has tags that are not compatible with those of both"
    assert broken in _statements(_explained(path, "llvm", mmra="endtoend"))
    whole = _statements(_explained("mmra/MMRA-example1.litmus", "llvm", mmra="endtoend"))
    assert any("synchronizes with" in s for s in whole)


@pytest.mark.parametrize("path", [MP, LAUNDER, "barriers/Barrier+fence.litmus", "axioms/Tear+mono.litmus"])
@pytest.mark.parametrize("model", some(["amdgpu", "amdgpu-next", "sc"], of=2))
def test_what_is_derived_is_what_holds(path: str, model: str) -> None:
    """Each term derives just the facts that it has, and each step of a derivation is true."""
    exhibit = _explained(path, model, "true").exhibit
    assert exhibit is not None
    view = exhibit.view
    proofs = Proofs(view)
    for term in view.model.reached:
        found = {(a, b) for a, row in proofs.weights(term).items() for b in row}
        assert found == {(fact[0], fact[-1]) for fact in view.facts(term)}
        for fact in view.facts(term)[:2]:
            step = proofs.proof(term, fact)
            assert step is not None
            said = [part for part in step.walk() if part.member]
            assert all(part.holds and view.has(part.term, part.fact) for part in said)


def test_impossible_values_have_no_core() -> None:
    """A value that no rule excludes, because the program cannot compute it, is said to be that."""
    found = _explained(MP, "sc", "P1:r0=7")
    assert (found.answer, found.core, found.exhibit) == (ExplainedAnswer.FORBIDDEN, (), None)
    assert found.reason.endswith(": P1:r0=7 is not among {0, 1}")


ODD = """"Odd"
acyclic po | rf | co | fr as order
empty ([IW] ; rf ; [R & range(po)]) & loc & ext as no-external-reads
empty (R & RLX) & range(po) & range([IW] ; rf) as no-later-reads
~empty rf as some-read
"""


def test_a_model_with_names_of_its_own(tmp_path: Path) -> None:
    """Sets, negations and relations without a known name are told as they are."""
    path = tmp_path / "odd.cat"
    path.write_text(ODD, encoding="utf-8")
    test = corpus_test(CORPUS / "classic/MP+atomics+mono.litmus")
    found = explain(test, str(path), label="odd")
    assert [section.title for section in found.sections] == [
        "order is broken: A —po→ B —rf→ C —po→ D —fr→ A",
        "no-external-reads is broken: init x —rf→ D",
        "no-later-reads is broken: D must not be in it",
    ]
    writes = parse("litmus W\nglobal x = 0\nthread P0 { store 1, x }\nexists (x=1)\n")
    found = explain(writes, str(path), label="odd")
    assert [part.without for part in found.core] == ["nothing does what it asks for"]


def test_remarks_are_what_explanations_say_and_nothing_else() -> None:
    """Without its remarks a model is the same, and is explained by its rules and paths alone."""
    text = (ROOT / "tests" / "models" / "tellers.cat").read_text(encoding="utf-8")
    without = re.sub(r'@[a-z]+( "[^"]*")+( \[[^]]*\])?', "", text)
    told, bare = (load_text(Source("tellers.cat", t)) for t in (text, without))
    assert any(d.doc.remarks for d in told.definitions if d.source.name == "tellers.cat")
    assert not any(d.doc.remarks for d in bare.definitions if d.source.name == "tellers.cat")
    assert model_digest(told) == model_digest(bare)
    test = corpus_test(CORPUS / MP)
    ours, plain = (explain(test, model, label="tellers") for model in (told, bare))
    assert (ours.answer, ours.core[0].rule.name) == (plain.answer, plain.core[0].rule.name)
    assert "so A covers the initial write of x for D" in _statements(ours)
    assert _statements(plain) == ["the initial write of x is no write that D may see"]


def test_what_may_be_missing_is_of_the_vocabulary() -> None:
    """Each entry speaks of a primitive or a function, with placeholders that somebody fills."""
    assert set(lacks(AMDGPU)) <= {*PRIMITIVES, *FUNCTIONS}
    found = lacks(AMDGPU).values()
    places = {place for lack in found for place in PLACE.findall(lack.text)}
    assert places <= {"a", "b", "name", "conflict", "scope a", "noun a", "place b"}
    assert {kind for lack in found for kind in lack.first | lack.second} <= {k.value for k in EventKind}


def test_a_filter_limits_what_is_explained() -> None:
    text = """litmus F
global x = 0
thread P0 { store atomic 1, x monotonic }
thread P1 { r0 = load atomic x monotonic }
filter P1:r0=1
exists (P1:r0=0)
"""
    found = explain(text, "llvm[undef.exists=literal]")
    assert found.answer is ExplainedAnswer.FORBIDDEN
    assert not found.core


def test_the_time_limit_is_an_unknown_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """The command may reach it before it has read the test, or after."""
    found = list(lines([section(explain(corpus_test(CORPUS / MP), load("amdgpu"), seconds=0.0))]))
    assert found == ["MP+rel+acq  amdgpu  unknown: P1:r0=1 /\\ P1:r1=0", "    the time limit was reached"]
    assert main(["explain", str(CORPUS / MP), "--model", "amdgpu", "--timeout", "0.000001"]) == 3
    assert "the time limit was reached" in "".join(capsys.readouterr())


def test_repetition_changes_nothing() -> None:
    """The execution shown is the first in a fixed order, not the solver's whim."""
    texts = {"\n".join(lines([section(_explained("amdgpu/Launder+three-threads.litmus", "amdgpu"))])) for _ in range(3)}
    assert len(texts) == 1


STATEMENT = {"text": str, "missing": bool, "definition": str}
REFERENCE = {"reference": str, "section": str, "specification": str}
MARK = {"from": str, "relation": str, "to": str, "stress": str}
EXECUTION: dict[str, Any] = {
    "outcome": dict, "threads": [{"name": str, "place": dict, "events": [str]}], "events": [{"name": str, "text": str}],
    "relations": dict, "marks": [MARK],
}  # fmt: skip
SCHEMA: dict[str, Any] = {
    "test": str, "model": str, "question": str, "answer": str, "reason": str,
    "core": [{"name": str, **REFERENCE, "without": str}], "broken": [str],
    "sections": [{"title": str, "statements": [STATEMENT]}],
    "repairs": [{"variant": str, "value": str, "letter": str, "model": str, "decides": str}],
    "definitions": [{"name": str, **REFERENCE}],
    "execution": EXECUTION,
}  # fmt: skip


def fits(value: Any, schema: Any) -> bool:
    """Tell whether JSON has the shape of a schema, its keys in order."""
    if isinstance(schema, dict):
        return list(value) == list(schema) and all(fits(value[key], part) for key, part in schema.items())
    if isinstance(schema, list):
        return all(fits(item, schema[0]) for item in value)
    return isinstance(value, schema)


@pytest.mark.parametrize("path", [MP, NONE, "classic/CoRR1+rmw.litmus"])
def test_json_has_its_shape(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(CORPUS / path), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["version", "explanations"]
    assert len(document["explanations"]) >= 2
    for explanation in document["explanations"]:
        assert fits(explanation, SCHEMA)
        names = {event["name"] for event in explanation["execution"]["events"]}
        ends = {end for pairs in explanation["execution"]["relations"].values() for pair in pairs for end in pair}
        assert ends <= names
