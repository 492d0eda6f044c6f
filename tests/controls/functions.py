"""Wrong changes of functions of LLVM IR: attributes, flags, metadata, undefined behaviour, aliasing, calls.

The functions and what is wrong with them stand in functions.ll. What only arithmetic or a promise decides need not be
called unsound: nothing is claimed of it, and it is found if it is not called sound.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

from axmem.formats.ir.pairs import FunctionPair, function_pairs
from axmem.front.source import InputError, Source
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.functions import judged_pair
from axmem.refinement.inclusion import HELD
from axmem.refinement.judging import Question
from tests.controls import FOUND, MISSED, Control
from tests.refinement.known.library import pairs_of

FILE = Path(__file__).with_suffix(".ll")
MODEL = "llvm"
LARGER = ("load_call", "store_call")
"""The pairs that only contexts of two operations tell apart: the callee's access, and its answer. Others need one."""


def controls() -> Iterator[Control]:
    """Yield the controls of functions."""
    for pair in pairs_of(FILE):
        ask = partial(_asked, pair.name)
        yield Control("refine functions", f"{pair.name}: {pair.what}", "", "", pair.head["why"], ask)


@cache
def _pairs() -> dict[str, FunctionPair]:
    found = function_pairs(Source(FILE.name, FILE.read_text(encoding="utf-8")))
    return {pair.before.function.name.removeprefix("src."): pair for pair in found}


def _asked(name: str) -> str:
    """Return whether a pair is called sound; what is refused is not."""
    try:
        question = Question(context=1 + (name in LARGER), seconds=None)
        found = judged_pair(_pairs()[name], ModelChoice(MODEL), question).judgement
    except InputError:
        return FOUND
    return MISSED if found.verdict in HELD else FOUND
