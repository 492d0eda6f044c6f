"""What commands on kernels share: which kernels of which test they are about."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

import axmem
from axmem.commands.functions import as_it_stands
from axmem.formats.options import add_form
from axmem.front.exits import ExitCodes
from axmem.front.inputs import read_inputs
from axmem.front.options import add_shared, check_one
from axmem.front.source import did_you_mean, mistake

if TYPE_CHECKING:
    from axmem.formats.ir.whole import WholeModule
    from axmem.litmus.syntax import Kernel, LitmusTest


def add_kernel_choice(parser: argparse.ArgumentParser) -> None:
    """Add the test, and which of its kernels."""
    parser.add_argument("path", metavar="KERNEL", help="a .litmus file with kernels, or - for stdin")
    add_form(parser)
    parser.add_argument("--kernel", metavar="K", help="only this kernel of the test")


def add_kernel_options(parser: argparse.ArgumentParser) -> None:
    """Add the test, which of its kernels, and the bound of their loops."""
    add_kernel_choice(parser)
    add_shared(parser, "bound")


def bound_of(options: argparse.Namespace, test: LitmusTest) -> int:
    """Return the bound of loops: that of the command line, else the test's own."""
    from axmem.litmus.kernels import DEFAULT_BOUND

    return options.bound or test.bound or DEFAULT_BOUND


def on_kernels(
    options: argparse.Namespace,
    shown: Callable[[LitmusTest, list[Kernel]], str],
    codes: ExitCodes | None = None,
    functions: Callable[[WholeModule, ExitCodes], str] | None = None,
) -> int:
    """Print what is to be shown of the kernels that are meant; return the exit code, `codes` among its parts.

    Of a module of LLVM IR that says nothing of launches, what `functions` returns is shown instead.
    """
    from axmem.front.output import output

    codes = codes or ExitCodes()
    texts, errors = read_inputs([options.path])
    codes.errors(errors)
    check_one(len(texts), options)
    for text in texts:
        with codes.part(), output(options.output) as write:
            module = as_it_stands(text, options) if functions else None
            if functions and module is not None:
                write(functions(module, codes))
                continue
            test = axmem.parse(text.text, text.name, options.form)
            write(shown(test, _chosen(test, options.kernel)))
    return codes.code


def _chosen(test: LitmusTest, name: str | None) -> list[Kernel]:
    """Return the kernels of a test, or the one that is named."""
    found = [kernel for kernel in test.kernels if name in (None, kernel.name)]
    if not test.kernels:
        raise mistake(test.source.name, "this test has no kernel", "kernel K() lanes 4 { … }")
    if not found:
        names = [kernel.name for kernel in test.kernels]
        raise mistake("--kernel", f"no kernel is named '{name}'", did_you_mean(name or "", names), text=name)
    return found
