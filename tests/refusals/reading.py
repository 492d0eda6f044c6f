"""What is read of files that others wrote, by the commands that these are for, and why the rest is not.

What goes in: folders that are named on the command line. What comes out: for each trial its cases, and of a case the
`Refusal`s: what is not known, and what would be needed. Invariant: every case is counted; what is read in parts, with
values that are guessed, is counted with the reasons of these.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from axmem.check.uniform import uniform_alone
from axmem.codegen.functions import lower_function
from axmem.codegen.targets import Target, all_targets, target
from axmem.formats.forms import LANGUAGES
from axmem.formats.ir.alone import function_test
from axmem.formats.ir.comments import Comments
from axmem.formats.ir.extraction import extract
from axmem.formats.ir.launching import launched_functions
from axmem.formats.ir.syntax import Function, Module
from axmem.formats.ir.whole import whole
from axmem.formats.reading import parse
from axmem.formats.sources import compiled, found_clang
from axmem.front.settings import CLANG
from axmem.front.source import NOWHERE, Diagnostic, InputError, Source
from axmem.transform.metadata import MetadataQuestion, loop_metadata
from axmem.transform.passes import PassTarget, Profile
from tests import functions
from tests.loopmd import folder as loops
from tests.lowering import folder as legalizer
from tests.peers.kernels import KernelEntry, entries, kernel_text
from tests.sources.trial import LEVELS
from tests.uniformity import folder as uniformity

LLVM, PEERS, OWN = "llvm", "peers", "own"
_SHOWN = re.compile(r" \(in .*\)$", re.DOTALL)


@dataclass(frozen=True, slots=True, order=True)
class Refusal:
    """What is not known, and what would be needed: both without the names of one case."""

    why: str
    needed: str


@dataclass(frozen=True, slots=True)
class Trial:
    """A kind of files: what is asked of them, which folder has them, and how their cases are listed and read.

    `cases` returns the files or what else names a case, `read` the refusals of each part of one, such as a function.
    """

    name: str
    command: str
    folder: str
    cases: Callable[[Path], list[str]]
    read: Callable[[str], list[tuple[Refusal, ...]]]


def refusal(diagnostic: Diagnostic) -> Refusal:
    """Return a message and its hint without what they say of one case alone."""
    message = _SHOWN.sub("", diagnostic.message)
    return Refusal(functions.reason(message), functions.reason(diagnostic.hint))


def _tried(read: Callable[[], object]) -> tuple[Refusal, ...]:
    """Return why something is not read; nothing if it is."""
    try:
        read()
    except InputError as error:
        return (refusal(error.diagnostics[0]),)
    return ()


def _of_functions(path: str, read: Callable[[Module, Function], object]) -> list[tuple[Refusal, ...]]:
    """Read every function of a module."""
    module = whole(Source(path, Path(path).read_text(encoding="utf-8", errors="replace")))

    def function(name: str) -> None:
        module.check(name)
        read(module.module, module.module.functions[name])

    return [_tried(partial(function, name)) for name in module.names()]


def _uniform(path: str) -> list[tuple[Refusal, ...]]:
    return _of_functions(path, uniform_alone)


def _loops(path: str) -> list[tuple[Refusal, ...]]:
    question = MetadataQuestion(Profile("llvm-22"), PassTarget("x86-64"), "O2")

    def read(module: Module, function: Function) -> None:
        loop_metadata(function_test(module.source, function.name).kernels[0], question)

    return _of_functions(path, read)


def _lowered(path: str) -> list[tuple[Refusal, ...]]:
    """Lower the functions on the first processor of every family."""
    names = dict.fromkeys(each.family.name for each in all_targets("llvm-22"))
    processors = [target(name, "", "llvm-22") for name in names]
    lowering = [partial(_lower, each) for each in processors]
    return [found for lower in lowering for found in _of_functions(path, lower)]


def _lower(on: Target, module: Module, function: Function) -> None:
    lower_function(module, function, on)


def _kernel(case: str) -> list[tuple[Refusal, ...]]:
    """Read the source of one of Dartagnan's kernels, with the launch and the question of its list."""
    root, file, filtered, races = case.split("\n")

    def read() -> None:
        path, text = kernel_text(Path(root), KernelEntry(file, bool(filtered), bool(races), ""))
        parse(text, path)

    return [_tried(read)]


def _source(case: str) -> list[tuple[Refusal, ...]]:
    """Read a source at a level: what of it is guessed is not known either."""
    level, path = case.split("\n")
    found: list[Refusal] = []

    def read() -> None:
        os.environ[CLANG] = f"{found_clang()} -O{level}"
        compiled.cache_clear()
        module = compiled(Source(path, Path(path).read_text(encoding="utf-8")))
        comments = Comments(module)
        comments.items()
        extraction = extract(module, launched_functions(module, comments.launch))
        found.extend(refusal(Diagnostic(module, NOWHERE, each.message)) for each in extraction.unknown)

    return [_tried(read) or tuple(dict.fromkeys(found))]


def _kernels(folder: Path) -> list[str]:
    root = folder / "Dat3M"
    listed = dict.fromkeys((e.file, e.filtered and e.races, e.races) for e in entries(root))
    return ["\n".join((str(root), file, "1" * filtered, "1" * races)) for file, filtered, races in listed]


def _below(*names: str) -> Callable[[Path], list[str]]:
    return lambda folder: [path for name in names for path in functions.files(f"{folder}/{name}")]


TRIALS = (
    Trial("UniformityAnalysis/AMDGPU", "uniform", LLVM, _below(uniformity.FOLDERS[0]), _uniform),
    Trial("CycleInfo", "uniform", LLVM, _below(uniformity.FOLDERS[1]), _uniform),
    Trial(
        "memory-legalizer-*.ll, on every family", "lower", LLVM,
        lambda folder: sorted(map(str, (folder / legalizer.FOLDER).glob(legalizer.NAMES))), _lowered,
    ),
    Trial(
        "files with loop metadata", "loopmd", LLVM,
        lambda folder: [path for name in loops.FOLDERS for path in loops.files(f"{folder}/Transforms/{name}")], _loops,
    ),
    Trial("Dartagnan's kernels in OpenCL", "run", PEERS, _kernels, _kernel),
    Trial(
        "tests/sources, at -O0 to -O3", "check", OWN,
        lambda folder: [f"{level}\n{p}" for p in sorted(folder.iterdir()) if p.suffix in LANGUAGES for level in LEVELS],
        _source,
    ),
)  # fmt: skip
