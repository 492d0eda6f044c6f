"""Functions before and after the passes that LLVM's own tests run.

What goes in: a file of LLVM's tests, and opt. What comes out: for each function that does more with memory than plain
loads and stores, and for each run of opt in the file, the function as opt reads it and as it writes it. Invariant: both
texts were written by opt, so that they differ where passes changed something.
"""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from axmem.formats.ir.pairs import FunctionPair, instructions, sides
from axmem.formats.ir.syntax import Instruction
from axmem.formats.opt_lines import OptRun, opt_runs
from axmem.front.records import dataclass
from axmem.front.source import InputError, Source
from axmem.litmus.words import Ordering

_DEFINED = re.compile(r'define\b[^@"]*@(?:([\w.$-]+)|"([^"]+)")\s*\(')
UNKNOWN_VERSION = "a version that is not known"
SECONDS = 60
"""So long a run of opt takes at most."""


class OptFailed(Exception):
    """A run of opt gave no module; the argument says why."""


class OptLate(OptFailed):
    """A run of opt took too long."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A function of a file, by its name and line, before and after a run of opt; None if it is gone after it."""

    file: str
    line: int
    name: str
    run: OptRun
    pair: FunctionPair | None


def runs(source: Source, opt: str, *, every: bool = False) -> Iterator[tuple[OptRun, list[Changed] | str]]:
    """Yield each run of opt in a text with the functions before and after it, or with why there is no module.

    Functions whose memory operations are all plain are left out unless `every` is said. Raises `OptFailed` if the text
    itself is none.
    """
    found, _ = opt_runs(source)
    if not found:
        return
    try:
        before = sides(Source(source.name, written(opt, (), source.text)))
    except InputError as error:
        raise OptFailed(error.diagnostics[0].message) from None
    kept = [name for name, each in before.items() if every or any(map(beyond_plain, instructions(each.function)))]
    for run in found:
        try:
            text = source.text
            for arguments in run.arguments:
                text = written(opt, arguments, text)
            after = sides(Source(source.name, text))
        except OptFailed as reason:
            yield run, str(reason)
        except InputError as error:
            yield run, error.diagnostics[0].message
        else:
            lines = function_lines(source.text)
            pairs = ((name, lines.get(name, before[name].function.span.line), after.get(name)) for name in kept)
            yield run, [
                Changed(source.name, line, name, run, None if new is None else FunctionPair(before[name], new))
                for name, line, new in pairs
            ]


def function_lines(text: str) -> dict[str, int]:
    """Return in which line of a text each function is defined, counted from 1, by its name."""
    found = ((number, _DEFINED.match(line)) for number, line in enumerate(text.split("\n"), 1))
    return {match[1] or match[2]: number for number, match in found if match}


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
        raise OptLate(f"opt runs for more than {SECONDS} s") from None
    except OSError as error:
        raise OptFailed(f"opt cannot be run: {error.strerror or error}") from None
    if done.returncode < 0:
        raise OptFailed(f"opt ends by {signal.Signals(-done.returncode).name}")
    if done.returncode:
        said = done.stderr.splitlines()
        errors = [line for line in said if "error:" in line or "Unknown" in line or "LLVM" in line]
        raise OptFailed((errors or said or [f"exit code {done.returncode}"])[0].strip())
    return done.stdout


def version(opt: str) -> str:
    """Return which version of LLVM an opt is."""
    try:
        done = subprocess.run([opt, "--version"], capture_output=True, text=True, check=False, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return UNKNOWN_VERSION
    return next((line.strip() for line in done.stdout.splitlines() if "version" in line), UNKNOWN_VERSION)


def beyond_plain(each: Instruction) -> bool:
    """Say whether an instruction does something with memory that a plain load or store does not."""
    if each.operation in ("fence", "atomicrmw", "cmpxchg"):
        return True
    ordered = each.mode.ordering is not Ordering.NOT_ATOMIC or each.mode.volatile or bool(each.mode.tags)
    return ordered or (each.operation == "call" and "atomic" in each.callee)
