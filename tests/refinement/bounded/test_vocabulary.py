"""Every primitive of the registry at every engine: it is meant there, or refused by name; none is empty in silence.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from axmem.check.results import outcomes
from axmem.check.selection import loaded, parse_choice
from axmem.cli import main
from axmem.encoder import statics
from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.statics import meant
from axmem.events.graph import Event, EventKind
from axmem.events.unroll import event_graph
from axmem.explanations.explanation import explain
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest, ModelChoice
from axmem.litmus.words import AMDGPU, SCOPE_OF, AddressSpace, Ordering
from axmem.model.primitives import CONSTRUCTS, PRIMITIVES, SPOKEN, VULKAN_TAGS, FactRole, Primitive
from axmem.model.terms import Op
from axmem.refinement.bounded.bound import MAKES
from axmem.refinement.bounded.constructs import NAMES, WantedBound
from axmem.refinement.bounded.left_out_constructs import refuse_difference
from axmem.refinement.bounded.literals import UnsupportedModel, check_supported
from axmem.refinement.bounded.vocabulary import meant as meant_in_families
from axmem.refinement.bounded_check import check, models_claim, rule_claim
from axmem.refinement.contexts import slots
from axmem.refinement.contexts.units import store_of
from axmem.refinement.difference import DiffSearch, Listener, PairSearch, searched
from axmem.refinement.rules import BY_NAME, FULL
from tests.drawn import some
from tests.paths import ROOT

LLVM = ModelChoice("llvm")

EVERYTHING = parse(
    """litmus everything
global x = 0
global y = 0
lds l = 0, m
private p = 0
thread P0 @ workgroup 0 {
  store nontemporal 1, x  # ssw-before.P0.P1:vulkan
  store atomic 2, x syncscope("agent-one-as") release  # f:a
  store atomic 1, y release
  store 1, p
  store 1, l
  store-available 3, x syncscope("agent")
  make.available syncscope("workgroup")
  make.visible syncscope("cluster")
  fence acq_rel
  fence syncscope("wavefront") seq_cst
  barrier b
  r9 = load volatile p
}
thread P1 @ workgroup 0 {
  barrier b
  r0 = load atomic x syncscope("singlethread") acquire
  r5 = load atomic y unordered  # ssw-after.P0.P1:vulkan
  r6 = load atomic y seq_cst
  r1 = cmpxchg x, 7, 8 acq_rel acquire
  store atomic r0, y monotonic
  if r6 == 1 {
    r2 = load x
    r3 = atomicrmw add y, 1 monotonic
  }
}
thread P2 @ workgroup 0 {
  r4 = load-visible l syncscope("workgroup")
  load.async.to.lds x, m
  asyncmark
  wait.asyncmark 0
  r7 = load m
}
exists (y=1)
"""
)
"""A test on which every primitive but an address dependency holds of something."""

CHASED = parse(
    """litmus chased
global x = 0
global y = 0
global p = &x
thread P0 {
  r0 = load p
  r1 = load r0
}
"""
)


LANES = parse(
    """litmus lanes
global x = 0, y = 0
kernel K() lanes 2 {
  r = load atomic x monotonic
  v = readfirstlane r
  store atomic v, y monotonic
}
"""
)
OTHERS = {"addr": CHASED, "conv": LANES, "xlane": LANES}

PERMITTED = {test.name: outcomes(test, loaded(LLVM)).outcomes for test in (EVERYTHING, CHASED, LANES)}


def told(name: str, folder: Path) -> str:
    """Return a model that is LLVM's and forbids whatever a primitive holds of."""
    shown = f"[{name}]" if PRIMITIVES[name].is_set else name
    path = folder / "told.cat"
    path.write_text(f'"told"\ninclude "llvm.cat"\nempty {shown} as nothing\n', encoding="utf-8")
    return str(path)


def refused(act: Callable[[], object]) -> str:
    """Return what an engine says when it refuses."""
    with pytest.raises(InputError) as caught:
        act()
    return str(caught.value)


# ---------------------------------------------------------------- on events


def test_every_primitive_is_meant_on_events() -> None:
    assert frozenset(PRIMITIVES) == meant(AMDGPU)


@pytest.mark.parametrize("name", some([*PRIMITIVES], of=3))
def test_every_primitive_holds_of_something(name: str, tmp_path: Path) -> None:
    """A model that forbids whatever it holds of loses executions of a test on which it holds."""
    model = loaded(ModelChoice(told(name, tmp_path)))
    test = OTHERS.get(name, EVERYTHING)
    assert len(outcomes(test, model).outcomes) < len(PERMITTED[test.name])


def test_every_primitive_is_meant_in_explanations() -> None:
    parts = {name: p.part for name, p in PRIMITIVES.items()}
    assert parts["po"] is FactRole.EDGE and parts["loc"] is FactRole.FILTER and parts["SC"] is FactRole.FACT


# ---------------------------------------------------------------- on families of programs


def kept_in(folder: Path) -> str:
    return str(store_of(str(folder)).make().path)


@pytest.mark.parametrize("name", some([name for name, p in PRIMITIVES.items() if p.needs], of=3))
def test_the_search_for_differences_refuses_what_its_bound_leaves_out(name: str, tmp_path: Path) -> None:
    asked = PairSearch(WantedBound(1, 1, 1), DiffSearch(explained=False), kept_in(tmp_path))
    said = refused(lambda: searched(LLVM, ModelChoice(told(name, tmp_path)), asked, Listener()))
    assert f"`{name}`" in said and "told.cat:3:1" in said


@pytest.mark.parametrize("name", some([name for name, p in PRIMITIVES.items() if p.needs in FULL.without], of=3))
def test_the_inclusion_of_models_refuses_what_its_space_leaves_out(name: str, tmp_path: Path) -> None:
    claim = models_claim(LLVM, ModelChoice(told(name, tmp_path)))
    assert f"`{name}`" in refused(lambda: check(claim, 1))


def test_every_other_primitive_has_a_meaning_on_families() -> None:
    """That it is the right one is for the tests of the families: on random programs it is that of their tests."""
    everything = replace(FULL, kinds=(*FULL.kinds, *MAKES))
    assert set(PRIMITIVES) == meant_in_families(everything)


def test_a_bound_names_what_its_programs_lack() -> None:
    assert {p.needs for p in PRIMITIVES.values()} - {""} | {VULKAN_TAGS} == set(CONSTRUCTS)
    assert all(construct in FULL.words() for construct in FULL.without)


def test_what_vulkan_says_of_tags_is_known_or_refused_by_name() -> None:
    """Without its tags they hold of nothing, with all of them each means something; with some it is refused."""
    model = loaded(ModelChoice("vulkan"))
    untagged = replace(FULL, any_tags=False, synchronize_as=False, uninitialised=False)
    named = {term.name for term in (model.terms[i] for i in model.reached) if term.op is Op.TAGGED}
    every = tuple(sorted((prefix, suffix) for prefix, _, suffix in (text.partition(":") for text in named)))
    check_supported(model, untagged)
    assert VULKAN_TAGS in untagged.without
    tagged = replace(untagged, tags=every)
    check_supported(model, tagged)
    assert VULKAN_TAGS not in tagged.without
    with pytest.raises(UnsupportedModel, match='asks for the tag "semsc0:vulkan", which the space does not have'):
        check_supported(model, replace(untagged, tags=tuple(tag for tag in every if tag[0] != "semsc0")))


def test_memory_is_initialised_for_a_model_that_does_not_say_what_is_read_else() -> None:
    """Khronos' model has no execution that reads what nobody has written; a search would find it to permit less."""
    vulkan, amdgpu = ModelChoice("vulkan", (("races", "undef"),)), ModelChoice("amdgpu")
    assert not models_claim(vulkan, amdgpu).space.uninitialised
    assert models_claim(ModelChoice("llvm"), amdgpu).space.uninitialised


@pytest.mark.parametrize("name", some(["NT", "OneAs"], of=2))
def test_a_model_with_a_rule_of_its_own_is_not_called_the_same(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "more.cat"
    path.write_text(f'"more"\ninclude "llvm.cat"\nempty ([{name}] ; rf) as no-more\n', encoding="utf-8")
    for command in (
        ["refine", "--models", "llvm", str(path), "--events", "2"],
        ["diff", "llvm", str(path), "--events=2"],
    ):
        code = main(command)
        said = capsys.readouterr()
        assert code == 2 and f"`{name}`" in said.err and "more.cat:3:1" in said.err, said


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        ("llvm", "llvm[barrier.scope=overlap]", {"BAR", "bar"}),
        ("llvm", "llvm[ota=any]", {"addr", "data", "guard"}),
        ("amdgpu", "amdgpu[cas.fail=syntactic]", {"CasFailRel"}),
        ("llvm", "llvm[mmra.vulkan=explicit]", {"vulkan:nonprivate", "vulkan:private"}),
        ("amdgpu", "amdgpu-doc", set()),
        ("llvm", "amdgpu", set()),
        ("llvm", "llvm[coh=langref]", set()),
    ],
)
def test_models_that_differ_in_what_is_left_out_are_told(first: str, second: str, named: set[str]) -> None:
    models = [loaded(parse_choice(text)) for text in (first, second)]
    if named:
        said = refused(lambda: refuse_difference(models[0], models[1], FULL.without, "axmem refine", ""))
        assert all(f"`{name}`" in said for name in named)
    else:
        refuse_difference(models[0], models[1], FULL.without, "axmem refine", "")


# ---------------------------------------------------------------- what sets rest on

VARIED: dict[str, tuple[str, Iterable[Any]]] = {
    "orderings": ("ordering", Ordering),
    "scopes": ("scope", AMDGPU),
    "volatile": ("volatile", (False, True)),
    "av": ("av", (False, True)),
    "rmw": ("rmw", (False, True)),
    "tags": ("tags", (frozenset(), frozenset({("f", "a")}))),
}
"""For each word of `SPOKEN` that an event shows by itself: the field, and its values."""


@pytest.mark.parametrize("name", some(sorted(statics.SETS.keys() | SCOPE_OF.keys()), of=3))
def test_what_a_set_rests_on_is_said(name: str) -> None:
    """Else a search leaves out what changes it, or a context what it leaves open, and says `sound` for that."""
    test = statics.sets(AMDGPU)[name]
    for word, (field, values) in VARIED.items():
        events = [
            replace(Event(0, 0, kind, 0, 0, 0, cell=0, space=AddressSpace.GLOBAL, ordering=ordering), **{field: value})
            for kind in EventKind
            for ordering in Ordering
            for value in values
        ]
        shown = [test(e) for e in events]
        per = len(tuple(values))
        rests = any(len(set(shown[at : at + per])) > 1 for at in range(0, len(shown), per))
        own = {"orderings": name in statics.ORDERING_SETS, "scopes": name in SCOPE_OF}.get(word, False)
        assert not rests or own or word in PRIMITIVES[name].speaks_of.split(), word
        assert not rests or name in slots.SETS, word


def test_the_words_for_what_primitives_rest_on_are_known() -> None:
    assert {word for row in PRIMITIVES.values() for word in row.speaks_of.split()} <= set(SPOKEN)
    assert set(SPOKEN) - {"orderings", "scopes", "placements"} < set(NAMES)


def test_a_made_up_primitive_is_a_row_and_a_function_for_each_engine(tmp_path: Path) -> None:
    """Both stand in one place, tests/refinement/bounded/made_up.py; a process of its own has them."""
    command = [sys.executable, "-m", "tests.refinement.bounded.made_up", str(tmp_path)]
    environment = {**os.environ, "AXMEM_CACHE": ""}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------- an entry that nobody means


def test_an_entry_without_a_meaning_is_refused_by_every_engine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A primitive is added to the registry, and to nothing else."""
    monkeypatch.setitem(PRIMITIVES, "PIM", Primitive("PIM", "what the memory does itself", is_set=True))
    path = tmp_path / "pim.cat"
    path.write_text('"pim"\ninclude "llvm.cat"\nempty ([PIM] ; rf) as no-pim\n', encoding="utf-8")
    choice = ModelChoice(str(path))
    test: LitmusTest = CHASED
    asked = PairSearch(WantedBound(1, 1, 1), directory=kept_in(tmp_path))
    engines: dict[str, Callable[[], object]] = {
        "the solver": lambda: outcomes(test, loaded(choice)),
        "the oracle": lambda: enumerate_outcomes(event_graph(test), loaded(choice)),
        "axmem run --why": lambda: explain(test, loaded(choice)),
        "axmem diff": lambda: searched(LLVM, choice, asked, Listener()),
        "axmem refine --models": lambda: check(models_claim(LLVM, choice), 1),
        "axmem refine --rule": lambda: check(rule_claim(BY_NAME["drop-tag"], choice), 2),
    }
    for engine, act in engines.items():
        said = refused(act)
        assert "`PIM` (what the memory does itself)" in said and "pim.cat:3:1" in said, engine
    assert main(["refine", "--rule", "drop-tag", "--model", str(path)]) == 2
    assert main(["diff", "llvm", str(path), "--events", "1"]) == 2
    assert capsys.readouterr().err.count("has no meaning for `PIM`") == 2


def test_a_model_whose_atomics_tear_is_refused(tmp_path: Path) -> None:
    torn = ModelChoice("llvm", (("bytes.notear", "off"),))
    asked = PairSearch(WantedBound(1, 1, 1), directory=kept_in(tmp_path))
    for act in (
        lambda: searched(LLVM, torn, asked, Listener()),
        lambda: check(models_claim(LLVM, torn), 1),
        lambda: check(rule_claim(BY_NAME["drop-tag"], torn), 2),
    ):
        assert "has no meaning for bytes.notear=off" in refused(act)
