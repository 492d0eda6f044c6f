"""What may stand where a reader types.

What goes in: a document and an offset. What comes out: words and names, each with what it is, and the span that one of
them replaces. Which of them fit what has been typed is up to the editor.
"""

from __future__ import annotations

import os
import re

from axmem.editor.documents import CAT, LITMUS, EditorDocument
from axmem.editor.meanings import MEANINGS
from axmem.editor.names import visible
from axmem.editor.places import places
from axmem.editor.tokens import vocabulary
from axmem.front.records import dataclass
from axmem.front.source import Span
from axmem.litmus import parser
from axmem.litmus.walk import located, locations, results, units
from axmem.model.library import files
from axmem.model.primitives import FUNCTIONS, PRIMITIVES

_TYPED = re.compile(r"[%@$]?[\w.$-]*$")
_INCLUDE = re.compile(r'include\s+"[^"\n]*$')


@dataclass(frozen=True, slots=True)
class CompletionCandidate:
    """A word or a name; `kind` is the class of a word, or `name`; `says` is a sentence about it, if there is one."""

    text: str
    kind: str
    says: str = ""


def candidates(document: EditorDocument, offset: int) -> tuple[tuple[CompletionCandidate, ...], Span]:
    """Return what may stand at an offset, each once, and the span of what is typed of it."""
    line = document.text[document.text.rfind("\n", 0, offset) + 1 : offset]
    if document.kind == CAT and (typed := _INCLUDE.search(line)):
        name = typed[0].partition('"')[2]
        return _files(document), places(document.text).span(offset - len(name), len(name))
    match = _TYPED.search(line)
    length = len(match[0]) if match else 0
    found = {each.text: each for each in (*_words(document), *_names(document))}
    return tuple(found.values()), places(document.text).span(offset - length, length)


def _words(document: EditorDocument) -> list[CompletionCandidate]:
    """Return the words of the document's language; primitives say what they hold of."""
    known = {name: p.text for name, p in PRIMITIVES.items()} | {name: f.text for name, f in FUNCTIONS.items()}
    if document.kind != CAT:
        known = {word: sentence for word, (sentence, _) in MEANINGS.items()}
    words = vocabulary(document.kind)
    return [CompletionCandidate(word, kind, known.get(word, "")) for kind, found in words.items() for word in found]


def _names(document: EditorDocument) -> list[CompletionCandidate]:
    """Return the names that a document defines, or what it includes."""
    if document.kind == CAT:
        return [CompletionCandidate(name, "name", found.doc.text) for name, found in visible(document.source).items()]
    if document.kind == LITMUS:
        test = parser.read(document.source)
        registers = {name for _, statement in located(test) for name in results(statement)}
        kinds = (("location", locations(test)), ("thread", units(test)))
        named = [CompletionCandidate(each.name, "name", what) for what, found in kinds for each in found]
        return [*named, *(CompletionCandidate(name, "name", "register") for name in sorted(registers))]
    return [CompletionCandidate(hole, "name", "hole") for hole in sorted(set(re.findall(r"\$\w+", document.text)))]


def _files(document: EditorDocument) -> tuple[CompletionCandidate, ...]:
    """Return the files that a model may include: those beside it, and those of the package."""
    names = dict.fromkeys([*map(os.path.basename, document.models_beside), *(f"{name}.cat" for name in files())])
    return tuple(CompletionCandidate(name, "file") for name in names if name != os.path.basename(document.name))
