"""What is wrong or odd about tests and models, without running anything.

What goes in: the text of a test, or the path of a model. What comes out: diagnostics, those that matter most first.
Nothing here raises for what is wrong with a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axmem.check.selection import about_choices
from axmem.convergence.kernels import checked
from axmem.formats.reading import parse
from axmem.front.source import Diagnostic, InputError
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
    yield from _broken_tokens(test)
    yield from warnings(test)
    if test.kernels:
        yield from metadata_warnings(test)
    yield from about_choices(test, models)


def _broken_tokens(test: LitmusTest) -> Iterator[Diagnostic]:
    """Yield what breaks a rule of convergence tokens in the kernels of a test."""
    for kernel in test.kernels:
        try:
            checked(kernel, test)
        except InputError as error:
            yield from error.diagnostics


def of_model(path: str) -> Iterator[Diagnostic]:
    """Yield what is wrong with a model under its defaults and under each other value of a variant."""
    try:
        model = load(path)
    except InputError as error:
        yield from error.diagnostics
        return
    yield from model.warnings
    for variant in model.variants:
        for value in variant.values:
            try:
                load(path, {variant.name: value})
            except InputError as error:
                yield from error.diagnostics
