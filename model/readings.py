"""Readings of a model: files of overrides, one for each question that the documents leave open.

What goes in: a directive `@readings name …` and whoever elaborates the model. What comes out: the variants that the
files `readings/NAME.cat` declare are declared, their overrides are noted, and what they add to the model stands ready
for its end. A reading holds `@variant`, `@after`, and under `if "name=value" … end` overrides, the definitions that
these need, which stand directly above them, and rules that are added. Nothing that it defines is known elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from axmem.front.source import Diagnostic, InputError, Source, did_you_mean
from axmem.model.cursor import Refusal
from axmem.model.files import Finder
from axmem.model.overrides import Overrides
from axmem.model.quantities import NameScope
from axmem.model.syntax import (
    After,
    Check,
    Condition,
    Conditional,
    Declaration,
    File,
    Let,
    Override,
    Readings,
    Statement,
    Undef,
)
from axmem.model.variants import Variants

FOLDER = "readings"
_PLACE = "a reading holds variants, overrides, what these need, and rules that it adds"


class _Holds(Protocol):
    def holds(self, condition: Condition, scope: NameScope) -> bool: ...


class Gathering(Protocol):
    """What of an elaboration readings change."""

    include: Finder
    trees: Callable[[Source], File]
    overrides: Overrides
    readings: dict[str, Source]
    variants: Variants
    added: list[tuple[Source, Statement]]
    diagnostics: list[Diagnostic]

    @property
    def reader(self) -> _Holds:
        """What decides conditions."""

    def note(self, diagnostic: Diagnostic | None) -> None:
        """Keep a diagnostic, if there is one."""


def read(whole: Gathering, source: Source, directive: Readings) -> None:
    """Read the files that a directive names: what they declare first, since they speak of each other's variants."""
    found: list[tuple[str, Source, tuple[Statement, ...]]] = []
    for name in directive.names:
        file = whole.include(f"{FOLDER}/{name}.cat", source)
        if file is None:
            hint = did_you_mean(name, whole.readings) or f"it is read from {FOLDER}/{name}.cat beside this file"
            whole.note(Diagnostic(source, directive.span, f"cannot find the reading `{name}`", hint))
            continue
        if whole.readings.setdefault(name, file) is not file:
            continue
        try:
            found.append((name, file, whole.trees(file).statements))
        except InputError as error:
            whole.diagnostics += error.diagnostics
    for _, file, statements in found:
        for statement in statements:
            if isinstance(statement, Declaration):
                whole.note(whole.variants.declare(file, statement))
    for name, file, statements in found:
        _section(whole, name, file, statements, active=True)


def _section(whole: Gathering, name: str, file: Source, statements: Iterable[Statement], *, active: bool) -> None:
    """Note what the statements of a reading replace and add, if the choice of variants is such that they count."""
    brought: list[Let] = []
    for statement in statements:
        match statement:
            case Declaration():
                pass
            case After():
                whole.overrides.order(file, name, statement)
            case Let():
                brought.append(statement)
            case Override():
                whole.overrides.add(file, name, statement, tuple(brought), active)
                brought = []
            case Check() | Undef():
                whole.added += [(file, each) for each in (*brought, statement) if active]
                brought = []
            case Conditional():
                try:
                    holds = whole.reader.holds(statement.condition, NameScope(file, {}))
                except Refusal as refusal:
                    whole.note(refusal.diagnostic)
                    continue
                _section(whole, name, file, statement.yes, active=active and holds)
                _section(whole, name, file, statement.no, active=active and not holds)
            case _:
                whole.note(Diagnostic(file, statement.span, "this stands in no reading", _PLACE))
    for left in brought:
        whole.note(Diagnostic(file, left.bindings[0].span, "no override below it needs this definition", _PLACE))
