"""What commands share that read functions of LLVM IR as they stand: which, and what is answered of each."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from axmem.front.exits import ExitCodes
from axmem.front.inputs import InputText
from axmem.front.output import counted
from axmem.front.records import dataclass
from axmem.front.source import InputError, Source, mistake

if TYPE_CHECKING:
    from axmem.formats.ir.syntax import Function, Module
    from axmem.formats.ir.whole import WholeModule
    from axmem.report.tree import Section

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Answers(Generic[Answer]):
    """What is answered of functions, by their names; `refused` says of the others why nothing is."""

    module: WholeModule
    found: dict[str, Answer]
    refused: dict[str, str]

    @property
    def test(self) -> str:
        """The name of the module as reports have it."""
        return Path(self.module.module.source.name).stem

    def functions(self) -> Iterator[tuple[Function, Answer]]:
        """Yield the functions with their answers."""
        for name, answer in self.found.items():
            yield self.module.module.functions[name], answer

    def rows(self, heads: tuple[str, ...], row: Callable[[Function, Answer], tuple[object, ...]]) -> Section:
        """Return a table with a row for each function, those last of which nothing is answered."""
        from axmem.formats.ir.units import is_kernel
        from axmem.report.tree import Paragraph, Section, table

        lines = [
            (function.name, "kernel" if is_kernel(function) else "function", *map(str, row(function, answer)))
            for function, answer in self.functions()
        ]
        count = len(self.found) + len(self.refused)
        below = [Paragraph(f"{name} is not read: {why}") for name, why in self.refused.items()]
        listed = [table(("", "", *heads), lines)] if lines else []
        return Section(f"{self.test}: {counted(count, 'function')}, as they stand", (*listed, *below))


def add_function_choice(parser: argparse.ArgumentParser) -> None:
    """Add which function of a module of LLVM IR is read as it stands."""
    help_ = "only this function of a module of LLVM IR, read as it stands: no launch, parameters free"
    parser.add_argument("--function", metavar="NAME", help=help_)


def as_it_stands(text: InputText, options: argparse.Namespace) -> WholeModule | None:
    """Return the module whose functions are asked about, None if a text is a test, or says what of it is launched.

    Raises InputError for what LLVM refuses.
    """
    from axmem.formats.forms import SOURCE
    from axmem.formats.ir import READER
    from axmem.formats.ir.llvm import complaints
    from axmem.formats.ir.whole import LAUNCHED, OPTION, whole
    from axmem.formats.reading import form_of
    from axmem.formats.sources import compiled

    form = form_of(text.text, text.name, options.form)
    source = Source(text.name, text.text)
    if form is not None and form.key == SOURCE:
        source = compiled(source)
    elif form is None or form.reader != READER:
        if options.function is not None:
            raise mistake(OPTION, f"{text.name} is no module of LLVM IR", "--kernel K chooses a kernel of a test")
        return None
    if options.function is None and LAUNCHED.search(source.text):
        return None
    if refused := complaints(source):
        raise InputError(refused)
    return whole(source)


def answered(
    module: WholeModule, name: str | None, codes: ExitCodes, ask: Callable[[Module, Function], Answer]
) -> Answers[Answer]:
    """Return what is answered of each function of a module, or of one; why something is not answered is printed."""
    codes.errors(module.wrong.get("", ()))
    found, refused = dict[str, Answer](), dict[str, str]()
    for each in module.names(name):
        try:
            module.check(each)
            found[each] = ask(module.module, module.module.functions[each])
        except InputError as error:
            codes.errors(error.diagnostics)
            refused[each] = error.diagnostics[0].message
    return Answers(module, found, refused)
