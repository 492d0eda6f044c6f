"""LLVM IR as tests: the functions of a module are threads or kernels.

What goes in: the text of a module, with comments `; axmem: …` for what IR cannot say. What comes out: a checked test;
`InputError` has everything that is wrong with the text. Nothing is skipped in silence: an instruction has a meaning
here, or it is refused by name at its place (docs/llvm-ir.md).
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.formats.forms import SMALLEST
from axmem.formats.ir.assembly import Assembly
from axmem.formats.ir.comments import Comments
from axmem.formats.ir.llvm import complaints
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.parser import ModuleParser
from axmem.formats.ir.syntax import Module
from axmem.formats.ir.units import entries
from axmem.front.source import Diagnostic, InputError, Source, first_errors
from axmem.litmus.resolution import resolve_read
from axmem.litmus.syntax import LitmusTest

READER = "ir"
"""What the form of modules names as its reader."""


def read(
    source: Source, launch: str = "", lines: Mapping[int, int] | None = None, *, whole: bool = False
) -> LitmusTest:
    """Return the test that a module is; raise `InputError` with everything that is wrong with it.

    A `launch` says what is run (`axmem.formats.ir.launching`); a module of which nothing does is run by a guess.
    `lines` are those of the source that it was compiled from, for what is said of its own. Of the `whole` program a
    launch leaves out no memory, as code has it, too.
    """
    refused = complaints(source)
    if refused:
        raise InputError(refused)
    comments = Comments(source)
    comments.items()
    said = comments.launch if launch in ("", SMALLEST) else launch
    if said:
        return _launched(source, comments, said, lines, whole=whole)
    parser = ModuleParser(source)
    parser.cursor.levels = comments.cursor.levels
    module = parser.module()
    if not comments.units and _asks_for_arguments(module):
        return _launched(source, comments, launch, lines, whole=whole)
    return finished(Assembly(module, comments), [*comments.cursor.diagnostics, *parser.diagnostics])


def _launched(
    source: Source, comments: Comments, launch: str, lines: Mapping[int, int] | None, *, whole: bool
) -> LitmusTest:
    """Return the test that a launch of a module is, or the one that is guessed."""
    from axmem.formats.ir.launching import read_launched  # noqa: PLC0415 -- what it loads is seldom needed

    if comments.cursor.diagnostics:
        raise InputError(first_errors(comments.cursor.diagnostics))
    return read_launched(source, launch, lines, whole=whole)


def _asks_for_arguments(module: Module) -> bool:
    """Say whether a function that no other one calls takes arguments."""
    return any(module.functions[name].parameters for name in entries(module))


def finished(assembly: Assembly, diagnostics: list[Diagnostic]) -> LitmusTest:
    """Return the checked test that a module and its comments are, unless something was wrong before."""
    try:
        if diagnostics:
            raise InputError(first_errors(diagnostics))
        test = assembly.test()
    except Unspeakable as reason:
        raise InputError([reason.about(assembly.module)]) from None
    if not assembly.diagnostics:
        test, more = resolve_read(test)
        assembly.diagnostics += more
    if assembly.diagnostics:
        raise InputError(first_errors(assembly.diagnostics))
    return test
