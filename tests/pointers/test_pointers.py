"""A part of what `make pointers` asks; `make test-long` asks more."""

from __future__ import annotations

import shutil
from itertools import islice

import pytest

from axmem.refinement.inclusion import SOUND
from axmem.refinement.timed import timed
from tests.drawn import WHOLE
from tests.pointers import MODEL, steps
from tests.pointers.wrong import wrong

pytestmark = pytest.mark.skipif(
    not (shutil.which("clang++-22") and shutil.which("opt-22")), reason="there is no clang++-22, or no opt-22"
)
EVERY = 19 if WHOLE else 57
"""Of so many wrong changes one is asked about."""
READERS = ("rcu_read", "hazard_protect", "dclp_fast", "arc_drop", "seqlock_write")
SECONDS = 1.0
"""What is proved is proved before the time is looked at."""


def test_what_passes_make_of_functions_with_pointers_is_proved() -> None:
    asked = (step for step in steps("EarlyCSEPass") if step.function in READERS)
    found = [timed(step.pair, MODEL, 0, SECONDS) for step in islice(asked, None if WHOLE else 1)]
    assert len(found) == (4 if WHOLE else 1)
    assert {(each.verdict, each.context) for each in found} == {(SOUND, None)}


def test_no_wrong_change_of_one_line_is_proved() -> None:
    found = [timed(step.pair, MODEL, 0, SECONDS) for step in wrong(EVERY)]
    assert len(found) > (3 if WHOLE else 1)
    assert not any(each.verdict == SOUND and each.context is None for each in found)
