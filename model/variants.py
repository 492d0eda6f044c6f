"""The variants of a model: which are declared, which value each has, and what a condition of the text asks.

What goes in: declarations and defaults in the order of the text, and the choice of the caller. The value of a variant
is the caller's, else that of the first `@default` read (an including file stands before what it includes), else the
starred one. A name without declaration that a condition tests is a flag: `off` unless the caller turns it `on`.
A former name of a variant stands for it, with a note, wherever no variant of that name is declared.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

from axmem.front.notes import note
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.model.terms import Variant

if TYPE_CHECKING:
    from axmem.model.syntax import Declaration, Default

FLAG_VALUES = ("off", "on")

FORMER = {"av.a2": "av.tags", "vis.v1": "vis.instance", "val.rule2": "val.scopes"}
"""What variants were called in the release before, and what they are called now."""


class UnknownVariant(InputError):
    """The caller chose a variant or a value that the model does not have."""


def present_name(name: str, declared: Container[str]) -> str:
    """Return what a variant is called now; a note says so if that is not what the caller calls it."""
    new = FORMER.get(name)
    if new is None or name in declared or new not in declared:
        return name
    note(f"the variant '{name}' is now called '{new}'; the next release will not know the old name")
    return new


def present_names(settings: Mapping[str, str], declared: Container[str]) -> dict[str, str]:
    """Return settings under the present names of the variants; what stands under the present name counts."""
    found = {present_name(name, declared): value for name, value in settings.items()}
    return {**found, **{name: value for name, value in settings.items() if name in found}}


class Variants:
    """The variants met so far, and the value of each."""

    def __init__(self, chosen: Mapping[str, str]) -> None:
        self.chosen = dict(chosen)
        self.declared: dict[str, Variant] = {}
        self.defaults: dict[str, tuple[str, Source, Span]] = {}

    def declare(self, source: Source, declaration: Declaration) -> Diagnostic | None:
        """Add a variant; return the diagnostic if it contradicts an earlier declaration or default."""
        name = declaration.name
        earlier = self.declared.get(name)
        if earlier is None:
            self._rename(name)
            default, place, span = self.defaults.get(name, (declaration.default, source, declaration.span))
            right = default if default in declaration.values else declaration.default
            self.declared[name] = Variant(name, declaration.values, right, declaration.text)
            if right == default:
                return None
            return Diagnostic(place, span, f"variant `{name}` has no value `{default}`", _known(declaration.values))
        if earlier.values == declaration.values:
            return None
        message = f"variant `{name}` is declared again with other values"
        return Diagnostic(source, declaration.span, message, f"before: {' | '.join(earlier.values)}")

    def _rename(self, name: str) -> None:
        """Let what was said of a variant under its former name count for it, now that it is declared."""
        declared = {name, *self.declared}
        self.chosen = present_names(self.chosen, declared)
        defaults = self.defaults
        self.defaults = {}
        for given, default in defaults.items():
            self.defaults.setdefault(present_name(given, declared), default)

    def set_default(self, source: Source, default: Default) -> Diagnostic | None:
        """Remember a default for a variant declared later; the first one read counts."""
        if present_name(default.name, self.declared) in self.declared:
            message = f"the default of `{default.name}` comes after its declaration"
            return Diagnostic(source, default.span, message, "put it above the `include`")
        # An including file is read before what it includes: who comes first is further out, and wins.
        earlier = self.defaults.setdefault(default.name, (default.value, source, default.span))
        if earlier[1] == source and earlier[2] != default.span:
            return Diagnostic(source, default.span, f"`{default.name}` has a default already")
        return None

    def holds(self, source: Source, text: str, span: Span) -> bool | Diagnostic:
        """Tell whether the variant named in a condition has the value asked for."""
        name, equals, value = text.partition("=")
        name = present_name(name, self.declared)
        # `if "flag"` declares the flag, so that it can be chosen; `if "name=value"` asks for a declaration.
        if name not in self.declared and not equals:
            self.declared[name] = Variant(name, FLAG_VALUES, "off", "")
        if name not in self.declared:
            hint = did_you_mean(name, self.declared) or f"declare it: (** @variant {name} = *{value or 'value'} | … *)"
            return Diagnostic(source, span, f"unknown variant `{name}`", hint)
        variant = self.declared[name]
        if not equals and "on" not in variant.values:
            asked = f'ask for one: "{name}={variant.values[0]}"'
            return Diagnostic(source, span, f"variant `{name}` has values, and is not on or off", asked)
        value = value if equals else "on"
        if value not in variant.values:
            wrong = f"variant `{name}` has no value `{value}`"
            return Diagnostic(source, span, wrong, did_you_mean(value, variant.values) or _known(variant.values))
        return self.value(variant) == value

    def value(self, variant: Variant) -> str:
        """Return the value that a declared variant has here."""
        return self.chosen.get(variant.name, variant.default)

    def undeclared_defaults(self) -> list[Diagnostic]:
        """Return a diagnostic for each default of a variant that no file declared."""
        return [
            Diagnostic(source, span, f"unknown variant `{name}`", did_you_mean(name, self.declared))
            for name, (_, source, span) in self.defaults.items()
            if name not in self.declared
        ]

    def check_choice(self) -> None:
        """Raise `UnknownVariant` if the caller chose what is not there."""
        found = []
        for name, value in sorted(self.chosen.items()):
            text = Source("--variant", f"{name}={value}")
            if name not in self.declared:
                known = did_you_mean(name, self.declared) or _known(self.declared) if self.declared else "it has none"
                found.append(Diagnostic(text, Span(1, 1, len(name)), f"the model has no variant '{name}'", known))
            elif value not in self.declared[name].values:
                place = Span(1, len(name) + 2, len(value))
                hint = _known(self.declared[name].values)
                found.append(Diagnostic(text, place, f"variant '{name}' has no value '{value}'", hint))
        if found:
            raise UnknownVariant(found)


def _known(words: Mapping[str, Variant] | tuple[str, ...]) -> str:
    return f"known: {', '.join(words)}"
