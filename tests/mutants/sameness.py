"""Which changes change nothing on a test.

What goes in: the changes of files, a test's events, and a model. What comes out: those that leave what they change, in
every candidate execution, the set or relation that it was, whatever the model's rules say: its literals are the same.
All are asked at once: the files get a definition for what is said before and after each change, above the statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from axmem.encoder.constraints import Encoding, encode
from axmem.events.graph import EventGraph
from axmem.front.source import NOWHERE, InputError, Span
from axmem.model.model import Model
from axmem.model.syntax import Binding, Check, Expression, File, Let, Name, Statement
from axmem.model.terms import AxiomKind, Doc
from tests.mutants.mutations import Change

Compared = Mapping[int, Change]
"""Changes of a file by their numbers; of several files, each number is of one change alone."""

_FAR = 1_000_000
"""The line on which copies stand, plus their number, so that what is wrong with one says which it is."""


def with_copies(tree: File, changes: Compared) -> File:
    """Return a file with a definition of what is said before and after each change, above the statement."""
    found: list[Statement] = []
    for index, statement in enumerate(tree.statements):
        for number, change in changes.items():
            if change.index == index:
                found += [*_copy("before", number, change.before), *_copy("after", number, change.after)]
        found.append(statement)
    return replace(tree, statements=tuple(found))


def elaborable(
    changes: Mapping[str, Compared], elaborated: Callable[[Mapping[str, Compared]], Model]
) -> dict[str, Compared]:
    """Return the changes of files, by their names, with which the files are a model."""
    kept = dict(changes)
    while True:
        try:
            elaborated(kept)
        except InputError as error:
            wrong = {d.span.line - _FAR for d in error.diagnostics}
            if not any(number in wrong for some in kept.values() for number in some):
                raise
            kept = {name: {k: c for k, c in some.items() if k not in wrong} for name, some in kept.items()}
        else:
            return kept


def _copy(which: str, number: int, said: Expression) -> tuple[Let, Check]:
    """Return a definition, and a flag of it: the engine asks only what some rule is about."""
    span = Span(_FAR + number, 1, 1)
    # No name of a text has a blank.
    name = f"{which} {number}"
    binding = Binding(name, None, _moved(said, span), Doc(), span, NOWHERE)
    flag = Check(AxiomKind.EMPTY, Name(name, span), name, negated=True, flag=True, doc=Doc(), span=span)
    return Let((binding,), False, span), flag


def _moved(node: Any, span: Span) -> Any:
    """Return an expression that stands elsewhere."""
    if isinstance(node, Span):
        return span
    if isinstance(node, tuple):
        return tuple(_moved(each, span) for each in node)
    if is_dataclass(node) and not isinstance(node, type) and type(node).__module__ == Let.__module__:
        return replace(node, **{field.name: _moved(getattr(node, field.name), span) for field in fields(node)})
    return node


def same(graph: EventGraph, model: Model, numbers: Iterable[int]) -> frozenset[int]:
    """Return the numbers of the changes that change nothing on a test under a model that has copies."""
    encoding = encode(graph, model, selectable=True)
    assert encoding is not None, "there is no limit of time"
    terms = {definition.name: definition.term for definition in model.definitions}
    return frozenset(k for k in numbers if _alike(encoding, terms[f"before {k}"], terms[f"after {k}"]))


def _alike(encoding: Encoding, one: int, other: int) -> bool:
    if one == other:
        return True
    literals = encoding.literals
    events = range(literals.size)
    kinds = {isinstance(literals.may[term], int) for term in (one, other)}
    if kinds == {True}:
        return all(literals.member(one, i) == literals.member(other, i) for i in events)
    return kinds == {False} and all(_rows(encoding, one, other))


def _rows(encoding: Encoding, one: int, other: int) -> Iterator[bool]:
    """Yield for each pair that one or the other may have whether both have it alike."""
    literals = encoding.literals
    for i in range(literals.size):
        row = 0
        for term in (one, other):
            row |= literals.rows(term)[i] if literals.rows(term) else 0
        while row:
            j = (row & -row).bit_length() - 1
            row &= row - 1
            yield literals.pair(one, i, j) == literals.pair(other, i, j)
