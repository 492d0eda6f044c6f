"""Which names of a file another tradition binds, and to what.

What goes in: a model that was read in a dialect. What comes out: the names of its text, and of what it includes, that
the dialect's files define, each with its last definition there and what is said of it. Names that mean here what they
mean in ours are left out.
"""

from __future__ import annotations

from axmem.front.records import dataclass
from axmem.front.source import Source
from axmem.model.dialects import Dialect, names_of_files, vocabulary
from axmem.model.elaborate import PRELUDE_SOURCE
from axmem.model.lexer import Lexer, TokenKind
from axmem.model.parser import parse
from axmem.model.syntax import Binding, Include, Let, Name
from axmem.model.terms import Axiom, Definition, Model, UndefRule


@dataclass(frozen=True, slots=True)
class Bound:
    """A name, the text that it stands for, and what is said of it."""

    name: str
    text: str
    says: str


def bindings(dialect: Dialect, source: Source, model: Model) -> tuple[Bound, ...]:
    """Return what the names of a model, whose text is `source`, stand for in its dialect, in the order of its files."""
    words = vocabulary(dialect)
    found: dict[str, Bound] = {}
    items: list[Definition | Axiom | UndefRule] = [*model.definitions, *model.axioms, *model.undefs]
    files = {item.source for item in items}
    theirs = [f for f in files if f.name not in {*names_of_files(), PRELUDE_SOURCE.name}]
    used = {t.text for file in (source, *theirs) for t in Lexer(file).run() if t.kind is TokenKind.NAME}

    def gather(file: Source) -> None:
        for statement in parse(file).statements:
            if isinstance(statement, Include) and (other := words.include(statement.file, file)) is not None:
                gather(other)
            if not isinstance(statement, Let):
                continue
            for b in statement.bindings:
                found.pop(b.name, None)
                if b.name in used and not (isinstance(b.body, Name) and b.body.text == b.name):
                    found[b.name] = Bound(b.name, _text(file, b), b.doc.text if b is statement.bindings[0] else "")

    for file in words.files:
        gather(file)
    return tuple(found.values())


def _text(file: Source, binding: Binding) -> str:
    """Return a definition as it stands in a file, on one line."""
    span = binding.body.span
    lines = file.text.split("\n")
    start = sum(len(line) + 1 for line in lines[: span.line - 1]) + span.column - 1
    shown = " ".join(file.text[start : start + span.length].split())
    return f"({', '.join(binding.parameters)}) {shown}" if binding.parameters else shown
