"""The limits on judging one test that are not the solver's: what time is over for good, and what memory ran out.

What goes in: a deadline, or an exception. What comes out: seconds, or a judgement.
"""

from __future__ import annotations

from axmem.encoder.solve import Deadline
from axmem.front.clock import within, working

GRACE, GRACE_SHARE = 0.5, 0.05
"""How long, in seconds and as a share of what there was, an answer may go on when its time is over."""


def hard(deadline: Deadline) -> float | None:
    """Return after how many seconds an answer is given up. The solver stops at the deadline with what it has by then.

    What it has is worth the moment that it takes to make a result of it.
    """
    left = deadline.left()
    return None if left is None else left + max(GRACE, GRACE_SHARE * left)


def limited(deadline: Deadline) -> within:
    """Limit a block to what is left until a deadline, by what the deadline counts, and to the moment for a result."""
    return working(hard(deadline)) if deadline.worked else within(hard(deadline))


def ran_out_of_memory(error: Exception) -> bool:
    """Tell whether an exception means that there was no memory: where it is limited, C code says so in many ways."""
    if isinstance(error, MemoryError) or "out of memory" in str(error):
        return True
    if not isinstance(error, SystemError):
        return False
    try:
        import resource  # noqa: PLC0415
    except ImportError:  # Without limits of resources memory is not limited.
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
