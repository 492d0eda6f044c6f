"""What this room finds, in the records of the protocol.

What goes in: problems, places, symbols, hints. What comes out: records of lsprotocol, which pygls sends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types

from axmem.editor.completion import CompletionCandidate
from axmem.editor.documents import LITMUS, EditorDocument, uri_of
from axmem.editor.hovers import Hover
from axmem.editor.outcomes import Hint, models_to_run
from axmem.editor.places import Position, Range, places
from axmem.editor.problems import EditorProblem
from axmem.editor.references import FilePlace
from axmem.editor.symbols import Symbol
from axmem.formats.reading import parse
from axmem.front.source import InputError, Span

SEVERITIES = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}
SYMBOLS = {
    "test": types.SymbolKind.Module,
    "location": types.SymbolKind.Variable,
    "thread": types.SymbolKind.Function,
    "question": types.SymbolKind.Boolean,
    "expectation": types.SymbolKind.Constant,
    "definition": types.SymbolKind.Variable,
    "function": types.SymbolKind.Function,
    "rule": types.SymbolKind.Event,
}
ITEMS = {
    "keyword": types.CompletionItemKind.Keyword,
    "operation": types.CompletionItemKind.Function,
    "modifier": types.CompletionItemKind.Property,
    "atom": types.CompletionItemKind.Constant,
    "verdict": types.CompletionItemKind.EnumMember,
    "type": types.CompletionItemKind.TypeParameter,
    "name": types.CompletionItemKind.Variable,
    "file": types.CompletionItemKind.File,
}


def _position(found: Position) -> types.Position:
    return types.Position(found.line, found.character)


def range_of(found: Range) -> types.Range:
    """Return a range."""
    return types.Range(_position(found.start), _position(found.end))


def _in(document: EditorDocument, span: Span) -> types.Range:
    return range_of(places(document.text).range(span))


def diagnostic(problem: EditorProblem) -> types.Diagnostic:
    """Return a problem; what it is really about is related information."""
    related = None
    if problem.elsewhere is not None:
        address, place = problem.elsewhere
        where = types.Location(address, range_of(place))
        related = [types.DiagnosticRelatedInformation(where, problem.message)]
    return types.Diagnostic(
        range_of(problem.range),
        problem.message,
        severity=SEVERITIES[problem.severity],
        source="axmem",
        related_information=related,
    )


def hover(document: EditorDocument, found: Hover | None) -> types.Hover | None:
    """Return what is said of a word."""
    if found is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, found.markdown), _in(document, found.span))


def locations(found: Iterable[FilePlace] | None, known: Callable[[str], str]) -> list[types.Location]:
    """Return places; `known` gives the addresses that the editor has for paths."""
    made = []
    for place in found or ():
        if address := uri_of(place.source, known):
            made.append(types.Location(address, range_of(places(place.source.text).range(place.span))))
    return made


def items(
    document: EditorDocument, found: tuple[tuple[CompletionCandidate, ...], Span] | None
) -> list[types.CompletionItem]:
    """Return what may stand where a reader types."""
    if found is None:
        return []
    begun, span = found
    text = places(document.text)
    start = text.offsets(span)[0]
    replaced = range_of(Range(text.position(start), text.position(start + span.length)))
    return [
        types.CompletionItem(
            each.text, kind=ITEMS[each.kind], detail=each.says or None, text_edit=types.TextEdit(replaced, each.text)
        )
        for each in begun
    ]


def outline(document: EditorDocument, found: Iterable[Symbol] | None) -> list[types.DocumentSymbol]:
    """Return the parts of a document."""
    return [
        types.DocumentSymbol(
            each.name or "?", SYMBOLS[each.kind], place := _in(document, each.span), place, each.detail or None
        )
        for each in found or ()
    ]


def models_of(document: EditorDocument) -> tuple[str, ...]:
    """Return the models that a test is run under, as it calls them; none for what is no test."""
    try:
        return tuple(choice.label for choice in models_to_run(parse(document.text, document.name), {}))
    except InputError:
        return ()


def lenses(document: EditorDocument, labels: tuple[str, ...] | None, command: str) -> list[types.CodeLens]:
    """Return what runs a test, above its first line."""
    if document.kind != LITMUS or not labels:
        return []
    run = types.Command(f"run under {', '.join(labels)}", command, arguments=[document.uri])
    return [types.CodeLens(range_of(Range(Position(0, 0), Position(0, 0))), run)]


def inlays(document: EditorDocument, found: Iterable[Hint]) -> list[types.InlayHint]:
    """Return what is shown beside the lines of a test."""
    text = places(document.text)
    made = []
    for hint in found:
        start = text.offsets(Span(hint.line, 1))[0]
        end = document.text.find("\n", start)
        place = text.position(len(document.text) if end < 0 else end)
        says = types.MarkupContent(types.MarkupKind.Markdown, hint.says) if hint.says else None
        made.append(types.InlayHint(_position(place), hint.text, tooltip=says, padding_left=True))
    return made
