"""Damaged texts: whatever an editor asks about them has an answer, or none, and never an exception."""

from __future__ import annotations

import random

import pytest

from axmem.editor.completion import candidates
from axmem.editor.documents import document
from axmem.editor.hovers import hover
from axmem.editor.places import places
from axmem.editor.problems import problems
from axmem.editor.references import definitions
from axmem.editor.server import _formatted
from axmem.editor.symbols import symbols
from axmem.front.files import unsaved
from tests.drawn import parts
from tests.paths import CORPUS_TESTS, ROOT

TEXTS = [*CORPUS_TESTS[::40], *sorted((ROOT / "model").rglob("*.cat"))[::7]]
TEXTS += sorted((ROOT / "docs" / "findings").glob("*.rule"))
PIECES = ("", "{", "}", "(*", "*)", '"', " let ", "𝔸", "\r\n", "as", 'include "amdgpu.cat"\n', "exists", "$x", "# a:b")


@pytest.mark.parametrize("part", parts(30, of=30))
def test_every_question_about_a_damaged_text_is_answered(part: int) -> None:
    rng = random.Random(part)
    for _ in range(10):
        path = rng.choice(TEXTS)
        text = path.read_text(encoding="utf-8")
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(PIECES) + text[at + rng.randint(0, 12) :]
        asked = document(f"file:///none/{path.name}", text)
        end = len(asked.text) + 1
        with unsaved({asked.name: asked.text} if asked.kind == "cat" else {}):
            for found in problems(asked, {}):
                assert found.range.start <= found.range.end <= places(asked.text).whole.end
            for question in (hover, candidates, definitions):
                question(asked, rng.randrange(end))
            symbols(asked)
            printed, refused = _formatted(asked)
            assert bool(printed) != bool(refused)
