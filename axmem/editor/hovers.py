"""What is said of the word that a reader points at.

What goes in: a document and an offset of its text. What comes out: Markdown and the span that it is about, or nothing.
Of a name of a model it is its definition's sentence and section, of an operation of a test what its words mean and the
sets of the models in which its events are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.check.selection import runs
from axmem.editor.documents import CAT, LITMUS, EditorDocument
from axmem.editor.meanings import MEANINGS
from axmem.editor.names import FILE, FUNCTION, LOCAL, PARAMETER, PRIMITIVE, NameOccurrence, occurrences
from axmem.editor.places import places
from axmem.encoder.bounds import bounds
from axmem.encoder.statics import statics
from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.formats.reading import parse
from axmem.front.records import dataclass
from axmem.front.source import InputError, Span
from axmem.litmus import walk
from axmem.litmus.syntax import LitmusTest
from axmem.model.files import PRELUDE_SOURCE
from axmem.model.library import names, text
from axmem.model.model import Model
from axmem.model.parser import parse as tree_of
from axmem.model.terms import Doc
from axmem.report.explanation import reference
from axmem.report.specification_pages import ADDRESSES

WORD = re.compile(r"[%@$]?[\w$][\w.$]*(?:-[A-Za-z][\w.]*)*")
_GIVEN = re.compile(r"(\([^()]*\)) ")
"""The parameters of a function, before its body."""
MOST = 2
"""Of so many models the sets of an operation are listed."""


@dataclass(frozen=True, slots=True)
class Hover:
    """What is said, in Markdown, and of which span."""

    markdown: str
    span: Span


def hover(document: EditorDocument, offset: int) -> Hover | None:
    """Return what is said of the word at an offset; None if nothing is."""
    if document.kind == CAT:
        found = occurrence_at(document, offset)
        return None if found is None else Hover(_of_name(found), found.span)
    word = word_at(document, offset)
    said = [*_of_word(word[0])] if word else []
    span = word[1] if word else Span(1, 1)
    if document.kind == LITMUS and (roles := _roles(document, offset)) is not None:
        lines, statement = roles
        said += lines
        span = span if word and word[0] in MEANINGS else statement
    return Hover("\n\n".join(said), span) if said else None


def word_at(document: EditorDocument, offset: int) -> tuple[str, Span] | None:
    """Return the word at an offset with its span; None if there is none."""
    start = document.text.rfind("\n", 0, offset) + 1
    end = document.text.find("\n", offset)
    line = document.text[start : len(document.text) if end < 0 else end]
    for match in WORD.finditer(line):
        if match.start() <= offset - start <= match.end():
            return match[0], places(document.text).span(start + match.start(), len(match[0]))
    return None


def occurrence_at(document: EditorDocument, offset: int) -> NameOccurrence | None:
    """Return the name of a model at an offset."""
    for found in occurrences(document.source):
        if found.source.name == document.name:
            start, end = places(document.text).offsets(found.span)
            if start <= offset <= end:
                return found
    return None


# ---------------------------------------------------------------- names of models


def _of_name(found: NameOccurrence) -> str:
    """Return what a name of a model stands for."""
    definition = found.definition
    if definition.kind == FILE:
        assert definition.source is not None
        return f"`{definition.name}`: {tree_of(definition.source).title or 'a file of cat'}"
    head = f"**{definition.name}**: {definition.kind}"
    if definition.kind == PARAMETER:
        return f"{head} of `{definition.text}`"
    said = [head + (f", `{definition.text}`" if definition.kind == PRIMITIVE and definition.text else "")]
    said += [_sentence(definition.doc)] if definition.doc.text or definition.doc.key else []
    if definition.text and definition.kind != PRIMITIVE:
        given = _GIVEN.match(definition.text) if definition.kind == FUNCTION else None
        parameters, body = (given[1], definition.text[given.end() :]) if given else ("", definition.text)
        said.append(f"```cat\nlet {definition.name}{parameters} = {body}\n```")
    if definition.source is not None and definition.kind != LOCAL:
        where = "the prelude" if definition.source == PRELUDE_SOURCE else f"`{_short(definition.source.name)}`"
        said.append(f"in {where}, line {definition.span.line}")
    return "\n\n".join(said)


def _sentence(doc: Doc) -> str:
    """Return a definition's sentence, and the section of the specification, as a link where its page is known."""
    if not doc.key:
        return doc.text
    cited = reference(doc)
    address = ADDRESSES.get(doc.key)
    shown = f"[{cited.replace('[', '').replace(']', '')}]({address})" if address else cited
    return f"{doc.text} ({shown})" if doc.text else shown


def _short(name: str) -> str:
    return re.split(r"[/\\]", name)[-1]


# ---------------------------------------------------------------- words and operations of tests


def _of_word(word: str) -> Iterator[str]:
    if word in MEANINGS:
        sentence, section = MEANINGS[word]
        yield f"**{word}**: {sentence}" + (f" ({section})" if section else "")
    elif word in names():
        yield f"**{word}**: a model, {tree_of(text(word)).title}"


def _roles(document: EditorDocument, offset: int) -> tuple[list[str], Span] | None:
    """Return in which sets of the test's models the events of the operation at an offset are, and its span."""
    try:
        test = parse(document.text, document.name)
        found = _statement_at(document, test, offset)
        if found is None:
            return None
        models = [model for _, model in runs(test, (), {})]
    except InputError:
        return None
    path, span = found
    graph = event_graph(test)
    events = sum(1 << e.index for e in graph.events if e.path == path)
    said = [line for model in dict.fromkeys(models[:MOST]) if events and (line := _sets(graph, model, events))]
    return said, span


def _statement_at(document: EditorDocument, test: LitmusTest, offset: int) -> tuple[walk.Path, Span] | None:
    """Return the path and the span of the innermost statement at an offset that has an operation."""
    here = None
    for path, statement in walk.located(test):
        span: Span = getattr(statement, "span", Span(0, 0))
        start, end = places(document.text).offsets(span)
        if span.line and start <= offset <= end and walk.kind_of(statement) is not None:
            here = path, span
    return here


def _sets(graph: EventGraph, model: Model, events: int) -> str:
    """Return the named sets of a model that have one of the events in every execution, each with its sentence."""
    try:
        must = bounds(graph, model, statics(graph)).must
    except InputError:
        return ""
    lines = []
    for definition in {d.name: d for d in model.definitions if d.doc.key}.values():
        members = must[definition.term]
        if isinstance(members, int) and members & events:
            lines.append(f"- `{definition.name}`: {_sentence(definition.doc)}")
    return "\n".join([f"Under {model.name} it is in", *lines]) if lines else ""
