"""From the text of a model to the graph of its terms.

What goes in: a `Source`, the choice of variants, and how to find included files. What comes out: a `Model` in which
functions are inlined, conditions decided and includes spliced. Mistakes are collected, one per statement, and raised
together as one `InputError`; a definition that was refused is not reported again where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import TypeAlias

from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.litmus.words import AMDGPU
from axmem.model import orders, readings
from axmem.model.builder import Builder
from axmem.model.cursor import Refusal
from axmem.model.files import PRELUDE_SOURCE, Finder, Vocabulary
from axmem.model.meaning import CatInterpreter, TooManySteps, UnknownName, UsesBroken
from axmem.model.model import Model
from axmem.model.overrides import ElaboratedStatement, Overrides
from axmem.model.parser import parse
from axmem.model.primitives import ALIASES, FUNCTIONS, primitives
from axmem.model.quantities import Broken, CatString, NameScope, OrderFamily, Quantity, QuantityKind, Value
from axmem.model.remarks import FORMS
from axmem.model.scoping import free_names
from axmem.model.syntax import (
    After,
    Binding,
    Call,
    Check,
    Conditional,
    Declaration,
    Default,
    File,
    Include,
    Let,
    Levels,
    Override,
    Procedure,
    Readings,
    Statement,
    Undef,
    With,
)
from axmem.model.terms import Axiom, AxiomKind, Definition, Doc, Foreign, UndefRule
from axmem.model.variants import Variants

MAX_INCLUDES = 30

Trees: TypeAlias = Callable[[Source], File]
"""Return the syntax tree of a source."""


def elaborate(
    source: Source,
    variants: Mapping[str, str],
    include: Finder,
    trees: Trees = parse,
    vocabulary: Vocabulary | None = None,
) -> Model:
    """Return the model that a file of cat describes under a choice of variants.

    The model is named after the file; `trees` reads it and what it includes; without a `vocabulary` its names are ours.
    Raises `InputError` for what is wrong in the text and `UnknownVariant` for what is wrong in the choice.
    """
    tree = trees(source)
    elaborator = Elaborator(variants, include, trees)
    elaborator.whole(source, tree, vocabulary)
    found = elaborator.model(PurePath(source.name).stem, tree.title)
    return found if vocabulary is None else replace(found, dialect=vocabulary.label)


class Elaborator:
    """What one elaboration has gathered so far; several may share a builder, and so their terms."""

    def __init__(
        self, variants: Mapping[str, str], include: Finder, trees: Trees = parse, builder: Builder | None = None
    ) -> None:
        self.builder = builder or Builder()
        self.variants = Variants(variants)
        self.reader = CatInterpreter(self.builder, self.variants)
        self.include = include
        self.trees = trees
        self.names: dict[str, Value] = {}
        self.open_files: list[Source] = []
        self.diagnostics: list[Diagnostic] = []
        self.incomplete = False
        """Whether what a file includes could not be read: it may define any name that is unknown from then on."""
        self.definitions: list[Definition] = []
        self.axioms: list[Axiom] = []
        self.undefs: list[UndefRule] = []
        self.foreign: list[Foreign] = []
        self._own: dict[str, str] = {}
        """The names that definitions have given since they were last counted, with their files."""
        self.procedures: dict[str, tuple[Procedure, NameScope]] = {}
        self.overrides = Overrides()
        self.readings: dict[str, Source] = {}
        """The files of the readings, by their names."""
        self.added: list[tuple[Source, Statement]] = []
        """What readings add to the model, at its end."""
        self._trees: list[File] = []

    def whole(self, source: Source, tree: File, vocabulary: Vocabulary | None = None) -> None:
        """Elaborate a model's file, which the prelude precedes, and then what its names stand for."""
        self.file(PRELUDE_SOURCE, parse(PRELUDE_SOURCE))
        if vocabulary is not None:
            self._close(vocabulary)
        self.file(source, tree)
        for file, statement in self.added:
            self._guarded(file, statement)

    def _close(self, vocabulary: Vocabulary) -> None:
        """Let the names that a vocabulary defines be all there are."""
        self._own = {}
        include, self.include = self.include, vocabulary.include
        for file in vocabulary.files:
            self.file(file, parse(file))
        self.include = include
        for axiom in self.axioms:
            if axiom.flag:
                self.foreign.append(Foreign(axiom.term, axiom.doc.text.rstrip(".").lower(), axiom.source, axiom.span))
        self.axioms = [axiom for axiom in self.axioms if not axiom.flag]
        universe = self.names.get("universe")
        hidden = {name for name, file in self._own.items() if name.startswith("_") or "/" in file} | {"universe"}
        self.names = {name: value for name, value in self.names.items() if name in self._own and name not in hidden}
        if isinstance(universe, Quantity):
            self.builder.every = universe.term
        self.reader.dialect = vocabulary.label

    def file(self, source: Source, tree: File) -> None:
        """Elaborate the statements of a file."""
        self.open_files.append(source)
        if source is not PRELUDE_SOURCE:
            self._trees.append(tree)
        for statement in tree.statements:
            self._guarded(source, statement)
        self.open_files.pop()

    def _guarded(self, source: Source, statement: Statement) -> None:
        """Elaborate one statement, or what stands in its place, and note what is wrong with it."""
        placed: tuple[ElaboratedStatement, ...] = (ElaboratedStatement(source, statement, {}),)
        if isinstance(statement, Let | Check | Undef):
            try:
                placed = self.overrides.places(source, statement)
            except Refusal as refusal:
                self.diagnostics.append(refusal.diagnostic)
        for one in placed:
            self._guarded_one(one.source, one.statement, one.sources)

    def _guarded_one(self, source: Source, statement: Statement, sources: Mapping[str, Source]) -> None:
        try:
            self._statement(source, statement, sources)
            return
        except UnknownName as refusal:
            self._note_unknown(source, statement)
            found = refusal.diagnostic
            if not self.incomplete and all((d.source, d.span) != (found.source, found.span) for d in self.diagnostics):
                self.diagnostics.append(found)
        except Refusal as refusal:
            self.diagnostics.append(refusal.diagnostic)
        except UsesBroken:
            self._note_unknown(source, statement)
        except TooManySteps:
            message = "the model is too large once its functions are written out"
            raise InputError([*self.diagnostics, Diagnostic(source, statement.span, message)]) from None
        # What was refused has a name all the same: its uses would only repeat the mistake (`UsesBroken`).
        if isinstance(statement, Let):
            self.names = {**self.names, **{b.name: Broken() for b in statement.bindings}}
        elif isinstance(statement, With):
            self.names = {**self.names, statement.name: Broken()}

    def _note_unknown(self, source: Source, statement: Statement) -> None:
        """Note the names of a statement that nothing defines."""
        if self.incomplete:
            return
        scope = NameScope(source, self.names)
        for name in free_names(statement):
            if name.text not in self.names and not self.reader.knows(name.text):
                self.diagnostics.append(self.reader.unknown(name, scope))

    def _statement(self, source: Source, statement: Statement, sources: Mapping[str, Source]) -> None:
        scope = NameScope(source, self.names)
        match statement:
            case Let():
                self._let(scope, statement, sources)
            case Check():
                self._check(scope, statement)
            case Undef():
                term = self.reader.set_(statement.expression, scope, "`undef` needs")
                self.undefs.append(UndefRule(term, statement.name, statement.doc, source, statement.span))
            case Include():
                self._include(source, statement)
            case Conditional():
                holds = self.reader.holds(statement.condition, scope)
                self._leave_out(source, statement.no if holds else statement.yes)
                for inner in statement.yes if holds else statement.no:
                    self._guarded(source, inner)
            case Override():
                self.overrides.add(source, source.name, statement, (), active=True)
            case Readings():
                readings.read(self, source, statement)
            case After():
                self.overrides.order(source, source.name, statement)
            case Declaration():
                self.note(self.variants.declare(source, statement))
            case Default():
                self.note(self.variants.set_default(source, statement))
            case Levels():
                self._levels(source, statement)
            case With():
                self._with(scope, statement)
            case Procedure():
                self.procedures[statement.name] = statement, scope
            case Call():
                self._call(scope, statement)

    def _leave_out(self, source: Source, statements: Iterable[Statement]) -> None:
        """Note the overrides of a branch that is not taken: what they replace must be there all the same."""
        for statement in statements:
            if isinstance(statement, Override):
                self.overrides.add(source, source.name, statement, (), active=False)
            elif isinstance(statement, Conditional):
                self._leave_out(source, (*statement.yes, *statement.no))

    def note(self, diagnostic: Diagnostic | None) -> None:
        """Keep a diagnostic, if there is one."""
        if diagnostic is not None:
            self.diagnostics.append(diagnostic)

    def _levels(self, source: Source, statement: Levels) -> None:
        """Let the model speak of these levels, which nothing has done before."""
        if statement.levels == self.reader.levels:
            return
        own = [d for d in self.definitions if d.source != PRELUDE_SOURCE]
        if own or self.axioms or self.undefs or self.reader.levels != AMDGPU:
            hint = "it stands above all definitions, rules and includes"
            raise _refuse(source, statement.span, "`@levels` comes after what may speak of other levels", hint)
        taken = {*primitives(()), *ALIASES, *FUNCTIONS, *self.names}
        for name in [f"{same}{level.word}" for level in statement.levels for same in ("", "same-")]:
            if name in taken:
                raise _refuse(source, statement.span, f"`{name}` names no level: it has another meaning in every model")
        self.reader.levels = statement.levels

    def _let(self, scope: NameScope, statement: Let, sources: Mapping[str, Source]) -> None:
        bound = self.reader.bind(statement.bindings, statement.recursive, scope, sources)
        self.names = {**self.names, **bound}
        self._own.update(dict.fromkeys(bound, scope.source.name))
        for b in statement.bindings:
            value = bound[b.name]
            if isinstance(value, Quantity):
                self.builder.named.add(value.term)
                source = sources.get(b.name, scope.source)
                self.definitions.append(Definition(b.name, value.term, b.doc, source, b.span))
            elif isinstance(value, CatString):
                raise _refuse(scope.source, b.span, f"`{b.name}` would name a string", "strings are only arguments")

        for b in statement.bindings:
            self._check_remarks(sources.get(b.name, scope.source), b, bound[b.name])
        if statement.when is not None:
            # What is acyclic, irreflexive or empty at the end, where it has grown as far as it does, was so on the way.
            self._check(NameScope(scope.source, self.names), statement.when)

    def _with(self, scope: NameScope, statement: With) -> None:
        """Let a name stand for an order that the execution chooses."""
        value = self.reader.value(statement.orders, scope)
        if not isinstance(value, OrderFamily) or not value.joined:
            hint = "as `generate_cos(r)`, `linearisations(S, r)` and `partial-orders(r, s)` are"
            raise _refuse(scope.source, statement.span, "`with … from` needs a set of orders", hint)
        term, missing = orders.chosen(self.reader, statement.name, value)
        self.names = {**self.names, statement.name: Quantity(QuantityKind.RELATION, term)}
        self.builder.named.add(term)
        self.definitions.append(Definition(statement.name, term, statement.doc, scope.source, statement.span))
        if not self.builder.is_empty(missing):
            doc = Doc(text=f"{statement.name} contains what it is chosen to extend")
            self.axioms.append(Axiom(
                AxiomKind.EMPTY, missing, f"{statement.name}-extends", negated=False, flag=False, doc=doc,
                source=scope.source, span=statement.span,
            ))  # fmt: skip

    def _call(self, scope: NameScope, statement: Call) -> None:
        """Elaborate what a procedure says, of the arguments of its call; the names that it defines are its own."""
        if statement.name not in self.procedures:
            if self.incomplete:
                raise UsesBroken
            hint = did_you_mean(statement.name, self.procedures)
            raise _refuse(scope.source, statement.span, f"unknown procedure `{statement.name}`", hint)
        procedure, around = self.procedures[statement.name]
        if len(statement.arguments) != len(procedure.parameters):
            given = f"{len(procedure.parameters)} arguments, {len(statement.arguments)} given"
            raise _refuse(scope.source, statement.span, f"`{statement.name}` takes {given}")
        if len(self.open_files) > MAX_INCLUDES:
            raise _refuse(scope.source, statement.span, f"procedures and includes nest more than {MAX_INCLUDES} deep")
        given_values = [self.reader.value(a, scope) for a in statement.arguments]
        outside, self.names = self.names, {**around.names, **dict(zip(procedure.parameters, given_values, strict=True))}
        self.open_files.append(around.source)
        for inner in procedure.body:
            self._guarded(around.source, inner)
        self.open_files.pop()
        self.names = outside

    def _check_remarks(self, source: Source, binding: Binding, value: Value) -> None:
        """Note what is wrong with what is said of a definition: where it stands, or the names in brackets."""
        for remark in binding.doc.remarks:
            form, known = FORMS[remark.word], {*self.names, *primitives(self.reader.levels)}
            taken = (form.sets, form.relations, True)
            kinds = tuple(zip((QuantityKind.SET, QuantityKind.RELATION, QuantityKind.EITHER), taken, strict=True))
            if not (isinstance(value, Quantity) and (value.kind, True) in kinds):
                wanted = " or ".join(kind.value for kind, fits in kinds[:2] if fits)
                self.note(Diagnostic(source, binding.span, f"`@{remark.word}` speaks of {wanted}, which this is not"))
            for name in remark.names:
                if name not in known:
                    message = f"`@{remark.word}` names `{name}`, which nothing above defines"
                    self.note(Diagnostic(source, binding.span, message, did_you_mean(name, known)))

    def _check(self, scope: NameScope, statement: Check) -> None:
        need = f"`{statement.kind.value}` needs"
        if statement.kind is AxiomKind.EMPTY:
            q = self.reader.quantity(statement.expression, scope, need)
            term = q.term if q.kind is not QuantityKind.EITHER else self.builder.empty_relation
        else:
            term = self.reader.relation(statement.expression, scope, need)
        axiom = Axiom(
            statement.kind,
            term,
            statement.name,
            statement.negated,
            statement.flag,
            statement.doc,
            scope.source,
            statement.span,
        )
        # A file that two files include states its rules once (the place is part of an axiom, so others stay).
        if axiom not in self.axioms:
            self.axioms.append(axiom)

    def _include(self, source: Source, statement: Include) -> None:
        found = self.include(statement.file, source)
        if found is None:
            self.incomplete = True
            hint = "it is read below the model's directory, from built-in models, and below that of --include DIR"
            raise _refuse(source, statement.span, f'cannot find the included file "{statement.file}"', hint)
        names = [s.name for s in self.open_files]
        if found.name in names:
            chain = " includes ".join([*names[names.index(found.name) :], found.name])
            raise _refuse(source, statement.span, "this include never ends", chain)
        if len(names) > MAX_INCLUDES:
            raise _refuse(source, statement.span, f"includes nest more than {MAX_INCLUDES} deep")
        try:
            tree = self.trees(found)
        except InputError as error:
            self.diagnostics += error.diagnostics
            self.incomplete = True
            return
        self.file(found, tree)

    def check(self) -> None:
        """Raise what was found wrong."""
        self.diagnostics += self.variants.undeclared_defaults()
        self.diagnostics += self.overrides.wrong(self._trees, self.readings)
        if self.diagnostics:
            raise InputError(self.diagnostics)
        self.variants.check_choice()

    def model(self, name: str, title: str) -> Model:
        """Return the model, or raise what was found wrong."""
        self.check()
        holders: list[Definition | Axiom | UndefRule | Foreign]
        holders = [*self.definitions, *self.axioms, *self.undefs, *self.foreign]
        compact = self.builder.compact(h.term for h in holders)
        declared = tuple(self.variants.declared.values())
        return Model(
            name=name,
            title=title or name,
            terms=compact.terms,
            fixpoints=compact.fixpoints,
            axioms=tuple(replace(a, term=compact.place[a.term]) for a in self.axioms),
            undefs=tuple(replace(u, term=compact.place[u.term]) for u in self.undefs),
            definitions=tuple(replace(d, term=compact.place[d.term]) for d in self.definitions),
            variants=declared,
            chosen=tuple(sorted((v.name, self.variants.value(v)) for v in declared)),
            levels=self.reader.levels,
            foreign=tuple(replace(f, term=compact.place[f.term]) for f in self.foreign),
        )


def _refuse(source: Source, span: Span, message: str, hint: str = "") -> Refusal:
    return Refusal(Diagnostic(source, span, message, hint))
