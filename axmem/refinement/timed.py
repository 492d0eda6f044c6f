"""A pair of functions judged within so many seconds of a processor, whatever goes wrong.

What goes in: a pair, a model, a size of contexts, a time. What comes out: an `Asked`: refused with the reason, or
judged. What others do on the machine does not count, so that the same question has the same answer; by the clock an
answer may take `PATIENCE` times as long.
"""

from __future__ import annotations

import time

from axmem.formats.ir.pairs import FunctionPair
from axmem.front.clock import OutOfTime, within
from axmem.front.exits import fault
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import Counterexample
from axmem.refinement.contexts.kept import Kept
from axmem.refinement.functions import judged_pair
from axmem.refinement.inclusion import UNKNOWN
from axmem.refinement.judging import Question

PATIENCE = 10
"""So many times longer than by a processor an answer may take by the clock."""
OVER = 2
"""So many times longer it may take to read a pair, and to come to an end."""
REFUSED = "refused"
_KEPT = Kept()
"""What changes that differ in orderings and scopes alone share in one process."""


@dataclass(frozen=True, slots=True)
class Timed:
    """What is known of a pair under a model, and the seconds that a processor worked for it.

    `choice` is what parameters were in what is unsound, `context` the size of contexts up to which it is sound (None:
    of any size), or in which it is unsound. What was not confirmed by both engines has no `counterexample`.
    """

    verdict: str
    context: int | None = None
    choice: str = ""
    reasons: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    counterexample: Counterexample | None = None
    seconds: float = 0.0


def timed(
    pair: FunctionPair,
    model: ModelChoice,
    context: int,
    seconds: float | None,
    *,
    shared: bool = False,
    noalias: bool = True,
) -> Timed:
    """Return what is known of a pair, for all choices of its parameters together.

    `noalias` is that of a `Question`. Pairs that are `shared` share what those of them do that differ in orderings and
    scopes alone.
    """
    begun, worked = time.monotonic(), time.process_time()
    most = None if seconds is None else PATIENCE * seconds
    late = Timed(UNKNOWN, reasons=(f"the time is over: {seconds or 0:g} s",))
    try:
        with within(most, seconds and OVER * seconds):
            one = judged_pair(pair, model, Question(context, seconds, kept=_KEPT if shared else None, noalias=noalias))
        judged = one.judgement
        found = Timed(
            judged.verdict,
            judged.context,
            one.reading.words if one.reading is not None else "",
            judged.reasons,
            judged.assumed,
            judged.counterexample,
        )
    except OutOfTime:
        found = late
    except InputError as error:
        found = Timed(REFUSED, reasons=(error.diagnostics[0].message,))
    except Exception as error:
        # What is interrupted when the time is over may fail in a way of its own.
        over = most is not None and (
            time.monotonic() - begun >= most or time.process_time() - worked >= OVER * (seconds or 0)
        )
        found = late if over else Timed(UNKNOWN, reasons=(fault(error),))
    spent = time.process_time() - worked
    return replace(found, seconds=round(spent, 2))
