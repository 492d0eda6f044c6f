"""Explanations: the question with its answer, the core, the execution, the sections, the definitions they rest on.

What goes in: an `Explanation`. What comes out: a section of a document, or a record whose keys keep their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from axmem.encoder.constraints import ModelRule
from axmem.events.graph import EventKind
from axmem.explanations.explanation import Exhibit, ExplainedAnswer, Explanation
from axmem.explanations.names import description, enumeration
from axmem.explanations.statements import Statement
from axmem.front.records import replace
from axmem.model.primitives import PICTURED
from axmem.model.terms import Doc
from axmem.report.executions import ExecutedEvent, Execution, picture, place_texts, unasked
from axmem.report.tree import Block, Document, Inline, Item, List, Paragraph, Section, Strong, bullets


def section(explanation: Explanation, *, pictured: bool = True) -> Section:
    """Return an explanation as a section, with the picture of its execution or without."""
    found = explanation
    title = f"{found.test}  {found.model}  {found.answer.value}: {found.question}"
    return Section(title, tuple(_blocks(found, pictured=pictured)))


def _blocks(found: Explanation, *, pictured: bool) -> Iterator[Block]:
    if found.reason:
        yield Paragraph(found.reason, aside=True)
    if found.core:
        what = "Excluded" if found.answer is ExplainedAnswer.FORBIDDEN else "Every execution is excluded"
        together = " all of these rules together" if len(found.core) > 1 else ""
        rules = [Item(rule_line(c.rule), (Paragraph(f"without it: {c.without}"),)) for c in found.core]
        yield Section(f"{what} by{together}", (List(tuple(rules), indent=4),))
    if found.exhibit is not None and pictured:
        yield Section(_heading(found), (execution(found.exhibit),))
    for each in found.sections:
        yield Section(each.title, (bullets(map(_sentence, each.statements)),))
    if found.repairs:
        readings = [f"{r.variant}={r.letter} instead of {r.value}: {r.decides}" for r in found.repairs]
        title = f"The answer rests on a repair of the document ({found.letter} is its letter). It is another with"
        yield Section(title, (bullets(readings),))
    definitions = cited(found)
    if definitions:
        yield Section("Definitions", (bullets(map(rule_line, definitions)),))


def rule_line(rule: ModelRule) -> tuple[Inline, ...]:
    """Return a definition with what it says, and where: `name: text ([Key] "Section")`."""
    return Strong(rule.name), said(rule.doc)


def _heading(explanation: Explanation) -> str:
    assert explanation.exhibit is not None
    names = enumeration([rule.name for rule in explanation.exhibit.broken])
    match explanation.answer:
        case ExplainedAnswer.FORBIDDEN:
            return f"The nearest execution with this outcome breaks {names}"
        case ExplainedAnswer.UNKNOWN:
            return f"The nearest execution breaks {names}"
        case ExplainedAnswer.UNDEFINED:
            return "An execution with undefined behaviour"
    return "An execution with this outcome"


def said(doc: Doc) -> str:
    """Return what a doc comment says, and where: `: text ([Key] "Section")`."""
    return (f": {doc.text}" if doc.text else "") + (f" ({reference(doc)})" if doc.key else "")


def reference(doc: Doc) -> str:
    """Return where a document says something: `[Key] "Section"`."""
    return f"[{doc.key}]" + (f' "{doc.section}"' if doc.section else "")


def _sentence(statement: Statement) -> str:
    return statement.text + (f"  [{statement.by.name}]" if statement.by is not None else "")


def cited(explanation: Explanation) -> tuple[ModelRule, ...]:
    """Return the definitions and rules that the sections rest on, each once, without those of the core."""
    core = {part.rule for part in explanation.core}
    found = [s.by for section in explanation.sections for s in section.statements if s.by is not None]
    return tuple(rule for rule in dict.fromkeys(found) if rule not in core)


def execution(exhibit: Exhibit, show: Sequence[str] | None = None) -> Execution:
    """Return an execution with the picture of it: the relations of these names, or those that nobody has to ask for."""
    view, names = exhibit.view, exhibit.names
    graph = view.graph
    places = place_texts(list(graph.placements), graph.levels)
    return Execution(
        unasked(exhibit) if show is None else picture(exhibit, show),
        threads=tuple(f"{thread} @ {place}" for thread, place in zip(graph.threads, places, strict=True)),
        events=tuple(
            ExecutedEvent(e.thread, names[e.index], description(view, names, e.index), names[source])
            if (source := view.execution.rf.get(e.index)) is not None
            else ExecutedEvent(e.thread, names[e.index], description(view, names, e.index))
            for e in graph.events
            if view.execution.executed >> e.index & 1 and e.thread >= 0
        ),
        orders=tuple(tuple(names[w] for w in order) for order in orders(exhibit)),
        outcome=dict(exhibit.outcome),
    )


def orders(exhibit: Exhibit) -> list[list[int]]:
    """Return the modification order of each cell that has at least two writes in it besides the initial one."""
    view = exhibit.view
    mo = view.drawn(PICTURED["co"])
    found = []
    for cell in range(len(view.graph.cells)):
        writes = [e.index for e in view.graph.events if e.cell == cell and e.kind in (EventKind.INIT, EventKind.WRITE)]
        related = [w for w in writes if mo and (mo[w] or any(mo[x] >> w & 1 for x in writes))]
        if len([w for w in related if view.graph.events[w].kind is EventKind.WRITE]) > 1:
            found.append(sorted(related, key=lambda w: -mo[w].bit_count()))
    return found


def document(explanations: Iterable[Explanation]) -> Document:
    """Return explanations as a document."""
    found = list(explanations)
    return Document(tuple(map(section, found)), {"explanations": [record(e) for e in found]})


def record(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as plain data."""
    found = explanation
    exhibit = found.exhibit
    return {
        "test": found.test,
        "model": found.model,
        "question": found.question,
        "answer": found.answer.value,
        "reason": found.reason,
        "core": [{"name": c.rule.name, **_reference(c.rule.doc), "without": c.without} for c in found.core],
        "broken": [rule.name for rule in exhibit.broken] if exhibit is not None else [],
        "sections": [
            {
                "title": section.title,
                "statements": [
                    {"text": s.text, "missing": s.lacking, "definition": s.by.name if s.by is not None else ""}
                    for s in section.statements
                ],
            }
            for section in found.sections
        ],
        "repairs": [
            {"variant": r.variant, "value": r.value, "letter": r.letter, "model": found.letter, "decides": r.decides}
            for r in found.repairs
        ],
        "definitions": [{"name": rule.name, **_reference(rule.doc)} for rule in cited(found)],
        "execution": None if exhibit is None else {"outcome": exhibit.outcome, **picture(exhibit).record()},
    }


def _reference(doc: Doc) -> dict[str, str]:
    return {"reference": doc.key, "section": doc.section, "specification": doc.text}


def title(explanation: Explanation) -> str:
    """Return what a picture of an explanation is called."""
    return f"{explanation.test} under {explanation.model}, {explanation.answer.value}: {explanation.question}"


def drawing(explanation: Explanation, show: tuple[str, ...] | None) -> Document:
    """Return the picture of an explanation that has an execution, with these relations or those of the model."""
    exhibit = explanation.exhibit
    assert exhibit is not None
    shown = execution(exhibit, show)
    outcome = "  ".join(f"{name}={value}" for name, value in exhibit.outcome.items())
    broken = enumeration([rule.name for rule in exhibit.broken])
    notes = (outcome, *([f"it breaks {broken}"] if broken else []))
    data = {
        "test": explanation.test, "model": explanation.model, "question": explanation.question,
        "answer": explanation.answer.value, "outcome": exhibit.outcome, **shown.picture.record(),
    }  # fmt: skip
    return Document((replace(shown, title=title(explanation), notes=notes),), data)
