"""Wrong changes that an opt of ours makes (`tests/passes/seeded.py`): `axmem passes` has to find each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from axmem.front.records import replace
from axmem.litmus.words import Ordering
from axmem.passes.batches import OptTarget
from axmem.passes.enumeration import SMALL, WHOLE, of, random
from axmem.passes.fragments import Fragment
from axmem.passes.trial import Trial, TrialOptions
from tests.controls import FOUND, MISSED, Control
from tests.passes.seeded import SEEDS, WRONG, install

FUNCTIONS, SIZE = 2000, 3
"""How many random functions are put on trial, of up to how many operations."""
CONTEXT = 2


def controls() -> Iterator[Control]:
    """Yield the controls of passes."""
    for seed in WRONG:
        yield Control("passes", f"a pass does {seed.name}", "", "", seed.why, partial(verdict, seed.name))


def fragments() -> Iterator[Fragment]:
    """Yield small rows, all rows of so many operations on one place, and random functions."""
    words = replace(SMALL, orderings=tuple(Ordering), updates=WHOLE.updates)
    alike = (each for each in of(SMALL, SIZE) if len({*each.places}) == 1)
    return chain(of(words, 1), of(words, 2), alike, islice(random(0, SIZE), FUNCTIONS))


def verdict(name: str) -> str:
    """Return whether something that a pass makes is found unsound; contexts of all sizes are asked at once."""
    with TemporaryDirectory() as folder:
        found = trial_of(name, install(Path(folder))).run(fragments())
        return FOUND if next(found, None) is not None else MISSED


def trial_of(name: str, opt: str) -> Trial:
    """Return the trial of a seeded change."""
    asked = TrialOptions(OptTarget(opt), (name,), (SEEDS[name].model,), CONTEXT, first=CONTEXT, seconds=None)
    return Trial(asked)
