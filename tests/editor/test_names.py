"""The names of models as editors see them, against what the elaboration of the models makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from axmem.editor.documents import EditorDocument
from axmem.editor.hovers import hover, occurrence_at
from axmem.editor.names import FILE, PARAMETER, PRIMITIVE, occurrences, visible
from axmem.front.files import unsaved
from axmem.front.source import Source, Span
from axmem.model.files import PRELUDE_SOURCE
from axmem.model.library import load, names, text
from axmem.model.parser import parse
from axmem.model.scoping import free_names
from axmem.model.syntax import Conditional, Let, Name, Statement

found_in = cache(occurrences)


@pytest.mark.parametrize("name", names())
def test_definitions_stand_where_the_elaboration_has_them(name: str) -> None:
    """The walk resolves names by scopes, the elaboration by values; readings other than the default replace none."""
    found = found_in(text(name))
    defined = {(o.source.name, o.span): o.definition.name for o in found if o.defines}
    model = load(name)
    elaborated = {(d.source.name, d.span): d.name for d in model.definitions if "readings/" not in d.source.name}
    assert elaborated.items() <= defined.items()
    rules = {(a.source.name, a.name) for a in model.axioms if "readings/" not in a.source.name}
    assert rules <= {(source, definition) for (source, _), definition in defined.items()}


@pytest.mark.parametrize("name", names())
def test_every_name_of_a_model_is_seen_and_is_what_stands_there(name: str) -> None:
    found = found_in(text(name))
    places = {(o.source.name, o.span) for o in found}
    wanted = {(text(name).name, used.span) for used in used_in(parse(text(name)).statements)}
    assert wanted <= places
    for o in found:
        if o.definition.kind != FILE:
            line = o.source.text.split("\n")[o.span.line - 1]
            assert line[o.span.column - 1 :][: o.span.length] == o.definition.name


def used_in(statements: tuple[Statement, ...]) -> Iterator[Name]:
    for statement in statements:
        if isinstance(statement, Conditional):
            yield from used_in((*statement.yes, *statement.no))
        elif isinstance(statement, Let):
            yield from free_names(statement)


OWN = '''"own"
(** [LangRef] "fence": the first *)
let a = po
let f(a) = a | rf
let a = f(a) \\ id
let g = let a = co in a ; a
let rec r = a | (r ; r)
procedure p(a) = empty a as e end
call p(r)
with o from generate_cos(co)
acyclic o | a as last
'''


def test_a_name_is_what_was_defined_last_and_nearest() -> None:
    source = Source("/own/own.cat", OWN)
    found = {o.span: o.definition for o in occurrences(source) if o.source == source}

    def line_of(line: int, column: int) -> int:
        return found[Span(line, column, 1)].span.line

    assert found[Span(4, 12, 1)].kind == PARAMETER and found[Span(4, 12, 1)].text == "f"
    assert (line_of(5, 11), line_of(5, 9)) == (3, 4), "what is defined anew is known from then on"
    assert line_of(6, 23) == 6 and line_of(7, 13) == 5 and line_of(7, 18) == 7
    assert found[Span(8, 24, 1)].kind == PARAMETER and found[Span(9, 6, 1)].span.line == 8
    assert (line_of(11, 9), line_of(11, 13)) == (10, 5)
    assert visible(source)["a"].span.line == 5 and "r" in visible(source)


def test_a_broken_text_has_the_names_of_what_can_be_read() -> None:
    broken = OWN.replace("let f(a) = a | rf", "let f(a) = = rf")
    document = EditorDocument("file:///own/own.cat", "/own/own.cat", "cat", broken)
    assert "a" in visible(document.source) and "f" not in visible(document.source)
    with unsaved({document.name: broken}):
        said = hover(document, broken.index("po"))
    assert said is not None and said.markdown.startswith("**po**: primitive")
    assert occurrence_at(document, broken.index('"own"')) is None


def test_the_prelude_and_the_primitives_are_known() -> None:
    found = [o.definition for o in occurrences(Source("/own/b.cat", "acyclic fr | domain(po) * W as x\n"))]
    by_name = {d.name: d for d in found}
    assert by_name["fr"].source == PRELUDE_SOURCE and by_name["domain"].kind == by_name["po"].kind == PRIMITIVE
    assert by_name["domain"].text == "domain(r)" and by_name["W"].doc.text
