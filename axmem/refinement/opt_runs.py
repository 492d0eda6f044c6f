"""Functions before and after the passes that LLVM's own tests run.

What goes in: a file of LLVM's tests, and opt. What comes out: for each function that does more with memory than plain
loads and stores, and for each run of opt in the file, the function as opt reads it and as it writes it. Invariant: both
texts were written by opt, so that they differ where passes changed something.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import lru_cache
from tempfile import TemporaryDirectory

from axmem.formats.ir.parser import ModuleParser
from axmem.formats.ir.syntax import Function, Instruction, Module
from axmem.formats.opt_lines import OptRun, opt_runs
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, Source
from axmem.litmus.words import Ordering

SECONDS = 60
"""So long a run of opt takes at most."""
NOT_MEMORY = ("llvm.dbg.", "llvm.lifetime.")


class OptFailed(Exception):
    """A run of opt ended with an error, which is the argument."""


@dataclass(frozen=True, slots=True)
class Side:
    """A module as opt wrote it, and what its reader says against lines of it."""

    module: Module
    wrong: tuple[Diagnostic, ...]

    def refused(self, function: Function) -> Diagnostic | None:
        """Return what the reader says against a function, if anything."""
        first = function.span.line
        lines = _lines(self.module.source)
        last = next((n for n in range(first, len(lines)) if lines[n].startswith("}")), len(lines)) + 1
        return next((each for each in self.wrong if first <= each.span.line <= last), None)


@dataclass(frozen=True, slots=True)
class Changed:
    """A function of a file before and after a run of opt; without `after` it is gone, or has another type."""

    file: str
    name: str
    run: OptRun
    before: tuple[Side, Function]
    after: tuple[Side, Function] | None

    @property
    def same(self) -> bool:
        """Whether the run left the function, and whatever it calls that the module defines, as it was."""
        if self.after is None:
            return False
        return _all_equal(self.before[0].module, self.before[1], self.after[0].module, self.after[1], set())


def runs(source: Source, opt: str, *, every: bool = False) -> Iterator[tuple[OptRun, list[Changed] | str]]:
    """Yield each run of opt in a text with the functions before and after it, or with why opt failed.

    Functions whose memory operations are all plain are left out unless `every` is said. Raises `OptFailed` if opt
    does not read the text at all.
    """
    found, _ = opt_runs(source)
    if not found:
        return
    before = side(Source(source.name, written(opt, (), source.text)))
    for run in found:
        try:
            text = source.text
            for arguments in run.arguments:
                text = written(opt, arguments, text)
            after = side(Source(source.name, text))
        except OptFailed as reason:
            yield run, str(reason)
            continue
        yield run, list(_changed(source.name, run, before, after, every=every))


def written(opt: str, arguments: tuple[str, ...], text: str) -> str:
    """Return what opt writes of a text. Raises `OptFailed`."""
    command = [opt, *arguments, "-S", "-o", "-", "-"]
    try:
        with TemporaryDirectory() as folder:  # Some passes write files where they run.
            done = subprocess.run(
                command, input=text, capture_output=True, text=True, timeout=SECONDS, check=False, errors="replace",
                cwd=folder,
            )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise OptFailed(f"opt runs for more than {SECONDS} s") from None
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if "error:" in line or "Unknown" in line or "LLVM" in line]
        raise OptFailed((last or done.stderr.splitlines() or [f"exit code {done.returncode}"])[0].strip())
    return done.stdout


def version(opt: str) -> str:
    """Return which version of LLVM an opt is."""
    done = subprocess.run([opt, "--version"], capture_output=True, text=True, check=False)
    return next((line.strip() for line in done.stdout.splitlines() if "version" in line), "a version that is not known")


def side(source: Source) -> Side:
    """Return a module as opt wrote it."""
    parser = ModuleParser(source)
    parser.opened = True
    module = parser.module()
    return Side(module, tuple(parser.diagnostics))


def _changed(file: str, run: OptRun, before: Side, after: Side, *, every: bool) -> Iterator[Changed]:
    for name, function in before.module.functions.items():
        if not function.blocks or not (every or any(map(_beyond_plain, _instructions(function)))):
            continue
        new = after.module.functions.get(name)
        alike = new is not None and new.blocks and [p.type for p in new.parameters] == [
            p.type for p in function.parameters
        ] and new.result == function.result  # fmt: skip
        yield Changed(file, name, run, (before, function), (after, new) if alike and new is not None else None)


def _beyond_plain(each: Instruction) -> bool:
    """Say whether an instruction does something with memory that a plain load or store does not."""
    if each.operation in ("fence", "atomicrmw", "cmpxchg"):
        return True
    ordered = each.mode.ordering is not Ordering.NOT_ATOMIC or each.mode.volatile or bool(each.mode.tags)
    return ordered or (each.operation == "call" and "atomic" in each.callee)


def _instructions(function: Function) -> Iterator[Instruction]:
    return (each for block in function.blocks for each in block.instructions)


def _all_equal(first: Module, one: Function, second: Module, other: Function, seen: set[str]) -> bool:
    """Say whether two functions have the same instructions, and so have the functions that they call."""
    if one.blocks != other.blocks or one.parameters != other.parameters:
        return False
    seen.add(one.name)
    for each in _instructions(one):
        callees = first.functions.get(each.callee), second.functions.get(each.callee)
        if each.callee in seen or callees[0] is None or not callees[0].blocks:
            continue
        if callees[1] is None or not _all_equal(first, callees[0], second, callees[1], seen):
            return False
    return True


@lru_cache(maxsize=8)
def _lines(source: Source) -> list[str]:
    return source.text.split("\n")
