"""Tests as they come: what every command reads, in whichever form it is.

What goes in: a text, and its form if it was named. What comes out: a well-formed test; `InputError` has everything that
is wrong with the text. The form of a text is told by its content, so that nothing else need know of forms.
"""

from __future__ import annotations

import re
from importlib import import_module  # noqa: TID251 -- of the form that is read
from pathlib import Path

from axmem.formats.forms import FORMS, LAUNCH, MODULE, SOURCE, Form, language, recognised, refused
from axmem.front.files import content
from axmem.front.source import Diagnostic, InputError, Source, Span, mistake
from axmem.litmus import parser
from axmem.litmus.lexer import LONGEST_NUMBER, TOO_LONG
from axmem.litmus.syntax import LitmusTest

OURS = re.compile(r"(?:\s|[;#][^\n]*+)*+litmus\b")
"""What a test of axmem begins with; a comment is passed as a whole, whatever words it has."""
_TOO_LONG = re.compile(TOO_LONG, re.VERBOSE)


def parse(text: str, name: str = "<string>", form: str = "") -> LitmusTest:
    """Return the checked test that a text describes; raise `InputError` with everything that is wrong with it.

    `form` is one of `axmem.formats.forms.KEYS`, or a launch of what the text defines; without it the text itself tells.
    """
    source = Source(name, text)
    launch = form.removeprefix(LAUNCH) if form.startswith(LAUNCH) else ""
    found = form_of(text, name, "" if launch else form)
    if launch:
        return _launched(found, source, launch)
    if found is not None:
        return _read(found, source)
    try:
        return parser.parse(text, name)
    except parser.Headless:
        known = None if form else recognised(source)
        if known:
            raise InputError([refused(source, *known)]) from None
        raise


def form_of(text: str, name: str = "<string>", form: str = "") -> Form | None:
    """Return the form whose reader reads a text, None if it is read as the test language; `form` as for `parse`."""
    if form:
        return next((each for each in FORMS if each.key == form), None)
    found = None if OURS.match(text) else recognised(Source(name, text))
    if found and found[0].reader:
        return found[0]
    return form_of(text, name, SOURCE) if language(name) and not OURS.match(text) else None


def is_program(text: str, name: str = "<string>", form: str = "") -> bool:
    """Say whether a text is a program, or a module of LLVM IR, and no test; `form` as for `parse`."""
    found = form_of(text, name, "" if form.startswith(LAUNCH) else form)
    return found is not None and found.key in (MODULE, SOURCE)


def parse_file(path: str | Path, form: str = "") -> LitmusTest:
    """Return the checked test in a file; raise `InputError` too when the file cannot be read."""
    try:
        text = content(path).decode("utf-8")
    except (OSError, ValueError) as reason:
        if isinstance(reason, UnicodeDecodeError):
            message = f"this file is not UTF-8 (byte {reason.start})"
        else:
            message = f"cannot read this file: {getattr(reason, 'strerror', None) or reason}"
        raise InputError([Diagnostic(Source(str(path), ""), Span(1, 1), message)]) from None
    return parse(text.removeprefix("\ufeff"), str(path), form)


def as_test(test: str | LitmusTest) -> LitmusTest:
    """Return a test as it is, or the one that a text describes. Raises `InputError` with all errors of the text."""
    return parse(test) if isinstance(test, str) else test


def _launched(form: Form | None, source: Source, launch: str) -> LitmusTest:
    """Return the test that a launch of a module or of a source is."""
    if form is None or form.key not in (MODULE, SOURCE):
        message = "a launch is of functions of LLVM IR, C, C++, HIP or OpenCL"
        raise mistake(source.name, message, "what a litmus test runs stands in its text")
    return _read(form, source, launch)


def _read(form: Form, source: Source, *launch: str) -> LitmusTest:
    """Return the test that a form's reader makes of a text, of some by a launch.

    No reader computes with numbers that are too long.
    """
    if number := _TOO_LONG.search(source.text):
        line, begin = source.text.count("\n", 0, number.start()) + 1, source.text.rfind("\n", 0, number.start())
        message = f"this number has more than {LONGEST_NUMBER} digits"
        raise InputError([Diagnostic(source, Span(line, number.start() - begin, len(number[0])), message)])
    test: LitmusTest = import_module(f"axmem.formats.{form.reader}").read(source, *launch)
    return test
