"""Results do not depend on what was asked before: what is kept between tests is kept by all that it depends on.

Each question is asked with nothing kept, and again after all the others.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from axmem.check.results import Result, Work, outcomes
from axmem.encoder import domains, outlines
from axmem.front.source import InputError
from axmem.litmus import lexer, memo
from axmem.litmus.parser import parse
from axmem.model.library import load
from tests.corpus import corpus_test
from tests.drawn import in_full, some
from tests.paths import CORPUS_TESTS

AROUND = (
    ("global x = 0\nglobal y = 0\nglobal p = 0", "store 1, x monotonic", "r0 = load x monotonic"),
    ("global x = 0\nglobal y = 0\nglobal p = 0", "store 2, x monotonic", "r0 = load x monotonic"),
    ("global x = 0\nglobal y = 0\nglobal p = 0", "store 1, x", "r0 = load x"),
    ("global x = 1\nglobal y = 0\nglobal p = 0", "store 1, x monotonic", "r0 = load x monotonic"),
    ("global i64 x = 0\nglobal y = 0\nglobal p = 0", "store 4294967297, x monotonic", "r0 = load x monotonic"),
    ("global x = 0\nglobal y = 0\nglobal p = &x", "store &y, p monotonic", "r0 = load p monotonic"),
    ("global y = 0\nglobal x = 0\nglobal p = &x", "store &y, p monotonic", "r0 = load p monotonic"),
    ("global y = 0\nglobal x = 0\nglobal p = &x", "store &x, p monotonic", "r0 = load p monotonic"),
    ("global x = 0\nglobal y = 0\nglobal p", "store 1, p monotonic", "r0 = load p monotonic"),
    ("global x = {0, 0}\nglobal y = 0\nglobal p = 0", "store {1, 2}, x", "r0 = load x"),
)
CONDITIONS = (
    "P1:r0=1",
    "P1:r0=0 \\/ x=1",
    "P1:r0!=1",
    "P1:r0=&x",
    "P1:r0=&y /\\ ~(P1:r0=&x)",
    "P1:r0=undef",
    "P1:r0<2",
)


def texts() -> list[str]:
    """Return tests that differ in little, as far as they are tests."""
    found = []
    for before, first, second in AROUND:
        for condition in CONDITIONS:
            text = (
                f"litmus t\n{before}\nthread P0 {{\n  {first}\n}}\nthread P1 {{\n  {second}\n}}\nexists ({condition})\n"
            )
            try:
                parse(text)
            except InputError:  # Not every condition fits every type.
                continue
            found.append(text)
    return found


def asked(text: str, undef: str) -> Result:
    result = outcomes(parse(text), load("llvm", {"undef.exists": undef}))
    return replace(result, work=Work(0, 0, 0, 0.0))


def forget() -> None:
    """Let everything go that is kept of earlier tests."""
    lexer.forget_lines()
    for kept in (memo.memo, domains._kept_domains, outlines._kept_shape):
        kept.cache_clear()


@in_full
def test_questions_that_differ_in_little() -> None:
    questions = [(text, undef) for text in texts() for undef in ("wild", "literal", "freeze")]
    assert len(questions) > 60
    cold = []
    for question in questions:
        forget()
        cold.append(asked(*question))
    for _ in range(2):
        assert [asked(*question) for question in questions] == cold
    assert len({(r.verdict, r.positive, r.outcomes) for r in cold}) > 10


@pytest.mark.parametrize("model", some(["llvm", "amdgpu"], of=2))
def test_the_corpus(model: str) -> None:
    tests = [corpus_test(path) for path in CORPUS_TESTS[::30]]
    cold = []
    for test in tests:
        forget()
        cold.append(replace(outcomes(test, model), work=Work(0, 0, 0, 0.0)))
    assert [replace(outcomes(test, model), work=Work(0, 0, 0, 0.0)) for test in tests] == cold
