"""What is wrong or odd about tests and models, without running anything.

What goes in: the text of a test, or the path of a model. What comes out: diagnostics, those that matter most first.
Nothing here raises for what is wrong with a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axmem.check.selection import about_choices
from axmem.convergence.kernels import checked
from axmem.events.noalias import broken
from axmem.events.unroll import unrolled
from axmem.formats.reading import parse
from axmem.front.source import Diagnostic, InputError
from axmem.litmus.edit import untraced
from axmem.litmus.lint import warnings
from axmem.litmus.syntax import LitmusTest
from axmem.model.library import load
from axmem.transform.lint import metadata_warnings


def of_test(text: str, name: str, models: Mapping[str, str], form: str = "") -> Iterator[Diagnostic]:
    """Yield what is wrong or odd about a test, the models that it names included; `models` are files beside it."""
    try:
        test = parse(text, name, form)
    except InputError as error:
        yield from error.diagnostics
        return
    yield from of_tree(test, models)


def of_tree(test: LitmusTest, models: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Yield what is wrong or odd about a test that was read."""
    yield from _broken_tokens(test)
    yield from warnings(test)
    if test.kernels:
        yield from metadata_warnings(test)
    yield from _shared(test)
    yield from about_choices(test, models)


def _broken_tokens(test: LitmusTest) -> Iterator[Diagnostic]:
    """Yield what breaks a rule of convergence tokens in the kernels of a test."""
    for kernel in test.kernels:
        try:
            checked(kernel, test)
        except InputError as error:
            yield from error.diagnostics


def _shared(test: LitmusTest) -> Iterator[Diagnostic]:
    """Yield where a test breaks the promise of a `noalias` parameter, of each place once."""
    if untraced(test) is test:
        return
    try:
        found = {each.span: each.reason for each in reversed([*broken(unrolled(test).builder)])}
    except InputError:
        return
    hint = "where both are executed the behaviour is undefined, whatever orders them: LLVM takes for granted that"
    for span, reason in sorted(found.items(), key=lambda item: (item[0].line, item[0].column)):
        yield Diagnostic(test.source, span, reason, f"{hint} nobody does this while the function runs", "warning")


def of_model(path: str) -> Iterator[Diagnostic]:
    """Yield what is wrong with a model under its defaults and under each other value of a variant."""
    yield from of_reading(path, {})
    for setting in settings(path):
        yield from of_reading(path, setting)


def of_reading(path: str, setting: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Yield what is wrong with a model under a choice of variants; of its defaults what is odd, too."""
    try:
        model = load(path, setting)
    except InputError as error:
        yield from error.diagnostics
        return
    yield from () if setting else model.warnings


def settings(path: str) -> tuple[Mapping[str, str], ...]:
    """Return each value of each variant of a model; none of one that does not load."""
    try:
        return tuple({variant.name: value} for variant in load(path).variants for value in variant.values)
    except InputError:
        return ()
