"""The sections of the specifications beside the definitions of a model, as a page of Markdown.

What goes in: the text of a model as one file. What comes out: for each section that a definition or a rule cites, in
the order of the text, our restatement of each sentence beside the definition in cat. Specifications that the model's
own file cites come first. An author of a specification checks the model by this page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from axmem.front.records import dataclass
from axmem.front.source import Source, Span
from axmem.model.parser import parse
from axmem.model.syntax import Check, Conditional, Let, Statement, Undef
from axmem.model.terms import Definition, Doc

HEAD = """# {title}

Each sentence of the specifications as we restate it, beside the definition that stands for it in
`axmem models '{name}'`. [references.md](../references.md) has the keys and the
[other readings](../references.md#open-readings).
`axmem models '{name}' --sections` writes this page.
"""
UNCITED = "Without a citation"


@dataclass(frozen=True, slots=True)
class SpecificationEntry:
    """What a sentence of a specification says, and the cat text that stands for it, under the name that it defines.

    It is a `rule`, or the definition of a set or relation.
    """

    doc: Doc
    text: str
    span: Span
    name: str
    rule: bool = False


def page(name: str, source: Source, own: Iterable[str]) -> str:
    """Return the page of a model; `own` are keys of specifications, those that come first."""
    parts = [HEAD.format(title=parse(source).title or name, name=name)]
    for key, sections in by_key(source, own):
        if not key:
            parts += [f"## {UNCITED}\n\n{_table(found)}" for _, found in sections]
            continue
        parts.append(f"## [{key}](../references.md#{key.lower().replace('+', '')})\n")
        for section, found in sections:
            parts.append(f"### {section or key}\n\n{_table(found)}")
    return "\n".join(parts)


def texts_of(definitions: Iterable[Definition]) -> dict[str, str]:
    """Return the cat text of definitions by their names."""
    texts: dict[tuple[str, Span], str] = {}
    wanted = tuple(definitions)
    for source in {found.source.name: found.source for found in wanted}.values():
        entries = _entries(source, parse(source).statements)
        texts |= {(source.name, entry.span): entry.text for entry in entries}
    return {found.name: texts.get((found.source.name, found.span), "") for found in wanted}


def by_key(source: Source, own: Iterable[str]) -> Iterator[tuple[str, list[tuple[str, list[SpecificationEntry]]]]]:
    """Yield each key that a text cites, the `own` ones first, with its sections and what stands for their sentences.

    What cites nothing comes last, under an empty key and in one section.
    """
    entries = list(_entries(source, parse(source).statements))
    for key in dict.fromkeys(k for k in (*own, *(entry.doc.key for entry in entries)) if k):
        yield key, list(_by_section(e for e in entries if e.doc.key == key))
    if rest := [entry for entry in entries if not entry.doc.key]:
        yield "", [("", rest)]


def keys_of(source: Source) -> Iterator[str]:
    """Yield the keys that a file cites, in its order."""
    yield from (entry.doc.key for entry in _entries(source, parse(source).statements) if entry.doc.key)


def _entries(source: Source, statements: Iterable[Statement]) -> Iterator[SpecificationEntry]:
    for statement in statements:
        match statement:
            case Let():
                for i, binding in enumerate(statement.bindings):
                    word = "and" if i else "let rec" if statement.recursive else "let"
                    start, end = _place(source, binding.span, binding.extent.length)
                    yield SpecificationEntry(
                        binding.doc, f"{word} {source.text[start:end]}", binding.span, binding.name
                    )
            case Check() | Undef():
                start, end = _place(source, statement.span, statement.span.length)
                yield SpecificationEntry(
                    statement.doc, source.text[start:end], statement.span, statement.name, rule=True
                )
            case Conditional():
                yield from _entries(source, (*statement.yes, *statement.no))
            case _:
                pass


def _place(source: Source, span: Span, length: int) -> tuple[int, int]:
    start = sum(len(line) + 1 for line in source.text.split("\n")[: span.line - 1]) + span.column - 1
    return start, start + length


def _by_section(entries: Iterable[SpecificationEntry]) -> Iterator[tuple[str, list[SpecificationEntry]]]:
    found: dict[str, list[SpecificationEntry]] = {}
    for entry in entries:
        found.setdefault(entry.doc.section, []).append(entry)
    yield from found.items()


def _table(entries: Iterable[SpecificationEntry]) -> str:
    """Return rows of a sentence and a definition; sentences of definitions in a row that say the same stand once."""
    rows: list[tuple[str, list[str]]] = []
    for entry in entries:
        if rows and rows[-1][0] == entry.doc.text:
            rows[-1][1].append(entry.text)
        else:
            rows.append((entry.doc.text, [entry.text]))
    lines = ["<table>"]
    for sentence, texts in rows:
        code = escape("\n".join(texts), quote=False)
        lines += [f"<tr><td>{escape(sentence, quote=False)}</td><td><pre>", f"{code}</pre></td></tr>"]
    return "\n".join([*lines, "</table>", ""])
