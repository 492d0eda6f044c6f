"""`python benchmarks/bytecodes.py`: how many bytecodes Python executes for a question.

What goes in: nothing. What comes out: a table of thousands of bytecodes, for questions of `benchmarks/run` that have
been asked before in the process. The numbers are the same in every run on the same Python, however busy the machine
is, so that two states of the source can be compared by them; what the solver and other libraries do is not in them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from families import FAMILIES, RC11, SMALLEST, chain, classical
from tabulate import tabulate

from axmem.check.decide import decide
from axmem.check.results import outcomes
from axmem.encoder.solver import Session
from axmem.litmus.parser import parse
from axmem.model.library import load


def bytecodes(function: Callable[[], object]) -> int:
    """Return how many bytecodes a call executes."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "opcode"
        return counted

    def entered(frame: FrameType, _event: str, _argument: Any) -> Any:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return counted

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


def questions(session: Session) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what is asked."""
    tests = [parse(text) for text in classical(30)]
    for name in ("sc", RC11, "llvm", "amdgpu"):
        each = [partial(outcomes, test, load(name), session=session) for test in tests]
        yield f"30 classical tests, {Path(name).stem}", partial(_every, each)
    for family, size in SMALLEST.items():
        shape = FAMILIES[family](size)
        test = parse(shape.litmus(), shape.name)
        (thread, register, _), *_ = shape.condition
        yield f"{shape.name}, all outcomes, rc11", partial(outcomes, test, load(RC11), session=session)
        alone = partial(decide, test, load(RC11), session=session)
        yield f"{shape.name}, the condition, rc11", alone
        yield f"{shape.name}, one column, rc11", partial(alone, columns=(f"P{thread}:{register}",))
    yield "chain-2, amdgpu", partial(outcomes, parse(chain(2), "chain-2"), "amdgpu", session=session)


def _every(each: Sequence[Callable[[], object]]) -> None:
    for function in each:
        function()


def main() -> None:
    """Print the table."""
    rows = []
    for what, function in questions(Session()):
        function()
        rows.append([what, f"{bytecodes(function) / 1e3:.1f}"])
    print(tabulate(rows, ["question", "thousands"], tablefmt="github", disable_numparse=True))


if __name__ == "__main__":
    main()
