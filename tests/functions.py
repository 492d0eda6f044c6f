"""Functions of LLVM's own tests, each read alone: what is read, and what is not, by reason.

What goes in: a folder of `.ll` files that is named on the command line. What comes out: for each function its test, or
why there is none. Invariant: what is not read is counted.
"""

from __future__ import annotations

import re
from pathlib import Path

from axmem.formats.ir.alone import function_test
from axmem.formats.ir.whole import whole
from axmem.front.source import InputError, Source
from axmem.litmus.syntax import LitmusTest

_NAMED = re.compile(r"'[^']*'|[%@][-\w.$]+|\b\d+\b")
"""What messages say of one function alone."""


def files(folder: str) -> list[str]:
    """Return the modules in a folder, in a fixed order."""
    return sorted(str(path) for path in Path(folder).rglob("*.ll"))


def content(path: str) -> str:
    """Return the text of a module without the comments of its tests."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    return re.sub(r"^;.*$", "", text, flags=re.MULTILINE)


def names(module: str) -> list[str]:
    """Return the functions that a module defines."""
    return list(whole(Source("module.ll", module)).names())


def read(module: str, name: str) -> LitmusTest | str:
    """Return the test that a function is, or why it is none."""
    try:
        return function_test(Source("module.ll", module), name)
    except InputError as error:
        return error.diagnostics[0].message


def reason(message: str) -> str:
    """Return a message without the names and numbers of one function."""
    called = re.match(r"'@(llvm\.[a-z.]+)", message)
    return f"@{called[1]}: {_NAMED.sub('…', message)}" if called else _NAMED.sub("…", message)
