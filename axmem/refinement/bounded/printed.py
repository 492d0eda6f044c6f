"""The texts of programs that searches print.

What goes in: a program that a search has found, as a test or as text. What comes out: its text, of which `axmem check`
has nothing to say: no error, and no warning that something in it is probably not meant.
"""

from __future__ import annotations

from axmem.litmus.lint import warnings
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest

UNASKED = "\nexists (true)\n"


class Misprinted(Exception):
    """A search has printed a program that `axmem check` warns of. Has the warnings and the text."""


def printed(text: str) -> str:
    """Return the text of a program that a search prints.

    Raises Misprinted if `axmem check` warns of it, and InputError if it is no test.
    """
    found = warnings(parse(text, "printed"))
    if found:
        raise Misprinted("\n".join([*map(str, found), text]))
    return text


def program_text(test: LitmusTest) -> str:
    """Return the text of a test; one that asks nothing has no line that says so."""
    return print_test(test).removesuffix(UNASKED).rstrip("\n") + "\n"
