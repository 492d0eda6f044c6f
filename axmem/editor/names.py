"""The names of models in cat: where each is defined, and where it is used, over all files that a model is made of.

What goes in: the text of a model, which need not be whole, and how its includes are found. What comes out: a
`NameOccurrence` for each name of each file, with what it stands for there. Invariant: a name stands for what the
elaboration of the model would take it for: the last definition before it, the innermost binding around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from axmem.editor.places import places
from axmem.front.records import dataclass, names_of
from axmem.front.source import InputError, Source, Span
from axmem.litmus.words import AMDGPU, Hierarchy
from axmem.model.dialects import OURS, Dialect, dialect_of, vocabulary
from axmem.model.dialects.bindings import written
from axmem.model.files import PRELUDE_SOURCE, Finder
from axmem.model.lexer import CAT, FLAT
from axmem.model.library import finder, reading
from axmem.model.parser import read
from axmem.model.primitives import ALIASES, FUNCTIONS, primitives
from axmem.model.syntax import (
    Binding,
    Call,
    Check,
    Conditional,
    File,
    Include,
    Lambda,
    Let,
    Levels,
    Local,
    Match,
    Name,
    Override,
    Procedure,
    Readings,
    Statement,
    Undef,
    With,
)
from axmem.model.terms import Doc

DEFINITION, FUNCTION, PARAMETER, LOCAL = "definition", "function", "parameter", "local definition"
PRIMITIVE, RULE, PROCEDURE, ORDER, FILE = "primitive", "rule", "procedure", "order", "file"


@dataclass(frozen=True, slots=True)
class NameDefinition:
    """What a name stands for: `kind` says what it is; `text` is its right side. A primitive stands in no file."""

    name: str
    kind: str
    source: Source | None = None
    span: Span = Span(1, 1)
    doc: Doc = Doc()
    text: str = ""


@dataclass(frozen=True, slots=True)
class NameOccurrence:
    """A name at a place; `defines` if it gets its meaning there."""

    source: Source
    span: Span
    definition: NameDefinition
    defines: bool = False


Scope = Mapping[str, NameDefinition]


def tree_of(source: Source, dialect: Dialect) -> File:
    """Return what can be read of a file."""
    return read(source, FLAT if dialect.tradition == "dartagnan" else CAT)[0]


def occurrences(source: Source) -> tuple[NameOccurrence, ...]:
    """Return the names of a model, and of all that it includes, each where it stands."""
    try:
        dialect = dialect_of(source)
        walk = _NameWalk(dialect, finder(dialect))
        walk.begin()
    except InputError:
        dialect = Dialect(OURS)
        walk = _NameWalk(dialect, finder(dialect))
        walk.begin()
    walk.file(source)
    walk.readings()
    return tuple(walk.found)


def visible(source: Source) -> dict[str, NameDefinition]:
    """Return what the names that may be used at the end of a model stand for."""
    kinds = (DEFINITION, FUNCTION, ORDER)
    return {o.definition.name: o.definition for o in occurrences(source) if o.defines and o.definition.kind in kinds}


class _NameWalk:
    """One reading of a model, in the order in which its statements take effect."""

    def __init__(self, dialect: Dialect, include: Finder) -> None:
        self.dialect = dialect
        self.include = include
        self.found: list[NameOccurrence] = []
        self.names: dict[str, NameDefinition] = {}
        self.procedures: dict[str, NameDefinition] = {}
        self.rules: dict[str, NameDefinition] = {}
        self.seen: set[Source] = set()
        self.wanted: dict[str, Source] = {}
        self.levels = AMDGPU

    def begin(self) -> None:
        """Read what comes before the first file: the prelude, or what the names of the dialect stand for."""
        if self.dialect.tradition == OURS:
            self.file(PRELUDE_SOURCE)
            return
        words = vocabulary(self.dialect)
        outside, self.include = self.include, words.include
        ours, self.dialect = self.dialect, Dialect(OURS)
        for file in words.files:
            self.file(file)
        self.include, self.dialect = outside, ours

    def file(self, source: Source) -> None:
        """Read a file, once."""
        if source in self.seen:
            return
        self.seen.add(source)
        self.statements(source, tree_of(source, self.dialect).statements)

    def readings(self) -> None:
        """Read the files of other readings, which speak of what the model defines anywhere."""
        for source in self.wanted.values():
            self.file(source)

    def statements(self, source: Source, statements: Iterable[Statement]) -> None:
        """Read statements one after the other."""
        for statement in statements:
            self.statement(source, statement)

    def statement(self, source: Source, statement: Statement) -> None:
        """Read one statement; what it defines is known from then on."""
        match statement:
            case Let():
                self.names = self.bind(source, statement.bindings, statement.recursive, self.names, whole=True)
                if statement.when is not None:
                    self.statement(source, statement.when)
            case Check() | Undef():
                self.visit(source, statement.expression, self.names)
                self.rule(source, statement)
            case Override():
                self.override(source, statement)
            case Include():
                other = self.include(statement.file, source)
                if other is not None:
                    found = NameDefinition(statement.file, FILE, other)
                    self.found.append(NameOccurrence(source, statement.span, found))
                    self.file(other)
            case Conditional():
                self.statements(source, (*statement.yes, *statement.no))
            case Readings():
                self.wanted |= {name: file for name in statement.names if (file := reading(name)) is not None}
            case With():
                self.visit(source, statement.orders, self.names)
                span = _inside(source, statement.span, statement.name)
                made = self.define(source, statement.name, ORDER, span, statement.doc)
                self.names = {**self.names, statement.name: made}
            case Procedure():
                self.procedure(source, statement)
            case Call():
                self.visit(source, statement.arguments, self.names)
                if statement.name in self.procedures:
                    span = _inside(source, statement.span, statement.name)
                    self.found.append(NameOccurrence(source, span, self.procedures[statement.name]))
            case Levels():
                self.levels = statement.levels

    def rule(self, source: Source, statement: Check | Undef) -> None:
        """Note the name of a rule, if it has one of its own."""
        span = _last(source, statement.span, statement.name)
        if span is not None:
            self.rules[statement.name] = self.define(source, statement.name, RULE, span, statement.doc)

    def override(self, source: Source, override: Override) -> None:
        """Read what replaces a definition or a rule: its name is a use of what it replaces."""
        statement = override.statement
        if not isinstance(statement, Let):
            self.visit(source, statement.expression, self.names)
            span = _last(source, statement.span, statement.name)
            if span is not None and statement.name in self.rules:
                self.found.append(NameOccurrence(source, span, self.rules[statement.name]))
            return
        for b in statement.bindings:
            if b.name in self.names:
                self.found.append(NameOccurrence(source, b.span, self.names[b.name]))
            self.visit(source, b, self.names)

    def procedure(self, source: Source, statement: Procedure) -> None:
        """Read a procedure; what it defines is known inside alone."""
        span = _inside(source, statement.span, statement.name)
        self.procedures[statement.name] = self.define(source, statement.name, PROCEDURE, span, Doc())
        outside = self.names
        given = {p: NameDefinition(p, PARAMETER, source, span, text=statement.name) for p in statement.parameters}
        self.names = {**self.names, **given}
        self.statements(source, statement.body)
        self.names = outside

    # ------------------------------------------------------------ definitions and uses

    def define(self, source: Source, name: str, kind: str, span: Span, doc: Doc, text: str = "") -> NameDefinition:
        """Note a definition where it stands, and return it."""
        made = NameDefinition(name, kind, source, span, doc, text)
        self.found.append(NameOccurrence(source, span, made, defines=True))
        return made

    def bind(
        self, source: Source, bindings: Iterable[Binding], recursive: bool, scope: Scope, *, whole: bool
    ) -> dict[str, NameDefinition]:
        """Return what is known behind bindings, of which those that are `whole` are of the file."""
        bindings = tuple(bindings)
        known = dict(scope)
        for b in bindings:
            kind = (FUNCTION if b.parameters is not None else DEFINITION) if whole else LOCAL
            known[b.name] = self.define(source, b.name, kind, b.span, b.doc, written(source, b))
        for b in bindings:
            self.visit(source, b, known if recursive else scope)
        return known

    def visit(self, source: Source, tree: object, scope: Scope) -> None:
        """Note the names of an expression."""
        match tree:
            case Name():
                self.use(source, tree, scope)
            case tuple():
                for part in tree:
                    self.visit(source, part, scope)
            case Match():
                self.visit(source, (tree.value, tree.nothing), scope)
                inner = {n: NameDefinition(n, LOCAL, source, tree.span) for n in (tree.first, tree.rest)}
                self.visit(source, tree.some, {**scope, **inner})
            case Binding():
                names = tree.parameters or ()
                given = {p: NameDefinition(p, PARAMETER, source, tree.span, text=tree.name) for p in names}
                self.visit(source, tree.body, {**scope, **given})
            case Lambda():
                self.visit(source, tree.binding, scope)
            case Local():
                inside = self.bind(source, tree.bindings, tree.recursive, scope, whole=False)
                self.visit(source, tree.body, inside)
            case Span() | Doc():
                pass
            case _:
                for name in names_of(tree):
                    self.visit(source, getattr(tree, name), scope)

    def use(self, source: Source, name: Name, scope: Scope) -> None:
        """Note the use of a name that is known."""
        found = scope.get(name.text) or primitive(name.text, self.levels)
        if found is not None:
            self.found.append(NameOccurrence(source, name.span, found))


def primitive(name: str, levels: Hierarchy) -> NameDefinition | None:
    """Return what a name of ours stands for that no text defines; None if it is none."""
    known = primitives(levels)
    if name in FUNCTIONS:
        function = FUNCTIONS[name]
        written_so = f"{name}({', '.join(function.parameters)})"
        return NameDefinition(name, PRIMITIVE, doc=Doc(text=function.text), text=written_so)
    found = known.get(ALIASES.get(name, name))
    return None if found is None else NameDefinition(name, PRIMITIVE, doc=Doc(text=found.text))


def _inside(source: Source, span: Span, name: str) -> Span:
    """Return where a name stands first in a statement, as a word."""
    return _found(source, span, name, last=False) or Span(span.line, span.column, len(name))


def _last(source: Source, span: Span, name: str) -> Span | None:
    """Return where the name of a rule stands at its end; None for one that is called by its text."""
    return _found(source, span, name, last=True)


def _found(source: Source, span: Span, name: str, *, last: bool) -> Span | None:
    start, end = places(source.text).offsets(span)
    pattern = rf"as\s+({re.escape(name)})\s*$" if last else rf"(?<![\w.-])({re.escape(name)})(?![\w.'-])"
    match = re.search(pattern, source.text[start:end])
    return None if match is None else places(source.text).span(start + match.start(1), len(name))
