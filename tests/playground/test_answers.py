"""The checker's side answers as the commands do, and raises nothing whatever is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import axmem
from axmem.model.library import names
from axmem.playground import pictures
from axmem.playground.answers import ASKED, answer, answered
from axmem.playground.catalogue import catalogue
from axmem.playground.link import LONGEST

TEXT = Path(axmem.shipped("corpus/amdgpu/MP+st-rel.none+acq-ld.litmus")).read_text(encoding="utf-8")
BASE: dict[str, Any] = {"text": TEXT, "models": ["llvm", "amdgpu"], "seconds": 60, "target": "gfx942"}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def test_the_grid_has_the_outcomes_of_each_model() -> None:
    found = answer({"ask": "outcomes", **BASE})
    for index, model in enumerate(BASE["models"]):
        result = axmem.outcomes(TEXT, model)
        rows = [
            dict(zip(found["columns"], row["values"], strict=True))
            for row in found["rows"]
            if row["cells"][index] in "*+"
        ]
        states = tuple("  ".join(f"{name}={value}" for name, value in row.items()) for row in rows)
        assert states == result.states()
        assert found["models"][index]["verdict"] == result.verdict
        assert found["models"][index]["flags"] == list(result.flags)
    assert [row["differs"] for row in found["rows"]] == [False, True, True]


def test_each_cell_of_the_grid_is_explained_as_it_says() -> None:
    found = answer({"ask": "outcomes", **BASE})
    for row in found["rows"]:
        for model, cell in zip(BASE["models"], row["cells"], strict=True):
            asked = answer({"ask": "picture", **BASE, "under": model, "outcome": row["condition"]})
            assert asked["answer"] == ("forbidden" if cell == "-" else "allowed"), (row, model)


def test_an_outcome_has_an_execution_or_a_core() -> None:
    found = answer({"ask": "picture", **BASE, "under": "amdgpu", "outcome": "P1:r0=1 /\\ P1:r1=undef"})
    assert found["answer"] == "allowed"
    assert "<svg" in found["svg"]
    assert {each["name"] for each in found["relations"] if each["shown"]} >= {"po", "rf"}
    outcome = {"under": "amdgpu", "outcome": "P1:r0=1 /\\ P1:r1=undef"}
    again = answer({"ask": "picture", **BASE, **outcome, "relations": ["po", "hb"]})
    assert "r-hb" in again["svg"] and "r-rf" not in again["svg"]
    excluded = answer(
        {"ask": "picture", **BASE, "under": "amdgpu", "outcome": "P1:r0=1 /\\ P1:r1=1 /\\ not (P1:r1=undef)"}
    )
    assert excluded["answer"] == "forbidden"
    assert "Excluded by" in excluded["html"]
    assert again["html"] == found["html"]


def test_a_picture_with_other_relations_asks_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless another question came between them, or the text of the reader's model is another one."""
    asked = []

    def explain(*words: Any, **more: Any) -> Any:
        asked.append(words)
        return axmem.explain(*words, **more)

    monkeypatch.setattr(pictures, "explain", explain)
    own = {**BASE, "models": ["own.cat"], "under": "own.cat", "outcome": "P1:r0=1"}
    sequential, weak = '"own"\nacyclic po | rf | co | fr as sc\n', '"own"\nacyclic rf | co as weak\n'
    for cat, relations in ((sequential, ["po"]), (sequential, ["rf"]), (weak, ["rf"]), (sequential, ["po"])):
        found = answer({"ask": "picture", **own, "cat": cat, "relations": relations})
        assert {each["name"] for each in found["relations"] if each["shown"]} == {*relations}
    assert len(asked) == 3


@pytest.mark.parametrize("ask", ["explain", "lower", "compare", "repair"])
def test_each_view_is_html(ask: str) -> None:
    assert answer({"ask": ask, **BASE})["html"].startswith("<")


def test_what_is_copied_is_read_back() -> None:
    assert axmem.parse(answer({"ask": "ir", **BASE})["text"]).name == "MP+st-rel.none+acq-ld"
    lit = answer({"ask": "export", "form": "lit", **BASE})["text"]
    assert lit.startswith("; RUN: axmem run") and "; CHECK: MP+st-rel.none+acq-ld  llvm" in lit
    assert answer({"ask": "export", "form": "lit", **BASE, "text": lit})["text"] == lit
    markdown = answer({"ask": "export", "form": "markdown", **BASE, "link": "https://example.org/#1x"})["text"]
    assert markdown.startswith("```") and "(https://example.org/#1x)" in markdown


def test_a_sound_change_and_an_unsound_one() -> None:
    after = TEXT.replace("release", "monotonic").replace(', !mmra !{!"amdgcn-av", !"none"}', "")
    found = answer({"ask": "refine", **BASE, "models": ["llvm"], "after": after, "closed": True})["html"]
    assert "unsound" in found
    same = answer({"ask": "refine", **BASE, "models": ["llvm"], "after": TEXT, "closed": True})["html"]
    assert "sound" in same and "unsound" not in same


def test_cat_text_of_the_reader_is_a_model() -> None:
    own = {"cat": '"own"\nacyclic po | rf | co | fr as sc\n', "models": ["sc", "own.cat"]}
    found = answer({"ask": "outcomes", **BASE, **own})
    assert [model["label"] for model in found["models"]] == ["sc", "own.cat"]
    assert not any(row["differs"] for row in found["rows"])
    wrong = answer({"ask": "outcomes", **BASE, **own, "cat": "acyclic pp\n"})["diagnostics"][0]
    assert (wrong["source"], wrong["line"], wrong["column"]) == ("own.cat", 1, 9)


def test_a_mistake_is_placed_where_the_parser_places_it() -> None:
    found = answer({"ask": "outcomes", **BASE, "text": TEXT.replace("store i32", "stor i32", 1)})["diagnostics"][0]
    line = TEXT[: TEXT.index("store i32")].count("\n") + 1
    assert (found["line"], found["column"], found["severity"]) == (line, 3, "error")
    assert found["text"].startswith(f"test.litmus:{line}:3: error: ")


def test_markup_in_a_test_is_text() -> None:
    text = TEXT.replace("A release marked", HOSTILE + "A release marked")
    for ask in ("explain", "lower", "compare", "repair"):
        assert "<script" not in answer({"ask": ask, **BASE, "text": text})["html"]
        assert "<img" not in answer({"ask": ask, **BASE, "text": text})["html"]


@pytest.mark.parametrize(
    "request_",
    [{}, {"ask": "none"}, {"ask": ["x"]}, {"ask": "outcomes", "text": HOSTILE},
     {"ask": "outcomes", "text": "x" * (LONGEST + 1)},
     {"ask": "lower", **BASE, "target": HOSTILE}, {"ask": "picture", **BASE, "under": HOSTILE, "outcome": HOSTILE},
     {"ask": "outcomes", **BASE, "models": ["../../etc/passwd"]}, {"ask": "outcomes", **BASE, "models": ["own.cat"]},
     {"ask": "outcomes", "text": "(" * 100_000}, *({"ask": name} for name in ASKED)],
)  # fmt: skip
def test_whatever_is_asked_there_is_an_answer(request_: dict[str, Any]) -> None:
    found = json.loads(answered(json.dumps(request_)))
    assert "diagnostics" in found or "fault" in found or "unknown" in found


def test_the_catalogue_has_what_there_is() -> None:
    found = catalogue()
    assert [model["name"] for model in found["models"]] == list(names())
    assert "corpus/amdgpu/MP+st-rel.none+acq-ld.litmus" in found["tests"]
    assert "gfx942" in found["targets"]
    assert {"acquire", "release"} <= {*found["words"]["litmus"]["modifier"]}
