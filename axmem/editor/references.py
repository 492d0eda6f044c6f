"""Where a name of a model is defined, and where it is used.

What goes in: a document and an offset of its text. What comes out: places in files, each once, in the order of files
and texts. Uses are found in the models that are open, those beside the document, and those of the package.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from axmem.editor.documents import CAT, LITMUS, EditorDocument
from axmem.editor.hovers import occurrence_at, word_at
from axmem.editor.names import FILE, NameDefinition, occurrences
from axmem.front.records import dataclass
from axmem.front.source import InputError, Source, Span
from axmem.model.library import names, source, text


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a file, which a model of the package may be."""

    source: Source
    span: Span


def definitions(document: EditorDocument, offset: int) -> tuple[FilePlace, ...]:
    """Return where the name at an offset is defined, or the file that it includes; of a model that a test names its."""
    if document.kind == LITMUS:
        word = word_at(document, offset)
        return (FilePlace(text(word[0]), Span(1, 1)),) if word and word[0] in names() else ()
    if document.kind != CAT:
        return ()
    found = occurrence_at(document, offset)
    if found is None or found.definition.source is None:
        return ()
    return (FilePlace(found.definition.source, found.definition.span),)


def references(
    document: EditorDocument, offset: int, *, models: Sequence[str] = (), definitions: bool = True
) -> tuple[FilePlace, ...]:
    """Return where what the name at an offset stands for is used; `models` are paths of open ones."""
    here = occurrence_at(document, offset) if document.kind == CAT else None
    if here is None or here.definition.kind == FILE:
        return ()
    wanted = _identity(here.definition)
    found = {
        (each.source.name, each.span): FilePlace(each.source, each.span)
        for root in _roots(document, models, shipped=_shipped(here.definition))
        for each in occurrences(root)
        if _identity(each.definition) == wanted and (definitions or not each.defines)
    }
    return tuple(found[key] for key in sorted(found))


def _identity(definition: NameDefinition) -> tuple[str, str, str, Span]:
    """Return what tells definitions apart: their names and where they stand."""
    name = definition.source.name if definition.source else ""
    return definition.kind, definition.name, name, definition.span


def _shipped(definition: NameDefinition) -> bool:
    """Say whether models of the package may use what is defined so: they include no files of others."""
    return definition.source is None or not os.path.isabs(definition.source.name)


def _roots(document: EditorDocument, models: Sequence[str], *, shipped: bool) -> Iterator[Source]:
    """Yield the models in which a name may be used."""
    yield document.source
    for path in dict.fromkeys((*models, *document.models_beside)):
        if path != document.name:
            try:
                yield source(path)
            except InputError:
                continue
    for name in names() if shipped else ():
        yield text(name)
