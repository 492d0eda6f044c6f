"""The library of known answers, and the changes made from tables: what is said of them holds of closed tests.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import pytest

from axmem.check.results import outcomes
from axmem.formats.reading import parse
from tests.drawn import some
from tests.refinement.known.closed import alone, in_context
from tests.refinement.known.judging import Answer, judge
from tests.refinement.known.library import MODELS, SEQUENTIAL, SOUND, UNSOUND, Pair, library
from tests.refinement.known.table import page, wrongly_sound
from tests.refinement.known.tabled import right, wrong

LIBRARY = library()
TABLED = (*wrong(), *right())
UNSEEN = {"load_deleted", "store_deleted", "rmws_folded", "loads_swapped", "load_sunk"}
"""Pairs that are unsound by the rule of volatile accesses alone, which no other thread can see."""
SHOWN = [pair for pair in (*LIBRARY, *wrong()) if "context" in pair.head]


@pytest.mark.parametrize("pair", SHOWN, ids=lambda pair: pair.label)
def test_a_context_tells_an_unsound_pair_apart(pair: Pair) -> None:
    """Before the change the outcome never occurs, after it sometimes, under the models under which it is unsound."""
    before, after = (parse(in_context(pair, side), pair.name) for side in ("src", "tgt"))
    for model in MODELS:
        found = tuple(outcomes(test, model).verdict for test in (before, after))
        if pair.verdicts[model] != SOUND:
            assert found[0] == "never" and found[1] in ("sometimes", "always", "undefined"), model
        else:
            assert found[1] == "never" or found[0] != "never", model


def test_every_unsound_pair_has_a_context() -> None:
    lacking = {p.name for p in (*LIBRARY, *TABLED) if UNSOUND in p.verdicts.values() and "context" not in p.head}
    assert lacking == UNSEEN


def test_every_pair_says_why_and_after_what() -> None:
    for pair in LIBRARY:
        assert set(pair.head) >= {"report", "verdict", "why"} and set(pair.verdicts) == set(MODELS), pair.label
        assert set(pair.verdicts.values()) <= {SOUND, UNSOUND, SEQUENTIAL}, pair.label


def test_names_are_distinct() -> None:
    names = [pair.label for pair in (*LIBRARY, *TABLED)]
    assert len(set(names)) == len(names)


def test_the_library_is_large_enough() -> None:
    verdicts = [pair.verdicts["amdgpu"] for pair in LIBRARY]
    assert verdicts.count(SOUND) >= 50 and verdicts.count(UNSOUND) >= 50
    assert len(wrong()) == len(right()) == 80


@pytest.mark.parametrize("side", ["src", "tgt"])
def test_both_functions_of_every_sound_pair_are_read(side: str) -> None:
    for pair in some((*LIBRARY, *right()), of=4):
        assert parse(alone(pair, side), pair.name)


def test_the_command_is_asked_of_a_pair() -> None:
    """A strong cmpxchg that becomes weak is unsound with nothing beside it."""
    pair = next(pair for pair in LIBRARY if pair.name == "strong_to_weak")
    found = judge(pair, "llvm", 60)
    assert (found.verdict, found.context) == (UNSOUND, 0)


def test_the_table_marks_what_is_not_answered_as_known() -> None:
    answer = Answer(SOUND, 2, 1.0, "")
    assert Answer(SOUND, 2, 1.0, "", proved=True).words == "proved"
    assert [Answer(verdict, 2, 1.0, "").words for verdict in (UNSOUND, SEQUENTIAL)] == ["refuted", SEQUENTIAL]
    answers = [(pair, (answer, answer)) for pair in (*LIBRARY[:1], *wrong()[:1], *right()[:1])]
    text = page(answers)
    assert "of the library: 0 of 1 as known, 1 wrongly sound, 2 answers sound" in text
    assert "made from tables, ten kinds in eight forms, wrong and right: 1 of 2 as known" in text
    assert "| unsound | **bounded: 2** | **bounded: 2** | 2 | 1.0 |" in text
    assert "0 proved, 0 refuted, 2 bounded" in text and "0 proved, 0 refuted, 4 bounded" in text
    assert "| unsound | 1 | 0 | 0 | 1.0 |" in text and "| sound | 1 | 1 | 1 | 1.0 |" in text
    assert [pair.topic for pair in wrongly_sound(answers)] == [LIBRARY[0].topic, UNSOUND]
