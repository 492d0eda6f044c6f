"""Which names of a file another tradition binds, and to what.

What goes in: a model's text, and the dialect that it is read in. What comes out: the names that it, and what it
includes, leaves to the dialect, each with its last definition in the dialect's files and what is said of it. Names that
mean here what they mean in ours are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from axmem.front.records import dataclass
from axmem.front.source import Source
from axmem.model.dialects import Dialect, vocabulary
from axmem.model.files import Finder, Vocabulary
from axmem.model.parser import parse
from axmem.model.scoping import free_names
from axmem.model.syntax import Binding, Conditional, File, Include, Let, Name, Procedure, Statement, With


@dataclass(frozen=True, slots=True)
class BoundName:
    """A name, the text that it stands for, and what is said of it."""

    name: str
    text: str
    says: str


def bindings(dialect: Dialect, source: Source, include: Finder) -> tuple[BoundName, ...]:
    """Return what the names of a model, whose text is `source`, stand for in its dialect, in the order of its files."""
    wanted = {name.text for _, name in used(source, include, dialect.trees)}
    found = defined(vocabulary(dialect)).items()
    return tuple(b for name, b in found if name in wanted and b.text != name)


@lru_cache(maxsize=64)
def defined(words: Vocabulary) -> dict[str, BoundName]:
    """Return what a vocabulary binds each of its names to, in the order of its files."""
    found: dict[str, BoundName] = {}
    for file, statement in _statements(words.files, words.include):
        bound = statement.bindings if isinstance(statement, Let) else ()
        for b in bound:
            found.pop(b.name, None)
            found[b.name] = BoundName(b.name, written(file, b), b.doc.text if b is bound[0] else "")
    return found


def used(source: Source, include: Finder, trees: Callable[[Source], File] = parse) -> Iterator[tuple[Source, Name]]:
    """Yield the names that a model, and what it includes, leaves to its dialect, each where it stands."""
    given: frozenset[str] = frozenset()
    for file, statement in _statements((source,), include, trees):
        body = statement.body if isinstance(statement, Procedure) else ()
        for name in free_names(statement, given.union(*map(_given, body)), tried=True):
            yield file, name
        given = given.union(_given(statement))


def _statements(
    files: Sequence[Source], include: Finder, trees: Callable[[Source], File] = parse
) -> Iterator[tuple[Source, Statement]]:
    """Yield the statements of files and of what they include, each file once, in the order in which they are read."""
    seen: set[Source] = set()

    def of(file: Source, statements: Sequence[Statement]) -> Iterator[tuple[Source, Statement]]:
        for statement in statements:
            if isinstance(statement, Conditional):
                yield from of(file, (*statement.yes, *statement.no))
            elif not isinstance(statement, Include):
                yield file, statement
            elif (other := include(statement.file, file)) is not None and other not in seen:
                seen.add(other)
                yield from of(other, trees(other).statements)

    for file in files:
        yield from of(file, trees(file).statements)


def _given(statement: Statement) -> tuple[str, ...]:
    """Return the names that a statement defines."""
    if isinstance(statement, Let):
        return tuple(b.name for b in statement.bindings)
    return (statement.name,) if isinstance(statement, With) else ()


def written(file: Source, binding: Binding) -> str:
    """Return a definition as it stands in a file, on one line."""
    span = binding.body.span
    lines = file.text.split("\n")
    start = sum(len(line) + 1 for line in lines[: span.line - 1]) + span.column - 1
    shown = " ".join(file.text[start : start + span.length].split())
    return f"({', '.join(binding.parameters)}) {shown}" if binding.parameters else shown
