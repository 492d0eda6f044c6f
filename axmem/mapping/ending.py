"""Loops that wait for ever, whatever caches do: are they the code's, or the program's?

What goes in: a test, a model, and loops that nothing can end any more. What comes out: what is the code's own. Where
every execution of the program ends by the model, in whichever order lanes take their turns, code in which one waits for
ever does not do what the program says: lanes of a wave may wait for one that waits behind the loop for them. Invariant:
a loop is said to be the code's only if the program is known to end; if that is not known, this is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from axmem.check.progress.awaits import waiting
from axmem.check.progress.models import Verdict
from axmem.codegen.machine.explore import Explored
from axmem.codegen.machine.hangs import Hang
from axmem.front.source import InputError
from axmem.litmus.syntax import LitmusTest
from axmem.model.model import Model

UNSURE = "a loop waits for ever, and whether the program's does is not known"


class Ending:
    """Whether every execution of a test ends under a model; it is asked where a loop waits for what nothing changes."""

    def __init__(self, test: LitmusTest, model: Model) -> None:
        self.test = test
        self.model = model

    @cached_property
    def verdict(self) -> Verdict:
        """Whether every execution ends, if whoever can step does."""
        try:
            return waiting(self.test, self.model).verdict
        except InputError:
            return Verdict.UNKNOWN

    def endless(self, explored: Explored) -> Iterator[Hang]:
        """Yield the loops that wait for ever, as no execution of the program does."""
        yield from (hang for hang in sorted(explored.hangs) if not hang.locked or self.verdict is Verdict.ENDS)

    def doubts(self, explored: Explored) -> set[str]:
        """Return why it is not known whether the program's own loops wait for ever, if that is to be known."""
        locked = any(hang.locked for hang in explored.hangs)
        return {UNSURE} if locked and self.verdict is Verdict.UNKNOWN else set()
