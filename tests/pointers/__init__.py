"""Functions with atomic pointers, as clang writes them, before and after each pass that changes them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from axmem.formats.ir.pairs import FunctionPair, Side, sides
from axmem.front.records import dataclass
from axmem.front.source import Source
from axmem.litmus.syntax import ModelChoice

FUNCTIONS = Path(__file__).with_name("functions.cpp")
MODEL = ModelChoice("llvm")
_DUMP = re.compile(r"^(?:; )?\*\*\* IR Dump After (\w+) on .*$", re.MULTILINE)
_NAMES = re.compile(r"^(?:bool|int|void|Node|Counted) ?\*{0,2}(\w+)\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """What one pass makes of one function."""

    function: str
    name: str
    pair: FunctionPair


def names() -> tuple[str, ...]:
    """Return the names of the functions, in order."""
    return tuple(_NAMES.findall(FUNCTIONS.read_text(encoding="utf-8").partition('extern "C"')[2]))


def dumps() -> Iterator[tuple[str, str]]:
    """Yield the pass that changed the module, and the module after it; first the module that clang wrote."""
    clang = ["clang++-22", "-std=c++17", "-O2", "-fno-exceptions", "-S", "-emit-llvm", "-o", "-"]
    written = _output([*clang, "-Xclang", "-disable-llvm-passes", str(FUNCTIONS)], "").stdout
    yield "clang", written
    opt = ["opt-22", "-passes=default<O2>", "-print-changed=quiet", "-print-module-scope", "-disable-output", "-"]
    _, *parts = _DUMP.split(_output(opt, written).stderr)
    yield from zip(parts[::2], parts[1::2], strict=True)


def _output(command: list[str], text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True)


def steps(only: str = "") -> Iterator[Step]:
    """Yield what each pass changes of each function, or one pass `only`."""
    wanted = names()
    read: dict[str, dict[str, Side]] = {}
    for (_, earlier), (name, text) in pairwise(dumps()):
        if only not in ("", name):
            continue
        read = {each: read.get(each) or sides(Source(f"{name}.ll", each)) for each in (earlier, text)}
        for function in wanted:
            pair = FunctionPair(read[earlier][function], read[text][function])
            if pair.before.function.blocks != pair.after.function.blocks:
                yield Step(function, name, pair)
