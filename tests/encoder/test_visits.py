"""How a model goes through the files from a question to its answer, as the calls of a run have it.

What goes in: tests of the corpus, models, engines. What is held: followed through the calls that pass it on, from
`solve` to the outcomes, a model comes into each file at most three times; what comes into a file again and again is
read there in pieces, and a reader has to leaf through it as often.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType

import pytest

from axmem.encoder.engines import Engine
from axmem.encoder.solve import solve
from axmem.events.unroll import events_under
from axmem.front.source import Source
from axmem.model.library import load_text, source
from axmem.model.model import Model
from tests.corpus import corpus_test
from tests.paths import CORPUS, ROOT

MOST = 3
QUESTIONS = (
    ("classic/ISA2+rel-acq", "amdgpu"), ("classic/ISA2+rel-acq", "vulkan"), ("classic/SB+sc+fence.sc", "sc"),
    ("classic/ISA2+rel-acq", "rc11"), ("classic/ISA2+rel-acq", "opencl"), ("classic/ISA2+rel-acq", "llvm"),
)  # fmt: skip


def _given(frame: FrameType) -> list[object]:
    """Return what a call was given."""
    code: CodeType = frame.f_code
    return [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]


def visits(test: str, name: str, engine: Engine) -> list[str]:
    """Return the files that a model is passed into on the way from `solve` to the answer, in order; a model that comes
    anew from its text, so that nothing is known of it."""
    model = load_text(Source(f"{name}-{engine.value}", source(name).text))
    graph = events_under(corpus_test(CORPUS / f"{test}.litmus"), model)
    calls: list[str] = []
    frames: list[FrameType] = []
    """Kept, so that the ids of frames stay unlike; a generator that goes on is no new call."""
    seen: set[int] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event != "call" or id(frame) in seen or not path.is_relative_to(ROOT) or path.is_relative_to(ROOT / ".venv"):
            return
        if any(isinstance(value, Model) for value in _given(frame)):
            seen.add(id(frame))
            frames.append(frame)
            calls.append(path.resolve().relative_to(ROOT).as_posix())

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        assert solve(graph, model, engine=engine).rows
    finally:
        sys.setprofile(before)
    return [path for path, _ in groupby(calls)]


@pytest.mark.parametrize("engine", Engine, ids=str)
@pytest.mark.parametrize(("test", "name"), QUESTIONS)
def test_a_model_comes_into_each_file_three_times_at_most(test: str, name: str, engine: Engine) -> None:
    found = Counter(visits(test, name, engine))
    assert found["encoder/solve.py"], "the model is seen where it starts"
    assert {path: n for path, n in found.items() if n > MOST} == {}
