"""How a model goes through the files from a question to its answer, as the calls of a run have it.

What goes in: tests of the corpus, models, engines. What is held: followed through the calls that pass it on, from
`solve` to the outcomes, a model comes into each file at most three times; what comes into a file again and again is
read there in pieces, and a reader has to leaf through it as often.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType

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


@cache
def _ours(name: str) -> str:
    """Return the path below the project of a file of ours, nothing of another."""
    path = Path(name)
    if not path.is_relative_to(ROOT) or path.is_relative_to(ROOT / ".venv"):
        return ""
    return path.resolve().relative_to(ROOT).as_posix()


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
        if event != "call" or not (path := _ours(frame.f_code.co_filename)) or id(frame) in seen:
            return
        if any(isinstance(value, Model) for value in _given(frame)):
            seen.add(id(frame))
            frames.append(frame)
            calls.append(path)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        assert solve(graph, model, engine=engine).rows
    finally:
        sys.setprofile(before)
    return [path for path, _ in groupby(calls)]


def main() -> int:
    """Print of each question and engine which files the model comes into how often."""
    for engine in Engine:
        for test, name in QUESTIONS:
            print(json.dumps([test, name, engine.value, Counter(visits(test, name, engine))]))
    return 0


def test_a_model_comes_into_each_file_three_times_at_most() -> None:
    """In a process of its own: Python 3.11 may not come out of a call that is watched while other threads run."""
    command = [sys.executable, "-m", "tests.encoder.test_visits"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(Engine) * len(QUESTIONS)
    for test, name, engine, found in lines:
        assert found["encoder/solve.py"], "the model is seen where it starts"
        assert {path: n for path, n in found.items() if n > MOST} == {}, (test, name, engine)


if __name__ == "__main__":
    sys.exit(main())
