"""Functions with atomic pointers beside wrong changes of them: an ordering that is weaker, another number, an order.

What goes in: the functions of `functions.cpp` as `-O2` leaves them. What comes out: each with one line changed, which a
context can see. None of these may be called sound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.formats.ir.pairs import FunctionPair, sides
from axmem.front.source import InputError, Source
from tests.pointers import Step, dumps, names

WEAKER = {
    " acquire": (" monotonic",), " release": (" monotonic",), " acq_rel": (" acquire", " release"),
    " seq_cst": (" acq_rel", " acquire", " release", " monotonic"),
}  # fmt: skip
_ACCESS = re.compile(r"= load|^\s*store|= cmpxchg|= atomicrmw|^\s*fence")
_NUMBER = re.compile(r"(?<=[ ,])-?\d+(?=[,\s]|$)")


def wrong(every: int = 1) -> Iterator[Step]:
    """Yield each function before and after a wrong change, or every so many-th.

    `name` says which line it is and what becomes of it.
    """
    *_, (_, text) = dumps()
    count = 0
    before = sides(Source("before.ll", text))
    for name in names():
        found = re.search(rf"^define [^\n]*@{name}\(.*?^\}}", text, re.MULTILINE | re.DOTALL)
        assert found is not None, name
        lines = found[0].splitlines()
        for number, line in enumerate(lines):
            for new in _changed(line, lines[number + 1 : number + 2]):
                count += 1
                if count % every:
                    continue
                body = [*lines[:number], *new, *lines[number + 1 + (len(new) == 2) :]]
                changed = text.replace(found[0], "\n".join(body))
                try:
                    pair = FunctionPair(before[name], sides(Source("after.ll", changed))[name])
                except InputError:
                    continue
                if not pair.diagnostics:
                    yield Step(name, f"{number}: {' '.join(each.strip() for each in new) or 'goes'}", pair)


def _changed(line: str, following: list[str]) -> Iterator[list[str]]:
    """Yield what a line, or two, may become that is wrong."""
    if line.startswith("define"):
        return
    if _ACCESS.search(line):
        yield from ([line.replace(old, new, 1)] for old, some in WEAKER.items() if old in line for new in some)
        if line.strip().startswith(("fence", "store")):
            yield []
        result = line.split("=")[0].strip() if "=" in line else ""
        swaps = bool(following) and bool(_ACCESS.search(following[0])) and "= load" not in following[0]
        if swaps and not (result and re.search(rf"{re.escape(result)}\b", following[0])):
            yield [following[0], line]
    if "icmp eq" in line:
        yield [line.replace("icmp eq", "icmp ne")]
    for number in _NUMBER.finditer(line):
        if not line[: number.start()].endswith(("align ", "(")):
            yield [line[: number.start()] + str(int(number[0]) + 1) + line[number.end() :]]
