"""Hierarchies of scopes that models and tests declare: read, printed, judged by both engines, and refused elsewhere."""

from __future__ import annotations

import pickle
from functools import cache

import pytest

import axmem
from axmem.cli import main
from axmem.codegen.ir_module import module
from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.solve import solve
from axmem.events.unroll import events_under
from axmem.front.source import InputError, Source
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from axmem.litmus.words import AMDGPU, SCOPE_OF, hierarchy
from axmem.model.library import load, load_text
from axmem.model.model import Model
from tests.paths import MODELS

PTX = "thread cta cluster gpu system"
CTAS, CLUSTERS, GPUS = ("gpu 0, cluster 0, cta", "gpu 0, cluster", "gpu")
"""Places that differ in their last number."""

MP = (
    "store 1, x\nstore atomic 1, y{} release",
    "r0 = load atomic y{} acquire\nr1 = load x",
    "exists (P1:r0=1 /\\ P1:r1=0)",
)
SB = (
    "store atomic 1, x monotonic\nfence{} seq_cst\nr0 = load atomic y monotonic",
    "store atomic 1, y monotonic\nfence{} seq_cst\nr0 = load atomic x monotonic",
    "exists (P0:r0=0 /\\ P1:r0=0)",
)
CASES = {
    "MP+gpu+gpu@cta": (MP, ("gpu", "gpu"), CTAS, "never"),
    "MP+cta+cta@cta": (MP, ("cta", "cta"), CTAS, "sometimes"),
    "MP+gpu+cta@cta": (MP, ("gpu", "cta"), CTAS, "sometimes"),
    "MP+gpu+cluster@cta": (MP, ("gpu", "cluster"), CTAS, "never"),
    "MP+cta+cta@thread": (MP, ("cta", "cta"), f"{CTAS} 0, thread", "never"),
    "MP+thread+cta@thread": (MP, ("thread", "cta"), f"{CTAS} 0, thread", "sometimes"),
    "MP+cluster+cluster@cluster": (MP, ("cluster", "cluster"), CLUSTERS, "sometimes"),
    "MP+gpu+gpu@gpu": (MP, ("gpu", "gpu"), GPUS, "sometimes"),
    "MP+system+system@gpu": (MP, ("", ""), GPUS, "never"),
    "SB+gpu+gpu@cta": (SB, ("gpu", "gpu"), CTAS, "never"),
    "SB+cta+gpu@cta": (SB, ("cta", "gpu"), CTAS, "sometimes"),
}
"""Shape, scopes, places and verdict; the accesses of SB beside its fences are of system scope."""


def written(name: str, levels: str = PTX) -> LitmusTest:
    """Return a case as a test."""
    (first, second, question), scopes, place, _ = CASES[name]
    body = [text.format(f' syncscope("{scope}")') for text, scope in zip((first, second), scopes, strict=True)]
    threads = "".join(f"thread P{k} @ {place} {k} {{\n{text}\n}}\n" for k, text in enumerate(body))
    return parse(f"litmus T\nlevels {levels}\nglobal x = 0, y = 0\n{threads}{question}")


@cache
def ptx() -> Model:
    """Return the small model of PTX."""
    return load(str(MODELS / "ptx.cat"))


def judged(test: LitmusTest, model: Model) -> str:
    """Return the verdict of the solver, which must have the outcomes of the oracle."""
    graph = events_under(test, model)
    assert set(solve(graph, model).outcomes) == set(enumerate_outcomes(graph, model).outcomes)
    return axmem.outcomes(test, model).verdict


@pytest.mark.parametrize("name", CASES)
def test_both_engines_judge_the_tests_of_a_declared_hierarchy(name: str) -> None:
    test = written(name)
    assert parse(print_test(test)) == test == pickle.loads(pickle.dumps(test))
    assert judged(test, ptx()) == CASES[name][3]


def test_one_more_level_needs_no_code() -> None:
    words = list(SCOPE_OF)
    words.insert(words.index("workgroup"), "simd")
    head = f'"more" (** @levels {" ".join(words)} *)'
    model = load_text(Source("more.cat", f"{head} empty ([simd] ; rf ; [simd]) \\ same-simd as near"))
    for number, verdict in enumerate(("sometimes", "never")):
        test = parse(
            f"litmus T\nlevels {' '.join(words)}\nglobal x = 0\n"
            'thread P0 @ workgroup 0, simd 0 { store atomic 1, x syncscope("simd") monotonic }\n'
            f'thread P1 @ workgroup 0, simd {number} {{ r = load atomic x syncscope("simd") monotonic }}\n'
            "exists (P1:r=1)"
        )
        assert parse(print_test(test)) == test
        assert judged(test, model) == verdict


def test_the_levels_of_amdgpu_may_be_written_out() -> None:
    assert parse(f"litmus T\nlevels {' '.join(SCOPE_OF)}\nthread P0 {{ r = 1 }}").levels is AMDGPU
    assert hierarchy(("thread", "warp", "cta", "cluster", "gpu", "system")) != AMDGPU


@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
def test_a_model_refuses_tests_of_other_levels_where_it_speaks_of_them(model: str) -> None:
    said = r"cat:\d+:\d+: error: {} speaks here of `.*` and the levels {}; .* is asked about {}"
    amdgpu = " ".join(SCOPE_OF)
    with pytest.raises(InputError, match=said.format(model, amdgpu, PTX)):
        axmem.outcomes(written("MP+gpu+gpu@cta"), model)
    with pytest.raises(InputError, match=said.format("ptx", PTX, amdgpu)):
        axmem.outcomes("litmus T\nglobal x = 0\nthread P0 { r = load x }", ptx())


def test_a_model_without_levels_judges_tests_of_any() -> None:
    assert judged(written("MP+cta+cta@cta"), load("sc")) == "never"


def test_who_knows_amdgpu_alone_refuses_other_levels() -> None:
    test = written("MP+gpu+gpu@cta")
    for engine in (lambda: axmem.lower(test, "gfx942"), lambda: module(test), lambda: axmem.repair(test, [ptx()])):
        with pytest.raises(InputError, match=f"knows the levels of AMDGPU alone; this test has the levels {PTX}"):
            engine()


@pytest.mark.parametrize("command", ["diff {0} {0} --events 2", "refine --models {0} {0} --events 2"])
def test_a_search_over_spaces_refuses_other_levels(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.format(MODELS / "ptx.cat").split()) == 2
    assert f"the levels {PTX}; " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("levels thread cta", "at least two levels, from the narrowest to `system`"),
        ("levels cta cta system", "`cta` stands twice"),
        ("levels Thread system", "`Thread` names no level"),
        ("global x\nlevels thread system", "the levels stand right after the name of the test"),
        ("levels thread gpu system\nthread P0 @ agent 0 { r = 1 }", "unknown level of placement 'agent'"),
        ('levels thread gpu system\nthread P0 { fence syncscope("agent") acquire }', "unknown scope 'agent'"),
        ("levels thread gpu system\nthread P0 { barrier }", "takes no part in barrier"),
    ],
)
def test_malformed_levels_of_a_test_are_located(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(f"litmus T\n{text}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(** @levels thread gpu *)", "at least two levels"),
        ("(** @levels thread loc system *)", "`loc` names no level"),
        ("let a = po (** @levels thread gpu system *)", "comes after what may speak of other levels"),
        ("(** @levels thread gpu system *) (** @levels thread cta system *)", "comes after what may speak of other"),
        ("(** @levels thread gpu system *) empty same-agent", "unknown name `same-agent`"),
    ],
)
def test_malformed_levels_of_a_model_are_located(text: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"t.cat:1:\d+: error: .*{message}"):
        load_text(Source("t.cat", f"{text}\nlet b = rf"))
