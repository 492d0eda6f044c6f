"""Tokens and places: any text is tokens, words are those of the readers, columns are what editors count."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.token import Error, Name

from axmem.commands.pygments_lexers import TOKENS, CatLexer, LitmusLexer, RuleLexer
from axmem.editor.meanings import MEANINGS
from axmem.editor.places import Position, TextPlaces
from axmem.editor.tokens import Kind, languages, vocabulary
from axmem.editor.words import words
from axmem.front.source import Span
from axmem.litmus.words import Ordering
from tests.drawn import examples
from tests.paths import ROOT

RULES = [*(ROOT / "docs" / "findings").rglob("*.rule"), *(ROOT / "litmus").rglob("*.rule")]


def test_every_kind_is_one_of_pygments_and_of_the_words() -> None:
    assert set(TOKENS) == {*Kind, None} and len(set(TOKENS.values())) == len(TOKENS)
    classes = {kind for found in words().values() for kind in found}
    assert classes <= {kind.value for kind in Kind}
    assert set(languages()) == {"litmus", "cat", "rule"}


@pytest.mark.parametrize("lexer", [LitmusLexer, CatLexer, RuleLexer])
@given(text=st.text(alphabet=st.sampled_from('(*)/#;"!%$@ab-.:0x\n\t[]{}|&\\~𝔸litmus'), max_size=40))
@settings(max_examples=examples(30), deadline=None)
def test_any_text_is_tokens(lexer: type, text: str) -> None:
    tokens = list(lexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert "".join(value for _, value in tokens) == text


def test_rules_have_no_errors_and_their_words_are_words() -> None:
    assert RULES
    for path in RULES:
        tokens = list(RuleLexer().get_tokens(path.read_text(encoding="utf-8")))
        assert [value for kind, value in tokens if kind is Error] == [], path.name
        assert {"before", "after", "where"} <= {value for kind, value in tokens if kind is TOKENS[Kind.KEYWORD]}
        assert [value for kind, value in tokens if kind is Name and value in ("load", "store", "fence")] == []


def test_what_is_explained_is_a_word_and_the_orderings_are() -> None:
    known = {word for name in ("litmus", "rule") for found in vocabulary(name).values() for word in found}
    assert set(MEANINGS) <= known
    assert {ordering.value for ordering in Ordering} - {"not_atomic"} <= set(MEANINGS)


@given(st.text(alphabet=st.sampled_from("a𝔸é\n\r \u2028"), max_size=30))
@settings(max_examples=examples(60), deadline=None)
def test_places_are_those_of_editors(text: str) -> None:
    places = TextPlaces(text)
    lines = re.split(r"\r\n|\r|\n", text)
    for offset in range(len(text) + 1):
        found = places.position(offset)
        if text[offset - 1 : offset + 1] == "\r\n":
            continue
        assert places.offset(*found) == offset
        before = re.split(r"\r\n|\r|\n", text[:offset])
        assert found == Position(len(before) - 1, len(before[-1].encode("utf-16-le")) // 2)
        span = places.span(offset)
        assert places.offsets(Span(*span))[0] == offset
    assert places.whole.end == Position(len(lines) - 1, len(lines[-1].encode("utf-16-le")) // 2)
    assert places.offset(len(lines) + 3, 0) == len(text) and places.range(Span(0, 0, 0)).start == Position(0, 0)
