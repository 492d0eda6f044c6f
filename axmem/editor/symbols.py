"""The parts of a document, for outlines.

What goes in: a document, which need not be whole. What comes out: its parts in the order of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.editor.documents import CAT, LITMUS, RULE, EditorDocument
from axmem.editor.names import DEFINITION, FUNCTION, ORDER, PROCEDURE, occurrences
from axmem.editor.names import RULE as RULE_OF_A_MODEL
from axmem.editor.places import places
from axmem.formats.reading import form_of, parse
from axmem.front.records import dataclass
from axmem.front.source import InputError, Span
from axmem.litmus import parser
from axmem.litmus.walk import locations, units
from axmem.refinement.fragments import KEYWORDS

QUESTION = re.compile(r"^[ \t]*(~?[ \t]*exists|not[ \t]+exists|forall|~)\b[^\n]*", re.MULTILINE)
_RULE_PART = re.compile(rf"^[ \t]*({'|'.join(KEYWORDS)})\b[ \t]*([^\s{{]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A part: its name, what it is (a word for kinds of symbols), where its name stands."""

    name: str
    kind: str
    span: Span
    detail: str = ""


def symbols(document: EditorDocument) -> tuple[Symbol, ...]:
    """Return the parts of a document."""
    found = {LITMUS: _of_test, CAT: _of_model, RULE: _of_rule}.get(document.kind)
    return tuple(sorted(found(document), key=lambda s: s.span)) if found else ()


def _of_test(document: EditorDocument) -> Iterator[Symbol]:
    try:
        ours = form_of(document.text, document.name) is None
        test = parser.read(document.source) if ours else parse(document.text, document.name)
    except InputError:
        return
    if header := re.search(r"^[ \t]*(litmus)\b", document.text, re.MULTILINE):
        yield Symbol(test.name, "test", _span(document, header.start(1), header.end(1)), test.description)
    for location in locations(test):
        yield Symbol(location.name, "location", location.span, location.space.name.lower())
    for unit in units(test):
        yield Symbol(unit.name, "thread", unit.span, "thread" if unit in test.threads else "kernel")
    if asked := question_line(document):
        yield Symbol(" ".join(asked[0].split()), "question", asked[1])
    for expectation in test.expectations:
        labels = ", ".join(model.label for model in expectation.models)
        yield Symbol(f"{labels}: {expectation.verdict}", "expectation", expectation.span, expectation.reason)


def question_line(document: EditorDocument) -> tuple[str, Span] | None:
    """Return the first line of the question of a test, and where it stands; None if it has none."""
    match = QUESTION.search(document.text)
    return None if match is None else (match[0], _span(document, match.start(1), match.end()))


def _of_model(document: EditorDocument) -> Iterator[Symbol]:
    kinds = {
        DEFINITION: "definition",
        FUNCTION: "function",
        RULE_OF_A_MODEL: "rule",
        PROCEDURE: "function",
        ORDER: "definition",
    }
    for found in occurrences(document.source):
        if found.defines and found.source.name == document.name and found.definition.kind in kinds:
            doc = found.definition.doc
            yield Symbol(found.definition.name, kinds[found.definition.kind], found.span, doc.text)


def _of_rule(document: EditorDocument) -> Iterator[Symbol]:
    for match in _RULE_PART.finditer(document.text):
        name = match[2] if match[1] == KEYWORDS[0] else match[1]
        yield Symbol(
            name, "test" if match[1] == KEYWORDS[0] else "thread", _span(document, match.start(1), match.end())
        )


def _span(document: EditorDocument, start: int, end: int) -> Span:
    return places(document.text).span(start, end - start)
