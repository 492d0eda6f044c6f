"""What is wrong with a document, where editors underline it.

What goes in: a document. What comes out: problems in its text, in the order of the text. What is wrong with a file that
it includes is said where it is included, with the place in that file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from axmem.check.problems import of_reading, of_test, settings
from axmem.editor.documents import CAT, LITMUS, RULE, EditorDocument, uri_of
from axmem.editor.names import FILE, occurrences
from axmem.editor.places import Range, places, range_in
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError
from axmem.refinement.fragments import parse_rule


@dataclass(frozen=True, slots=True)
class EditorProblem:
    """A message about a range; `elsewhere` is the file and the range that it is really about, if not this document."""

    range: Range
    severity: str
    message: str
    elsewhere: tuple[str, Range] | None = None


def problems(document: EditorDocument, models: Mapping[str, str]) -> tuple[EditorProblem, ...]:
    """Return what is wrong or odd about a document; `models` are the paths of models that tests may name.

    Of a model this is what is wrong under its defaults; what is `under` other readings takes longer.
    """
    return in_order(_problem(document, each) for each in _found(document, models))


def variant_values(document: EditorDocument) -> tuple[Mapping[str, str], ...]:
    """Return the values of the variants of a model, under each of which something else may be wrong."""
    return settings(document.name) if document.kind == CAT else ()


def under(document: EditorDocument, reading: Mapping[str, str]) -> tuple[EditorProblem, ...]:
    """Return what is wrong with a model under a value of a variant."""
    return in_order(_problem(document, each) for each in of_reading(document.name, reading))


def in_order(found: Iterable[EditorProblem]) -> tuple[EditorProblem, ...]:
    """Return problems in the order of the text, each once."""
    return tuple(sorted(dict.fromkeys(found), key=lambda p: p.range))


def _found(document: EditorDocument, models: Mapping[str, str]) -> Iterable[Diagnostic]:
    if document.kind == LITMUS:
        return of_test(document.text, document.name, models)
    if document.kind == CAT:
        return of_reading(document.name, {})
    return _of_rule(document) if document.kind == RULE else ()


def _of_rule(document: EditorDocument) -> Iterator[Diagnostic]:
    try:
        parse_rule(document.source)
    except InputError as error:
        yield from error.diagnostics


def _problem(document: EditorDocument, found: Diagnostic) -> EditorProblem:
    text = f"{found.message}\n{found.hint}" if found.hint else found.message
    if os.path.realpath(found.source.name) == os.path.realpath(document.name):
        return EditorProblem(places(document.text).range(found.span), found.severity, text)
    place, where = _include_of(document, found), uri_of(found.source)
    said = f"{found.source.name}:{found.span.line}:{found.span.column}: {text}" if where else text
    return EditorProblem(place, found.severity, said, (where, range_in(found.source, found.span)) if where else None)


def _include_of(document: EditorDocument, found: Diagnostic) -> Range:
    """Return where a document includes a file, itself or by another; else its first line."""
    text = places(document.text)
    first = text.range(found.span._replace(line=0))
    if document.kind != CAT:
        return first
    includes = [o for o in occurrences(document.source) if o.definition.kind == FILE]
    wanted = found.source.name
    while True:
        here = next((o for o in includes if o.definition.source and o.definition.source.name == wanted), None)
        if here is None:
            return first
        if here.source.name == document.name:
            return text.range(here.span)
        includes.remove(here)
        wanted = here.source.name
