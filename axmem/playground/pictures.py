"""The execution behind an outcome, or the core that excludes it, with the relations that can be drawn.

What goes in: a request with `text`, the label of a model as `under`, and an `outcome` as a condition. What comes out: a
record: the answer, its explanation as HTML, the picture as SVG, and the relations, each with its definition in the
model and the sentence of the specification. The last explanation is kept with what was asked, so that the same question
with other `relations` asks no solver. Invariant: the printers of `axmem.report`, which escape every text, make all HTML
and SVG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from axmem.check.selection import loaded
from axmem.explanations.explanation import Exhibit, ExplainedAnswer, Explanation, explain
from axmem.formats.reading import parse
from axmem.front.records import dataclass, replace
from axmem.model.model import Model
from axmem.model.terms import Definition, Doc
from axmem.playground.outcomes import NAME
from axmem.report.executions import labels, unasked
from axmem.report.explanation import execution, reference, section
from axmem.report.pictures.execution_svg import as_svg
from axmem.report.pictures.style import MEANINGS
from axmem.report.printers import printer
from axmem.report.sections import texts_of


@dataclass(slots=True)
class _Kept:
    """The last explanation, and the question that it answers."""

    question: tuple[str, ...] = ()
    answer: Explanation | None = None


_KEPT = _Kept()


def picture(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the explanation of an outcome, with its picture apart; without one of the test's condition."""
    text, under, outcome = str(request["text"]), str(request["under"]), request.get("outcome") or None
    # The reader's own model is called alike whatever its text says.
    question = (text, str(request.get("cat", "")), under.rpartition("/")[2], outcome or "")
    if _KEPT.answer is None or _KEPT.question != question:
        _KEPT.answer = explain(parse(text, NAME), under, outcome=outcome, seconds=request.get("seconds"))
        _KEPT.question = question if _KEPT.answer.answer is not ExplainedAnswer.UNKNOWN else ()
    return {**answer_record(_KEPT.answer), **_shown(_KEPT.answer, request)}


def answer_record(found: Explanation) -> dict[str, Any]:
    """Return an explanation without its picture, as HTML."""
    html = "\n".join(printer("html").blocks(section(found, pictured=False).blocks, 3))
    title = {"test": found.test, "model": found.model, "question": found.question, "answer": found.answer.value}
    return {**title, "html": html}


def _shown(found: Explanation, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the picture of an explanation, and what else could be drawn."""
    exhibit = found.exhibit
    if exhibit is None:
        return {"svg": "", "relations": []}
    default = [name for name, edges in unasked(exhibit).relations.items() if edges]
    wanted = request.get("relations")
    model = loaded(str(request["under"]))
    said = {name: each for name in labels(exhibit.view.model) if (each := _defined(model, name))}
    texts = texts_of(said.values())
    relations = [
        {
            "name": name,
            "shown": name in (default if wanted is None else wanted),
            "means": MEANINGS.get(name, ""),
            "text": texts[said[name].name] if name in said else "",
            **_said(said[name].doc if name in said else Doc()),
        }
        for name in labels(exhibit.view.model)
    ]
    return {"svg": _svg(exhibit, wanted), "relations": relations}


def _svg(exhibit: Exhibit, show: Sequence[str] | None) -> str:
    drawn = execution(exhibit, show)
    broken = " and ".join(rule.name for rule in exhibit.broken)
    return as_svg(replace(drawn, notes=(f"breaks {broken}",) if broken else ()))


def _defined(model: Model, label: str) -> Definition | None:
    """Return the definition of a relation of pictures, one with a sentence if there is one."""
    found = [d for d in model.definitions if _is_called(d.name, d.doc, label)]
    return next((d for d in found if d.doc.text), found[-1] if found else None)


def _said(doc: Doc) -> dict[str, str]:
    """Return the sentence of the model's document for a definition, and where it stands."""
    return {"says": doc.text, "reference": reference(doc) if doc.key else ""}


def _is_called(name: str, doc: Doc, label: str) -> bool:
    return name == label or any(r.word == "path" and r.texts[:1] == (label,) for r in doc.remarks)
