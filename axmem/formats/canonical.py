"""The canonical form of a test, checked: it means what the text does.

What goes in: the text of a test. What comes out: its canonical text, and the lines whose comments that would lose. A
comment begins at `;` outside a string, or at a `#` that begins its line; a `#` elsewhere begins tags.
"""

from __future__ import annotations

import re

from axmem.formats.forms import OWN
from axmem.formats.reading import form_of, parse
from axmem.litmus.edit import untraced
from axmem.litmus.printer import print_test


def canonical(text: str, name: str, form: str = "") -> str:
    """Return the canonical text of a test; raise InputError for what is wrong with it."""
    test = parse(text, name, form)
    printed = print_test(test)
    if parse(printed, name, OWN) != untraced(test):
        raise AssertionError(f"{name}: the canonical form means something else")
    return printed


def rewritten(text: str, name: str, form: str = "") -> str:
    """Return the canonical text of a test with the ends of lines that the text has."""
    printed = canonical(text, name, form)
    return printed.replace("\n", "\r\n") if text.count("\n") == text.count("\r\n") else printed


def lost_comments(text: str, name: str, form: str = "") -> tuple[int, ...]:
    """Return the numbers of the lines that hold comments, which the canonical form does not keep."""
    return () if form_of(text, name, form) else comment_lines(text)


_CODE = re.compile(r'(?:"[^"]*"|[^";#])*')


def comment_lines(text: str) -> tuple[int, ...]:
    """Return the numbers of the lines that hold a comment."""
    return tuple(number for number, line in enumerate(text.split("\n"), 1) if _has_comment(line))


def _has_comment(line: str) -> bool:
    if line.lstrip().startswith("#"):
        return True
    code = _CODE.match(line)
    rest = line[code.end() :] if code else line
    return rest.startswith(";") or (rest.startswith("#") and ";" in rest)
