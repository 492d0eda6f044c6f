"""Exit codes.

What goes in: the codes that the parts of a run ended with. What comes out: that of the run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager

from axmem.front.source import Diagnostic, InputError, OutputError

EXIT_CODES = """\
exit codes:
  0    every expectation holds
  1    an expectation does not hold (fmt --check: a file is not canonical)
  2    an input error: a file, a model, a variant or an option is wrong, or the output cannot be written
  3    unknown: a limit was reached before the answer was certain, or no execution of a test is consistent
  4    an internal error: a fault of axmem, which gives no answer
  130  interrupted
Where several apply, 4 wins over 2, 2 over 1, and 1 over 3.
"""

OK, MISMATCH, INPUT_ERROR, UNKNOWN, INTERNAL_ERROR = 0, 1, 2, 3, 4
BROKEN_PIPE = 141
INTERRUPTED, TERMINATED = 130, 143
TRACEBACK = "AXMEM_TRACEBACK"
"""The variable of the environment that has internal errors shown with their tracebacks."""


class Terminated(KeyboardInterrupt):
    """The process was asked to end: an interrupt that does not come from the keyboard."""


class OutOfTime(Exception):
    """The time of a block is over (`axmem.front.clock`)."""


class InternalError(Exception):
    """A part of the work ended in a fault of axmem itself: there is no answer. The message is that of `fault`."""


def fault(error: BaseException) -> str:
    """Return what is said of an exception that nobody expected: that it is internal, its type, where it was raised."""
    if isinstance(error, InternalError):
        return str(error)
    where, at = "", error.__traceback__
    while at is not None:
        where = f" ({'/'.join(at.tb_frame.f_code.co_filename.replace(os.sep, '/').split('/')[-2:])}:{at.tb_lineno})"
        at = at.tb_next
    said = str(error).strip().replace("\n", " ")
    return f"internal error: {type(error).__name__}{said and f': {said}'}{where}"


def interrupt_code(interrupt: KeyboardInterrupt) -> int:
    """Return the exit code of a run that was interrupted."""
    return TERMINATED if isinstance(interrupt, Terminated) else INTERRUPTED


NO_COUNTEREXAMPLE = "no counterexample"
"""The verdict of a search that found nothing, which is known up to a size."""
SOUNDNESS = {"sound": OK, "unsound": MISMATCH, NO_COUNTEREXAMPLE: UNKNOWN, "unknown": UNKNOWN}
"""The codes of verdicts on whether something is sound."""


def soundness_code(verdict: str, size: int | None, enough: int | None) -> int:
    """Return the code of a verdict; `enough` is up to which size no counterexample is as good as sound, if at all."""
    known = verdict == NO_COUNTEREXAMPLE and enough is not None and (size is None or size >= enough)
    return OK if known else SOUNDNESS[verdict]


def exit_code(codes: Container[int]) -> int:
    """Return the exit code of a run from those of its parts: 4 wins over 2, 2 over 1, and 1 over 3."""
    return next((code for code in (INTERNAL_ERROR, INPUT_ERROR, MISMATCH, UNKNOWN) if code in codes), OK)


class ExitCodes:
    """The exit codes of the parts of a run, as they come; what is wrong with a part is printed."""

    def __init__(self) -> None:
        self._codes: set[int] = set()

    def add(self, code: int) -> None:
        """Note how a part ended."""
        self._codes.add(code)

    def errors(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Print errors, and note that there are some."""
        for diagnostic in diagnostics:
            print(diagnostic, file=sys.stderr)
            self.add(INPUT_ERROR)

    def fault(self, name: str, said: str) -> None:
        """Print the internal error that a part of the run ended in, if it did, and note that there is one."""
        if said:
            print(f"{name}: {said}", file=sys.stderr)
            self.add(INTERNAL_ERROR)

    @contextmanager
    def part(self, name: str = "") -> Iterator[None]:
        """Print what ends a part of the run, an InputError or the limit of its time, and go on after it."""
        try:
            yield
        except OutputError:
            raise
        except InputError as error:
            self.errors(error.diagnostics)
        except OutOfTime:
            print(f"{name}: unknown: the time limit was reached", file=sys.stderr)
            self.add(UNKNOWN)

    @property
    def code(self) -> int:
        """The exit code of the run."""
        return exit_code(self._codes)
