"""Exit codes.

What goes in: the codes that the parts of a run ended with. What comes out: that of the run.
"""

from __future__ import annotations

from collections.abc import Container

EXIT_CODES = """\
exit codes:
  0    every expectation holds
  1    an expectation does not hold (fmt --check: a file is not canonical)
  2    an input error: a file, a model, a variant or an option is wrong
  3    unknown: a limit was reached before the answer was certain
  130  interrupted
Where several apply, 2 wins over 1, and 1 over 3.
"""

OK, MISMATCH, INPUT_ERROR, UNKNOWN = 0, 1, 2, 3
INTERRUPTED = 130
BROKEN_PIPE = 141


def exit_code(codes: Container[int]) -> int:
    """Return the exit code of a run from those of its parts: 2 wins over 1, and 1 over 3."""
    return next((code for code in (INPUT_ERROR, MISMATCH, UNKNOWN) if code in codes), OK)
