"""Which models a test is run under.

What goes in: models as anyone names them (`AnyModel`) with variants, and a test. What comes out: `ModelChoice`s, each a
built-in name or the path of a cat file with variants, and the models themselves, none twice. Invariant: a variant that
is set for all goes to every model that declares it, and to no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from axmem.formats.reading import as_test
from axmem.front.notes import note
from axmem.front.records import dataclass, field, replace
from axmem.front.source import Diagnostic, InputError, did_you_mean, mistake
from axmem.litmus.syntax import LitmusTest, ModelChoice
from axmem.model.library import load, names
from axmem.model.model import Model
from axmem.model.variants import present_names

DEFAULT_MODEL = "amdgpu"

AnyModel: TypeAlias = str | ModelChoice | Model
"""A model as callers give it: `amdgpu`, `my.cat`, `amdgpu[vis.instance=literal]`, the same as a choice, or loaded."""

_REFERENCE = re.compile(r"(?P<model>[^\[\]]+)(?:\[(?P<variants>[^\[\]]*)\])?")
_SEPARATOR = re.compile(r",(?![^\[]*\])")
_SETTING = re.compile(r"\s*(?P<name>[^=,\s]+)\s*=\s*(?P<value>[^=,\s]+)\s*")


def parse_choice(text: str, option: str = "--model") -> ModelChoice:
    """Read `amdgpu`, `my.cat` or `amdgpu[vis.instance=literal,coh=langref]`."""
    match = _REFERENCE.fullmatch(text)
    if match is None:
        raise mistake(option, "a model is written NAME, FILE.cat, or NAME[variant=value,…]", text=text)
    settings = tuple(parse_setting(s, option) for s in (match["variants"] or "").split(",") if s.strip())
    return ModelChoice(match["model"].strip(), settings)


def separated(models: Iterable[str]) -> Iterator[str]:
    """Yield the models that words of a command line list: `llvm,amdgpu[coh=langref,sc=cxx20]` lists two."""
    for text in models:
        yield from (part.strip() for part in _SEPARATOR.split(text))


def parse_setting(text: str, option: str = "--variant") -> tuple[str, str]:
    """Read `name=value`."""
    match = _SETTING.fullmatch(text)
    if match is None:
        raise mistake(option, "a variant is set by NAME=VALUE", text=text)
    return match["name"], match["value"]


def read_both(test: str | LitmusTest, model: AnyModel) -> tuple[LitmusTest, Model]:
    """Return a test and a model, which callers give as texts, too. Raises InputError as `loaded` and `as_test` do."""
    return as_test(test), loaded(model)


def loaded(model: AnyModel, variants: Mapping[str, str] | None = None) -> Model:
    """Return a model; `variants` are set where it declares them and the choice does not, and not in a loaded one.

    Raises InputError for a model that does not load and for a variant that it does not have.
    """
    if isinstance(model, Model):
        return model
    choice = parse_choice(model) if isinstance(model, str) else model
    if not variants:
        return load(choice.model, dict(choice.variants))
    declared = {v.name for v in load(choice.model).variants}
    further = {name: value for name, value in present_names(variants, declared).items() if name in declared}
    return load(choice.model, {**further, **dict(choice.variants)})


def choice_of(model: AnyModel) -> ModelChoice:
    """Return how a model was chosen; one that is loaded by its name and the variants that are not at their defaults."""
    if isinstance(model, Model):
        return ModelChoice(model.name, model.changed)
    return parse_choice(model) if isinstance(model, str) else model


def label(model: AnyModel) -> str:
    """Return how a model and its variants are written: `amdgpu[vis.instance=literal]`."""
    return choice_of(model).label


@dataclass(frozen=True, slots=True)
class Selection:
    """Models and variants of a command line, which load. Without `choices` a test says what it is run under."""

    choices: tuple[ModelChoice, ...] = ()
    variants: Mapping[str, str] = field(default_factory=dict)

    def models(self, test: LitmusTest) -> tuple[ModelChoice, ...]:
        """Return the models for a test. Raises InputError for what the test says of models."""
        named = [(choice.model, loaded(choice, self.variants)) for choice in self.choices]
        return tuple(ModelChoice(name, model.changed) for name, model in named or runs(test, (), self.variants))


def selection(models: Iterable[str], settings: Iterable[str] = (), *, option: str = "--model") -> Selection:
    """Read models and variants of a command line. Raises InputError for those that do not load or do not exist."""
    choices = tuple(parse_choice(text, option) for text in separated(models))
    variants = dict(parse_setting(text) for text in settings)
    for choice in choices:
        loaded(choice)
    check_settings(choices, variants)
    for choice in choices:
        found = loaded(choice, variants).warnings
        if found:
            note(f"{choice.model}: {found[0].message}" + (f" ({len(found) - 1} more)" if len(found) > 1 else ""))
    return Selection(choices, variants)


def check_settings(choices: Iterable[ModelChoice], variants: Mapping[str, str]) -> None:
    """Raise InputError for a variant that none of the models (of none chosen: no built-in one) declares."""
    if not variants:
        return
    models = tuple(choices) or tuple(ModelChoice(name) for name in names())
    declared = {v.name for choice in models for v in load(choice.model).variants}
    found: list[Diagnostic] = []
    for name, value in present_names(variants, declared).items():
        if name not in declared:
            hint = did_you_mean(name, declared) or f"known: {', '.join(sorted(declared)) or 'none'}"
            message = f"no chosen model has a variant '{name}'"
            found += mistake("--variant", message, hint, text=f"{name}={value}").diagnostics
    if found:
        raise InputError(found)


def mentioned(test: LitmusTest) -> tuple[ModelChoice, ...]:
    """Return the models of a test's expectations and outcome sets, each once, in the order of the text."""
    choices = [c for block in test.expectations for c in block.models]
    choices += [c for block in test.outcome_sets for c in block.models]
    return tuple(dict.fromkeys(sorted(choices, key=lambda c: (c.span.line, c.span.column))))


def runs(
    test: LitmusTest, given: tuple[ModelChoice, ...], variants: Mapping[str, str]
) -> tuple[tuple[str, Model], ...]:
    """Return the models to run a test under, in order: those given, else those the test expects something of.

    Where there are none either, it is those the test names for that case, and at last the default.
    Each comes with the name or the path from which it was loaded. A given model that has its defaults is also run
    under the variants for which the test expects something. Raises InputError, at the place in the test where the
    choice stands there.
    """
    wanted: dict[tuple[str, tuple[tuple[str, str], ...]], Model] = {}
    expected = mentioned(test)
    for choice in given or expected or test.models or (ModelChoice(DEFAULT_MODEL),):
        model = loaded(choice, variants) if given else _from_test(test, choice, variants)
        wanted.setdefault((choice.model, model.chosen), model)
        if given and is_default(model):
            for other in expected:
                if other.model == model.name and other.variants and _declares(model, choice, other):
                    varied = _from_test(test, replace(other, model=choice.model), {})
                    wanted.setdefault((choice.model, varied.chosen), varied)
    return tuple((reference, model) for (reference, _), model in wanted.items())


def _declares(model: Model, choice: ModelChoice, other: ModelChoice) -> bool:
    """Tell whether a model has the variants that a test expects something under.

    A file may have the name of a model of ours without being it: what the test expects of that is not of the file.
    """
    declared = {v.name for v in model.variants}
    return choice.model in names() or present_names(dict(other.variants), declared).keys() <= declared


def about_choices(test: LitmusTest, files: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Yield a warning for each model of a test that nobody knows, an error for each variant that is not there.

    `files` gives the paths of the models that are not built in, by their names.
    """
    for choice in (*mentioned(test), *test.models):
        if choice.model not in (*names(), *files):
            hint = did_you_mean(choice.model, (*names(), *files)) or "give its file too"
            message = f"no built-in model has the name '{choice.model}'"
            yield Diagnostic(test.source, choice.span, message, hint, "warning")
            continue
        try:
            _from_test(test, replace(choice, model=files.get(choice.model, choice.model)), {})
        except InputError as error:
            yield from error.diagnostics


def is_default(model: Model) -> bool:
    """Tell whether every variant has its default value."""
    return not model.changed


def concerns(choice: ModelChoice, model: Model) -> bool:
    """Tell whether a choice in a test is this model under these variants."""
    if choice.model != model.name:
        return False
    defaults = {v.name: v.default for v in model.variants}
    return {**defaults, **present_names(dict(choice.variants), defaults)} == model.choice


def _from_test(test: LitmusTest, choice: ModelChoice, variants: Mapping[str, str]) -> Model:
    """Load a model that a test mentions; what is wrong with the choice is shown where it stands in the test."""
    try:
        return loaded(choice, variants)
    except InputError as error:
        if not all(d.source.name.startswith("--") for d in error.diagnostics):
            raise
        raise InputError(Diagnostic(test.source, choice.span, d.message, d.hint) for d in error.diagnostics) from None
