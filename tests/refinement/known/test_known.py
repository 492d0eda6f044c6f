"""The library of known answers: what its files say holds of the closed tests."""

from __future__ import annotations

import pytest

from axmem.check.results import outcomes
from axmem.formats.reading import parse
from tests.refinement.known.closed import in_context
from tests.refinement.known.library import MODELS, UNSOUND, Pair, library

LIBRARY = library()
SHOWN = [pair for pair in LIBRARY if UNSOUND in pair.verdicts.values() and "context" in pair.head]


@pytest.mark.parametrize("pair", SHOWN, ids=lambda pair: pair.label)
def test_a_context_tells_an_unsound_pair_apart(pair: Pair) -> None:
    """Before the change the outcome never occurs, after it sometimes, under the models under which it is unsound."""
    before, after = (parse(in_context(pair, side), pair.name) for side in ("src", "tgt"))
    for model in MODELS:
        found = tuple(outcomes(test, model).verdict for test in (before, after))
        if pair.verdicts[model] == UNSOUND:
            assert found[0] == "never" and found[1] in ("sometimes", "always", "undefined"), model
        else:
            assert found[1] == "never" or found[0] != "never", model
