"""How often a process of axmem's own looks for cyclic garbage.

What lives long here is large (models, expressions, what is kept of lines) and hardly anything is garbage in cycles: to
look for it as often as Python does by default was a quarter of a suite's time.
"""

from __future__ import annotations

import gc

OBJECTS = 20_000
"""How many more objects there are than at the last look, before the next."""


def collect_rarely() -> None:
    """Let this process look for cyclic garbage less often; not for a process that others have begun."""
    gc.set_threshold(OBJECTS)
