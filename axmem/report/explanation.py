"""Explanations as text and as JSON.

What goes in: an `Explanation`. What comes out: lines, or a record whose keys keep their order. The text has the
question with its answer, the core, the execution thread by thread, the sections, and the definitions they rest on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from axmem.encoder.constraints import Rule
from axmem.events.graph import EventKind
from axmem.explanations.explanation import Answer, Exhibit, Explanation
from axmem.explanations.names import description
from axmem.explanations.words import Statement
from axmem.front.output import document
from axmem.model.primitives import PICTURED
from axmem.model.terms import Doc
from axmem.report.picture import Picture, picture, place_texts


def lines(explanation: Explanation) -> Iterator[str]:
    """Yield an explanation as text."""
    found = explanation
    yield f"{found.test}  {found.model}  {found.answer.value}: {found.question}"
    if found.reason:
        yield f"    {found.reason}"
    if found.core:
        yield ""
        what = "Excluded" if found.answer is Answer.FORBIDDEN else "Every execution is excluded"
        yield f"  {what} by" + (" all of these rules together" if len(found.core) > 1 else "")
        for part in found.core:
            yield f"    {part.rule.name}{said(part.rule.doc)}"
            yield f"        without it: {part.without}"
    if found.exhibit is not None:
        yield ""
        yield f"  {_heading(found)}"
        yield from _execution(found.exhibit)
    for section in found.sections:
        yield ""
        yield f"  {section.title}"
        yield from (f"    {_sentence(s)}" for s in section.statements)
    if found.repairs:
        yield ""
        yield f"  The answer rests on a repair of the document ({found.letter} is its letter). It is another with"
        for reading in found.repairs:
            yield f"    {reading.variant}={reading.letter} instead of {reading.value}: {reading.decides}"
    definitions = cited(found)
    if definitions:
        yield ""
        yield "  Definitions"
        yield from (f"    {rule.name}{said(rule.doc)}" for rule in definitions)


def _heading(explanation: Explanation) -> str:
    assert explanation.exhibit is not None
    names = " and ".join(rule.name for rule in explanation.exhibit.broken)
    match explanation.answer:
        case Answer.FORBIDDEN:
            return f"The nearest execution with this outcome breaks {names}"
        case Answer.UNKNOWN:
            return f"The nearest execution breaks {names}"
        case Answer.UNDEFINED:
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


def cited(explanation: Explanation) -> tuple[Rule, ...]:
    """Return the definitions and rules that the sections rest on, each once, without those of the core."""
    core = {part.rule for part in explanation.core}
    found = [s.by for section in explanation.sections for s in section.statements if s.by is not None]
    return tuple(rule for rule in dict.fromkeys(found) if rule not in core)


def _execution(exhibit: Exhibit) -> Iterator[str]:
    """Yield the events, thread by thread, each read with its source, and the order of the writes."""
    view, names = exhibit.view, exhibit.names
    graph = view.graph
    places = place_texts(list(graph.placements), graph.levels)
    shown = [e for e in graph.events if view.execution.executed >> e.index & 1 and e.thread >= 0]
    width = max((len(names[e.index]) for e in shown), default=0)
    texts = {e.index: description(view, names, e.index) for e in shown}
    wide = max(map(len, texts.values()), default=0)
    for number, (thread, place) in enumerate(zip(graph.threads, places, strict=True)):
        yield f"    {thread} @ {place}"
        for e in shown:
            if e.thread == number:
                source = view.execution.rf.get(e.index)
                text = f"      {names[e.index]:<{width}}  {texts[e.index]:<{wide}}"
                yield (text + (f"  from {names[source]}" if source is not None else "")).rstrip()
    for order in orders(exhibit):
        yield f"    mo: {' < '.join(names[w] for w in order)}"
    yield f"    outcome: {'  '.join(f'{name}={value}' for name, value in exhibit.outcome.items())}".rstrip()


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


def as_json(explanations: Iterable[Explanation]) -> str:
    """Return explanations as one JSON document."""
    return document(explanations=[record(e) for e in explanations])


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
        "execution": None if exhibit is None else {"outcome": exhibit.outcome, **drawn(picture(exhibit))},
    }


def _reference(doc: Doc) -> dict[str, str]:
    return {"reference": doc.key, "section": doc.section, "specification": doc.text}


def drawn(shown: Picture) -> dict[str, Any]:
    """Return what a picture shows as plain data."""
    return {
        "threads": [{"name": c.name, "place": dict(c.place), "events": list(c.events)} for c in shown.columns],
        "events": [{"name": n.name, "text": n.text} for n in shown.nodes],
        "relations": {name: [list(pair) for pair in edges] for name, edges in shown.relations.items()},
        "marks": [
            {"from": m.first, "relation": m.label, "to": m.second, "stress": m.stress.value} for m in shown.marks
        ],
    }
